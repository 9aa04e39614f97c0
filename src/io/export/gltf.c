/* A result as a glTF 2.0 animation in one binary file (.glb): a node per body with its shapes as meshes, translation
 * and rotation of moving bodies over all frames; a beam is a chain of prisms, one node each. glTF has y upwards: the
 * root node turns our z (or, in the plane, nothing) to it. Unbounded shapes are left out. Numbers are single precision,
 * as glTF asks.
 *
 *   12 bytes: "glTF", version, length | JSON chunk | binary chunk (arrays, 4-byte aligned)
 */
#include "base/elementary.h"
#include "io/export/shape_mesh.h"
#include "io/file/text_file.h"
#include "linalg/vec3.h"

#include <cjson/cJSON.h>
#include <float.h>
#include <math.h>
#include <stdio.h>

enum { FLOAT = 5126, UNSIGNED = 5125 };   /* glTF's component types */
#define COLOURS  6                        /* of what moves */
#define SEGMENTS (RESULT_LINE_POINTS - 1) /* of a beam */

typedef struct GltfWriter {
  const ResultFile *result;
  const ResultModel *model;
  AspContext *context;
  cJSON *root, *accessors, *views, *meshes, *nodes;
  unsigned char *bytes; /* the binary chunk */
  size_t length, capacity;
  int accessor_count, mesh_count;
} GltfWriter;

static AspError out_of_memory(const GltfWriter *writer) {
  return asp_fail(writer->context, ASP_ERROR_MEMORY, "out of memory");
}

/* ---- arrays ---- */

static cJSON *limits(const float *values, size_t rows, size_t width, bool largest) {
  cJSON *list = cJSON_CreateArray();
  for (size_t k = 0; list && k < width; k++) {
    float limit = largest ? -FLT_MAX : FLT_MAX;
    for (size_t i = 0; i < rows; i++)
      limit = largest ? fmaxf(limit, values[i * width + k]) : fminf(limit, values[i * width + k]);
    cJSON_AddItemToArray(list, cJSON_CreateNumber((double)limit));
  }
  return list;
}

/* An accessor over new bytes; *index tells its number. `bounds`: floats with their smallest and largest. */
static AspError add_accessor(GltfWriter *writer, const char *type, int component, size_t rows, size_t width,
                             const void *values, bool bounds, int *index) {
  size_t bytes = rows * width * 4, start = writer->length;
  ASP_TRY(ASP_GROW(writer->context, writer->bytes, writer->capacity, start + bytes));
  memcpy(writer->bytes + start, values, bytes);
  writer->length += bytes;
  cJSON *view = cJSON_CreateObject(), *accessor = cJSON_CreateObject();
  bool good = view && accessor && cJSON_AddItemToArray(writer->views, view) &&
              cJSON_AddItemToArray(writer->accessors, accessor) && cJSON_AddNumberToObject(view, "buffer", 0) &&
              cJSON_AddNumberToObject(view, "byteOffset", (double)start) &&
              cJSON_AddNumberToObject(view, "byteLength", (double)bytes) &&
              cJSON_AddNumberToObject(accessor, "bufferView", writer->accessor_count) &&
              cJSON_AddNumberToObject(accessor, "componentType", component) &&
              cJSON_AddNumberToObject(accessor, "count", (double)rows) &&
              cJSON_AddStringToObject(accessor, "type", type);
  if (good && bounds)
    good = cJSON_AddItemToObject(accessor, "min", limits(values, rows, width, false)) &&
           cJSON_AddItemToObject(accessor, "max", limits(values, rows, width, true));
  *index = writer->accessor_count++;
  return good ? ASP_OK : out_of_memory(writer);
}

/* ---- meshes ---- */

