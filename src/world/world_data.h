/* What a world holds. Seen by the files of this layer only. */
#ifndef ASP_WORLD_DATA_H
#define ASP_WORLD_DATA_H

#include "asperity/analyze.h"
#include "asperity/collide.h"
#include "asperity/world.h"
#include "base/base.h"
#include "formulate/acceleration.h"
#include "scheme/scheme.h"
#include "solver/islands.h"
#include "world/balance.h"
#include "world/contact_geometry.h"
#include "world/contact_search.h"
#include "world/records.h"
#include "world/solvers.h"
#include "world/step_clock.h"
#include "world/uniqueness.h"
#include "world/warm_start.h"
#include "world/warnings.h"

struct AspWorld {
  AspContext *context;
  const AspModel *model;
  AspRunOptions options;
  AspState state;
  AspState before; /* at the start of the last step */
  bool consistent; /* the initial velocities were made to fit the joints */
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
  Warnings warnings;
  double normal_most; /* largest mean normal impulse of a step's contacts so far, N s */

  const AspSchemeType *scheme; /* what the option says */
  void *scheme_run;            /* its memory */
  AspSchemeHost host;          /* the world as it sees it */
};

AspError asp_world_warn(AspWorld *world, const char *format, ...) ASP_PRINTF(2, 3);

/* Where a body's centre of mass is. */
static inline AspVec3 asp_world_position(const AspWorld *world, const AspState *state, int body) {
  int dimension = asp_model_dimension(world->model);
  const double *q = state->q + (size_t)asp_body_positions(dimension) * (size_t)body;
  return (AspVec3){q[0], q[1], dimension == 3 ? q[2] : 0};
}

/* A frame with its law and gap gets geometry and friction from a contact, which is seen at the given state. */
void asp_world_place_frame(const AspWorld *world, const AspState *state, const AspContact *contact,
                           AspContactFrame *frame);
/* A contact found at one state, at another one: asked for again up to `reach` (m), else carried along
 * with its bodies. */
void asp_world_follow(const AspWorld *world, const AspState *from, const AspState *to, double reach,
                      AspContact *contact);
AspPose asp_world_shape_pose(const AspWorld *world, const AspState *state, int shape);
/* How round a contact's shape is where it touches, at the state that the contact was found at. */
AspRoundness asp_world_roundness(const AspWorld *world, const AspState *state, const AspContact *contact,
                                 const AspContactFrame *frame, bool of_b);
AspCollider asp_world_collider_at(const AspWorld *world, const AspState *state, int shape);
/* The same contact of the same pair at another state; false where it is not found again. */
bool asp_world_find_again(const AspWorld *world, const AspState *state, double reach, AspContact *contact);
/* A witness point carried along with its body. */
AspVec3 asp_world_carried(const AspWorld *world, const AspState *from, const AspState *to, int body, AspVec3 point);
/* The frames moved to the middle of the step that begins at the world's state. */
AspError asp_world_refine(AspWorld *world);
/* Contacts at the start of a step of length dt, into world->search.found. */
AspError asp_world_find_contacts(AspWorld *world, double dt, int *count);
/* After a solve: contacts on the ways that bodies took against expectation, added to world->search.found. */
AspError asp_world_find_missed(AspWorld *world, int *count, bool *more);
/* After a step that closes gaps to touching: contacts that overlap at its end and were not in it, added to
 * world->search.found.
 */
AspError asp_world_find_overlaps(AspWorld *world, int *count, bool *more);
bool asp_world_is_late(const AspWorld *world, const AspContact *contact);
/* Overlap that is corrected on the side where it came in, m. */
double asp_world_safe_depth(const AspWorld *world, const AspContact *contact);
AspError asp_world_reserve_contacts(AspWorld *world, int contacts);
/* Room for so many in world->frames.list[which]. */
AspError asp_world_reserve_frames(AspWorld *world, int which, int contacts);
/* From the present state to that after dt: contacts, problem, solution, advance; world->before keeps the start. Warm:
 * from the reactions of the last step. */
AspError asp_world_attempt(AspWorld *world, double dt, AspSolver *solver, bool warm);
/* Does the attempt meet the tolerance, as measured by the judge? */
bool asp_world_is_certified(const AspWorld *world);
/* Take the attempt as the next step: records, warnings, certificate. */
AspError asp_world_accept(AspWorld *world, AspStepInfo *info);
/* Energies and momenta of the step just accepted (info->energy, flow, momentum). */
AspError asp_world_balance(AspWorld *world, AspStepInfo *info);
/* Add what reactions r (impulses) on the formulation's rows, the frames' impulses of world->work, and the scene's
 * forces over dt do at the state `middle` with its velocities. Forces in place of impulses and dt = 1: per second. */
