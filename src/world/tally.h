/* What contacts and joints gave in a step of a scheme that integrates smooth motion, for its records: impulses of all
 * motions and impacts, energy's flow, the worst certificate. */
#ifndef ASP_WORLD_TALLY_H
#define ASP_WORLD_TALLY_H

#include "world/world_data.h"

/* A contact that gave something in the step. */
typedef struct TallyContact {
  AspContact contact;
  AspContactFrame frame;
  double impulse[3], moment[3];
} TallyContact;

/* Places of a joint's reactions in its tally: constraint rows, then the others. */
enum {
  TALLY_SLOT_MOTION = ASP_JOINT_ROWS_MAX,
  TALLY_SLOT_MOTOR,
  TALLY_SLOT_FRICTION,
  TALLY_SLOT_LOW,
  TALLY_SLOT_HIGH,
  TALLY_SLOTS
};

/* Rates of energy's flow (six parts) and of the outside impulse and its moment, as unknowns of the integrator. */
#define TALLY_FLOWS 12

typedef struct StepTally {
  AspWorld *world;
  TallyContact *contact;
  int contacts;
  size_t capacity;
  double *joint; /* TALLY_SLOTS per joint: impulses */
  AspSolverInfo solved;
} StepTally;

AspError asp_tally_create(StepTally *tally, AspWorld *world);
void asp_tally_destroy(StepTally *tally);
/* At the start of a step; world->balance.flow and world->balance.outside too. */
void asp_tally_clear(StepTally *tally);
int asp_tally_slot(AspBlockRole role);
/* Add reactions r (impulses) on a formulation's rows, its frames being world->work.frames of these contacts. */
AspError asp_tally_count(StepTally *tally, const AspFormulation *formulation, const AspContact *contacts,
                         const double *r);
AspError asp_tally_contact(StepTally *tally, const AspContact *contact, const AspContactFrame *frame,
                           const double impulse[3], const double moment[3]);
/* Rates of the flows at a state with reactions r (forces) on the formulation's rows and forces in the impulses of
 * world->work.frames. */
AspError asp_tally_rates(StepTally *tally, const AspState *state, const AspFormulation *formulation, const double *r,
                         double rates[TALLY_FLOWS]);
/* What these unknowns grew by, onto world->balance.flow and world->balance.outside. */
void asp_tally_flows(StepTally *tally, const double grown[TALLY_FLOWS]);
/* The step as one formulation with its impulses in world->work, for the records; dt: its length. */
AspError asp_tally_describe(StepTally *tally, double dt);

#endif
