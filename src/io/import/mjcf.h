/* The parts of the MJCF reader. A model is one file with all that it includes; models that it attaches are models of
 * their own with their own defaults, assets and options. Source: mujoco.readthedocs.io, XML reference.
 * Depends on robot.h.
 */
#ifndef ASP_IO_IMPORT_MJCF_H
#define ASP_IO_IMPORT_MJCF_H

#include "io/import/robot.h"
#include "io/mesh/mesh_file.h"

/* A class of defaults: elements whose attributes count where an element of this class does not give them. */
typedef struct MjcfClass MjcfClass;
struct MjcfClass {
  const char *name;
  MjcfClass *parent, *next;
  XmlNode *node; /* its <default>; the same class may stand in several */
};

typedef struct MjcfModel MjcfModel;
struct MjcfModel {
  XmlNode *root;
  const char *name;   /* as <model name> of the one that attaches it; "" for the main one */
  const char *folder; /* of its file */
  MjcfClass *classes; /* all of them; the first is the main one */
  const char *mesh_folder;
  bool degrees, auto_limits;
  bool global; /* places in the file are those in the world */
  const char *euler_order; /* "xyz"; capital: about fixed axes */
  int inertia_from_geoms;  /* 1: always, 0: never, -1: where there is no <inertial> */
  double group_range[2];   /* of geoms that count for inertias */
  double bound_mass, bound_inertia;
  bool balance_inertia;
  MjcfModel *next;
};

/* Where the reader is: names and defaults that hold for the elements in it. */
typedef struct MjcfScope {
  const MjcfModel *model;
  const char *prefix, *suffix;
  const MjcfClass *inherited; /* childclass; NULL: the main one */
} MjcfScope;

/* An occurrence of a model: the main one, or one that was attached. */
typedef struct MjcfInstance MjcfInstance;
struct MjcfInstance {
  MjcfScope scope;
  MjcfInstance *next;
};

typedef struct MjcfSite MjcfSite;
struct MjcfSite {
  const char *name;
  int body;
  AspPose pose;
  MjcfSite *next;
};

/* A part of a body's weight that is taken off (gravcomp). */
typedef struct MjcfLift MjcfLift;
struct MjcfLift {
  int body;
  double share;
  MjcfLift *next;
};

/* A copy that <replicate> made: what ends its names. */
typedef struct MjcfReplica MjcfReplica;
struct MjcfReplica {
  const MjcfModel *model;
  const char *prefix, *suffix;
  MjcfReplica *next;
};

/* What friction between shapes depends on. */
typedef struct MjcfMaterial {
  double friction[3];
  int dimension, priority; /* condim */
  uint64_t pairs;          /* that the geom is in */
} MjcfMaterial;

/* Two geoms that touch whatever else is said, with a law of their own. */
#define MJCF_PAIRS 64
typedef struct MjcfPair {
  const char *geom[2];
  double friction[3];
  int dimension;
} MjcfPair;

/* A mesh asset that was read: for density 1. */
typedef struct MjcfMesh MjcfMesh;
struct MjcfMesh {
  const XmlNode *node;
  AspMassProperties unit;
  MjcfMesh *next;
};

#define MJCF_COPIES_MAX 20000 /* by replicate, in all */
#define MJCF_TERMS_MAX  6     /* joints of a coupling */

/* A fixed tendon: a sum of coordinates; or one through space. */
typedef struct MjcfTendon MjcfTendon;
struct MjcfTendon {
  const char *name;
  const XmlNode *node;
  cJSON *coupling;              /* not yet in the scene */
  RobotPath *path;              /* through space: this one; its coupling is written with it */
  double drive_low, drive_high; /* of what actuators give in sum; both 0: none */
  double length_at_rest;        /* of springs of joints */
  int alone;                    /* the only joint of it, which has taken over all that is on it; -1: none */
  double factor;                /* and its coefficient */
  bool acts;                    /* there is something on it */
  bool moves, stuck;            /* has joints that are in the scene, that are not */
  MjcfTendon *next;
};

#define MJCF_GRID_MAX 4096 /* heights along a side */

/* Heights of a field. */
typedef struct MjcfGrid {
  int rows, columns;
  double *height; /* rows of ascending y */
} MjcfGrid;

/* What is turned off for the whole model (option, flag). */
typedef struct MjcfOff {
  bool equality, frictionloss, limit, actuation, spring, damper;
} MjcfOff;

