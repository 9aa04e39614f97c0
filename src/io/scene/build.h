/* Building a model from a scene: what its parts share. Every part reads its objects through the tables of keys, adds
 * them to the model and notes mistakes in the reader; a broken object is skipped, the others are still checked.
 * Depends on the reader and the model's public header.
 */
#ifndef ASP_IO_SCENE_BUILD_H
#define ASP_IO_SCENE_BUILD_H

#include "io/scene/reader.h"

#define SCENE_BROKEN (-1) /* the model's index of a body whose description has a mistake */

/* Shapes that meet others alike: of one material, mobility, group and mask. */
typedef struct SceneCollider {
  int material;
  bool immobile, point;
  uint32_t group, mask;
  int *bodies; /* with such shapes: owners, ascending */
  int count;
  size_t capacity;
} SceneCollider;

/* A law with the first name of its pair, whose body carries the law's direction. */
typedef struct SceneLaw {
  const char *first; /* the scene's text */
  AspPairLaw law;
} SceneLaw;

/* What a mesh file gave: hulls of SceneBuild.hull. */
typedef struct SceneMesh {
  int first, count;
} SceneMesh;

typedef struct SceneBuild {
  SceneReader reader;
  AspModel *model;
  const AspSettings *settings; /* may be NULL */

  SceneNames bodies; /* by name; value: the model's index or SCENE_BROKEN */
  AspPose *pose;     /* centre-of-mass frame of each body of the model at t = 0 */
  AspVec3 *centre;   /* its centre of mass in the body's frame of the scene */
  size_t pose_capacity, centre_capacity;

  AspHull **hull; /* made for shapes; the scene's in the end */
  AspHeightField **field;
  int hulls, fields;
  size_t hull_capacity, field_capacity;
  SceneNames meshes; /* file, part, scale and allowed error; value: index into mesh */
  SceneMesh *mesh;
  size_t mesh_capacity;

  SceneNames groups; /* names of collision groups; value: bit */
  SceneNames laws;   /* by pair of materials; value: index into law */
  SceneLaw *law;
  size_t law_capacity;
  SceneCollider *colliders;
  AspProbe *probe;
  bool *recorded; /* per body of the model; NULL: all */
  int probes;
  size_t probe_capacity;
  int collider_count;
  size_t collider_capacity;
  SceneNames excluded; /* pairs of owners that never touch, as text */
  bool *contact_given; /* joints of the model: the scene says whether their bodies touch; the scene's in the end */
  size_t contact_given_capacity;
} SceneBuild;

/* A shape as the scene describes it: placed in the body's frame, not yet in that of its centre of mass. */
typedef struct SceneShape {
  AspShapeAttachment attachment;
  double density; /* 0: not given */
  SceneMesh mesh; /* of a file: its hulls */
  bool drawn;     /* of visual */
} SceneShape;

/* Objects of the scene's lists are read one by one, with the reader's path on them; `place` counts from 0. */

/* ---- materials ---- */
void asp_scene_read_law(SceneBuild *build, const cJSON *json, int place);
/* Remember that a shape of this kind exists on the body. */
void asp_scene_note_collider(SceneBuild *build, const AspShapeAttachment *shape, int body, bool immobile);
/* Give the model the law of every pair of materials that can meet; a pair without one is a mistake. */
void asp_scene_set_pairs(SceneBuild *build);

/* ---- shapes ---- */
/* Give every collision group named by a shape its bit, before masks refer to them. */
void asp_scene_collect_groups(SceneBuild *build, const cJSON *bodies, const cJSON *beams);
/* `object`: asp_scene_shape or asp_scene_visual. */
bool asp_scene_read_shape(SceneBuild *build, const SceneObject *object, const cJSON *json, SceneShape *shape);
/* From the file of a convex. */
bool asp_scene_read_mesh(SceneBuild *build, const SceneValue *values, SceneShape *shape);
/* A shape for every piece of a decomposed mesh, in place of one for all. */
void asp_scene_spread_pieces(SceneBuild *build, SceneShape **shapes, int *count);
/* All of a list, which may be missing; in the reader's memory. */
bool asp_scene_read_shapes(SceneBuild *build, const SceneValue *list, SceneShape **shapes, int *count);

/* ---- bodies ---- */
void asp_scene_read_body(SceneBuild *build, const cJSON *json, int place);
/* Take the model's body into the scene's lists, with its shapes. `owner`: the body whose shapes it does not touch,
 * itself or the first station of its beam. False: a failure, noted. */
bool asp_scene_enter_body(SceneBuild *build, int index, const AspPose *pose, AspVec3 centre, const SceneShape *shapes,
                          int count, int owner, bool immobile);
/* The body a text refers to, "world" included; SCENE_BROKEN when there is none (noted at `key`) or it is broken. */
int asp_scene_find_body(SceneBuild *build, const char *key, const char *name);

/* ---- beams ---- */
void asp_scene_read_beam(SceneBuild *build, const cJSON *json, int place);

/* ---- exclusions ---- */
/* The pairs of `exclude`. */
void asp_scene_read_exclusions(SceneBuild *build, const SceneValue *list);
/* Remember whether the bodies of a joint touch. */
/* The joints and factors of a coupling, gear or rack; false: something is wrong with them. */
bool asp_scene_read_terms(SceneBuild *build, const SceneValue *values, int type, AspJointDef *def);
/* The path of a tendon; the definition borrows it. False: something is wrong with it. */
bool asp_scene_read_path(SceneBuild *build, const SceneValue *list, AspPathPoint path[ASP_PATH_POINTS],
                         AspJointDef *def);
void asp_scene_note_joint(SceneBuild *build, int joint, const AspJointDef *def, bool given);
bool asp_scene_is_excluded(SceneBuild *build, int owner_a, int owner_b);

/* ---- joints, forces, run ---- */
void asp_scene_read_joint(SceneBuild *build, const cJSON *json, int place);
/* Axes and what acts on the coordinate, from values of a joint; false: something is wrong with them. */
bool asp_scene_read_coordinate(SceneReader *reader, const SceneValue *values, bool turns, AspJointDef *def);
/* The axes of a compound joint, which is in the model. */
void asp_scene_read_axes(SceneBuild *build, const SceneValue *list, const AspJointDef *of, int compound);
void asp_scene_read_force(SceneBuild *build, const cJSON *json, int place);
void asp_scene_read_event(SceneBuild *build, const cJSON *json, int place);
void asp_scene_read_stop(SceneBuild *build, const cJSON *json, int place);
/* Bodies whose motion results keep, of the file or the settings; NULL: all. */
bool *asp_scene_read_recorded(SceneBuild *build, const SceneValue *names);
/* Those of the settings, which the file does not have. */
void asp_scene_add_probes(SceneBuild *build);
void asp_scene_read_probe(SceneBuild *build, const cJSON *json, int place);
void asp_scene_read_run(SceneReader *reader, const cJSON *json, AspRunOptions *run);

#endif
