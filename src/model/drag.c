/* Drag of a fluid at rest, or moving with the wind, on a body: MuJoCo's model of the equivalent inertia box
 * (mujoco.readthedocs.io, Computation, "Inertia model"). With the box b (full extents), d the mean of its extents, v
 * and w the velocity of its centre relative to the fluid and its angular velocity in its own axes, rho and eta the
 * fluid's density and viscosity:
 *
 *   F_i = -(1/2) rho b_j b_k |v_i| v_i                 - 3 pi d eta v_i
 *   T_i = -(1/64) rho b_i (b_j^4 + b_k^4) |w_i| w_i    - pi d^3 eta w_i
 *
 * The box of a body of mass m with principal moments I:  b_i = sqrt(6 (I_j + I_k - I_i) / m). Each is a damper whose
 * coefficient depends on its own rate: a row with the force -c s', which changes by -slope ds'. Depends on check.c.
 */
#include "model/drag.h"
#include "base/elementary.h"

#include "linalg/small.h"

static AspVec3 box_of(double mass, const double moment[3]) {
  double b[3];
  for (int i = 0; i < 3; i++)
    b[i] = sqrt(fmax(0, moment[(i + 1) % 3] + moment[(i + 2) % 3] - moment[i]) / mass * 6);
  return vec3(b[0], b[1], b[2]);
}

AspError asp_drag_prepare(const AspModel *model, ModelForce *force) {
  AspContext *context = model->context;
  AspForceDef *def = &force->def;
  const ModelBody *body = &model->body[def->body];
  if (model->dimension == 2)
    return asp_fail(context, ASP_ERROR_INPUT, "drag does not exist in 2D");
  if (body->dof < 0)
    return asp_fail(context, ASP_ERROR_INPUT, "the body '%.80s' is not dynamic; drag on it has no effect",
                    asp_model_body_name(model, def->body));
  ASP_TRY(asp_check_not_negative(context, "density", def->density));
  ASP_TRY(asp_check_not_negative(context, "viscosity", def->viscosity));
  ASP_TRY(asp_check_vector(context, "wind", def->wind));
  ASP_TRY(asp_check_vector(context, "size", def->size));
  if (def->size.x < 0 || def->size.y < 0 || def->size.z < 0)
    return asp_fail(context, ASP_ERROR_INPUT, "size: (%g, %g, %g) has a negative extent", def->size.x, def->size.y,
                    def->size.z);
  AspQuat q = asp_body_defined_motion(3, body, 0, model->input).pose.orientation;
  double moment[3], V[9];
  if (def->size.x == 0 && def->size.y == 0 && def->size.z == 0) {
    asp_small_principal(body->def.inertia.m, moment, V);
    def->size = box_of(body->def.mass, moment);
    def->orientation = quat_identity();
    for (int i = 0; i < 3; i++)
      force->axis[i] = vec3(V[3 * i], V[3 * i + 1], V[3 * i + 2]);
  } else {
    const AspVec3 e[] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    def->orientation = quat_normalize(def->orientation);
    for (int i = 0; i < 3; i++)
      force->axis[i] = quat_rotate_back(q, quat_rotate(def->orientation, e[i]));
  }
  for (int i = 0; i < 3; i++)
    def->component[i] = NULL; // the model keeps no text it does not own
  return ASP_OK;
}

static void put3(double *to, AspVec3 a) {
  to[0] = a.x;
  to[1] = a.y;
  to[2] = a.z;
}

void asp_drag_rows(const AspModel *model, const AspState *state, const ModelForce *force, AspRow row[6], double c[6],
                   double slope[6]) {
  const AspForceDef *def = &force->def;
  AspPose pose = asp_state_pose(model, state, def->body);
  AspVec3 arm = quat_rotate(pose.orientation, force->local);
  double b[3] = {def->size.x, def->size.y, def->size.z}, d = (b[0] + b[1] + b[2]) / 3;
  for (int i = 0; i < 3; i++) {
    int j = (i + 1) % 3, k = (i + 2) % 3;
    AspVec3 e = quat_rotate(pose.orientation, force->axis[i]);
    row[i] = row[3 + i] = (AspRow){.body_a = def->body, .body_b = def->body}; // all of it on the first
    put3(row[i].ja, e);
    put3(row[i].ja + 3, cross3(arm, e));
    put3(row[3 + i].ja + 3, e);
    row[i].rate = -dot3(e, def->wind);
    double v = fabs(asp_row_rate(model, state, &row[i], state->v)),
           w = fabs(asp_row_rate(model, state, &row[3 + i], state->v));
    double push = 0.5 * def->density * b[j] * b[k];
    // exact: 1/64, as MuJoCo has it
    double turn = def->density * b[i] * (asp_pow(b[j], 4) + asp_pow(b[k], 4)) / 64;
    double along = 3 * ASP_PI * d * def->viscosity, about = ASP_PI * d * d * d * def->viscosity;
    c[i] = along + push * v;
    c[3 + i] = about + turn * w;
    slope[i] = along + 2 * push * v;
    slope[3 + i] = about + 2 * turn * w;
  }
}
