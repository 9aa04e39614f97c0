/* What a scene means: each key against a closed form or against another way to say the same. */
#define _POSIX_C_SOURCE 200809L
#include "asperity/io.h"
#include "linalg/vec3.h"
#include "testing.h"

#include <dirent.h>

typedef struct Reading {
  AspContext *context;
  AspScene scene;
} Reading;

/* Single quotes stand for double quotes: JSON in C reads better that way. */
static Reading read_scene(const char *text) {
  Reading reading = {.context = asp_context_create(NULL)};
  size_t length = strlen(text);
  char *copy = malloc(length + 1);
  assert_non_null(copy);
  for (size_t i = 0; i <= length; i++)
    copy[i] = text[i] == '\'' ? '"' : text[i];
  assert_ok(reading.context, asp_scene_parse(reading.context, copy, length, "scene", &reading.scene, NULL));
  free(copy);
  return reading;
}

static void drop(Reading *reading) {
  asp_scene_destroy(reading->context, &reading->scene);
  assert_int_equal(asp_context_memory_in_use(reading->context), 0);
  asp_context_destroy(reading->context);
}

static void assert_vector(AspVec3 a, double x, double y, double z, double tolerance) {
  assert_near(a.x, x, tolerance);
  assert_near(a.y, y, tolerance);
  assert_near(a.z, z, tolerance);
}

/* The state of the model at t = 0. */
static AspState initial(const Reading *reading) {
  AspState state;
  assert_ok(reading->context, asp_state_create(reading->scene.model, &state));
  return state;
}

static void every_published_scene_is_read_without_mistakes(void **state) {
  (void)state;
  DIR *folder = opendir(ASP_SOURCE_DIR "/scenes");
  assert_non_null(folder);
  int scenes = 0;
  for (struct dirent *entry = readdir(folder); entry; entry = readdir(folder)) {
    if (!strstr(entry->d_name, ".json"))
      continue;
    char path[512];
    snprintf(path, sizeof path, "%s/scenes/%s", ASP_SOURCE_DIR, entry->d_name);
    AspContext *context = asp_context_create(NULL);
    AspScene scene;
    AspMistakes mistakes;
    assert_ok(context, asp_scene_read(context, path, &scene, &mistakes));
    assert_int_equal(mistakes.count, 0);
    asp_scene_destroy(context, &scene);
    assert_int_equal(asp_context_memory_in_use(context), 0);
    asp_context_destroy(context);
    scenes++;
  }
  closedir(folder);
  assert_true(scenes >= 10);
}

static void the_text_is_kept_and_a_name_comes_from_the_file_when_none_is_given(void **state) {
  (void)state;
  AspContext *context = asp_context_create(NULL);
  const char *text = "\xEF\xBB\xBF{\"bodies\": [{\"fixed\": true}]}"; // with a byte order mark
  AspScene scene;
  assert_ok(context, asp_scene_parse(context, text, strlen(text), "some/folder/see-saw.v2.json", &scene, NULL));
  assert_string_equal(scene.name, "see-saw.v2");
  assert_string_equal(scene.text, text);
  assert_string_equal(asp_model_body_name(scene.model, 0), "body0");
  asp_scene_destroy(context, &scene);
  asp_context_destroy(context);
}

/* ---- mass ---- */

