/* io: STL and OBJ files become hulls; broken files are refused with file, line or byte, and what would be right. */
#include "asperity/io.h"
#include "base/base.h"
#include "failing_allocator.h"
#include "linalg/vec3.h"

#define FOLDER ASP_BINARY_DIR "/"

static const double corner[8][3] = {{0, 0, 0}, {1, 0, 0}, {0, 2, 0}, {1, 2, 0},
                                    {0, 0, 3}, {1, 0, 3}, {0, 2, 3}, {1, 2, 3}};
static const int quad[6][4] = {{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}};

static void write_file(const char *name, const void *bytes, size_t length) {
  char path[512];
  snprintf(path, sizeof path, FOLDER "%s", name);
  FILE *file = fopen(path, "wb");
  assert_non_null(file);
  assert_int_equal(fwrite(bytes, 1, length, file), length);
  fclose(file);
}

/* A box of 1 x 2 x 3 as text; the caller's buffer has room for 8192 bytes. */
static void obj_box(char *text, bool backwards, const char *face_end) {
  size_t used = (size_t)sprintf(text, "# a box\r\nmtllib none.mtl\no box\n");
  for (int i = 0; i < 8; i++)
    used += (size_t)sprintf(text + used, "v %g %.3e %g 1 0 0\n", corner[i][0], corner[i][1], corner[i][2]);
  used += (size_t)sprintf(text + used, "vn 0 0 1\nvt 0 0\ns off\nusemtl grey\n");
  for (int f = 0; f < 6; f++) {
    used += (size_t)sprintf(text + used, "f");
    for (int k = 0; k < 4; k++)
      used += (size_t)sprintf(text + used, " %d%s", backwards ? quad[f][k] - 8 : quad[f][k] + 1, face_end);
    used += (size_t)sprintf(text + used, "\n");
  }
}

static void ascii_box(char *text, const char *name, size_t *used) {
  *used += (size_t)sprintf(text + *used, "solid %s\n", name);
  for (int t = 0; t < 12; t++) {
    const int *q = quad[t / 2];
    int v[3] = {q[0], q[t % 2 ? 2 : 1], q[t % 2 ? 3 : 2]};
    *used += (size_t)sprintf(text + *used, " facet normal 0 0 0\n  outer loop\n");
    for (int k = 0; k < 3; k++)
      *used += (size_t)sprintf(text + *used, "   vertex %.6e %.6e %.6e\n", corner[v[k]][0], corner[v[k]][1],
                               corner[v[k]][2]);
    *used += (size_t)sprintf(text + *used, "  endloop\n endfacet\n");
  }
  *used += (size_t)sprintf(text + *used, "endsolid %s\n", name);
}

static size_t binary_box(unsigned char *bytes, int triangles) {
  memset(bytes, ' ', 80);
  memcpy(bytes, "solid that is binary all the same", 33);
  uint32_t count = (uint32_t)triangles;
  for (int i = 0; i < 4; i++)
    bytes[80 + i] = (unsigned char)(count >> 8 * i);
  for (int t = 0; t < triangles; t++) {
    const int *q = quad[t / 2];
    int v[3] = {q[0], q[t % 2 ? 2 : 1], q[t % 2 ? 3 : 2]};
    float numbers[12] = {0};
    for (int k = 0; k < 9; k++)
      numbers[3 + k] = (float)corner[v[k / 3]][k % 3];
    memcpy(bytes + 84 + 50 * t, numbers, 48);
    memset(bytes + 84 + 50 * t + 48, 0, 2);
  }
  return 84 + 50 * (size_t)triangles;
}

static void assert_box(AspContext *context, const char *name, const char *object, double scale) {
  char path[512];
  snprintf(path, sizeof path, FOLDER "%s", name);
  AspHull *hull;
  double filled;
  assert_ok(context, asp_hull_read_mesh(context, path, object, scale, &hull, &filled));
  assert_int_equal(hull->vertex_count, 8);
  assert_int_equal(hull->face_count, 6);
  assert_near(hull->unit.mass, 6 * scale * scale * scale, 1e-12);
  assert_near(hull->unit.centre.z, 1.5 * scale, 1e-12);
  assert_near(filled, 1, 1e-12);
  asp_hull_destroy(context, hull);
}

