/* One judge for the scenes of scenes/peers: the same measures, in the same run, for
 * every engine. An engine gets the scene as Asperity read it and shows the states of its bodies; what is measured
 * compares them with exact solutions. References: the scenes' descriptions, and the formulas in peer_judge.c.
 */
#ifndef PEER_JUDGE_H
#define PEER_JUDGE_H

#include "asperity/asperity.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct PeerState {
  AspVec3 position, velocity; /* of the centre of mass, world */
} PeerState;

typedef struct PeerEngine {
  const char *name;
  /* A world at the scene's initial state, with this step; NULL when the engine cannot hold the scene. */
  void *(*create)(const AspScene *scene, double dt);
  bool (*step)(void *world); /* false: failed */
  void (*state)(void *world, int body, PeerState *state);
  void (*destroy)(void *world);
} PeerEngine;

extern const PeerEngine peer_asperity;

/* One number. */
typedef struct PeerMeasure {
  const char *scene, *quantity, *unit;
  double asked; /* at most; what Asperity must reach */
  double value; /* NaN: not measured */
} PeerMeasure;

/* All measures of an engine, in a fixed order, through `tell`. Scenes are read from `folder` (scenes/peers). */
AspError peer_judge(AspContext *context, const char *folder, const PeerEngine *engine,
                    void (*tell)(void *user, const PeerMeasure *measure), void *user);

#ifdef __cplusplus
}
#endif
#endif