static void density_gives_mass_centre_and_inertia_of_the_union(void **state) {
  (void)state;
  // two cubes of 1 m and densities 1 and 3 side by side, in a turned frame, spinning
  Reading reading = read_scene("{'materials': [{'pair': ['*', '*'], 'friction': 0}], 'bodies': [{'name': 'bar',"
                               " 'position': [1, 2, 3], 'orientation': {'axis': [0, 0, 2], 'angle_deg': 90},"
                               " 'velocity': [5, 0, 0], 'angular_velocity': [0, 0, 2], 'shapes': ["
                               "{'type': 'box', 'size': [1, 1, 1], 'density': 1},"
                               "{'type': 'box', 'size': [1, 1, 1], 'density': 3, 'position': [1, 0, 0]}]}]}");
  const AspModel *model = reading.scene.model;
  AspState at_start = initial(&reading);
  assert_near(asp_model_body_mass(model, 0), 4, 1e-15);
  assert_vector(reading.scene.centre[0], 0.75, 0, 0, 1e-15);
  // body x points along world y
  assert_vector(asp_state_pose(model, &at_start, 0).position, 1, 2.75, 3, 1e-15);
  assert_vector(asp_state_velocity(model, &at_start, 0), 5 - 2 * 0.75, 0, 0, 1e-15);
  // Steiner: 4 (1/6) + 1 * 0.75^2 + 3 * 0.25^2 about y and z, 4/6 about x
  AspMat3 inertia = asp_model_body_inertia(model, 0);
  assert_near(inertia.m[0], 4.0 / 6, 1e-15);
  assert_near(inertia.m[4], 4.0 / 6 + 0.75, 1e-15);
  assert_near(inertia.m[8], 4.0 / 6 + 0.75, 1e-15);
  int body = -1;
  assert_vector(asp_model_shape(model, 0, &body)->pose.position, -0.75, 0, 0, 1e-15);
  assert_vector(asp_model_shape(model, 1, &body)->pose.position, 0.25, 0, 0, 1e-15);
  asp_state_destroy(model, &at_start);
  drop(&reading);
}

static void mass_without_inertia_scales_that_of_the_shapes(void **state) {
  (void)state;
  Reading reading = read_scene(
      "{'dimension': 2, 'materials': [{'pair': ['*', '*'], 'friction': 0}], 'bodies': ["
      "{'name': 'disk', 'mass': 6, 'shapes': [{'type': 'disk', 'radius': 2}, {'type': 'point', 'position': [9, 9]}]},"
      "{'name': 'heavy half', 'mass': 6, 'shapes': [{'type': 'box', 'size': [2, 1]},"
      " {'type': 'box', 'size': [1, 3], 'position': [4, 0], 'density': 7}]}]}");
  const AspModel *model = reading.scene.model;
  assert_near(asp_model_body_mass(model, 0), 6, 0);
  assert_near(asp_model_body_inertia(model, 0).m[8], 0.5 * 6 * 4, 1e-14); // m r^2 / 2; the point adds nothing
  assert_vector(reading.scene.centre[0], 0, 0, 0, 0);
  // where a shape has a density, shapes without one have no mass
  assert_near(asp_model_body_inertia(model, 1).m[8], 6 * (1 + 9) / 12.0, 1e-14);
  assert_vector(reading.scene.centre[1], 4, 0, 0, 1e-15);
  drop(&reading);
}

static void given_mass_and_inertia_put_the_centre_at_the_position(void **state) {
  (void)state;
  Reading reading = read_scene("{'materials': [{'pair': ['*', '*'], 'friction': 0}], 'bodies': [{'mass': 2,"
                               " 'inertia': [4, 5, 6, 0.1, 0.2, 0.3], 'position': [1, 0, 0],"
                               " 'shapes': [{'type': 'sphere', 'radius': 1, 'position': [0, 0, 5]}]}]}");
  const AspModel *model = reading.scene.model;
  const double expected[9] = {4, 0.1, 0.2, 0.1, 5, 0.3, 0.2, 0.3, 6};
  AspMat3 inertia = asp_model_body_inertia(model, 0);
  for (int i = 0; i < 9; i++)
    assert_near(inertia.m[i], expected[i], 1e-15);
  assert_vector(reading.scene.centre[0], 0, 0, 0, 0);
  int body = -1;
  assert_vector(asp_model_shape(model, 0, &body)->pose.position, 0, 0, 5, 0);
  drop(&reading);
}

/* ---- orientation and angles ---- */

