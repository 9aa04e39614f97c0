/* Dry friction with constant bounds in joints: which of the free rows of a joint (joint_rows.c) a bound is for.
 *
 *   one coordinate      friction               along the coordinate
 *   cylindrical         friction               along the axis              friction_torque   about it
 *   universal           friction               about A's axis              friction_b        about B's
 *   spherical           friction               about any axis: |torque| <= friction
 *   planar              friction               in the plane: |force| <= friction       friction_torque   about the axis
 *
 * Depends on check.c. */
#include "model/joint_friction.h"
#include "model/model.h"

typedef enum Bound { BOUND_FRICTION, BOUND_TORQUE, BOUND_B, BOUND_COUNT } Bound;

static const char *const bound_names[BOUND_COUNT] = {"friction", "friction_torque", "friction_b"};

typedef struct FrictionRows {
  Bound bound;
  int first, rows; /* 0 rows: none */
} FrictionRows;

static const FrictionRows frictions[ASP_JOINT_COUNT][ASP_JOINT_FRICTIONS] = {
    [ASP_JOINT_REVOLUTE] = {{BOUND_FRICTION, 0, 1}},
    [ASP_JOINT_PRISMATIC] = {{BOUND_FRICTION, 0, 1}},
    [ASP_JOINT_CYLINDRICAL] = {{BOUND_FRICTION, 0, 1}, {BOUND_TORQUE, 1, 1}},
    [ASP_JOINT_UNIVERSAL] = {{BOUND_FRICTION, 0, 1}, {BOUND_B, 1, 1}},
    [ASP_JOINT_SPHERICAL] = {{BOUND_FRICTION, 0, 3}},
    [ASP_JOINT_PLANAR] = {{BOUND_FRICTION, 0, 2}, {BOUND_TORQUE, 2, 1}},
    [ASP_JOINT_SCREW] = {{BOUND_FRICTION, 0, 1}},
    [ASP_JOINT_COUPLING] = {{BOUND_FRICTION, 0, 1}},
    [ASP_JOINT_TENDON] = {{BOUND_FRICTION, 0, 1}},
};

static double bound_of(const AspJointDef *def, Bound bound) {
  return bound == BOUND_FRICTION ? def->friction : bound == BOUND_TORQUE ? def->friction_torque : def->friction_b;
}

int asp_joint_frictions(const AspModel *model, int joint, AspJointFriction friction[ASP_JOINT_FRICTIONS]) {
  const AspJointDef *def = &model->joint[joint].def;
  int count = 0;
  for (int part = 0; part < ASP_JOINT_FRICTIONS; part++) {
    const FrictionRows *it = &frictions[def->kind][part];
    double limit = it->rows > 0 ? bound_of(def, it->bound) : 0;
    if (limit > 0)
      friction[count++] = (AspJointFriction){it->first, it->rows, limit};
  }
  return count;
}

// exact: room for the name of every kind
enum { KINDS_BYTES = 32 * ASP_JOINT_COUNT };

/* "a, b, c": the kinds of joints that have this bound. */
static const char *kinds_with(Bound bound, char text[KINDS_BYTES]) {
  text[0] = '\0';
  for (int kind = 0; kind < ASP_JOINT_COUNT; kind++)
    for (int part = 0; part < ASP_JOINT_FRICTIONS; part++)
      if (frictions[kind][part].rows > 0 && frictions[kind][part].bound == bound) {
        strncat(text, text[0] ? ", " : "", KINDS_BYTES - 1 - strlen(text));
        strncat(text, asp_joint_kind_name((AspJointKind)kind), KINDS_BYTES - 1 - strlen(text));
      }
  return text;
}

AspError asp_joint_friction_check(const AspModel *model, const AspJointDef *def) {
  for (int bound = 0; bound < BOUND_COUNT; bound++) {
    char text[KINDS_BYTES];
    bool has = false;
    ASP_TRY(asp_check_not_negative(model->context, bound_names[bound], bound_of(def, (Bound)bound)));
    for (int part = 0; part < ASP_JOINT_FRICTIONS; part++)
      has = has || (frictions[def->kind][part].rows > 0 && frictions[def->kind][part].bound == (Bound)bound);
    if (!has && bound_of(def, (Bound)bound) > 0)
      return asp_fail(model->context, ASP_ERROR_INPUT, "a %s joint cannot have %s; these joints can: %s",
                      asp_joint_kind_name(def->kind), bound_names[bound], kinds_with((Bound)bound, text));
  }
  return ASP_OK;
}
