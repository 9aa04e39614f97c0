/* Schemes as objects: one table of operations and of what is supported per scheme (AspSchemeType), and what a scheme
 * needs of the world that runs it (AspSchemeHost: contact search, balance, warnings). Nothing outside this layer asks
 * which scheme it is; it asks the type. To add one: docs/howto/add-a-scheme.md. */
#ifndef ASP_SCHEME_SCHEME_H
#define ASP_SCHEME_SCHEME_H

#include "asperity/collide.h"
#include "asperity/scheme.h"
#include "base/archive.h"
#include "scheme/step.h"
#include "scheme/tuning/scheme.h"

/* Momentum of all bodies, or impulse of all that is not free to move, and its moment about the origin,
 * N s and N m s. */
typedef struct AspMomentumSum {
  AspVec3 linear, angular;
} AspMomentumSum;
typedef AspMomentumSum AspOutsideImpulse;

/* ---- what a scheme gets ---- */

/* What the world does for a scheme; user is AspSchemeHost.user. */
typedef struct AspSchemeCalls {
  /* Say something to the user of the run (asp_scheme_warn formats it). */
  AspError (*warn)(void *user, const char *text);
  /* A solver with the options of the run; polish: small problems are solved to rounding. */
  AspError (*make_solver)(void *user, AspMethod method, int max_iterations, double tolerance, bool polish,
                          AspSolver **solver);
  /* Forget the arena and lay out the work for a step of dt. */
  void (*prepare_work)(void *user, double dt);
  /* Once, where joints are: the initial velocities become ones that they allow. */
  AspError (*make_consistent)(void *user, double dt);
  /* The problem in the work is solved within the tolerance of the run. */
  bool (*is_certified)(void *user);

  /* ---- contacts ---- */

  /* Work for a step of dt: contacts that it may meet, and their frames. */
  AspError (*gather)(void *user, double dt);
  /* Work for an instant: contacts of the present state up to this gap (m), and their frames. */
  AspError (*gather_within)(void *user, double gap);
  /* Contacts of a state up to this gap; colliders: room for one per shape. Gone with the next search. */
  AspError (*find_at)(void *user, const AspState *state, double gap, AspCollider *colliders, const AspContact **found,
                      int *count);
  /* A contact found at one state, at another one: asked for again up to `reach` (m), else carried with its bodies.
   * Returns how far a carried one is from the contacts of its pair, m; 0: it was found again. */
  double (*follow)(void *user, const AspState *from, const AspState *to, double reach, AspContact *contact);
  /* A frame with its law and gap gets geometry and friction from a contact, which is seen at the given state. */
  void (*place_frame)(void *user, const AspState *state, const AspContact *contact, AspContactFrame *frame);
  /* How round a contact's shape is where it touches, at the state that the contact was found at. */
  AspRoundness (*roundness)(void *user, const AspState *state, const AspContact *contact, const AspContactFrame *frame,
                            bool of_b);

  /* ---- steps and their balance ---- */

  /* Correct overlaps and drift of joints in at most this many iterations, from `before`. */
  AspError (*project)(void *user, int most);
  /* A step of dt by another scheme, from the present state; `before` keeps the start. */
  AspError (*step_by)(void *user, AspScheme scheme, double dt);
  /* Add what reactions r (impulses) on the formulation's rows, the impulses of the work's frames, and the scene's
   * forces over dt do at the state `middle` with its velocities. Forces in place of impulses and dt = 1: per second. */
  AspError (*count_flow)(void *user, const AspState *middle, double dt, const AspFormulation *formulation,
                         const double *r, AspEnergyFlow *flow, AspOutsideImpulse *outside);
  /* The state in the middle of the step just made, as far as count_flow asks for it; on the arena. */
  AspError (*middle_of_step)(void *user, AspState *middle);
} AspSchemeCalls;

/* The world as a scheme sees it. All pointers stay the same for the life of the world. */
typedef struct AspSchemeHost {
  const AspSchemeCalls *call;
  void *user;
  AspContext *context;
  const AspModel *model;
  const AspRunOptions *options;
  AspArena *arena;           /* one step */
  AspStepWork *work;         /* of the step under way */
  AspSolver *solver;         /* the chosen one, of the steps */
  AspState *state;           /* the present one */
  AspState *before;          /* at the start of the step */
  const int64_t *steps;      /* accepted so far */
  const AspContact **found;  /* contacts that the work's frames were made of */
  const double *body_radius; /* bodies: reach of their shapes from the centre of mass, m */
  double slop;               /* 1e-9 of the largest of them, m: closer is touching */
  double thinnest;           /* width of the thinnest shape, m; infinity: none */
  /* schemes that integrate smooth motion count these along the way, from zero in each step */
  double *penetration; /* m: deepest overlap */
  AspEnergyFlow *flow;
  AspOutsideImpulse *outside;
} AspSchemeHost;

AspError asp_scheme_warn(const AspSchemeHost *host, const char *format, ...) ASP_PRINTF(2, 3);

/* ---- what a scheme is ---- */

/* How contacts are found that a step ran into besides those it knew. */
typedef enum AspLateSearch {
  ASP_LATE_ON_THE_WAY,  /* where bodies went another way than expected, pairs that this way leads through each other */
  ASP_LATE_ALL_CROSSED, /* the same, and pairs that were in the problem but crossed at another place */
  ASP_LATE_AT_THE_END   /* what overlaps at the end of the step: gaps never close beyond touching */
} AspLateSearch;

