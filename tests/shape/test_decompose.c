/* Convex decomposition: pieces fill the solid, and nothing else. */
#include "asperity/shape.h"
#include "shape/mesh_makers.h"

static AspDecomposition decompose(AspContext *context, const TestMesh *mesh, double error) {
  AspDecomposition made;
  AspError status = asp_mesh_decompose(context, mesh->point, mesh->points, (const int(*)[3])mesh->triangle,
                                       mesh->triangles, error, &made);
  if (status != ASP_OK)
    fail_msg("%s", asp_context_message(context));
  return made;
}

static void assert_pieces(const TestMesh *mesh, double volume, int most) {
  AspContext *context = asp_context_create(NULL);
  AspDecomposition made = decompose(context, mesh, 1e-6);
  assert_near(made.volume, volume, 1e-12);
  assert_near(made.excess, 0, 1e-6 * volume);
  assert_near(made.distance, 0, 1e-6);
  assert_true(made.count <= most);
  asp_decomposition_destroy(context, &made);
  assert_int_equal(asp_context_memory_in_use(context), 0);
  asp_context_destroy(context);
}

static TestMesh mesh;

static void prism(const double (*p)[2], int count) {
  mesh = (TestMesh){0};
  mesh_prism(&mesh, p, count, 0, 1);
}

static void polyhedra_are_met_exactly_with_few_pieces(void **state) {
  (void)state;
  static const double l[][2] = {{0, 0}, {3, 0}, {3, 1}, {1, 1}, {1, 2}, {0, 2}};
  prism(l, 6);
  assert_pieces(&mesh, 4, 2);
  static const double u[][2] = {{0, 0}, {3, 0}, {3, 2}, {2, 2}, {2, 1}, {1, 1}, {1, 2}, {0, 2}};
  prism(u, 8);
  assert_pieces(&mesh, 5, 3);
  static const double cross[][2] = {{1, 0}, {2, 0}, {2, 1}, {3, 1}, {3, 2}, {2, 2},
                                    {2, 3}, {1, 3}, {1, 2}, {0, 2}, {0, 1}, {1, 1}};
  prism(cross, 12);
  assert_pieces(&mesh, 5, 3);
  double wheel[64][2];
  int count = wheel_polygon(12, 0.8, 1, wheel);
  prism((const double(*)[2])wheel, count);
  double area = 0;
  for (int i = 0; i < count; i++) {
    int j = (i + 1) % count;
    area += 0.5 * (wheel[i][0] * wheel[j][1] - wheel[j][0] * wheel[i][1]);
  }
  assert_pieces(&mesh, area, 20);
  mesh = (TestMesh){0};
  mesh_cup(&mesh, 16, 1, 0.8, 2, 0.3);
  double unit = 8 * sin(acos(-1) / 8);
  assert_pieces(&mesh, unit * 2 - unit * 0.64 * 1.7, 20);
}

static void turned_meshes_have_exact_pieces_too(void **state) {
  (void)state;
  static const double u[][2] = {{0, 0}, {3, 0}, {3, 2}, {2, 2}, {2, 1}, {1, 1}, {1, 2}, {0, 2}};
  prism(u, 8);
  AspQuat turn = quat_from_axis_angle(vec3(0.3, -0.5, 0.8), 1.1);
  for (int i = 0; i < mesh.points; i++)
    mesh.point[i] = add3(quat_rotate(turn, mesh.point[i]), vec3(5, -3, 2));
  assert_pieces(&mesh, 5, 3);
}

/* A hole through the middle, and a closed hollow inside. */
static void holes_and_cavities_stay_free(void **state) {
  (void)state;
  mesh = (TestMesh){0};
  mesh_cup(&mesh, 8, 2, 1, 1, 0);
  double unit = 4 * sin(acos(-1) / 4);
  assert_pieces(&mesh, 3 * unit, 8);
  static const double outer[][2] = {{-2, -2}, {2, -2}, {2, 2}, {-2, 2}},
                      inner[][2] = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}};
  mesh = (TestMesh){0};
  mesh_prism(&mesh, inner, 4, -1, 1);
  for (int t = 0; t < mesh.triangles; t++) { // turned: the solid is outside
    int swap = mesh.triangle[t][1];
    mesh.triangle[t][1] = mesh.triangle[t][2];
    mesh.triangle[t][2] = swap;
  }
  mesh_prism(&mesh, outer, 4, -2, 2);
  assert_pieces(&mesh, 64 - 8, 6);
}

/* A fine tube: fewer pieces where an error is allowed, and no more error than that. */
static void the_error_stays_within_what_is_allowed(void **state) {
  (void)state;
  AspContext *context = asp_context_create(NULL);
  mesh = (TestMesh){0};
  mesh_cup(&mesh, 24, 1, 0.8, 1, 0);
  int before = 1000;
  for (double error = 0.015; error < 0.1; error *= 4) {
    AspDecomposition made = decompose(context, &mesh, error), again = decompose(context, &mesh, error);
    assert_true(made.count < before);
    assert_true(made.excess > 0 && made.excess < 0.5 * made.volume);
    assert_true(made.distance <= error);
    assert_int_equal(made.count, again.count);
    for (int i = 0; i < made.count; i++) {
      const AspHull *p = made.piece[i], *q = again.piece[i];
      assert_int_equal(p->vertex_count, q->vertex_count);
      assert_memory_equal(p->vertices, q->vertices, (size_t)p->vertex_count * sizeof *p->vertices);
    }
    before = made.count;
    asp_decomposition_destroy(context, &made);
    asp_decomposition_destroy(context, &again);
  }
  asp_context_destroy(context);
}

static void what_is_no_solid_is_refused_by_name(void **state) {
  (void)state;
  AspContext *context = asp_context_create(NULL);
  static const double square[][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
  prism(square, 4);
  const int(*triangles)[3] = (const int(*)[3])mesh.triangle;
  AspDecomposition made;
  assert_int_equal(asp_mesh_decompose(context, mesh.point, 8, triangles, mesh.triangles - 1, 1, &made),
                   ASP_ERROR_INPUT);
  assert_non_null(strstr(asp_context_message(context), "not closed: 3 edges"));
  assert_int_equal(asp_mesh_decompose(context, mesh.point, 8, triangles, mesh.triangles, 0, &made), ASP_ERROR_ARGUMENT);
  assert_int_equal(asp_mesh_decompose(context, mesh.point, 5, triangles, mesh.triangles, 1, &made), ASP_ERROR_INPUT);
  assert_int_equal(asp_mesh_decompose(context, mesh.point, 8, triangles, 0, 1, &made), ASP_ERROR_INPUT);
  assert_int_equal(asp_context_memory_in_use(context), 0);
  asp_context_destroy(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(polyhedra_are_met_exactly_with_few_pieces),
      cmocka_unit_test(turned_meshes_have_exact_pieces_too),
      cmocka_unit_test(holes_and_cavities_stay_free),
      cmocka_unit_test(the_error_stays_within_what_is_allowed),
      cmocka_unit_test(what_is_no_solid_is_refused_by_name),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
