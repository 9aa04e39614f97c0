/* The model that a result file describes (see model.h). */
#include "io/result/model.h"
#include "base/elementary.h"
#include "linalg/vec3.h"

#include <math.h>

/* ---- columns as doubles, on an arena ---- */

typedef struct Reader {
  const ResultFile *result;
  AspArena *scratch;
  AspError error; /* the first failure; nothing is read after it */
} Reader;

/* rows x width values; NULL after a failure. */
static const double *take(Reader *reader, const char *path, int64_t rows, size_t width) {
  if (reader->error != ASP_OK)
    return NULL;
  double *values = ASP_TAKE(reader->scratch, double, (size_t)rows *width + 1);
  reader->error = values ? ASP_OK : ASP_ERROR_MEMORY;
  if (values && rows > 0)
    reader->error = asp_result_rows(reader->result, path, 0, rows, width, values);
  for (size_t i = 0; reader->error == ASP_OK && i < (size_t)rows * width; i++)
    if (!isfinite(values[i]))
      reader->error = asp_fail(reader->result->file.context, ASP_ERROR_INPUT, "%s: %s: element %zu is %g, not a number",
                               reader->result->file.path, path, i, values[i]);
  return reader->error == ASP_OK ? values : NULL;
}

static AspError out_of_range(const Reader *reader, const char *path, int64_t row, double value, double high) {
  return asp_fail(reader->result->file.context, ASP_ERROR_INPUT, "%s: %s: row %lld is %g, expected 0 to %g",
                  reader->result->file.path, path, (long long)row, value, high);
}

/* Every value an integer within 0 .. high. */
static void check_range(Reader *reader, const char *path, const double *values, int64_t count, double high) {
  for (int64_t i = 0; reader->error == ASP_OK && i < count; i++)
    if (!(values[i] >= 0 && values[i] <= high))
      reader->error = out_of_range(reader, path, i, values[i], high);
}

static AspVec3 vector_at(const double *values, int64_t row) {
  return vec3(values[3 * row], values[3 * row + 1], values[3 * row + 2]);
}

/* ---- bodies, shapes, joints ---- */

static void read_bodies(Reader *reader, ResultModel *model) {
  int bodies = reader->result->bodies;
  const double *kind = take(reader, "/bodies/kind", bodies, 1), *mass = take(reader, "/bodies/mass", bodies, 1);
  check_range(reader, "/bodies/kind", kind, bodies, ASP_BODY_STATION);
  if (reader->error != ASP_OK)
    return;
  for (int i = 0; i < bodies; i++) {
    model->body_kind[i] = (AspBodyKind)kind[i];
    model->mass[i] = mass[i];
  }
}

static void read_vertices(Reader *reader, ResultModel *model, const double *start, const double *count) {
  AspContext *context = reader->result->file.context;
  int64_t rows = 0;
  if (reader->error != ASP_OK)
    return;
  reader->error = asp_result_row_count(reader->result, "/vertices/position", &rows);
  const double *points = take(reader, "/vertices/position", rows, 3);
  for (int i = 0; reader->error == ASP_OK && i < model->shape_count; i++)
    if (!(start[i] >= 0 && count[i] >= 0 && start[i] + count[i] <= (double)rows))
      reader->error = out_of_range(reader, "/shapes/vertex_count", i, start[i] + count[i], (double)rows);
  model->vertices = reader->error == ASP_OK ? asp_allocate(context, (size_t)rows + 1, sizeof(AspVec3)) : NULL;
  if (reader->error == ASP_OK && !model->vertices)
    reader->error = ASP_ERROR_MEMORY;
  for (int64_t i = 0; reader->error == ASP_OK && i < rows; i++)
    model->vertices[i] = vector_at(points, i);
}

