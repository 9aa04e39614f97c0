/* Bodies: their definitions, the prescribed motion of kinematic bodies, the mass matrix.
 *
 *   kinematic: x(t) = (x_1(t), x_2(t), x_3(t)),  R(t) = exp(phi(t) axis) R_0,  w = phi' axis,  dw/dt = phi'' axis
 *   M = diag(m E, R I R^T) in world coordinates; 2D diag(m, m, I_zz)
 *
 * Depends on check.c, time_function.c.
 */
#include "base/elementary.h"
#include "model/model.h"

#define BODY_COOKIE UINT32_C(0x41424f44)

AspBodyDef asp_body_default(void) {
  AspBodyDef def = {
      .cookie = BODY_COOKIE, .kind = ASP_BODY_DYNAMIC, .pose = pose_identity(), .rotation_axis = {0, 0, 1}};
  return def;
}

void asp_body_release(AspContext *context, ModelBody *body) {
  for (int i = 0; i < 3; i++)
    asp_time_function_release(context, &body->position[i]);
  asp_time_function_release(context, &body->rotation);
}

static AspError check_kind_fits(AspContext *context, const AspBodyDef *def) {
  bool moves = def->rotation_expression || def->position_expression[0] || def->position_expression[1] ||
               def->position_expression[2];
  bool starts = norm3(def->velocity) != 0 || norm3(def->angular_velocity) != 0;
  if (def->kind != ASP_BODY_DYNAMIC && def->kind != ASP_BODY_FIXED && def->kind != ASP_BODY_KINEMATIC)
    return asp_fail(context, ASP_ERROR_ARGUMENT, "kind: %d is not dynamic, fixed or kinematic", (int)def->kind);
  if (moves && def->kind != ASP_BODY_KINEMATIC)
    return asp_fail(context, ASP_ERROR_INPUT, "only a kinematic body can have position or rotation expressions");
  if (starts && def->kind != ASP_BODY_DYNAMIC)
    return asp_fail(context, ASP_ERROR_INPUT,
                    "velocity: only a dynamic body can be given one; a kinematic body moves by its expressions");
  return ASP_OK;
}

/* Everything about the numbers; def is made exact (unit quaternion and axis, symmetric inertia). */
static AspError check_body(AspContext *context, int dimension, AspBodyDef *def) {
  ASP_TRY(check_kind_fits(context, def));
  ASP_TRY(asp_check_pose(context, dimension, &def->pose));
  ASP_TRY(asp_check_in_plane(context, dimension, "velocity", def->velocity));
  ASP_TRY(asp_check_about_z(context, dimension, "angular_velocity", def->angular_velocity));
  if (def->kind == ASP_BODY_DYNAMIC) {
    ASP_TRY(asp_check_positive(context, "mass", def->mass));
    ASP_TRY(asp_check_inertia(context, dimension, &def->inertia));
  }
  if (!def->rotation_expression)
    def->rotation_axis = vec3(0, 0, 1); // not used: the given value need not be valid
  ASP_TRY(asp_check_direction(context, "rotation_axis", &def->rotation_axis));
  ASP_TRY(asp_check_about_z(context, dimension, "rotation_axis", def->rotation_axis));
  if (dimension == 2 && def->position_expression[2])
    return asp_fail(context, ASP_ERROR_INPUT, "position[2]: there is no z in 2D");
  return ASP_OK;
}

static AspError parse_motion(const AspModel *model, const AspBodyDef *def, ModelBody *body) {
  static const char *const fields[] = {"position[0]", "position[1]", "position[2]"};
  for (int i = 0; i < 3; i++)
    ASP_TRY(asp_time_function_make(model, fields[i], def->position_expression[i], true, &body->position[i]));
  return asp_time_function_make(model, "rotation", def->rotation_expression, true, &body->rotation);
}

