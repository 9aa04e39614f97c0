/* A result as the viewer wants it: description, poses, velocities, joints. Contacts and the certificate have files of
 * their own.
 *
 *   position = step_x i,  quaternion = step_q i (normalised by the reader),  velocity = step_v i,  i integer, nearest
 *
 * so that the error of each number is at most half its step. step_x is a power of two below 1e-5 of the median body's
 * reach (larger where the run goes far, so that i stays below 2^30), step_q = 2^-15, step_v below 2^-15 of the largest
 * velocity. Quaternions are kept on one side of the sphere from frame to frame so that differences stay small.
 *
 * What grows with bodies x frames comes in parts of so many frames, one after another: a reader can show the first
 * before it has unpacked the others.
 */
#include "io/view/data.h"
#include "base/elementary.h"
#include "io/result/files.h"
#include "io/result/parameters.h"
#include "io/result/probes.h"
#include "linalg/vec3.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define VIEW_COOKIE     0x56494557u
#define POSES_MAX       4000000 /* bodies x frames by default */
#define ATTEMPTS        5
#define CONTACTS_MAX    800000
#define PART_NUMBERS    1000000 /* of poses and velocities: unpacked in some ten milliseconds */
#define FIRST_PART      2       /* frames that a picture needs */
#define QUATERNION_STEP (1.0 / 32768)
#define INTEGER_MAX     1073741824.0 /* 2^30: differences of second order still fit */

AspViewOptions asp_view_default_options(void) {
  return (AspViewOptions){.cookie = VIEW_COOKIE, .every = 0, .contacts_max = CONTACTS_MAX};
}

/* ---- description ---- */

static bool add_texts(cJSON *header, const char *key, const ResultTexts *texts) {
  cJSON *list = cJSON_AddArrayToObject(header, key);
  for (int i = 0; list && i < texts->count; i++)
    if (!cJSON_AddItemToArray(list, cJSON_CreateString(asp_result_text_at(texts, i))))
      return false;
  return list != NULL;
}

static bool add_options(const ViewPacker *packer) {
  cJSON *run = cJSON_AddObjectToObject(packer->header, "run");
  int count = asp_run_field_count();
  const AspField *fields = asp_run_fields();
  char text[128];
  for (int i = 0; run && i < count; i++)
    if (asp_result_option(packer->result, fields[i].key, text, sizeof text) &&
        !cJSON_AddStringToObject(run, fields[i].key, text))
      return false;
  return run != NULL;
}

static bool add_bodies(const ViewPacker *packer) {
  const ResultFile *result = packer->result;
  cJSON *bodies = cJSON_AddObjectToObject(packer->header, "bodies");
  cJSON *names = bodies ? cJSON_AddArrayToObject(bodies, "name") : NULL;
  for (int i = 0; names && i < result->bodies; i++)
    if (!cJSON_AddItemToArray(names, cJSON_CreateString(asp_result_body_name(result, i))))
      return false;
  return names && cJSON_AddItemToObject(bodies, "mass", cJSON_CreateDoubleArray(packer->model->mass, result->bodies));
}

static bool add_joints(const ViewPacker *packer) {
  const ResultModel *model = packer->model;
  cJSON *joints = cJSON_AddArrayToObject(packer->header, "joints");
  for (int i = 0; joints && i < model->joint_count; i++) {
    const ResultJoint *joint = &model->joint[i];
    const double point[] = {joint->point.x, joint->point.y, joint->point.z},
                 axis[] = {joint->axis.x, joint->axis.y, joint->axis.z};
    const int bodies[] = {joint->body_a, joint->body_b};
    cJSON *entry = cJSON_CreateObject();
    if (!entry || !cJSON_AddItemToArray(joints, entry) ||
        !cJSON_AddStringToObject(entry, "name", asp_result_text_at(&model->joints, i)) ||
        !cJSON_AddStringToObject(entry, "kind", asp_joint_kind_name(joint->kind)) ||
        !cJSON_AddItemToObject(entry, "bodies", cJSON_CreateIntArray(bodies, 2)) ||
        !cJSON_AddItemToObject(entry, "point", cJSON_CreateDoubleArray(point, 3)) ||
        !cJSON_AddItemToObject(entry, "axis", cJSON_CreateDoubleArray(axis, 3)))
      return false;
  }
  return joints != NULL;
}

