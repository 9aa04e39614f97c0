/* Triangle meshes from STL (binary and ASCII), OBJ, COLLADA and MSH files. Depends on base and shape. */
#ifndef ASP_IO_MESH_FILE_H
#define ASP_IO_MESH_FILE_H

#include "asperity/shape.h"
#include "base/base.h"

#define ASP_MESH_TRIANGLES_MAX 5000000

/* Points that no triangle uses are not in it, except where a file has no triangles at all. */
typedef struct AspMesh {
  AspContext *context;
  AspVec3 *point;
  int (*triangle)[3];
  int points, triangles;
  size_t point_capacity, triangle_capacity;
} AspMesh;

/* The extension of the name sets the format. `object`: the part of that name only (OBJ: o or g, ASCII STL: solid);
 * NULL: everything. ASP_ERROR_FILE: it cannot be read; ASP_ERROR_INPUT: it is not what it should be; the message names
 * path, line or byte, and what would be right. */
AspError asp_mesh_file_read(AspContext *context, const char *path, const char *object, AspMesh *mesh);
/* Coordinates times `scale`; where that mirrors the mesh, its triangles are turned so that they face outward again. */
AspError asp_mesh_file_scaled(AspContext *context, const char *path, const char *object, AspVec3 scale, AspMesh *mesh);
void asp_mesh_free(AspMesh *mesh);
/* Its triangles to be drawn, its hull and its convex pieces; coordinates times `scale`, negative ones mirror. */
AspError asp_mesh_file_triangles(AspContext *context, const char *path, const char *object, AspVec3 scale,
                                 AspHull **hull);
AspError asp_mesh_file_hull(AspContext *context, const char *path, const char *object, AspVec3 scale, AspHull **hull,
                            double *filled);
AspError asp_mesh_file_pieces(AspContext *context, const char *path, const char *object, AspVec3 scale, double error,
                              AspDecomposition *decomposition);

/* ---- shared by the formats ---- */

AspError asp_mesh_add_point(AspMesh *mesh, AspVec3 point);
AspError asp_mesh_add_triangle(AspMesh *mesh, int a, int b, int c);

/* Words of a text, with the line they are on. A backslash at the end of a line joins it with the next. */
typedef struct MeshText {
  AspContext *context;
  const char *path, *at, *end;
  int line; /* from 1 */
} MeshText;

typedef struct MeshWord {
  const char *text;
  int length; /* 0: the line, or the text, has no more words */
} MeshWord;

/* The next word of the present line. */
MeshWord asp_mesh_word(MeshText *text);
/* Go to the next line that has a word; false at the end of the text. */
bool asp_mesh_next_line(MeshText *text);
bool asp_mesh_word_is(MeshWord word, const char *keyword);
/* The next word as a number, finite and within 1e30. `what`: for the message. */
AspError asp_mesh_number(MeshText *text, const char *what, double *number);
AspError asp_mesh_fail(const MeshText *text, const char *format, ...) ASP_PRINTF(2, 3);
/* A word for a message: printable, not longer than 32 characters. */
const char *asp_mesh_show(MeshWord word, char buffer[40]);

AspError asp_mesh_read_obj(MeshText *text, const char *object, AspMesh *mesh);
AspError asp_mesh_read_stl(MeshText *text, const char *object, AspMesh *mesh);
AspError asp_mesh_read_dae(MeshText *text, const char *object, AspMesh *mesh);
AspError asp_mesh_read_msh(MeshText *text, const char *object, AspMesh *mesh);

#endif
