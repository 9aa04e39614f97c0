/* What a time-stepping scheme keeps of the last steps: how bodies were accelerated by everything that acts on them,
 * reactions included, by which the next step tells an impact from rest (formulate/unilateral.c); and the moments of the
 * reactions, which its rotation expects (formulate/rotation.c). The functions are entries of a row of the table of
 * schemes. */
#ifndef ASP_SCHEME_STEP_MEMORY_H
#define ASP_SCHEME_STEP_MEMORY_H

#include "scheme/scheme.h"

typedef struct AspStepMemory {
  bool known;           /* a step was taken */
  double *acceleration; /* v_size: in the last step in which the body had no impact, m/s^2, rad/s^2 */
  double *next;         /* v_size: accelerations of the last two steps extrapolated to the next one */
  double dt;            /* s, of the last step */
  int even;             /* steps in a row without impact and of equal length, up to the last one */
  double surprise;      /* rad: how far `next` would have put the middle of the last step off; infinite: not known */
  double *contact;      /* v_size: wrench of contacts as expected in the next step, N, N m */
  double *contact_last; /* the same, of the last step */
  double *joint_force;  /* joints x ASP_JOINT_FORCES: of the last step, N, N m */
  double *moment;       /* bodies x 3: of reactions, as expected in the next step, N m */
  double *moment_last;  /* the same, of the last step */
} AspStepMemory;

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