static bool add_names(const ViewPacker *packer) {
  cJSON *kinds = cJSON_AddArrayToObject(packer->header, "shapeKinds");
  for (int i = 0; kinds && i < ASP_SHAPE_COUNT; i++)
    if (!cJSON_AddItemToArray(kinds, cJSON_CreateString(asp_shape_kind_name((AspShapeKind)i))))
      return false;
  return kinds != NULL;
}

/* [{"name": "mu", "value": 0.3, "unit": "", "text": "...", "set": false}] */
static AspError add_parameters(const ViewPacker *packer) {
  ResultParameters all;
  ASP_TRY(asp_result_parameters_read(packer->result, &all));
  cJSON *list = cJSON_AddArrayToObject(packer->header, "parameters");
  bool good = list != NULL;
  for (int i = 0; good && i < all.name.count; i++) {
    cJSON *entry = cJSON_CreateObject();
    good = entry && cJSON_AddItemToArray(list, entry) &&
           cJSON_AddStringToObject(entry, "name", asp_result_text_at(&all.name, i)) &&
           cJSON_AddNumberToObject(entry, "value", all.value[i]) &&
           cJSON_AddStringToObject(entry, "unit", asp_result_text_at(&all.unit, i)) &&
           cJSON_AddStringToObject(entry, "text", asp_result_text_at(&all.description, i)) &&
           cJSON_AddBoolToObject(entry, "set", all.set[i] != 0);
  }
  asp_result_parameters_free(packer->result->file.context, &all);
  return good ? ASP_OK : asp_fail(packer->result->file.context, ASP_ERROR_MEMORY, "out of memory");
}

/* [{"path": "quake.csv", "hash": "..."}] */
static AspError add_files(const ViewPacker *packer) {
  ResultFiles all;
  ASP_TRY(asp_result_files_read(packer->result, &all));
  cJSON *list = cJSON_AddArrayToObject(packer->header, "files");
  bool good = list != NULL;
  for (int i = 0; good && i < all.path.count; i++) {
    cJSON *entry = cJSON_CreateObject();
    good = entry && cJSON_AddItemToArray(list, entry) &&
           cJSON_AddStringToObject(entry, "path", asp_result_text_at(&all.path, i)) &&
           cJSON_AddStringToObject(entry, "hash", asp_result_text_at(&all.hash, i));
  }
  asp_result_files_free(packer->result->file.context, &all);
  return good ? ASP_OK : asp_fail(packer->result->file.context, ASP_ERROR_MEMORY, "out of memory");
}

static AspError describe(ViewPacker *packer) {
  const ResultFile *result = packer->result;
  cJSON *header = packer->header;
  char version[64] = "";
  asp_result_version(result, version, sizeof version);
  bool good = cJSON_AddStringToObject(header, "format", "asperity view") &&
              cJSON_AddStringToObject(header, "program", version) &&
              cJSON_AddStringToObject(header, "name", result->name) &&
              cJSON_AddNumberToObject(header, "dimension", result->dimension) &&
              cJSON_AddBoolToObject(header, "complete", result->committed.complete == 1) &&
              cJSON_AddItemToObject(header, "gravity", cJSON_CreateDoubleArray(packer->model->gravity, 3)) &&
              add_options(packer) && add_bodies(packer) && add_joints(packer) && add_names(packer) &&
              add_texts(header, "materials", &packer->model->materials) &&
              add_texts(header, "warnings", &packer->model->warnings);
  packer->stream.sections = good ? cJSON_AddArrayToObject(header, "sections") : NULL;
  return packer->stream.sections ? ASP_OK : asp_fail(result->file.context, ASP_ERROR_MEMORY, "out of memory");
}

