/* Forces h(q, v, t) of the model, the springs among them as stiff elements, and the energies.
 *
 *   h = m g  (linear part),  -w x (I w)  (angular part),  F(t) at a point: (F, r x F),  torques,
 *   spring on a scalar s(q) with gradient j:  -(k (s - s0) + c s') j
 *
 * A linear spring has s = |d|, the distance of its points; a joint's spring has s = the joint's coordinate. Their
 * stiffness K = -dh/dq keeps only what is positive semidefinite:
 *
 *   joint:   K = k j j^T
 *   linear:  K = k j j^T + k max(0, 1 - s0/|d|) sum of j_t j_t^T over the directions t across the line
 *   both:    C = c j j^T
 *
 * The spring of a spherical joint (ball_spring.c) and drag (drag.c) have several rows, each its own spring or damper.
 * At d = 0 a linear spring has no direction: it gives no force, and no stiffness unless its rest length is 0.
 * Depends on joint_rows.c, check.c, time_function.c.
 */
#include "model/ball_spring.h"
#include "model/drag.h"
#include "model/spring_work.h"

#define FORCE_COOKIE UINT32_C(0x41464f52)

AspForceDef asp_force_default(void) {
  AspForceDef def = {.cookie = FORCE_COOKIE,
                     .kind = ASP_FORCE_FORCE,
                     .body = -1,
                     .body_b = -1,
                     .rest_length = -1,
                     .orientation = {1, 0, 0, 0}};
  return def;
}

void asp_force_release(AspContext *context, ModelForce *force) {
  for (int i = 0; i < 3; i++)
    asp_time_function_release(context, &force->component[i]);
}

/* ---- definitions ---- */

static AspError prepare_components(const AspModel *model, ModelForce *force) {
  static const char *const fields[] = {"component[0]", "component[1]", "component[2]"};
  AspForceDef *def = &force->def;
  if (!asp_body_is_free(&model->body[def->body]))
    return asp_fail(model->context, ASP_ERROR_INPUT, "the body '%.80s' is not dynamic; a force on it has no effect",
                    asp_model_body_name(model, def->body));
  for (int i = 0; i < 3; i++) {
    if (model->dimension == 2 && def->component[i] && (i == 2) != (def->kind == ASP_FORCE_TORQUE))
      return asp_fail(model->context, ASP_ERROR_INPUT, "%s: in 2D a force has components 0 and 1, a torque 2",
                      fields[i]);
    ASP_TRY(asp_time_function_make(model, fields[i], def->component[i], false, &force->component[i]));
    def->component[i] = force->component[i].text;
  }
  return ASP_OK;
}

static AspError prepare_spring(const AspModel *model, ModelForce *force) {
  AspContext *context = model->context;
  AspForceDef *def = &force->def;
  ASP_TRY(asp_model_check_body(model, "body_b", def->body_b));
  if (def->body == def->body_b)
    return asp_fail(context, ASP_ERROR_INPUT, "joins the body '%.80s' to itself; two bodies are needed",
                    asp_model_body_name(model, def->body));
  if (!asp_body_is_free(&model->body[def->body]) && !asp_body_is_free(&model->body[def->body_b]))
    return asp_fail(context, ASP_ERROR_INPUT, "neither '%.80s' nor '%.80s' is dynamic; one must be",
                    asp_model_body_name(model, def->body), asp_model_body_name(model, def->body_b));
  ASP_TRY(asp_check_in_plane(context, model->dimension, "point_b", def->point_b));
  ASP_TRY(asp_check_not_negative(context, "stiffness", def->stiffness));
  ASP_TRY(asp_check_not_negative(context, "damping", def->damping));
  ASP_TRY(asp_check_number(context, "rest_length", def->rest_length));
  if (def->rest_length < 0)
    def->rest_length = norm3(sub3(def->point_b, def->point));
  BodyMotion b = asp_body_defined_motion(model->dimension, &model->body[def->body_b], 0, model->input);
  force->local_b = pose_point_back(&b.pose, def->point_b);
  for (int i = 0; i < 3; i++)
    def->component[i] = NULL; // the model keeps no text it does not own
  return asp_check_number(context, "rest_length", def->rest_length);
}

