/* Broken scenes: each is refused with one line that names file, key path and what would be right. */
#define _POSIX_C_SOURCE 200809L
#include "asperity/io.h"
#include "failing_allocator.h"
#include "testing.h"

#include <dirent.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAX_FRAGMENTS 3

typedef struct BrokenScene {
  const char *name; /* tests/io/broken/NAME.json */
  const char *fragments[MAX_FRAGMENTS];
} BrokenScene;

static const BrokenScene broken[] = {
    {"unknown-key", {"/bodies/1/mas: unknown key; did you mean 'mass'?"}},
    {"unknown-key-far", {"/bodies/1/colour: unknown key; known here: name, fixed, "}},
    {"unknown-key-with-slash", {"/a~1b~0c: unknown key"}},
    {"unknown-top-key", {"/gravitiy: unknown key; did you mean 'gravity'?"}},
    {"wrong-case-key", {"/bodies/1/Mass: unknown key; did you mean 'mass'?"}},
    {"wrong-type", {"/bodies/1/mass: 'heavy', column 1: 'heavy' is not known; expected a parameter of"}},
    {"wrong-type-list", {"/bodies: expected a list of objects, found an object"}},
    {"wrong-type-body", {"/bodies/2: expected an object, found a number"}},
    {"null-value", {"/bodies/1/mass: expected a number, found null"}},
    {"negative-mass", {"/bodies/1/mass: -1 is not > 0 kg"}},
    {"zero-radius", {"/bodies/1/shapes/0/radius: 0 is not > 0 m"}},
    {"non-unit-quaternion", {"/bodies/1/orientation: the quaternion [w, x, y, z] has length 1.0049"}},
    {"zero-rotation-axis", {"/bodies/1/orientation/axis: the axis has no length"}},
    {"duplicate-name", {"/bodies/1/name: another body is called 'ground'"}},
    {"duplicate-key", {"/bodies/1/mass: this key is given twice"}},
    {"dangling-body", {"/joints/0/bodies/1: no body is called 'bal'; did you mean 'ball'?"}},
    {"dangling-force-body", {"/forces/0/body: no body is called 'moon'"}},
    {"input-named-t", {"/inputs/0: input 't': the name has a meaning in expressions already; choose another"}},
    {"input-with-a-blank", {"/inputs/0: input 'motor speed': the name is not one that expressions can use"}},
    {"input-given-twice", {"/inputs/1: input 'push': the name is already taken"}},
    {"input-without-name", {"/inputs/0/name: missing"}},
    {"input-not-declared",
     {"/forces/0/force/0: '2*pull', column 3: 'pull' is not known; expected a parameter or input of"}},
    {"self-joint", {"/joints/0/bodies: both are 'ball'"}},
    {"beam-without-stiffness", {"/beams/0/mass_per_length: missing; give it, or youngs_modulus with density"}},
    {"beam-half-a-section", {"/beams/0/height: missing; youngs_modulus needs density and the cross-section"}},
    {"beam-section-without-modulus", {"/beams/0/youngs_modulus: missing; width is of no use without it"}},
    {"beam-round-and-rectangular", {"/beams/0/radius: the cross-section is round or rectangular; remove width"}},
    {"beam-station-beyond", {"/beams/0/stations/0: station 'tip': 1.5 m is not on the beam"}},
    {"beam-station-with-density", {"/beams/0/stations/0/shapes: shape 0 has a density"}},
    {"beam-named-like-a-body", {"/beams/0: beam 'blade': the name 'blade.end' of its end is taken by a body"}},
    {"beam-with-the-name-of-a-body", {"/beams/0: beam 'blade': the name is taken by a body; a beam needs another one"}},
    {"beam-of-too-many-elements", {"/beams/0/elements: 4097 is outside [1, 4096]"}},
    {"beam-of-two-gauss-points", {"/beams/0: beam 'blade': gauss_points: 2 is not in 3 .. 13"}},
    {"beam-of-unknown-strain", {"/beams/0/axial_strain: 'reduced'", "mixed, plain"}},
    {"beam-of-degree-1", {"/beams/0/degree: 1 is outside [2, 12]"}},
    {"joint-of-fixed-bodies", {"/joints/0: "}},
    {"one-body-joint", {"/joints/0/bodies: expected [name, name], found a list of 1"}},
    {"nan", {"line ", "'NaN' is not a JSON value; numbers must be finite"}},
    {"infinity", {"'Infinity' is not a JSON value; numbers must be finite"}},
    {"huge-number", {"/bodies/1/mass: the number is too large; it must be finite"}},
    {"huge-number-in-list", {"/gravity/2: the number is too large"}},
    {"leading-zero", {"not a number of JSON"}},
    {"bare-point", {"not a number of JSON"}},
    {"empty", {"the file is empty"}},
    {"blank", {"the file is empty"}},
    {"trailing-garbage", {"'}' where the end of the file should be"}},
    {"trailing-comma", {"comma before a closing bracket"}},
    {"missing-comma", {"where ',' or '}' should be"}},
    {"missing-colon", {"'1' where ':' should be"}},
    {"comment", {"JSON has no comments"}},
    {"single-quotes", {"''' where a key in double quotes should be"}},
    {"bare-word", {"'ball' is not a JSON value; texts stand in double quotes"}},
    {"unclosed-text", {"this text is not closed on its line"}},
    {"unclosed-bracket", {"the text ends where ',' or '}' should follow"}},
    {"mismatched-bracket", {"'}' where ',' or ']' should be"}},
    {"control-character", {"control character in a text"}},
    {"bad-escape", {"unknown escape"}},
    {"zero-character", {"the character \\u0000 is not allowed"}},
    {"half-a-surrogate-pair", {"line 28, column", "half of a \\u pair"}},
    {"not-utf8", {"not UTF-8; save the file as UTF-8"}},
    {"utf16", {"this is UTF-16"}},
    {"zero-byte", {"control character 0"}},
    {"not-an-object", {"a scene is a JSON object"}},
    {"no-bodies", {"/bodies: missing; a scene needs at least one body or beam"}},
    {"empty-bodies", {"/bodies: a scene needs at least one body or beam"}},
    {"dimension-4", {"/dimension: 4 is outside [2, 3]"}},
    {"law-missing-among-equals", {"/materials: 'rubber' and 'rubber' can touch (bodies 'left' and 'right')"}},
    {"missing-pair",
     {"/materials: 'floor' and 'rubber' can touch (bodies 'ground' and 'ball'), but no law is given; add {\"pair\": "
      "[\"floor\", \"rubber\"], \"friction\": ...}"}},
    {"negative-friction", {"/materials/0/friction: -0.1 is not >= 0"}},
    {"restitution-above-one", {"/materials/0/restitution: 1.5 is outside [0, 1]"}},
    {"missing-friction", {"/materials/0/friction: missing; expected a number"}},
    {"pair-given-twice", {"/materials/1/pair: the pair 'floor', 'rubber' is given twice"}},
    {"wildcards-disagree", {"/materials: 'floor' meets 'rubber', and the laws of both with \"*\" differ"}},
    {"wildcard-shape", {"/bodies/1/shapes/0/material: '*' stands for any material"}},
    {"vector-of-two", {"/bodies/1/position: expected [x, y, z], found a list of 2"}},
    {"text-in-vector", {"/bodies/1/position/1: 'up', column 1: 'up' is not known"}},
    {"unknown-shape", {"/bodies/1/shapes/0/type: 'spher' is not one of point, sphere, ", "did you mean 'sphere'?"}},
    {"sphere-without-radius", {"/bodies/1/shapes/0/radius: missing; type 'sphere' needs a number"}},
    {"box-with-radius", {"/bodies/1/shapes/0/radius: type 'box' has no such key"}},
    {"flat-hull", {"/bodies/1/shapes/0/points: "}},
    {"point-of-two-numbers", {"/bodies/1/shapes/0/points/1: expected [x, y, z], found a list of 2"}},
    {"ragged-heights", {"/bodies/0/shapes/0/heights: list 1 has 3 numbers, the first one 2"}},
    {"one-row-of-heights", {"/bodies/0/shapes/0/heights: "}},
    {"text-in-heights", {"/bodies/0/shapes/0/heights/0/1: 'a', column 1: 'a' is not known"}},
    {"capsule-without-length", {"/bodies/1/shapes/0/length: missing; type 'capsule' needs a number"}},
    {"plane-key-in-space", {"/bodies/1/angle: this key is for 2D scenes only"}},
    {"sphere-in-plane", {"/bodies/0/shapes/0/type: 'sphere' is not one of ", "(it exists in 3D scenes)"}},
    {"orientation-in-plane", {"/bodies/0/orientation: this key is for 3D scenes only"}},
    {"missing-mass", {"/bodies/1/mass: missing; a free body needs a mass, or a density"}},
    {"inertia-without-mass", {"/bodies/1/mass: missing; inertia is given without mass"}},
    {"no-inertia", {"/bodies/1/inertia: missing; no shape of the body has a volume"}},
    {"density-beside-inertia", {"/bodies/1/inertia: mass and inertia are given, so is a density of shape 0"}},
    {"indefinite-inertia", {"/bodies/1: ", "inertia", "is not positive definite"}},
    {"inertia-of-four", {"/bodies/1/inertia: expected [xx, yy, zz] or [xx, yy, zz, xy, xz, yz], found a list of 4"}},
    {"fixed-with-velocity", {"/bodies/0/velocity: a fixed body takes no velocity"}},
    {"velocity-beyond-numbers", {"/bodies/1/velocity/0: 1e+200 is outside [-1e+15, 1e+15] m/s"}},
    {"gravity-beyond-numbers", {"/gravity/2: -1e+300 is outside [-1e+15, 1e+15] m/s^2"}},
    {"position-beyond-numbers", {"/bodies/1/position/2: 1e+300 is outside [-1e+15, 1e+15] m"}},
    {"spin-beyond-numbers", {"/bodies/1/angular_velocity/2: -1e+16 is outside [-1e+15, 1e+15] rad/s"}},
    {"fixed-with-motion", {"/bodies/0/motion: the body is fixed"}},
    {"two-positions", {"/bodies/2/position: the body's motion says where it is"}},
    {"bad-expression", {"/joints/0/angle: ", "column"}},
    {"unknown-function", {"/joints/0/angle: ", "sine"}},
    {"unknown-joint", {"/joints/0/type: 'hinge' is not one of revolute, prismatic"}},
    {"joint-without-axis", {"/joints/0/axis: missing; type 'revolute' needs [x, y, z]"}},
    {"zero-axis", {"/joints/0/axis: the axis has no length"}},
    {"limits-reversed", {"/joints/0/limits: low 1 is above high -1"}},
    {"radians-and-degrees", {"/joints/0/angle_deg: angle and angle_deg are both given"}},
    {"degrees-of-a-slider", {"/joints/0/limits_deg: the joint slides"}},
    {"motor-and-motion", {"/joints/0: ", "motor"}},
    {"motor-without-velocity", {"/joints/0/motor/velocity: missing"}},
    {"ellipsoid-without-radii", {"/bodies/1/shapes/0/radii: missing; type 'ellipsoid' needs [x, y, z]"}},
    {"ellipsoid-of-two-radii", {"/bodies/1/shapes/0/radii: expected [x, y, z], found a list of 2"}},
    {"ellipsoid-with-negative-radius", {"/bodies/1/shapes/0/radii/1: -2 is not > 0 m"}},
    {"radii-of-a-sphere", {"/bodies/1/shapes/0/radii: type 'sphere' has no such key"}},
    {"friction-in-fixed-joint", {"/joints/0/friction: type 'fixed' has no such key"}},
    {"negative-friction-in-ball-joint", {"/joints/0/friction: -1 is not >= 0"}},
    {"friction-torque-in-ball-joint", {"/joints/0/friction_torque: type 'spherical' has no such key"}},
    {"friction-torque-in-hinge", {"/joints/0/friction_torque: type 'revolute' has no such key"}},
    {"negative-friction-torque", {"/joints/0/friction_torque: -1 is not >= 0"}},
    {"axes-not-perpendicular", {"/joints/0: ", "axis_b"}},
    {"duplicate-joint-name", {"/joints/1: ", "pin"}},
    {"spring-without-points", {"/forces/0/points: missing; type 'spring' needs [[x, y, z], [x, y, z]]"}},
    {"zero-normal", {"/bodies/0/shapes/0/normal: the normal has no length"}},
    {"normal-and-orientation", {"/bodies/0/shapes/0/normal: normal and orientation are both given"}},
    {"dangling-mask", {"/bodies/1/shapes/0/mask: no shape has the group 'terain'; did you mean 'terrain'?"}},
    {"names-and-numbers-as-groups", {"/bodies/1/shapes/0/mask: the group 0 is a number, others are names"}},
    {"group-number-32", {"/bodies/1/shapes/0/group/0: 32 is outside [0, 31]"}},
    {"unknown-run-key", {"/run/friction/direction: unknown key; did you mean 'directions'?"}},
    {"unknown-scheme", {"/run/scheme: 'steward-trinkle' is not one of ", "did you mean 'stewart-trinkle'?"}},
    {"zero-step", {"/run/dt: 0 is outside [1e-12, 1000000] s"}},
    {"half-a-direction", {"/run/friction/directions: 4.5 is not a whole number"}},
};
#define BROKEN_COUNT (sizeof broken / sizeof *broken)

