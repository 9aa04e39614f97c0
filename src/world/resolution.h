/* Was a step short enough, and was the model met? One table of measures, each with a threshold (resolution.c); a step
 * is resolved when none is exceeded. docs/theory/resolution.md. */
#ifndef ASP_WORLD_RESOLUTION_H
#define ASP_WORLD_RESOLUTION_H

#include "scheme/scheme.h"
#include "world/records.h"
#include "world/step_view.h"
#include "world/tuning/resolution.h"
#include "world/warnings.h"

/* A value of one step and what it belongs to; -1: nothing. */
typedef struct MeasuredNow {
  double value;
  int joint, body_a, body_b;
} MeasuredNow;

/* What a contact or limit carried in the last steps. */
typedef struct LoadHistory {
  uint32_t steps;       /* bit k: it carried load k steps ago */
  bool pressed;         /* when it last lost its load, its bodies closed their gap */
  double loads, misses; /* steps with load, and one or two without between such; decaying sums */
} LoadHistory;

typedef struct PairLoad {
  int body_a, body_b;
  double load;      /* normal impulse of the step, N s */
  double gap, rate; /* smallest gap at the start of the step, m, and its rate at the end, m/s */
  LoadHistory history;
} PairLoad;

typedef struct ContactLoad {
  int shape_a, shape_b;
  uint32_t feature;
  uint32_t steps; /* as LoadHistory.steps */
} ContactLoad;

/* Loads from step to step (loads.c); two lists each, of the last step and of this one. */
typedef struct LoadTable {
  PairLoad *pair[2];
  ContactLoad *contact[2];
  size_t pair_capacity[2], contact_capacity[2];
  int pairs[2], contacts[2], now;
  LoadHistory *limit;  /* joints */
  double *limit_most;  /* joints: largest force of the limits so far, N or N m */
  double *body;        /* bodies: sum of all impulses on it in the step, absolute, N s */
  double *force;       /* dofs: the scene's forces and springs, N or N m; NULL: there are none */
  bool counts;         /* the step is of full length: its loads go into the histories */
  double missed;       /* impulse of given loads that steps did not see so far, absolute, N s and N m s */
  double contact_work; /* of contacts that stay closed under load, taken in the step, J: a scheme's error */
} LoadTable;

/* Paths between the ends of steps (passage.c). */
typedef struct PassageSearch {
  AspCollision *collision;
  AspCollider *colliders; /* shapes */
  double *travel;         /* bodies: how far their points went in the step at most, m */
  bool *fast;             /* bodies: farther than the thinnest shape allows without a look */
} PassageSearch;

/* What the first order of a scheme added so far (lag.c). */
typedef struct BodyLag {
  AspVec3 way, turn; /* m, rad */
  double turned;     /* angle turned so far, rad */
  double loose;      /* velocity that the unknown instant of a lost contact leaves, m/s */
  double adrift;     /* way with it so far, m */
  bool carried;      /* something carries it in this step */
} BodyLag;

/* How a body's velocity changes: what a motion that is late is off by (measures.c). Sizes, of the body's reach where it
 * turns. */
typedef struct BodyPace {
  double fastest;                          /* m/s, so far */
  double changed[RESOLUTION_SMOOTH_STEPS]; /* m/s^2, in the last steps; 0 where an impact was */
} BodyPace;

/* Energy unaccounted, and what it makes the motion late by. */
typedef struct MissedEnergy {
  double sum;     /* so far, J */
  double carried; /* of it what is not forgotten, J */
  double late;    /* time that it made the motion lose, s */
  BodyPace *pace; /* bodies */
} MissedEnergy;

typedef struct Resolution {
  AspMeasured table[ASP_MEASURE_COUNT];
  double *size;   /* bodies: reach of shapes, joints and forces from the centre of mass, radius of gyration, m */
  double *way;    /* bodies: of the centre of mass so far, m */
  double *spin;   /* bodies: largest moment of inertia, kg m^2 */
  bool *jointed;  /* bodies: in a joint, or of a beam */
  int *mechanism; /* joints: number of the mechanism, bodies connected by joints, that it belongs to */
  double *apart;  /* mechanisms, by joints' number at most: sum of their joints' drift in the step */
  BodyLag *lag;   /* bodies; NULL: the scheme is of second order */
  AspState last;  /* at the end of the step before */
  LoadTable loads;
  PassageSearch passage;
  double start;                       /* time, s */
  double kinetic_most;                /* J */
  double flowed;                      /* given and taken so far, absolute, J */
  int64_t counted[ASP_MEASURE_COUNT]; /* the last step that exceeded each: its parts count once */
  MissedEnergy missed;
  double gained;                    /* by impacts so far, J */
  int gain_a, gain_b;               /* bodies of the last such impact; -1: none */
  double linear_most, angular_most; /* sums of the sizes of all bodies' momenta, kg m/s, kg m^2/s */
  double pushed, turned;            /* impulses on all bodies so far, absolute, N s; times their arms, N m s */
  double path;                      /* of all bodies' points so far, times their mass, kg m */
  AspMomentumSum momentum;          /* unaccounted so far */
} Resolution;