/* Of bodies whose motion the result has. */
static size_t count_shapes(const ViewPacker *packer) {
  size_t count = 0;
  for (int i = 0; i < packer->model->shape_count; i++)
    count += asp_result_is_recorded(packer->result, packer->model->shape[i].body);
  return count;
}

/* Shapes as columns: there may be a hundred thousand of them. */
static AspError pack_shapes(ViewPacker *packer, AspArena *scratch) {
  const ResultModel *model = packer->model;
  size_t all = (size_t)model->shape_count, n = count_shapes(packer), i = 0, vertices = 0;
  size_t bodies = (size_t)packer->result->bodies;
  for (i = 0; i < all; i++)
    vertices = (size_t)fmax((double)vertices, (double)(model->shape[i].vertex_start + model->shape[i].vertex_count));
  int32_t *index = ASP_TAKE(scratch, int32_t, 6 * n);
  uint8_t *kind = ASP_TAKE(scratch, uint8_t, n), *body_kind = ASP_TAKE(scratch, uint8_t, bodies),
          *drawn = ASP_TAKE(scratch, uint8_t, n);
  float *size = ASP_TAKE(scratch, float, 5 * n), *pose = ASP_TAKE(scratch, float, 7 * n),
        *points = ASP_TAKE(scratch, float, 3 * vertices);
  if (!index || !kind || !body_kind || !drawn || !size || !pose || !points)
    return ASP_ERROR_MEMORY;
  for (i = 0; i < bodies; i++)
    body_kind[i] = (uint8_t)model->body_kind[i];
  i = 0;
  for (size_t shape = 0; shape < all; shape++) {
    const ResultShape *s = &model->shape[shape];
    if (!asp_result_is_recorded(packer->result, s->body))
      continue;
    const int32_t row[] = {s->body, s->material, (int32_t)s->vertex_start, s->vertex_count, s->columns, s->rows};
    const double sizes[] = {s->radius, s->half_length, s->half_extents.x, s->half_extents.y, s->half_extents.z};
    const AspVec3 x = s->pose.position;
    const AspQuat q = s->pose.orientation;
    const double poses[] = {x.x, x.y, x.z, q.w, q.x, q.y, q.z};
    memcpy(index + 6 * i, row, sizeof row);
    kind[i] = (uint8_t)s->kind;
    drawn[i] = s->drawn;
    for (int k = 0; k < 5; k++)
      size[5 * i + (size_t)k] = (float)sizes[k];
    for (int k = 0; k < 7; k++)
      pose[7 * i + (size_t)k] = (float)poses[k];
    i++;
  }
  for (i = 0; i < 3 * vertices; i++)
    points[i] = (float)get3(model->vertices[i / 3], (int)(i % 3));
  ASP_TRY(asp_view_add(&packer->stream, "bodyKind", VIEW_BYTE, bodies, 1, 0, 1, body_kind));
  ASP_TRY(asp_view_add(&packer->stream, "shapeIndex", VIEW_INT, n, 6, 1, 1, index));
  ASP_TRY(asp_view_add(&packer->stream, "shapeKind", VIEW_BYTE, n, 1, 0, 1, kind));
  ASP_TRY(asp_view_add(&packer->stream, "shapeDrawn", VIEW_BYTE, n, 1, 0, 1, drawn));
  ASP_TRY(asp_view_add(&packer->stream, "shapeSize", VIEW_FLOAT, n, 5, 0, 1, size));
  ASP_TRY(asp_view_add(&packer->stream, "shapePose", VIEW_FLOAT, n, 7, 0, 1, pose));
  return asp_view_add(&packer->stream, "vertices", VIEW_FLOAT, vertices, 3, 0, 1, points);
}

/* ---- frames ---- */

int64_t asp_view_frame_row(const ViewPacker *packer, int64_t kept) {
  int64_t row = kept * packer->every, last = packer->result->committed.rows[TABLE_FRAMES] - 1;
  return row < last ? row : last;
}

