/* Mesh files: choice of the format, words and numbers of the text formats, hulls from them. */
#define _POSIX_C_SOURCE 200809L
#include "io/mesh/mesh_file.h"

#include "asperity/io.h"
#include "io/file/text_file.h"
#include "io/file/text_number.h"
#include "linalg/vec3.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <strings.h>
#include <sys/stat.h>

#define FARTHEST 1e30 /* m, as for all points of hulls */

/* ---- the mesh ---- */

AspError asp_mesh_add_point(AspMesh *mesh, AspVec3 point) {
  ASP_TRY(ASP_GROW(mesh->context, mesh->point, mesh->point_capacity, mesh->points + 1));
  mesh->point[mesh->points++] = point;
  return ASP_OK;
}

AspError asp_mesh_add_triangle(AspMesh *mesh, int a, int b, int c) {
  if (mesh->triangles == ASP_MESH_TRIANGLES_MAX)
    return asp_fail(mesh->context, ASP_ERROR_INPUT, "more than %d triangles", ASP_MESH_TRIANGLES_MAX);
  ASP_TRY(ASP_GROW(mesh->context, mesh->triangle, mesh->triangle_capacity, mesh->triangles + 1));
  int *corner = mesh->triangle[mesh->triangles++];
  corner[0] = a;
  corner[1] = b;
  corner[2] = c;
  return ASP_OK;
}

void asp_mesh_free(AspMesh *mesh) {
  asp_release(mesh->context, mesh->point);
  asp_release(mesh->context, mesh->triangle);
  *mesh = (AspMesh){.context = mesh->context};
}

/* Leave out the points that no triangle has. */
static AspError keep_used(AspMesh *mesh) {
  int *place = asp_allocate(mesh->context, (size_t)mesh->points, sizeof *place), kept = 0;
  if (!place)
    return ASP_ERROR_MEMORY;
  for (int t = 0; t < mesh->triangles; t++)
    for (int i = 0; i < 3; i++)
      place[mesh->triangle[t][i]] = 1;
  for (int i = 0; i < mesh->points; i++)
    if (place[i]) {
      mesh->point[kept] = mesh->point[i];
      place[i] = kept++;
    }
  for (int t = 0; t < mesh->triangles; t++)
    for (int i = 0; i < 3; i++)
      mesh->triangle[t][i] = place[mesh->triangle[t][i]];
  mesh->points = kept;
  asp_release(mesh->context, place);
  return ASP_OK;
}

/* ---- words ---- */

static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f'; }

/* Past blanks and joined line ends. */
static void skip_blanks(MeshText *text) {
  for (; text->at < text->end; text->at++) {
    const char *next = text->at + 1;
    if (*text->at == '\\' && next < text->end && *next == '\r')
      next++;
    if (*text->at == '\\' && next < text->end && *next == '\n') {
      text->at = next;
      text->line++;
    } else if (!is_blank(*text->at)) {
      return;
    }
  }
}

MeshWord asp_mesh_word(MeshText *text) {
  skip_blanks(text);
  MeshWord word = {text->at, 0};
  while (text->at < text->end && *text->at != '\n' && !is_blank(*text->at)) {
    text->at++;
    word.length++;
  }
  return word;
}

bool asp_mesh_next_line(MeshText *text) {
  for (;;) {
    while (text->at < text->end && *text->at != '\n')
      text->at++;
    if (text->at == text->end)
      return false;
    text->at++;
    text->line++;
    skip_blanks(text);
    if (text->at < text->end && *text->at != '\n')
      return true;
  }
}

bool asp_mesh_word_is(MeshWord word, const char *keyword) {
  return (size_t)word.length == strlen(keyword) && strncasecmp(word.text, keyword, (size_t)word.length) == 0;
}

const char *asp_mesh_show(MeshWord word, char buffer[40]) { return asp_text_show(word.text, word.length, buffer); }

AspError asp_mesh_fail(const MeshText *text, const char *format, ...) {
  char message[256];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(message, sizeof message, format, arguments);
  va_end(arguments);
  return asp_fail(text->context, ASP_ERROR_INPUT, "%s: line %d: %s", text->path, text->line, message);
}

AspError asp_mesh_number(MeshText *text, const char *what, double *number) {
  char shown[40];
  MeshWord word = asp_mesh_word(text);
  if (word.length == 0)
    return asp_mesh_fail(text, "the %s is missing", what);
  if (!asp_text_number(word.text, word.length, number))
    return asp_mesh_fail(text, "'%s' where the %s, a number, should be", asp_mesh_show(word, shown), what);
  if (!(*number >= -FARTHEST && *number <= FARTHEST))
    return asp_mesh_fail(text, "the %s %s is not within +-%g", what, asp_mesh_show(word, shown), FARTHEST);
  return ASP_OK;
}

/* ---- files ---- */

static bool ends_in(const char *path, const char *ending) {
  size_t length = strlen(path), part = strlen(ending);
  return length > part && strcasecmp(path + length - part, ending) == 0;
}

typedef struct MeshFormat {
  const char *ending;
  AspError (*read)(MeshText *text, const char *object, AspMesh *mesh);
} MeshFormat;

