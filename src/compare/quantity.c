/* The quantities of asp_converge: one table of kinds, names made from it, values read from a world. */
#include "base/elementary.h"
#include "compare/converge.h"
#include "compare/tuning/compare.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef enum Kind {
  KIND_POSITION,
  KIND_ORIENTATION,
  KIND_VELOCITY,
  KIND_ANGULAR_VELOCITY,
  KIND_CONTACT_FORCE,
  KIND_CONTACT_TORQUE,
  KIND_CONTACT_IMPULSE,
  KIND_COORDINATE,
  KIND_RATE,
  KIND_FORCE,
  KIND_TORQUE,
  KIND_FRICTION,
  KIND_MOTOR,
  KIND_LIMIT,
  KIND_ENERGY,
  KIND_FLOW,
  KIND_COUNT
} Kind;

/* Components of a kind in space and in the plane; NULL ends them, "" is the only one. */
typedef struct KindInfo {
  const char *name;
  QuantityOwner owner;
  const char *unit;
  const char *const *parts[2];
  int power[3]; /* of mass, length and time in its unit */
} KindInfo;

static const char *const vector[] = {"x", "y", "z", NULL}, *const planar[] = {"x", "y", NULL};
static const char *const about_z[] = {"z", NULL}, *const single[] = {"", NULL}, *const angle[] = {"angle", NULL};
static const char *const quaternion[] = {"w", "x", "y", "z", NULL};
static const char *const energies[] = {"total", "kinetic", "gravitational", "elastic", NULL};
static const char *const flows[] = {"motors", "forces", "friction", "impacts", "joints", "damping", "remainder", NULL};

static const KindInfo kinds[KIND_COUNT] = {
    [KIND_POSITION] = {"position", OWNER_BODY, "m", {vector, planar}, {0, 1, 0}},
    [KIND_ORIENTATION] = {"orientation", OWNER_BODY, "", {quaternion, angle}, {0, 0, 0}},
    [KIND_VELOCITY] = {"velocity", OWNER_BODY, "m/s", {vector, planar}, {0, 1, -1}},
    [KIND_ANGULAR_VELOCITY] = {"angular_velocity", OWNER_BODY, "rad/s", {vector, about_z}, {0, 0, -1}},
    [KIND_CONTACT_FORCE] = {"contact_force", OWNER_BODY, "N", {vector, planar}, {1, 1, -2}},
    [KIND_CONTACT_TORQUE] = {"contact_torque", OWNER_BODY, "N m", {vector, about_z}, {1, 2, -2}},
    [KIND_CONTACT_IMPULSE] = {"contact_impulse", OWNER_BODY, "N s", {vector, planar}, {1, 1, -1}},
    [KIND_COORDINATE] = {"coordinate", OWNER_JOINT, "", {single, single}, {0, 0, 0}},
    [KIND_RATE] = {"rate", OWNER_JOINT, "1/s", {single, single}, {0, 0, -1}},
    [KIND_FORCE] = {"force", OWNER_JOINT, "N", {vector, planar}, {1, 1, -2}},
    [KIND_TORQUE] = {"torque", OWNER_JOINT, "N m", {vector, about_z}, {1, 2, -2}},
    [KIND_FRICTION] = {"friction", OWNER_JOINT, "", {single, single}, {1, 1, -2}},
    [KIND_MOTOR] = {"motor", OWNER_JOINT, "", {single, single}, {1, 1, -2}},
    [KIND_LIMIT] = {"limit", OWNER_JOINT, "", {single, single}, {1, 1, -2}},
    [KIND_ENERGY] = {"energy", OWNER_SCENE, "J", {energies, energies}, {1, 2, -2}},
    [KIND_FLOW] = {"flow", OWNER_SCENE, "J", {flows, flows}, {1, 2, -2}},
};

/* ---- which there are ---- */

static const char *owner_name(const AspModel *model, QuantityOwner owner, int index) {
  return owner == OWNER_BODY    ? asp_model_body_name(model, index)
         : owner == OWNER_JOINT ? asp_model_joint_name(model, index)
                                : "";
}

/* Bodies that forces move, and joints with what the kind speaks of. */
static bool has_kind(const AspModel *model, const AspState *state, int kind, int index) {
  AspRow row[ASP_ROW_PARTS];
  if (kinds[kind].owner == OWNER_BODY)
    return asp_model_body_is_free(model, index);
  if (kinds[kind].owner == OWNER_JOINT && kind != KIND_FORCE && kind != KIND_TORQUE)
    return asp_joint_coordinate(model, state, index, row);
  return true;
}

static Quantity make_quantity(const AspModel *model, int kind, int index, int part, const char *part_name) {
  Quantity made = {.owner = kinds[kind].owner,
                   .index = index,
                   .kind = kind,
                   .part = part,
                   .kind_name = kinds[kind].name,
                   .part_name = *part_name ? part_name : NULL,
                   .unit = kinds[kind].unit};
  if (kind == KIND_ORIENTATION && asp_model_dimension(model) == 2)
    made.unit = "rad";
  const char *owner = owner_name(model, made.owner, index);
  snprintf(made.name, sizeof made.name, "%.120s%s%s%s%s", owner, *owner ? "." : "", made.kind_name,
           made.part_name ? "." : "", made.part_name ? made.part_name : "");
  return made;
}

