/* Wavefront OBJ: `v x y z` makes a point, `f` a polygon of points counted from 1 (or backwards from -1), cut into a fan
 * of triangles; `o` and `g` name the part that follows. Everything that says how it looks is passed over. */
#include "io/mesh/mesh_file.h"

#include <stdio.h>

static bool is_passed_over(MeshWord word) {
  static const char *const words[] = {"vt",       "vn",    "vp",         "s",        "usemtl", "mtllib",
                                      "l",        "p",     "lod",        "usemap",   "maplib", "c_interp",
                                      "d_interp", "bevel", "shadow_obj", "trace_obj"};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (asp_mesh_word_is(word, words[i]))
      return true;
  return false;
}

static AspError read_point(MeshText *text, AspMesh *mesh) {
  double x[3];
  static const char *const names[] = {"x coordinate", "y coordinate", "z coordinate"};
  for (int i = 0; i < 3; i++)
    ASP_TRY(asp_mesh_number(text, names[i], &x[i]));
  if (mesh->points == 3 * ASP_MESH_TRIANGLES_MAX)
    return asp_mesh_fail(text, "more than %d points", 3 * ASP_MESH_TRIANGLES_MAX);
  return asp_mesh_add_point(mesh, (AspVec3){x[0], x[1], x[2]});
}

/* The point of a corner "7", "7/1", "7//2", "-1". */
static AspError corner_point(const MeshText *text, MeshWord word, int points, int *index) {
  char shown[40];
  long long number = 0;
  int i = word.text[0] == '-' ? 1 : 0, first = i;
  for (; i < word.length && word.text[i] >= '0' && word.text[i] <= '9' && number < 1000000000; i++)
    number = 10 * number + (word.text[i] - '0');
  if (i == first || (i < word.length && word.text[i] != '/'))
    return asp_mesh_fail(text, "'%s' where the number of a point should be", asp_mesh_show(word, shown));
  long long at = first ? points - number : number - 1;
  if (at < 0 || at >= points)
    return asp_mesh_fail(text, "'%s': there is no such point; %d come before this line", asp_mesh_show(word, shown),
                         points);
  *index = (int)at;
  return ASP_OK;
}

/* `wanted`: the polygon belongs to the part that is read; others are checked only. */
static AspError read_polygon(MeshText *text, bool wanted, AspMesh *mesh) {
  int corners = 0, start = 0, last = 0;
  for (MeshWord word = asp_mesh_word(text); word.length > 0 && word.text[0] != '#'; word = asp_mesh_word(text)) {
    int point = 0;
    ASP_TRY(corner_point(text, word, mesh->points, &point));
    if (corners == 0)
      start = point;
    if (corners >= 2 && wanted) {
      AspError error = asp_mesh_add_triangle(mesh, start, last, point);
      if (error == ASP_ERROR_INPUT)
        asp_fail_prefix(text->context, "%s: line %d: ", text->path, text->line);
      ASP_TRY(error);
    }
    last = point;
    corners++;
  }
  return corners >= 3 ? ASP_OK : asp_mesh_fail(text, "a face of %d points, expected at least 3", corners);
}

/* The rest of the line is the part's name. */
static bool name_is(MeshText *text, const char *object) {
  MeshWord name = asp_mesh_word(text);
  while (text->at < text->end && *text->at != '\n' && *text->at != '\r')
    text->at++;
  name.length = (int)(text->at - name.text);
  while (name.length > 0 && (name.text[name.length - 1] == ' ' || name.text[name.length - 1] == '\t'))
    name.length--;
  return object && (size_t)name.length == strlen(object) && strncmp(name.text, object, strlen(object)) == 0;
}

AspError asp_mesh_read_obj(MeshText *text, const char *object, AspMesh *mesh) {
  bool wanted = !object, seen = !object;
  char shown[40];
  do {
    MeshWord word = asp_mesh_word(text);
    if (word.length == 0 || word.text[0] == '#' || is_passed_over(word))
      continue;
    if (asp_mesh_word_is(word, "v")) {
      ASP_TRY(read_point(text, mesh));
    } else if (asp_mesh_word_is(word, "f")) {
      ASP_TRY(read_polygon(text, wanted, mesh));
    } else if (asp_mesh_word_is(word, "o") || asp_mesh_word_is(word, "g")) {
      bool named = name_is(text, object);
      wanted = !object || named;
      seen = seen || named;
    } else {
      return asp_mesh_fail(text, "'%s' is not a keyword of OBJ files of polygons", asp_mesh_show(word, shown));
    }
  } while (asp_mesh_next_line(text));
  if (!seen)
    return asp_fail(text->context, ASP_ERROR_INPUT, "%s: no part of it is called '%s' (o or g)", text->path, object);
  if (object && mesh->triangles == 0)
    return asp_fail(text->context, ASP_ERROR_INPUT, "%s: the part '%s' has no faces", text->path, object);
  return ASP_OK;
}
