/* The parts of the SDFormat reader. Depends on robot.h. */
#ifndef ASP_IO_IMPORT_SDF_H
#define ASP_IO_IMPORT_SDF_H

#include "io/import/robot.h"

#define SDF_LINKS_MAX    10000
#define SDF_DEPTH_MAX    500 /* frames that hang on each other, models within models */
#define SDF_GROUPS_MAX   32
#define SDF_SURFACES_MAX 32

typedef struct SdfModel SdfModel;
struct SdfModel {
  XmlNode *node;
  const char *prefix; /* of the names of its links and joints */
  AspPose pose;       /* in the world */
  bool is_static;
  bool is_old; /* of a version before 1.5 */
  int group;   /* collision class: the parts of a model do not touch each other; 0: of one that touches itself */
  SdfModel *next;
};

typedef struct SdfLink SdfLink;
struct SdfLink {
  XmlNode *node;
  const SdfModel *model;
  AspPose pose; /* in the world */
  int body;     /* -1: not yet */
  XmlNode *joint;
  const SdfModel *joint_model;
  SdfLink *parent; /* NULL: the world */
};

/* A file, and whether its format is older than 1.5. */
typedef struct SdfFile SdfFile;
struct SdfFile {
  const char *name;
  bool is_old;
  SdfFile *next;
};

/* A model that was included with merge. */
typedef struct SdfMerged SdfMerged;
struct SdfMerged {
  const XmlNode *model;
  SdfMerged *next;
};

/* What the material of a shape has to do with contact. */
typedef struct SdfSurface {
  double friction, spinning /* m */, restitution;
} SdfSurface;

typedef struct Sdf {
  Robot *robot;
  SdfModel *models, **last_model; /* worlds first, each before what is in it */
  SdfLink *link;                  /* SDF_LINKS_MAX */
  int links;
  SdfFile *files;
  SdfMerged *merged;
  double gravity[3];
  SdfSurface surface[SDF_SURFACES_MAX]; /* those that occur */
  int surfaces;
  int includes, missing; /* files so far, those that were not found */
} Sdf;

/* ---- sdf_frame.c ---- */

/* The text of a child element, NULL where there is none; its number; a name, "" where there is none. */
const char *asp_sdf_text(const XmlNode *node, const char *name);
double asp_sdf_number(Sdf *sdf, const XmlNode *node, const char *name, double otherwise);
const char *asp_sdf_name(Sdf *sdf, const XmlNode *node, const char *name);
/* A text without blanks at its ends; NULL counts as "". */
const char *asp_sdf_trim(Import *import, const char *text);
/* The pose of a link, joint, frame or inner model in its model; `depth`: 0. */
AspPose asp_sdf_pose(Sdf *sdf, const XmlNode *model, const XmlNode *node, int depth);
/* The pose of what is on a link. */
AspPose asp_sdf_pose_in_link(Sdf *sdf, const SdfLink *link, const XmlNode *node);
/* The frame of a name, in that of the model; false: there is none. */
bool asp_sdf_frame(Sdf *sdf, const XmlNode *model, const char *name, AspPose *pose);
/* The link that a link, frame, joint or model of that name belongs to; NULL: none. */
SdfLink *asp_sdf_resolve(Sdf *sdf, const XmlNode *model, const char *name);

/* sdf_include.c: models of other files, in place of the includes below the element; `folder`: of its file. */
void asp_sdf_include(Sdf *sdf, XmlNode *node, const char *folder, int depth);
void asp_sdf_note_version(Sdf *sdf, const XmlNode *root);
/* sdf_joint.c: the joint of a link whose body is there; couplings of a model's joints. */
void asp_sdf_joint(Sdf *sdf, const SdfLink *link);
void asp_sdf_gearbox(Sdf *sdf, const SdfModel *model, XmlNode *node);
void asp_sdf_mimic(Sdf *sdf, const SdfModel *model, const XmlNode *node);
/* sdf_link.c */
void asp_sdf_inertial(Sdf *sdf, const SdfLink *link, AspMassProperties *mass);
void asp_sdf_shapes(Sdf *sdf, const SdfLink *link);
/* sdf_surface.c: the material of a collision; those that occur and laws between them. */
const char *asp_sdf_surface(Sdf *sdf, const XmlNode *collision);
void asp_sdf_write_surfaces(Sdf *sdf);
/* Elements that are known and have no effect here. */
void asp_sdf_set_aside(Import *import, XmlNode *root);

#endif
