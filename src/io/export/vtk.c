/* A result for ParaView: one .pvd file that lists a .vtp file of surfaces and one of contacts per frame (VTK's XML
 * formats, version 1.0, arrays in base64 with 64-bit sizes where they are described: some readers fail on data behind
 * the description). For RUN.pvd the frames are RUN/bodies_0000.vtp and RUN/contacts_0000.vtp. Unbounded shapes are left
 * out.
 *
 *   bodies: triangles of every shape; per cell the body's index, its velocity and angular velocity
 *   contacts: points; force on B (N), normal, gap (m), mode (0 open, 1 stick, 2 slide), bodies A and B
 *   beams, where there are any (RUN/beams_0000.vtp): a polyline along each; its index and its radius (m)
 */
#define _POSIX_C_SOURCE 200809L
#include "io/export/shape_mesh.h"
#include "io/file/base64.h"
#include "io/file/text_file.h"
#include "linalg/vec3.h"

#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>

typedef struct VtkWriter {
  const ResultFile *result;
  const ResultModel *model;
  AspContext *context;
  AspArena scratch;
  ShapeMesh mesh;    /* all bodies, each in its own frame */
  int32_t *body;     /* per point */
  char *folder;      /* where the frames go */
  const char *leaf;  /* last part of it, for the list */
  double *q, *v;     /* of one frame */
  double *time, *dt; /* of all frames, s */
} VtkWriter;

/* One array of a .vtp file. */
typedef struct VtkArray {
  const char *type, *name; /* "Float32" */
  int components;
  const void *values;
  size_t bytes;
} VtkArray;

static void write_array(FILE *file, const VtkArray *array) {
  uint64_t bytes = array->bytes;
  Base64 letters = {.file = file};
  fprintf(file, "<DataArray type=\"%s\" Name=\"%s\" NumberOfComponents=\"%d\" format=\"binary\">\n", array->type,
          array->name, array->components);
  asp_base64_write(&letters, &bytes, sizeof bytes);
  asp_base64_write(&letters, array->values, array->bytes);
  asp_base64_end(&letters);
  fputs("\n</DataArray>\n", file);
}

/* Arrays in the order: points, connectivity, offsets, then `extra` ones for cells or points. */
typedef struct VtkPiece {
  size_t points, verts, lines, polys;
  VtkArray array[16];
  int count;
  bool extra_per_cell;
} VtkPiece;

static AspError write_piece(const VtkWriter *writer, const char *path, const VtkPiece *piece) {
  AspError error;
  FILE *file = asp_file_create(writer->context, path, &error);
  if (!file)
    return error;
  const char *cells = piece->polys   ? "Polys"
                      : piece->lines ? "Lines"
                                     : "Verts",
             *data = piece->extra_per_cell ? "CellData" : "PointData";
  fprintf(file,
          "<?xml version=\"1.0\"?>\n<VTKFile type=\"PolyData\" version=\"1.0\" byte_order=\"LittleEndian\" "
          "header_type=\"UInt64\">\n<PolyData>\n<Piece NumberOfPoints=\"%zu\" NumberOfVerts=\"%zu\" "
          "NumberOfLines=\"%zu\" NumberOfStrips=\"0\" NumberOfPolys=\"%zu\">\n<Points>\n",
          piece->points, piece->verts, piece->lines, piece->polys);
  write_array(file, &piece->array[0]);
  fprintf(file, "</Points>\n<%s>\n", cells);
  write_array(file, &piece->array[1]);
  write_array(file, &piece->array[2]);
  fprintf(file, "</%s>\n<%s>\n", cells, data);
  for (int i = 3; i < piece->count; i++)
    write_array(file, &piece->array[i]);
  fprintf(file, "</%s>\n</Piece>\n</PolyData>\n</VTKFile>\n", data);
  return asp_file_finish(writer->context, path, file);
}

static void add_array(VtkPiece *piece, const char *type, const char *name, int components, const void *values,
                      size_t bytes) {
  piece->array[piece->count++] = (VtkArray){type, name, components, values, bytes};
}

/* ---- bodies ---- */