/* What a step is judged on. */
typedef struct StepJudged {
  const StepView *view;
  const StepRecords *records;
  const AspSchemeType *scheme;
  const AspStepInfo *info;
} StepJudged;

AspError asp_resolution_create(Resolution *resolution, const StepView *view, const AspSchemeType *scheme);
void asp_resolution_destroy(Resolution *resolution, AspContext *context);
AspError asp_resolution_reserve(Resolution *resolution, const StepView *view, int contacts);
/* Judge the step just accepted, with energy and momentum balanced: info->resolved and measure, the table, warnings. */
AspError asp_resolution_judge(Resolution *resolution, const StepView *view, const StepRecords *records,
                              const AspSchemeType *scheme, Warnings *warnings, AspStepInfo *info);
/* Are the joints of a mechanism farther apart, in sum, than what counts as resolved? */
bool asp_resolution_is_apart(const Resolution *resolution, const StepView *view);
AspError asp_resolution_archive(Resolution *resolution, const AspModel *model, AspArchive *archive);
/* Impulse of loads that the step about to be judged does not see, N s and N m s. */
void asp_resolution_miss(Resolution *resolution, double impulse);
/* The velocities were changed before the first step: this energy is not the scheme's, J. */
void asp_resolution_forgive(Resolution *resolution, double energy);

/* ---- parts, for resolution.c ---- */

/* The larger of two; the first where they are equal. */
static inline void asp_measure_worse(MeasuredNow *worst, double value, int joint, int body_a, int body_b) {
  if (value > worst->value || value != value)
    *worst = (MeasuredNow){value, joint, body_a, body_b};
}
/* The size of the smaller of two bodies that forces move, m; infinity: none is. */
double asp_resolution_size(const Resolution *resolution, const StepView *view, int body_a, int body_b);
/* The size and half the way so far, of the two the one for which it is smaller. */
double asp_resolution_length(const Resolution *resolution, const StepView *view, int body_a, int body_b);

/* Where a measure was worst, as text. */
const char *asp_measure_place(const AspModel *model, const AspMeasured *measured, char *text, size_t size);

AspError asp_loads_create(LoadTable *loads, AspContext *context, const AspModel *model);
void asp_loads_destroy(LoadTable *loads, AspContext *context);
AspError asp_loads_reserve(LoadTable *loads, AspContext *context, int contacts);
AspError asp_loads_archive(LoadTable *loads, const AspModel *model, AspArchive *archive);
/* Loads of the step; *toggling: the contact or limit that misses most. */
AspError asp_loads_note(Resolution *resolution, const StepJudged *step, MeasuredNow *toggling);

/* One more step, with load or without; pressed: without, its bodies closed their gap. A step or two without load are
 * missed that lie between steps with one, where the bodies were pressed when the load was lost. */
void asp_load_note(LoadHistory *history, bool loaded, bool pressed);
/* Share of missed steps. */
double asp_load_toggling(const LoadHistory *history);

AspError asp_passage_create(PassageSearch *passage, const StepView *view);
void asp_passage_destroy(PassageSearch *passage, AspContext *context);
AspError asp_passage_measure(Resolution *resolution, const StepJudged *step, MeasuredNow *worst);

/* measures.c: one measure each */
void asp_measure_joints(const Resolution *resolution, const StepJudged *step, MeasuredNow *drift, MeasuredNow *limit,
                        MeasuredNow *turn);
void asp_measure_drift(const Resolution *resolution, const StepView *view, MeasuredNow *drift);
void asp_measure_penetration(const Resolution *resolution, const StepJudged *step, MeasuredNow *worst);
AspError asp_lag_create(Resolution *resolution, const StepView *view);
void asp_measure_lag(Resolution *resolution, const StepJudged *step, MeasuredNow *worst);
/* impact_order.c */
void asp_measure_impact_order(const Resolution *resolution, const StepJudged *step, MeasuredNow *worst);
/* Energy, momentum and what impacts gained, summed over the steps. */
void asp_measure_balance(Resolution *resolution, const StepJudged *step, MeasuredNow *energy, MeasuredNow *momentum,
                         MeasuredNow *gain);

#endif