typedef struct Mjcf {
  Robot *robot;
  MjcfMesh *meshes;
  MjcfTendon *tendons;
  MjcfModel *models; /* the main one first */
  MjcfInstance *instances, *last_instance;
  MjcfSite *sites;
  MjcfReplica *replicas, *last_replica;
  MjcfLift *lifts;
  MjcfMaterial *material;
  int materials;
  size_t material_capacity;
  uint32_t type[32], affinity[32]; /* contype and conaffinity of each collision class */
  uint64_t paired[32];             /* and the pairs that its geoms are in */
  MjcfPair pair[MJCF_PAIRS];
  int pairs;
  int unnamed, actuators, includes, copies; /* so far */
  MjcfOff off;
  const XmlNode *lost;   /* a geom of the body whose mesh is not there, and whose mass counts */
  const char *lost_file; /* that mesh, and why */
  XmlNode *key;          /* the keyframe of the start; NULL: none */
  double *control;       /* controls of it */
  int controls;
} Mjcf;

/* ---- attributes: mjcf_values.c ---- */

/* The class that holds for an element. */
const MjcfClass *asp_mjcf_class(Mjcf *mjcf, const MjcfScope *scope, const XmlNode *node);
const MjcfClass *asp_mjcf_find_class(const MjcfModel *model, const char *name);
/* Calls `visit` for the defaults of elements called `kind` ("actuator": of any actuator), the outermost class first. */
typedef void (*MjcfVisitor)(const XmlNode *element, void *state);
void asp_mjcf_each_default(const MjcfClass *class, const char *kind, MjcfVisitor visit, void *state);
/* An attribute of the element, or of the defaults of its class for elements called `kind`. */
const char *asp_mjcf_attribute(Mjcf *mjcf, const MjcfScope *scope, const XmlNode *node, const char *kind,
                               const char *name);
/* Its numbers, at most `most` (more are a failure); how many there are, 0: not given. A list of the element that is
 * shorter than that of its defaults replaces the first of theirs. */
int asp_mjcf_numbers(Mjcf *mjcf, const MjcfScope *scope, const XmlNode *node, const char *kind, const char *name,
                     double *numbers, int most);
double asp_mjcf_number(Mjcf *mjcf, const MjcfScope *scope, const XmlNode *node, const char *kind, const char *name,
                       double otherwise);
/* A whole number of 32 bits, with or without a sign. */
int asp_mjcf_integer(Mjcf *mjcf, const MjcfScope *scope, const XmlNode *node, const char *kind, const char *name,
                     int otherwise);
/* true, false, or auto: 1, 0, `otherwise`. */
int asp_mjcf_flag(Mjcf *mjcf, const MjcfScope *scope, const XmlNode *node, const char *kind, const char *name,
                  int otherwise);
/* pos and one of quat, axisangle, euler, xyaxes, zaxis. */
AspPose asp_mjcf_pose(Mjcf *mjcf, const MjcfScope *scope, const XmlNode *node, const char *kind);
/* The rotation that takes z to the vector by the shortest way. */
AspQuat asp_mjcf_turn_to(AspVec3 vector);
/* Rotation by three angles in the model's order, rad. */
AspQuat asp_mjcf_euler(const MjcfModel *model, const double angle[3]);
double asp_mjcf_angle(const MjcfModel *model, double angle); /* in rad */
bool asp_mjcf_take_grid(Import *import, int rows, int columns, MjcfGrid *grid);
/* mjcf_png.c: the heights of a picture; the text is overwritten. False: it cannot be read. */
bool asp_mjcf_png(Import *import, char *text, size_t length, MjcfGrid *grid);
/* The full name of the element `name`, NULL where it is NULL. */
const char *asp_mjcf_name(Mjcf *mjcf, const MjcfScope *scope, const char *name);
/* The element's own, NULL where it has none or an empty one. */
const char *asp_mjcf_title(Mjcf *mjcf, const MjcfScope *scope, const XmlNode *node);

/* mjcf_replica.c: elements of a section, one for each copy of what they refer to. */
typedef void (*MjcfReader)(Mjcf *mjcf, const MjcfScope *scope, const XmlNode *section);
void asp_mjcf_enter_replica(Mjcf *mjcf, const MjcfScope *scope, const XmlNode *node);
void asp_mjcf_read_copies(Mjcf *mjcf, const MjcfScope *scope, const XmlNode *section, MjcfReader read);
/* The full name of what an element refers to: in the same copy where it is there, else outside of all copies. */
const char *asp_mjcf_reference(Mjcf *mjcf, const MjcfScope *scope, const char *name);
const RobotShape *asp_mjcf_find_geom(const Mjcf *mjcf, const char *name); /* NULL: none */

/* A name that the element refers to is not there: a failure, but for models of which only a part was attached. */
void asp_mjcf_missing(Mjcf *mjcf, const MjcfScope *scope, const XmlNode *node, const char *kind, const char *name);