AspError asp_model_add_body(AspModel *model, const AspBodyDef *def, int *body) {
  AspContext *context = model->context;
  ASP_TRY(asp_model_may_add(model, "body", def->cookie == BODY_COOKIE));
  char label[ASP_LABEL_BYTES];
  asp_model_label(label, "body", model->body_count, def->name);
  AspError error = ASP_OK;
  ModelBody made = {.def = *def, .dof = -1, .beam = -1};
  ASP_CHECK(check_body(context, model->dimension, &made.def));
  if (asp_model_find_beam(model, label) >= 0)
    ASP_CHECK(asp_fail(context, ASP_ERROR_INPUT, "the name is taken by a beam; a body needs another one"));
  ASP_CHECK(parse_motion(model, def, &made));
  ASP_CHECK(ASP_GROW(context, model->body, model->body_capacity, model->body_count + 1));
  ASP_CHECK(asp_model_name_element(model, &model->body_names, def->name, label));
  made.def.name = asp_model_body_name(model, model->body_count);
  for (int i = 0; i < 3; i++)
    made.def.position_expression[i] = made.position[i].text;
  made.def.rotation_expression = made.rotation.text;
  if (def->kind == ASP_BODY_DYNAMIC) {
    made.dof = model->dofs;
    model->dofs += asp_model_velocities(model);
  }
  model->has_kinematic = model->has_kinematic || def->kind == ASP_BODY_KINEMATIC;
  model->body[model->body_count] = made;
  *body = model->body_count++;
done:
  if (error != ASP_OK) {
    asp_body_release(context, &made);
    asp_fail_prefix(context, "body '%s': ", label);
  }
  return error;
}

AspError asp_model_set_mass(AspModel *model, int body, double mass, const AspMat3 *inertia) {
  AspContext *context = model->context;
  ASP_TRY(asp_model_may_add(model, "mass", true));
  ASP_TRY(asp_model_check_body(model, "body", body));
  AspBodyDef changed = model->body[body].def;
  changed.mass = mass;
  if (inertia)
    changed.inertia = *inertia;
  AspError error = changed.kind == ASP_BODY_DYNAMIC
                       ? check_body(context, model->dimension, &changed)
                       : asp_fail(context, ASP_ERROR_INPUT, "mass: only a dynamic body has one");
  if (error != ASP_OK) {
    asp_fail_prefix(context, "body '%.80s': ", asp_model_body_name(model, body));
    return error;
  }
  model->body[body].def.mass = changed.mass;
  model->body[body].def.inertia = changed.inertia;
  return ASP_OK;
}

/* ---- kinematics ---- */

static void prescribe(int dimension, const ModelBody *body, double t, const AspInput *input, BodyMotion *motion) {
  AspVec3 x = body->def.pose.position, axis = body->def.rotation_axis;
  AspJet p[3], phi = asp_time_function_at(&body->rotation, t, input, 0);
  for (int i = 0; i < 3; i++)
    p[i] = asp_time_function_at(&body->position[i], t, input, get3(x, i));
  motion->pose.position = vec3(p[0].value, p[1].value, p[2].value);
  motion->v = vec3(p[0].rate, p[1].rate, p[2].rate);
  motion->known_a = vec3(p[0].acceleration, p[1].acceleration, p[2].acceleration);
  motion->w = scale3(phi.rate, axis);
  motion->known_w = scale3(phi.acceleration, axis);
  if (dimension == 2)
    motion->angle += phi.value * axis.z;
  motion->pose.orientation =
      quat_normalize(quat_multiply(quat_from_axis_angle(axis, phi.value), body->def.pose.orientation));
}

BodyMotion asp_body_defined_motion(int dimension, const ModelBody *body, double t, const AspInput *input) {
  const AspBodyDef *def = &body->def;
  BodyMotion motion = {.pose = def->pose, .v = def->velocity, .w = def->angular_velocity};
  if (dimension == 2)
    motion.angle = 2 * asp_atan2(def->pose.orientation.z, def->pose.orientation.w);
  if (def->kind == ASP_BODY_KINEMATIC)
    prescribe(dimension, body, t, input, &motion);
  return motion;
}

