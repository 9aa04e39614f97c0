/* Joints: their definitions, checked and turned into points and axes fixed in the two bodies, and the functions of time
 * on their coordinate. The mechanics is in joint_rows.c. docs/reference/joints.md lists the kinds for users.
 *
 * Depends on body.c, check.c, time_function.c.
 */
#include "model/attach.h"
#include "model/compound.h"
#include "model/joint_friction.h"
#include "model/tendon.h"
#include "model/tuning/model.h"

#include <stdio.h>

#define JOINT_COOKIE UINT32_C(0x414a4e54)

static const struct {
  const char *name;
  int coordinates;
  bool in_2d;
  int given;
} kinds[ASP_JOINT_COUNT] = {
#define JOINT_KIND(kind, name, coordinates, in_2d, given) {name, coordinates, in_2d, given},
    ASP_JOINT_LIST(JOINT_KIND)
#undef JOINT_KIND
};

const char *asp_joint_kind_name(AspJointKind kind) { return kind < ASP_JOINT_COUNT ? kinds[kind].name : "unknown"; }

bool asp_joint_kind_from_name(const char *name, AspJointKind *kind) {
  for (int i = 0; i < ASP_JOINT_COUNT; i++)
    if (strcmp(kinds[i].name, name) == 0) {
      *kind = (AspJointKind)i;
      return true;
    }
  return false;
}

AspJointDef asp_joint_default(void) {
  AspJointDef def = {.cookie = JOINT_COOKIE,
                     .kind = ASP_JOINT_REVOLUTE,
                     .body_a = -1,
                     .body_b = -1,
                     .compound = -1,
                     .axis = {0, 0, 1},
                     .axis_b = {1, 0, 0},
                     .limit_low = -INFINITY,
                     .limit_high = INFINITY,
                     .motor_effort = INFINITY};
  return def;
}

void asp_joint_release(AspContext *context, ModelJoint *joint) {
  asp_time_function_release(context, &joint->motor);
  asp_time_function_release(context, &joint->motion);
  asp_time_function_release(context, &joint->effort);
  asp_time_function_release(context, &joint->target);
  asp_time_function_release(context, &joint->target_velocity);
  asp_time_function_release(context, &joint->load);
  asp_tendon_release(context, joint->tendon);
  joint->tendon = NULL;
}

/* ---- checks ---- */

static AspError check_bodies(const AspModel *model, const AspJointDef *def) {
  ASP_TRY(asp_model_check_body(model, "body_a", def->body_a));
  ASP_TRY(asp_model_check_body(model, "body_b", def->body_b));
  const char *name_a = asp_model_body_name(model, def->body_a), *name_b = asp_model_body_name(model, def->body_b);
  if (def->body_a == def->body_b)
    return asp_fail(model->context, ASP_ERROR_INPUT, "joins the body '%.80s' to itself; two bodies are needed", name_a);
  if (!asp_body_is_free(&model->body[def->body_a]) && !asp_body_is_free(&model->body[def->body_b]))
    return asp_fail(model->context, ASP_ERROR_INPUT, "neither '%.80s' nor '%.80s' is dynamic; one must be", name_a,
                    name_b);
  return ASP_OK;
}

/* At least one of the coefficients is not 0. */
static AspError check_factors(AspContext *context, const char *name, const AspCouplingTerm *term) {
  bool any = term->factor != 0, finite = isfinite(term->factor);
  for (int k = 0; k < 3; k++) {
    any = any || term->power[k] != 0;
    finite = finite && isfinite(term->power[k]);
  }
  if (any && finite)
    return ASP_OK;
  return asp_fail(context, ASP_ERROR_INPUT, "the factor of '%.80s' is %.15g; it must be a number other than 0", name,
                  term->factor);
}

