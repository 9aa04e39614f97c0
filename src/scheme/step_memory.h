/* What a time-stepping scheme keeps of the last steps: how bodies were accelerated by everything that acts on them,
 * reactions included, by which the next step tells an impact from rest (formulate/unilateral.c); and the moments of the
 * reactions, which its rotation expects (formulate/rotation.c). The functions are entries of a row of the table of
 * schemes. */
#ifndef ASP_SCHEME_STEP_MEMORY_H
#define ASP_SCHEME_STEP_MEMORY_H

#include "scheme/scheme.h"
#include "scheme/tuning/scheme.h"

typedef struct AspStepMemory {
  bool known;           /* a step was taken */
  double *acceleration; /* v_size: in the last step in which the body had no impact, m/s^2, rad/s^2 */
  double *change;       /* v_size: of the accelerations from the step before to the last one; 0 where an impact was */
  double dt;            /* s, of the last step */
  double apart;         /* s, between the middles of these two */
  int even;             /* steps in a row without impact, up to the last one */
  double extrapolated;  /* rad/s^2: error of the last step's accelerations by extrapolation; infinite: not known */
  double solved;        /* the same of the last prediction by a solve (predictor.c) */
  int ago;              /* steps since then */
  double *contact;      /* v_size: wrench of contacts as expected in the next step, N, N m */
  double *contact_last; /* the same, of the last step */
  double *joint_force;  /* joints x ASP_JOINT_FORCES: of the last step, N, N m */
  double *moment;       /* bodies x 3: of reactions, as expected in the next step, N m */
  double *moment_last;  /* the same, of the last step */
} AspStepMemory;

/* Acceleration of dof i (of v_size) in a step of dt, as the last two steps go on. */
static inline double asp_memory_extrapolate(const AspStepMemory *memory, double dt, int i) {
  double ahead = 0.5 * (memory->dt + dt);
  return memory->acceleration[i] +
         (ahead <= STEP_MEMORY_AHEAD * memory->apart ? ahead / memory->apart * memory->change[i] : 0);
}

/* Forces of the step's joints (joints x ASP_JOINT_FORCES): on their rows, and along their coordinates. */
void asp_step_joint_forces(const AspStepWork *work, double *force);

AspError asp_step_memory_create(const AspSchemeHost *host, void **run);
void asp_step_memory_destroy(const AspSchemeHost *host, void *run);
AspError asp_step_memory_copy(const AspSchemeHost *host, const void *from, void *to);
AspError asp_step_memory_archive(const AspSchemeHost *host, void *run, AspArchive *archive);
void asp_step_memory_disturb(const AspSchemeHost *host, void *run, bool moved);
AspError asp_step_memory_prepare(const AspSchemeHost *host, void *run);
AspError asp_step_memory_accept(const AspSchemeHost *host, void *run);

#endif