/* ---- which are asked for ---- */

/* Does the word name the quantity, or something it belongs to: "ball", "position", "ball.position", "position.x",
 * "ball.position.x", "bodies", "joints", "bodies.position", "all"? */
static bool is_named(const AspModel *model, const Quantity *quantity, const char *word) {
  const char *owner = owner_name(model, quantity->owner, quantity->index);
  const char *after = quantity->name + (*owner ? strlen(owner) + 1 : 0);
  const char *group = quantity->owner == OWNER_BODY ? "bodies" : quantity->owner == OWNER_JOINT ? "joints" : "scene";
  size_t length = strlen(word), of_group = strlen(group);
  if (strncmp(word, group, of_group) == 0 && word[of_group] == '.')
    return strcmp(word + of_group + 1, quantity->kind_name) == 0 || strcmp(word + of_group + 1, after) == 0;
  bool begins = strncmp(quantity->name, word, length) == 0 && quantity->name[length] == '.';
  return strcmp(word, "all") == 0 || strcmp(word, group) == 0 || strcmp(word, quantity->kind_name) == 0 ||
         strcmp(word, after) == 0 || strcmp(word, quantity->name) == 0 || begins;
}

static bool is_default(const Quantity *quantity) {
  return quantity->kind == KIND_POSITION || quantity->kind == KIND_ORIENTATION || quantity->kind == KIND_ENERGY;
}

/* The next word of a list with commas; false at its end. A body's name may have blanks. */
static bool next_word(const char **at, char *word, size_t size) {
  if (!**at)
    return false;
  size_t length = strcspn(*at, ",");
  snprintf(word, size, "%.*s", (int)length, *at);
  *at += length + ((*at)[length] == ',');
  return true;
}

static bool is_wanted(const AspModel *model, const Quantity *quantity, const char *output) {
  char word[160];
  if (!output)
    return is_default(quantity);
  for (const char *at = output; next_word(&at, word, sizeof word);)
    if (is_named(model, quantity, word))
      return true;
  return false;
}

/* Calls add for every quantity of the model; stops where it returns false. */
static bool each_quantity(const AspModel *model, const AspState *state, bool (*add)(void *user, const Quantity *made),
                          void *user) {
  int plane = asp_model_dimension(model) == 2;
  for (int owner = OWNER_BODY; owner <= OWNER_JOINT + 1; owner++) { // bodies, joints, then the scene
    QuantityOwner of = owner > OWNER_JOINT ? OWNER_SCENE : (QuantityOwner)owner;
    int count = of == OWNER_BODY ? asp_model_body_count(model) : of == OWNER_JOINT ? asp_model_joint_count(model) : 1;
    for (int index = 0; index < count; index++)
      for (int kind = 0; kind < KIND_COUNT; kind++) {
        const char *const *parts = kinds[kind].parts[plane];
        if (kinds[kind].owner != of || !has_kind(model, state, kind, index))
          continue;
        for (int part = 0; parts[part]; part++) {
          Quantity made = make_quantity(model, kind, index, part, parts[part]);
          if (!add(user, &made))
            return false;
        }
      }
  }
  return true;
}

typedef struct Choosing {
  AspContext *context;
  const AspModel *model;
  const char *output;
  Quantities *chosen;
} Choosing;

static bool add_wanted(void *user, const Quantity *made) {
  Choosing *choosing = user;
  Quantities *chosen = choosing->chosen;
  if (!is_wanted(choosing->model, made, choosing->output))
    return true;
  if (ASP_GROW(choosing->context, chosen->list, chosen->capacity, chosen->count + 1) != ASP_OK)
    return false;
  chosen->list[chosen->count++] = *made;
  return true;
}

typedef struct Looking {
  const AspModel *model;
  const char *word;
  bool found;
} Looking;

static bool look_for(void *user, const Quantity *made) {
  Looking *looking = user;
  looking->found = is_named(looking->model, made, looking->word);
  return !looking->found;
}