static void an_orientation_can_be_said_in_three_ways(void **state) {
  (void)state;
  Reading reading = read_scene("{'bodies': [{'fixed': true, 'orientation': [0.8660254037844386, 0, -0.5, 0]},"
                               "{'fixed': true, 'orientation': {'axis': [0, -3, 0], 'angle': 1.0471975511965976}},"
                               "{'fixed': true, 'orientation': {'axis': [0, -1, 0], 'angle_deg': 60}}]}");
  AspState at_start = initial(&reading);
  for (int body = 0; body < 3; body++) {
    AspQuat q = asp_state_pose(reading.scene.model, &at_start, body).orientation;
    assert_near(q.w, sqrt(0.75), 1e-15);
    assert_vector(vec3(q.x, q.y, q.z), 0, -0.5, 0, 1e-15);
  }
  asp_state_destroy(reading.scene.model, &at_start);
  drop(&reading);
}

static void degrees_say_the_same_as_radians_for_every_key_that_has_both(void **state) {
  (void)state;
  const char *form =
      "{'dimension': 2, 'bodies': [{'name': 'base', 'motion': {'rotation%s': %s}},"
      "{'name': 'arm', 'mass': 1, 'inertia': 1, 'angle%s': %s, 'angular_velocity%s': %s}],"
      "'joints': [{'type': 'revolute', 'bodies': ['base', 'arm'], 'point': [0, 0], 'initial%s': %s,"
      " 'limits%s': [%s, null], 'motor': {'velocity%s': '%s*t'}, 'spring': {'stiffness': 1, 'rest%s': %s}}],"
      "'run': {'friction': {'angle%s': %s}}}";
  char text[2][1024];
  const char *degrees = "45", *radians = "0.78539816339744831";
  snprintf(text[0], sizeof text[0], form, "", radians, "", radians, "", radians, "", radians, "", radians, "", radians,
           "", radians, "", radians);
  snprintf(text[1], sizeof text[1], form, "_deg", degrees, "_deg", degrees, "_deg", degrees, "_deg", degrees, "_deg",
           degrees, "_deg", degrees, "_deg", degrees, "_deg", degrees);
  const double angle = acos(-1) / 4;
  for (int i = 0; i < 2; i++) {
    Reading reading = read_scene(text[i]);
    const AspModel *model = reading.scene.model;
    AspState at_start = initial(&reading);
    assert_near(at_start.q[2], angle, 1e-15);
    assert_near(at_start.q[5], angle, 1e-15);
    assert_near(at_start.v[5], angle, 1e-15);
    const AspJointDef *def = asp_model_joint_def(model, 0);
    assert_near(def->initial, angle, 1e-15);
    assert_near(def->limit_low, angle, 1e-15);
    assert_true(def->limit_high == INFINITY);
    assert_true(def->motor_effort == INFINITY);
    assert_near(def->rest, angle, 1e-15);
    AspJet velocity;
    double effort = 0;
    assert_true(asp_joint_motor(model, NULL, 0, 2, &velocity, &effort));
    assert_near(velocity.value, 2 * angle, 1e-15);
    assert_near(reading.scene.run.angle, angle, 1e-15);
    asp_state_destroy(model, &at_start);
    drop(&reading);
  }
}

static void prescribed_angles_may_be_expressions_in_degrees(void **state) {
  (void)state;
  Reading reading = read_scene("{'bodies': [{'name': 'a', 'mass': 1, 'inertia': [1, 1, 1]}], 'joints': [{'type': "
                               "'revolute', 'bodies': ['world', 'a'], 'point': [0, 0, 0], 'axis': [0, 0, 1],"
                               " 'angle_deg': '30 + 60*t'}]}");
  AspJet motion;
  assert_true(asp_joint_motion(reading.scene.model, NULL, 0, 0.5, &motion));
  assert_near(motion.value, acos(-1) / 3, 1e-15);
  assert_near(motion.rate, acos(-1) / 3, 1e-15);
  assert_near(asp_model_joint_def(reading.scene.model, 0)->initial, acos(-1) / 6, 1e-15);
  drop(&reading);
}

/* ---- shapes ---- */