typedef struct AspSchemeType {
  /* ---- what it supports ---- */
  bool selects;          /* the option `select` */
  bool friction_models;  /* cones besides the exact one */
  bool impact_laws;      /* laws of impact besides Newton's */
  bool restitution;      /* e > 0 of contacts and limits */
  bool no_impacts;       /* contacts have none: options and laws of impact say nothing */
  bool resistance;       /* to rolling and spinning, and contact_radius */
  bool beams;            /* flexible bodies */
  bool bearing_friction; /* friction_coefficient of joints */
  bool armature;         /* inertia on coordinates of joints, and servos of couplings: blocks that give way */
  bool turning_surfaces; /* surface_spin of shapes */
  bool no_solver;        /* no contact problem is solved: the option `solver` says nothing */
  bool gives_way;        /* contacts are springs: no drive is impossible */
  bool own_search;       /* it finds contacts by itself, with the exclusions of the model */
  bool single_solutions; /* accelerations exist and are unique: nothing to watch */
  bool locates;          /* events inside its steps are found by halving them (option `locate`) */
  bool locates_rates;    /* of these only jumps of rates that motors follow: what loads do ends with whole steps */
  int order; /* at which smooth motion converges where steps may vary from one to the next; 0: they must not */

  /* ---- what it asks the world for ---- */
  bool uses_projection;  /* of positions: a solver for it is made */
  bool projects;         /* overlaps and drift are corrected before each step (option `project`) */
  bool refines_contacts; /* rows of contacts belong to the middle of the step */
  bool makes_consistent; /* initial velocities must fit the joints */
  bool throws_apart;     /* overlaps end within a step, at whatever speed (option `separation_speed`) */
  bool mean_velocities;  /* v is the mean over the step and belongs to its middle: potential energies are taken there */
  bool impacts_before;   /* frames carry impulses of impacts treated before the step */
  bool confirms; /* a step is one problem: the judge may see its solution when it is taken (asp_confirm_solution) */
  bool impacts_at_end; /* impacts act at the end of the step that meets them: late by the rest of it */
  AspLateSearch late;  /* contacts found after a solve */
  int late_solves; /* solves of a step at most (ASP_LATE_SOLVES); each adds the contacts that the last one ran into */
  const char *not_one_problem; /* what a step is instead of one contact problem; NULL: it is one, see formulate */

  /* ---- what it does; run: its own memory, NULL without create ---- */
  /* *run is set as soon as there is something to destroy, also where an error is returned. */
  AspError (*create)(const AspSchemeHost *host, void **run);
  void (*destroy)(const AspSchemeHost *host, void *run);
  /* From one memory to another of the same world, as far as the next step needs it: trial steps put theirs aside. Where
   * there is memory, steps of varying length need it. */
  AspError (*copy)(const AspSchemeHost *host, const void *from, void *to);
  /* All of the memory, written or read back: what the next step depends on. Needed where there is memory. */
  AspError (*archive)(const AspSchemeHost *host, void *run, AspArchive *archive);
  /* Forces or motions changed from outside between two steps, with `moved` also the state: what assumes that the motion
   * goes on as it was is forgotten. NULL: nothing does. */
  void (*disturb)(const AspSchemeHost *host, void *run, bool moved);
  /* Before the step of an attempt, the work being laid out; NULL: nothing. */
  AspError (*prepare)(const AspSchemeHost *host, void *run);
  /* With the work's frames at the start of the step: when bodies meet something within it, before the rows of contacts
   * go to the middle of the step. Where impacts act then, work->time_of_impact has it; the formulation of the step says
   * it in any case. NULL: it does not ask. */
  AspError (*meet)(AspStepWork *work, const AspState *state);
  /* The work's frames and the state at the start of the step, to the state at its end. NULL: see integrate. */
  AspError (*step)(AspStepWork *work, AspState *state);
  /* A whole step of dt that finds its contacts itself; leaves the work as one formulation with its impulses. */
  AspError (*integrate)(const AspSchemeHost *host, void *run, double dt);
  /* The problem of the next step into the work, not solved; see not_one_problem. */
  AspError (*formulate)(AspStepWork *work, const AspState *state);
  /* A step over made-up contacts, so that every buffer has its size; NULL: contacts are looked at again. */
  AspError (*rehearse)(AspStepWork *work, AspState *state);
  /* The step is taken: keep what the next one needs; say what was tried where it is not certified. NULL: nothing. */
  AspError (*accept)(const AspSchemeHost *host, void *run);
  AspError (*report)(const AspSchemeHost *host, void *run, bool certified);
  /* No attempt of the step met the tolerance: the scheme that makes it instead, without memory of its own; reported
   * once. The next step begins after `disturb`. NULL: the best attempt is kept, with its flag. */
  AspError (*give_up)(const AspSchemeHost *host, void *run, AspScheme *by);
  /* All events so far; NULL: it has none. */
  int (*events)(const void *run, const AspEvent **events);
} AspSchemeType;

/* Of a valid AspRunOptions.scheme. */
const AspSchemeType *asp_scheme_type(int scheme);
/* Its steps may vary in length: the option `accuracy`. */
bool asp_scheme_varies_steps(const AspSchemeType *type);

/* ---- what it does not support (support.c) ---- */

/* Options that the scheme cannot have; impact, cone: their names. */
AspError asp_scheme_check_options(AspContext *context, const AspRunOptions *options, const char *impact,
                                  const char *cone);
/* Laws, joints and bodies of the model that it cannot have. */
AspError asp_scheme_check_model(AspContext *context, const AspModel *model, int scheme);
/* "a, b or c": the schemes with the option `select`, into text. */
const char *asp_scheme_selecting(char *text, size_t size);

#endif