static void read_shapes(Reader *reader, ResultModel *model) {
  int n = model->shape_count;
  const double *body = take(reader, "/shapes/body", n, 1), *kind = take(reader, "/shapes/kind", n, 1),
               *radius = take(reader, "/shapes/radius", n, 1), *length = take(reader, "/shapes/half_length", n, 1),
               *extents = take(reader, "/shapes/half_extents", n, 3), *grid = take(reader, "/shapes/grid", n, 2),
               *position = take(reader, "/shapes/position", n, 3), *turn = take(reader, "/shapes/orientation", n, 4),
               *material = take(reader, "/shapes/material", n, 1), *start = take(reader, "/shapes/vertex_start", n, 1),
               *count = take(reader, "/shapes/vertex_count", n, 1);
  check_range(reader, "/shapes/body", body, n, reader->result->bodies - 1);
  check_range(reader, "/shapes/kind", kind, n, ASP_SHAPE_COUNT - 1);
  check_range(reader, "/shapes/material", material, n, model->materials.count - 1);
  read_vertices(reader, model, start, count);
  for (int i = 0; reader->error == ASP_OK && i < n; i++) {
    ResultShape *shape = &model->shape[i];
    *shape = (ResultShape){
        .body = (int)body[i],
        .material = (int)material[i],
        .kind = (AspShapeKind)kind[i],
        .radius = radius[i],
        .half_length = length[i],
        .half_extents = vector_at(extents, i),
        .pose = {vector_at(position, i), {turn[4 * i], turn[4 * i + 1], turn[4 * i + 2], turn[4 * i + 3]}},
        .vertex_start = (int64_t)start[i],
        .vertex_count = (int)count[i],
        .columns = (int)grid[2 * i],
        .rows = (int)grid[2 * i + 1]};
    bool field = shape->kind == ASP_SHAPE_HEIGHT_FIELD;
    if (field && (double)grid[2 * i] * grid[2 * i + 1] != count[i])
      reader->error = out_of_range(reader, "/shapes/grid", i, (double)grid[2 * i] * grid[2 * i + 1], count[i]);
  }
}

/* Which shapes are drawn only, and which are hidden by them; results of earlier versions have none. */
static void read_drawn(Reader *reader, ResultModel *model) {
  int n = model->shape_count;
  if (reader->error != ASP_OK || !asp_h5_has(&reader->result->file, "/shapes/drawn"))
    return;
  const double *drawn = take(reader, "/shapes/drawn", n, 1);
  bool *has = ASP_TAKE(reader->scratch, bool, (size_t)reader->result->bodies + 1);
  if (reader->error == ASP_OK && !has)
    reader->error = ASP_ERROR_MEMORY;
  for (int i = 0; reader->error == ASP_OK && i < n; i++) {
    ResultShape *shape = &model->shape[i];
    shape->drawn = drawn[i] != 0;
    has[shape->body] = has[shape->body] || shape->drawn;
    if (shape->drawn && shape->kind == ASP_SHAPE_CONVEX && shape->vertex_count % 3 != 0)
      reader->error = out_of_range(reader, "/shapes/vertex_count", i, shape->vertex_count, shape->vertex_count / 3 * 3);
  }
  for (int i = 0; reader->error == ASP_OK && i < n; i++)
    model->shape[i].hidden = has[model->shape[i].body] && !model->shape[i].drawn;
}

/* Bodies whose motion was left out are not shown. */
static void hide_unrecorded(const Reader *reader, ResultModel *model) {
  for (int i = 0; reader->error == ASP_OK && i < model->shape_count; i++)
    if (!asp_result_is_recorded(reader->result, model->shape[i].body))
      model->shape[i].hidden = true;
}

static void read_joints(Reader *reader, ResultModel *model) {
  int n = model->joint_count;
  const double *body = take(reader, "/joints/body", n, 2), *kind = take(reader, "/joints/kind", n, 1),
               *point = take(reader, "/joints/point", n, 3), *axis = take(reader, "/joints/axis", n, 3);
  check_range(reader, "/joints/body", body, 2 * (int64_t)n, reader->result->bodies - 1);
  check_range(reader, "/joints/kind", kind, n, ASP_JOINT_COUNT - 1);
  for (int i = 0; reader->error == ASP_OK && i < n; i++)
    model->joint[i] = (ResultJoint){(int)body[2 * i], (int)body[2 * i + 1], (AspJointKind)kind[i], vector_at(point, i),
                                    vector_at(axis, i)};
}

