/* Ten meshes that are not convex drop and come to rest as the true solids do: pose and contact points against closed
 * forms, with a ball in the hollow that the convex hull would hit. */
#include "io/scene_testing.h"
#include "linalg/vec3.h"
#include "shape/mesh_makers.h"

#include <stdio.h>

/* A profile in the x-y plane that stands on y = 0, and a ball in its hollow. */
typedef struct Profile {
  const char *name;
  double point[64][2];
  int count;
  double ball[3]; /* x, y, radius */
} Profile;

static const Profile profiles[] = {
    {"angle", {{0, 0}, {3, 0}, {3, 1}, {1, 1}, {1, 3}, {0, 3}}, 6, {1.7, 1.7, 0.3}},
    {"channel", {{0, 0}, {1, 0}, {1, 1}, {2, 1}, {2, 0}, {3, 0}, {3, 2}, {0, 2}}, 8, {1.5, 0.4, 0.3}},
    {"tee", {{0, 0}, {3, 0}, {3, 1}, {2, 1}, {2, 3}, {1, 3}, {1, 1}, {0, 1}}, 8, {2.35, 1.45, 0.2}},
    {"cross",
     {{1, 0}, {2, 0}, {2, 1}, {3, 1}, {3, 2}, {2, 2}, {2, 3}, {1, 3}, {1, 2}, {0, 2}, {0, 1}, {1, 1}},
     12,
     {2.25, 0.75, 0.15}},
    {"comb",
     {{0, 0}, {1, 0}, {1, 1}, {2, 1}, {2, 0}, {3, 0}, {3, 1}, {4, 1}, {4, 0}, {5, 0}, {5, 2}, {0, 2}},
     12,
     {1.5, 0.4, 0.3}},
    {"double-channel",
     {{0, 0}, {1, 0}, {1, 1}, {2, 1}, {2, 0}, {3, 0}, {3, 3}, {2, 3}, {2, 2}, {1, 2}, {1, 3}, {0, 3}},
     12,
     {1.5, 0.4, 0.3}},
    {"zed", {{0, 0}, {2, 0}, {2, 2}, {3, 2}, {3, 3}, {1, 3}, {1, 1}, {0, 1}}, 8, {2.3, 1.5, 0.2}},
    {"bracket", {{0, 0}, {1, 0}, {2, 2}, {3, 0}, {4, 0}, {2.5, 3}, {1.5, 3}}, 7, {2, 0.7, 0.3}},
};

/* On the inner corners of two teeth: their angles from below are 15 - 3.75 degrees. */
static Profile gear(void) {
  Profile made = {.name = "gear", .ball = {0, 0, 0.03}};
  double at[64][2], lower = acos(-1) / 180;
  made.count = wheel_polygon(12, 0.8, 1, at);
  double turn = -112.5 * lower, rest = cos(11.25 * lower);
  for (int i = 0; i < made.count; i++) {
    made.point[i][0] = cos(turn) * at[i][0] - sin(turn) * at[i][1];
    made.point[i][1] = sin(turn) * at[i][0] + cos(turn) * at[i][1] + rest;
  }
  made.ball[1] = rest - 0.9;
  return made;
}

static void write_mesh(const char *path, const TestMesh *mesh) {
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  for (int i = 0; i < mesh->points; i++)
    fprintf(file, "v %.17g %.17g %.17g\n", mesh->point[i].x, mesh->point[i].y, mesh->point[i].z);
  for (int t = 0; t < mesh->triangles; t++)
    fprintf(file, "f %d %d %d\n", mesh->triangle[t][0] + 1, mesh->triangle[t][1] + 1, mesh->triangle[t][2] + 1);
  assert_int_equal(fclose(file), 0);
}

/* Area and centroid of the polygon. */
static double area_of(const Profile *p, double centre[2]) {
  double area = 0;
  centre[0] = centre[1] = 0;
  for (int i = 0; i < p->count; i++) {
    const double *a = p->point[i], *b = p->point[(i + 1) % p->count];
    double part = 0.5 * (a[0] * b[1] - b[0] * a[1]);
    area += part;
    for (int k = 0; k < 2; k++)
      centre[k] += part * (a[k] + b[k]) / 3;
  }
  centre[0] /= area;
  centre[1] /= area;
  return area;
}

