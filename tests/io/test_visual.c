/* Shapes that are drawn only: no contact, no mass, the same bits; in the result and the exports. */
#include "result_testing.h"
#include "scene_testing.h"

/* A box of 2 kg falls onto a plate beside its `visual`. */
static const char scene_format[] =
    "{'materials': [{'pair': ['*', '*'], 'friction': 0.5}],"
    "'bodies': [{'name': 'plate', 'fixed': true, 'shapes': [{'type': 'box', 'size': [2, 2, 0.2]}]},"
    "{'name': 'box', 'position': [0, 0, 0.3], 'angular_velocity': [1, 2, 0],"
    "'shapes': [{'type': 'box', 'size': [0.2, 0.2, 0.2], 'position': [0.1, 0, 0], 'density': 250}]%s}],"
    "'run': {'scheme': '%s', 'dt': 0.005, 'until': 0.4}}";

static const char drawn[] = ", 'visual': [{'type': 'sphere', 'radius': 3}, {'type': 'convex', 'points': [[0, 0, 0], "
                            "[1, 0, 0], [0, 1, 0], [0, 0, 1]], 'position': [0, 0, 0.5]}]";

static TestScene start_with(const char *visual, const char *scheme) {
  char text[2048];
  snprintf(text, sizeof text, scene_format, visual, scheme);
  return test_scene_start(text, NULL);
}

static void a_drawing_changes_no_bit_in_any_scheme(void **state) {
  (void)state;
  for (int s = 0; s < ASP_SCHEME_COUNT; s++) {
    const char *scheme = asp_scheme_name((AspScheme)s);
    if (strcmp(scheme, "compliant") == 0) // needs constants of its own
      continue;
    TestScene with = start_with(drawn, scheme), without = start_with("", scheme);
    assert_int_equal(asp_model_drawing_count(with.scene.model), 2);
    assert_int_equal(asp_model_shape_count(with.scene.model), asp_model_shape_count(without.scene.model));
    assert_true(test_scene_run(&with) == test_scene_run(&without));
    const AspState *a = asp_world_state(with.world), *b = asp_world_state(without.world);
    assert_memory_equal(a->q, b->q, (size_t)asp_model_q_size(with.scene.model) * sizeof(double));
    assert_memory_equal(a->v, b->v, (size_t)asp_model_v_size(with.scene.model) * sizeof(double));
    test_scene_end(&with);
    test_scene_end(&without);
  }
}

static Run run_with(const char *visual, const char *result) {
  char text[2048];
  snprintf(text, sizeof text, scene_format, visual, "moreau-jean");
  char *json = test_scene_text(text);
  Run run = open_run_text(json, result);
  free(json);
  start_writing(&run);
  for (int i = 0; i < 3; i++)
    step(&run);
  return run;
}

/* A mesh that is not convex comes as its triangles, not as its hull, behind the shapes. */
static void a_result_has_the_triangles_of_a_drawn_mesh(void **state) {
  (void)state;
  Run run =
      run_with(", 'visual': [{'type': 'convex', 'file': '" ASP_SOURCE_DIR "/scenes/meshes/bracket.obj'}]", "visual.h5");
  AspHull *hull = NULL;
  double filled;
  assert_ok(run.context,
            asp_hull_read_mesh(run.context, ASP_SOURCE_DIR "/scenes/meshes/bracket.obj", NULL, 1, &hull, &filled));
  assert_true(filled < 0.9); // the mesh is not convex
  asp_hull_destroy(run.context, hull);
  const AspHull *mesh = asp_model_drawing(run.scene.model, 0, NULL)->shape.hull;
  double triangles = mesh->face_count;
  assert_ok(run.context, asp_result_close(run.writer, run.world));
  hid_t file = open_file(run.path);
  assert_column(file, "/shapes/drawn", 3, 1, (const double[]){0, 0, 1});
  assert_column(file, "/shapes/body", 3, 1, (const double[]){0, 1, 1});
  assert_column(file, "/shapes/vertex_count", 3, 1, (const double[]){0, 0, 3 * triangles});
  hsize_t rows;
  size_t width;
  double *corner = read_all(file, "/vertices/position", &rows, &width);
  for (int t = 0; t < mesh->face_count; t++)
    for (int i = 0; i < 3; i++)
      assert_true(corner[9 * t + 3 * i] == mesh->vertices[mesh->face_vertex[3 * t + i]].x);
  free(corner);
  H5Fclose(file);
  asp_world_destroy(run.world);
  asp_scene_destroy(run.context, &run.scene);
  assert_int_equal(asp_context_memory_in_use(run.context), 0);
  asp_context_destroy(run.context);
}