static void read_beams(Reader *reader, ResultModel *model) {
  int n = model->beam_count, bodies = reader->result->bodies;
  for (int i = 0; i < bodies; i++)
    model->body_beam[i] = -1;
  if (n == 0)
    return;
  const double *length = take(reader, "/beams/length", n, 1), *radius = take(reader, "/beams/radius", n, 1),
               *beam = take(reader, "/bodies/beam", bodies, 1);
  for (int i = 0; reader->error == ASP_OK && i < n; i++)
    model->beam[i] = (ResultBeam){length[i], radius[i]};
  for (int i = 0; reader->error == ASP_OK && i < bodies; i++)
    if (beam[i] >= 0 && beam[i] < n)
      model->body_beam[i] = (int)beam[i];
}

/* Shapes whose surfaces move; results of earlier versions have none. */
static void read_surfaces(Reader *reader, ResultModel *model) {
  static const char path[] = RESULT_SURFACES "/shape";
  int64_t count = 0;
  if (reader->error != ASP_OK || !asp_h5_has(&reader->result->file, RESULT_SURFACES))
    return;
  reader->error = asp_result_row_count(reader->result, path, &count);
  const double *shape = take(reader, path, count, 1);
  check_range(reader, path, shape, count, model->shape_count - 1);
  if (reader->error != ASP_OK)
    return;
  model->surface_shape = asp_allocate(reader->result->file.context, (size_t)count + 1, sizeof *model->surface_shape);
  reader->error = model->surface_shape ? ASP_OK : ASP_ERROR_MEMORY;
  for (int64_t i = 0; reader->error == ASP_OK && i < count; i++)
    model->surface_shape[model->surface_count++] = (int)shape[i];
}

/* Forces, torques, springs and drags; results of earlier versions have none. */
static void read_forces(Reader *reader, ResultModel *model) {
  int n = model->force_count;
  if (n == 0)
    return;
  const double *body = take(reader, RESULT_FORCES "/body", n, 2), *kind = take(reader, RESULT_FORCES "/kind", n, 1),
               *point = take(reader, RESULT_FORCES "/point", n, 6);
  check_range(reader, RESULT_FORCES "/kind", kind, n, ASP_FORCE_DRAG);
  for (int i = 0; reader->error == ASP_OK && i < n; i++) {
    check_range(reader, RESULT_FORCES "/body", body + 2 * i, kind[i] == ASP_FORCE_SPRING ? 2 : 1,
                reader->result->bodies - 1);
    if (reader->error == ASP_OK)
      model->force[i] = (ResultForce){(int)body[2 * i],
                                      kind[i] == ASP_FORCE_SPRING ? (int)body[2 * i + 1] : -1,
                                      (AspForceKind)kind[i],
                                      {vector_at(point, 2 * i), vector_at(point, 2 * i + 1)}};
  }
}

/* ---- the whole ---- */

static AspError read_texts(const ResultFile *result, const char *path, ResultTexts *texts) {
  return asp_result_texts_read(result, path, &texts->count, &texts->bytes, &texts->text);
}

