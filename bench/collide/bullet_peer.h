/* Bullet's collision stage behind a C interface: the same shapes at the same poses. */
#ifndef ASP_BENCH_BULLET_PEER_H
#define ASP_BENCH_BULLET_PEER_H

#include "asperity/collide.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct BulletPeer BulletPeer;

/* Spheres, boxes and half-spaces. */
BulletPeer *bullet_peer_create(const AspCollider *colliders, int count, double margin);
void bullet_peer_destroy(BulletPeer *peer);
/* Put the poses in; not part of what is timed. */
void bullet_peer_move(BulletPeer *peer, const AspCollider *colliders, int count);
/* Bounds, broad phase, narrow phase. Returns the number of contact points. */
int bullet_peer_detect(BulletPeer *peer);
const char *bullet_peer_version(void);

#ifdef __cplusplus
}
#endif
#endif
