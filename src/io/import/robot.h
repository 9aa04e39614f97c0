/* A robot as all formats have it: a forest of bodies, joints between a body and its parent, shapes on bodies. Points
 * and axes of joints are in the frame of the child. Depends on import.h.
 */
#ifndef ASP_IO_IMPORT_ROBOT_H
#define ASP_IO_IMPORT_ROBOT_H

#include "io/file/json_add.h"
#include "io/import/import.h"

#include <cjson/cJSON.h>

#define ROBOT_WORLD (-1)

typedef struct RobotBody {
  const char *name;
  const XmlNode *node;     /* for messages */
  int parent;              /* an earlier body, or ROBOT_WORLD */
  AspPose pose;            /* in the parent's frame, where all joints have their `reference` */
  AspMassProperties mass;  /* in the body's frame; mass 0: none */
  AspMassProperties own;   /* the same, without what is welded to it */
  int first_joint, joints; /* between it and its parent, from the parent on; none: welded */

  bool guided;   /* moved from outside: inputs for its position */
  AspPose world; /* at the start */
  int root;      /* the body that it is a part of: itself, one that it is welded to, ROBOT_WORLD */
  AspPose in_root;
} RobotBody;

typedef enum RobotJointKind { ROBOT_HINGE, ROBOT_SLIDE, ROBOT_BALL, ROBOT_PLANE, ROBOT_FREE } RobotJointKind;

typedef struct RobotJoint {
  const char *name;
  const XmlNode *node;
  RobotJointKind kind;
  int body;
  AspVec3 point, axis;          /* in the frame of the body */
  double reference, value;      /* coordinate in `pose` of the body, and at the start; rad or m */
  double low, high;             /* limits; -INFINITY, INFINITY: none */
  double drive_low, drive_high; /* of what actuators give in sum; both 0: none */
  double friction, damping, stiffness, rest, armature;
  AspPose free;  /* FREE: pose of the body in the world at the start; BALL: its turn */
  bool touching; /* the two bodies touch each other */
  cJSON *extra;  /* further members of the joint: servo, effort; may be NULL */

  AspVec3 world_point, world_axis; /* at the start */
  bool frozen;                     /* its body has no mass: it does not move */
} RobotJoint;

typedef struct RobotShape {
  const char *name; /* may be NULL */
  int body;         /* or ROBOT_WORLD */
  AspPose pose;
  const char *type; /* of scenes; "ellipsoid" too */
  double size[3];   /* box: full extents; others: radius, length */
  const char *file; /* convex: as the scene names it */
  const char *path; /* and as it is opened */
  AspVec3 scale;    /* of the file */
  cJSON *data;      /* further members, such as the heights of a field; may be NULL */
  bool drawn;       /* for the eye only */
  const char *material;
  int group; /* collision class; -1: touches everything */
} RobotShape;

/* A mesh file that was tried. */
typedef struct RobotMesh RobotMesh;
struct RobotMesh {
  const char *path;
  AspVec3 scale;
  bool drawn;
  const char *problem; /* why it cannot be a shape; "": it can */
  RobotMesh *next;
};

/* Two bodies held together besides the tree: a frame of each, which coincide. */
typedef struct RobotLoop RobotLoop;
struct RobotLoop {
  const char *name; /* may be NULL */
  const XmlNode *node;
  int body_a, body_b;       /* or ROBOT_WORLD */
  AspPose frame_a, frame_b; /* in the frames of the bodies */
  bool weld;                /* all of them; false: their points */
  RobotLoop *next;
};

/* A coordinate that follows another, both counted from their references. */
typedef struct RobotCoupling RobotCoupling;
struct RobotCoupling {
  const char *name; /* may be NULL */
  const XmlNode *node;
  int driven, driver;   /* joints */
  double polynomial[5]; /* driven = c0 + c1 driver + c2 driver^2 + ... */
  RobotCoupling *next;
};

typedef struct RobotPath RobotPath;

/* An actuator and its input u: slope u + offset is the target of a servo, or an effort. */
typedef struct RobotDrive RobotDrive;
struct RobotDrive {
  const char *input;
  const XmlNode *node;
  int joint;       /* -1: on a sum of coordinates */
  cJSON *coupling; /* the sum, or a tendon through space */
  RobotPath *path; /* the latter; else NULL */
  bool servo;
  double slope, offset, kp;
  double low, high; /* of u */
  double most;      /* of the effort */
  double control;   /* u at the start */
  RobotDrive *next;
};

/* An element of a tendon's path; AspPathPoint with positions in the frame of the body. */
typedef struct RobotPathPoint {
  int body; /* or ROBOT_WORLD */
  AspPathPoint at;
} RobotPathPoint;

/* A tendon through space. */
struct RobotPath {
  const XmlNode *node;
  cJSON *object; /* the joint of the scene; its path is written at the end. NULL: it is left out */
  RobotPathPoint *point;
  int count;
  RobotPath *next;
};

/* A force on a body at a point, and a torque: numbers or expressions, in the frame of `pose` that moves with the body,
 * or along the axes of the world. */
typedef struct RobotPush RobotPush;
struct RobotPush {
  const char *name;
  int body;
  AspPose pose; /* in the frame of the body */
  bool in_world;
  double force[3], torque[3]; /* times `by` */
  const char *by;             /* an expression; NULL: 1 */
  RobotPush *next;
};

typedef struct RobotExclusion RobotExclusion;
struct RobotExclusion {
  int a, b; /* bodies, or ROBOT_WORLD */
  RobotExclusion *next;
};