int64_t asp_view_part_end(const ViewPacker *packer, int64_t first) {
  int64_t end = first + (first == 0 ? packer->first_part : packer->part);
  return end < packer->frames ? end : packer->frames;
}

AspError asp_view_add_frames(ViewPacker *packer, const char *name, ViewType type, size_t width, int order, double scale,
                             const void *values) {
  for (int64_t first = 0, end; first < packer->frames; first = end) {
    end = asp_view_part_end(packer, first);
    ASP_TRY(asp_view_add_part(&packer->stream, name, type, (size_t)first, (size_t)(end - first), width, order, scale,
                              values));
  }
  return ASP_OK;
}

static int compare_reals(const void *left, const void *right) {
  double a = *(const double *)left, b = *(const double *)right;
  return (a > b) - (a < b);
}

/* Of the reaches of bodies that move: over their shapes or, of a link without shapes, to its joints; where there is
 * nothing to go by, a tenth of a beam or 1 m. `q`: poses of the first frame. */
static double median_reach(const ViewPacker *packer, const double *q, double *reach, bool *shaped) {
  const ResultModel *model = packer->model;
  int bodies = packer->result->bodies, count = 0, dimension = packer->result->dimension;
  size_t width = (size_t)asp_result_q_width(packer->result);
  for (int i = 0; i < model->shape_count; i++) {
    shaped[model->shape[i].body] = true;
    reach[model->shape[i].body] = fmax(reach[model->shape[i].body], asp_result_shape_reach(model, &model->shape[i]));
  }
  for (int i = 0; i < 2 * model->joint_count; i++) {
    const ResultJoint *joint = &model->joint[i / 2];
    int body = i % 2 ? joint->body_b : joint->body_a;
    if (shaped[body])
      continue;
    AspPose pose = asp_result_pose(dimension, q + (size_t)body * width);
    reach[body] = fmax(reach[body], norm3(sub3(joint->point, pose.position)));
  }
  for (int i = 0; i < bodies; i++)
    if (reach[i] > 0 && isfinite(reach[i]) && model->body_kind[i] != ASP_BODY_FIXED)
      reach[count++] = reach[i];
  if (count == 0 && model->beam_count > 0)
    return 0.1 * model->beam[0].length;
  qsort(reach, (size_t)count, sizeof *reach, compare_reals);
  return count ? reach[count / 2] : 1;
}

static double power_of_two_below(double value) { return asp_exp2(floor(asp_log2(value))); }

/* Largest position and velocity (of any kind) over the kept frames; numbers that are none do not count. */
static AspError find_ranges(const ViewPacker *packer, double *row, double *position, double *velocity) {
  const ResultFile *result = packer->result;
  size_t qw = (size_t)asp_result_q_width(result), vw = (size_t)asp_result_v_width(result),
         bodies = (size_t)result->bodies, lengths = result->dimension == 2 ? 2 : 3;
  *position = *velocity = 0;
  for (int64_t k = 0; k < packer->frames; k++) {
    ASP_TRY(asp_result_rows(result, "/frames/q", asp_view_frame_row(packer, k), 1, bodies * qw, row));
    for (size_t i = 0; i < bodies * qw; i++)
      if (isfinite(row[i]) && (i % qw < lengths || result->dimension == 2))
        *position = fmax(*position, fabs(row[i]));
    ASP_TRY(asp_result_rows(result, "/frames/v", asp_view_frame_row(packer, k), 1, bodies * vw, row));
    for (size_t i = 0; i < bodies * vw; i++)
      if (isfinite(row[i]))
        *velocity = fmax(*velocity, fabs(row[i]));
  }
  return ASP_OK;
}

int32_t asp_view_quantise(double value, double step) {
  double steps = nearbyint(value / step);
  return isfinite(steps) ? (int32_t)fmax(-INTEGER_MAX, fmin(INTEGER_MAX, steps)) : 0;
}

