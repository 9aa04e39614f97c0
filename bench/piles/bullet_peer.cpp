// Bullet in double precision with its defaults (10 iterations of sequential impulses). See peer.h.
#include "peer.h"

#include <btBulletDynamicsCommon.h>
#include <cmath>
#include <memory>
#include <vector>

namespace {

struct BulletWorld {
  btDefaultCollisionConfiguration configuration;
  btCollisionDispatcher dispatcher{&configuration};
  btDbvtBroadphase broadphase;
  btSequentialImpulseConstraintSolver solver;
  btDiscreteDynamicsWorld world{&dispatcher, &broadphase, &solver, &configuration};
  std::vector<std::unique_ptr<btCollisionShape>> shapes;
  std::vector<std::unique_ptr<btRigidBody>> bodies;
};

btVector3 vector_of(AspVec3 a) { return btVector3(a.x, a.y, a.z); }

std::unique_ptr<btCollisionShape> make_shape(const AspShape &shape, const btTransform &pose) {
  if (shape.kind == ASP_SHAPE_SPHERE)
    return std::make_unique<btSphereShape>(shape.radius);
  if (shape.kind == ASP_SHAPE_BOX)
    return std::make_unique<btBoxShape>(vector_of(shape.half_extents));
  btVector3 normal = pose.getBasis().getColumn(2);
  return std::make_unique<btStaticPlaneShape>(normal, normal.dot(pose.getOrigin()));
}

void add_shape(BulletWorld *bullet, const AspModel *model, const AspState *state, int index, double mu) {
  int body;
  const AspShapeAttachment *attachment = asp_model_shape(model, index, &body);
  bool moves = asp_model_body_kind(model, body) == ASP_BODY_DYNAMIC;
  AspPose at = moves ? asp_state_pose(model, state, body) : attachment->pose;
  const AspQuat &q = at.orientation;
  btTransform pose(btQuaternion(q.x, q.y, q.z, q.w), vector_of(at.position));
  AspMat3 inertia = asp_model_body_inertia(model, body);
  bullet->shapes.push_back(make_shape(attachment->shape, pose));
  btRigidBody::btRigidBodyConstructionInfo info(
      moves ? asp_model_body_mass(model, body) : 0, nullptr, bullet->shapes.back().get(),
      moves ? btVector3(inertia.m[0], inertia.m[4], inertia.m[8]) : btVector3(0, 0, 0));
  info.m_startWorldTransform = moves ? pose : btTransform::getIdentity();
  info.m_friction = std::sqrt(mu); // of a pair: the product
  info.m_restitution = 0;
  auto made = std::make_unique<btRigidBody>(info);
  made->setActivationState(DISABLE_DEACTIVATION);
  bullet->world.addRigidBody(made.get());
  bullet->bodies.push_back(std::move(made));
}

void *create(const AspModel *model, const AspState *state, double mu) {
  for (int shape = 0; shape < asp_model_shape_count(model); shape++) {
    int body;
    AspShapeKind kind = asp_model_shape(model, shape, &body)->shape.kind;
    bool moves = asp_model_body_kind(model, body) == ASP_BODY_DYNAMIC;
    if (moves ? kind != ASP_SHAPE_SPHERE && kind != ASP_SHAPE_BOX : kind != ASP_SHAPE_HALF_SPACE)
      return nullptr;
  }
  auto bullet = std::make_unique<BulletWorld>();
  bullet->world.setGravity(vector_of(asp_model_gravity(model)));
  for (int shape = 0; shape < asp_model_shape_count(model); shape++)
    add_shape(bullet.get(), model, state, shape, mu);
  return bullet.release();
}

void destroy(void *world) {
  auto *bullet = static_cast<BulletWorld *>(world);
  for (auto &body : bullet->bodies)
    bullet->world.removeRigidBody(body.get());
  delete bullet;
}

void step(void *world, double dt) { static_cast<BulletWorld *>(world)->world.stepSimulation(dt, 0); }

double speed(const void *world) {
  auto *bullet = static_cast<const BulletWorld *>(world);
  double sum = 0;
  int moving = 0;
  for (const auto &body : bullet->bodies) {
    sum += body->getLinearVelocity().length2();
    moving += !body->isStaticObject();
  }
  return std::sqrt(sum / moving);
}

int contacts(const void *world) {
  auto *bullet = const_cast<BulletWorld *>(static_cast<const BulletWorld *>(world));
  int count = 0;
  for (int k = 0; k < bullet->dispatcher.getNumManifolds(); k++)
    count += bullet->dispatcher.getManifoldByIndexInternal(k)->getNumContacts();
  return count;
}

} // namespace

extern "C" const PeerEngine peer_bullet = {"Bullet", create, destroy, step, speed, contacts};