static AspError prepare_force(const AspModel *model, ModelForce *force) {
  AspForceDef *def = &force->def;
  ASP_TRY(asp_model_check_body(model, "body", def->body));
  ASP_TRY(asp_check_in_plane(model->context, model->dimension, "point", def->point));
  BodyMotion a = asp_body_defined_motion(model->dimension, &model->body[def->body], 0, model->input);
  force->local = pose_point_back(&a.pose, def->point);
  switch (def->kind) {
  case ASP_FORCE_FORCE:
  case ASP_FORCE_TORQUE:
    return prepare_components(model, force);
  case ASP_FORCE_SPRING:
    return prepare_spring(model, force);
  case ASP_FORCE_DRAG:
    return asp_drag_prepare(model, force);
  }
  return asp_fail(model->context, ASP_ERROR_ARGUMENT, "kind: %d is not force, torque, spring or drag", (int)def->kind);
}

AspError asp_model_add_force(AspModel *model, const AspForceDef *def, int *force) {
  AspContext *context = model->context;
  ASP_TRY(asp_model_may_add(model, "force", def->cookie == FORCE_COOKIE));
  char label[ASP_LABEL_BYTES];
  asp_model_label(label, "force", model->force_count, def->name);
  AspError error = ASP_OK;
  ModelForce made = {.def = *def};
  ASP_CHECK(prepare_force(model, &made));
  ASP_CHECK(ASP_GROW(context, model->force, model->force_capacity, model->force_count + 1));
  ASP_CHECK(asp_model_name_element(model, &model->force_names, def->name, label));
  made.def.name = asp_model_force_name(model, model->force_count);
  model->force[model->force_count] = made;
  *force = model->force_count++;
done:
  if (error != ASP_OK) {
    asp_force_release(context, &made);
    asp_fail_prefix(context, "force '%s': ", label);
  }
  return error;
}

/* ---- springs: one scalar, its rest value, stiffness and damping ---- */

// exact: of drag along and about three axes
#define SPRING_ROWS 6

/* A spring, damper or drag as forces -(k value + c rate) along rows. */
typedef struct SpringNow {
  int rows;
  AspRow row[SPRING_ROWS];               /* value: deviation from rest */
  double k[SPRING_ROWS], c[SPRING_ROWS]; /* N/m, N s/m or N m/rad, N m s/rad */
  double slope[SPRING_ROWS];             /* how the force changes with the rate: c, of drag more */
  PointPair pair;                        /* linear springs */
} SpringNow;

static void set_one(SpringNow *now, double k, double c) {
  now->rows = 1;
  now->k[0] = k;
  now->c[0] = now->slope[0] = c;
}

static void ball_spring_now(const AspModel *model, const AspState *state, int joint, SpringNow *now) {
  const AspJointDef *def = &model->joint[joint].def;
  now->rows = 3;
  asp_ball_rows(model, state, joint, now->row, now->k);
  for (int i = 0; i < 3; i++) {
    bool active = asp_joint_is_active(model, state, joint);
    now->k[i] = active ? now->k[i] : 0;
    now->c[i] = now->slope[i] = active ? def->damping : 0;
  }
}

