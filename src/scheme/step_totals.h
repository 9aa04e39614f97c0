/* Totals of a step of a scheme that integrates smooth motion, for its records: impulses of contacts and joints over all
 * motions and impacts, flow of energy, the worst certificate. */
#ifndef ASP_SCHEME_STEP_TOTALS_H
#define ASP_SCHEME_STEP_TOTALS_H

#include "model/joint_friction.h"
#include "scheme/scheme.h"
#include "scheme/tuning/scheme.h"

/* A contact that gave something in the step. */
typedef struct TotalContact {
  AspContact contact;
  AspContactFrame frame;
  double impulse[3], moment[3];
  double force[3]; /* at the end of the step */
} TotalContact;

/* Places of a joint's reactions in its totals: constraint rows, then the others. */
enum {
  TOTAL_SLOT_MOTION = ASP_JOINT_ROWS_MAX,
  TOTAL_SLOT_MOTOR,
  TOTAL_SLOT_FRICTION,
  TOTAL_SLOT_LOW = TOTAL_SLOT_FRICTION + ASP_JOINT_FREE_ROWS,
  TOTAL_SLOT_HIGH,
  TOTAL_SLOT_ARMATURE,
  TOTAL_SLOTS
};

typedef struct StepTotals {
  const AspSchemeHost *host;
  TotalContact *contact;
  int contacts;
  size_t capacity;
  double *joint;       /* TOTAL_SLOTS per joint: impulses */
  double *joint_force; /* TOTAL_SLOTS per joint: forces at the end of the step */
  bool instant;        /* the forces at the end of the step are known */
  AspSolverInfo solved;
  double gain;      /* energy that impacts of Newton's law gave in the step, J */
  int gain_contact; /* the contact with the largest of them */
  double gain_most; /* that one, J */
} StepTotals;

AspError asp_totals_create(StepTotals *totals, const AspSchemeHost *host);
void asp_totals_destroy(StepTotals *totals);
/* At the start of a step; flow and outside impulse of the host too. */
void asp_totals_clear(StepTotals *totals);
int asp_totals_slot(const AspBlockTag *tag);
/* Add reactions r (impulses) on a formulation's rows, its frames being host->work->frames of these contacts. */
AspError asp_totals_count(StepTotals *totals, const AspFormulation *formulation, const AspContact *contacts,
                          const double *r);
AspError asp_totals_contact(StepTotals *totals, const AspContact *contact, const AspContactFrame *frame,
                            const double impulse[3], const double moment[3]);
/* Forces r at the end of the step on a formulation's rows, as asp_totals_count takes impulses. */
AspError asp_totals_instant(StepTotals *totals, const AspFormulation *formulation, const AspContact *contacts,
                            const double *r);
/* An impact gave energy, J, most of it at this contact. */
AspError asp_totals_gain(StepTotals *totals, const AspContact *contact, const AspContactFrame *frame, double gain);
/* Rates of the flows at a state with reactions r (forces) on the formulation's rows and forces in the impulses of
 * host->work->frames. */
AspError asp_totals_rates(StepTotals *totals, const AspState *state, const AspFormulation *formulation, const double *r,
                          double rates[STEP_TOTALS_TOTAL_FLOWS]);
/* What these unknowns grew by, onto flow and outside impulse of the host. */
void asp_totals_flows(StepTotals *totals, const double grown[STEP_TOTALS_TOTAL_FLOWS]);
/* The step as one formulation with its impulses in the host's work, for the records; dt: its length. */
AspError asp_totals_describe(StepTotals *totals, double dt);

#endif
