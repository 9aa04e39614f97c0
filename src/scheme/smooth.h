/* Smooth motion between events: q' = G(q) v, v' = a(q, v, t), and further unknowns with given rates, by CVODE
 * (SUNDIALS: variable order and step, dense output, root finding).
 *
 *   Adams, fixed-point iteration     motion that is not stiff
 *   BDF, Newton with dense matrices  springs and dampers that are
 *
 * The unknowns are position and velocity of the dynamic bodies (unit quaternions are normalised where they are read),
 * then the further ones, which do not act back. Depends on model and SUNDIALS.
 */
#ifndef ASP_SCHEME_SMOOTH_H
#define ASP_SCHEME_SMOOTH_H

#include "asperity/model.h"
#include "base/archive.h"

typedef struct AspSmooth {
  AspContext *context;
  const AspModel *model;
  void *user;
  /* Accelerations of the dofs and rates of the further unknowns; *fits = false: try a shorter step. */
  AspError (*rates)(void *user, const AspState *state, double *acceleration, double *further, bool *fits);
  /* Values whose fall (direction -1) or rise (+1) through zero ends the motion; NULL: none. */
  AspError (*roots)(void *user, const AspState *state, double *value);
  const int *direction; /* roots */
  double deadline;      /* on asp_clock_seconds(), after which it ends with ASP_ERROR_INTERRUPTED; 0: none */
  int further, root_count;
  bool stiff;
  double tolerance;    /* relative */
  double size, speed;  /* m, m/s: absolute tolerances are the relative one times these */
  double allowed;      /* absolute tolerance of the further unknowns */
  double longest;      /* step, s; 0: no limit */
  int64_t evaluations; /* of one advance at most; 0: no limit */
} AspSmooth;

typedef enum AspSmoothEnd {
  ASP_SMOOTH_REACHED, /* the time asked for */
  ASP_SMOOTH_ROOT,
  ASP_SMOOTH_STUCK /* the integrator gave up: the state is the last one that it reached */
} AspSmoothEnd;

typedef struct AspSmoothMotion AspSmoothMotion;

/* From this state on, with these further unknowns; what `smooth` points to must outlive the motion. */
AspError asp_smooth_open(const AspSmooth *smooth, const AspState *state, const double *further,
                         AspSmoothMotion **motion);
void asp_smooth_close(AspSmoothMotion *motion);
/* To time t at the latest, and again from where it ended; after a root or a failure only to close. The state and the
 * further unknowns there go into `state` and `further`. fired (root_count, may be NULL) receives the direction of the
 * roots that were met, 0 for the others. *flag: CVODE's last flag. */
AspError asp_smooth_advance(AspSmoothMotion *motion, double t, AspState *state, double *further, int *fired,
                            AspSmoothEnd *end, int *flag);

/* A motion under way, or none, written or read back. The integrator's own memory cannot be read: what is kept is where
 * the motion began and the times it was asked for; read back, it is made again from there, to the same bits. `smooth`:
 * the calls, user and directions of such a motion, ready to be asked when it is read. */
AspError asp_smooth_archive(AspArchive *archive, const AspSmooth *smooth, AspSmoothMotion **motion);

/* The integrator's estimate of the local error of its last step, relative to what its tolerances allow: at most 1 when
 * the step was accepted. */
double asp_smooth_error(const AspSmoothMotion *motion);

#endif