static void every_format_gives_the_same_box(void **state) {
  (void)state;
  AspContext *context = asp_context_create(NULL);
  char text[16384];
  unsigned char bytes[84 + 12 * 50];
  for (int way = 0; way < 4; way++) {
    obj_box(text, way % 2, way < 2 ? "" : "/1/1");
    write_file("box.OBJ", text, strlen(text));
    assert_box(context, "box.OBJ", NULL, 1);
    assert_box(context, "box.OBJ", "box", 0.5);
  }
  size_t used = 0;
  ascii_box(text, "a box", &used);
  write_file("box.stl", text, used);
  assert_box(context, "box.stl", NULL, 1);
  assert_box(context, "box.stl", "a box", 2);
  write_file("binary.stl", bytes, binary_box(bytes, 12));
  assert_box(context, "binary.stl", NULL, 1);
  assert_int_equal(asp_context_memory_in_use(context), 0);
  asp_context_destroy(context);
}

/* A file without faces is the hull of its points; points that no face uses are not part of a file that has faces. */
static void points_count_when_faces_use_them_or_when_there_are_none(void **state) {
  (void)state;
  AspContext *context = asp_context_create(NULL);
  char text[16384];
  obj_box(text, false, "");
  strcat(text, "v 100 100 100\n");
  write_file("stray.obj", text, strlen(text));
  assert_box(context, "stray.obj", NULL, 1);
  strstr(text, "vn ")[0] = 0; // points only
  write_file("cloud.obj", text, strlen(text));
  assert_box(context, "cloud.obj", NULL, 1);
  asp_context_destroy(context);
}

typedef struct Broken {
  const char *name, *text, *message;
} Broken;

#define DAE(p)                                                                                                         \
  "<COLLADA><asset><unit meter='0.01'/></asset><library_geometries><geometry id='g'><mesh><source id='s'>"             \
  "<float_array>0 0 0 1 0 0 0 1 0 0 0 1</float_array></source><vertices id='v'><input semantic='POSITION' "            \
  "source='#s'/></vertices><polylist><input semantic='VERTEX' source='#v' offset='0'/><vcount>3 3 3 3</vcount><p>" p   \
  "</p></polylist></mesh></geometry></library_geometries><library_visual_scenes><visual_scene><node>"                  \
  "<translate>1 0 0</translate><rotate>0 0 1 90</rotate><instance_geometry url='#g'/></node></visual_scene>"           \
  "</library_visual_scenes></COLLADA>"

static const Broken broken[] = {
    {"a.obj", "", "the file is empty"},
    {"a.obj", "v 0 0\n", "line 1: the z coordinate is missing"},
    {"a.obj", "v 0 0 0\nv 1 x 0\n", "line 2: 'x' where the y coordinate, a number, should be"},
    {"a.obj", "v 0 0 nan\n", "line 1: 'nan' where the z coordinate"},
    {"a.obj", "v 0 0 1e400\n", "line 1: the z coordinate 1e400 is not within +-1e+30"},
    {"a.obj", "v 0 0 1e\n", "line 1: '1e' where the z coordinate"},
    {"a.obj", "v 0 0 0x10\n", "line 1: '0x10' where the z coordinate"},
    {"a.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 4\n", "line 4: '4': there is no such point; 3 come before"},
    {"a.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 0\n", "line 4: '0': there is no such point"},
    {"a.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf -1 -2 -4\n", "line 4: '-4': there is no such point"},
    {"a.obj", "v 0 0 0\nv 1 0 0\nf 1 2\n", "line 3: a face of 2 points, expected at least 3"},
    {"a.obj", "v 0 0 0\nf a b c\n", "line 2: 'a' where the number of a point should be"},
    {"a.obj", "v 0 0 0\n\n\nvertx 1 2 3\n", "line 4: 'vertx' is not a keyword of OBJ"},
    {"a.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n", "points: 3 given, expected 4"},
    {"a.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\nf 1 2 3 4\n", "points: "},
    {"a.stl", "", "the file is empty"},
    {"a.stl", "solid\n", "line 2: the file ends where 'facet' or 'endsolid' should be"},
    {"a.stl", "solid x\nendsolid x\n", "there are no triangles in it"},
    {"a.stl", "hello\n", "line 1: 'hello' where 'solid' should be"},
    {"a.stl", "solid\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0\n",
     "line 5: the z coordinate is missing"},
    {"a.stl", "solid\nfacet normal 0 0 1\nouter loop\nvertx 0 0 0\n", "line 4: 'vertx' where 'vertex' should be"},
    {"a.stl", "solid\nfacets\n", "line 2: 'facets' where 'facet' or 'endsolid' should be"},
    {"a.dae", "<COLLADA><asset>\n<unit meter='x'/></asset></COLLADA>",
     "line 2: <unit>: meter is not a positive number"},
    {"a.dae", "<scene/>", "line 1: <scene>: a COLLADA file begins with <COLLADA>"},
    {"a.dae", "<COLLADA/>", "there are no triangles in it"},
    {"a.dae", DAE("0 1 9 0 1 3 0 3 2 1 2 3"), "line 1: <polylist>: an index is not that of a point"},
    {"a.dae", DAE("0 1"), "line 1: <polylist>: there are fewer indices than its polygons need"},
    {"a.msh", "0123456789abcdef", "the length of 16 bytes is not the one that"},
    {"a.ply", "ply\n", "a mesh is a file that ends in .stl, .obj, .dae or .msh"},
};

