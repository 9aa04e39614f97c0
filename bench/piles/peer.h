/* Engines beside which piles are measured: the bodies of a model (spheres, boxes, half-spaces), stepped with dt. */
#ifndef ASP_BENCH_PILES_PEER_H
#define ASP_BENCH_PILES_PEER_H

#include "asperity/model.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct PeerEngine {
  const char *name;
  /* NULL when a shape is not a sphere, a box or a half-space of a fixed body. mu holds for every pair. */
  void *(*create)(const AspModel *model, const AspState *state, double mu);
  void (*destroy)(void *peer);
  void (*step)(void *peer, double dt);
  double (*speed)(const void *peer); /* root mean square of the bodies, m/s */
  int (*contacts)(const void *peer); /* of the last step */
} PeerEngine;

extern const PeerEngine peer_ode;    /* libode-dev: QuickStep with its default 20 iterations */
extern const PeerEngine peer_bullet; /* libbullet-dev: double precision, its default 10 iterations */

#ifdef __cplusplus
}
#endif
#endif