static void broken_path(char *path, size_t size, const char *name) {
  snprintf(path, size, "%s/tests/io/broken/%s.json", ASP_SOURCE_DIR, name);
}

/* One line that begins with the file's name. */
static void assert_one_line(const char *line, const char *path) {
  if (strncmp(line, path, strlen(path)) != 0 || strncmp(line + strlen(path), ": ", 2) != 0)
    fail_msg("'%s' does not begin with the file %s", line, path);
  if (strchr(line, '\n'))
    fail_msg("'%s' is more than one line", line);
}

static void assert_empty_scene(const AspScene *scene) {
  assert_null(scene->name);
  assert_null(scene->text);
  assert_null(scene->model);
  assert_null(scene->centre);
}

static void each_broken_scene_is_refused_with_file_key_path_and_reason(void **state) {
  (void)state;
  for (size_t i = 0; i < BROKEN_COUNT; i++) {
    AspContext *context = asp_context_create(NULL);
    AspScene scene;
    AspMistakes mistakes;
    char path[512];
    broken_path(path, sizeof path, broken[i].name);
    AspError error = asp_scene_read(context, path, &scene, &mistakes);
    if (error != ASP_ERROR_INPUT)
      fail_msg("%s: %s %s", broken[i].name, asp_error_name(error), asp_context_message(context));
    if (mistakes.count != 1)
      fail_msg("%s: %d mistakes, expected one", broken[i].name, mistakes.count);
    assert_one_line(mistakes.line[0], path);
    assert_string_equal(asp_context_message(context), mistakes.line[0]);
    for (int k = 0; k < MAX_FRAGMENTS && broken[i].fragments[k]; k++)
      if (!strstr(mistakes.line[0] + strlen(path), broken[i].fragments[k]))
        fail_msg("'%s' does not say '%s'", mistakes.line[0], broken[i].fragments[k]);
    assert_empty_scene(&scene);
    asp_mistakes_destroy(context, &mistakes);
    assert_int_equal(asp_context_memory_in_use(context), 0);
    asp_context_destroy(context);
  }
}

