/* ODE: dWorldStep (Dantzig) and dWorldQuickStep (20 sweeps), its friction pyramid in proportion to the normal force. */
#include "engines.h"

#include <math.h>
#include <ode/ode.h>
#include <stdlib.h>

#define CONTACTS_MAX 16

typedef struct OdeWorld {
  dWorldID world;
  dSpaceID space;
  dJointGroupID contacts;
  const AspScene *scene;
  dBodyID *body; /* NULL: fixed */
  int bodies;
  double dt;
  bool quick;
} OdeWorld;

static void touch(void *data, dGeomID a, dGeomID b) {
  OdeWorld *ode = data;
  dContact contact[CONTACTS_MAX];
  AspPairLaw law = peer_law(ode->scene->model);
  dBodyID body_a = dGeomGetBody(a), body_b = dGeomGetBody(b);
  if (!body_a && !body_b)
    return;
  int count = dCollide(a, b, CONTACTS_MAX, &contact[0].geom, sizeof *contact);
  for (int i = 0; i < count; i++) {
    contact[i].surface.mode = dContactApprox1 | (law.restitution > 0 ? dContactBounce : 0);
    contact[i].surface.mu = law.friction;
    contact[i].surface.bounce = law.restitution;
    contact[i].surface.bounce_vel = 1e-3;
    dJointAttach(dJointCreateContact(ode->world, ode->contacts, &contact[i]), body_a, body_b);
  }
}

static void set_quaternion(dQuaternion out, AspQuat q) {
  out[0] = q.w;
  out[1] = q.x;
  out[2] = q.y;
  out[3] = q.z;
}

static void add_body(OdeWorld *ode, int body) {
  const AspModel *model = ode->scene->model;
  AspPose pose;
  AspVec3 velocity, angular, axis;
  dMass mass;
  dQuaternion turn;
  AspMat3 inertia = asp_model_body_inertia(model, body);
  if (asp_model_body_kind(model, body) != ASP_BODY_DYNAMIC)
    return;
  peer_start(ode->scene, body, &pose, &velocity, &angular);
  dBodyID made = ode->body[body] = dBodyCreate(ode->world);
  dMassSetParameters(&mass, asp_model_body_mass(model, body), 0, 0, 0, inertia.m[0], inertia.m[4], inertia.m[8],
                     inertia.m[1], inertia.m[2], inertia.m[5]);
  dBodySetMass(made, &mass);
  set_quaternion(turn, pose.orientation);
  dBodySetPosition(made, pose.position.x, pose.position.y, pose.position.z);
  dBodySetQuaternion(made, turn);
  dBodySetLinearVel(made, velocity.x, velocity.y, velocity.z);
  dBodySetAngularVel(made, angular.x, angular.y, angular.z);
  dBodySetAutoDisableFlag(made, 0);
  if (peer_guide(model, body, &axis)) {
    dJointID slider = dJointCreateSlider(ode->world, NULL);
    dJointAttach(slider, made, NULL);
    dJointSetSliderAxis(slider, axis.x, axis.y, axis.z);
  }
}

static void add_shape(OdeWorld *ode, int index) {
  int body;
  AspPose pose = peer_shape_pose(ode->scene, index, &body);
  const AspShape *shape = &asp_model_shape(ode->scene->model, index, &body)->shape;
  dGeomID geom;
  dQuaternion turn;
  set_quaternion(turn, pose.orientation);
  if (shape->kind == ASP_SHAPE_SPHERE) {
    geom = dCreateSphere(ode->space, shape->radius);
  } else if (shape->kind == ASP_SHAPE_BOX) {
    geom = dCreateBox(ode->space, 2 * shape->half_extents.x, 2 * shape->half_extents.y, 2 * shape->half_extents.z);
  } else if (shape->kind == ASP_SHAPE_CAPSULE) {
    geom = dCreateCapsule(ode->space, shape->radius, 2 * shape->half_length);
  } else {
    dMatrix3 R;
    dRfromQ(R, turn);
    double normal[3] = {R[2], R[6], R[10]};
    dCreatePlane(ode->space, normal[0], normal[1], normal[2],
                 normal[0] * pose.position.x + normal[1] * pose.position.y + normal[2] * pose.position.z);
    return;
  }
  if (ode->body[body]) {
    dGeomSetBody(geom, ode->body[body]); // one shape a body, in its frame
  } else {
    dGeomSetPosition(geom, pose.position.x, pose.position.y, pose.position.z);
    dGeomSetQuaternion(geom, turn);
  }
}

static void *create(const AspScene *scene, double dt, bool quick) {
  static bool ready = false; // dInitODE is once per program
  OdeWorld *ode = calloc(1, sizeof *ode);
  int bodies = asp_model_body_count(scene->model);
  AspVec3 g = asp_model_gravity(scene->model);
  if (!ready)
    dInitODE2(0);
  ready = true;
  if (!ode)
    return NULL;
  *ode = (OdeWorld){dWorldCreate(),
                    dSimpleSpaceCreate(NULL),
                    dJointGroupCreate(0),
                    scene,
                    calloc((size_t)bodies, sizeof(dBodyID)),
                    bodies,
                    dt,
                    quick};
  dWorldSetGravity(ode->world, g.x, g.y, g.z);
  for (int body = 0; body < bodies; body++)
    add_body(ode, body);
  for (int shape = 0; shape < asp_model_shape_count(scene->model); shape++)
    add_shape(ode, shape);
  return ode;
}

static void *create_step(const AspScene *scene, double dt) { return create(scene, dt, false); }
static void *create_quick(const AspScene *scene, double dt) { return create(scene, dt, true); }

static bool step(void *world) {
  OdeWorld *ode = world;
  for (int body = 0; body < ode->bodies; body++) {
    AspVec3 force = peer_force(ode->scene->model, body);
    if (ode->body[body])
      dBodyAddForce(ode->body[body], force.x, force.y, force.z);
  }
  dSpaceCollide(ode->space, ode, touch);
  int good = ode->quick ? dWorldQuickStep(ode->world, ode->dt) : dWorldStep(ode->world, ode->dt);
  dJointGroupEmpty(ode->contacts);
  for (int body = 0; body < ode->bodies; body++)
    if (ode->body[body] && !isfinite(dBodyGetPosition(ode->body[body])[2]))
      return false;
  return good != 0;
}

static void state(void *world, int body, PeerState *out) {
  const OdeWorld *ode = world;
  *out = (PeerState){{0, 0, 0}, {0, 0, 0}};
  if (!ode->body[body])
    return;
  const dReal *p = dBodyGetPosition(ode->body[body]), *v = dBodyGetLinearVel(ode->body[body]);
  out->position = (AspVec3){p[0], p[1], p[2]};
  out->velocity = (AspVec3){v[0], v[1], v[2]};
}

static void destroy(void *world) {
  OdeWorld *ode = world;
  dJointGroupDestroy(ode->contacts);
  dSpaceDestroy(ode->space);
  dWorldDestroy(ode->world);
  free(ode->body);
  free(ode);
}

const PeerEngine peer_ode = {"ode step", create_step, step, state, destroy};
const PeerEngine peer_ode_quick = {"ode quick", create_quick, step, state, destroy};
