/* What a world holds. Seen by the files that put a step together; its parts see what they own and a StepView. */
#ifndef ASP_WORLD_DATA_H
#define ASP_WORLD_DATA_H

#include "scheme/scheme.h"
#include "world/balance.h"
#include "world/choice.h"
#include "world/contact_geometry.h"
#include "world/contact_search.h"
#include "world/drives.h"
#include "world/records.h"
#include "world/resolution.h"
#include "world/sharing.h"
#include "world/solvers.h"
#include "world/step_clock.h"
#include "world/uniqueness.h"
#include "world/warm_start.h"
#include "world/warnings.h"

/* Whom a run calls, and what they asked for. */
typedef struct StepCallers {
  AspError (*before)(void *user, AspWorld *world);
  AspError (*after)(void *user, AspWorld *world, const AspStepInfo *info);
  void *user;
  const void *data;  /* the caller's */
  char *stop_reason; /* NULL: go on */
} StepCallers;

/* What the contacts of two bodies sum up to in the last step (sensors.c). */
typedef struct PairSum {
  AspBodyPair bodies; /* the lower number first */
  AspVec3 force;      /* on bodies.a, world axes, N */
  double normal;      /* N */
  int contacts;       /* that are closed */
} PairSum;

typedef struct Sensing {
  PairSum *sum; /* count, sorted by bodies: those that sensors name */
  int count;
  double t, *v; /* at the start of the last step, s; v_size */
} Sensing;

/* What a world remembers, as bytes (save.c). */
typedef struct WorldBytes {
  unsigned char *bytes;
  size_t size, capacity;
} WorldBytes;

/* What a run remembers of its steps. */
typedef struct RunSoFar {
  bool consistent;    /* the initial velocities were made to fit the joints */
  double normal_most; /* largest mean normal impulse of a step's contacts, N s */
  DriveCheck drives;
  LoadSharing sharing;
  StepCallers callers;
  Sensing sensing;
  JointMotions motions; /* of the state that was looked at last */
  WorldBytes rewind;    /* the start of a step that rules may end early (locate_rules.c) */
} RunSoFar;

struct AspWorld {
  AspContext *context;
  const AspModel *model;
  AspRunOptions options;
  AspState state;
  AspState before; /* at the start of the last step */
  AspArena arena;  /* one step: everything in `work` and the records */
  AspStepWork work;

  StepClock clock;
  ContactGeometry geometry;
  ContactSearch search;
  ContactFrames frames;
  WorldSolvers solvers;
  WarmStart warm;
  Uniqueness uniqueness;
  InstantWatch watch;
  StepRecords records;
  StepBalance balance;
  Resolution resolution;
  Warnings warnings;
  RunSoFar so_far;

  StepView view;         /* what the parts may read */
  SolutionChoice choice; /* what select.c works with */

  const AspSchemeType *scheme; /* what the option says */
  void *scheme_run;            /* its memory */
  AspSchemeHost host;          /* the world as it sees it */
};

/* From the present state to that after dt: contacts, problem, solution, advance; world->before keeps the start. Warm:
 * from the reactions of the last step. */
AspError asp_world_attempt(AspWorld *world, double dt, AspSolver *solver, bool warm);
/* Take the attempt as the next step: records, warnings, certificate. */
AspError asp_world_accept(AspWorld *world, AspStepInfo *info);
/* Forget the arena and lay out world->work for a step of dt. */
void asp_world_prepare_work(AspWorld *world, double dt);
/* Frames of contacts at the present state, with their laws, into world->work. */
AspError asp_world_make_frames(AspWorld *world, const AspContact *contacts, int count);
/* When bodies meet something, and frames where the scheme wants them. */
AspError asp_world_refine(AspWorld *world);
/* Overlaps and drift of joints are corrected before a step: schemes that ask for it, option `project`. From
 * world->before, at which the contacts were found, and whose copy the state is. */
bool asp_world_projects(const AspWorld *world);
/* The gap of a contact of the step under way at a state (AspStepWork.gap_at; user: the world). */
double asp_world_gap_at(void *user, int frame, const AspState *state);
/* In at most this many iterations, as long as each is solved. */
AspError asp_world_project(AspWorld *world, int most);
/* Once, where joints are: the initial velocities become ones that they allow. */
AspError asp_world_make_consistent(AspWorld *world, double dt);
/* A solver for the world's problems; polish: small ones are solved to rounding. */
AspError asp_world_make_solver(AspWorld *world, AspMethod method, int max_iterations, double tolerance, bool polish,
                               AspSolver **solver);
/* world->solvers.stronger, made when it is first needed. */
AspError asp_world_need_stronger(AspWorld *world);
/* On E2, of the solver that improves solutions near rest. */
double asp_world_sharp_tolerance(const AspWorld *world);
/* Contacts of the present state and their frames into world->work, for a step of dt. */
AspError asp_world_gather(AspWorld *world, double dt);

