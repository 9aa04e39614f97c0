/* Robot models that are damaged in every way: each is read, or refused in one line that names the file; never a crash,
 * a hang, or memory that stays. 1,500 inputs; ASPERITY_TEST_FULL=1: a million; ASPERITY_FUZZ=SEED,COUNT: others.
 *
 * An input is one of the models of scenes/robots or of the texts below, with up to eight changes: numbers, words and
 * pieces that are replaced, repeated, moved, cut or taken from another model. */
#include "io/import_testing.h"

#include "base/base.h"

#include <sys/stat.h>
#include <time.h>

#define LONGEST    65536
#define SECONDS_OK 20 /* processor time of one input at most: a hang */

/* *seed: of the random numbers. */
static long input_count(uint64_t *seed) {
  const char *full = getenv("ASPERITY_TEST_FULL"), *chunk = getenv("ASPERITY_FUZZ");
  char *end = NULL;
  *seed = 2024;
  if (chunk && *chunk) {
    *seed = strtoull(chunk, &end, 10);
    return *end == ',' ? strtol(end + 1, NULL, 10) : 0;
  }
  return full && full[0] == '1' ? 1000000 : 1500;
}

/* Words that the readers know, in few lines. */
static const char *const texts[] = {
    "<mujoco><compiler angle='radian' eulerseq='XYZ' inertiafromgeom='auto' boundmass='1e-3' balanceinertia='true'/>"
    "<default><default class='a'><geom type='capsule' size='.1 .2'/><joint armature='.1'/><position kp='5'/></default>"
    "</default><asset><mesh name='m' vertex='0 0 0 1 0 0 0 1 0 0 0 1' scale='1 2 3' refpos='1 0 0' refquat='1 1 0 0'/>"
    "<hfield name='h' nrow='2' ncol='2' size='1 1 1 1'/></asset><worldbody><geom type='plane' size='1 1 1'/>"
    "<body name='a' childclass='a' pos='0 0 1' xyaxes='1 0 0 0 1 1'><joint name='j' range='-1 1' stiffness='3'/>"
    "<joint name='k' type='slide' axis='1 0 0'/><geom/><geom type='mesh' mesh='m'/><site name='s'/>"
    "<body name='b' pos='1 0 0'><joint name='l' type='ball'/><geom type='ellipsoid' size='.1 .2 .3'/></body></body>"
    "<body name='c' mocap='true'><geom type='box' size='1 1 1'/></body><body name='d'><freejoint/><geom size='.2'/>"
    "<site name='t' pos='0 0 1'/></body></worldbody><equality><connect body1='b' body2='d' anchor='1 0 0'/>"
    "<weld body1='c' body2='d' relpose='0 0 1 1 0 0 0'/><joint joint1='j' joint2='k' polycoef='0 2 0 0 0'/></equality>"
    "<tendon><fixed name='f' range='-1 1' stiffness='2'><joint joint='j' coef='2'/><joint joint='k' coef='3'/></fixed>"
    "<spatial name='p' stiffness='5'><site site='s'/><site site='t'/></spatial></tendon><actuator><motor joint='j' "
    "gear='3'/><position tendon='f' kp='3' ctrlrange='-1 1'/><general joint='k' gainprm='3' biastype='affine' "
    "biasprm='0 -3 -1'/></actuator><contact><exclude body1='a' body2='b'/><pair geom1='x' geom2='y'/></contact>"
    "<keyframe><key name='n' qpos='0 0 1 0 0 0 0 0 0 1 0 0 0' ctrl='1 2 3'/></keyframe></mujoco>",
    "<mujoco><option density='1' viscosity='.1' wind='1 0 0'/><asset><mesh name='m' builtin='supersphere' params='5 1 "
    "2'/><hfield name='h' nrow='2' ncol='3' size='1 1 1 1' elevation='0 1 2 3 4 5'/></asset><worldbody><geom "
    "type='hfield' hfield='h'/><site name='o' pos='0 0 3'/><site name='s' pos='1 0 1'/><replicate count='2' offset='1 "
    "0 0'><body name='a' pos='0 0 1' gravcomp='.5'><joint name='b' type='ball' damping='1' stiffness='2' "
    "frictionloss='.1'/><geom name='g' size='.1'/><site name='p' pos='0 0 .3'/><body name='c' pos='1 0 0'><joint "
    "name='j' actuatorfrcrange='-1 1'/><geom name='k' type='cylinder' size='.1 .2'/><site name='q' pos='.3 0 0'/><geom "
    "type='mesh' mesh='m'/></body></body></replicate></worldbody><tendon><spatial name='t' range='0 9' stiffness='3' "
    "springlength='.1' damping='1'><site site='o'/><geom geom='k' sidesite='p'/><site site='q'/><pulley "
    "divisor='2'/><site site='s'/><site site='p'/></spatial></tendon><actuator><motor site='q' gear='0 0 1 0 0 "
    "2'/><position tendon='t' kp='3' kv='1'/><motor joint='j'/></actuator></mujoco>",
    "<mujoco><worldbody><replicate count='3' sep='-' offset='1 0 0' euler='0 0 1'><frame pos='0 0 1' axisangle='0 0 1 "
    "2'>"
    "<body name='x' zaxis='1 1 1'><joint axis='0 1 0' damping='1' frictionloss='.1'/><geom type='cylinder' fromto='0 0 "
    "0 0 0 "
    "1' size='.1' density='200' contype='3' conaffinity='5' condim='6' friction='1 .1 .01'/></body></frame></replicate>"
    "</worldbody></mujoco>",
    "<robot name='r'><link name='a'><inertial><origin xyz='0 0 1' rpy='1 2 3'/><mass value='2'/><inertia ixx='1' "
    "ixy='0' "
    "ixz='0' iyy='1' iyz='0' izz='1'/></inertial><collision><geometry><cylinder radius='1' length='2'/></geometry>"
    "</collision></link><link name='b'><inertial><mass value='1'/><inertia ixx='1' ixy='0' ixz='0' iyy='1' iyz='0' "
    "izz='1'/>"
    "</inertial><visual><geometry><mesh filename='package://x/y.stl'/></geometry></visual></link><link "
    "name='c'/><joint "
    "name='j' type='revolute'><parent link='a'/><child link='b'/><axis xyz='1 0 0'/><limit lower='-1' upper='1' "
    "effort='3' velocity='2'/><dynamics damping='.1' friction='.2'/></joint><joint name='k' type='prismatic'><parent "
    "link='b'/><child link='c'/><limit lower='0' upper='1' effort='1' velocity='1'/><mimic joint='j' multiplier='2' "
    "offset='.1'/></joint></robot>",
    "<sdf version='1.9'><world name='w'><gravity>0 0 -9</gravity><model name='m'><pose>0 0 1 0 0 0</pose><link "
    "name='a'>"
    "<inertial><mass>2</mass><inertia><ixx>1</ixx><iyy>1</iyy><izz>1</izz></inertia></inertial><collision name='c'>"
    "<geometry><box><size>1 2 3</size></box></geometry></collision></link><link name='b'><pose relative_to='a'>0 0 1 0 "
    "0 0"
    "</pose></link><joint name='j' type='revolute'><parent>a</parent><child>b</child><axis><xyz>0 1 "
    "0</xyz><limit><lower>"
    "-1</lower><upper>1</upper></limit></axis></joint></model><include><uri>model://x</uri></include></world></sdf>",
    "<sdf version='1.11'><world name='w'><include><name>n</name><pose>1 0 0 0 0 0</pose><uri>input.xml</uri></include>"
    "<model name='m' canonical_link='a'><model name='i'><pose>0 0 1 0 0 0</pose><link name='a'/></model><frame "
    "name='f' "
    "attached_to='i::a'/><link name='b'><pose relative_to='f'>0 0 1 0 0 0</pose></link><link name='c'/><joint name='u' "
    "type='universal'><parent>b</parent><child>c</child><axis><xyz expressed_in='f'>0 1 0</xyz></axis><axis2><xyz>1 0 "
    "0</xyz></axis2></joint></model></world></sdf>",
    "<mujoco><compiler balanceinertia='true'/><option><flag limit='disable' spring='enable'/></option><asset><mesh "
    "name='m' inertia='shell' vertex='0 0 0 1 0 0 0 1 0 0 0 1' face='0 2 1 0 1 3 0 3 2 1 2 3'/><hfield name='h' "
    "file='input.xml' size='1 1 1 1'/></asset><worldbody><geom type='hfield' hfield='h'/><body name='a'><frame pos='1 "
    "0 0'><inertial pos='0 0 1' mass='1' diaginertia='1 2 3'/></frame><joint name='j' range='-1 1'/><geom name='g' "
    "type='capsule' mesh='m' fitscale='.5'/><site name='s'/><body name='b'><joint name='k' type='slide'/><geom "
    "type='mesh' mesh='m'/></body></body><body name='c' mocap='true'/></worldbody><tendon><fixed name='t' range='-1 2' "
    "stiffness='2' damping='1' frictionloss='.1' armature='.1'><joint joint='j' coef='-2'/></fixed><fixed "
    "name='u'><joint joint='k' coef='3'/></fixed></tendon><equality><tendon tendon1='t' tendon2='u' polycoef='0 2 0 0 "
    "0'/></equality><actuator><cylinder tendon='t' area='2' bias='1 0 0' timeconst='.1'/><position jointinparent='k' "
    "kp='3' dampratio='1'/><position tendon='u' kp='2' dampratio='1'/></actuator><sensor><framepos objtype='site' "
    "objname='s'/><frameangvel objtype='body' objname='b'/><tendonpos tendon='t'/><clock/><e_kinetic/><framelinvel "
    "objtype='geom' objname='g' reftype='body' refname='a'/></sensor><keyframe><key name='n' mpos='1 2 3' mquat='1 0 "
    "0 0'/></keyframe></mujoco>",
    "<sdf version='1.11'><model name='m'><link name='a'/><link name='b'/><link name='c'><pose "
    "rotation_format='quat_xyzw'>1 2 3 0 0 0 1</pose></link><joint name='p' type='revolute'><parent>world</parent>"
    "<child>a</child><axis><xyz>0 0 1</xyz></axis></joint><joint name='q' type='continuous'><parent>world</parent>"
    "<child>b</child><axis><xyz>0 0 1</xyz><mimic joint='p'><multiplier>2</multiplier><offset>1</offset><reference>3"
    "</reference></mimic></axis></joint><joint name='g' type='gearbox'><parent>a</parent><child>b</child>"
    "<gearbox_ratio>2</gearbox_ratio><gearbox_reference_body>c</gearbox_reference_body></joint><joint name='s' "
    "type='screw'><parent>b</parent><child>c</child><screw_thread_pitch>.1</screw_thread_pitch><axis><xyz>1 0 0</xyz>"
    "</axis></joint></model></sdf>"};

