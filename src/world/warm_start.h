/* Reactions of the last step as the start of the next solve (warm_start.c). */
#ifndef ASP_WORLD_WARM_START_H
#define ASP_WORLD_WARM_START_H

#include "asperity/collide.h"
#include "base/archive.h"
#include "formulate/formulate.h"
#include "scheme/block_key.h"
#include "world/step_view.h"

/* How long a block's reaction has been the same. */
typedef struct WarmAge {
  int held; /* steps that it was used for */
  int span; /* where the last step changed it: steps that the one before was used for; else 0 */
} WarmAge;

/* Reactions of the last step: joint blocks, then contacts in ascending order of their keys. */
typedef struct WarmStore {
  int count, contacts_from;
  double dt; /* of the step they come from, s */
  AspBlockKey *key;
  int *offset; /* count + 1, into r */
  double *r;
  double *earlier; /* the same rows one step before; where a block is new the same as r */
  int *index;      /* blocks: of a contact its frame among `frames` */
  const AspContactFrame *frames;
  WarmAge *age; /* blocks */
  size_t key_capacity, offset_capacity, r_capacity, earlier_capacity, index_capacity, age_capacity;
} WarmStore;

typedef struct WarmStart {
  const StepView *view; /* of the step that it starts */
  WarmStore store;
  double *last, *rest; /* rows, on the arena: what the warm start said in this step; NULL: nothing */
  int *match;          /* blocks, on the arena: the block of the store that means the same, -1: none */
  AspBlockKey *key;    /* the same: what the block means */
} WarmStart;

/* The start of a solve: the last step's reactions, and those expected at rest, on the rows of a formulation. */
AspError asp_warm_expect(WarmStart *warm, const AspFormulation *formulation, double *r, double *other);
/* The same as AspStepWork.guess (user: the WarmStart), remembered for what is kept of the step. */
AspError asp_warm_guess(void *user, const AspFormulation *formulation, double *r, double *other);
/* The contact's block in the store; -1: it was not there. */
int asp_warm_find(const WarmStart *warm, const AspBlockKey *key);
/* Nothing was said yet in this step. */
void asp_warm_forget(WarmStart *warm);
/* Keep the reactions of the step's work for the next one; frames: of its contacts, which stand until then. */
AspError asp_warm_store(WarmStart *warm, const AspContactFrame *frames);
AspError asp_warm_reserve(WarmStart *warm, int blocks, int rows);
/* The reactions, written or read back; frames: of the last step. */
AspError asp_warm_archive(WarmStart *warm, AspArchive *archive, const AspContactFrame *frames);
void asp_warm_destroy(AspContext *context, WarmStart *warm);

#endif