/* The problem of a level into world->work, on the arena. dt > 0: a step of this length left the state; contacts are
 * closed and at rest within its errors. */
AspError asp_world_formulate(AspWorld *world, AspProblemLevel level, double dt, int *approaching);
/* Look at the accelerations of the present state (option `watch`). */
AspError asp_world_watch(AspWorld *world);
/* The chosen method, then a stronger one, from the present state; the state is put back when neither is certified, or
 * `final` keeps the better one. */
AspError asp_world_try_methods(AspWorld *world, double dt, bool final, int *attempts, bool *certified);

/* ---- error control (error_control.c) ---- */

AspError asp_control_create(AspWorld *world);
void asp_control_destroy(AspWorld *world);
AspError asp_control_archive(AspWorld *world, AspArchive *archive);
/* An accuracy is asked for, and not lost. */
bool asp_world_controls(const AspWorld *world);
/* The longest step of at most `wanted` that keeps to it; *dt: its length. */
AspError asp_world_control_step(AspWorld *world, double wanted, double *dt, int *attempts);

/* The world as it is at the start of a step is put aside, and taken back. */
AspError asp_control_put_aside(AspWorld *world);
AspError asp_control_take_back(AspWorld *world);
/* Where `count` steps of h lead; the world is as before. *finite: false where they lead nowhere. */
AspError asp_control_try_steps(AspWorld *world, double h, int count, AspState *end, bool *finite);
/* The step of h that is to be taken; certified unless it is `final`. */
AspError asp_control_make_candidate(AspWorld *world, double h, bool final, int *attempts, bool *certified);

/* The length of the step just made up to where a loaded contact loses its load, s; h: none does (lift_off.c). */
double asp_locate_lift_off(const AspWorld *world, double h);

/* The attempt just made, certified, is put aside, so that others can be made from the start of the step, which was put
 * aside before; and taken back. Where it is not, it is gone when the next one of its name is put aside
 * (kept_attempt.c). */
AspError asp_attempt_put_aside(AspWorld *world, KeptName name);
void asp_attempt_take_back(AspWorld *world, KeptName name);
/* Room for them, as much as an attempt with these contacts has on the arena. */
AspError asp_attempts_reserve(AspWorld *world, int contacts);

/* ---- events inside steps (locate.c) ---- */

/* Are bodies few enough for it? */
bool asp_locate_is_small(const AspModel *model);
/* The option `locate`, where scheme and model allow it. */
bool asp_locate_is_asked(const AspModel *model, const AspSchemeType *scheme, const AspRunOptions *options);
/* Before the first step. */
void asp_locate_begin(const AspModel *model, StepLocating *locating);
/* After a certified step of *h from what was put aside: a shorter one in its place where its events need it. */
AspError asp_locate_events(AspWorld *world, double *h, int *attempts);
/* Are attempts trials, which the judge sees only where they are taken? */
bool asp_locate_is_tentative(const AspWorld *world);
/* The step of h just taken is what the next one is compared with. */
void asp_locate_note(AspWorld *world, double h);
/* How long the step of h just made had better been: up to an event that its solution shows (locate_cuts.c); h: there is
 * none. */
double asp_locate_cut(const AspWorld *world, double h);

/* Slip of a block along its friction rows in the step just made, m/s or rad/s. */
typedef struct StepSlip {
  int body_a, body_b;
  double square, along; /* s- . s-, s- . s+: at its start and end */
  double rate[2];       /* s- . accelerations of the last two steps, where events are located */
} StepSlip;
/* false: no friction acts, or its bodies meet something. */
bool asp_slip_in_step(const AspWorld *world, int block, StepSlip *slip);
/* How long an error of a velocity at t is carried on, s; what an error of a body's position then may be, m. */
double asp_locate_horizon(const AspWorld *world);
/* Does an error of the relative velocity of two bodies count? m/s, of angles rad/s */
bool asp_locate_counts(const AspWorld *world, int body_a, int body_b, double speed, bool of_angle);
double asp_locate_allowed(const AspWorld *world, const AspState *state, int body, double horizon);

/* ---- from outside (access.c) ---- */

/* What was applied for the step is gone. */
void asp_world_end_push(AspWorld *world);
/* The contact search with the pairs that callers took out. */
AspError asp_world_apply_filters(AspWorld *world);

/* All that the next step depends on, and what is recorded of the last one: the parts of a saved world, without header
 * and checks (save.c). */
AspError asp_world_archive(AspWorld *world, AspArchive *archive);
/* The same into bytes that grow, and back. `rewinds`: they go back into this very world (archive.h). `owner`: of the
 * bytes. */
AspError asp_world_keep(AspWorld *world, AspContext *owner, bool rewinds, WorldBytes *saved);
AspError asp_world_put_back(AspWorld *world, bool rewinds, const WorldBytes *saved);

/* The scheme's own memory (scheme_host.c). */
AspError asp_world_create_scheme(AspWorld *world);
void asp_world_destroy_scheme(AspWorld *world);

#endif