/* One body's pose as integers; in space the quaternion on the side of the frame before. */
static void quantise_pose(double step, size_t width, const double *q, const int32_t *before, int32_t *out) {
  double side = 0;
  for (size_t i = 3; i < width && before; i++)
    side += q[i] * before[i];
  for (size_t i = 0; i < width; i++) {
    bool turn = width == 7 && i >= 3;
    out[i] = turn ? asp_view_quantise(side < 0 ? -q[i] : q[i], QUATERNION_STEP) : asp_view_quantise(q[i], step);
  }
}

static AspError pack_motion(ViewPacker *packer, AspArena *scratch) {
  const ResultFile *result = packer->result;
  size_t qw = (size_t)asp_result_q_width(result), vw = (size_t)asp_result_v_width(result),
         bodies = (size_t)result->bodies, frames = (size_t)packer->frames;
  double *row = ASP_TAKE(scratch, double, bodies *qw + 1), *reaches = ASP_TAKE(scratch, double, bodies + 1);
  bool *shaped = ASP_TAKE(scratch, bool, bodies + 1);
  double position = 0, velocity = 0;
  int32_t *q = ASP_TAKE(scratch, int32_t, frames * bodies * qw + 1),
          *v = ASP_TAKE(scratch, int32_t, frames * bodies * vw + 1);
  if (!row || !reaches || !shaped || !q || !v)
    return ASP_ERROR_MEMORY;
  ASP_TRY(find_ranges(packer, row, &position, &velocity));
  ASP_TRY(asp_result_rows(result, "/frames/q", 0, 1, bodies * qw, row));
  double reach = median_reach(packer, row, reaches, shaped);
  packer->position_step = power_of_two_below(fmax(1e-5 * reach, position / INTEGER_MAX));
  double velocity_step = velocity > 0 ? power_of_two_below(velocity / 32768) : 1;
  for (size_t k = 0; k < frames; k++) {
    int64_t at = asp_view_frame_row(packer, (int64_t)k);
    ASP_TRY(asp_result_rows(result, "/frames/q", at, 1, bodies * qw, row));
    for (size_t b = 0; b < bodies; b++) {
      int32_t *out = q + (k * bodies + b) * qw;
      quantise_pose(packer->position_step, qw, row + b * qw, k ? out - bodies * qw : NULL, out);
    }
    ASP_TRY(asp_result_rows(result, "/frames/v", at, 1, bodies * vw, row));
    for (size_t i = 0; i < bodies * vw; i++)
      v[k * bodies * vw + i] = asp_view_quantise(row[i], velocity_step);
  }
  cJSON *steps = cJSON_AddObjectToObject(packer->header, "steps");
  if (!steps || !cJSON_AddNumberToObject(steps, "position", packer->position_step) ||
      !cJSON_AddNumberToObject(steps, "quaternion", QUATERNION_STEP) ||
      !cJSON_AddNumberToObject(steps, "velocity", velocity_step) || !cJSON_AddNumberToObject(steps, "reach", reach))
    return asp_fail(result->file.context, ASP_ERROR_MEMORY, "out of memory");
  ASP_TRY(asp_view_add_frames(packer, "q", VIEW_INT, bodies * qw, 2, packer->position_step, q));
  ASP_TRY(asp_view_add_frames(packer, "v", VIEW_INT, bodies * vw, 1, velocity_step, v));
  return asp_view_pack_places(packer, scratch, q);
}

/* How many frames the first part has: those up to the first picture, which is that of the first frame with contacts
 * where one comes soon, and the one after it, between which the page interpolates. */
static AspError find_first_part(ViewPacker *packer) {
  packer->first_part = packer->frames <= packer->part ? packer->frames : FIRST_PART;
  double count = 0;
  for (int64_t k = 0; k + FIRST_PART <= packer->part && k < packer->frames && count == 0; k++) {
    ASP_TRY(asp_result_rows(packer->result, "/contacts/count", asp_view_frame_row(packer, k), 1, 1, &count));
    if (count > 0 && k + FIRST_PART > packer->first_part)
      packer->first_part = k + FIRST_PART;
  }
  return ASP_OK;
}