/* Eight points of the plate, and those of the drawing in place of the box. */
static void exports_show_drawings_in_place_of_shapes(void **state) {
  (void)state;
  static const char *const visuals[] = {"", ", 'visual': [{'type': 'box', 'size': [6, 6, 6]}]",
                                        ", 'visual': [{'type': 'convex', 'points': [[0, 0, 0], [1, 0, 0], [0, 1, 0], "
                                        "[0, 0, 1]]}]"};
  static const int points[] = {16, 16, 8 + 12};
  for (size_t i = 0; i < sizeof visuals / sizeof *visuals; i++) {
    Run run = run_with(visuals[i], "visual.h5");
    char path[600], result[512], line[4096], wanted[64];
    snprintf(result, sizeof result, "%s", run.path);
    close_run(&run);
    AspContext *context = asp_context_create(NULL);
    snprintf(path, sizeof path, "%s/visual.pvd", ASP_BINARY_DIR);
    assert_ok(context, asp_result_export_vtk(context, result, path));
    snprintf(path, sizeof path, "%s/visual.glb", ASP_BINARY_DIR);
    assert_ok(context, asp_result_export_gltf(context, result, path));
    snprintf(path, sizeof path, "%s/visual/bodies_0000.vtp", ASP_BINARY_DIR);
    FILE *in = fopen(path, "r");
    assert_non_null(in);
    snprintf(wanted, sizeof wanted, "NumberOfPoints=\"%d\"", points[i]);
    bool found = false;
    while (fgets(line, sizeof line, in))
      found = found || strstr(line, wanted);
    assert_true(found);
    fclose(in);
    asp_context_destroy(context);
  }
}

static void mistakes_are_named(void **state) {
  (void)state;
  static const struct {
    const char *visual, *says;
  } broken[] = {
      {", 'visual': [{'type': 'convex', 'file': 'nowhere.stl'}]", "/bodies/1/visual/0/file: nowhere.stl: No such file"},
      {", 'visual': [{'type': 'sphere', 'radius': 1, 'density': 1}]", "/bodies/1/visual/0/density: unknown key"},
      {", 'visual': [{'type': 'sphere', 'radius': 1, 'contact': false}]", "/bodies/1/visual/0/contact: unknown key"},
      {", 'visual': [{'type': 'sphere'}]", "/bodies/1/visual/0/radius: missing"},
      {", 'visual': [{'type': 'convex'}]", "/bodies/1/visual/0: points or file is missing"},
      {", 'visual': {'type': 'sphere', 'radius': 1}", "/bodies/1/visual: expected a list"},
  };
  for (size_t i = 0; i < sizeof broken / sizeof *broken; i++) {
    char text[2048];
    snprintf(text, sizeof text, scene_format, broken[i].visual, "moreau-jean");
    assert_scene_refused(text, broken[i].says);
  }
}

/* Triangles to draw are no hull, and are refused where they would touch. */
static void a_drawn_mesh_is_no_contact_shape(void **state) {
  (void)state;
  AspContext *context = asp_context_create(NULL);
  const AspVec3 points[] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
  const int triangle[][3] = {{0, 1, 2}}, wrong[][3] = {{0, 1, 3}};
  AspHull *hull = NULL;
  assert_int_equal(asp_hull_from_triangles(context, points, 3, wrong, 1, &hull), ASP_ERROR_INPUT);
  assert_int_equal(asp_hull_from_triangles(context, points, 3, triangle, 0, &hull), ASP_ERROR_INPUT);
  assert_null(hull);
  assert_ok(context, asp_hull_from_triangles(context, points, 3, triangle, 1, &hull));
  AspModel *model = NULL;
  int body = 0, material = 0;
  assert_ok(context, asp_model_create(context, 3, &model));
  AspBodyDef def = asp_body_default();
  def.kind = ASP_BODY_FIXED;
  assert_ok(context, asp_model_add_body(model, &def, &body));
  assert_ok(context, asp_model_material(model, "m", &material));
  AspShapeAttachment it = {.shape = asp_shape_default(ASP_SHAPE_CONVEX), .material = material};
  it.shape.hull = hull;
  it.pose.orientation.w = 1;
  assert_ok(context, asp_model_add_drawing(model, body, &it));
  assert_int_equal(asp_model_attach_shape(model, body, &it), ASP_ERROR_ARGUMENT);
  assert_non_null(strstr(asp_context_message(context), "to be drawn"));
  AspModel *clone = NULL;
  assert_ok(context, asp_model_clone(context, model, &clone));
  assert_int_equal(asp_model_drawing_count(clone), 1);
  assert_ptr_equal(asp_model_drawing(clone, 0, NULL)->shape.hull, hull);
  asp_model_destroy(clone);
  asp_model_destroy(model);
  asp_hull_destroy(context, hull);
  assert_int_equal(asp_context_memory_in_use(context), 0);
  asp_context_destroy(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_drawing_changes_no_bit_in_any_scheme),
      cmocka_unit_test(a_result_has_the_triangles_of_a_drawn_mesh),
      cmocka_unit_test(exports_show_drawings_in_place_of_shapes),
      cmocka_unit_test(mistakes_are_named),
      cmocka_unit_test(a_drawn_mesh_is_no_contact_shape),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
