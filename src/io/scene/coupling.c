/* Couplings of joint coordinates: joints by name and their factors. A gear and a rack are couplings of two:
 *
 *   coupling   sum factor_i q_i, or sum of polynomials a q_i + b q_i^2 + c q_i^3 + d q_i^4
 *   gear       q_1 - ratio q_2          two joints that turn
 *   rack       q_2 - radius q_1         one that turns, one that slides
 */
#include "io/scene/build.h"

static const char *joint_key(SceneJointKey key) { return asp_scene_joint.keys[key].key; }

static bool read_names(SceneBuild *build, const SceneValue *joints, AspJointDef *def) {
  SceneReader *reader = &build->reader;
  int count = cJSON_GetArraySize(joints->node);
  if (count < 1 || count > ASP_COUPLING_TERMS) {
    asp_reader_mistake(reader, joints->key->key, "%d names; 1 to %d joints can be coupled", count, ASP_COUPLING_TERMS);
    return false;
  }
  bool sound = true;
  size_t mark = asp_reader_enter(reader, joints->key->key);
  for (int i = 0; i < count; i++) {
    const char *name = asp_value_name(joints, i);
    def->term[i] = (AspCouplingTerm){.joint = asp_model_find_joint(build->model, name), .factor = 1};
    if (def->term[i].joint >= 0)
      continue;
    asp_reader_mistake(reader, asp_reader_text(reader, "%d", i),
                       "no joint %s before this one; joints are coupled by those listed behind them",
                       asp_reader_quote(reader, name));
    sound = false;
  }
  asp_reader_leave(reader, mark);
  def->term_count = sound ? count : 0;
  return sound;
}

/* Factors count coordinates in the units of the file: a sum in the unit of the first one. */
static double factor_of(const SceneBuild *build, const AspJointDef *def, int term, int power, double factor) {
  const SceneUnits *units = &build->reader.units;
  const char *first = asp_joint_turns(build->model, def->term[0].joint) ? "rad" : "m";
  const char *unit = asp_joint_turns(build->model, def->term[term].joint) ? "rad" : "m";
  if (power == 1 && strcmp(first, unit) == 0)
    return factor;
  factor *= asp_units_apply(units, first, 1);
  for (int k = 0; k < power; k++)
    factor /= asp_units_apply(units, unit, 1);
  return factor;
}

static void read_factor(const SceneBuild *build, const cJSON *node, AspJointDef *def, int term) {
  AspCouplingTerm *to = &def->term[term];
  const cJSON *number = cJSON_IsArray(node) ? node->child : node;
  to->factor = factor_of(build, def, term, 1, number->valuedouble);
  for (int k = 0; cJSON_IsArray(node) && (number = number->next); k++)
    to->power[k] = factor_of(build, def, term, k + 2, number->valuedouble);
}

static bool read_factors(SceneBuild *build, const SceneValue *factors, AspJointDef *def) {
  SceneReader *reader = &build->reader;
  int count = cJSON_GetArraySize(factors->node);
  if (count != def->term_count) {
    asp_reader_mistake(reader, factors->key->key, "%d numbers for %d joints; give one for each", count,
                       def->term_count);
    return false;
  }
  for (int i = 0; i < count; i++)
    read_factor(build, cJSON_GetArrayItem(factors->node, i), def, i);
  return true;
}

/* A gear takes two angles, a rack an angle and a displacement. */
static bool check_pair(SceneBuild *build, int type, const AspJointDef *def) {
  SceneReader *reader = &build->reader;
  if (def->term_count != 2) {
    asp_reader_mistake(reader, joint_key(JOINT_JOINTS), "%d names; a %s has two joints, a coupling may have more",
                       def->term_count, type == JOINT_GEAR ? "gear" : "rack");
    return false;
  }
  for (int i = 0; i < 2; i++) {
    bool turns = asp_joint_turns(build->model, def->term[i].joint), wanted = type == JOINT_GEAR || i == 0;
    if (turns == wanted)
      continue;
    const char *name = asp_model_joint_name(build->model, def->term[i].joint);
    size_t mark = asp_reader_enter(reader, joint_key(JOINT_JOINTS));
    asp_reader_mistake(reader, asp_reader_text(reader, "%d", i),
                       "%s does not %s; a gear takes two joints that turn, a rack one that turns and one that slides",
                       asp_reader_quote(reader, name), wanted ? "turn" : "slide");
    asp_reader_leave(reader, mark);
    return false;
  }
  return true;
}

static bool read_pair(SceneBuild *build, const SceneValue *size, int type, AspJointDef *def) {
  if (!check_pair(build, type, def))
    return false;
  double factor = asp_value_number(size);
  if (factor == 0) {
    asp_reader_mistake(&build->reader, size->key->key, "0 couples nothing; give a number other than 0");
    return false;
  }
  AspCouplingTerm of = def->term[type == JOINT_GEAR ? 0 : 1], by = def->term[type == JOINT_GEAR ? 1 : 0];
  def->term[0] = (AspCouplingTerm){.joint = of.joint, .factor = 1};
  def->term[1] = (AspCouplingTerm){.joint = by.joint, .factor = -factor};
  return true;
}

bool asp_scene_read_terms(SceneBuild *build, const SceneValue *values, int type, AspJointDef *def) {
  if (!values[JOINT_JOINTS].node || !read_names(build, &values[JOINT_JOINTS], def))
    return false;
  const SceneValue *size = &values[type == JOINT_GEAR ? JOINT_RATIO : JOINT_RADIUS];
  if (type == ASP_JOINT_COUPLING)
    return values[JOINT_FACTORS].node && read_factors(build, &values[JOINT_FACTORS], def);
  return size->node && read_pair(build, size, type, def);
}