static void a_normal_turns_the_half_space_onto_itself(void **state) {
  (void)state;
  const double normals[][3] = {{0, 0, 1}, {0, 0, -2}, {1, 0, 0}, {0.3, -0.4, 0.5}, {0, -1, 0}};
  for (int i = 0; i < 5; i++) {
    char text[256];
    snprintf(text, sizeof text,
             "{'bodies': [{'fixed': true, 'shapes': [{'type': 'half-space', 'normal': [%g, %g, %g]}]}]}", normals[i][0],
             normals[i][1], normals[i][2]);
    Reading reading = read_scene(text);
    int body = -1;
    AspQuat q = asp_model_shape(reading.scene.model, 0, &body)->pose.orientation;
    AspVec3 n = unit3(vec3(normals[i][0], normals[i][1], normals[i][2]));
    assert_vector(quat_rotate(q, vec3(0, 0, 1)), n.x, n.y, n.z, 1e-15);
    drop(&reading);
  }
  Reading plane = read_scene("{'dimension': 2, 'bodies': [{'fixed': true, 'shapes': [{'type': 'half-plane', 'normal': "
                             "[-3, 4]}, {'type': 'half-plane'}]}]}");
  int body = -1;
  assert_vector(quat_rotate(asp_model_shape(plane.scene.model, 0, &body)->pose.orientation, vec3(0, 1, 0)), -0.6, 0.8,
                0, 1e-15);
  assert_vector(quat_rotate(asp_model_shape(plane.scene.model, 1, &body)->pose.orientation, vec3(0, 1, 0)), 0, 1, 0, 0);
  drop(&plane);
}

static void sizes_are_full_extents(void **state) {
  (void)state;
  Reading reading = read_scene("{'bodies': [{'fixed': true, 'shapes': [{'type': 'box', 'size': [2, 4, 6]},"
                               "{'type': 'sphere', 'radius': 3, 'position': [1, 2, 3]}]}]}");
  int body = -1;
  assert_vector(asp_model_shape(reading.scene.model, 0, &body)->shape.half_extents, 1, 2, 3, 0);
  assert_near(asp_model_shape(reading.scene.model, 1, &body)->shape.radius, 3, 0);
  assert_vector(asp_model_shape(reading.scene.model, 1, &body)->pose.position, 1, 2, 3, 0);
  drop(&reading);
}

static void groups_and_masks_become_bits_in_the_order_of_appearance(void **state) {
  (void)state;
  Reading reading =
      read_scene("{'materials': [{'pair': ['*', '*'], 'friction': 0}], 'bodies': [{'fixed': true, 'shapes': ["
                 "{'type': 'point', 'mask': ['gear', 'dust']}, {'type': 'point', 'group': ['gear']},"
                 "{'type': 'point', 'group': ['dust', 'gear'], 'mask': []}, {'type': 'point'},"
                 "{'type': 'point', 'group': [], 'mask': []}]}]}");
  const uint32_t all = UINT32_MAX, expected[][2] = {{all, 3}, {1, all}, {3, 0}, {all, all}, {all, 0}};
  int body = -1;
  for (int i = 0; i < 5; i++) {
    const AspShapeAttachment *shape = asp_model_shape(reading.scene.model, i, &body);
    assert_int_equal(shape->group, expected[i][0]);
    assert_int_equal(shape->mask, expected[i][1]);
  }
  drop(&reading);
  Reading numbers =
      read_scene("{'bodies': [{'fixed': true, 'shapes': [{'type': 'point', 'group': [0, 31], 'mask': [4]}]}]}");
  assert_int_equal(asp_model_shape(numbers.scene.model, 0, &body)->group, 0x80000001u);
  assert_int_equal(asp_model_shape(numbers.scene.model, 0, &body)->mask, 16);
  drop(&numbers);
}

