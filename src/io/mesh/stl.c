/* STL: binary (80 bytes, number of triangles as 32 bits little-endian, 50 bytes each: normal and three corners as
 * 32-bit floats, two bytes more) and ASCII (solid, facet, vertex). Normals are not read: the corners' order says the
 * same. Corners at one place become one point. A file is binary when its length is the one that its number of triangles
 * makes; some binary files begin with "solid". */
#include "io/mesh/mesh_file.h"

#include <stdio.h>

#define HEAD  84
#define EACH  50
#define NONE  (-1)
#define FIRST 1024 /* slots of the table at the start */

/* Points by their coordinates. */
typedef struct PointTable {
  int *slot; /* slots entries: point, or NONE */
  size_t slots;
} PointTable;

static size_t slot_of(const PointTable *table, AspVec3 p) {
  double x[3] = {p.x + 0.0, p.y + 0.0, p.z + 0.0}; // -0 and 0 are one place
  return (size_t)asp_hash_bytes(ASP_HASH_START, x, sizeof x) & (table->slots - 1);
}

static AspError widen(AspMesh *mesh, PointTable *table) {
  size_t slots = table->slots ? 2 * table->slots : FIRST;
  int *slot = asp_allocate(mesh->context, slots, sizeof *slot);
  if (!slot)
    return ASP_ERROR_MEMORY;
  asp_release(mesh->context, table->slot);
  *table = (PointTable){slot, slots};
  for (size_t i = 0; i < slots; i++)
    slot[i] = NONE;
  for (int p = 0; p < mesh->points; p++) {
    size_t at = slot_of(table, mesh->point[p]);
    while (slot[at] != NONE)
      at = (at + 1) & (slots - 1);
    slot[at] = p;
  }
  return ASP_OK;
}

static AspError find_point(AspMesh *mesh, PointTable *table, AspVec3 p, int *index) {
  if (2 * ((size_t)mesh->points + 1) > table->slots)
    ASP_TRY(widen(mesh, table));
  size_t at = slot_of(table, p);
  for (; table->slot[at] != NONE; at = (at + 1) & (table->slots - 1)) {
    AspVec3 q = mesh->point[table->slot[at]];
    if (q.x == p.x && q.y == p.y && q.z == p.z) {
      *index = table->slot[at];
      return ASP_OK;
    }
  }
  *index = table->slot[at] = mesh->points;
  return asp_mesh_add_point(mesh, p);
}

static AspError add_corners(AspMesh *mesh, PointTable *table, const AspVec3 corner[3]) {
  int index[3];
  for (int i = 0; i < 3; i++)
    ASP_TRY(find_point(mesh, table, corner[i], &index[i]));
  return asp_mesh_add_triangle(mesh, index[0], index[1], index[2]);
}

/* ---- binary ---- */

