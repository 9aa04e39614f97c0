/* MuJoCo's binary MSH: four 32-bit numbers of points, normals, texture points and triangles, then these: points,
 * normals and texture points as 32-bit floats, triangles as three indices from 0; little-endian. Points alone are a
 * mesh. */
#include "io/mesh/mesh_file.h"

#include <math.h>

#define HEAD 16

static uint32_t word_at(const char *bytes) {
  const unsigned char *b = (const unsigned char *)bytes;
  return (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

static double float_at(const char *bytes) {
  uint32_t word = word_at(bytes);
  float number;
  memcpy(&number, &word, sizeof number);
  return number;
}

AspError asp_mesh_read_msh(MeshText *text, const char *object, AspMesh *mesh) {
  size_t length = (size_t)(text->end - text->at), count[4] = {0};
  (void)object; // has no parts
  for (int i = 0; i < 4 && length >= HEAD; i++)
    count[i] = word_at(text->at + 4 * i);
  size_t points = count[0], skipped = 12 * count[1] + 8 * count[2], triangles = count[3];
  if (length < HEAD || length != HEAD + 12 * points + skipped + 12 * triangles || points > 3 * ASP_MESH_TRIANGLES_MAX)
    return asp_fail(text->context, ASP_ERROR_INPUT,
                    "%s: the length of %zu bytes is not the one that its numbers of points and triangles make",
                    text->path, length);
  for (size_t i = 0; i < points; i++) {
    const char *at = text->at + HEAD + 12 * i;
    AspVec3 point = {float_at(at), float_at(at + 4), float_at(at + 8)};
    if (!isfinite(point.x) || !isfinite(point.y) || !isfinite(point.z))
      return asp_fail(text->context, ASP_ERROR_INPUT, "%s: point %zu is not finite", text->path, i);
    ASP_TRY(asp_mesh_add_point(mesh, point));
  }
  for (size_t i = 0; i < triangles; i++) {
    const char *at = text->at + HEAD + 12 * points + skipped + 12 * i;
    uint32_t a = word_at(at), b = word_at(at + 4), c = word_at(at + 8);
    if (a >= points || b >= points || c >= points)
      return asp_fail(text->context, ASP_ERROR_INPUT, "%s: triangle %zu has a corner that is no point", text->path, i);
    ASP_TRY(asp_mesh_add_triangle(mesh, (int)a, (int)b, (int)c));
  }
  return ASP_OK;
}