/* The joints of a coupling come before it, have a coordinate, and each is named once. */
static AspError check_terms(const AspModel *model, const AspJointDef *def) {
  AspContext *context = model->context;
  if (def->term_count < 1 || def->term_count > ASP_COUPLING_TERMS)
    return asp_fail(context, ASP_ERROR_INPUT, "joints: a coupling of %d coordinates; it takes 1 to %d", def->term_count,
                    ASP_COUPLING_TERMS);
  for (int i = 0; i < def->term_count; i++) {
    int joint = def->term[i].joint;
    if (joint < 0 || joint >= model->joint_count)
      return asp_fail(context, ASP_ERROR_ARGUMENT, "joints: %d is not one of the %d joints before it", joint,
                      model->joint_count);
    const char *name = asp_model_joint_name(model, joint);
    AspJointKind kind = model->joint[joint].def.kind;
    if (kinds[kind].coordinates != 1 || asp_joint_is_sum(&model->joint[joint].def))
      return asp_fail(context, ASP_ERROR_INPUT,
                      "joints: '%.80s' is a %s joint; a coupling takes revolute, prismatic and screw joints", name,
                      kinds[kind].name);
    if (model->joint[joint].def.has_switch)
      return asp_fail(context, ASP_ERROR_INPUT, "joints: '%.80s' has \"active\"; a joint that is coupled stays closed",
                      name);
    ASP_TRY(check_factors(context, name, &def->term[i]));
    for (int k = 0; k < i; k++)
      if (def->term[k].joint == joint)
        return asp_fail(context, ASP_ERROR_INPUT, "joints: '%.80s' is named twice", name);
  }
  return ASP_OK;
}

static AspError check_kind(const AspModel *model, const AspJointDef *def) {
  if (def->kind < 0 || def->kind >= ASP_JOINT_COUNT)
    return asp_fail(model->context, ASP_ERROR_ARGUMENT, "kind: %d is not a kind of joint", (int)def->kind);
  if (model->dimension == 2 && !kinds[def->kind].in_2d)
    return asp_fail(model->context, ASP_ERROR_INPUT,
                    "a %s joint does not exist in 2D; use revolute, prismatic, fixed, distance, coupling or tendon",
                    kinds[def->kind].name);
  return ASP_OK;
}

/* What some joints with one coordinate cannot have; NULL: nothing of it is asked. */
static const char *refused_use(const AspJointDef *def) {
  bool couples = asp_joint_is_sum(def), springs = def->stiffness != 0 || def->damping != 0;
  if ((couples || def->kind == ASP_JOINT_SCREW) && def->friction_coefficient != 0)
    return "a friction_coefficient";
  return couples && springs && (def->has_servo || def->has_motor) ? "a spring beside a motor or servo" : NULL;
}

/* The spring of a coupling, which many bodies feel, is a servo: its block takes a row with any number of parts. */
static void use_servo(AspJointDef *def, char target[ASP_LABEL_BYTES]) {
  if (!asp_joint_is_sum(def) || (def->stiffness == 0 && def->damping == 0))
    return;
  snprintf(target, ASP_LABEL_BYTES, "%.17g", def->rest);
  def->has_servo = true;
  def->servo_kp = def->stiffness;
  def->servo_kd = def->damping;
  def->servo_target = target;
  def->servo_velocity = NULL;
  def->motor_effort = INFINITY;
  def->motor_effort_expression = NULL;
  def->stiffness = def->damping = 0;
}

/* What needs a coordinate is refused where there is not exactly one. */
static AspError check_coordinate_use(const AspModel *model, const AspJointDef *def) {
  const struct {
    const char *what;
    bool used, turn;
  } features[] = {{"a friction_coefficient", def->friction_coefficient != 0, false},
                  {"limits", !(def->limit_low == -INFINITY && def->limit_high == INFINITY), false},
                  {"a motor", def->has_motor, false},
                  {"a servo", def->has_servo, false},
                  {"a spring", def->stiffness != 0, true},
                  {"a damper", def->damping != 0, true},
                  {"an armature", def->armature != 0, false},
                  {"an effort", def->effort != NULL, false},
                  {"a prescribed motion", def->motion != NULL, false},
                  {"an initial coordinate", def->has_initial, false}};
  bool ball = def->kind == ASP_JOINT_SPHERICAL; // its spring acts on its turn
  if (ball && def->rest != 0)
    return asp_fail(model->context, ASP_ERROR_INPUT,
                    "rest: %.15g; the spring of a spherical joint is relaxed as the joint starts", def->rest);
  if (kinds[def->kind].coordinates != 1)
    for (size_t i = 0; i < sizeof features / sizeof features[0]; i++)
      if (features[i].used && !(ball && features[i].turn))
        return asp_fail(model->context, ASP_ERROR_INPUT,
                        "a %s joint cannot have %s; only joints with one coordinate can: revolute, prismatic, screw, "
                        "coupling, tendon",
                        kinds[def->kind].name, features[i].what);
  const char *refused = refused_use(def);
  if (refused)
    return asp_fail(model->context, ASP_ERROR_INPUT, "a %s joint cannot have %s; revolute and prismatic joints can",
                    kinds[def->kind].name, refused);
  if (def->has_motor && def->motion)
    return asp_fail(model->context, ASP_ERROR_INPUT,
                    "a joint cannot have a motor and a prescribed motion at the same time");
  if (def->has_motor && !def->motor_velocity)
    return asp_fail(model->context, ASP_ERROR_INPUT, "the motor has no velocity; \"0\" makes it a brake");
  return asp_servo_check(model, def);
}

