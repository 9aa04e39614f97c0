/* Tendons: paths through points of bodies and around round ones, whose length is a coordinate (tendon.c). */
#ifndef ASP_MODEL_TENDON_H
#define ASP_MODEL_TENDON_H

#include "model/model.h"

/* An element of a path, in the frame of its body. */
typedef struct TendonNode {
  AspPathKind kind;
  int body;
  AspVec3 point, axis, side; /* side: from the centre */
  bool sided;
  double radius, share; /* share: what its branch counts */
  bool begins;          /* a branch */
} TendonNode;

struct Tendon {
  int count;
  AspPathPoint *given; /* as in the definition */
  TendonNode *node;
};

/* Checks the definition and makes its path; body_a, body_b and `initial`, the length, are set. */
AspError asp_tendon_make(const AspModel *model, ModelJoint *joint);
AspError asp_tendon_copy(AspContext *context, const Tendon *from, Tendon **to);
void asp_tendon_release(AspContext *context, Tendon *tendon);
/* The row of its length. */
void asp_tendon_row(const AspModel *model, const AspState *state, int joint, AspRow row[ASP_ROW_PARTS]);
/* Bodies that the path touches, one after the other: -1 behind the last one. */
int asp_tendon_body(const AspModel *model, int joint, int k);

#endif