static void long_shapes_and_hulls_have_the_mass_of_their_volume(void **state) {
  (void)state;
  const double pi = acos(-1);
  Reading reading = read_scene(
      "{'materials': [{'pair': ['*', '*'], 'friction': 0}], 'bodies': ["
      "{'shapes': [{'type': 'cylinder', 'radius': 2, 'length': 6, 'density': 1}]},"
      "{'shapes': [{'type': 'capsule', 'radius': 1, 'length': 3, 'density': 1}]},"
      "{'shapes': [{'type': 'cone', 'radius': 1, 'length': 4, 'density': 1}]},"
      "{'shapes': [{'type': 'convex', 'points': [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], 'density': 6}]},"
      "{'fixed': true, 'shapes': [{'type': 'height-field', 'spacing': [1, 2], 'heights': [[0, 1, 2], [3, 4, 5]]}]}]}");
  const AspModel *model = reading.scene.model;
  const double volumes[] = {24 * pi, 3 * pi + 4 * pi / 3, 4 * pi / 3, 1};
  for (int i = 0; i < 4; i++)
    assert_near(asp_model_body_mass(model, i), volumes[i], 1e-13 * volumes[i]);
  assert_vector(reading.scene.centre[2], 0, 0, -1, 1e-14); // a quarter of the height above the base at z = -2
  assert_vector(reading.scene.centre[3], 0.25, 0.25, 0.25, 1e-15);
  int body = -1;
  const AspHeightField *field = asp_model_shape(model, 4, &body)->shape.field;
  assert_non_null(field);
  assert_int_equal(field->columns, 3);
  assert_int_equal(field->rows, 2);
  assert_near(field->dy, 2, 0);
  assert_near(field->heights[4], 4, 0);
  drop(&reading);
  Reading plane =
      read_scene("{'dimension': 2, 'materials': [{'pair': ['*', '*'], 'friction': 0}], 'bodies': [{'shapes': ["
                 "{'type': 'polygon', 'points': [[0, 0], [3, 0], [0, 3]], 'density': 2}]}]}");
  assert_near(asp_model_body_mass(plane.scene.model, 0), 9, 1e-14);
  assert_vector(plane.scene.centre[0], 1, 1, 0, 1e-15);
  drop(&plane);
}

/* ---- materials ---- */

static double friction_between(const Reading *reading, const char *a, const char *b) {
  AspModel *model = reading->scene.model;
  int id_a = -1, id_b = -1;
  for (int i = 0; i < asp_model_material_count(model); i++) {
    id_a = strcmp(asp_model_material_name(model, i), a) == 0 ? i : id_a;
    id_b = strcmp(asp_model_material_name(model, i), b) == 0 ? i : id_b;
  }
  assert_true(id_a >= 0 && id_b >= 0);
  const AspPairLaw *law = asp_model_pair(model, id_a, id_b), *mirrored = asp_model_pair(model, id_b, id_a);
  assert_true((law == NULL) == (mirrored == NULL));
  if (law)
    assert_near(mirrored->friction, law->friction, 0);
  return law ? law->friction : NAN;
}

static void the_pair_itself_beats_one_wildcard_beats_two(void **state) {
  (void)state;
  Reading reading =
      read_scene("{'materials': [{'pair': ['*', '*'], 'friction': 0.1}, {'pair': ['*', 'ice'], 'friction': 0.2},"
                 "{'pair': ['steel', 'ice'], 'friction': 0.3, 'restitution': 0.5}], 'bodies': ["
                 "{'fixed': true, 'shapes': [{'type': 'half-space', 'material': 'ice'}]},"
                 "{'mass': 1, 'shapes': [{'type': 'sphere', 'radius': 1, 'material': 'steel'}]},"
                 "{'mass': 1, 'shapes': [{'type': 'sphere', 'radius': 1, 'material': 'wood'}]},"
                 "{'mass': 1, 'shapes': [{'type': 'sphere', 'radius': 1}]}]}");
  assert_near(friction_between(&reading, "steel", "ice"), 0.3, 0);
  assert_near(friction_between(&reading, "wood", "ice"), 0.2, 0);
  assert_near(friction_between(&reading, "default", "ice"), 0.2, 0);
  assert_near(friction_between(&reading, "steel", "wood"), 0.1, 0);
  assert_true(isnan(friction_between(&reading, "ice", "ice"))); // one fixed body: never meets itself
  drop(&reading);
}