/* Which frames are kept, when they are, and the steps that end there. */
static AspError pack_times(ViewPacker *packer, AspArena *scratch) {
  const ResultFile *result = packer->result;
  int64_t stored = result->committed.rows[TABLE_FRAMES];
  if (stored < 1)
    return asp_fail(result->file.context, ASP_ERROR_INPUT, "%s: no frame was committed", result->file.path);
  int64_t poses = stored * (result->bodies ? result->bodies : 1);
  packer->every = packer->options->every > 0 ? packer->options->every : (poses + POSES_MAX - 1) / POSES_MAX;
  packer->frames = (stored - 1 + packer->every - 1) / packer->every + 1;
  int64_t width = asp_result_q_width(result) + asp_result_v_width(result), one = width * result->bodies;
  packer->part = one < PART_NUMBERS ? PART_NUMBERS / (one ? one : 1) : 1;
  ASP_TRY(find_first_part(packer));
  packer->time = ASP_TAKE(scratch, double, packer->frames);
  packer->dt = ASP_TAKE(scratch, double, packer->frames);
  if (!packer->time || !packer->dt)
    return ASP_ERROR_MEMORY;
  for (int64_t k = 0; k < packer->frames; k++)
    ASP_TRY(asp_result_rows(result, "/frames/time", asp_view_frame_row(packer, k), 1, 1, &packer->time[k]));
  ASP_TRY(asp_result_step_lengths(result, scratch, packer->time, packer->frames, packer->dt));
  if (!cJSON_AddNumberToObject(packer->header, "framesStored", (double)stored) ||
      !cJSON_AddNumberToObject(packer->header, "every", (double)packer->every) ||
      !cJSON_AddNumberToObject(packer->header, "part", (double)packer->part))
    return asp_fail(result->file.context, ASP_ERROR_MEMORY, "out of memory");
  return asp_view_add(&packer->stream, "time", VIEW_REAL, (size_t)packer->frames, 1, 0, 1, packer->time);
}

/* ---- joints ---- */

static AspError pack_joints(ViewPacker *packer, AspArena *scratch) {
  static const struct {
    const char *path, *name;
    size_t width;
  } columns[] = {{"/joints/coordinate", "jointCoordinate", 1},
                 {"/joints/drift", "jointDrift", 1},
                 {"/joints/motor", "jointMotor", 1},
                 {"/joints/force", "jointForce", 3}};
  size_t joints = (size_t)packer->model->joint_count;
  for (size_t c = 0; joints && c < sizeof columns / sizeof *columns; c++)
    ASP_TRY(asp_view_pack_vectors(packer, scratch, columns[c].path, columns[c].name, joints * columns[c].width, true));
  return ASP_OK;
}

/* ---- probes ---- */

/* "probes": names and units; sections probeTime and probeValue with all samples. */
static AspError pack_probes(ViewPacker *packer, AspArena *scratch) {
  const ResultFile *result = packer->result;
  size_t rows = (size_t)result->committed.rows[TABLE_PROBES];
  ResultTexts name = {0}, unit = {0};
  if (rows == 0)
    return ASP_OK;
  AspError error = asp_result_texts_read(result, RESULT_PROBE_NAME, &name.count, &name.bytes, &name.text);
  if (error == ASP_OK)
    error = asp_result_texts_read(result, RESULT_PROBE_UNIT, &unit.count, &unit.bytes, &unit.text);
  if (error == ASP_OK && unit.count != name.count)
    error =
        asp_fail(result->file.context, ASP_ERROR_INPUT, "%s: /probes: not as many units as names", result->file.path);
  cJSON *list = error == ASP_OK ? cJSON_AddArrayToObject(packer->header, "probes") : NULL;
  for (int i = 0; list && i < name.count; i++) {
    cJSON *entry = cJSON_CreateObject();
    if (!entry || !cJSON_AddItemToArray(list, entry) ||
        !cJSON_AddStringToObject(entry, "name", asp_result_text_at(&name, i)) ||
        !cJSON_AddStringToObject(entry, "unit", asp_result_text_at(&unit, i)))
      error = asp_fail(result->file.context, ASP_ERROR_MEMORY, "out of memory");
  }
  size_t width = (size_t)name.count;
  asp_release(result->file.context, name.text);
  asp_release(result->file.context, unit.text);
  ASP_TRY(error);
  double *time = ASP_TAKE(scratch, double, rows), *value = ASP_TAKE(scratch, double, rows *width + 1);
  float *shown = ASP_TAKE(scratch, float, rows *width + 1);
  if (!time || !value || !shown)
    return ASP_ERROR_MEMORY;
  ASP_TRY(asp_result_rows(result, RESULT_PROBE_TIME, 0, (int64_t)rows, 1, time));
  ASP_TRY(asp_result_rows(result, RESULT_PROBE_VALUE, 0, (int64_t)rows, width, value));
  for (size_t i = 0; i < rows * width; i++)
    shown[i] = (float)value[i];
  ASP_TRY(asp_view_add(&packer->stream, "probeTime", VIEW_REAL, rows, 1, 0, 1, time));
  return asp_view_add(&packer->stream, "probeValue", VIEW_FLOAT, rows, width, 0, 1, shown);
}