static const MeshFormat *find_format(const char *path) {
  static const MeshFormat formats[] = {{".stl", asp_mesh_read_stl},
                                       {".obj", asp_mesh_read_obj},
                                       {".dae", asp_mesh_read_dae},
                                       {".msh", asp_mesh_read_msh}};
  for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
    if (ends_in(path, formats[i].ending))
      return &formats[i];
  return NULL;
}

static AspError read_text(MeshText *text, const char *object, AspMesh *mesh) {
  ASP_TRY(find_format(text->path)->read(text, object, mesh));
  if (mesh->points == 0)
    return asp_fail(text->context, ASP_ERROR_INPUT, "%s: there are no triangles in it", text->path);
  return mesh->triangles > 0 ? keep_used(mesh) : ASP_OK;
}

AspError asp_mesh_file_read(AspContext *context, const char *path, const char *object, AspMesh *mesh) {
  *mesh = (AspMesh){.context = context};
  if (!find_format(path))
    return asp_fail(context, ASP_ERROR_INPUT, "%s: a mesh is a file that ends in .stl, .obj, .dae or .msh", path);
  struct stat status;
  if (stat(path, &status) != 0)
    return asp_fail(context, asp_file_error(errno), "%s: %s", path, strerror(errno));
  if (!S_ISREG(status.st_mode))
    return asp_fail(context, ASP_ERROR_FILE, "%s: not a file", path);
  char *bytes;
  size_t length;
  ASP_TRY(asp_text_file_read(context, path, &bytes, &length));
  if (length == 0) {
    asp_release(context, bytes);
    return asp_fail(context, ASP_ERROR_INPUT, "%s: the file is empty", path);
  }
  MeshText text = {context, path, bytes, bytes + length, 1};
  AspError error = read_text(&text, object, mesh);
  asp_release(context, bytes);
  if (error != ASP_OK)
    asp_mesh_free(mesh);
  return error;
}

AspError asp_mesh_file_scaled(AspContext *context, const char *path, const char *object, AspVec3 scale, AspMesh *mesh) {
  ASP_TRY(asp_mesh_file_read(context, path, object, mesh));
  for (int i = 0; i < mesh->points; i++) {
    AspVec3 p = mesh->point[i];
    mesh->point[i] = vec3(scale.x * p.x, scale.y * p.y, scale.z * p.z);
  }
  for (int t = 0; scale.x * scale.y * scale.z < 0 && t < mesh->triangles; t++) {
    int last = mesh->triangle[t][2];
    mesh->triangle[t][2] = mesh->triangle[t][1];
    mesh->triangle[t][1] = last;
  }
  return ASP_OK;
}

AspError asp_mesh_file_hull(AspContext *context, const char *path, const char *object, AspVec3 scale, AspHull **hull,
                            double *filled) {
  AspMesh mesh;
  *hull = NULL;
  ASP_TRY(asp_mesh_file_scaled(context, path, object, scale, &mesh));
  AspError error = asp_hull_from_mesh(context, mesh.point, mesh.points, (const int(*)[3])mesh.triangle, mesh.triangles,
                                      hull, filled);
  if (error == ASP_ERROR_INPUT)
    asp_fail_prefix(context, "%s: ", path);
  if (mesh.triangles == 0)
    *filled = 1; // points alone have no hollows
  asp_mesh_free(&mesh);
  return error;
}

AspError asp_hull_read_mesh(AspContext *context, const char *path, const char *object, double scale, AspHull **hull,
                            double *filled) {
  return asp_mesh_file_hull(context, path, object, vec3(scale, scale, scale), hull, filled);
}

AspError asp_mesh_file_triangles(AspContext *context, const char *path, const char *object, AspVec3 scale,
                                 AspHull **hull) {
  AspMesh mesh;
  *hull = NULL;
  ASP_TRY(asp_mesh_file_scaled(context, path, object, scale, &mesh));
  AspError error =
      asp_hull_from_triangles(context, mesh.point, mesh.points, (const int(*)[3])mesh.triangle, mesh.triangles, hull);
  if (error == ASP_ERROR_INPUT)
    asp_fail_prefix(context, "%s: ", path);
  asp_mesh_free(&mesh);
  return error;
}

AspError asp_mesh_file_pieces(AspContext *context, const char *path, const char *object, AspVec3 scale, double error,
                              AspDecomposition *decomposition) {
  AspMesh mesh;
  *decomposition = (AspDecomposition){0};
  ASP_TRY(asp_mesh_file_scaled(context, path, object, scale, &mesh));
  AspError status = asp_mesh_decompose(context, mesh.point, mesh.points, (const int(*)[3])mesh.triangle, mesh.triangles,
                                       error, decomposition);
  if (status == ASP_ERROR_INPUT)
    asp_fail_prefix(context, "%s: ", path);
  asp_mesh_free(&mesh);
  return status;
}

AspError asp_mesh_file_decompose(AspContext *context, const char *path, const char *object, double scale, double error,
                                 AspDecomposition *decomposition) {
  return asp_mesh_file_pieces(context, path, object, vec3(scale, scale, scale), error, decomposition);
}
