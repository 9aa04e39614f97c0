// Bullet's collision world (Debian's libbullet-dev, single precision as it is built there), default configuration.
#include "bullet_peer.h"

#include <btBulletCollisionCommon.h>

#include <memory>
#include <vector>

struct BulletPeer {
  btDefaultCollisionConfiguration configuration;
  btCollisionDispatcher dispatcher{&configuration};
  btDbvtBroadphase broadphase;
  btCollisionWorld world{&dispatcher, &broadphase, &configuration};
  std::vector<std::unique_ptr<btCollisionShape>> shapes;
  std::vector<std::unique_ptr<btCollisionObject>> objects;
};

static btTransform transform_of(const AspPose &pose) {
  const AspVec3 &p = pose.position;
  const AspQuat &q = pose.orientation;
  return btTransform(btQuaternion(btScalar(q.x), btScalar(q.y), btScalar(q.z), btScalar(q.w)),
                     btVector3(btScalar(p.x), btScalar(p.y), btScalar(p.z)));
}

static std::unique_ptr<btCollisionShape> shape_of(const AspShape &shape) {
  switch (shape.kind) {
  case ASP_SHAPE_SPHERE:
    return std::make_unique<btSphereShape>(btScalar(shape.radius));
  case ASP_SHAPE_BOX:
    return std::make_unique<btBoxShape>(
        btVector3(btScalar(shape.half_extents.x), btScalar(shape.half_extents.y), btScalar(shape.half_extents.z)));
  default:
    return std::make_unique<btStaticPlaneShape>(btVector3(0, 0, 1), btScalar(0));
  }
}

BulletPeer *bullet_peer_create(const AspCollider *colliders, int count, double margin) {
  auto *peer = new BulletPeer;
  for (int i = 0; i < count; i++) {
    peer->shapes.push_back(shape_of(*colliders[i].shape));
    auto object = std::make_unique<btCollisionObject>();
    object->setCollisionShape(peer->shapes.back().get());
    object->setWorldTransform(transform_of(colliders[i].pose));
    object->setContactProcessingThreshold(btScalar(margin));
    bool plane = colliders[i].shape->kind == ASP_SHAPE_HALF_SPACE;
    object->setCollisionFlags(plane ? btCollisionObject::CF_STATIC_OBJECT : 0);
    peer->world.addCollisionObject(object.get(), plane ? 2 : 1, plane ? 1 : 3);
    peer->objects.push_back(std::move(object));
  }
  return peer;
}

void bullet_peer_destroy(BulletPeer *peer) {
  for (auto &object : peer->objects)
    peer->world.removeCollisionObject(object.get());
  delete peer;
}

void bullet_peer_move(BulletPeer *peer, const AspCollider *colliders, int count) {
  for (int i = 0; i < count; i++)
    peer->objects[size_t(i)]->setWorldTransform(transform_of(colliders[i].pose));
}

int bullet_peer_detect(BulletPeer *peer) {
  peer->world.performDiscreteCollisionDetection();
  int points = 0;
  for (int i = 0; i < peer->dispatcher.getNumManifolds(); i++)
    points += peer->dispatcher.getManifoldByIndexInternal(i)->getNumContacts();
  return points;
}

const char *bullet_peer_version(void) {
  static char text[16];
  snprintf(text, sizeof text, "%d.%02d", btGetVersion() / 100, btGetVersion() % 100);
  return text;
}