static AspError write_mesh(GltfWriter *writer, const ShapeMesh *mesh, int material) {
  float *x = asp_allocate(writer->context, 3 * mesh->point_count, sizeof *x);
  if (!x)
    return ASP_ERROR_MEMORY;
  for (size_t i = 0; i < 3 * mesh->point_count; i++)
    x[i] = (float)get3(mesh->point[i / 3], (int)(i % 3));
  int points = 0, corners = 0;
  AspError error = add_accessor(writer, "VEC3", FLOAT, mesh->point_count, 3, x, true, &points);
  asp_release(writer->context, x);
  ASP_TRY(error);
  ASP_TRY(add_accessor(writer, "SCALAR", UNSIGNED, mesh->corner_count, 1, mesh->corner, false, &corners));
  cJSON *entry = cJSON_CreateObject();
  bool good = entry && cJSON_AddItemToArray(writer->meshes, entry);
  cJSON *primitives = good ? cJSON_AddArrayToObject(entry, "primitives") : NULL, *primitive = cJSON_CreateObject();
  good = primitives && cJSON_AddItemToArray(primitives, primitive);
  cJSON *attributes = good ? cJSON_AddObjectToObject(primitive, "attributes") : NULL;
  good = attributes && cJSON_AddNumberToObject(attributes, "POSITION", points) &&
         cJSON_AddNumberToObject(primitive, "indices", corners) &&
         cJSON_AddNumberToObject(primitive, "material", material);
  writer->mesh_count++;
  return good ? ASP_OK : out_of_memory(writer);
}

/* All shapes of a body as one mesh; *mesh = -1 where there is nothing to draw. */
static AspError add_mesh(GltfWriter *writer, int body, int *number) {
  const ResultModel *model = writer->model;
  ShapeMesh mesh = {0};
  AspError error = ASP_OK;
  for (int s = 0; s < model->shape_count && error == ASP_OK; s++)
    if (model->shape[s].body == body && !model->shape[s].hidden)
      error = asp_shape_mesh_add(writer->context, model, &model->shape[s], writer->result->dimension, &mesh);
  *number = mesh.corner_count ? writer->mesh_count : -1;
  if (error == ASP_OK && mesh.corner_count)
    error = write_mesh(writer, &mesh, model->body_kind[body] == ASP_BODY_FIXED ? 0 : 1 + body % COLOURS);
  asp_shape_mesh_free(writer->context, &mesh);
  return error;
}

static bool add_materials(GltfWriter *writer) {
  static const double colours[][4] = {{0.55, 0.55, 0.55, 1}, {0.77, 0.1, 0.03, 1},  {0.89, 0.38, 0.05, 1},
                                      {0.05, 0.27, 0.39, 1}, {0.18, 0.46, 0.23, 1}, {0.27, 0.15, 0.52, 1},
                                      {0.69, 0.13, 0.26, 1}};
  cJSON *materials = cJSON_AddArrayToObject(writer->root, "materials");
  for (size_t i = 0; i < sizeof colours / sizeof *colours; i++) {
    cJSON *material = cJSON_CreateObject();
    if (!materials || !cJSON_AddItemToArray(materials, material) || !cJSON_AddTrueToObject(material, "doubleSided"))
      return false;
    cJSON *look = cJSON_AddObjectToObject(material, "pbrMetallicRoughness");
    if (!look || !cJSON_AddItemToObject(look, "baseColorFactor", cJSON_CreateDoubleArray(colours[i], 4)) ||
        !cJSON_AddNumberToObject(look, "metallicFactor", 0) || !cJSON_AddNumberToObject(look, "roughnessFactor", 0.6))
      return false;
  }
  return true;
}

/* ---- nodes ---- */

/* Node 0 is the root, node 1 + b is body b. */
static AspError add_nodes(GltfWriter *writer, const double *q) {
  const ResultFile *result = writer->result;
  cJSON *root = cJSON_CreateObject();
  if (!cJSON_AddItemToArray(writer->nodes, root) || !cJSON_AddStringToObject(root, "name", "asperity"))
    return out_of_memory(writer);
  if (result->dimension == 3) { // a quarter turn about x: z upwards becomes y upwards
    const double turn[] = {-sqrt(0.5), 0, 0, sqrt(0.5)};
    cJSON_AddItemToObject(root, "rotation", cJSON_CreateDoubleArray(turn, 4));
  }
  cJSON *children = result->bodies ? cJSON_AddArrayToObject(root, "children") : NULL;
  for (int body = 0; body < result->bodies; body++) {
    int mesh = -1;
    ASP_TRY(add_mesh(writer, body, &mesh));
    AspPose pose = asp_result_pose(result->dimension, q + (size_t)body * (size_t)asp_result_q_width(result));
    AspQuat turn = quat_normalize(pose.orientation);
    const double at[] = {pose.position.x, pose.position.y, pose.position.z}, r[] = {turn.x, turn.y, turn.z, turn.w};
    cJSON *node = cJSON_CreateObject();
    bool good = cJSON_AddItemToArray(writer->nodes, node) &&
                cJSON_AddItemToArray(children, cJSON_CreateNumber(1 + body)) &&
                cJSON_AddStringToObject(node, "name", asp_result_body_name(result, body)) &&
                cJSON_AddItemToObject(node, "translation", cJSON_CreateDoubleArray(at, 3)) &&
                cJSON_AddItemToObject(node, "rotation", cJSON_CreateDoubleArray(r, 4)) &&
                (mesh < 0 || cJSON_AddNumberToObject(node, "mesh", mesh));
    if (!good)
      return out_of_memory(writer);
  }
  return ASP_OK;
}