static AspError write_bodies(VtkWriter *writer, const char *path) {
  const ShapeMesh *mesh = &writer->mesh;
  const ResultFile *result = writer->result;
  size_t points = mesh->point_count, triangles = mesh->corner_count / 3;
  size_t qw = (size_t)asp_result_q_width(result), vw = (size_t)asp_result_v_width(result);
  AspArenaMark mark = asp_arena_mark(&writer->scratch);
  float *x = ASP_TAKE(&writer->scratch, float, 3 * points + 1),
        *velocity = ASP_TAKE(&writer->scratch, float, 3 * triangles + 1),
        *spin = ASP_TAKE(&writer->scratch, float, 3 * triangles + 1);
  int32_t *ends = ASP_TAKE(&writer->scratch, int32_t, triangles + 1),
          *body = ASP_TAKE(&writer->scratch, int32_t, triangles + 1);
  if (!x || !velocity || !spin || !ends || !body)
    return ASP_ERROR_MEMORY;
  for (size_t i = 0; i < points; i++) {
    AspPose pose = asp_result_pose(result->dimension, writer->q + (size_t)writer->body[i] * qw);
    AspVec3 at = pose_point(&pose, mesh->point[i]);
    for (int k = 0; k < 3; k++)
      x[3 * i + (size_t)k] = (float)get3(at, k);
  }
  for (size_t i = 0; i < triangles; i++) {
    ends[i] = (int32_t)(3 * (i + 1));
    body[i] = writer->body[mesh->corner[3 * i]];
    const double *v = writer->v + (size_t)body[i] * vw;
    for (size_t k = 0; k < 3; k++) {
      velocity[3 * i + k] = vw == 6 || k < 2 ? (float)v[k] : 0;
      spin[3 * i + k] = vw == 6 ? (float)v[3 + k] : k == 2 ? (float)v[2] : 0;
    }
  }
  VtkPiece piece = {.points = points, .polys = triangles, .extra_per_cell = true};
  add_array(&piece, "Float32", "Points", 3, x, 12 * points);
  add_array(&piece, "Int32", "connectivity", 1, mesh->corner, 12 * triangles);
  add_array(&piece, "Int32", "offsets", 1, ends, 4 * triangles);
  add_array(&piece, "Int32", "body", 1, body, 4 * triangles);
  add_array(&piece, "Float32", "velocity", 3, velocity, 12 * triangles);
  add_array(&piece, "Float32", "angular_velocity", 3, spin, 12 * triangles);
  AspError error = write_piece(writer, path, &piece);
  asp_arena_rewind(&writer->scratch, mark);
  return error;
}

/* ---- contacts ---- */

static AspError take_rows(VtkWriter *writer, const char *path, int64_t first, int64_t count, size_t width,
                          double **values) {
  *values = ASP_TAKE(&writer->scratch, double, (size_t)count *width + 1);
  return *values ? asp_result_rows(writer->result, path, first, count, width, *values) : ASP_ERROR_MEMORY;
}

static AspError write_contacts(VtkWriter *writer, const char *path, int64_t first, int64_t count, double dt) {
  size_t n = (size_t)count;
  double *point, *normal, *t1, *impulse, *gap, *mode, *bodies;
  AspArenaMark mark = asp_arena_mark(&writer->scratch);
  ASP_TRY(take_rows(writer, "/contacts/point", first, count, 3, &point));
  ASP_TRY(take_rows(writer, "/contacts/normal", first, count, 3, &normal));
  ASP_TRY(take_rows(writer, "/contacts/t1", first, count, 3, &t1));
  ASP_TRY(take_rows(writer, "/contacts/impulse", first, count, 3, &impulse));
  ASP_TRY(take_rows(writer, "/contacts/gap", first, count, 1, &gap));
  ASP_TRY(take_rows(writer, "/contacts/mode", first, count, 1, &mode));
  ASP_TRY(take_rows(writer, "/contacts/body", first, count, 2, &bodies));
  double *force = ASP_TAKE(&writer->scratch, double, 3 * n + 1);
  int32_t *index = ASP_TAKE(&writer->scratch, int32_t, n + 1), *ends = ASP_TAKE(&writer->scratch, int32_t, n + 1),
          *modes = ASP_TAKE(&writer->scratch, int32_t, n + 1), *pair = ASP_TAKE(&writer->scratch, int32_t, 2 * n + 1);
  if (!force || !index || !ends || !modes || !pair)
    return ASP_ERROR_MEMORY;
  for (size_t i = 0; i < n; i++) {
    AspVec3 a = {normal[3 * i], normal[3 * i + 1], normal[3 * i + 2]}, b = {t1[3 * i], t1[3 * i + 1], t1[3 * i + 2]},
            c = cross3(a, b);
    const double *r = impulse + 3 * i;
    for (int k = 0; k < 3; k++)
      force[3 * i + (size_t)k] = dt > 0 ? (r[0] * get3(a, k) + r[1] * get3(b, k) + r[2] * get3(c, k)) / dt : 0;
    index[i] = (int32_t)i;
    ends[i] = (int32_t)i + 1;
    modes[i] = (int32_t)mode[i];
    pair[2 * i] = (int32_t)bodies[2 * i];
    pair[2 * i + 1] = (int32_t)bodies[2 * i + 1];
  }
  VtkPiece piece = {.points = n, .verts = n};
  add_array(&piece, "Float64", "Points", 3, point, 24 * n);
  add_array(&piece, "Int32", "connectivity", 1, index, 4 * n);
  add_array(&piece, "Int32", "offsets", 1, ends, 4 * n);
  add_array(&piece, "Float64", "force", 3, force, 24 * n);
  add_array(&piece, "Float64", "normal", 3, normal, 24 * n);
  add_array(&piece, "Float64", "gap", 1, gap, 8 * n);
  add_array(&piece, "Int32", "mode", 1, modes, 4 * n);
  add_array(&piece, "Int32", "bodies", 2, pair, 8 * n);
  AspError error = write_piece(writer, path, &piece);
  asp_arena_rewind(&writer->scratch, mark);
  return error;
}