static void every_file_in_the_folder_has_its_row(void **state) {
  (void)state;
  DIR *folder = opendir(ASP_SOURCE_DIR "/tests/io/broken");
  assert_non_null(folder);
  size_t files = 0;
  for (struct dirent *entry = readdir(folder); entry; entry = readdir(folder))
    files += strstr(entry->d_name, ".json") != NULL;
  closedir(folder);
  assert_int_equal(files, BROKEN_COUNT);
}

static AspError parse(AspContext *context, const char *text, AspMistakes *mistakes) {
  AspScene scene;
  AspError error = asp_scene_parse(context, text, strlen(text), "scene", &scene, mistakes);
  asp_scene_destroy(context, &scene);
  return error;
}

static void every_mistake_of_a_scene_is_named_not_only_the_first(void **state) {
  (void)state;
  AspContext *context = asp_context_create(NULL);
  AspMistakes mistakes;
  const char *text =
      "{\"gravity\": [0, 0], \"colour\": 1,\n"
      " \"materials\": [{\"pair\": [\"a\", \"b\"], \"friction\": -1}],\n"
      " \"bodies\": [{\"name\": \"x\", \"mass\": -1, \"shapes\": [{\"type\": \"box\", \"size\": [1, -1, 0]}]},\n"
      "             {\"name\": \"x\", \"mass\": 1, \"inertia\": [1, 1, 1]}],\n"
      " \"joints\": [{\"type\": \"revolute\", \"bodies\": [\"x\", \"y\"], \"axis\": [0, 0, 0]}],\n"
      " \"forces\": [{\"type\": \"push\"}],\n"
      " \"run\": {\"dt\": -1, \"friction\": {\"model\": \"none\"}}}";
  const char *expected[] = {
      "scene: /gravity: expected [x, y, z], found a list of 2",
      "scene: /colour: unknown key; known here: ",
      "scene: /materials/0/friction: -1 is not >= 0",
      "scene: /bodies/0/mass: -1 is not > 0 kg",
      "scene: /bodies/0/shapes/0/size/1: -1 is not > 0 m",
      "scene: /bodies/0/shapes/0/size/2: 0 is not > 0 m",
      "scene: /bodies/1/name: another body is called 'x'",
      "scene: /joints/0/point: missing; type 'revolute' needs [x, y, z]",
      "scene: /joints/0/bodies/1: no body is called 'y'",
      "scene: /joints/0/axis: the axis has no length",
      "scene: /forces/0/type: 'push' is not one of force, torque, spring",
      "scene: /run/dt: -1 is outside [1e-12, 1000000] s",
      "scene: /run/friction/model: 'none' is not one of exact, inscribed, circumscribed",
  };
  int count = (int)(sizeof expected / sizeof *expected);
  assert_int_equal(parse(context, text, &mistakes), ASP_ERROR_INPUT);
  for (int i = 0; i < count && i < mistakes.count; i++)
    if (strncmp(mistakes.line[i], expected[i], strlen(expected[i])) != 0)
      fail_msg("mistake %d is '%s', expected '%s'", i, mistakes.line[i], expected[i]);
  assert_int_equal(mistakes.count, count);
  asp_mistakes_destroy(context, &mistakes);
  asp_context_destroy(context);
}

