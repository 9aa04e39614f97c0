// Bullet in double precision: its defaults (10 sweeps), and the NNCG solver with 1000 iterations and friction in two
// directions.
#include "engines.h"

#include <BulletDynamics/ConstraintSolver/btNNCGConstraintSolver.h>
#include <btBulletDynamicsCommon.h>
#include <cmath>
#include <memory>
#include <vector>

namespace {

struct BulletWorld {
  const AspScene *scene;
  double dt;
  btDefaultCollisionConfiguration configuration;
  btCollisionDispatcher dispatcher{&configuration};
  btDbvtBroadphase broadphase;
  std::unique_ptr<btConstraintSolver> solver;
  std::unique_ptr<btDiscreteDynamicsWorld> world;
  std::vector<std::unique_ptr<btCollisionShape>> shapes;
  std::vector<std::unique_ptr<btRigidBody>> all;
  std::vector<btRigidBody *> body; // by index of the model; null: fixed
};

btVector3 vector_of(AspVec3 a) { return btVector3(a.x, a.y, a.z); }
btTransform transform_of(const AspPose &pose) {
  const AspQuat &q = pose.orientation;
  return btTransform(btQuaternion(q.x, q.y, q.z, q.w), vector_of(pose.position));
}

std::unique_ptr<btCollisionShape> make_shape(const AspShape &shape, const btTransform &pose) {
  switch (shape.kind) {
  case ASP_SHAPE_SPHERE:
    return std::make_unique<btSphereShape>(shape.radius);
  case ASP_SHAPE_BOX:
    return std::make_unique<btBoxShape>(vector_of(shape.half_extents));
  case ASP_SHAPE_CAPSULE:
    return std::make_unique<btCapsuleShapeZ>(shape.radius, 2 * shape.half_length);
  default: {
    btVector3 normal = pose.getBasis().getColumn(2);
    return std::make_unique<btStaticPlaneShape>(normal, normal.dot(pose.getOrigin()));
  }
  }
}

void add_shape(BulletWorld *bullet, int index) {
  const AspModel *model = bullet->scene->model;
  int body;
  btTransform pose = transform_of(peer_shape_pose(bullet->scene, index, &body));
  const AspShape &shape = asp_model_shape(model, index, &body)->shape;
  AspPairLaw law = peer_law(model);
  AspPose start;
  AspVec3 velocity, angular, axis;
  AspMat3 inertia = asp_model_body_inertia(model, body);
  bool moves = asp_model_body_kind(model, body) == ASP_BODY_DYNAMIC;
  peer_start(bullet->scene, body, &start, &velocity, &angular);
  bullet->shapes.push_back(make_shape(shape, pose));
  if (shape.kind == ASP_SHAPE_BOX) { // the default of 4 cm is thicker than small parts
    double thinnest = std::fmin(shape.half_extents.x, std::fmin(shape.half_extents.y, shape.half_extents.z));
    bullet->shapes.back()->setMargin(std::fmin(0.04, 0.1 * thinnest));
  }
  bool plane = shape.kind == ASP_SHAPE_HALF_SPACE;
  btRigidBody::btRigidBodyConstructionInfo info(
      moves ? asp_model_body_mass(model, body) : 0, nullptr, bullet->shapes.back().get(),
      moves ? btVector3(inertia.m[0], inertia.m[4], inertia.m[8]) : btVector3(0, 0, 0));
  info.m_startWorldTransform = plane ? btTransform::getIdentity() : pose;
  info.m_friction = std::sqrt(law.friction); // of a pair: the product
  info.m_restitution = std::sqrt(law.restitution);
  auto made = std::make_unique<btRigidBody>(info);
  made->setActivationState(DISABLE_DEACTIVATION);
  if (moves) {
    made->setLinearVelocity(vector_of(velocity));
    made->setAngularVelocity(vector_of(angular));
    if (peer_guide(model, body, &axis)) {
      made->setLinearFactor(btVector3(std::fabs(axis.x), std::fabs(axis.y), std::fabs(axis.z)));
      made->setAngularFactor(btVector3(0, 0, 0));
    }
    bullet->body[(size_t)body] = made.get();
  }
  bullet->world->addRigidBody(made.get());
  bullet->all.push_back(std::move(made));
}

void *create(const AspScene *scene, double dt, bool tight) {
  auto bullet = std::make_unique<BulletWorld>();
  bullet->scene = scene;
  bullet->dt = dt;
  if (tight)
    bullet->solver = std::make_unique<btNNCGConstraintSolver>();
  else
    bullet->solver = std::make_unique<btSequentialImpulseConstraintSolver>();
  bullet->world = std::make_unique<btDiscreteDynamicsWorld>(&bullet->dispatcher, &bullet->broadphase,
                                                            bullet->solver.get(), &bullet->configuration);
  bullet->world->setGravity(vector_of(asp_model_gravity(scene->model)));
  if (tight) {
    bullet->world->getSolverInfo().m_numIterations = 1000;
    bullet->world->getSolverInfo().m_solverMode |= SOLVER_USE_2_FRICTION_DIRECTIONS;
  }
  bullet->body.resize((size_t)asp_model_body_count(scene->model), nullptr);
  for (int shape = 0; shape < asp_model_shape_count(scene->model); shape++)
    add_shape(bullet.get(), shape);
  return bullet.release();
}

void *create_default(const AspScene *scene, double dt) { return create(scene, dt, false); }
void *create_tight(const AspScene *scene, double dt) { return create(scene, dt, true); }

bool step(void *world) {
  auto *bullet = static_cast<BulletWorld *>(world);
  for (size_t i = 0; i < bullet->body.size(); i++)
    if (bullet->body[i])
      bullet->body[i]->applyCentralForce(vector_of(peer_force(bullet->scene->model, (int)i)));
  bullet->world->stepSimulation(bullet->dt, 0);
  for (btRigidBody *body : bullet->body)
    if (body && !std::isfinite(body->getCenterOfMassPosition().z()))
      return false;
  return true;
}

void state(void *world, int body, PeerState *out) {
  auto *bullet = static_cast<BulletWorld *>(world);
  *out = {{0, 0, 0}, {0, 0, 0}};
  if (!bullet->body[(size_t)body])
    return;
  btVector3 p = bullet->body[(size_t)body]->getCenterOfMassPosition(),
            v = bullet->body[(size_t)body]->getLinearVelocity();
  out->position = {p.x(), p.y(), p.z()};
  out->velocity = {v.x(), v.y(), v.z()};
}

void destroy(void *world) {
  auto *bullet = static_cast<BulletWorld *>(world);
  for (auto &body : bullet->all)
    bullet->world->removeRigidBody(body.get());
  delete bullet;
}

} // namespace

extern "C" {
extern const PeerEngine peer_bullet, peer_bullet_tight;
const PeerEngine peer_bullet = {"bullet", create_default, step, state, destroy};
const PeerEngine peer_bullet_tight = {"bullet tight", create_tight, step, state, destroy};
}
