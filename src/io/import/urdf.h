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

typedef struct Urdf {
  Robot *robot;
  XmlNode *root;
  UrdfMimic *mimics, *last_mimic;
} Urdf;

/* The pose of the element's origin. */
AspPose asp_urdf_origin(Import *import, const XmlNode *node);
/* Collision and visual shapes of a link. */
void asp_urdf_shapes(Robot *robot, const XmlNode *link, int body);
/* The joint between a body and its parent. */
void asp_urdf_joint(Urdf *urdf, const XmlNode *node, int body);
/* Couplings of joints that mimic others, and where they begin. */
void asp_urdf_couple(Urdf *urdf);

#endif