static uint32_t word_at(const char *bytes) {
  const unsigned char *b = (const unsigned char *)bytes;
  return (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

static double float_at(const char *bytes) {
  uint32_t word = word_at(bytes);
  float value;
  memcpy(&value, &word, sizeof value);
  return (double)value;
}

static AspError read_binary(const MeshText *text, size_t count, AspMesh *mesh, PointTable *table) {
  if (count > ASP_MESH_TRIANGLES_MAX)
    return asp_fail(text->context, ASP_ERROR_INPUT, "%s: %zu triangles, at most %d are allowed", text->path, count,
                    ASP_MESH_TRIANGLES_MAX);
  for (size_t t = 0; t < count; t++) {
    AspVec3 corner[3];
    for (int i = 0; i < 3; i++) {
      size_t byte = HEAD + EACH * t + 12 * ((size_t)i + 1);
      const char *at = text->at + byte;
      corner[i] = (AspVec3){float_at(at), float_at(at + 4), float_at(at + 8)};
      double x[3] = {corner[i].x, corner[i].y, corner[i].z};
      for (int k = 0; k < 3; k++)
        if (!(x[k] >= -1e30 && x[k] <= 1e30))
          return asp_fail(text->context, ASP_ERROR_INPUT,
                          "%s: byte %zu: corner %d of triangle %zu has the coordinate %g, expected one within +-1e30",
                          text->path, byte + 4 * (size_t)k, i, t, x[k]);
    }
    ASP_TRY(add_corners(mesh, table, corner));
  }
  return ASP_OK;
}

/* ---- ASCII ---- */

static AspError expect(MeshText *text, const char *keyword) {
  char shown[40];
  MeshWord word = asp_mesh_word(text);
  if (word.length == 0 && !asp_mesh_next_line(text))
    return asp_mesh_fail(text, "the file ends where '%s' should be", keyword);
  if (word.length == 0)
    word = asp_mesh_word(text);
  if (!asp_mesh_word_is(word, keyword))
    return asp_mesh_fail(text, "'%s' where '%s' should be", asp_mesh_show(word, shown), keyword);
  return ASP_OK;
}

/* After the word `facet`. */
static AspError read_facet(MeshText *text, AspVec3 corner[3]) {
  double x[3];
  asp_mesh_next_line(text); // past the normal
  ASP_TRY(expect(text, "outer"));
  ASP_TRY(expect(text, "loop"));
  for (int i = 0; i < 3; i++) {
    ASP_TRY(expect(text, "vertex"));
    ASP_TRY(asp_mesh_number(text, "x coordinate", &x[0]));
    ASP_TRY(asp_mesh_number(text, "y coordinate", &x[1]));
    ASP_TRY(asp_mesh_number(text, "z coordinate", &x[2]));
    corner[i] = (AspVec3){x[0], x[1], x[2]};
  }
  ASP_TRY(expect(text, "endloop"));
  return expect(text, "endfacet");
}

/* The rest of the line behind `solid`, against the name that is looked for. */
static bool solid_is(MeshText *text, const char *object) {
  MeshWord name = asp_mesh_word(text);
  size_t length = object ? strlen(object) : 0;
  bool starts = (size_t)(text->end - name.text) >= length && object && strncmp(name.text, object, length) == 0;
  const char *rest = starts ? name.text + length : name.text;
  while (starts && rest < text->end && (*rest == ' ' || *rest == '\t' || *rest == '\r'))
    rest++;
  return starts && length > 0 && (rest == text->end || *rest == '\n');
}

static AspError read_ascii(MeshText *text, const char *object, AspMesh *mesh, PointTable *table) {
  bool seen = !object;
  char shown[40];
  do {
    ASP_TRY(expect(text, "solid"));
    bool wanted = !object || solid_is(text, object);
    seen = seen || wanted;
    for (;;) {
      if (!asp_mesh_next_line(text))
        return asp_mesh_fail(text, "the file ends where 'facet' or 'endsolid' should be");
      MeshWord word = asp_mesh_word(text);
      if (asp_mesh_word_is(word, "endsolid"))
        break;
      if (!asp_mesh_word_is(word, "facet"))
        return asp_mesh_fail(text, "'%s' where 'facet' or 'endsolid' should be", asp_mesh_show(word, shown));
      AspVec3 corner[3];
      ASP_TRY(read_facet(text, corner));
      AspError error = wanted ? add_corners(mesh, table, corner) : ASP_OK;
      if (error == ASP_ERROR_INPUT)
        asp_fail_prefix(text->context, "%s: line %d: ", text->path, text->line);
      ASP_TRY(error);
    }
  } while (asp_mesh_next_line(text));
  return seen ? ASP_OK
              : asp_fail(text->context, ASP_ERROR_INPUT, "%s: no solid of it is called '%s'", text->path, object);
}

AspError asp_mesh_read_stl(MeshText *text, const char *object, AspMesh *mesh) {
  size_t length = (size_t)(text->end - text->at), count = length >= HEAD ? word_at(text->at + 80) : 0;
  bool binary = length >= HEAD && length == HEAD + EACH * count;
  PointTable table = {0};
  AspError error;
  MeshText look = *text;
  if (binary && object)
    error = asp_fail(text->context, ASP_ERROR_INPUT, "%s: a binary STL file has no named parts; leave out 'object'",
                     text->path);
  else if (binary)
    error = read_binary(text, count, mesh, &table);
  else if (asp_mesh_word_is(asp_mesh_word(&look), "solid") || length < HEAD)
    error = read_ascii(text, object, mesh, &table);
  else
    error = asp_fail(text->context, ASP_ERROR_INPUT,
                     "%s: byte 80: %zu triangles make a binary STL file of %zu bytes, this one has %zu; and an ASCII "
                     "one begins with 'solid'",
                     text->path, count, HEAD + EACH * count, length);
  asp_release(mesh->context, table.slot);
  return error;
}