/* ---- beams ---- */

/* A prism of eight sides around x from -1/2 to 1/2. */
static AspError add_prism(GltfWriter *writer, double radius, int material, int *number) {
  enum { SIDES = 8 };
  AspVec3 point[2 * SIDES];
  int32_t corner[6 * SIDES + 6 * (SIDES - 2)];
  size_t count = 0;
  for (int i = 0; i < 2 * SIDES; i++) {
    double angle = 0.78539816339744831 * (i % SIDES); // pi/4 each
    point[i] = vec3(i < SIDES ? -0.5 : 0.5, radius * asp_cos(angle), radius * asp_sin(angle));
  }
  for (int i = 0; i < SIDES; i++) {
    int next = (i + 1) % SIDES;
    const int32_t six[] = {i, next, SIDES + i, next, SIDES + next, SIDES + i};
    memcpy(corner + count, six, sizeof six);
    count += 6;
  }
  for (int i = 1; i < SIDES - 1; i++) { // the two ends
    const int32_t six[] = {0, i + 1, i, SIDES, SIDES + i, SIDES + i + 1};
    memcpy(corner + count, six, sizeof six);
    count += 6;
  }
  *number = writer->mesh_count;
  return write_mesh(writer,
                    &(ShapeMesh){.point = point, .corner = corner, .point_count = 2 * SIDES, .corner_count = count},
                    material);
}

/* Where a segment between two points of a beam's line lies: its middle, the turn from x to it, its length. */
static void segment_pose(const double *line, double x[3], double r[4], double scale[3]) {
  AspVec3 a = vec3(line[0], line[1], line[2]), b = vec3(line[3], line[4], line[5]), along = sub3(b, a);
  double length = norm3(along);
  AspVec3 d = length > 0 ? scale3(1 / length, along) : vec3(1, 0, 0);
  AspQuat turn = d.x > -1 + 1e-9 ? quat_normalize((AspQuat){1 + d.x, 0, -d.z, d.y}) : (AspQuat){0, 0, 0, 1};
  for (int k = 0; k < 3; k++) {
    x[k] = 0.5 * (get3(a, k) + get3(b, k));
    scale[k] = k == 0 ? fmax(length, 1e-12) : 1;
  }
  const double parts[] = {turn.x, turn.y, turn.z, turn.w};
  memcpy(r, parts, sizeof parts);
}

/* Nodes of all segments, behind those of the bodies, where the lines of the first frame have them. */
static AspError add_beam_nodes(GltfWriter *writer, AspArena *scratch) {
  const ResultModel *model = writer->model;
  size_t width = 3 * RESULT_LINE_POINTS * (size_t)model->beam_count;
  double *line = ASP_TAKE(scratch, double, width + 1);
  cJSON *children = cJSON_GetObjectItemCaseSensitive(cJSON_GetArrayItem(writer->nodes, 0), "children");
  if (!line)
    return ASP_ERROR_MEMORY;
  if (model->beam_count > 0)
    ASP_TRY(asp_result_rows(writer->result, "/beams/line", 0, 1, width, line));
  for (int beam = 0; beam < model->beam_count; beam++) {
    int mesh = -1;
    ASP_TRY(add_prism(writer, model->beam[beam].radius, 1 + beam % COLOURS, &mesh));
    for (int k = 0; k < SEGMENTS; k++) {
      double x[3], r[4], scale[3];
      segment_pose(line + 3 * (beam * RESULT_LINE_POINTS + k), x, r, scale);
      cJSON *node = cJSON_CreateObject();
      bool good = cJSON_AddItemToArray(children, cJSON_CreateNumber(cJSON_GetArraySize(writer->nodes))) &&
                  cJSON_AddItemToArray(writer->nodes, node) &&
                  cJSON_AddStringToObject(node, "name", asp_result_text_at(&model->beams, beam)) &&
                  cJSON_AddItemToObject(node, "translation", cJSON_CreateDoubleArray(x, 3)) &&
                  cJSON_AddItemToObject(node, "rotation", cJSON_CreateDoubleArray(r, 4)) &&
                  cJSON_AddItemToObject(node, "scale", cJSON_CreateDoubleArray(scale, 3)) &&
                  cJSON_AddNumberToObject(node, "mesh", mesh);
      if (!good)
        return out_of_memory(writer);
    }
  }
  return ASP_OK;
}