static void joint_spring_now(const AspModel *model, const AspState *state, const StiffElement *element,
                             SpringNow *now) {
  const AspJointDef *def = &model->joint[element->index].def;
  AspRow row[ASP_ROW_PARTS];
  if (def->kind == ASP_JOINT_SPHERICAL) {
    ball_spring_now(model, state, element->index, now);
    return;
  }
  if (!asp_joint_coordinate(model, state, element->index, row)) {
    now->row[0] = (AspRow){.body_a = def->body_a, .body_b = def->body_b};
    set_one(now, 0, 0);
    return;
  }
  now->row[0] = *row;
  now->row[0].more = NULL; // the servo of a coupling: of its first joint, as a measure of how stiff it is
  now->row[0].value -= def->rest;
  set_one(now, def->stiffness, def->damping);
  if (element->servo) {
    AspServo servo;
    asp_joint_servo(model, state, element->index, state->t, &servo);
    bool within = fabs(asp_joint_servo_effort(model, state, element->index)) < servo.effort;
    set_one(now, within ? servo.kp : 0, within ? servo.kd : 0);
  }
}

static void spring_now(const AspModel *model, const AspState *state, const StiffElement *element, SpringNow *now) {
  if (element->of_joint) {
    joint_spring_now(model, state, element, now);
    return;
  }
  const ModelForce *force = &model->force[element->index];
  if (force->def.kind == ASP_FORCE_DRAG) {
    now->rows = SPRING_ROWS;
    asp_drag_rows(model, state, force, now->row, now->c, now->slope);
    memset(now->k, 0, sizeof now->k);
    return;
  }
  now->pair = asp_point_pair(model, state, force->def.body, force->local, force->def.body_b, force->local_b);
  now->row[0] = asp_row_distance(&now->pair, force->def.rest_length);
  set_one(now, force->def.stiffness, force->def.damping);
}

/* Energy of an element, J: of a joint's spring by its coordinate alone. */
static double spring_energy(const AspModel *model, const AspState *state, const StiffElement *element) {
  const AspJointDef *def = element->of_joint ? &model->joint[element->index].def : NULL;
  double energy = 0, value;
  if (def && def->kind != ASP_JOINT_SPHERICAL) {
    if (def->stiffness == 0 || !asp_joint_value(model, state, element->index, &value))
      return 0;
    return 0.5 * def->stiffness * (value - def->rest) * (value - def->rest);
  }
  SpringNow now;
  spring_now(model, state, element, &now);
  for (int k = 0; k < now.rows; k++)
    energy += 0.5 * now.k[k] * now.row[k].value * now.row[k].value;
  return energy;
}

/* A += weight j j^T, j = (ja, jb) */
static void add_outer(double *A, int n, double weight, const AspRow *row) {
  double j[12];
  for (int i = 0; i < n; i++) {
    j[i] = row->ja[i];
    j[n + i] = row->jb[i];
  }
  for (int column = 0; column < 2 * n; column++)
    for (int i = 0; i < 2 * n; i++)
      A[column * 2 * n + i] += weight * (j[i] * j[column]); // the product first: exactly symmetric
}

/* Rows of the geometric stiffness of a stretched linear spring; compressed, it would destabilise and is left out. */
static int rows_across(const PointPair *pair, double k, double rest_length, AspRow *row, double *stiffness) {
  double distance = norm3(pair->d);
  double weight = distance > 0 ? k * fmax(0, 1 - rest_length / distance) : rest_length == 0 ? k : 0;
  AspVec3 u = distance > 0 ? unit3(pair->d) : vec3(1, 0, 0), t[2];
  int count = 0;
  if (pair->dimension == 2)
    t[0] = vec3(-u.y, u.x, 0);
  else
    tangents3(u, &t[0], &t[1]);
  for (; count < pair->dimension - 1; count++) {
    row[count] = asp_row_point(pair, t[count]);
    stiffness[count] = weight;
  }
  if (distance == 0 && rest_length == 0) { // the same stiffness in every direction, u included
    row[count] = asp_row_point(pair, u);
    stiffness[count++] = k;
  }
  return count;
}

/* h += the forces of an element. */
static void add_spring(const AspModel *model, const AspState *state, const SpringNow *now, double *h) {
  for (int k = 0; k < now->rows; k++) {
    double rate = asp_row_rate(model, state, &now->row[k], state->v);
    asp_add_along_row(model, state, h, &now->row[k], -(now->k[k] * now->row[k].value + now->c[k] * rate));
  }
}