/* ---- the whole ---- */

static AspError pack(ViewPacker *packer, AspArena *scratch) {
  ASP_TRY(describe(packer));
  ASP_TRY(add_parameters(packer));
  ASP_TRY(add_files(packer));
  ASP_TRY(pack_shapes(packer, scratch));
  ASP_TRY(pack_times(packer, scratch));
  ASP_TRY(pack_motion(packer, scratch));
  ASP_TRY(asp_view_pack_beams(packer, scratch));
  ASP_TRY(asp_view_pack_surfaces(packer, scratch));
  ASP_TRY(asp_view_pack_forces(packer, scratch));
  ASP_TRY(pack_joints(packer, scratch));
  ASP_TRY(pack_probes(packer, scratch));
  ASP_TRY(asp_view_pack_contacts(packer));
  ASP_TRY(asp_view_pack_certificate(packer));
  return asp_view_pack_resolution(packer);
}

static AspError pack_result(const ResultFile *result, const AspViewOptions *options, unsigned char **bytes,
                            size_t *length) {
  AspContext *context = result->file.context;
  ResultModel model;
  ASP_TRY(asp_result_model_read(result, &model));
  AspArena scratch;
  asp_arena_init(&scratch, context);
  ViewPacker packer = {.result = result,
                       .model = &model,
                       .options = options,
                       .header = cJSON_CreateObject(),
                       .stream = {.context = context}};
  AspError error = packer.header ? pack(&packer, &scratch) : asp_fail(context, ASP_ERROR_MEMORY, "out of memory");
  if (error == ASP_OK)
    error = asp_view_join(&packer.stream, packer.header, bytes, length);
  asp_release(context, packer.stream.bytes);
  cJSON_Delete(packer.header);
  asp_arena_free(&scratch);
  asp_result_model_free(context, &model);
  return error;
}

AspError asp_view_data(AspContext *context, const char *result_path, const AspViewOptions *given, unsigned char **bytes,
                       size_t *length) {
  AspViewOptions options = given ? *given : asp_view_default_options();
  *bytes = NULL;
  *length = 0;
  if (options.cookie != VIEW_COOKIE || options.every < 0 || options.contacts_max < 0)
    return asp_fail(context, ASP_ERROR_ARGUMENT,
                    "view options: start from asp_view_default_options(); none is negative");
  AspError error = ASP_ERROR_INPUT;
  bool complete = false;
  // a run that goes on may change the file under us: what was torn is read again
  for (int attempt = 0; attempt < ATTEMPTS && error == ASP_ERROR_INPUT && !complete; attempt++) {
    ResultFile result;
    ASP_TRY(asp_result_open(context, result_path, &result));
    complete = result.committed.complete == 1;
    error = pack_result(&result, &options, bytes, length);
    asp_result_shut(&result);
  }
  return error;
}

void asp_view_data_destroy(AspContext *context, unsigned char *bytes) { asp_release(context, bytes); }