/* ---- animation ---- */

static bool add_channel(cJSON *samplers, cJSON *channels, int times, int values, int node, const char *path) {
  int number = cJSON_GetArraySize(samplers);
  cJSON *sampler = cJSON_CreateObject(), *channel = cJSON_CreateObject();
  if (!cJSON_AddItemToArray(samplers, sampler) || !cJSON_AddItemToArray(channels, channel))
    return false;
  cJSON *target = cJSON_AddObjectToObject(channel, "target");
  return target && cJSON_AddNumberToObject(sampler, "input", times) &&
         cJSON_AddNumberToObject(sampler, "output", values) && cJSON_AddNumberToObject(channel, "sampler", number) &&
         cJSON_AddNumberToObject(target, "node", node) && cJSON_AddStringToObject(target, "path", path);
}

/* A unit quaternion, on the side of the frame before: players interpolate along the shorter way. */
static void store_turn(const double parts[4], size_t frame, float *r) {
  double side = 0;
  for (size_t k = 0; k < 4 && frame > 0; k++)
    side += parts[k] * (double)r[4 * (frame - 1) + k];
  for (size_t k = 0; k < 4; k++)
    r[4 * frame + k] = (float)(side < 0 ? -parts[k] : parts[k]);
}

static void store_pose(const GltfWriter *writer, const double *q, size_t frame, float *x, float *r) {
  AspPose pose = asp_result_pose(writer->result->dimension, q);
  AspQuat turn = quat_normalize(pose.orientation);
  const double parts[] = {turn.x, turn.y, turn.z, turn.w};
  store_turn(parts, frame, r);
  for (int k = 0; k < 3; k++)
    x[3 * frame + (size_t)k] = (float)get3(pose.position, k);
}

/* Channels of one segment: `line` has its two points in every frame, `stride` values apart. */
static AspError animate_segment(GltfWriter *writer, cJSON *samplers, cJSON *channels, int times, int node,
                                size_t frames, const double *line, size_t stride, float *x, float *r, float *scale) {
  int values[3] = {0, 0, 0};
  for (size_t frame = 0; frame < frames; frame++) {
    double at[3], turn[4], size[3];
    segment_pose(line + frame * stride, at, turn, size);
    store_turn(turn, frame, r);
    for (size_t k = 0; k < 3; k++) {
      x[3 * frame + k] = (float)at[k];
      scale[3 * frame + k] = (float)size[k];
    }
  }
  ASP_TRY(add_accessor(writer, "VEC3", FLOAT, frames, 3, x, false, &values[0]));
  ASP_TRY(add_accessor(writer, "VEC4", FLOAT, frames, 4, r, false, &values[1]));
  ASP_TRY(add_accessor(writer, "VEC3", FLOAT, frames, 3, scale, false, &values[2]));
  bool good = add_channel(samplers, channels, times, values[0], node, "translation") &&
              add_channel(samplers, channels, times, values[1], node, "rotation") &&
              add_channel(samplers, channels, times, values[2], node, "scale");
  return good ? ASP_OK : out_of_memory(writer);
}