struct Robot {
  Import *import;
  const char *name;
  RobotBody *body;
  RobotJoint *joint;
  RobotShape *shape;
  int bodies, joints, shapes;
  size_t body_capacity, joint_capacity, shape_capacity;
  RobotMesh *meshes;
  uint32_t touches[32]; /* per collision class: classes that it touches */
  int groups;
  cJSON *scene; /* members of the scene that readers write themselves: inputs, materials, probes, run, gravity */
  cJSON *sums;  /* joints behind all others: sums of coordinates */
  RobotLoop *loops;
  RobotCoupling *coupled;
  RobotDrive *drives;
  RobotExclusion *exclusions;
  RobotPath *paths;
  RobotPush *pushes;
  double density, viscosity; /* of the fluid around it; both 0: none */
  AspVec3 wind;
  bool no_contact;   /* nothing touches */
  bool joined_apart; /* bodies that a joint connects do not touch, also those joined to the world */
};

/* Each returns the index, or -1 on failure (latched). */
int asp_robot_add_body(Robot *robot, const RobotBody *body);
int asp_robot_add_joint(Robot *robot, const RobotJoint *joint); /* joints of a body one after the other */
int asp_robot_add_shape(Robot *robot, const RobotShape *shape);
/* The same, left out and reported where its size is not positive. */
void asp_robot_add_sized(Robot *robot, const XmlNode *node, const RobotShape *shape);
/* The file of a convex; where it is missing or damaged that is reported and the shape's type becomes NULL. */
void asp_robot_mesh(Robot *robot, const XmlNode *node, const char *folder, const char *name, RobotShape *shape);
/* sphere, capsule, cylinder, box, ellipsoid; mass properties of these for density 1, in the shape's own frame. */
bool asp_robot_is_solid(const char *type);
bool asp_robot_unit_mass(const Robot *robot, const RobotShape *shape, AspMassProperties *unit);
int asp_robot_find_joint(const Robot *robot, const char *name); /* -1: none */
int asp_robot_find_body(const Robot *robot, const char *name);
void asp_robot_free(Robot *robot);

/* robot_loop.c */
void asp_robot_exclude(Robot *robot, int body_a, int body_b);
void asp_robot_add_loop(Robot *robot, const RobotLoop *loop);
/* The frame of body_b where body_a has its frame in the present poses. */
void asp_robot_meet(const Robot *robot, RobotLoop *loop);
void asp_robot_add_coupling(Robot *robot, const RobotCoupling *coupling);
void asp_robot_merge_limits(Robot *robot);
/* Values of joints that follow others. */
void asp_robot_follow(Robot *robot);
/* Is everything in the loop a hinge along one normal or a slide across it, in the present poses? */
bool asp_robot_loop_is_plane(const Robot *robot, const RobotLoop *loop, AspVec3 *normal);
/* robot_assemble.c: coordinates at the start that close all loops, as near as possible to those given. */
void asp_robot_assemble(Robot *robot);
/* robot_lift.c: free trees whose shapes are in a plane of the world are moved out of it. */
void asp_robot_lift(Robot *robot);
void asp_robot_write_exclusions(Robot *robot, cJSON *scene);
void asp_robot_write_loops(Robot *robot, cJSON *joints);

/* robot_drive.c */
void asp_robot_add_drive(Robot *robot, const RobotDrive *drive); /* and its input */
/* A coupling or tendon that does not come into the scene: no drive acts on it, and it is deleted. */
void asp_robot_drop_coupling(Robot *robot, cJSON *coupling);
/* URDF and SDFormat: what a joint's drive can give (texts of the file or NULL), and a motor on each such joint. */
void asp_robot_motor_limits(Import *import, const XmlNode *node, const char *effort, const char *velocity,
                            RobotJoint *joint);
void asp_robot_add_motors(Robot *robot);
const char *asp_robot_input_name(Robot *robot, const char *name);
/* The same, with a number behind it where another input has that name. */
const char *asp_robot_new_input(Robot *robot, const char *name);
void asp_robot_hold(Robot *robot);                  /* needs poses */
void asp_robot_control(Robot *robot, cJSON *scene); /* inputs that become functions of time */

/* robot_path.c: the path is complete; its length in the present poses. False: the model cannot have it, which was
 * reported. */
bool asp_robot_path_length(Robot *robot, const RobotPath *path, double *length);
void asp_robot_write_paths(Robot *robot, cJSON *joints);
/* robot_push.c */
void asp_robot_add_push(Robot *robot, const RobotPush *push);
void asp_robot_write_pushes(Robot *robot, cJSON *scene);

/* Poses of all bodies by the present values of the joints. */
void asp_robot_forward(Robot *robot);
/* The inertia about the axis of a hinge, or the mass on a slide, of all that hangs on the joint. Needs poses. */
double asp_robot_reflected(const Robot *robot, int joint);
/* Poses of all bodies at the start, what is welded to what, and the masses of what moves. */
void asp_robot_place(Robot *robot);
/* The scene; NULL on failure. */
cJSON *asp_robot_scene(Robot *robot);

/* Does the scene format have this key, for objects of this type (NULL: any)? */
typedef struct SceneObject SceneObject;
bool asp_robot_scene_has(const SceneObject *object, const char *type, const char *key);
/* A motor that gives the force of an expression: it wants a rate that it never reaches, with that effort. */
cJSON *asp_robot_force_motor(Import *import, const char *force);
/* Is the joint one of the scene, with a coordinate? */
bool asp_robot_is_written(const Robot *robot, int joint);

/* The rotation that takes x, y, z to these axes. */
AspQuat asp_import_from_axes(AspVec3 x, AspVec3 y, AspVec3 z);

/* JSON in short. */
void asp_json_vector(cJSON *object, const char *key, AspVec3 vector);
/* An empty object; out of memory is latched in the import. */
cJSON *asp_import_object(Import *import);
cJSON *asp_json_list(cJSON *object, const char *key); /* the list, made where it is missing */

#endif