/* Ends of what touches the ground: the profile's points with y = 0. */
static void base_of(const Profile *p, double ends[2]) {
  ends[0] = INFINITY;
  ends[1] = -INFINITY;
  for (int i = 0; i < p->count; i++)
    if (fabs(p->point[i][1]) < 1e-12) {
      ends[0] = fmin(ends[0], p->point[i][0]);
      ends[1] = fmax(ends[1], p->point[i][0]);
    }
}

static void assert_contacts(const TestScene *test, const Profile *p) {
  double ends[2], found[2] = {INFINITY, -INFINITY}, deep[2] = {INFINITY, -INFINITY};
  base_of(p, ends);
  int count = asp_world_contact_count(test->world), part = asp_model_find_body(test->scene.model, "part");
  const AspContactRecord *contacts = asp_world_contacts(test->world);
  for (int i = 0; i < count; i++) {
    if (contacts[i].gap > 1e-4)
      continue;
    assert_true(contacts[i].body_a == 0 || contacts[i].body_b == 0); // the ground, not the ball
    assert_true(contacts[i].body_a == part || contacts[i].body_b == part);
    assert_near(contacts[i].point.y, 0, 1e-5);
    found[0] = fmin(found[0], contacts[i].point.x);
    found[1] = fmax(found[1], contacts[i].point.x);
    deep[0] = fmin(deep[0], contacts[i].point.z);
    deep[1] = fmax(deep[1], contacts[i].point.z);
  }
  for (int k = 0; k < 2; k++) {
    assert_near(found[k], 0.1 * ends[k], 1e-5);
    assert_near(deep[k], 0.1 * k, 1e-5);
  }
}

static void drop_profile(const Profile *p) {
  static TestMesh mesh;
  char path[512], text[2400];
  mesh = (TestMesh){0};
  mesh_prism(&mesh, (const double(*)[2])p->point, p->count, 0, 1);
  snprintf(path, sizeof path, "%s/decompose-%s.obj", ASP_BINARY_DIR, p->name);
  write_mesh(path, &mesh);
  snprintf(
      text, sizeof text,
      "{'gravity': [0, -9.81, 0], 'materials': [{'pair': ['*', '*'], 'friction': 0.5}], 'bodies': [{'name': "
      "'ground', 'fixed': true, 'shapes': [{'type': 'half-space', 'normal': [0, 1, 0]}]}, {'name': 'ball', "
      "'fixed': true, 'shapes': [{'type': 'sphere', 'radius': %.17g, 'position': [%.17g, %.17g, 0.05]}]}, {'name': "
      "'part', 'position': [0, 0.001, 0], 'shapes': [{'type': 'convex', 'file': '%s', 'scale': 0.1, 'decompose': "
      "1e-6, 'density': 1000}]}], 'run': {'dt': 0.002, 'until': 0.2}}",
      0.1 * p->ball[2], 0.1 * p->ball[0], 0.1 * p->ball[1], path);
  TestScene test = test_scene_start(text, NULL);
  double centre[2], area = area_of(p, centre);
  int part = asp_model_find_body(test.scene.model, "part");
  assert_near(asp_model_body_mass(test.scene.model, part), area, 1e-9 * area); // 1000 kg/m^3 * 0.1^3
  assert_int_equal(test.scene.notes.count, 1);
  test_scene_run(&test);
  AspVec3 at = test_scene_position(&test, "part");
  assert_near(at.x, 0.1 * centre[0], 1e-5);
  assert_near(at.y, 0.1 * centre[1], 1e-5);
  assert_near(at.z, 0.05, 1e-5);
  AspQuat turn = asp_state_pose(test.scene.model, asp_world_state(test.world), part).orientation;
  assert_near(norm3(vec3(turn.x, turn.y, turn.z)), 0, 1e-4);
  assert_contacts(&test, p);
  test_scene_end(&test);
}

static void profiles_rest_on_their_feet_and_leave_their_hollows_free(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof profiles / sizeof *profiles; i++)
    drop_profile(&profiles[i]);
  Profile wheel = gear();
  drop_profile(&wheel);
}