static AspError animate_beams(GltfWriter *writer, AspArena *scratch, cJSON *samplers, cJSON *channels, int times) {
  const ResultFile *result = writer->result;
  size_t frames = (size_t)result->committed.rows[TABLE_FRAMES], beams = (size_t)writer->model->beam_count;
  size_t width = 3 * RESULT_LINE_POINTS * beams;
  double *line = ASP_TAKE(scratch, double, frames *width + 1);
  float *x = ASP_TAKE(scratch, float, 3 * frames), *r = ASP_TAKE(scratch, float, 4 * frames),
        *scale = ASP_TAKE(scratch, float, 3 * frames);
  if (!line || !x || !r || !scale)
    return ASP_ERROR_MEMORY;
  if (beams > 0)
    ASP_TRY(asp_result_rows(result, "/beams/line", 0, (int64_t)frames, width, line));
  for (size_t i = 0; i < SEGMENTS * beams; i++)
    ASP_TRY(animate_segment(writer, samplers, channels, times, 1 + result->bodies + (int)i, frames,
                            line + 3 * (i / SEGMENTS * RESULT_LINE_POINTS + i % SEGMENTS), width, x, r, scale));
  return ASP_OK;
}

static AspError add_animation(GltfWriter *writer, AspArena *scratch) {
  const ResultFile *result = writer->result;
  size_t frames = (size_t)result->committed.rows[TABLE_FRAMES], qw = (size_t)asp_result_q_width(result),
         bodies = (size_t)result->bodies;
  double *q = ASP_TAKE(scratch, double, frames *bodies *qw + 1), *time = ASP_TAKE(scratch, double, frames);
  float *seconds = ASP_TAKE(scratch, float, frames), *x = ASP_TAKE(scratch, float, 3 * frames),
        *r = ASP_TAKE(scratch, float, 4 * frames);
  if (!q || !time || !seconds || !x || !r)
    return ASP_ERROR_MEMORY;
  ASP_TRY(asp_result_rows(result, "/frames/q", 0, (int64_t)frames, bodies * qw, q));
  ASP_TRY(asp_result_rows(result, "/frames/time", 0, (int64_t)frames, 1, time));
  for (size_t k = 0; k < frames; k++)
    seconds[k] = (float)time[k];
  int times = 0, values = 0;
  cJSON *animations = cJSON_AddArrayToObject(writer->root, "animations"), *animation = cJSON_CreateObject();
  if (!animations || !cJSON_AddItemToArray(animations, animation) || !cJSON_AddStringToObject(animation, "name", "run"))
    return out_of_memory(writer);
  cJSON *samplers = cJSON_AddArrayToObject(animation, "samplers"),
        *channels = cJSON_AddArrayToObject(animation, "channels");
  ASP_TRY(add_accessor(writer, "SCALAR", FLOAT, frames, 1, seconds, true, &times));
  for (size_t body = 0; body < bodies; body++) {
    if (writer->model->body_kind[body] == ASP_BODY_FIXED)
      continue;
    for (size_t k = 0; k < frames; k++)
      store_pose(writer, q + (k * bodies + body) * qw, k, x, r);
    ASP_TRY(add_accessor(writer, "VEC3", FLOAT, frames, 3, x, false, &values));
    bool good = add_channel(samplers, channels, times, values, 1 + (int)body, "translation");
    ASP_TRY(add_accessor(writer, "VEC4", FLOAT, frames, 4, r, false, &values));
    if (!good || !add_channel(samplers, channels, times, values, 1 + (int)body, "rotation"))
      return out_of_memory(writer);
  }
  return animate_beams(writer, scratch, samplers, channels, times);
}

/* ---- the file ---- */

static bool has_moving_body(const GltfWriter *writer) {
  for (int i = 0; i < writer->result->bodies; i++)
    if (writer->model->body_kind[i] != ASP_BODY_FIXED)
      return true;
  return false;
}

/* glTF allows no empty arrays. */
static void drop_if_empty(cJSON *root, const char *key) {
  if (cJSON_GetArraySize(cJSON_GetObjectItemCaseSensitive(root, key)) == 0)
    cJSON_DeleteItemFromObjectCaseSensitive(root, key);
}