/* A word that names nothing: what would. */
static AspError unknown_word(AspContext *context, const AspModel *model, const char *word) {
  const char *names[KIND_COUNT + QUANTITY_BODIES_NAMED + QUANTITY_JOINTS_NAMED];
  int count = 0;
  for (int kind = 0; kind < KIND_COUNT; kind++)
    names[count++] = kinds[kind].name;
  for (int body = 0; body < asp_model_body_count(model) && count < KIND_COUNT + QUANTITY_BODIES_NAMED; body++)
    names[count++] = asp_model_body_name(model, body);
  for (int joint = 0;
       joint < asp_model_joint_count(model) && count < KIND_COUNT + QUANTITY_BODIES_NAMED + QUANTITY_JOINTS_NAMED;
       joint++)
    names[count++] = asp_model_joint_name(model, joint);
  const char *nearest = asp_nearest_name(word, names, count);
  if (nearest)
    return asp_fail(context, ASP_ERROR_ARGUMENT, "output: the scene has no quantity '%s'; did you mean '%s'?", word,
                    nearest);
  return asp_fail(context, ASP_ERROR_ARGUMENT,
                  "output: the scene has no quantity '%s'; expected names of bodies or joints, kinds (position, "
                  "velocity, coordinate, energy, ...), or both: ball.position.x",
                  word);
}

AspError asp_quantities_choose(AspContext *context, const AspModel *model, const char *output, Quantities *chosen) {
  char word[160];
  AspState state = {0};
  ASP_TRY(asp_state_create(model, &state));
  asp_state_initial(model, &state);
  AspError error = ASP_OK;
  for (const char *at = output ? output : ""; error == ASP_OK && next_word(&at, word, sizeof word);) {
    Looking looking = {model, word, false};
    each_quantity(model, &state, look_for, &looking);
    if (!looking.found)
      error = unknown_word(context, model, word);
  }
  Choosing choosing = {context, model, output, chosen};
  if (error == ASP_OK && !each_quantity(model, &state, add_wanted, &choosing))
    error = ASP_ERROR_MEMORY;
  if (error == ASP_OK && chosen->count == 0)
    error = asp_fail(context, ASP_ERROR_ARGUMENT, "output: nothing chosen");
  asp_state_destroy(model, &state);
  return error;
}

/* ---- values ---- */

static double part_of(AspVec3 a, int part) { return part == 0 ? a.x : part == 1 ? a.y : a.z; }

/* About z in the plane, where it is the only component. */
static double turn_of(AspVec3 a, int part, bool plane) { return plane ? a.z : part_of(a, part); }

static double body_value(const Quantity *quantity, const AspWorld *world, const ConvergeSums *sums) {
  const AspModel *model = asp_world_model(world);
  const AspState *state = asp_world_state(world);
  bool plane = asp_model_dimension(model) == 2;
  int body = quantity->index, part = quantity->part;
  AspQuat turned = asp_state_pose(model, state, body).orientation;
  switch ((Kind)quantity->kind) {
  case KIND_POSITION:
    return part_of(asp_state_pose(model, state, body).position, part);
  case KIND_ORIENTATION: // x, y, angle per body in the plane
    return plane ? state->q[3 * body + 2] : (const double[]){turned.w, turned.x, turned.y, turned.z}[part];
  case KIND_VELOCITY:
    return part_of(asp_state_velocity(model, state, body), part);
  case KIND_ANGULAR_VELOCITY:
    return turn_of(asp_state_angular_velocity(model, state, body), part, plane);
  case KIND_CONTACT_FORCE:
    return part_of(asp_world_contact_totals(world)[body].force, part);
  case KIND_CONTACT_TORQUE:
    return turn_of(asp_world_contact_totals(world)[body].torque, part, plane);
  default:
    return part_of(sums->impulse[body], part);
  }
}

static double joint_value(const Quantity *quantity, const AspWorld *world) {
  const AspJointRecord *joint = &asp_world_joints(world)[quantity->index];
  switch ((Kind)quantity->kind) {
  case KIND_COORDINATE:
    return joint->coordinate;
  case KIND_RATE:
    return joint->rate;
  case KIND_FORCE:
    return part_of(joint->force, quantity->part);
  case KIND_TORQUE:
    return turn_of(joint->torque, quantity->part, asp_model_dimension(asp_world_model(world)) == 2);
  case KIND_FRICTION:
    return joint->friction;
  case KIND_MOTOR:
    return joint->motor;
  default:
    return joint->limit;
  }
}

double asp_quantity_natural_size(const Quantity *quantity, double mass, double length, double time) {
  const int *power = kinds[quantity->kind].power;
  return asp_pow(mass, power[0]) * asp_pow(length, power[1]) * asp_pow(time, power[2]);
}

double asp_quantity_value(const Quantity *quantity, const AspWorld *world, const ConvergeSums *sums) {
  if (quantity->owner == OWNER_BODY)
    return body_value(quantity, world, sums);
  if (quantity->owner == OWNER_JOINT)
    return joint_value(quantity, world);
  if (quantity->kind == KIND_ENERGY) {
    AspEnergy energy = asp_model_energy(asp_world_model(world), asp_world_state(world));
    const double parts[] = {energy.kinetic + energy.gravitational + energy.elastic, energy.kinetic,
                            energy.gravitational, energy.elastic};
    return parts[quantity->part];
  }
  const AspEnergyFlow *flow = &sums->flow;
  const double parts[] = {flow->motors, flow->forces,  flow->friction, flow->impacts,
                          flow->joints, flow->damping, flow->remainder};
  return parts[quantity->part];
}