static void only_pairs_that_can_meet_need_a_law(void **state) {
  (void)state;
  // two fixed bodies; two shapes of one body; points; groups that ignore each other
  Reading reading = read_scene(
      "{'materials': [{'pair': ['a', 'b'], 'friction': 0.5}], 'bodies': ["
      "{'fixed': true, 'shapes': [{'type': 'half-space', 'material': 'a', 'group': ['one']}]},"
      "{'fixed': true, 'shapes': [{'type': 'half-space', 'material': 'c', 'group': ['two']}]},"
      "{'mass': 1, 'inertia': [1, 1, 1], 'shapes': [{'type': 'sphere', 'radius': 1, 'material': 'b', 'mask': ['one'],"
      " 'group': ['one']}]},"
      "{'mass': 1, 'inertia': [1, 1, 1], 'shapes': [{'type': 'point', 'material': 'd', 'mask': []}]}]}");
  assert_near(friction_between(&reading, "a", "b"), 0.5, 0);
  assert_true(isnan(friction_between(&reading, "b", "c")));
  drop(&reading);
}

/* ---- joints, forces, motion, run ---- */

static void the_world_is_a_fixed_body_made_once_when_first_named(void **state) {
  (void)state;
  Reading reading =
      read_scene("{'bodies': [{'name': 'a', 'mass': 1, 'inertia': [1, 1, 1], 'position': [0, 0, 2]}],"
                 "'joints': [{'type': 'fixed', 'bodies': ['world', 'a']}],"
                 "'forces': [{'type': 'spring', 'bodies': ['a', 'world'], 'points': [[0, 0, 2], [0, 3, 6]],"
                 " 'stiffness': 8, 'damping': 2}]}");
  const AspModel *model = reading.scene.model;
  assert_int_equal(asp_model_body_count(model), 2);
  assert_string_equal(asp_model_body_name(model, 1), "world");
  assert_int_equal(asp_model_body_kind(model, 1), ASP_BODY_FIXED);
  assert_vector(asp_model_joint_def(model, 0)->point, 0, 0, 2, 0); // the position of B
  const AspForceDef *spring = asp_model_force_def(model, 0);
  assert_vector(spring->point_b, 0, 3, 6, 0);
  assert_near(spring->rest_length, 5, 1e-15); // the initial distance
  assert_near(spring->stiffness, 8, 0);
  assert_near(spring->damping, 2, 0);
  assert_string_equal(asp_model_joint_name(model, 0), "joint0");
  assert_string_equal(asp_model_force_name(model, 0), "force0");
  drop(&reading);
}

static void a_body_called_world_is_that_body(void **state) {
  (void)state;
  Reading reading = read_scene("{'bodies': [{'name': 'world', 'fixed': true, 'position': [1, 1, 1]},"
                               "{'name': 'a', 'mass': 1, 'inertia': [1, 1, 1]}],"
                               "'joints': [{'type': 'spherical', 'bodies': ['world', 'a'], 'point': [0, 0, 0]}]}");
  assert_int_equal(asp_model_body_count(reading.scene.model), 2);
  assert_int_equal(asp_model_joint_def(reading.scene.model, 0)->body_a, 0);
  drop(&reading);
}

static void forces_take_numbers_and_expressions(void **state) {
  (void)state;
  Reading reading =
      read_scene("{'bodies': [{'name': 'a', 'mass': 2, 'inertia': [1, 1, 1], 'position': [1, 0, 0],"
                 " 'orientation': {'axis': [0, 0, 1], 'angle_deg': 90}}], 'forces': ["
                 "{'type': 'force', 'body': 'a', 'force': [1, '2 + t', 0]},"
                 "{'type': 'force', 'body': 'a', 'force': [10, 0, 0], 'frame': 'body', 'point': [1, 0, 3]},"
                 "{'type': 'torque', 'body': 'a', 'torque': [0, 0, 7]}]}");
  const AspModel *model = reading.scene.model;
  AspState at_start = initial(&reading);
  double h[6];
  asp_model_forces(model, &at_start, h);
  // body x is world y: 10 N along y, 3 m above the centre, turns about -x
  const double expected[6] = {1, 2 + 10, 0, -30, 0, 7};
  for (int i = 0; i < 6; i++)
    assert_near(h[i], expected[i], 1e-14);
  asp_state_destroy(model, &at_start);
  drop(&reading);
}

