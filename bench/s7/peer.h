/* An engine beside which piles are measured: the bodies of a model (spheres, boxes, half-spaces), stepped with dt. */
#ifndef ASP_BENCH_S7_PEER_H
#define ASP_BENCH_S7_PEER_H

#include "asperity/model.h"

typedef struct Peer Peer;

/* NULL when a shape is not a sphere, a box or a half-space of a fixed body. mu holds for every pair. */
Peer *peer_create(const AspModel *model, const AspState *state, double mu);
void peer_destroy(Peer *peer);
void peer_step(Peer *peer, double dt);
/* Root mean square speed of the bodies, m/s, and contacts of the last step. */
double peer_speed(const Peer *peer);
int peer_contacts(const Peer *peer);

#endif