/* `count` times `piece`. */
static char *repeat(const char *piece, size_t count) {
  size_t length = strlen(piece);
  char *text = malloc(count * length + 1);
  assert_non_null(text);
  for (size_t i = 0; i < count; i++)
    memcpy(text + i * length, piece, length);
  text[count * length] = 0;
  return text;
}

static void two_megabytes_of_brackets_are_a_clean_error(void **state) {
  (void)state;
  const char *pieces[] = {"[", "{\"a\":", "[[],"};
  AspContext *context = asp_context_create(NULL);
  for (int i = 0; i < 3; i++) {
    char *text = repeat(pieces[i], ((size_t)2 << 20) / strlen(pieces[i]));
    AspMistakes mistakes;
    assert_int_equal(parse(context, text, &mistakes), ASP_ERROR_INPUT);
    assert_int_equal(mistakes.count, 1);
    assert_non_null(strstr(mistakes.line[0], "scene: line 1, column "));
    assert_non_null(strstr(mistakes.line[0], "brackets nested deeper than 64 levels"));
    asp_mistakes_destroy(context, &mistakes);
    free(text);
  }
  assert_int_equal(asp_context_memory_in_use(context), 0);
  asp_context_destroy(context);
}

static void a_flood_of_mistakes_is_cut_off(void **state) {
  (void)state;
  AspContext *context = asp_context_create(NULL);
  char *numbers = repeat("1,", 5000), *text = malloc(20000);
  assert_non_null(text);
  snprintf(text, 20000, "{\"bodies\": [%s 1]}", numbers);
  AspMistakes mistakes;
  assert_int_equal(parse(context, text, &mistakes), ASP_ERROR_INPUT);
  assert_int_equal(mistakes.count, 1001);
  assert_string_equal(mistakes.line[1000], "scene: more than 1000 mistakes; the others are not shown");
  asp_mistakes_destroy(context, &mistakes);
  free(text);
  free(numbers);
  asp_context_destroy(context);
}