static const char *const files[] = {"leg.xml", "arm.urdf", "crane.sdf"};

static const char *const pieces[] = {"0",
                                     "-1",
                                     "1e308",
                                     "-1e308",
                                     "1e400",
                                     "1e-400",
                                     "nan",
                                     "inf",
                                     "99999999999999999999",
                                     "0x10",
                                     "1 2 3 4 5 6 7 8 9",
                                     "",
                                     " ",
                                     "''",
                                     "<",
                                     ">",
                                     "</",
                                     "/>",
                                     "&amp;",
                                     "&x;",
                                     "<!--",
                                     "-->",
                                     "<![CDATA[",
                                     "]]>",
                                     "<?xml version='1.0'?>",
                                     "<!DOCTYPE r [<!ENTITY a 'aaaaaaaaaa'><!ENTITY b '&a;&a;&a;&a;&a;&a;&a;&a;'>]>",
                                     "&b;",
                                     "\xff\xfe",
                                     "\x01",
                                     "<include file='x.xml'/>",
                                     "<body>",
                                     "</body>",
                                     "<default class='a'/>",
                                     "<frame/>",
                                     "<replicate count='99999999'>",
                                     "<attach model='m' body='b' prefix='p'/>",
                                     "name='a'",
                                     "type='ball'",
                                     "joint='j'",
                                     "../../../../etc/passwd",
                                     "world",
                                     "true",
                                     "auto",
                                     "-0",
                                     "1e-9",
                                     "package://",
                                     "model://m/x.dae",
                                     "file:///",
                                     "a",
                                     "x:y"};