AspError asp_world_count_flow(AspWorld *world, const AspState *middle, double dt, const AspFormulation *formulation,
                              const double *r, AspEnergyFlow *flow, AspOutsideImpulse *outside);
/* The state that the mean velocity (v- + v+) / 2 leads to in half a step, with that velocity, as far as
 * asp_world_count_flow asks for it; on the arena. */
AspError asp_world_middle_of_step(AspWorld *world, AspState *middle);
/* Forget the arena and lay out world->work for a step of dt. */
void asp_world_prepare_work(AspWorld *world, double dt);
/* Frames of contacts at the present state, with their laws, into world->work. */
AspError asp_world_make_frames(AspWorld *world, const AspContact *contacts, int count);
/* Overlaps and drift of joints are corrected before a step: schemes that ask for it, option `project`. From
 * world->before, at which the contacts were found, and whose copy the state is. */
bool asp_world_projects(const AspWorld *world);
/* In at most this many iterations, as long as each is solved. */
AspError asp_world_project(AspWorld *world, int rounds);
/* Once, where joints are: the initial velocities become ones that they allow. */
AspError asp_world_make_consistent(AspWorld *world, double dt);
/* A solver for the world's problems; polish: small ones are solved to rounding. */
AspError asp_world_make_solver(AspWorld *world, AspMethod method, int max_iterations, double tolerance, bool polish,
                               AspSolver **solver);
/* Contacts of the present state and their frames into world->work, for a step of dt. */
AspError asp_world_gather(AspWorld *world, double dt);

/* The problem of a level into world->work, on the arena. dt > 0: a step of this length left the state; contacts are
 * closed and at rest within its errors. */
AspError asp_world_formulate(AspWorld *world, AspProblemLevel level, double dt, int *approaching);
/* What a block of world->work's problem is. */
AspProblemBlock asp_world_describe(const AspWorld *world, int block);
/* The islands of a problem in global form, on the arena. */
AspError asp_uniqueness_of_problem(const AspWorld *world, AspArena *arena, const AspContactProblem *problem,
                                   UncertainIslands *uncertain);
/* The same of a formulation's problem; islands with too many contacts to be searched need not be listed. */
AspError asp_uniqueness_of(const AspWorld *world, AspArena *arena, const AspFormulation *formulation,
                           UncertainIslands *uncertain);
/* The islands of the formulation's problem with at most so many blocks that have modes, and at least one; *beyond:
 * there are others with more. *told: false where islands are connected by more than blocks; nothing is listed then. For
 * asp_island_extract; of_block is left out. */
AspError asp_small_islands(const AspWorld *world, AspArena *arena, const AspFormulation *formulation, int most,
                           AspIslands *islands, bool *beyond, bool *told);
/* What was found before still stands. *same: these are the contacts of the step before. */
AspError asp_uniqueness_is_known(AspWorld *world, const AspStepWork *work, bool *same, bool *is_known);
/* Keep what was found of them; those that were searched are looked at again after `rest` steps. */
void asp_uniqueness_keep(AspWorld *world, const UncertainIslands *uncertain, const AspStepWork *work, bool same,
                         int64_t rest);

/* All solutions of an island, bounded in nodes. */
AspError asp_world_analyze(AspWorld *world, const AspContactProblem *problem, AspAnalysis *analysis);
/* Look at the accelerations of the present state (option `watch`). */
AspError asp_world_watch(AspWorld *world);
/* The step just made answers an instant without finite forces by an impulse. */
bool asp_world_has_impulse(const AspWorld *world);
void asp_world_release_episodes(AspWorld *world);
/* Take one of several solutions by the rule of the option `select` (AspStepWork.choose; user: the world). */
AspError asp_world_select(void *user, AspStepWork *work);
/* Of an island's solutions the one that stiff springs tend to over the step; row: of the step's problem. */
AspError asp_world_stiff_limit(AspWorld *world, const AspStepWork *work, const AspContactProblem *part, const int *row,
                               const AspAnalysis *analysis, int *chosen);

/* The scheme's own memory (scheme_host.c). */
AspError asp_world_create_scheme(AspWorld *world);
void asp_world_destroy_scheme(AspWorld *world);

/* Start of a solve from the last step's reactions (AspStepWork.guess), and keeping them for the next. */
AspError asp_warm_expect(AspWorld *world, const AspFormulation *formulation, double *r, double *other);
AspError asp_warm_guess(void *user, const AspFormulation *formulation, double *r, double *other);
AspError asp_warm_store(AspWorld *world);
AspError asp_warm_reserve(AspWorld *world, int blocks, int rows);

#endif