static void long_and_odd_texts_stay_on_one_line_of_bounded_length(void **state) {
  (void)state;
  AspContext *context = asp_context_create(NULL);
  char *name = repeat("\xC3\xA4", 100000), *text = malloc(300000);
  assert_non_null(text);
  snprintf(text, 300000,
           "{\"bodies\": [{\"name\": \"b\", \"mass\": 1, \"inertia\": [1, 1, 1]}],"
           "\"forces\": [{\"type\": \"force\", \"force\": [0, 0, 0], \"body\": \"a\\nb%s\"}]}",
           name);
  AspMistakes mistakes;
  assert_int_equal(parse(context, text, &mistakes), ASP_ERROR_INPUT);
  assert_int_equal(mistakes.count, 1);
  assert_null(strchr(mistakes.line[0], '\n'));
  assert_true(strlen(mistakes.line[0]) < 200);
  asp_mistakes_destroy(context, &mistakes);
  free(name);
  free(text);
  asp_context_destroy(context);
}

static void assert_file_error(const char *path, const char *reason) {
  AspContext *context = asp_context_create(NULL);
  AspScene scene;
  AspMistakes mistakes;
  assert_int_equal(asp_scene_read(context, path, &scene, &mistakes), ASP_ERROR_FILE);
  assert_int_equal(mistakes.count, 1);
  assert_one_line(mistakes.line[0], path);
  if (!strstr(mistakes.line[0], reason))
    fail_msg("'%s' does not say '%s'", mistakes.line[0], reason);
  assert_empty_scene(&scene);
  asp_mistakes_destroy(context, &mistakes);
  asp_context_destroy(context);
}