/* The tetrahedron of the unit axes, in centimetres, turned by a quarter about z and moved by (1, 0, 0) cm. */
static void collada_is_placed_by_its_scene_in_metres(void **state) {
  (void)state;
  AspContext *context = asp_context_create(NULL);
  const char *text = DAE("0 2 1 0 1 3 0 3 2 1 2 3");
  AspHull *hull;
  double filled;
  write_file("tetra.dae", text, strlen(text));
  assert_int_equal(asp_hull_read_mesh(context, FOLDER "tetra.dae", NULL, 1, &hull, &filled), ASP_OK);
  assert_int_equal(hull->vertex_count, 4);
  assert_near(hull->unit.mass, 1e-6 / 6, 1e-20);
  assert_near(hull->unit.centre.x, 0.01 * (1 - 0.25), 1e-16); // x = 1 - y of the file
  assert_near(hull->unit.centre.y, 0.01 * 0.25, 1e-16);
  assert_near(filled, 1, 1e-12);
  asp_hull_destroy(context, hull);
  asp_context_destroy(context);
}

/* The same tetrahedron: 4 points, no normals, no texture, 4 triangles. */
static void msh_has_points_and_triangles(void **state) {
  (void)state;
  AspContext *context = asp_context_create(NULL);
  const int32_t head[4] = {4, 0, 0, 4}, triangle[12] = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3};
  const float point[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
  unsigned char bytes[16 + 48 + 48];
  memcpy(bytes, head, 16);
  memcpy(bytes + 16, point, 48);
  memcpy(bytes + 64, triangle, 48);
  AspHull *hull;
  double filled;
  write_file("tetra.msh", bytes, sizeof bytes);
  assert_int_equal(asp_hull_read_mesh(context, FOLDER "tetra.msh", NULL, 2, &hull, &filled), ASP_OK);
  assert_near(hull->unit.mass, 8.0 / 6, 1e-14);
  assert_near(filled, 1, 1e-12);
  asp_hull_destroy(context, hull);
  asp_context_destroy(context);
}

static void refuse(AspContext *context, const char *name, const char *object, const char *message) {
  char path[512];
  snprintf(path, sizeof path, FOLDER "%s", name);
  AspHull *hull;
  double filled;
  AspError error = asp_hull_read_mesh(context, path, object, 1, &hull, &filled);
  assert_true(error == ASP_ERROR_INPUT || error == ASP_ERROR_FILE);
  assert_null(hull);
  if (!strstr(asp_context_message(context), message) || !strstr(asp_context_message(context), name))
    fail_msg("'%s' does not name %s and say '%s'", asp_context_message(context), name, message);
}

