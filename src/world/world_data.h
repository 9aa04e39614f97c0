/* What a world holds. Seen by the files of this layer only. */
#ifndef ASP_WORLD_DATA_H
#define ASP_WORLD_DATA_H

#include "asperity/collide.h"
#include "asperity/world.h"
#include "base/base.h"
#include "integrate/integrate.h"

typedef void (*SolverLog)(void *user, int64_t step, int iteration, const char *method, double residual);

/* What a block of the problem means, from step to step. */
typedef struct WarmKey {
  int role, first, second; /* AspBlockRole; joint, or the contact's two shapes */
  uint32_t feature;
} WarmKey;

/* Where a contact's reaction acts: its point and the directions of its three rows in the world; zero: it has none. */
typedef struct WarmFrame {
  AspVec3 point, axes[3];
} WarmFrame;

/* How long a block's reaction has been the same. */
typedef struct WarmAge {
  int held; /* steps that it was used for */
  int span; /* where the last step changed it: steps that the one before was used for; else 0 */
} WarmAge;

/* Reactions of the last step: joint blocks, then contacts in ascending order of their keys. */
typedef struct WarmStore {
  int count, contacts_from;
  double dt; /* of the step they come from, s */
  WarmKey *key;
  int *offset; /* count + 1, into r */
  double *r;
  double *earlier;  /* the same rows one step before; where a block is new the same as r */
  WarmFrame *frame; /* blocks */
  WarmAge *age;     /* blocks */
  size_t key_capacity, offset_capacity, r_capacity, earlier_capacity, frame_capacity, age_capacity;
} WarmStore;

/* How a body is expected to move in the step, later how it did. */
typedef struct BodyWay {
  AspVec3 shift, turn; /* of the centre of mass, m; rotation vector, rad */
  double margin;       /* contacts are looked for this far from it, m */
  bool swept;          /* and all along the way */
  bool settled;        /* after the solve: it kept to what was expected */
} BodyWay;

struct AspWorld {
  AspContext *context;
  const AspModel *model;
  AspRunOptions options;
  AspState state;
  AspState before; /* at the start of the last step */
  int64_t step;
  int64_t grid;     /* full steps of the asked length done */
  double grid_dt;   /* s: length of the step on the grid of times that is under way */
  double grid_rest; /* s: what is left of it, where it was halved; 0: nothing */
  bool off_grid;    /* a last, shorter step was made: times are a running sum from there on */
  AspEnergy energy; /* at the start of the step */

  AspCollision *collision;
  AspCollider *colliders;  /* one per shape of the model */
  AspPose *shape_pose;     /* shapes: pose in the body frame, copied for locality */
  int *shape_body;         /* shapes: their body */
  double *body_radius;     /* bodies: reach of their shapes from the centre of mass, m; unbounded shapes do not count */
  double *shape_thickness; /* shapes: asp_shape_thickness, m */
  double thinnest;         /* of them, points left out, m */
  BodyWay *way;            /* bodies */
  double slop;             /* 1e-9 of the largest reach, m: closer is touching */
  AspVec3 *joint_anchor;   /* joints: the joint's point in the frame of body B */

  AspSolver *solver;
  AspSolver *sharp;    /* NULL where the chosen method shall be alone */
  AspSolver *stronger; /* for steps that the solver missed; NULL until the first of them */
  AspArena arena;      /* one step: everything in `work` and the records */
  AspStepWork work;
  const AspContact *found; /* contacts of this step: the collision object's, or `kept` */
  AspContact *kept;        /* contacts of this step when more were found after a solve */
  AspContact *late;        /* those found after a solve */
  size_t kept_capacity, late_capacity;
  int late_count;
  WarmStore warm;
  double *last, *rest;        /* rows, on the arena: what the warm start said in this step; NULL: nothing */
  AspContactRecord *contacts; /* on the arena */
  AspWrench *totals;          /* bodies, allocated once */
  bool *recorded;             /* one: contacts and totals are those of the last step */
  int contact_count;
  double penetration;     /* deepest overlap found at the start of the step, m */
  AspJointRecord *joints; /* joint_count, allocated once */
  bool *joint_named;      /* joints whose redundancy was reported */
  bool *pair_named;       /* materials^2: pairs without law that were reported */