static AspError read_all(const ResultFile *result, AspArena *scratch, ResultModel *model) {
  AspContext *context = result->file.context;
  Reader reader = {result, scratch, ASP_OK};
  int64_t shapes = 0;
  ASP_TRY(asp_result_row_count(result, "/shapes/body", &shapes));
  ASP_TRY(read_texts(result, "/materials/name", &model->materials));
  ASP_TRY(read_texts(result, "/joints/name", &model->joints));
  if (asp_h5_has(&result->file, "/beams"))
    ASP_TRY(read_texts(result, "/beams/name", &model->beams));
  if (asp_h5_has(&result->file, RESULT_FORCES))
    ASP_TRY(read_texts(result, RESULT_FORCES "/name", &model->forces));
  if (asp_h5_has(&result->file, "/warnings"))
    ASP_TRY(read_texts(result, "/warnings", &model->warnings));
  if (!asp_result_gravity(result, model->gravity))
    return asp_fail(context, ASP_ERROR_INPUT, "%s: /scene has no gravity", result->file.path);
  model->shape_count = (int)shapes;
  model->joint_count = model->joints.count;
  model->beam_count = model->beams.count;
  model->force_count = model->forces.count;
  model->body_kind = asp_allocate(context, (size_t)result->bodies + 1, sizeof *model->body_kind);
  model->mass = asp_allocate(context, (size_t)result->bodies + 1, sizeof *model->mass);
  model->shape = asp_allocate(context, (size_t)shapes + 1, sizeof *model->shape);
  model->joint = asp_allocate(context, (size_t)model->joint_count + 1, sizeof *model->joint);
  model->beam = asp_allocate(context, (size_t)model->beam_count + 1, sizeof *model->beam);
  model->force = asp_allocate(context, (size_t)model->force_count + 1, sizeof *model->force);
  model->body_beam = asp_allocate(context, (size_t)result->bodies + 1, sizeof *model->body_beam);
  if (!model->body_kind || !model->mass || !model->shape || !model->joint || !model->beam || !model->body_beam ||
      !model->force)
    return ASP_ERROR_MEMORY;
  read_bodies(&reader, model);
  read_shapes(&reader, model);
  read_drawn(&reader, model);
  hide_unrecorded(&reader, model);
  read_joints(&reader, model);
  read_beams(&reader, model);
  read_surfaces(&reader, model);
  read_forces(&reader, model);
  return reader.error;
}

AspError asp_result_model_read(const ResultFile *result, ResultModel *model) {
  *model = (ResultModel){0};
  AspArena scratch;
  asp_arena_init(&scratch, result->file.context);
  AspError error = read_all(result, &scratch, model);
  asp_arena_free(&scratch);
  if (error != ASP_OK)
    asp_result_model_free(result->file.context, model);
  return error;
}

void asp_result_model_free(AspContext *context, ResultModel *model) {
  void *blocks[] = {model->body_kind,   model->mass,       model->shape,         model->joint,
                    model->vertices,    model->beam,       model->body_beam,     model->materials.text,
                    model->joints.text, model->beams.text, model->warnings.text, model->surface_shape,
                    model->force,       model->forces.text};
  for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
    asp_release(context, blocks[i]);
  *model = (ResultModel){0};
}

const char *asp_result_text_at(const ResultTexts *texts, int index) {
  return texts->text + (size_t)index * texts->bytes;
}

double asp_result_shape_reach(const ResultModel *model, const ResultShape *shape) {
  double reach = 0;
  switch (shape->kind) {
  case ASP_SHAPE_HALF_SPACE:
  case ASP_SHAPE_HALF_PLANE:
    return 0;
  case ASP_SHAPE_BOX:
    reach = norm3(shape->half_extents);
    break;
  case ASP_SHAPE_ELLIPSOID:
    reach = fmax(shape->half_extents.x, fmax(shape->half_extents.y, shape->half_extents.z));
    break;
  case ASP_SHAPE_CAPSULE:
    reach = shape->radius + shape->half_length;
    break;
  case ASP_SHAPE_CYLINDER:
  case ASP_SHAPE_CONE:
    reach = asp_hypot(shape->radius, shape->half_length);
    break;
  default:
    reach = shape->radius;
    for (int i = 0; i < shape->vertex_count; i++)
      reach = fmax(reach, norm3(model->vertices[shape->vertex_start + i]));
  }
  return reach + norm3(shape->pose.position);
}

AspPose asp_result_pose(int dimension, const double *q) {
  if (dimension == 2)
    return (AspPose){vec3(q[0], q[1], 0), {asp_cos(0.5 * q[2]), 0, 0, asp_sin(0.5 * q[2])}};
  return (AspPose){vec3(q[0], q[1], q[2]), {q[3], q[4], q[5], q[6]}};
}