/* ---- parts ---- */

/* mjcf.c: a model from its tree; NULL on failure. */
MjcfModel *asp_mjcf_model(Mjcf *mjcf, XmlNode *root, const char *name, const char *folder);
XmlNode *asp_mjcf_read_file(Mjcf *mjcf, const XmlNode *node, const char *folder, const char *name,
                            const char **its_folder);
const MjcfModel *asp_mjcf_attached(Mjcf *mjcf, const MjcfScope *scope, const XmlNode *node, const char *name);
/* mjcf_body.c: bodies below an element; `frame` in the frame of the body `parent`. */
void asp_mjcf_walk(Mjcf *mjcf, MjcfScope scope, const XmlNode *node, int parent, AspPose frame);
/* mjcf_equality.c: NULL: there is none */
const MjcfSite *asp_mjcf_site(const Mjcf *mjcf, const char *name);
/* mjcf_builtin.c: a mesh that MuJoCo builds; false: a failure. */
bool asp_mjcf_builtin(Mjcf *mjcf, const XmlNode *asset, const char *kind, AspVec3 scale, AspMesh *mesh);
/* mjcf_hfield.c: a height field; false: reported. */
bool asp_mjcf_hfield(Mjcf *mjcf, const MjcfScope *scope, const XmlNode *geom, RobotShape *shape);
/* mjcf_joint.c */
void asp_mjcf_joints(Mjcf *mjcf, MjcfScope scope, const XmlNode *node, int body, AspPose frame);
/* mjcf_geom.c: a geom; its mass is added to *mass where it counts. */
void asp_mjcf_geom(Mjcf *mjcf, const MjcfScope *scope, const XmlNode *node, int body, AspPose frame,
                   AspMassProperties *mass);
void asp_mjcf_write_contacts(Mjcf *mjcf);
/* mjcf_mesh.c: the mesh of a geom; false: there is none that can be read. *unit: for density 1. */
bool asp_mjcf_mesh(Mjcf *mjcf, const MjcfScope *scope, const XmlNode *geom, RobotShape *shape, AspMassProperties *unit);
/* mjcf_inertia.c */
void asp_mjcf_inertial(Mjcf *mjcf, const MjcfScope *scope, const XmlNode *node, AspPose frame, AspMassProperties *mass);
void asp_mjcf_bound(Mjcf *mjcf, const MjcfScope *scope, const XmlNode *body, AspMassProperties *mass);
/* mjcf_equality.c */
void asp_mjcf_pairs(Mjcf *mjcf, const MjcfScope *scope, const XmlNode *section); /* before geoms are read */
void asp_mjcf_contact(Mjcf *mjcf, const MjcfScope *scope, const XmlNode *section);
void asp_mjcf_equality(Mjcf *mjcf, const MjcfScope *scope, const XmlNode *section);
/* mjcf_tendon.c, mjcf_actuator.c, mjcf_keyframe.c, mjcf_sensor.c */
void asp_mjcf_tendons(Mjcf *mjcf, const MjcfScope *scope, const XmlNode *section);
MjcfTendon *asp_mjcf_tendon(Mjcf *mjcf, const char *name); /* NULL: none of that name */
/* A further member of its coupling; false: scenes cannot have it there, which is reported. */
bool asp_mjcf_put(Mjcf *mjcf, MjcfTendon *tendon, const char *key, cJSON *value);
/* Tendons that something acts on become couplings. */
void asp_mjcf_write_tendons(Mjcf *mjcf);
/* mjcf_gains.c: force = gain u + bias[0] + bias[1] l + bias[2] l'; false: it is of another kind. */
typedef struct MjcfGains {
  double gain, bias[3];
  double ratio;         /* dampratio, of which bias[2] is to be made; 0: none */
  double lag;           /* of a filter, s */
  const char *dynamics; /* dyntype; NULL: none */
} MjcfGains;
bool asp_mjcf_gains(Mjcf *mjcf, const MjcfScope *scope, const XmlNode *node, MjcfGains *gains);
void asp_mjcf_actuators(Mjcf *mjcf, const MjcfScope *scope, const XmlNode *section);
void asp_mjcf_find_key(Mjcf *mjcf);
void asp_mjcf_start_at_key(Mjcf *mjcf);
void asp_mjcf_sensors(Mjcf *mjcf, const MjcfScope *scope, const XmlNode *section);
/* mjcf_known.c: attributes and elements that are known and have no effect here. */
void asp_mjcf_set_aside(Import *import, XmlNode *root);

#endif