static void broken_files_are_named_with_line_or_byte(void **state) {
  (void)state;
  AspContext *context = asp_context_create(NULL);
  for (size_t i = 0; i < sizeof broken / sizeof *broken; i++) {
    write_file(broken[i].name, broken[i].text, strlen(broken[i].text));
    refuse(context, broken[i].name, NULL, broken[i].message);
  }
  unsigned char bytes[84 + 12 * 50];
  size_t length = binary_box(bytes, 12);
  memcpy(bytes, "other", 5);
  write_file("short.stl", bytes, length - 1);
  refuse(context, "short.stl", NULL, "byte 80: 12 triangles make a binary STL file of 684 bytes, this one has 683");
  float bad = INFINITY;
  memcpy(bytes + 84 + 50 * 3 + 12 + 16, &bad, 4);
  write_file("infinite.stl", bytes, length);
  refuse(context, "infinite.stl", NULL, "byte 262: corner 1 of triangle 3 has the coordinate inf");
  refuse(context, "infinite.stl", "part", "has no named parts");
  refuse(context, "missing.stl", NULL, "No such file");
  char text[16384];
  obj_box(text, false, "");
  write_file("box.obj", text, strlen(text));
  refuse(context, "box.obj", "lid", "no part of it is called 'lid'");
  assert_int_equal(asp_context_memory_in_use(context), 0);
  asp_context_destroy(context);
}

/* Damaged bytes and cut ends: an error or a hull, never a crash (asan watches). */
static void damaged_files_give_an_error_or_a_hull(void **state) {
  (void)state;
  AspContext *context = asp_context_create(NULL);
  AspRandom random = {11};
  char text[16384];
  unsigned char bytes[84 + 12 * 50];
  int refused = 0;
  for (int trial = 0; trial < 1500; trial++) {
    int kind = trial % 3;
    size_t length = 0;
    if (kind == 0) {
      obj_box(text, false, "/1");
      length = strlen(text);
    } else if (kind == 1) {
      ascii_box(text, "box", &length);
    } else {
      length = binary_box(bytes, 12);
    }
    unsigned char *data = kind == 2 ? bytes : (unsigned char *)text;
    for (int k = 0; k < 1 + trial % 7; k++)
      data[(size_t)asp_random_uniform(&random, 0, (double)length)] = (unsigned char)asp_random_bits(&random);
    if (trial % 4 == 0)
      length = (size_t)asp_random_uniform(&random, 0, (double)length);
    const char *name = kind == 0 ? "damaged.obj" : "damaged.stl";
    write_file(name, data, length);
    AspHull *hull;
    double filled;
    AspError error =
        asp_hull_read_mesh(context, kind == 0 ? FOLDER "damaged.obj" : FOLDER "damaged.stl", NULL, 1, &hull, &filled);
    assert_true(error == ASP_OK || (error == ASP_ERROR_INPUT && !hull));
    refused += error != ASP_OK;
    asp_hull_destroy(context, hull);
  }
  assert_true(refused > 100);
  assert_int_equal(asp_context_memory_in_use(context), 0);
  asp_context_destroy(context);
}

static void every_kth_allocation_failure_is_clean(void **state) {
  (void)state;
  char text[16384];
  size_t used = 0;
  ascii_box(text, "box", &used);
  write_file("memory.stl", text, used);
  bool done = false;
  for (long k = 0; !done && k < 1000; k++) {
    FailingAllocator failing;
    AspContext *context = failing_context(&failing);
    long live = failing.live;
    failing.until_failure = k;
    AspHull *hull;
    double filled;
    AspError error = asp_hull_read_mesh(context, FOLDER "memory.stl", NULL, 1, &hull, &filled);
    done = error == ASP_OK;
    assert_true(done || error == ASP_ERROR_MEMORY);
    asp_hull_destroy(context, hull);
    assert_int_equal(failing.live, live);
    failing.until_failure = -1;
    asp_context_destroy(context);
  }
  assert_true(done);
}

#define SCENE                                                                                                          \
  "{\"materials\": [{\"pair\": [\"*\", \"*\"], \"friction\": 0}], \"bodies\": ["                                       \
  "{\"mass\": 1, \"shapes\": [{\"type\": \"convex\", %s}]},"                                                           \
  "{\"mass\": 1, \"position\": [9, 0, 0], \"shapes\": [{\"type\": \"convex\", %s}]}]}"

static AspError parse(AspContext *context, const char *shape, AspScene *scene) {
  char text[2048];
  snprintf(text, sizeof text, SCENE, shape, shape);
  return asp_scene_parse(context, text, strlen(text), FOLDER "scene.json", scene, NULL);
}