static void forces_in_the_plane_have_two_components_and_one_torque(void **state) {
  (void)state;
  Reading reading =
      read_scene("{'dimension': 2, 'gravity': [0, -10], 'bodies': [{'name': 'a', 'mass': 2, 'inertia': 1}],"
                 "'forces': [{'type': 'force', 'body': 'a', 'force': [3, 4], 'point': [0, 1]},"
                 "{'type': 'torque', 'body': 'a', 'torque': '5*cos(t)'}]}");
  AspState at_start = initial(&reading);
  double h[3];
  asp_model_forces(reading.scene.model, &at_start, h);
  assert_near(h[0], 3, 0);
  assert_near(h[1], 4 - 20, 0);
  assert_near(h[2], 5 - 3, 0);
  asp_state_destroy(reading.scene.model, &at_start);
  drop(&reading);
}

static void a_prescribed_body_follows_its_expressions(void **state) {
  (void)state;
  Reading reading =
      read_scene("{'bodies': [{'name': 'belt', 'orientation': {'axis': [1, 0, 0], 'angle_deg': 90},"
                 " 'motion': {'position': ['2*t', 1, '3'], 'rotation_deg': '90*t', 'axis': [0, 0, 5]}}]}");
  const AspModel *model = reading.scene.model;
  AspState now = initial(&reading);
  assert_int_equal(asp_model_body_kind(model, 0), ASP_BODY_KINEMATIC);
  assert_vector(asp_state_pose(model, &now, 0).position, 0, 1, 3, 0);
  now.t = 1;
  asp_state_initial(model, &now);
  assert_vector(asp_state_pose(model, &now, 0).position, 2, 1, 3, 1e-15);
  assert_vector(asp_state_velocity(model, &now, 0), 2, 0, 0, 1e-15);
  assert_vector(asp_state_angular_velocity(model, &now, 0), 0, 0, acos(-1) / 2, 1e-15);
  // body z: first turned about x to -y, then about z to x
  assert_vector(quat_rotate(asp_state_pose(model, &now, 0).orientation, vec3(0, 0, 1)), 1, 0, 0, 1e-15);
  asp_state_destroy(model, &now);
  drop(&reading);
}

static void run_options_are_read_and_the_others_keep_their_defaults(void **state) {
  (void)state;
  Reading reading = read_scene("{'bodies': [{'fixed': true}], 'run': {'scheme': 'stewart-trinkle', 'solver': 'lemke',"
                               "'friction': {'model': 'circumscribed', 'directions': 16}, 'mixed': true, 'dt': 0.5,"
                               "'until': 3, 'tolerance': 1e-6, 'output_every': 10}}");
  const AspRunOptions *run = &reading.scene.run;
  AspRunOptions initial_options = asp_run_default_options();
  assert_int_equal(run->method, ASP_METHOD_LEMKE);
  assert_int_equal(run->cone, ASP_CONE_CIRCUMSCRIBED);
  assert_int_equal(run->directions, 16);
  assert_true(run->mixed);
  assert_near(run->dt, 0.5, 0);
  assert_near(run->until, 3, 0);
  assert_near(run->tolerance, 1e-6, 0);
  assert_int_equal(run->output_every, 10);
  assert_near(run->margin, initial_options.margin, 0);
  assert_int_equal(run->threads, initial_options.threads);
  assert_ok(reading.context, asp_run_validate(reading.context, run));
  drop(&reading);
}

