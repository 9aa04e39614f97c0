/* The parts of the URDF reader. Depends on robot.h. */
#ifndef ASP_IO_IMPORT_URDF_H
#define ASP_IO_IMPORT_URDF_H

#include "io/import/robot.h"

#define ASP_URDF_FRICTION 0.5 /* coefficient where the format has none */

/* A joint whose coordinate follows another: a = multiplier b + offset. */
typedef struct UrdfMimic UrdfMimic;
struct UrdfMimic {
  const XmlNode *node;
  int joint;
  const char *other;
  double multiplier, offset;
  UrdfMimic *next;
};

/* What a file says of contact for another program's sake: of Gazebo, or of Bullet. */
typedef struct UrdfSurface {
  double friction, restitution;
} UrdfSurface;

#define URDF_SURFACES_MAX 32
#define URDF_LINKS_MAX    20000

/* Elements by a name that they have, sorted. */
typedef struct UrdfIndex {
  struct UrdfNamed {
    const char *name;
    XmlNode *node;
    int place; /* in the file */
  } * item;
  int count;
} UrdfIndex;

typedef struct Urdf {
  Robot *robot;
  XmlNode *root;
  UrdfIndex links, by_parent, by_child, gazebo; /* joints by their links; gazebo by reference */
  UrdfMimic *mimics, *last_mimic;
  UrdfSurface surface[URDF_SURFACES_MAX]; /* those that occur */
  int surfaces;
} Urdf;

/* The first place in the index with that name; count: none. */
int asp_urdf_find(const UrdfIndex *index, const char *name);
/* The pose of the element's origin. */
AspPose asp_urdf_origin(Import *import, const XmlNode *node);
/* Collision and visual shapes of a link. */
void asp_urdf_shapes(Urdf *urdf, const XmlNode *link, int body);
/* The material of a link's shapes, NULL where the file says nothing; laws between all. */
const char *asp_urdf_surface(Urdf *urdf, const XmlNode *link);
void asp_urdf_write_surfaces(Urdf *urdf);
/* The joint between a body and its parent. */
void asp_urdf_joint(Urdf *urdf, const XmlNode *node, int body);
/* Couplings of joints that mimic others, and where they begin. */
void asp_urdf_couple(Urdf *urdf);

#endif
