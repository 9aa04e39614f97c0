/* Asperity schemes: the ways to make a step in time, the options of a run, and what a step counts and reports.
 *
 * A run chooses its scheme by AspRunOptions.scheme; asp_scheme_supports() says what a scheme can do.
 *
 * Threads and ownership: base.h.
 */
#ifndef ASPERITY_SCHEME_H
#define ASPERITY_SCHEME_H

#include "asperity/model.h"
#include "asperity/options.h"
#include "asperity/solver.h"

#ifdef __cplusplus
extern "C" {
#endif

/* scheme, name, word of its object asp_scheme_<word> */
#define ASP_SCHEME_LIST(X)                                                                                             \
  X(ASP_SCHEME_MOREAU_JEAN, "moreau-jean", moreau_jean)                                                                \
  X(ASP_SCHEME_STEWART_TRINKLE, "stewart-trinkle", stewart_trinkle)                                                    \
  X(ASP_SCHEME_GENERALIZED_ALPHA, "generalized-alpha", generalized_alpha)                                              \
  X(ASP_SCHEME_EVENT_DRIVEN, "event-driven", event_driven)                                                             \
  X(ASP_SCHEME_COMPLIANT, "compliant", compliant)

typedef enum AspScheme {
#define ASP_SCHEME_ENUM(code, text, word) code,
  ASP_SCHEME_LIST(ASP_SCHEME_ENUM)
#undef ASP_SCHEME_ENUM
      ASP_SCHEME_COUNT
} AspScheme;

/* What a scheme may support. */
typedef enum AspSchemeFeature {
  ASP_FEATURE_SELECTION,       /* chooses among several solutions (option `select`); without: what its solver finds */
  ASP_FEATURE_FRICTION_MODELS, /* friction cones besides the exact one (option `friction`) */
  ASP_FEATURE_SOLVERS,         /* solves contact problems by the option `solver` */
  ASP_FEATURE_EVENTS,          /* lists what happened between and at the ends of its steps (asp_world_events) */
  ASP_FEATURE_ACCURACY         /* steps of varying length that keep to an accuracy (option `accuracy`) */
} AspSchemeFeature;

ASP_API bool asp_scheme_supports(AspScheme scheme, AspSchemeFeature feature); /* [any thread] */
ASP_API const char *asp_scheme_feature_name(AspSchemeFeature feature);        /* [any thread, lent] */
ASP_API const char *asp_scheme_name(AspScheme scheme);                        /* [any thread, lent] */
/* by value, NULL-terminated [any thread, lent] */
extern ASP_API const char *const asp_scheme_names[];

typedef enum AspSelection {
  ASP_SELECT_SOLVER,   /* what the method finds */
  ASP_SELECT_PAINLEVE, /* fewest closed contacts, then least energy */
  ASP_SELECT_ENERGY,   /* least kinetic energy */
  ASP_SELECT_STIFF     /* what springs in place of the contacts tend to as they grow stiff */
} AspSelection;
ASP_API const char *asp_selection_name(AspSelection selection); /* [any thread, lent] */
/* by value, NULL-terminated [any thread, lent] */
extern ASP_API const char *const asp_selection_names[];

/* type, member, scene key, flag, default, low, high, choices, unit, text */
#define ASP_RUN_FIELDS(X)                                                                                              \
  X(CHOICE, scheme, "scheme", "scheme", ASP_SCHEME_MOREAU_JEAN, 0, ASP_SCHEME_COUNT - 1, asp_scheme_names, "",         \
    "time-stepping scheme")                                                                                            \
  X(CHOICE, cone, "friction.model", "friction", ASP_CONE_EXACT, 0, ASP_CONE_RELAXED, asp_cone_kind_names, "",          \
    "friction model")                                                                                                  \
  X(INTEGER, directions, "friction.directions", "directions", 8, 3, 1024, NULL, "",                                    \
    "polygonal friction: number of directions")                                                                        \
  X(REAL, angle, "friction.angle", NULL, 0, -1e3, 1e3, NULL, "rad",                                                    \
    "polygonal friction: orientation of the first direction from t1")                                                  \
  X(REAL, rho, "friction.rho", "rho", -1, -1, 1e30, NULL, "kg",                                                        \
    "circumscribed friction: phantom inertia; 0: none, which leaves the matrix singular; -1: chosen")                  \
  X(CHOICE, method, "solver", "solver", ASP_METHOD_AUTO, 0, ASP_METHOD_COUNT - 1, asp_method_names, "",                \
    "solver of the contact problem")                                                                                   \
  X(FLAG, mixed, "mixed", NULL, 0, 0, 1, NULL, "", "lemke: keep joint reactions as free variables of a mixed LCP")     \
  X(CHOICE, impact, "impact", "impact", ASP_IMPACT_NEWTON, 0, ASP_IMPACT_SEQUENTIAL, asp_impact_law_names, "",         \
    "moreau-jean, event-driven: how restitution acts where several contacts meet, see impacts")                        \
  X(REAL, theta, "theta", "theta", 0.5, 0.5, 1, NULL, "", "moreau-jean: weight of the end of the step")                \
  X(REAL, rho_inf, "rho_inf", "rho-inf", 0.5, 0, 1, NULL, "",                                                          \
    "generalized-alpha: factor per step of oscillations that dt does not resolve; 1: no damping")                      \
  X(REAL, stiffness, "compliant.stiffness", "contact-stiffness", 1e6, 1e-6, 1e18, NULL, "N/m",                         \
    "compliant: stiffness of a contact; N m/rad for limits of revolute joints")                                        \
  X(REAL, damping, "compliant.damping", "contact-damping", 1e3, 0, 1e18, NULL, "N s/m",                                \
    "compliant: damping of a contact while it approaches")                                                             \
  X(REAL, slip_damping, "compliant.slip_damping", "contact-slip-damping", 1e4, 0, 1e18, NULL, "N s/m",                 \
    "compliant: damping of slip up to Coulomb friction; a body at rest creeps at force / this value")                  \
  X(FLAG, project, "project", NULL, 1, 0, 1, NULL, "", "moreau-jean: remove drift of gaps and joints by projection")   \
  X(REAL, dt, "dt", "dt", 0.01, 1e-12, 1e6, NULL, "s", "time step")                                                    \
  X(REAL, until, "until", "until", 1, 0, 1e12, NULL, "s", "end of the simulated time")                                 \
  X(REAL, accuracy, "accuracy", "accuracy", 0, 0, 1e6, NULL, "m",                                                      \
    "largest error of positions: steps vary in length, dt is the longest; 0: steps of dt")                             \
  X(REAL, accuracy_relative, "accuracy_relative", "accuracy-relative", 0, 0, 1, NULL, "",                              \
    "the same as a part of each body's size and way, added to accuracy")                                               \
  X(REAL, accuracy_velocity, "accuracy_velocity", "accuracy-velocity", 0, 0, 1e9, NULL, "m/s",                         \
    "with accuracy: largest error of velocities away from jumps; 0: what positions need")                              \
  X(REAL, locate, "locate", "locate", 0.05, 0, 1e3, NULL, "",                                                          \
    "moreau-jean, generalized-alpha: steps whose events (impacts, slip that turns, limits, motors) leave more than "   \
    "this part of the error that resolution allows are made in shorter parts; up to 64 moving bodies; 0: never")       \
  X(REAL, tolerance, "tolerance", "tol", 1e-8, 1e-15, 1, NULL, "", "tolerance on the residual E2 of every step")       \
  X(REAL, tolerance_contact, "tolerance_contact", "tol-contact", 0, 0, 1e12, NULL, "",                                 \
    "tolerance on the largest error of one contact, over the mean normal impulse; 0: not checked")                     \
  X(INTEGER, max_iterations, "max_iterations", "max-iterations", 0, 0, 1000000000, NULL, "",                           \
    "most solver iterations in a step; 0: the method's own limit")                                                     \
  X(FLAG, retry, "retry", "retry", 1, 0, 1, NULL, "",                                                                  \
    "repeat a step that misses its tolerance: by a stronger method, then with half the step")                          \
  X(REAL, step_budget, "step_budget", "step-budget", 0, 0, 1e12, NULL, "s",                                            \
    "time limit of the solver in a step; then its best answer is used and flagged; 0: no limit")                       \
  X(REAL, step_effort, "step_effort", "step-effort", 3000, 0, 1e12, NULL, "",                                          \
    "work of a step at most, in millions of counted operations for ten bodies, more for larger problems; then its "    \
    "best answer is used and flagged; 0: no limit")                                                                    \
  X(REAL, margin, "margin", NULL, -1, -1, 1e6, NULL, "m",                                                              \
    "largest gap of contacts that are treated; -1: chosen from speed and step")                                        \
  X(REAL, separation_speed, "separation_speed", NULL, 0, 0, 1e6, NULL, "m/s",                                          \
    "stewart-trinkle: largest speed of separating overlaps; 0: separated within one step")                             \
  X(REAL, gap_tolerance, "gap_tolerance", "gap-tolerance", 0, 0, 1e6, NULL, "m",                                       \
    "gaps and overlaps up to this count as closed and are not corrected; 0: only rounding")                            \
  X(CHOICE, selection, "select", "select", ASP_SELECT_PAINLEVE, 0, ASP_SELECT_STIFF, asp_selection_names, "",          \
    "which solution a step takes where an island of at most 12 contacts has several")                                  \
  X(FLAG, watch, "watch", "watch", 1, 0, 1, NULL, "",                                                                  \
    "check whether accelerations exist and are unique at the start of steps, and report where not")                    \
  X(FLAG, share_loads, "share_loads", "share-loads", 1, 0, 1, NULL, "",                                                \
    "where redundant contacts slide: share their load as contacts of equal small compliance do; false: as the solver " \
    "finds it")                                                                                                        \
  X(FLAG, thorough, "thorough", "thorough", 0, 0, 1, NULL, "",                                                         \
    "select and watch: also search islands in space with more than two contacts (slow)")                               \
  X(INTEGER, threads, "threads", "threads", 1, 1, 1024, NULL, "",                                                      \
    "largest number of threads; one below about 1000 bodies; states do not depend on it")                              \
  X(INTEGER, output_every, "output_every", "output-every", 1, 1, 1000000000, NULL, "steps",                            \
    "write every n-th step to the result file (the last one always)")                                                  \
  X(FLAG, output_single, "output_single", "output-single", 0, 0, 1, NULL, "",                                          \
    "frames and contacts of the result file with 7 digits (single precision), which halves it")                        \
  X(REAL, most_joint_drift, "resolution.joint_drift", "most-joint-drift", 1e-2, 0, 1e12, NULL, "",                     \
    "resolved: joints of a mechanism apart, in sum, by at most this share of body and half its way, or rad; "          \
    "0 (here and below): not judged")                                                                                  \
  X(REAL, most_limit, "resolution.limit", "most-limit", 1e-2, 0, 1e12, NULL, "",                                       \
    "resolved: limits passed by at most this share of the smaller body and half its way, or rad")                      \
  X(REAL, most_penetration, "resolution.penetration", "most-penetration", 2e-2, 0, 1e12, NULL, "",                     \
    "resolved: overlap of at most this share of the smaller body (thin shapes: of ten widths)")                        \
  X(REAL, most_passage, "resolution.passage", "most-passage", 0.1, 0, 1e12, NULL, "",                                  \
    "resolved: overlap on the way of a step, of the thinner shape's width")                                            \
  X(REAL, most_turn, "resolution.turn", "most-turn", 0.3, 0, 1e12, NULL, "rad",                                        \
    "resolved: rotation of a joint's arms and axes in a step")                                                         \
  X(REAL, most_toggling, "resolution.toggling", "most-toggling", 0.05, 0, 1e12, NULL, "",                              \
    "resolved: share of steps in which a loaded contact or limit gives no force")                                      \
  X(REAL, most_momentum, "resolution.momentum", "most-momentum", 2e-2, 0, 1e12, NULL, "",                              \
    "resolved: momentum that is unaccounted, of what flowed so far")                                                   \
  X(REAL, most_energy, "resolution.energy", "most-energy", 2e-2, 0, 1e12, NULL, "",                                    \
    "resolved: energy that is unaccounted, of the energy that flowed so far")                                          \
  X(REAL, most_impact_gain, "resolution.impact_gain", "most-impact-gain", 1e-2, 0, 1e12, NULL, "",                     \
    "resolved: energy that impacts gained, of the energy that flowed so far")                                          \
  X(REAL, most_impact_order, "resolution.impact_order", "most-impact-order", 1e-2, 0, 1e12, NULL, "",                  \
    "resolved: energy of impacts that the step does not tell apart, of the largest kinetic energy so far")             \
  X(REAL, most_lag, "resolution.lag", "most-lag", 1.5e-2, 0, 1e12, NULL, "",                                             \
    "resolved: way that a scheme of first order adds, of body and half its way, or rad")

/* the enums of the CHOICE fields */
#define ASP_RUN_TYPE_scheme    AspScheme
#define ASP_RUN_TYPE_cone      AspConeKind
#define ASP_RUN_TYPE_method    AspMethod
#define ASP_RUN_TYPE_impact    AspImpactLaw
#define ASP_RUN_TYPE_selection AspSelection

typedef struct AspRunOptions {
  uint32_t cookie;
#define ASP_RUN_MEMBER_REAL(member)                                                      double member;
#define ASP_RUN_MEMBER_INTEGER(member)                                                   int member;
#define ASP_RUN_MEMBER_FLAG(member)                                                      bool member;
#define ASP_RUN_MEMBER_CHOICE(member)                                                    ASP_RUN_TYPE_##member member;
#define ASP_RUN_MEMBER(type, member, key, flag, initial, low, high, choices, unit, text) ASP_RUN_MEMBER_##type(member)
  ASP_RUN_FIELDS(ASP_RUN_MEMBER)
#undef ASP_RUN_MEMBER
} AspRunOptions;

/* Where energy went in a step, J:
 *
 *   energy at its end - energy at its start = motors + forces - friction - impacts - joints - damping + remainder
 *
 * The work of a reaction r is r . (u- + u+) / 2, u-, u+: relative velocities at both ends of the step. Equations:
 * docs/theory/energy.md.
 */
typedef struct AspEnergyFlow {
  double motors;    /* given by motors, prescribed coordinates and bodies with prescribed motion */
  double forces;    /* given by the scene's forces and torques */
  double friction;  /* taken by friction in contacts */
  double impacts;   /* taken by normal impulses of contacts and limits: what restitution does not give back */
  double joints;    /* taken by dry friction in joints */
  double damping;   /* taken by dampers */
  double remainder; /* of the discretisation: positive when the scheme adds energy */
} AspEnergyFlow;
/* Flows of steps add up. [any thread] */
ASP_API void asp_energy_flow_add(AspEnergyFlow *sum, const AspEnergyFlow *flow);

/* ---- the event-driven scheme: what happened between and at the ends of its steps ---- */

typedef enum AspEventKind {
  ASP_EVENT_IMPACT,       /* something hit: speed */
  ASP_EVENT_TOUCH,        /* a contact or limit closed without impact */
  ASP_EVENT_RELEASE,      /* its force reached zero */
  ASP_EVENT_STICK,        /* slip, or the motion of a dry joint, came to rest */
  ASP_EVENT_SLIP,         /* it began, or turned back */
  ASP_EVENT_JAM,          /* A of a sliding contact fell through a power of ten: A, b, force */
  ASP_EVENT_NO_FORCE,     /* no finite force obeys the laws: A, b, force where they are known */
  ASP_EVENT_IMPULSE,      /* an impulse where nothing collides: impulse */
  ASP_EVENT_TIME_STEPPING /* events accumulate, or the motion cannot be followed: the rest of the step by moreau-jean */
} AspEventKind;
ASP_API const char *asp_event_kind_name(AspEventKind kind); /* [any thread, lent] */

typedef struct AspEvent {
  AspEventKind kind;
  double t;           /* s */
  int joint;          /* -1: a contact, or everything */
  int body_a, body_b; /* -1: everything */
  double speed;       /* of approach, m/s or rad/s */
  double A, b, force; /* u_N' = A r_N + b, and r_N: m/s^2 per N, m/s^2, N; NaN where not known */
  double impulse;     /* largest normal impulse, N s */
} AspEvent;

#ifdef __cplusplus
}
#endif
#endif