int asp_model_stiff_rows(const AspModel *model, const AspState *state, int element, AspRow row[ASP_STIFF_ROWS],
                         double k[ASP_STIFF_ROWS], double c[ASP_STIFF_ROWS], double *h) {
  const StiffElement *it = &model->stiff[element];
  SpringNow now;
  spring_now(model, state, it, &now);
  if (h)
    add_spring(model, state, &now, h);
  for (int i = 0; i < now.rows; i++) {
    row[i] = now.row[i];
    k[i] = now.k[i];
    c[i] = now.slope[i];
  }
  if (it->of_joint || model->force[it->index].def.kind != ASP_FORCE_SPRING)
    return now.rows;
  c[1] = c[2] = c[3] = 0;
  return 1 + rows_across(&now.pair, now.k[0], model->force[it->index].def.rest_length, row + 1, k + 1);
}

void asp_model_stiff(const AspModel *model, const AspState *state, int element, int *body_a, int *body_b, double *K,
                     double *C) {
  int n = asp_model_velocities(model);
  AspRow row[ASP_STIFF_ROWS];
  double k[ASP_STIFF_ROWS], c[ASP_STIFF_ROWS];
  int count = asp_model_stiff_rows(model, state, element, row, k, c, NULL);
  *body_a = row[0].body_a;
  *body_b = row[0].body_b;
  memset(K, 0, (size_t)(4 * n * n) * sizeof *K);
  memset(C, 0, (size_t)(4 * n * n) * sizeof *C);
  for (int i = 0; i < count; i++) {
    add_outer(K, n, k[i], &row[i]);
    add_outer(C, n, c[i], &row[i]);
  }
}

/* ---- h ---- */

static void add_wrench(const AspModel *model, const AspState *state, double *h, int body, AspVec3 force,
                       AspVec3 torque) {
  int dof = model->body[body].dof;
  if (model->body[body].beam >= 0)
    asp_station_push(model, state, body, force, torque, h);
  if (dof < 0)
    return;
  h[dof] += force.x;
  h[dof + 1] += force.y;
  if (model->dimension == 2) {
    h[dof + 2] += torque.z;
    return;
  }
  h[dof + 2] += force.z;
  h[dof + 3] += torque.x;
  h[dof + 4] += torque.y;
  h[dof + 5] += torque.z;
}

/* h += effort j^T */
void asp_add_along_row(const AspModel *model, const AspState *state, double *h, const AspRow *row, double effort) {
  bool plane = model->dimension == 2;
  if (row->more)
    asp_add_along_row(model, state, h, row->more, effort);
  for (int side = 0; side < 2; side++) {
    const double *j = side ? row->jb : row->ja;
    AspVec3 force = scale3(effort, vec3(j[0], j[1], plane ? 0 : j[2]));
    AspVec3 torque = scale3(effort, plane ? vec3(0, 0, j[2]) : vec3(j[3], j[4], j[5]));
    add_wrench(model, state, h, side ? row->body_b : row->body_a, force, torque);
  }
}

/* I w in the world */
static AspVec3 angular_momentum(const AspModel *model, const AspState *state, int body) {
  AspVec3 w = asp_state_angular_velocity(model, state, body);
  const AspMat3 *inertia = &model->body[body].def.inertia;
  if (model->dimension == 2)
    return vec3(0, 0, inertia->m[8] * w.z);
  if (mat3_is_isotropic(inertia))
    return scale3(inertia->m[0], w);
  AspQuat q = asp_state_pose(model, state, body).orientation;
  return quat_rotate(q, mat3_times(inertia, quat_rotate_back(q, w)));
}