static AspError build(GltfWriter *writer, AspArena *scratch) {
  const ResultFile *result = writer->result;
  double *q = ASP_TAKE(scratch, double, (size_t)result->bodies * 7 + 1);
  static const int first[] = {0};
  cJSON *asset = cJSON_AddObjectToObject(writer->root, "asset"),
        *scenes = cJSON_AddArrayToObject(writer->root, "scenes"), *scene = cJSON_CreateObject();
  bool good = q && asset && cJSON_AddStringToObject(asset, "version", "2.0") &&
              cJSON_AddStringToObject(asset, "generator", "asperity") && cJSON_AddItemToArray(scenes, scene) &&
              cJSON_AddStringToObject(scene, "name", result->name) &&
              cJSON_AddItemToObject(scene, "nodes", cJSON_CreateIntArray(first, 1)) &&
              cJSON_AddNumberToObject(writer->root, "scene", 0) && add_materials(writer);
  writer->accessors = cJSON_AddArrayToObject(writer->root, "accessors");
  writer->views = cJSON_AddArrayToObject(writer->root, "bufferViews");
  writer->meshes = cJSON_AddArrayToObject(writer->root, "meshes");
  writer->nodes = cJSON_AddArrayToObject(writer->root, "nodes");
  if (!good || !writer->accessors || !writer->views || !writer->meshes || !writer->nodes)
    return out_of_memory(writer);
  ASP_TRY(asp_result_rows(result, "/frames/q", 0, 1, (size_t)(result->bodies * asp_result_q_width(result)), q));
  ASP_TRY(add_nodes(writer, q));
  ASP_TRY(add_beam_nodes(writer, scratch));
  if (has_moving_body(writer))
    ASP_TRY(add_animation(writer, scratch));
  cJSON *buffers = cJSON_AddArrayToObject(writer->root, "buffers"), *buffer = cJSON_CreateObject();
  if (!buffers || !cJSON_AddItemToArray(buffers, buffer) ||
      !cJSON_AddNumberToObject(buffer, "byteLength", (double)writer->length))
    return out_of_memory(writer);
  static const char *const lists[] = {"accessors", "bufferViews", "meshes"};
  for (int i = 0; i < 3; i++)
    drop_if_empty(writer->root, lists[i]);
  if (writer->length == 0)
    cJSON_DeleteItemFromObjectCaseSensitive(writer->root, "buffers");
  return ASP_OK;
}

static void put_word(FILE *file, uint32_t word) {
  for (int b = 0; b < 4; b++)
    fputc((int)(word >> (8 * b) & 255), file);
}

static AspError write_file(const GltfWriter *writer, const char *path) {
  char *text = cJSON_PrintUnformatted(writer->root);
  if (!text)
    return out_of_memory(writer);
  size_t plain = strlen(text), json = (plain + 3) / 4 * 4, binary = writer->length;
  AspError error;
  FILE *file = asp_file_create(writer->context, path, &error);
  if (file) {
    fputs("glTF", file);
    put_word(file, 2);
    put_word(file, (uint32_t)(12 + 8 + json + (binary ? 8 + binary : 0)));
    put_word(file, (uint32_t)json);
    fputs("JSON", file);
    fputs(text, file);
    for (size_t i = plain; i < json; i++)
      fputc(' ', file);
    if (binary) {
      put_word(file, (uint32_t)binary);
      fwrite("BIN", 1, 4, file);
      fwrite(writer->bytes, 1, binary, file);
    }
    error = asp_file_finish(writer->context, path, file);
  }
  cJSON_free(text);
  return error;
}

AspError asp_result_export_gltf(AspContext *context, const char *result_path, const char *glb_path) {
  ResultFile result;
  ResultModel model;
  ASP_TRY(asp_result_open(context, result_path, &result));
  AspError error = asp_result_model_read(&result, &model);
  AspArena scratch;
  asp_arena_init(&scratch, context);
  if (error == ASP_OK) {
    GltfWriter writer = {.result = &result, .model = &model, .context = context, .root = cJSON_CreateObject()};
    error = writer.root ? build(&writer, &scratch) : out_of_memory(&writer);
    if (error == ASP_OK && writer.length > UINT32_MAX - (1U << 28))
      error = asp_fail(context, ASP_ERROR_UNSUPPORTED, "%s: more than 4 GB do not fit into a .glb file", glb_path);
    if (error == ASP_OK)
      error = write_file(&writer, glb_path);
    asp_release(context, writer.bytes);
    cJSON_Delete(writer.root);
    asp_result_model_free(context, &model);
  }
  asp_arena_free(&scratch);
  asp_result_shut(&result);
  return error;
}
