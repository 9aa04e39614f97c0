/* The parts of the SDFormat reader. Depends on robot.h. */
#ifndef ASP_IO_IMPORT_SDF_H
#define ASP_IO_IMPORT_SDF_H

#include "io/import/robot.h"

#define SDF_LINKS_MAX 10000

typedef struct SdfModel {
  XmlNode *node;
  const char *prefix; /* of the names of its links and joints */
  AspPose pose;       /* in the world */
  bool is_static;
} SdfModel;

typedef struct Sdf {
  Robot *robot;
  AspPose *world;      /* poses of the robot's bodies, SDF_LINKS_MAX */
  double friction[32]; /* coefficients that occur */
  int frictions;
  int includes; /* files so far */
} Sdf;

/* The text of a child element, NULL where there is none; its number. */
const char *asp_sdf_text(const XmlNode *node, const char *name);
double asp_sdf_number(Sdf *sdf, const XmlNode *node, const char *name, double otherwise);
/* The element's own pose. */
AspPose asp_sdf_pose(Sdf *sdf, const XmlNode *node);
/* sdf_include.c: models of other files, in place of the includes below the element; `folder`: of its file. */
void asp_sdf_include(Sdf *sdf, XmlNode *node, const char *folder, int depth);
/* sdf_link.c */
void asp_sdf_inertial(Sdf *sdf, const XmlNode *link, AspMassProperties *mass);
void asp_sdf_shapes(Sdf *sdf, const XmlNode *link, int body);
/* A material for each coefficient of friction; of two the smaller one counts. */
void asp_sdf_write_friction(Sdf *sdf);
/* Elements that are known and have no effect here. */
void asp_sdf_set_aside(Import *import, XmlNode *root);

#endif