/* ---- beams ---- */

static AspError write_beams(VtkWriter *writer, const char *path, int64_t frame) {
  const ResultModel *model = writer->model;
  size_t beams = (size_t)model->beam_count, n = RESULT_LINE_POINTS * beams;
  double *point, *radius = ASP_TAKE(&writer->scratch, double, beams);
  int32_t *index = ASP_TAKE(&writer->scratch, int32_t, n), *ends = ASP_TAKE(&writer->scratch, int32_t, beams),
          *beam = ASP_TAKE(&writer->scratch, int32_t, beams);
  if (!radius || !index || !ends || !beam)
    return ASP_ERROR_MEMORY;
  ASP_TRY(take_rows(writer, "/beams/line", frame, 1, 3 * n, &point));
  for (size_t i = 0; i < n; i++)
    index[i] = (int32_t)i;
  for (size_t i = 0; i < beams; i++) {
    ends[i] = (int32_t)(RESULT_LINE_POINTS * (i + 1));
    beam[i] = (int32_t)i;
    radius[i] = model->beam[i].radius;
  }
  VtkPiece piece = {.points = n, .lines = beams, .extra_per_cell = true};
  add_array(&piece, "Float64", "Points", 3, point, 24 * n);
  add_array(&piece, "Int32", "connectivity", 1, index, 4 * n);
  add_array(&piece, "Int32", "offsets", 1, ends, 4 * beams);
  add_array(&piece, "Int32", "beam", 1, beam, 4 * beams);
  add_array(&piece, "Float64", "radius", 1, radius, 8 * beams);
  return write_piece(writer, path, &piece);
}

/* ---- frames ---- */

static AspError write_frame(VtkWriter *writer, FILE *list, int64_t frame) {
  const ResultFile *result = writer->result;
  size_t room = strlen(writer->folder) + 48;
  double start = 0, count = 0;
  char *path = ASP_TAKE(&writer->scratch, char, room);
  if (!path)
    return ASP_ERROR_MEMORY;
  ASP_TRY(asp_result_rows(result, "/contacts/start", frame, 1, 1, &start));
  ASP_TRY(asp_result_rows(result, "/contacts/count", frame, 1, 1, &count));
  ASP_TRY(
      asp_result_rows(result, "/frames/q", frame, 1, (size_t)(result->bodies * asp_result_q_width(result)), writer->q));
  ASP_TRY(
      asp_result_rows(result, "/frames/v", frame, 1, (size_t)(result->bodies * asp_result_v_width(result)), writer->v));
  snprintf(path, room, "%s/bodies_%04lld.vtp", writer->folder, (long long)frame);
  ASP_TRY(write_bodies(writer, path));
  snprintf(path, room, "%s/contacts_%04lld.vtp", writer->folder, (long long)frame);
  ASP_TRY(write_contacts(writer, path, (int64_t)start, (int64_t)count, writer->dt[frame]));
  if (writer->model->beam_count) {
    snprintf(path, room, "%s/beams_%04lld.vtp", writer->folder, (long long)frame);
    ASP_TRY(write_beams(writer, path, frame));
  }
  static const char *const parts[] = {"bodies", "contacts", "beams"};
  for (int i = 0; i < (writer->model->beam_count ? 3 : 2); i++)
    fprintf(list, "<DataSet timestep=\"%.17g\" part=\"%d\" name=\"%s\" file=\"%s/%s_%04lld.vtp\"/>\n",
            writer->time[frame], i, parts[i], writer->leaf, parts[i], (long long)frame);
  return ASP_OK;
}