/* Its vector in world axes. */
static AspVec3 force_vector(const AspModel *model, const AspState *state, const ModelForce *force) {
  AspVec3 F = {asp_time_function_at(&force->component[0], state->t, state->input, 0).value,
               asp_time_function_at(&force->component[1], state->t, state->input, 0).value,
               asp_time_function_at(&force->component[2], state->t, state->input, 0).value};
  return force->def.in_body_frame ? quat_rotate(asp_state_pose(model, state, force->def.body).orientation, F) : F;
}

static void add_force(const AspModel *model, const AspState *state, const ModelForce *force, double *h) {
  AspVec3 F = force_vector(model, state, force);
  AspQuat q = asp_state_pose(model, state, force->def.body).orientation;
  if (force->def.kind == ASP_FORCE_TORQUE)
    add_wrench(model, state, h, force->def.body, vec3(0, 0, 0), F);
  else
    add_wrench(model, state, h, force->def.body, F, cross3(quat_rotate(q, force->local), F));
}

/* Depends on the state: one of the stiff elements. */
static bool is_stiff(AspForceKind kind) { return kind == ASP_FORCE_SPRING || kind == ASP_FORCE_DRAG; }

AspVec3 asp_model_force_now(const AspModel *model, const AspState *state, int force) {
  const ModelForce *element = &model->force[force];
  return is_stiff(element->def.kind) ? vec3(0, 0, 0) : force_vector(model, state, element);
}

void asp_model_applied_force(const AspModel *model, const AspState *state, int force, double *h) {
  memset(h, 0, (size_t)model->dofs * sizeof *h);
  if (!is_stiff(model->force[force].def.kind))
    add_force(model, state, &model->force[force], h);
}

double asp_joint_effort(const AspModel *model, const AspState *state, int joint) {
  return asp_time_function_at(&model->joint[joint].load, state->t, state->input, 0).value;
}

void asp_model_add_applied_forces(const AspModel *model, const AspState *state, double *h) {
  for (int i = 0; model->effort_count > 0 && i < model->joint_count; i++) {
    AspRow row[ASP_ROW_PARTS];
    if (model->joint[i].load.expression && asp_joint_coordinate(model, state, i, row))
      asp_add_along_row(model, state, h, row, asp_joint_effort(model, state, i));
  }
  for (int i = 0; state->pushed && i < model->body_count; i++)
    if (asp_body_is_free(&model->body[i]))
      add_wrench(model, state, h, i, state->applied[i].force, state->applied[i].torque);
  for (int i = 0; i < model->force_count; i++)
    if (!is_stiff(model->force[i].def.kind))
      add_force(model, state, &model->force[i], h);
}

void asp_model_add_spring_forces(const AspModel *model, const AspState *state, double *h) {
  for (int i = 0; i < model->stiff_count; i++) {
    SpringNow now;
    spring_now(model, state, &model->stiff[i], &now);
    add_spring(model, state, &now, h);
  }
}

void asp_model_loads_but_springs(const AspModel *model, const AspState *state, double *h) {
  memset(h, 0, (size_t)model->dofs * sizeof *h);
  for (int i = 0; i < model->body_count; i++) {
    if (model->body[i].dof < 0)
      continue;
    AspVec3 weight = scale3(model->body[i].def.mass, model->gravity), w = asp_state_angular_velocity(model, state, i);
    add_wrench(model, state, h, i, weight, cross3(angular_momentum(model, state, i), w)); // -w x L = L x w
  }
  asp_beams_add_loads(model, state, h);
  asp_model_add_applied_forces(model, state, h);
}

void asp_model_loads(const AspModel *model, const AspState *state, double *h) {
  asp_model_loads_but_springs(model, state, h);
  asp_model_add_spring_forces(model, state, h);
}

void asp_model_forces(const AspModel *model, const AspState *state, double *h) {
  asp_model_loads(model, state, h);
  asp_beams_add_forces(model, state, h);
}

bool asp_model_has_applied_forces(const AspModel *model) { return model->force_count > 0 || model->effort_count > 0; }