typedef struct Fuzz {
  AspRandom random;
  char *seed[16];
  int seeds;
  char text[LONGEST];
  size_t length;
} Fuzz;

static size_t below(Fuzz *fuzz, size_t count) {
  return count ? (size_t)(asp_random_uniform(&fuzz->random, 0, 1) * (double)count) % count : 0;
}

/* Replace a part of the text. */
static void put(Fuzz *fuzz, size_t at, size_t cut, const char *with, size_t length) {
  cut = at + cut > fuzz->length ? fuzz->length - at : cut;
  if (fuzz->length - cut + length >= LONGEST)
    return;
  memmove(fuzz->text + at + length, fuzz->text + at + cut, fuzz->length - at - cut);
  memcpy(fuzz->text + at, with, length);
  fuzz->length += length - cut;
}

/* Where a value, a tag or anything begins, and how long it is. */
static size_t part(Fuzz *fuzz, size_t *size) {
  size_t at = below(fuzz, fuzz->length);
  const char *stops[] = {"'\" ", "<>", "<"};
  const char *stop = stops[below(fuzz, 3)];
  while (at > 0 && !strchr(stop, fuzz->text[at - 1]))
    at--;
  for (*size = 0; at + *size < fuzz->length && !strchr(stop, fuzz->text[at + *size]);)
    ++*size;
  return at;
}

