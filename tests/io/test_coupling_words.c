/* Broken couplings, gears, racks and screws: the message names key, value and remedy. */
#include "io/scene_testing.h"

#define JOINTS(more)                                                                                                   \
  "{'bodies': [{'name': 'a', 'mass': 1, 'inertia': [1, 1, 1]}, {'name': 'b', 'mass': 1, 'inertia': [1, 1, 1]},"        \
  "{'name': 'c', 'mass': 1, 'inertia': [1, 1, 1]}], 'joints': ["                                                       \
  "{'name': 'turn', 'type': 'revolute', 'bodies': ['world', 'a'], 'point': [0, 0, 0], 'axis': [0, 0, 1]},"             \
  "{'name': 'slide', 'type': 'prismatic', 'bodies': ['world', 'b'], 'axis': [0, 0, 1]},"                               \
  "{'name': 'ball', 'type': 'spherical', 'bodies': ['world', 'c'], 'point': [0, 0, 0]}," more "]}"

static void couplings_that_cannot_be_are_refused(void **state) {
  (void)state;
  assert_scene_refused(JOINTS("{'type': 'gear', 'joints': ['turn', 'slide'], 'ratio': 2}"),
                       "/joints/3/joints/1: 'slide' does not turn; a gear takes two joints that turn");
  assert_scene_refused(JOINTS("{'type': 'rack', 'joints': ['slide', 'turn'], 'radius': 2}"),
                       "/joints/3/joints/0: 'slide' does not turn");
  assert_scene_refused(JOINTS("{'type': 'rack', 'joints': ['turn', 'slide'], 'radius': 0}"),
                       "/joints/3/radius: 0 couples nothing; give a number other than 0");
  assert_scene_refused(JOINTS("{'type': 'rack', 'joints': ['turn', 'slide']}"),
                       "/joints/3/radius: missing; type 'rack' needs a number");
  assert_scene_refused(JOINTS("{'type': 'gear', 'joints': ['turn'], 'ratio': 2}"),
                       "/joints/3/joints: 1 names; a gear has two joints");
  assert_scene_refused(JOINTS("{'type': 'rack', 'joints': ['turn', 'slide', 'turn'], 'radius': 2}"),
                       "/joints/3/joints: 3 names; a rack has two joints, a coupling may have more");
  assert_scene_refused(
      JOINTS("{'type': 'coupling', 'joints': ['turn', 'slid'], 'factors': [1, 2]}"),
      "/joints/3/joints/1: no joint 'slid' before this one; joints are coupled by those listed behind");
  assert_scene_refused(JOINTS("{'type': 'coupling', 'joints': ['turn', 'slide'], 'factors': [1]}"),
                       "/joints/3/factors: 1 numbers for 2 joints; give one for each");
  assert_scene_refused(JOINTS("{'type': 'coupling', 'joints': ['turn', 'slide'], 'factors': [1, 0]}"),
                       "the factor of 'slide' is 0; it must be a number other than 0");
  assert_scene_refused(JOINTS("{'type': 'coupling', 'joints': ['turn', 'ball'], 'factors': [1, 2]}"),
                       "'ball' is a spherical joint; a coupling takes revolute, prismatic and screw joints");
  assert_scene_refused(JOINTS("{'type': 'coupling', 'joints': ['turn', 'turn'], 'factors': [1, 2]}"),
                       "'turn' is named twice");
  assert_scene_refused(JOINTS("{'type': 'coupling', 'joints': ['slide', 'turn'], 'factors': [1, 2], 'limits_deg': [-1, "
                              "1]}"),
                       "/joints/3/limits_deg: the joint slides: give limits, in metres");
  assert_scene_refused(JOINTS("{'type': 'gear', 'bodies': ['a', 'b'], 'joints': ['turn', 'slide'], 'ratio': 1}"),
                       "/joints/3/bodies: type 'gear' has no such key");
}

static void screws_that_cannot_be_are_refused(void **state) {
  (void)state;
#define SCREW(more) JOINTS("{'type': 'screw', 'bodies': ['world', 'a'], 'point': [0, 0, 0], 'axis': [0, 0, 1]" more "}")
  assert_scene_refused(SCREW(""), "/joints/3/pitch: missing; type 'screw' needs a number");
  assert_scene_refused(SCREW(", 'pitch': 0"), "pitch: 0 m per turn; a screw needs a number other than 0");
  assert_scene_refused(SCREW(", 'pitch': 1, 'friction_coefficient': 0.1"),
                       "/joints/3/friction_coefficient: type 'screw' has no such key");
  assert_scene_refused("{'dimension': 2, 'bodies': [{'name': 'a', 'mass': 1, 'inertia': 1}], 'joints': [{'type': "
                       "'screw', 'bodies': ['world', 'a'], 'point': [0, 0]}]}",
                       "/joints/0/type: 'screw' is not one of");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(couplings_that_cannot_be_are_refused),
      cmocka_unit_test(screws_that_cannot_be_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