  char **warning;
  size_t warning_capacity;
  int warning_count;

  bool projection_named, contact_named; /* these warnings were given */
  bool consistent;                      /* the initial velocities were made to fit the joints */
  bool overlap_named;                   /* a deep overlap was reported */
  int gains_named;                      /* impacts that gained energy and were named */
  bool uncertified_named;               /* the first step that missed its tolerance was reported */

  bool none_named, several_named, choice_named; /* these findings were reported (watch.c) */
  int instant_solutions, alternatives;          /* of the step under way, as in AspStepInfo */

  SolverLog solver_log;
  void *solver_log_user;
};

AspError asp_world_warn(AspWorld *world, const char *format, ...) ASP_PRINTF(2, 3);

/* A frame with its law and gap gets geometry and friction from a contact, which is seen at the given state. */
void asp_world_place_frame(const AspWorld *world, const AspState *state, const AspContact *contact,
                           AspContactFrame *frame);
/* The frames moved to the middle of the step that begins at the world's state. */
AspError asp_world_refine(AspWorld *world);
/* Contacts at the start of a step of length dt, into world->found. */
AspError asp_world_find_contacts(AspWorld *world, double dt, int *count);
/* After a solve: contacts on the ways that bodies took against expectation, added to world->found. */
AspError asp_world_find_missed(AspWorld *world, int *count, bool *more);
bool asp_world_is_late(const AspWorld *world, const AspContact *contact);
/* Overlap that is put right on the side where it came in, m. */
double asp_world_safe_depth(const AspWorld *world, const AspContact *contact);
AspError asp_world_reserve_contacts(AspWorld *world, int contacts);
/* From the present state to that after dt: contacts, problem, solution, advance; world->before keeps the start. Warm:
 * from the reactions of the last step. */
AspError asp_world_attempt(AspWorld *world, double dt, AspSolver *solver, bool warm);
/* The attempt meets the tolerance, by the judge's word. */
bool asp_world_is_certified(const AspWorld *world);
/* Take the attempt as the next step: records, warnings, certificate. */
AspError asp_world_accept(AspWorld *world, AspStepInfo *info);
/* Energies and momenta of the step just accepted (info->energy, flow, momentum). */
AspError asp_world_balance(AspWorld *world, AspStepInfo *info);
/* A solver for the world's problems. */
AspError asp_world_make_solver(AspWorld *world, AspMethod method, int max_iterations, double tolerance,
                               AspSolver **solver);
/* Contacts of the present state and their frames into world->work, for a step of dt. */
AspError asp_world_gather(AspWorld *world, double dt);

/* asp_world_problem_at for a state that a step of length dt left: contacts are closed and at rest within its errors. */
AspError asp_world_problem_after(AspWorld *world, AspProblemLevel level, double dt, AspLevelProblem *out);
/* Look at the accelerations of the present state (option `watch`). */
AspError asp_world_watch(AspWorld *world);
/* Take one of several solutions by the rule of the option `select` (AspStepWork.choose; user: the world). */
AspError asp_world_select(void *user, AspStepWork *work);

/* Fill joints from the step just done, and make room for its contacts. */
AspError asp_world_record(AspWorld *world);
/* Fill contacts and totals, unless they are filled already. */
void asp_world_record_contacts(const AspWorld *world);
/* Coordinates and drift of the joints at the present state. */
void asp_world_record_joint_state(AspWorld *world);

/* Start of a solve from the last step's reactions (AspStepWork.guess), and keeping them for the next. */
AspError asp_warm_guess(void *user, const AspFormulation *formulation, double *r, double *other);
AspError asp_warm_store(AspWorld *world);
AspError asp_warm_reserve(AspWorld *world, int blocks, int rows);

#endif
