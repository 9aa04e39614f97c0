/* ODE: dWorldQuickStep with its default 20 iterations, contacts by dSpaceCollide. See peer.h. */
#include "peer.h"

#include <math.h>
#include <ode/ode.h>
#include <stdlib.h>

#define CONTACTS_MAX 8 /* per pair */

typedef struct Peer {
  dWorldID world;
  dSpaceID space;
  dJointGroupID group;
  dBodyID *body;
  int bodies, dynamic, contacts;
  double mu;
} Peer;

static void near_callback(void *data, dGeomID a, dGeomID b) {
  Peer *peer = data;
  dContact contact[CONTACTS_MAX];
  dBodyID body_a = dGeomGetBody(a), body_b = dGeomGetBody(b);
  if (!body_a && !body_b)
    return;
  int count = dCollide(a, b, CONTACTS_MAX, &contact[0].geom, sizeof contact[0]);
  for (int i = 0; i < count; i++) {
    contact[i].surface = (dSurfaceParameters){.mode = dContactApprox1, .mu = peer->mu};
    dJointAttach(dJointCreateContact(peer->world, peer->group, &contact[i]), body_a, body_b);
  }
  peer->contacts += count;
}

static dGeomID make_geom(Peer *peer, const AspShape *shape, const AspPose *pose) {
  switch (shape->kind) {
  case ASP_SHAPE_SPHERE:
    return dCreateSphere(peer->space, shape->radius);
  case ASP_SHAPE_BOX:
    return dCreateBox(peer->space, 2 * shape->half_extents.x, 2 * shape->half_extents.y, 2 * shape->half_extents.z);
  case ASP_SHAPE_HALF_SPACE: {
    AspQuat q = pose->orientation;
    double n[3] = {2 * (q.x * q.z + q.w * q.y), 2 * (q.y * q.z - q.w * q.x), 1 - 2 * (q.x * q.x + q.y * q.y)};
    double d = n[0] * pose->position.x + n[1] * pose->position.y + n[2] * pose->position.z;
    return dCreatePlane(peer->space, n[0], n[1], n[2], d);
  }
  default:
    return NULL;
  }
}

static void add_body(Peer *peer, const AspModel *model, const AspState *state, int body) {
  AspPose pose = asp_state_pose(model, state, body);
  AspVec3 v = asp_state_velocity(model, state, body), w = asp_state_angular_velocity(model, state, body);
  AspMat3 inertia = asp_model_body_inertia(model, body);
  dMass mass;
  dBodyID made = peer->body[body] = dBodyCreate(peer->world);
  dMassSetParameters(&mass, asp_model_body_mass(model, body), 0, 0, 0, inertia.m[0], inertia.m[4], inertia.m[8],
                     inertia.m[1], inertia.m[2], inertia.m[5]);
  dBodySetMass(made, &mass);
  dQuaternion q = {pose.orientation.w, pose.orientation.x, pose.orientation.y, pose.orientation.z};
  dBodySetPosition(made, pose.position.x, pose.position.y, pose.position.z);
  dBodySetQuaternion(made, q);
  dBodySetLinearVel(made, v.x, v.y, v.z);
  dBodySetAngularVel(made, w.x, w.y, w.z);
  peer->dynamic++;
}

static bool add_shape(Peer *peer, const AspModel *model, int shape) {
  int body;
  const AspShapeAttachment *attachment = asp_model_shape(model, shape, &body);
  dGeomID geom = make_geom(peer, &attachment->shape, &attachment->pose);
  bool plane = attachment->shape.kind == ASP_SHAPE_HALF_SPACE;
  if (!geom || plane != (peer->body[body] == NULL))
    return false;
  if (!plane)
    dGeomSetBody(geom, peer->body[body]);
  return true;
}

static void peer_destroy(void *world) {
  Peer *peer = world;
  dJointGroupDestroy(peer->group);
  dSpaceDestroy(peer->space);
  dWorldDestroy(peer->world);
  dCloseODE();
  free(peer->body);
  free(peer);
}

static void *peer_create(const AspModel *model, const AspState *state, double mu) {
  AspVec3 gravity = asp_model_gravity(model);
  Peer *peer = calloc(1, sizeof *peer);
  dInitODE2(0);
  peer->world = dWorldCreate();
  peer->space = dHashSpaceCreate(NULL);
  peer->group = dJointGroupCreate(0);
  peer->bodies = asp_model_body_count(model);
  peer->body = calloc((size_t)peer->bodies, sizeof *peer->body);
  peer->mu = mu;
  dWorldSetGravity(peer->world, gravity.x, gravity.y, gravity.z);
  for (int body = 0; body < peer->bodies; body++)
    if (asp_model_body_kind(model, body) == ASP_BODY_DYNAMIC)
      add_body(peer, model, state, body);
  for (int shape = 0; shape < asp_model_shape_count(model); shape++)
    if (!add_shape(peer, model, shape)) {
      peer_destroy(peer);
      return NULL;
    }
  return peer;
}

static void peer_step(void *world, double dt) {
  Peer *peer = world;
  peer->contacts = 0;
  dSpaceCollide(peer->space, peer, near_callback);
  dWorldQuickStep(peer->world, dt);
  dJointGroupEmpty(peer->group);
}

static double peer_speed(const void *world) {
  const Peer *peer = world;
  double sum = 0;
  for (int body = 0; body < peer->bodies; body++) {
    const dReal *v = peer->body[body] ? dBodyGetLinearVel(peer->body[body]) : NULL;
    sum += v ? v[0] * v[0] + v[1] * v[1] + v[2] * v[2] : 0;
  }
  return sqrt(sum / peer->dynamic);
}

static int peer_contacts(const void *world) { return ((const Peer *)world)->contacts; }

const PeerEngine peer_ode = {"ODE", peer_create, peer_destroy, peer_step, peer_speed, peer_contacts};