static void change(Fuzz *fuzz) {
  size_t size = 0, at = part(fuzz, &size), other_size = 0;
  const char *piece = pieces[below(fuzz, sizeof pieces / sizeof *pieces)];
  char kept[2048], byte = (char)below(fuzz, 256);
  const char *seed = fuzz->seed[below(fuzz, (size_t)fuzz->seeds)];
  switch (below(fuzz, 7)) {
  case 0: // a value or word becomes another
  case 1:
    put(fuzz, at, size, piece, strlen(piece));
    break;
  case 2: // something between
    put(fuzz, at, 0, piece, strlen(piece));
    break;
  case 3: // cut
    put(fuzz, at, size + below(fuzz, 200), "", 0);
    break;
  case 4: // a part elsewhere once more
    size = size > sizeof kept ? sizeof kept : size;
    memcpy(kept, fuzz->text + at, size);
    at = part(fuzz, &other_size);
    put(fuzz, at, below(fuzz, 2) ? other_size : 0, kept, size);
    break;
  case 5: // of another model
    at = below(fuzz, strlen(seed));
    size = below(fuzz, 300);
    size = at + size > strlen(seed) ? strlen(seed) - at : size;
    put(fuzz, below(fuzz, fuzz->length), below(fuzz, 50), seed + at, size);
    break;
  default:
    put(fuzz, below(fuzz, fuzz->length), 1, &byte, 1);
  }
}

static void make(Fuzz *fuzz) {
  const char *seed = fuzz->seed[below(fuzz, (size_t)fuzz->seeds)];
  fuzz->length = strlen(seed);
  memcpy(fuzz->text, seed, fuzz->length);
  for (size_t changes = below(fuzz, 9); changes > 0 && fuzz->length > 0; changes--)
    change(fuzz);
}

static void write_input(const Fuzz *fuzz, const char *path) {
  FILE *file = fopen(path, "wb");
  assert_non_null(file);
  assert_int_equal(fwrite(fuzz->text, 1, fuzz->length, file), fuzz->length);
  assert_int_equal(fclose(file), 0);
}

/* A refusal is one line that begins with the file; what is read is JSON whose scene is read, or refused in one line. */
static bool try_input(const char *path, long *read) {
  AspContext *context = asp_context_create(NULL);
  char *scene = NULL;
  AspImportReport report;
  AspError error = asp_import_read(context, path, NULL, &scene, &report);
  bool sane = error == ASP_OK || error == ASP_ERROR_INPUT;
  const char *message = asp_context_message(context);
  if (error == ASP_ERROR_INPUT)
    sane = strncmp(message, path, strlen(path)) == 0 && !strchr(message, '\n');
  if (error == ASP_OK) {
    ++*read;
    AspScene model;
    error = asp_scene_read(context, path, &model, NULL);
    sane = error == ASP_OK || (*asp_context_message(context) && error != ASP_ERROR_MEMORY);
    if (error == ASP_OK)
      asp_scene_destroy(context, &model);
  }
  if (!sane)
    print_message("error %d: '%s'\n", (int)error, message);
  asp_text_destroy(context, scene);
  asp_import_report_destroy(context, &report);
  sane = sane && asp_context_memory_in_use(context) == 0;
  asp_context_destroy(context);
  return sane;
}

static char *read_seed(const char *name) {
  char path[512];
  snprintf(path, sizeof path, "%s/scenes/robots/%s", ASP_SOURCE_DIR, name);
  FILE *file = fopen(path, "rb");
  assert_non_null(file);
  char *text = calloc(1, LONGEST);
  assert_non_null(text);
  size_t length = fread(text, 1, LONGEST / 2, file);
  text[length] = 0;
  fclose(file);
  return text;
}

static void damaged_models_are_read_or_refused_in_a_line(void **state) {
  (void)state;
  static Fuzz fuzz;
  char path[512], folder[400];
  memset(&fuzz, 0, sizeof fuzz);
  uint64_t seed;
  long count = input_count(&seed);
  fuzz.random.state = seed;
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
    fuzz.seed[fuzz.seeds++] = test_scene_text(texts[i]);
  for (size_t i = 0; i < sizeof files / sizeof *files; i++)
    fuzz.seed[fuzz.seeds++] = read_seed(files[i]);
  snprintf(folder, sizeof folder, "%s/tests/import_fuzz_%ld", ASP_BINARY_DIR, (long)getpid());
  mkdir(folder, 0777);
  snprintf(path, sizeof path, "%s/input.xml", folder);
  double longest = 0;
  long read = 0;
  for (long i = 0; i < count; i++) {
    make(&fuzz);
    write_input(&fuzz, path);
    clock_t start = clock();
    bool sane = try_input(path, &read);
    double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
    longest = seconds > longest ? seconds : longest;
    if (!sane || seconds > SECONDS_OK)
      fail_msg("input %ld is kept in %s (%g s)", i, path, seconds);
  }
  print_message("%ld inputs, %ld of them read, the longest took %.3f s\n", count, read, longest);
  assert_true(read > count / 10); // changes reach behind the parser
  remove(path);
  rmdir(folder);
  for (int i = 0; i < fuzz.seeds; i++)
    free(fuzz.seed[i]);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(damaged_models_are_read_or_refused_in_a_line)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