static void joints_get_all_that_acts_on_their_coordinate(void **state) {
  (void)state;
  Reading reading =
      read_scene("{'bodies': [{'name': 'a', 'mass': 1, 'inertia': [1, 1, 1]}], 'joints': [{'name': 'rail',"
                 "'type': 'prismatic', 'bodies': ['world', 'a'], 'axis': [0, 0, 4], 'friction': 0.5,"
                 "'limits': [-1, 2], 'motor': {'velocity': 3, 'effort': 7},"
                 "'spring': {'stiffness': 10, 'damping': 0.1, 'rest': 0.2}, 'initial': 0.25}]}");
  const AspJointDef *def = asp_model_joint_def(reading.scene.model, 0);
  assert_int_equal(def->kind, ASP_JOINT_PRISMATIC);
  assert_vector(def->axis, 0, 0, 1, 0);
  const double found[] = {def->friction,  def->limit_low, def->limit_high, def->motor_effort,
                          def->stiffness, def->damping,   def->rest,       def->initial};
  const double expected[] = {0.5, -1, 2, 7, 10, 0.1, 0.2, 0.25};
  for (int i = 0; i < 8; i++)
    assert_near(found[i], expected[i], 0);
  AspJet velocity;
  double effort = 0;
  assert_true(asp_joint_motor(reading.scene.model, NULL, 0, 0, &velocity, &effort));
  assert_near(velocity.value, 3, 0);
  drop(&reading);
}

static void a_polygon_that_is_not_convex_is_a_warning(void **state) {
  (void)state;
  static const char *const points[] = {"[[0, 0], [2, 0], [2, 2], [1, 0.5], [0, 2]]",        // a corner inside
                                       "[[0, 0], [2, 0], [2, 2], [0, 2], [0, 1], [0, 0]]"}; // on an edge, twice
  for (int i = 0; i < 2; i++) {
    char text[512];
    snprintf(text, sizeof text,
             "{'dimension': 2, 'materials': [{'pair': ['*', '*'], 'friction': 0}], 'bodies': [{'mass': 1, "
             "'shapes': [{'type': 'polygon', 'points': %s, 'material': 'a'}]}]}",
             points[i]);
    Reading reading = read_scene(text);
    assert_int_equal(reading.scene.warnings.count, i == 0);
    if (i == 0)
      assert_non_null(
          strstr(reading.scene.warnings.line[0], "/bodies/0/shapes/0/points: point 3 lies inside the hull"));
    drop(&reading);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_polygon_that_is_not_convex_is_a_warning),
      cmocka_unit_test(every_published_scene_is_read_without_mistakes),
      cmocka_unit_test(the_text_is_kept_and_a_name_comes_from_the_file_when_none_is_given),
      cmocka_unit_test(density_gives_mass_centre_and_inertia_of_the_union),
      cmocka_unit_test(mass_without_inertia_scales_that_of_the_shapes),
      cmocka_unit_test(given_mass_and_inertia_put_the_centre_at_the_position),
      cmocka_unit_test(an_orientation_can_be_said_in_three_ways),
      cmocka_unit_test(degrees_say_the_same_as_radians_for_every_key_that_has_both),
      cmocka_unit_test(prescribed_angles_may_be_expressions_in_degrees),
      cmocka_unit_test(a_normal_turns_the_half_space_onto_itself),
      cmocka_unit_test(sizes_are_full_extents),
      cmocka_unit_test(groups_and_masks_become_bits_in_the_order_of_appearance),
      cmocka_unit_test(long_shapes_and_hulls_have_the_mass_of_their_volume),
      cmocka_unit_test(the_pair_itself_beats_one_wildcard_beats_two),
      cmocka_unit_test(only_pairs_that_can_meet_need_a_law),
      cmocka_unit_test(the_world_is_a_fixed_body_made_once_when_first_named),
      cmocka_unit_test(a_body_called_world_is_that_body),
      cmocka_unit_test(forces_take_numbers_and_expressions),
      cmocka_unit_test(forces_in_the_plane_have_two_components_and_one_torque),
      cmocka_unit_test(a_prescribed_body_follows_its_expressions),
      cmocka_unit_test(run_options_are_read_and_the_others_keep_their_defaults),
      cmocka_unit_test(joints_get_all_that_acts_on_their_coordinate),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
