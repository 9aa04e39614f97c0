/* Asperity world: a model in motion. One step: find contacts, assemble the contact problem, solve, judge, advance.
 *
 *   AspRunOptions options = asp_run_default_options();
 *   asp_world_create(context, model, &options, &world);
 *   while (asp_world_state(world)->t < options.until)
 *     asp_world_step(world, &info);
 *
 * Every step carries a certificate: the residual of the law that scheme and friction model claim, recomputed by the
 * judge.
 *
 * Threads and ownership: base.h. A world belongs to the thread of its context and borrows the model until it is
 * destroyed. No function that takes a const AspWorld * writes: between steps two threads may read one world. What it
 * returns is valid until the next step, reserve or asp_world_problem_at.
 */
#ifndef ASPERITY_WORLD_H
#define ASPERITY_WORLD_H

#include "asperity/formulate.h"
#include "asperity/model.h"
#include "asperity/scheme.h"

#ifdef __cplusplus
extern "C" {
#endif

ASP_API AspRunOptions asp_run_default_options(void); /* [any thread] */
/* asp_run_field_count entries [any thread, lent] */
ASP_API const AspField *asp_run_fields(void);
ASP_API int asp_run_field_count(void); /* [any thread] */
/* Ranges, and combinations that do not exist (the message says which would). [one thread] */
ASP_API AspError asp_run_validate(AspContext *context, const AspRunOptions *options);

typedef struct AspWorld AspWorld;

/* The model is borrowed and must outlive the world. Starts at the model's initial state.
 * [one thread, yours: asp_world_destroy, keeps model] */
ASP_API AspError asp_world_create(AspContext *context, const AspModel *model, const AspRunOptions *options,
                                  AspWorld **world);
ASP_API void asp_world_destroy(AspWorld *world); /* [one thread, ends it] */
/* Make room for this many contacts, so that steps with no more of them allocate nothing. [one thread] */
ASP_API AspError asp_world_reserve(AspWorld *world, int contacts);

/* How the joints, energy and the like stand before the first step. [many readers] */
ASP_API double asp_world_joint_drift(const AspWorld *world);

/* Momentum of all bodies at the end of a step, and what its change in the step leaves over when the impulses of
 * gravity, of the scene's forces and of everything that is not free to move are taken off. */
typedef struct AspMomentum {
  AspVec3 linear, linear_remainder;   /* kg m/s */
  AspVec3 angular, angular_remainder; /* about the origin, kg m^2/s */
} AspMomentum;

/* What the parts of a step took, s of wall clock, over all attempts at it. */
typedef struct AspStepTimes {
  double collide;  /* finding contacts */
  double assemble; /* frames, matrices, warm start, moving the bodies; all the rest; event-driven: solves too */
  double solve;    /* the solver without its judge; those of predictions and projections too */
  double judge;    /* what residuals take */
  double record;   /* what is kept of the step: reactions for the next one, energy and momentum */
} AspStepTimes;

/* ---- resolved: was the step short enough, and was the model met? (docs/theory/resolution.md) ---- */

/* measure, name, option with its threshold */
#define ASP_MEASURE_LIST(X)                                                                                            \
  X(ASP_MEASURE_JOINT_DRIFT, "joint_drift", most_joint_drift)                                                          \
  X(ASP_MEASURE_LIMIT, "limit", most_limit)                                                                            \
  X(ASP_MEASURE_PENETRATION, "penetration", most_penetration)                                                          \
  X(ASP_MEASURE_PASSAGE, "passage", most_passage)                                                                      \
  X(ASP_MEASURE_TURN, "turn", most_turn)                                                                               \
  X(ASP_MEASURE_TOGGLING, "toggling", most_toggling)                                                                   \
  X(ASP_MEASURE_MOMENTUM, "momentum", most_momentum)                                                                   \
  X(ASP_MEASURE_ENERGY, "energy", most_energy)                                                                         \
  X(ASP_MEASURE_IMPACT_GAIN, "impact_gain", most_impact_gain)                                                          \
  X(ASP_MEASURE_IMPACT_ORDER, "impact_order", most_impact_order)                                                       \
  X(ASP_MEASURE_LAG, "lag", most_lag)

typedef enum AspMeasure {
#define ASP_MEASURE_ENUM(code, name, option) code,
  ASP_MEASURE_LIST(ASP_MEASURE_ENUM)
#undef ASP_MEASURE_ENUM
      ASP_MEASURE_COUNT
} AspMeasure;
/* [any thread, lent] */
ASP_API const char *asp_measure_name(AspMeasure measure);
/* What it measures, in one line. [any thread, lent] */
ASP_API const char *asp_measure_text(AspMeasure measure);
/* What to do where it is exceeded. [any thread, lent] */
ASP_API const char *asp_measure_remedy(AspMeasure measure);

/* A measure over a run so far. All are without unit, or rad. */
typedef struct AspMeasured {
  bool applies;       /* to the scheme and the model */
  double threshold;   /* 0: not judged */
  double worst, t;    /* largest value, and the end of its step, s */
  int joint;          /* where that was: -1: no joint */
  int body_a, body_b; /* -1: no body */
  int64_t steps;      /* steps that exceeded the threshold */
} AspMeasured;

/* What a step did and how well. */
typedef struct AspStepInfo {
  int64_t step;     /* 1 for the first */
  double t, dt;     /* time reached and step taken, s */
  bool certified;   /* the claimed law is met within the tolerance */
  bool resolved;    /* no measure of resolution exceeds its threshold */
  AspStatus status; /* of the solver */
  AspMethod method; /* that gave the answer */
  int iterations;
  int attempts;          /* solves it took: 1, more where the step was retried */
  int parts;             /* 1: made as a whole; more: halved to be solved, or to locate its events */
  AspResidual residual;  /* of the claimed law; .exact against the exact cone */
  int contacts;          /* contacts in the problem */
  int blocks;            /* laws in the problem */
  int alternatives;      /* option `select`: solutions of the step's problem as far as known; 0: not decided */
  int instant_solutions; /* option `watch`: solutions in accelerations at the start of the step; -1: not known */
  int load_sharing;   /* 1: redundant contacts slide, and share their load by the rule of docs/theory/exact-friction.md;
                       -1: they do, and share it as the solver left it; 0: nothing to share. Option `share_loads` */
  bool impulse;       /* an impulse without collision: no finite forces exist, or the step took more than they give */
  double penetration; /* largest -gap found at the start of the step, m */
  double joint_drift; /* largest |Psi| of the joints at the new state, m or rad */
  AspEnergy energy;   /* at the new state */
  AspEnergyFlow flow;
  AspMomentum momentum;
  double measure[ASP_MEASURE_COUNT]; /* of resolution; NaN: does not apply */
  AspStepTimes times;
  int64_t grid; /* t is this many times dt of the options; 0: between two such times (error control) */
} AspStepInfo;

/* One step; `info` may be NULL. With the option `retry`, a step that misses its tolerance is made again by a stronger
 * method, then with half the length (down to an eighth); with `locate` also one whose events it does not resolve. All
 * parts of the asked step are made in the call, forces are means over them. What still misses is made at full length
 * and flagged: certified = false. After ASP_ERROR_INTERRUPTED the state is that before the step. [one thread] */
ASP_API AspError asp_world_step(AspWorld *world, AspStepInfo *info);

/* The measures of resolution over all steps so far, ASP_MEASURE_COUNT entries. [many readers, lent] */
ASP_API const AspMeasured *asp_world_resolution(const AspWorld *world);
/* Where a measure was worst, as text: "joint hinge", "box and floor", "all bodies"; "" before the first step.
 * Returns text. [many readers, lent] */
ASP_API const char *asp_world_measure_place(const AspWorld *world, AspMeasure measure, char *text, size_t size);

/* Error control (option `accuracy`), over the steps so far. An error is estimated by making a step of h also as two of
 * h/2, and carried to the end of the run at constant velocity; a motion that amplifies small changes amplifies it
 * further (docs/theory/error-control.md). */
typedef struct AspAccuracy {
  int64_t steps, rejected; /* taken under control; made too long and made again */
  double dt_min, dt_max;   /* of those taken, s */
  double estimated;        /* sum of their largest errors, m */
  double share;            /* the same over what is asked: at most 1 where the accuracy is kept */
  double lost_at;          /* s: the motion has no limit beyond (a dynamic jam, several solutions); NaN: none such */
} AspAccuracy;

/* NULL without the option. [many readers, lent] */
ASP_API const AspAccuracy *asp_world_accuracy(const AspWorld *world);

/* Events of the event-driven scheme since the start, in the order of time; the first 100000 are kept. */
/* asp_world_event_count entries [many readers, lent] */
ASP_API const AspEvent *asp_world_events(const AspWorld *world);
ASP_API int asp_world_event_count(const AspWorld *world); /* [many readers] */

/* ---- inputs (asp_model_add_input) ---- */

/* From now on the input has this value, until it is set again. Refused: a number that is not finite. [one thread] */
ASP_API AspError asp_world_set_input(AspWorld *world, int input, double value);
/* The same with rate and acceleration: the motion of a body or joint that follows the input moves at them.
 * [one thread] */
ASP_API AspError asp_world_set_input_motion(AspWorld *world, int input, AspJet value);
ASP_API AspJet asp_world_input(const AspWorld *world, int input); /* now [many readers] */

/* The first stop of the model (asp_model_add_stop) whose condition is true now, -1: none. The world can be stepped on
 * all the same. [many readers] */
ASP_API int asp_world_stopped(const AspWorld *world);

/* ---- a run as a whole ---- */

/* Over all steps. Residuals are the largest seen; a NaN stays once seen. */
typedef struct AspRunSummary {
  int64_t steps;
  int64_t steps_uncertified;
  int64_t steps_unresolved;
  int64_t instants_none, instants_several; /* option watch: steps that began without, or with several, accelerations */
  int64_t instants_unchecked;              /* steps at whose start accelerations were not decided */
  int64_t steps_chosen;                    /* option select: steps with several solutions */
  int64_t steps_unchecked;                 /* whose own problem was not decided */
  int64_t steps_shared, steps_unshared; /* loads of redundant contacts: shared by the rule, or as the solver left it */
  int64_t steps_impulse;                /* with an impulse where nothing collides */
  int alternatives_max;                 /* most solutions of a step */
  int64_t steps_divided;                /* made in several parts */
  int64_t steps_retried;                /* took more than one solve */
  double time;                          /* reached, s */
  double residual_max;                  /* E2 of the claimed law */
  double residual_data_max;             /* E3: the same relative to the data alone */
  double residual_exact_max;            /* against the exact cone */
  double residual_contact_max;          /* worst contact over the mean normal impulse */
  double penetration_max;               /* m */
  double joint_drift_max;               /* m or rad; the initial state counts */
  double energy_initial;                /* J */
  double energy_final;                  /* J */
  AspEnergyFlow flow;                   /* summed over all steps, J */
  int contacts_max;
} AspRunSummary;
/* Before the first step. [many readers] */
ASP_API void asp_run_summary_start(AspRunSummary *summary, const AspWorld *world);
/* After each. [any thread] */
ASP_API void asp_run_summary_add(AspRunSummary *summary, const AspStepInfo *info);
/* The time `until` of the options is reached, or something asked to stop (asp_world_stop_reason). [many readers] */
ASP_API bool asp_world_at_end(const AspWorld *world);

/* ---- saving and restoring ---- */

/* The whole memory of the world as bytes: state, reactions of the last step, what scheme, solvers and error control
 * have learnt, warnings, sums. Restored into a world of the same model and options, in this or another process, the run
 * goes on to the same bits. With bytes = NULL *size says how much room is needed. For the same build of the library, on
 * the same kind of machine. [one thread] */
ASP_API AspError asp_world_save(AspWorld *world, void *bytes, size_t room, size_t *size);
/* Refused by name, and the world left as it is: what is no saved world, is damaged, has another version, or belongs to
 * another model or other options (`until`, `threads` and `step_budget` may differ; `locate` and `accuracy` look ahead
 * to `until`, so that the same bits need the same one). [one thread] */
ASP_API AspError asp_world_restore(AspWorld *world, const void *bytes, size_t size);

/* ---- the state from outside ----
 *
 * Between two steps. What assumes that the motion goes on as it was (reactions of the last step, the scheme's memory)
 * is forgotten; at the next step the velocities become ones that the joints allow. Numbers that are not finite are
 * refused by name, and the state is left as it is. */

/* All of it: time, positions, velocities, inputs; kinematic bodies and stations follow from these. [one thread] */
ASP_API AspError asp_world_set_state(AspWorld *world, const AspState *state);
/* A dynamic body; NULL keeps what is there. [one thread] */
ASP_API AspError asp_world_set_body(AspWorld *world, int body, const AspPose *pose, const AspVec3 *velocity,
                                    const AspVec3 *angular_velocity);
/* The coordinate of a joint and its rate: asp_state_set_joint. [one thread] */
ASP_API AspError asp_world_set_joint(AspWorld *world, int joint, double value, double rate);
/* All joints closed again after bodies were set: asp_state_satisfy_joints. [one thread] */
ASP_API AspError asp_world_satisfy_joints(AspWorld *world);

/* A force (N) at a point (world, m; NULL: the centre of mass) and a torque (N m), world axes, on a body that forces
 * move. It acts through the next step, added to what was applied before, and is gone after it. [one thread] */
ASP_API AspError asp_world_apply_wrench(AspWorld *world, int body, const AspWrench *wrench, const AspVec3 *point);

/* From the next step on two bodies do not touch (false), or do as the model says (true). Pairs that the model excludes
 * stay so. The scheme compliant refuses. [one thread] */
ASP_API AspError asp_world_set_contact(AspWorld *world, int body_a, int body_b, bool touch);

/* Called by asp_world_step: before the step, where inputs, wrenches and state may be set, and after it. A code other
 * than ASP_OK ends the call of asp_world_step with it; after the step, the step counts all the same. Calls inside
 * callbacks must not step. NULL: no call. [one thread, keeps user] */
ASP_API void asp_world_set_callbacks(AspWorld *world, AspError (*before)(void *user, AspWorld *world),
                                     AspError (*after)(void *user, AspWorld *world, const AspStepInfo *info),
                                     void *user);
/* Ask the loop that steps the world to end, from a callback or elsewhere: what asp_world_stop_reason says from then on,
 * until it is asked with NULL. The text is copied. [one thread] */
ASP_API AspError asp_world_stop(AspWorld *world, const char *reason);
/* Why the loop is to end: what asp_world_stop asked, else the message of the model's stop that asp_world_stopped names.
 * NULL: go on. [many readers, lent] */
ASP_API const char *asp_world_stop_reason(const AspWorld *world);

/* Anything of the caller's. [one thread, keeps data] */
ASP_API void asp_world_set_user_data(AspWorld *world, const void *data);
ASP_API const void *asp_world_user_data(const AspWorld *world); /* [many readers, lent] */

/* ---- reading ----
 *
 * Functions that take a const AspWorld change nothing: any number of threads may read one world at once, as long as
 * none of them steps or otherwise changes it. What they return belongs to the world and stands until the next call that
 * may change it (asp_world_step, asp_world_problem_at, asp_world_destroy). */

ASP_API const AspModel *asp_world_model(const AspWorld *world);        /* [many readers, lent] */
ASP_API const AspRunOptions *asp_world_options(const AspWorld *world); /* [many readers, lent] */
ASP_API const AspState *asp_world_state(const AspWorld *world);        /* [many readers, lent] */
/* The contact problem of the last step and its answer; NULL before the first step, and where a step has no problem of
 * its own because the scheme integrates smooth motion. [many readers, lent] */
ASP_API const AspContactProblem *asp_world_problem(const AspWorld *world, const double **r, const double **u);

/* ---- the contact problem of the present state, for analysis ---- */

typedef enum AspProblemLevel {
  ASP_PROBLEM_ACCELERATION, /* forces and accelerations now */
  ASP_PROBLEM_IMPULSE,      /* impulses and the velocities after them, now */
  ASP_PROBLEM_STEP,         /* the scheme's next step */
  ASP_PROBLEM_STATIC        /* forces now as if nothing moved: for asp_statics */
} AspProblemLevel;
ASP_API const char *asp_problem_level_name(AspProblemLevel level); /* [any thread, lent] */
/* by value, NULL-terminated [any thread, lent] */
extern ASP_API const char *const asp_problem_level_names[];

/* What a block of such a problem is. */
typedef struct AspProblemBlock {
  AspBlockRole role;
  int joint;              /* -1: a contact */
  int body_a, body_b;     /* model indices */
  uint32_t feature;       /* contacts, as all below */
  AspVec3 point;          /* world, m */
  AspVec3 normal, t1, t2; /* unit, world */
  double gap;             /* m */
} AspProblemBlock;

typedef struct AspLevelProblem {
  AspProblemLevel level;
  AspContactProblem problem; /* global form */
  AspProblemBlock *block;    /* problem.blocks */
  int approaching; /* acceleration level: closed contacts and limits that approach; for them an impulse comes first */
} AspLevelProblem;

/* Contacts count as closed up to 1e-6 of the largest body, and as resting below 1e-7 of the largest speed (or of that
 * of a fall through the largest body). The records of the last step are gone afterwards. Belongs to the caller.
 * [one thread, yours: asp_level_problem_destroy] */
ASP_API AspError asp_world_problem_at(AspWorld *world, AspProblemLevel level, AspLevelProblem *out);
/* [one thread, ends it] */
ASP_API void asp_level_problem_destroy(AspContext *context, AspLevelProblem *problem);

typedef enum AspContactMode { ASP_MODE_OPEN, ASP_MODE_STICK, ASP_MODE_SLIDE } AspContactMode;
ASP_API const char *asp_contact_mode_name(AspContactMode mode); /* [any thread, lent] */

/* A contact of the last step. Impulse, moment and force act on body B at the point, their opposites on A; impulse and
 * moment in the frame (normal, t1, t2), 2D: (normal, t). */
typedef struct AspContactRecord {
  int body_a, body_b, shape_a, shape_b; /* model indices */
  uint32_t feature;
  AspVec3 point;          /* where the wrench acts, world, m: at the start of the step on the surface of the body that
                             moves freely, midway between the surfaces where both do */
  AspVec3 normal, t1, t2; /* unit, world */
  double gap;             /* at the start of the step, m */
  double slip[3];         /* u_N, u_T1, u_T2 at the end of the step, without gap and surface terms, m/s */
  double impulse[3];      /* N s, with those of impacts in the step */
  AspVec3 force;          /* impulse / dt, the mean force of the step: world axes, N */
  AspVec3 instant_force;  /* at the end of the step, world axes, N; not a number where the scheme does not know it */
  double moment[3];       /* of resistance to spinning (about the normal) and rolling (t1, t2; 2D: z in [1]), N m s */
  AspVec3 torque_a, torque_b; /* of all this about the centre of mass of A on A, of B on B; mean, world axes, N m */
  double mu;                  /* in use at the end of the step; elliptic: along t1 */
  AspContactMode mode;
} AspContactRecord;

/* What all contacts of the last step together do to a body: mean force, and torque about its centre of mass. */
ASP_API const AspWrench *asp_world_contact_totals(const AspWorld *world);  /* body_count entries [many readers, lent] */
ASP_API int asp_world_contact_count(const AspWorld *world);                /* [many readers] */
ASP_API const AspContactRecord *asp_world_contacts(const AspWorld *world); /* [many readers, lent] */

/* Forces of a joint at the instant a step ends; not a number where the scheme does not know them: event-driven (but for
 * steps that end in time stepping or with an event) and generalized-alpha do. */
typedef struct AspJointInstant {
  AspVec3 force, torque;         /* as in AspJointRecord */
  double friction, motor, limit; /* the same */
} AspJointInstant;

/* A joint of the last step: what its constraint rows, friction, motor and limits gave, as means over the step; those of
 * generalized-alpha at its end. Force and torque act on body B at the joint's point on B. Friction of joints with
 * several coordinates is part of them: along the directions that the constraint rows leave free. */
typedef struct AspJointRecord {
  double coordinate, rate;       /* one-coordinate joints */
  AspVec3 force, torque;         /* on body B, world, N and N m */
  double friction, motor, limit; /* generalised forces along the one coordinate, N or N m */
  double drift;                  /* largest |Psi| at the new state */
  AspJointInstant instant;
} AspJointRecord;

ASP_API const AspJointRecord *asp_world_joints(const AspWorld *world); /* joint_count entries [many readers, lent] */

/* Warnings so far, each once: redundant joints, pairs without law, steps that missed their tolerance (first one).
 * [many readers] */
ASP_API int asp_world_warning_count(const AspWorld *world);
/* Add one of the caller's: what reading the scene warned of belongs to the run's warnings. [one thread] */
ASP_API AspError asp_world_add_warning(AspWorld *world, const char *text);
ASP_API const char *asp_world_warning(const AspWorld *world, int index); /* [many readers, lent] */

/* Consecutive instants (starts of steps) at which the accelerations of an island do not exist, or are not unique. Found
 * with the option `watch`; the first 1000 are kept. */
typedef struct AspEpisode {
  int solutions;                /* at its first instant: 0, or several */
  double from, to;              /* first and last of its instants, s */
  int64_t instants;             /* how many */
  int blocks;                   /* contacts and dry joints of the island */
  const AspProblemBlock *block; /* blocks */
  const double *A,
      *b; /* blocks x blocks and blocks, at the first instant: u_N' = A r_N + b; NULL where contacts stick */
} AspEpisode;

ASP_API int asp_world_episode_count(const AspWorld *world);          /* [many readers] */
ASP_API const AspEpisode *asp_world_episodes(const AspWorld *world); /* [many readers, lent] */

/* Called once per solver iteration of every following step; NULL switches it off. [one thread, keeps user] */
ASP_API void asp_world_set_solver_log(AspWorld *world,
                                      void (*log)(void *user, int64_t step, int iteration, const char *method,
                                                  double residual),
                                      void *user);

/* Stable hash of time, q and v. [many readers] */
ASP_API uint64_t asp_world_state_hash(const AspWorld *world);

#ifdef __cplusplus
}
#endif
#endif