BodyMotion asp_body_motion(const AspModel *model, const AspState *state, int body) {
  BodyMotion motion = {.pose = asp_state_pose(model, state, body),
                       .v = asp_state_velocity(model, state, body),
                       .w = asp_state_angular_velocity(model, state, body)};
  if (model->dimension == 2)
    motion.angle = state->q[3 * (size_t)body + 2];
  if (model->body[body].def.kind == ASP_BODY_KINEMATIC) {
    BodyMotion prescribed = asp_body_defined_motion(model->dimension, &model->body[body], state->t, state->input);
    motion.known_a = prescribed.known_a;
    motion.known_w = prescribed.known_w;
  } else if (model->body[body].beam >= 0) {
    AspFlexSection section = asp_station_section(model, state, body);
    motion.known_a = section.bias;
    motion.known_w = section.spin_bias;
  }
  return motion;
}

void asp_body_mass_matrix(const AspModel *model, const AspState *state, int body, double *M) {
  const AspBodyDef *def = &model->body[body].def;
  int n = asp_model_velocities(model);
  memset(M, 0, (size_t)(n * n) * sizeof *M);
  if (def->kind != ASP_BODY_DYNAMIC)
    return;
  for (int i = 0; i < model->dimension; i++)
    M[i * n + i] = def->mass;
  if (model->dimension == 2) {
    M[8] = def->inertia.m[8];
    return;
  }
  if (mat3_is_isotropic(&def->inertia)) {
    M[21] = M[28] = M[35] = def->inertia.m[0];
    return;
  }
  AspMat3 R = mat3_from_quat(asp_state_pose(model, state, body).orientation);
  AspMat3 inertia = mat3_congruence(&R, &def->inertia);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) // the mean of both triangles: exactly symmetric
      M[(3 + j) * 6 + 3 + i] = 0.5 * (inertia.m[3 * i + j] + inertia.m[3 * j + i]);
}

/* The mass matrix of a body does not change as it turns. */
static bool has_constant_mass(const AspModel *model, const ModelBody *body) {
  return model->dimension == 2 || mat3_is_isotropic(&body->def.inertia);
}

static AspError place_mass(AspModel *model) {
  MassBlocks *mass = &model->mass;
  size_t n = (size_t)asp_model_velocities(model), columns = 0;
  bool constant = true;
  for (int i = 0; i < model->body_count; i++)
    if (model->body[i].dof >= 0) {
      columns += n;
      constant = constant && has_constant_mass(model, &model->body[i]);
    }
  asp_release(model->context, mass->start); // of a call that failed
  asp_release(model->context, mass->row);
  asp_release(model->context, mass->value);
  *mass = (MassBlocks){.start = asp_allocate(model->context, columns + 1, sizeof *mass->start),
                       .row = asp_allocate(model->context, columns * n, sizeof *mass->row),
                       .value = constant ? asp_allocate(model->context, columns * n, sizeof *mass->value) : NULL};
  if (!mass->start || !mass->row || (constant && !mass->value))
    return ASP_ERROR_MEMORY;
  for (size_t j = 0; j < columns; j++) {
    mass->start[j + 1] = (int)((j + 1) * n);
    for (size_t i = 0; i < n; i++)
      mass->row[j * n + i] = (int)(j / n * n + i);
  }
  for (int i = 0; constant && i < model->body_count; i++)
    if (model->body[i].dof >= 0)
      asp_body_mass_matrix(model, NULL, i, mass->value + n * (size_t)model->body[i].dof);
  return ASP_OK;
}

AspError asp_bodies_place(AspModel *model) {
  asp_release(model->context, model->dof_of); // of a call that failed
  asp_release(model->context, model->station_of);
  model->dof_of = asp_allocate(model->context, (size_t)model->body_count, sizeof *model->dof_of);
  model->station_of = asp_allocate(model->context, (size_t)model->body_count, sizeof *model->station_of);
  model->station_count = 0;
  if (!model->dof_of || !model->station_of)
    return ASP_ERROR_MEMORY;
  for (int i = 0; i < model->body_count; i++) {
    model->dof_of[i] = model->body[i].dof;
    model->station_of[i] = model->body[i].beam >= 0 ? model->station_count++ : -1;
  }
  return place_mass(model);
}