/* The L of two boxes fills 3 of the 3.5 m^3 of its hull, a prism. */
static void scene_warns_of_a_hollow_mesh_and_a_compound_keeps_it(void **state) {
  (void)state;
  char text[16384] = "";
  size_t used = 0;
  const double low[2][3] = {{0, 0, 0}, {0, 0, 1}}, high[2][3] = {{2, 1, 1}, {1, 1, 2}};
  for (int part = 0; part < 2; part++) {
    used += (size_t)sprintf(text + used, "o part%d\n", part);
    for (int i = 0; i < 8; i++)
      used += (size_t)sprintf(text + used, "v %g %g %g\n", i & 1 ? high[part][0] : low[part][0],
                              i & 2 ? high[part][1] : low[part][1], i & 4 ? high[part][2] : low[part][2]);
    for (int f = 0; f < 6; f++)
      used += (size_t)sprintf(text + used, "f %d %d %d %d\n", quad[f][0] - 8, quad[f][1] - 8, quad[f][2] - 8,
                              quad[f][3] - 8);
  }
  write_file("ell.obj", text, used);
  AspContext *context = asp_context_create(NULL);
  AspScene scene;
  assert_ok(context, parse(context, "\"file\": \"ell.obj\"", &scene));
  assert_int_equal(scene.hull_count, 1); // read once for two shapes
  assert_int_equal(scene.warnings.count, 1);
  assert_non_null(strstr(scene.warnings.line[0], "/bodies/0/shapes/0/file: "));
  assert_non_null(strstr(scene.warnings.line[0],
                         "ell.obj is not convex, or not closed: THE SHAPE IS ITS CONVEX HULL of "
                         "3.5 m^3, of which the mesh fills 85.71 %; hollows of 0.5 m^3"));
  asp_scene_destroy(context, &scene);
  assert_ok(context, parse(context, "\"file\": \"ell.obj\", \"object\": \"part1\"", &scene));
  assert_int_equal(scene.warnings.count, 0);
  assert_near(scene.hull[0]->unit.mass, 1, 1e-12);
  asp_scene_destroy(context, &scene);
  assert_int_equal(asp_context_memory_in_use(context), 0);
  asp_context_destroy(context);
}

static void scene_mistakes_about_files_are_named(void **state) {
  (void)state;
  static const char *const cases[][2] = {
      {"\"file\": \"none.stl\"", "/bodies/0/shapes/0/file: "},
      {"\"density\": 1", "/bodies/0/shapes/0: points or file is missing"},
      {"\"file\": \"ell.obj\", \"points\": [[0,0,0],[1,0,0],[0,1,0],[0,0,1]]",
       "points and file are both given; keep one"},
      {"\"points\": [[0,0,0],[1,0,0],[0,1,0],[0,0,1]], \"scale\": 2", "/bodies/0/shapes/0/scale: belongs to a file"},
      {"\"file\": \"ell.obj\", \"scale\": 0", "/bodies/0/shapes/0/scale: 0 is not > 0 m"},
      {"\"file\": 7", "/bodies/0/shapes/0/file: expected a text"}};
  AspContext *context = asp_context_create(NULL);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    AspScene scene;
    assert_int_equal(parse(context, cases[i][0], &scene), ASP_ERROR_INPUT);
    if (!strstr(asp_context_message(context), cases[i][1]))
      fail_msg("'%s' does not say '%s'", asp_context_message(context), cases[i][1]);
  }
  assert_int_equal(asp_context_memory_in_use(context), 0);
  asp_context_destroy(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_format_gives_the_same_box),
      cmocka_unit_test(points_count_when_faces_use_them_or_when_there_are_none),
      cmocka_unit_test(collada_is_placed_by_its_scene_in_metres),
      cmocka_unit_test(msh_has_points_and_triangles),
      cmocka_unit_test(broken_files_are_named_with_line_or_byte),
      cmocka_unit_test(damaged_files_give_an_error_or_a_hull),
      cmocka_unit_test(every_kth_allocation_failure_is_clean),
      cmocka_unit_test(scene_warns_of_a_hollow_mesh_and_a_compound_keeps_it),
      cmocka_unit_test(scene_mistakes_about_files_are_named),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
