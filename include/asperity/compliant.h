/* Asperity compliant: contacts as springs and dampers, the ordinary differential equation that rigid contact is a limit
 * of (Preclik and Ruede 2011, section 5):
 *
 *   r_N = -k g - c min(g', 0) where g < 0, else 0        r_T = -u_T min(mu r_N / ||u_T||, c_T)
 *
 * integrated by CVODE (SUNDIALS: variable order and step, stiff). Joints are rigid; their limits are such springs,
 * their dry friction and motors of limited effort dampers c_T up to their limit. Theory: docs/theory/event-driven.md.
 *
 * Threads and ownership: base.h. The model is borrowed until the object is destroyed.
 */
#ifndef ASPERITY_COMPLIANT_H
#define ASPERITY_COMPLIANT_H

#include "asperity/collide.h"
#include "asperity/model.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct AspCompliantOptions {
  uint32_t cookie;
  double stiffness;    /* k, N/m (limits that turn: N m/rad), 1e6 */
  double damping;      /* c, N s/m, 1e3: of approaching contacts */
  double slip_damping; /* c_T, N s/m, 1e3 */
  double tolerance;    /* relative, of the integrator, 1e-9 */
  double max_time;     /* s of wall clock in all advances together, after which they end with ASP_ERROR_INTERRUPTED;
                          0: no limit */
  bool frozen;         /* contact frames and arms stay those of the start, gaps are the true ones (paper's Table 1) */
} AspCompliantOptions;

/* A pair of touching features, followed since it was first near. */
typedef struct AspCompliantContact {
  int body_a, body_b, shape_a, shape_b; /* model indices */
  uint32_t feature;
  double gap;        /* now, m; HUGE_VAL: apart */
  double force[3];   /* now, on body B along normal, t1, t2; N */
  double impulse[3]; /* integral of the force since the start, N s */
} AspCompliantContact;

typedef struct AspCompliant AspCompliant;

ASP_API AspCompliantOptions asp_compliant_default_options(void); /* [any thread] */
/* At the model's initial state; the model is borrowed and must outlive it. Refused by name: flexible bodies, joints
 * with a friction_coefficient, and pairs with rolling, spinning or contact_radius. Restitution is not looked at: the
 * damping decides. [one thread, yours: asp_compliant_destroy, keeps model] */
ASP_API AspError asp_compliant_create(AspContext *context, const AspModel *model, const AspCompliantOptions *options,
                                      AspCompliant **out);
ASP_API void asp_compliant_destroy(AspCompliant *compliant); /* [one thread, ends it] */
/* To time t (s), or, where `until_open`, to the instant at which the last contact opens; *opened says whether it was
 * that. [one thread] */
ASP_API AspError asp_compliant_advance(AspCompliant *compliant, double t, bool until_open, bool *opened);
ASP_API const AspState *asp_compliant_state(const AspCompliant *compliant); /* [many readers, lent] */
/* contact_count entries [many readers, lent] */
ASP_API const AspCompliantContact *asp_compliant_contacts(const AspCompliant *compliant);
ASP_API int asp_compliant_contact_count(const AspCompliant *compliant); /* [many readers] */

#ifdef __cplusplus
}
#endif
#endif