static AspError check_pitch(AspContext *context, const AspJointDef *def) {
  if (def->kind == ASP_JOINT_SCREW && !(isfinite(def->pitch) && def->pitch != 0))
    return asp_fail(context, ASP_ERROR_INPUT, "pitch: %.15g m per turn; a screw needs a number other than 0",
                    def->pitch);
  return ASP_OK;
}

static AspError check_bearings(AspContext *context, const AspJointDef *def) {
  ASP_TRY(asp_check_not_negative(context, "friction_coefficient", def->friction_coefficient));
  ASP_TRY(asp_check_not_negative(context, "bearing_radius", def->bearing_radius));
  ASP_TRY(asp_check_not_negative(context, "bearing_length", def->bearing_length));
  if (def->kind == ASP_JOINT_REVOLUTE && def->friction_coefficient > 0 && !(def->bearing_radius > 0))
    return asp_fail(context, ASP_ERROR_INPUT,
                    "bearing_radius: missing; a friction_coefficient of %.15g acts at that radius (m, > 0)",
                    def->friction_coefficient);
  return ASP_OK;
}

static AspError check_coordinate_numbers(AspContext *context, const AspJointDef *def) {
  ASP_TRY(check_bearings(context, def));
  ASP_TRY(check_pitch(context, def));
  ASP_TRY(asp_check_not_negative(context, "stiffness", def->stiffness));
  ASP_TRY(asp_check_not_negative(context, "damping", def->damping));
  ASP_TRY(asp_check_not_negative(context, "armature", def->armature));
  ASP_TRY(asp_check_number(context, "rest", def->rest));
  ASP_TRY(asp_check_number(context, "initial", def->initial));
  ASP_TRY(asp_check_fraction(context, "limit_restitution", def->limit_restitution));
  if (!(def->motor_effort >= 0))
    return asp_fail(context, ASP_ERROR_INPUT, "effort: %.15g is not >= 0", def->motor_effort);
  if (!(def->limit_low <= def->limit_high) || def->limit_low == INFINITY || def->limit_high == -INFINITY)
    return asp_fail(context, ASP_ERROR_INPUT, "limits: [%.15g, %.15g] is empty; the lower limit comes first",
                    def->limit_low, def->limit_high);
  return ASP_OK;
}

/* ---- functions of time and the initial coordinate ---- */

static AspError prepare_coordinate(const AspModel *model, ModelJoint *joint) {
  AspContext *context = model->context;
  AspJointDef *def = &joint->def;
  if (def->has_motor)
    ASP_TRY(asp_time_function_make(model, "motor velocity", def->motor_velocity, false, &joint->motor));
  ASP_TRY(asp_time_function_make(model, "motion", def->motion, true, &joint->motion));
  ASP_TRY(asp_servo_prepare(model, joint));
  ASP_TRY(asp_effort_prepare(model, joint));
  ASP_TRY(asp_time_function_make(model, "effort", def->effort, false, &joint->load));
  def->effort = joint->load.text;
  double prescribed = asp_time_function_at(&joint->motion, 0, model->input, def->initial).value;
  if (!def->has_initial)
    def->initial = prescribed; // 0 unless there is a motion
  if (fabs(def->initial - prescribed) > JOINT_INITIAL_TOLERANCE * fmax(1, fabs(prescribed)))
    return asp_fail(context, ASP_ERROR_INPUT,
                    "initial: the coordinate is %.15g at the initial poses, but the motion starts at %.15g",
                    def->initial, prescribed);
  if (def->initial < def->limit_low || def->initial > def->limit_high)
    return asp_fail(context, ASP_ERROR_INPUT, "limits: the initial coordinate %.15g is outside [%.15g, %.15g]",
                    def->initial, def->limit_low, def->limit_high);
  def->motor_velocity = joint->motor.text;
  def->motion = joint->motion.text;
  return ASP_OK;
}