/* A ball in a mug: it lies on the bottom, the mug on the ground. */
static void a_ball_comes_to_rest_in_a_mug(void **state) {
  (void)state;
  static TestMesh mesh;
  char path[512], text[1600];
  mesh = (TestMesh){0};
  mesh_cup(&mesh, 16, 1, 0.8, 2, 0.3);
  snprintf(path, sizeof path, "%s/decompose-mug.obj", ASP_BINARY_DIR);
  write_mesh(path, &mesh);
  snprintf(text, sizeof text,
           "{'gravity': [0, 0, -9.81], 'materials': [{'pair': ['*', '*'], 'friction': 0.5}], 'bodies': [{'name': "
           "'ground', 'fixed': true, 'shapes': [{'type': 'half-space'}]}, {'name': 'mug', 'position': [0, 0, 0.0005], "
           "'shapes': [{'type': 'convex', 'file': '%s', 'scale': 0.05, 'decompose': 1e-6, 'density': 2000}]}, {'name': "
           "'ball', 'position': [0, 0, 0.027], 'shapes': [{'type': 'sphere', 'radius': 0.01, 'density': 1000}]}],"
           "'run': {'dt': 0.001, 'until': 0.15}}",
           path);
  TestScene test = test_scene_start(text, NULL);
  double unit = 8 * sin(acos(-1) / 8), full = 2 * unit, hole = 1.7 * 0.64 * unit;
  double centre = (full * 1 - hole * (0.3 + 0.85)) / (full - hole);
  assert_near(asp_model_body_mass(test.scene.model, 1), 2000 * pow(0.05, 3) * (full - hole), 1e-9);
  test_scene_run(&test);
  assert_near(test_scene_position(&test, "mug").z, 0.05 * centre, 1e-5);
  assert_near(test_scene_position(&test, "ball").z, 0.05 * 0.3 + 0.01, 1e-5);
  assert_near(test_scene_position(&test, "ball").x, 0, 1e-4);
  test_scene_end(&test);
}

static void mistakes_are_named_with_key_value_and_remedy(void **state) {
  (void)state;
  char path[512], text[1200];
  snprintf(path, sizeof path, "%s/decompose-open.obj", ASP_BINARY_DIR);
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  fprintf(file, "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\n");
  assert_int_equal(fclose(file), 0);
  snprintf(text, sizeof text,
           "{'bodies': [{'mass': 1, 'shapes': [{'type': 'convex', 'file': '%s', 'decompose': 0.01}]}]}", path);
  assert_scene_refused(text, "/bodies/0/shapes/0/decompose: ");
  assert_scene_refused(text, "the mesh is not closed: 3 edges have a triangle on one side only");
  snprintf(text, sizeof text, "{'bodies': [{'mass': 1, 'shapes': [{'type': 'convex', 'file': '%s', 'decompose': 0}]}]}",
           path);
  assert_scene_refused(text, "/bodies/0/shapes/0/decompose: 0 is not > 0 m");
  assert_scene_refused("{'bodies': [{'mass': 1, 'shapes': [{'type': 'sphere', 'radius': 1, 'decompose': 0.1}]}]}",
                       "/bodies/0/shapes/0/decompose: ");
  assert_scene_refused("{'bodies': [{'mass': 1, 'shapes': [{'type': 'convex', 'decompose': 0.1, 'points': [[0, 0, 0],"
                       "[1, 0, 0], [0, 1, 0], [0, 0, 1]]}]}]}",
                       "/bodies/0/shapes/0/decompose: belongs to a file; there is none");
  assert_scene_refused(
      "{'bodies': [{'mass': 1, 'shapes': [{'type': 'convex', 'decompose': 0.1, 'file': 'none.obj'}]}]}",
      "/bodies/0/shapes/0/file: none.obj: No such file");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(profiles_rest_on_their_feet_and_leave_their_hollows_free),
      cmocka_unit_test(a_ball_comes_to_rest_in_a_mug),
      cmocka_unit_test(mistakes_are_named_with_key_value_and_remedy),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