static AspError write_frames(VtkWriter *writer, const char *path) {
  errno = 0;
  if (mkdir(writer->folder, 0777) != 0 && errno != EEXIST)
    return asp_fail(writer->context, asp_file_error(errno), "%s: %s", writer->folder, strerror(errno));
  AspError error;
  FILE *list = asp_file_create(writer->context, path, &error);
  if (!list)
    return error;
  fputs("<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"0.1\" byte_order=\"LittleEndian\">\n"
        "<Collection>\n",
        list);
  for (int64_t k = 0; k < writer->result->committed.rows[TABLE_FRAMES] && error == ASP_OK; k++) {
    AspArenaMark mark = asp_arena_mark(&writer->scratch);
    error = write_frame(writer, list, k);
    asp_arena_rewind(&writer->scratch, mark);
  }
  fputs("</Collection>\n</VTKFile>\n", list);
  if (error == ASP_OK)
    return asp_file_finish(writer->context, path, list);
  fclose(list);
  return error;
}

/* The surfaces, and the folder: the list's name without its ending. */
static AspError prepare(VtkWriter *writer, const ResultModel *model, const char *path) {
  const ResultFile *result = writer->result;
  size_t bodies = (size_t)result->bodies, length = strlen(path);
  int64_t frames = result->committed.rows[TABLE_FRAMES];
  writer->folder = ASP_TAKE(&writer->scratch, char, length + 1);
  writer->q = ASP_TAKE(&writer->scratch, double, bodies * 7 + 1);
  writer->v = ASP_TAKE(&writer->scratch, double, bodies * 6 + 1);
  writer->time = ASP_TAKE(&writer->scratch, double, frames + 1);
  writer->dt = ASP_TAKE(&writer->scratch, double, frames + 1);
  if (!writer->folder || !writer->q || !writer->v || !writer->time || !writer->dt)
    return ASP_ERROR_MEMORY;
  ASP_TRY(asp_result_rows(result, "/frames/time", 0, frames, 1, writer->time));
  ASP_TRY(asp_result_step_lengths(result, &writer->scratch, writer->time, frames, writer->dt));
  memcpy(writer->folder, path, length > 4 ? length - 4 : length);
  const char *slash = strrchr(writer->folder, '/');
  writer->leaf = slash ? slash + 1 : writer->folder;
  size_t capacity = 0;
  for (int s = 0; s < model->shape_count; s++) {
    if (model->shape[s].hidden)
      continue;
    size_t first = writer->mesh.point_count;
    ASP_TRY(asp_shape_mesh_add(writer->context, model, &model->shape[s], result->dimension, &writer->mesh));
    ASP_TRY(ASP_GROW(writer->context, writer->body, capacity, writer->mesh.point_count + 1));
    for (size_t i = first; i < writer->mesh.point_count; i++)
      writer->body[i] = model->shape[s].body;
  }
  return ASP_OK;
}

AspError asp_result_export_vtk(AspContext *context, const char *result_path, const char *pvd_path) {
  ResultFile result;
  ResultModel model;
  ASP_TRY(asp_result_open(context, result_path, &result));
  AspError error = asp_result_model_read(&result, &model);
  VtkWriter writer = {.result = &result, .model = &model, .context = context};
  asp_arena_init(&writer.scratch, context);
  if (error == ASP_OK) {
    error = prepare(&writer, &model, pvd_path);
    if (error == ASP_OK)
      error = write_frames(&writer, pvd_path);
    asp_result_model_free(context, &model);
  }
  asp_release(context, writer.body);
  asp_shape_mesh_free(context, &writer.mesh);
  asp_arena_free(&writer.scratch);
  asp_result_shut(&result);
  return error;
}