static void files_that_cannot_be_read_are_named_with_the_reason(void **state) {
  (void)state;
  assert_file_error(ASP_BINARY_DIR "/no-such-scene.json", "No such file");
  assert_file_error(ASP_BINARY_DIR, "directory");
  assert_file_error(ASP_SOURCE_DIR "/LICENSE/scene.json", "Not a directory");
  const char *large = ASP_BINARY_DIR "/too-large-scene.json";
  FILE *file = fopen(large, "w");
  assert_non_null(file);
  assert_int_equal(ftruncate(fileno(file), (off_t)257 << 20), 0); // a hole: takes no room
  fclose(file);
  assert_file_error(large, "larger than 256 MB");
  if (geteuid() != 0) { // root may read everything
    assert_int_equal(truncate(large, 10), 0);
    assert_int_equal(chmod(large, 0), 0);
    assert_file_error(large, "Permission denied");
  }
  remove(large);
}

static char *read_text(const char *path, size_t *length) {
  FILE *file = fopen(path, "rb");
  assert_non_null(file);
  char *text = malloc(100000);
  assert_non_null(text);
  *length = fread(text, 1, 100000, file);
  assert_true(*length > 0 && *length < 100000);
  fclose(file);
  return text;
}

/* Whatever is done to a sound file, it is read or refused with lines that name it, and nothing is lost. */
static void scenes_changed_at_random_are_read_or_refused_cleanly(void **state) {
  (void)state;
  const char *names[] = {"four-bar.json", "sphere-slides-then-rolls.json", "motor-stalls.json"};
  AspContext *context = asp_context_create(NULL);
  AspRandom random = {20240817};
  int refused = 0;
  for (int n = 0; n < 3; n++) {
    char path[512];
    snprintf(path, sizeof path, "%s/scenes/%s", ASP_SOURCE_DIR, names[n]);
    size_t length = 0;
    char *text = read_text(path, &length), *changed = malloc(length);
    assert_non_null(changed);
    for (int round = 0; round < 500; round++) {
      memcpy(changed, text, length);
      int changes = 1 + (int)(asp_random_bits(&random) % 3);
      for (int k = 0; k < changes; k++) {
        static const char bytes[] = "{}[]\",:-0123456789.eEtfn \\/\n\x80\xff_az";
        changed[asp_random_bits(&random) % length] = bytes[asp_random_bits(&random) % (sizeof bytes - 1)];
      }
      size_t kept = round % 5 == 0 ? (size_t)(asp_random_bits(&random) % length) : length;
      AspScene scene;
      AspMistakes mistakes;
      AspError error = asp_scene_parse(context, changed, kept, "changed", &scene, &mistakes);
      assert_true(error == ASP_OK ? mistakes.count == 0 : error == ASP_ERROR_INPUT && mistakes.count > 0);
      for (int i = 0; i < mistakes.count; i++)
        assert_one_line(mistakes.line[i], "changed");
      refused += error != ASP_OK;
      asp_scene_destroy(context, &scene);
      asp_mistakes_destroy(context, &mistakes);
    }
    free(changed);
    free(text);
  }
  assert_in_range(refused, 300, 1499); // most changes do harm, some do not
  assert_int_equal(asp_context_memory_in_use(context), 0);
  asp_context_destroy(context);
}