/* ---- geometry ---- */

static bool is_given(const AspJointDef *def, int what) { return (kinds[def->kind].given & what) != 0; }

/* World axes t1, t2, n of the joint at the initial poses; B's last one differs for a universal joint. */
static AspError choose_frame(const AspModel *model, AspJointDef *def, AspVec3 frame[3]) {
  AspContext *context = model->context;
  if (!is_given(def, ASP_GIVEN_AXIS))
    def->axis = vec3(0, 0, 1); // any frame can be used
  ASP_TRY(asp_check_direction(context, "axis", &def->axis));
  frame[2] = def->axis;
  if (model->dimension == 2 && def->kind == ASP_JOINT_PRISMATIC) {
    ASP_TRY(asp_check_in_plane(context, 2, "axis", def->axis));
    frame[0] = vec3(-def->axis.y, def->axis.x, 0);
    frame[1] = vec3(0, 0, 1);
    return ASP_OK;
  }
  if (model->dimension == 2 && !(def->axis.z == 1))
    return asp_fail(context, ASP_ERROR_INPUT, "axis: (%.15g, %.15g, %.15g) is not +z, the only one in 2D", def->axis.x,
                    def->axis.y, def->axis.z);
  tangents3(frame[2], &frame[0], &frame[1]);
  return ASP_OK;
}

static AspError choose_axis_b(AspContext *context, AspJointDef *def) {
  if (!is_given(def, ASP_GIVEN_AXIS_B))
    return ASP_OK;
  ASP_TRY(asp_check_direction(context, "axis_b", &def->axis_b));
  double cosine = dot3(def->axis, def->axis_b);
  if (!(fabs(cosine) <= JOINT_PERPENDICULAR_TOLERANCE))
    return asp_fail(context, ASP_ERROR_INPUT,
                    "axis_b: its cosine with axis is %.9g; the axes of a universal joint must be perpendicular",
                    cosine);
  def->axis_b = unit3(axpy3(def->axis_b, -cosine, def->axis));
  return ASP_OK;
}

static AspError place_points(const AspModel *model, ModelJoint *joint, const AspPose *a, const AspPose *b) {
  AspJointDef *def = &joint->def;
  ASP_TRY(asp_check_in_plane(model->context, model->dimension, "point", def->point));
  if (!is_given(def, ASP_GIVEN_POINT_B))
    def->point_b = def->point;
  ASP_TRY(asp_check_in_plane(model->context, model->dimension, "point_b", def->point_b));
  joint->length = norm3(sub3(def->point_b, def->point));
  if (def->kind == ASP_JOINT_DISTANCE && !(joint->length > 0 && isfinite(joint->length)))
    return asp_fail(
        model->context, ASP_ERROR_INPUT,
        "point_b: its distance from point is %.15g; it must be positive (use a spherical or revolute joint)",
        joint->length);
  joint->local_a = pose_point_back(a, def->point);
  joint->local_b = pose_point_back(b, def->point_b);
  return ASP_OK;
}

/* A coupling lies where its first joint lies. */
static void place_coupling(const AspModel *model, ModelJoint *joint) {
  AspJointDef *def = &joint->def;
  const ModelJoint *first = &model->joint[def->term[0].joint];
  def->point = first->def.point;
  def->point_b = first->def.point_b;
  def->axis = first->def.axis;
  joint->local_a = first->local_a;
  joint->local_b = first->local_b;
  memcpy(joint->frame_a, first->frame_a, sizeof joint->frame_a);
  memcpy(joint->frame_b, first->frame_b, sizeof joint->frame_b);
  joint->turn = first->turn;
  for (int i = 0; i < def->term_count; i++)
    joint->start += asp_coupling_term(&def->term[i], model->joint[def->term[i].joint].def.initial).value;
}