AspEnergy asp_model_energy(const AspModel *model, const AspState *state) {
  AspEnergy energy = {0, 0, 0};
  for (int i = 0; i < model->body_count; i++) {
    if (model->body[i].dof < 0)
      continue;
    double m = model->body[i].def.mass;
    AspVec3 v = asp_state_velocity(model, state, i), w = asp_state_angular_velocity(model, state, i);
    energy.kinetic += 0.5 * (m * dot3(v, v) + dot3(w, angular_momentum(model, state, i)));
    energy.gravitational -= m * dot3(model->gravity, asp_state_pose(model, state, i).position);
  }
  for (int i = 0; i < model->joint_count; i++) {
    AspRow row[ASP_ROW_PARTS];
    if (!(model->joint[i].def.armature > 0) || !asp_joint_coordinate(model, state, i, row))
      continue;
    double rate = asp_row_rate(model, state, row, state->v);
    energy.kinetic += 0.5 * model->joint[i].def.armature * rate * rate;
  }
  for (int i = 0; i < model->stiff_count; i++)
    energy.elastic += spring_energy(model, state, &model->stiff[i]);
  for (int i = 0; i < model->beam_count; i++) {
    AspFlexEnergy beam = asp_beam_energy(model, state, state->v, i);
    energy.kinetic += beam.kinetic;
    energy.gravitational += beam.gravitational;
    energy.elastic += beam.elastic;
  }
  return energy;
}

void asp_model_momentum(const AspModel *model, const AspState *state, AspVec3 *linear, AspVec3 *angular) {
  *linear = *angular = vec3(0, 0, 0);
  for (int i = 0; i < model->body_count; i++) {
    if (model->body[i].dof < 0)
      continue;
    AspVec3 p = scale3(model->body[i].def.mass, asp_state_velocity(model, state, i));
    *linear = add3(*linear, p);
    AspVec3 orbital = cross3(asp_state_pose(model, state, i).position, p);
    *angular = add3(*angular, add3(orbital, angular_momentum(model, state, i)));
  }
  for (int i = 0; i < model->beam_count; i++) {
    AspFlexEnergy beam = asp_beam_energy(model, state, state->v, i);
    *linear = add3(*linear, beam.linear);
    *angular = add3(*angular, beam.angular);
  }
}

/* j . v of the ends whose motion is prescribed, and the row's own rate: of wind */
static double prescribed_rate(const AspModel *model, const AspRow *row, const double *velocity) {
  size_t n = (size_t)asp_model_velocities(model);
  double rate = row->rate;
  for (size_t i = 0; i < n; i++) {
    if (!asp_body_is_free(&model->body[row->body_a]))
      rate += row->ja[i] * velocity[n * (size_t)row->body_a + i];
    if (!asp_body_is_free(&model->body[row->body_b]))
      rate += row->jb[i] * velocity[n * (size_t)row->body_b + i];
  }
  return rate;
}

AspSpringPower asp_model_spring_power(const AspModel *model, const AspState *state, const double *velocity) {
  return asp_model_spring_work(model, state, velocity, NULL);
}

AspSpringPower asp_model_spring_work(const AspModel *model, const AspState *state, const double *velocity, double *h) {
  AspSpringPower power = {0, 0};
  for (int i = 0; i < model->stiff_count; i++) {
    SpringNow now;
    spring_now(model, state, &model->stiff[i], &now);
    if (h)
      add_spring(model, state, &now, h);
    for (int k = 0; k < now.rows; k++) {
      double rate = asp_row_rate(model, state, &now.row[k], velocity);
      power.damped += now.c[k] * rate * rate;
      power.driven += (now.k[k] * now.row[k].value + now.c[k] * rate) * prescribed_rate(model, &now.row[k], velocity);
    }
  }
  for (int i = 0; i < model->beam_count; i++)
    power.damped += asp_beam_energy(model, state, velocity, i).damped;
  return power;
}