static void every_kth_allocation_failure_is_clean(void **state) {
  (void)state;
  const char *paths[] = {ASP_SOURCE_DIR "/scenes/slider-crank.json",
                         ASP_SOURCE_DIR "/tests/io/broken/unknown-shape.json",
                         ASP_SOURCE_DIR "/tests/io/broken/missing-pair.json", ASP_SOURCE_DIR "/no-such-file.json"};
  const AspError results[] = {ASP_OK, ASP_ERROR_INPUT, ASP_ERROR_INPUT, ASP_ERROR_FILE};
  for (int p = 0; p < 4; p++) {
    AspError error = ASP_ERROR_MEMORY;
    long k = 0;
    for (; error == ASP_ERROR_MEMORY && k < 10000; k++) {
      FailingAllocator failing;
      AspContext *context = failing_context(&failing);
      failing.until_failure = k;
      AspScene scene;
      AspMistakes mistakes;
      error = asp_scene_read(context, paths[p], &scene, &mistakes);
      if (error == ASP_ERROR_MEMORY)
        assert_empty_scene(&scene);
      asp_scene_destroy(context, &scene);
      asp_mistakes_destroy(context, &mistakes);
      assert_int_equal(asp_context_memory_in_use(context), 0);
      asp_context_destroy(context);
    }
    assert_int_equal(error, results[p]);
    assert_true(k > 1);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(each_broken_scene_is_refused_with_file_key_path_and_reason),
      cmocka_unit_test(every_file_in_the_folder_has_its_row),
      cmocka_unit_test(every_mistake_of_a_scene_is_named_not_only_the_first),
      cmocka_unit_test(two_megabytes_of_brackets_are_a_clean_error),
      cmocka_unit_test(a_flood_of_mistakes_is_cut_off),
      cmocka_unit_test(long_and_odd_texts_stay_on_one_line_of_bounded_length),
      cmocka_unit_test(files_that_cannot_be_read_are_named_with_the_reason),
      cmocka_unit_test(scenes_changed_at_random_are_read_or_refused_cleanly),
      cmocka_unit_test(every_kth_allocation_failure_is_clean),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