static AspError place(const AspModel *model, ModelJoint *joint) {
  AspJointDef *def = &joint->def;
  if (def->kind == ASP_JOINT_COUPLING) {
    place_coupling(model, joint);
    return ASP_OK;
  }
  BodyMotion a = asp_body_defined_motion(model->dimension, &model->body[def->body_a], 0, model->input);
  BodyMotion b = asp_body_defined_motion(model->dimension, &model->body[def->body_b], 0, model->input);
  AspVec3 frame[3];
  ASP_TRY(place_points(model, joint, &a.pose, &b.pose));
  ASP_TRY(choose_frame(model, def, frame));
  ASP_TRY(choose_axis_b(model->context, def));
  for (int i = 0; i < 3; i++) {
    joint->frame_a[i] = quat_rotate_back(a.pose.orientation, frame[i]);
    joint->frame_b[i] = quat_rotate_back(b.pose.orientation, frame[i]);
  }
  if (is_given(def, ASP_GIVEN_AXIS_B))
    joint->frame_b[2] = quat_rotate_back(b.pose.orientation, def->axis_b);
  joint->turn = b.angle - a.angle;
  return ASP_OK;
}

/* ---- adding and reading ---- */

AspError asp_model_add_joint(AspModel *model, const AspJointDef *def, int *joint) {
  AspContext *context = model->context;
  ASP_TRY(asp_model_may_add(model, "joint", def->cookie == JOINT_COOKIE));
  char label[ASP_LABEL_BYTES];
  asp_model_label(label, "joint", model->joint_count, def->name);
  char target[ASP_LABEL_BYTES];
  AspError error = ASP_OK;
  ModelJoint made = {.def = *def};
  if (!def->has_initial)
    made.def.initial = 0;
  made.def.contact = def->contact || def->has_switch;
  ASP_CHECK(check_kind(model, def));
  ASP_CHECK(asp_compound_check_axis(model, def));
  if (def->compound >= 0) {
    made.def.body_a = model->joint[def->compound].def.body_a;
    made.def.body_b = model->joint[def->compound].def.body_b;
    made.def.contact = model->joint[def->compound].def.contact;
  }
  if (def->kind == ASP_JOINT_COUPLING) {
    ASP_CHECK(check_terms(model, def));
    made.def.body_a = model->joint[def->term[0].joint].def.body_a;
    made.def.body_b = model->joint[def->term[0].joint].def.body_b;
  } else {
    made.def.term_count = 0;
  }
  if (def->kind == ASP_JOINT_TENDON) {
    ASP_CHECK(asp_tendon_make(model, &made));
  } else {
    made.def.path = NULL;
    made.def.path_count = 0;
  }
  ASP_CHECK(check_bodies(model, &made.def));
  ASP_CHECK(asp_joint_friction_check(model, def));
  ASP_CHECK(check_coordinate_use(model, def));
  ASP_CHECK(check_coordinate_numbers(context, &made.def));
  use_servo(&made.def, target);
  ASP_CHECK(prepare_coordinate(model, &made));
  ASP_CHECK(place(model, &made));
  ASP_CHECK(ASP_GROW(context, model->joint, model->joint_capacity, model->joint_count + 1));
  ASP_CHECK(asp_model_name_element(model, &model->joint_names, def->name, label));
  made.def.name = asp_model_joint_name(model, model->joint_count);
  ASP_CHECK(asp_attach_prepare(model, &made));
  model->joint[model->joint_count] = made;
  model->effort_count += made.load.expression != NULL;
  *joint = model->joint_count++;
done:
  if (error != ASP_OK) {
    asp_joint_release(context, &made);
    asp_fail_prefix(context, "joint '%s': ", label);
  }
  return error;
}

int asp_joint_coordinates(const AspModel *model, int joint) { return kinds[model->joint[joint].def.kind].coordinates; }

bool asp_joint_turns(const AspModel *model, int joint) {
  const AspJointDef *def = &model->joint[joint].def;
  if (def->kind == ASP_JOINT_COUPLING)
    def = &model->joint[def->term[0].joint].def;
  return def->kind == ASP_JOINT_REVOLUTE || def->kind == ASP_JOINT_SCREW;
}

bool asp_joint_motion(const AspModel *model, const AspState *state, int joint, double t, AspJet *motion) {
  const ModelJoint *it = &model->joint[joint];
  *motion = asp_time_function_at(&it->motion, t, state ? state->input : model->input, 0);
  return it->motion.expression != NULL;
}

bool asp_joint_motor(const AspModel *model, const AspState *state, int joint, double t, AspJet *velocity,
                     double *effort) {
  const ModelJoint *it = &model->joint[joint];
  *velocity = asp_time_function_at(&it->motor, t, state ? state->input : model->input, 0);
  *effort = it->def.has_motor ? asp_effort_at(model, state, joint, t) : 0;
  return it->def.has_motor;
}
