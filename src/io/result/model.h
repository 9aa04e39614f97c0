/* What a result file says about its model: bodies, shapes, materials, joints, options of the run, warnings. Read whole
 * and checked (indices in range, sizes finite), so that drawing and export need not check again. Depends on the
 * reader.
 */
#ifndef ASP_IO_RESULT_MODEL_H
#define ASP_IO_RESULT_MODEL_H

#include "io/result/read.h"

typedef struct ResultShape {
  int body, material;
  AspShapeKind kind;
  double radius, half_length; /* m */
  AspVec3 half_extents;       /* m */
  AspPose pose;               /* in the frame of the body's centre of mass */
  int64_t vertex_start;       /* row of `vertices` */
  int vertex_count, columns, rows;
  bool drawn;  /* drawn only; vertices of a convex are the corners of its triangles, in threes */
  bool hidden; /* pictures show the body's drawings in its place */
} ResultShape;

typedef struct ResultJoint {
  int body_a, body_b;
  AspJointKind kind;
  AspVec3 point, axis; /* world, at t = 0 */
} ResultJoint;

typedef struct ResultForce {
  int body_a, body_b; /* -1: none */
  AspForceKind kind;
  AspVec3 point[2]; /* on A and B, world, at t = 0 */
} ResultForce;

typedef struct ResultBeam {
  double length, radius; /* m */
} ResultBeam;

/* Texts of equal room, one after the other. */
typedef struct ResultTexts {
  int count;
  size_t bytes; /* of each, with its zero */
  char *text;
} ResultTexts;

typedef struct ResultModel {
  AspBodyKind *body_kind; /* bodies of the file */
  double *mass;           /* kg */
  int shape_count, joint_count, beam_count, force_count;
  ResultShape *shape;
  ResultJoint *joint;
  ResultBeam *beam;
  ResultForce *force;
  int surface_count;
  int *surface_shape; /* surface_count: rows of shape whose surfaces move */
  int *body_beam;     /* bodies of the file: the beam of a station, -1: none */
  AspVec3 *vertices;  /* m, in the frame of their shape */
  ResultTexts materials, joints, beams, forces, warnings;
  double gravity[3];
} ResultModel;

AspError asp_result_model_read(const ResultFile *result, ResultModel *model);
/* Safe on a zeroed struct. */
void asp_result_model_free(AspContext *context, ResultModel *model);
const char *asp_result_text_at(const ResultTexts *texts, int index);

/* Largest distance of a point of the shape from the body's centre, m; 0 for unbounded shapes. */
double asp_result_shape_reach(const ResultModel *model, const ResultShape *shape);

/* Pose of a body from its row of /frames/q, 7 or 3 values. */
AspPose asp_result_pose(int dimension, const double *q);

#endif
