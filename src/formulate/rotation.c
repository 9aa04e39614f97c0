/* Rotation of a body over a step: free rotation for half of it, the moments' impulse P in its middle, free rotation for
 * the other half; for a body that meets something, P where it does (time_of_impact.c) in place of the middle:
 *
 *   L = R J R^T w,    (R, L) -> (R_m, L),    L+ = L + P,    (R_m, L+) -> (R+, L+),    w+ = R+ J^-1 R+^T L+
 *
 * L: angular momentum in the world, J: inertia in the body's axes. Of P the moments of forces are known. Those of
 * reactions are expected to be as in the last steps, P_c; with them the step leads to w*, and the problem of the step
 * corrects them with the inertia at R_m:
 *
 *   J_m x = J_m w* - P_c + (H r),    P = P_c + J_m (x - w*)
 *
 * Second order for bodies of any inertia, since H r and P_c differ by O(dt^2); L is kept to rounding at any spin. Where
 * a step turns the body by more than ROTATION_RESOLVED, w* gives way to the velocity in the middle, J_m^-1 (L + P), and
 * w to J_m^-1 L: laws of contacts and joints hold for these then, and none of them gains energy. The same where the
 * body meets something: its law of impact is one of the velocities there.
 *
 * Free rotation goes in substeps of at most ROTATION_SUBSTEP rad by the implicit midpoint rule in the body's axes,
 * W the angular velocity there (Austin, Krishnaprasad and Wang 1993):
 *
 *   J W + h/2 W x J W = R^T L,    R <- R cay(h W)
 *
 * which keeps L and the energy; three of them make a substep of fourth order (Yoshida 1990), which keeps them, too.
 * Depends on the model's inertias. */
#include "formulate/rotation.h"
#include "base/elementary.h"
#include "formulate/tuning/formulate.h"
#include "linalg/dimension.h"
#include "linalg/vec3.h"
#include "model/model.h"

#include <math.h>

// exact: the cube root of 2
#define CUBE_ROOT_2 1.25992104989487316476721060727823

/* x with A x = b, by Cramer's rule; columns a, b, c. False when A is singular. */
static inline bool solve3(AspVec3 a, AspVec3 b, AspVec3 c, AspVec3 right, AspVec3 *x) {
  AspVec3 bc = cross3(b, c);
  double det = dot3(a, bc);
  *x = scale3(1 / det, vec3(dot3(right, bc), dot3(a, cross3(right, c)), dot3(a, cross3(b, right))));
  return finite3(*x);
}

static AspVec3 column_of(const AspMat3 *J, int k) { return vec3(J->m[k], J->m[3 + k], J->m[6 + k]); }

AspInertia asp_inertia(const AspMat3 *J) {
  AspVec3 a = column_of(J, 0), b = column_of(J, 1), c = column_of(J, 2), bc = cross3(b, c);
  double inverse = 1 / dot3(a, bc);
  AspVec3 x = scale3(inverse, bc), y = scale3(inverse, cross3(c, a)), z = scale3(inverse, cross3(a, b));
  return (AspInertia){*J, {{x.x, x.y, x.z, y.x, y.y, y.z, z.x, z.y, z.z}}};
}

/* J^-1 L in the body's axes. */
static bool spin_of(const AspInertia *inertia, AspVec3 L, AspVec3 *w) {
  *w = mat3_times(&inertia->inverse, L);
  return finite3(*w);
}

/* W of a substep, by Newton's method; w: J^-1 L on entry. The derivative of h/2 w x J w is h/2 ([w] J - [J w]), [a]
 * the matrix of a x. */
static bool midpoint_spin(const AspMat3 *J, AspVec3 L, double h, AspVec3 *w) {
  const double g = 0.5 * h, end = ROTATION_NEWTON_END * ROTATION_NEWTON_END;
  for (int k = 0; k < ROTATION_NEWTON_STEPS; k++) {
    AspVec3 Jw = mat3_times(J, *w), F = sub3(axpy3(Jw, g, cross3(*w, Jw)), L), step;
    AspVec3 J0 = column_of(J, 0), J1 = column_of(J, 1), J2 = column_of(J, 2);
    AspVec3 w0 = cross3(*w, J0), w1 = cross3(*w, J1), w2 = cross3(*w, J2);
    AspVec3 c0 = vec3(J0.x + g * w0.x, J0.y + g * (w0.y - Jw.z), J0.z + g * (w0.z + Jw.y));
    AspVec3 c1 = vec3(J1.x + g * (w1.x + Jw.z), J1.y + g * w1.y, J1.z + g * (w1.z - Jw.x));
    AspVec3 c2 = vec3(J2.x + g * (w2.x - Jw.y), J2.y + g * (w2.y + Jw.x), J2.z + g * w2.z);
    if (!solve3(c0, c1, c2, F, &step))
      return false;
    *w = sub3(*w, step);
    if (dot3(step, step) <= end * dot3(*w, *w))
      return true;
  }
  return false;
}

/* Momentum and angular velocity in the body's axes. */
typedef struct LocalSpin {
  AspVec3 momentum, spin;
} LocalSpin;

static bool find_spin(const AspInertia *inertia, AspVec3 L, AspQuat R, LocalSpin *local) {
  local->momentum = quat_rotate_back(R, L);
  return spin_of(inertia, local->momentum, &local->spin);
}

/* One step of the midpoint rule from R, where the body has this spin; it may go back in time. False: it has no
 * solution. */
static bool turn_by_midpoint(const AspMat3 *J, const LocalSpin *local, double h, AspQuat *R) {
  AspVec3 w = local->spin;
  if (!midpoint_spin(J, local->momentum, h, &w))
    return false;
  *R = quat_normalize(quat_multiply(*R, (AspQuat){1, 0.5 * h * w.x, 0.5 * h * w.y, 0.5 * h * w.z}));
  return true;
}

/* A substep of h by three of the midpoint rule that make it of fourth order (Yoshida 1990). */
static bool turn_by_three(const AspInertia *inertia, AspVec3 L, const LocalSpin *start, double h, AspQuat *R) {
  const double outer = 1 / (2 - CUBE_ROOT_2), inner = 1 - 2 * outer; // exact: h = 2 outer h + inner h
  const AspMat3 *J = &inertia->J;
  LocalSpin local;
  return turn_by_midpoint(J, start, outer * h, R) && find_spin(inertia, L, *R, &local) &&
         turn_by_midpoint(J, &local, inner * h, R) && find_spin(inertia, L, *R, &local) &&
         turn_by_midpoint(J, &local, outer * h, R);
}

/* A substep of h: one of the midpoint rule where it turns by little, else three. */
static bool turn_by_substep(const AspInertia *inertia, AspVec3 L, const LocalSpin *start, double h, AspQuat *R) {
  AspQuat before = *R;
  bool little = h * norm3(start->spin) <= ROTATION_LITTLE;
  bool done = little ? turn_by_midpoint(&inertia->J, start, h, R) : turn_by_three(inertia, L, start, h, R);
  if (!done)
    *R = before;
  return done;
}

AspQuat asp_rotate_freely(const AspInertia *inertia, AspQuat R, AspVec3 L, double dt) {
  LocalSpin start;
  double left = dt;
  for (int k = 0; left > 0 && k < ROTATION_SUBSTEPS_MOST; k++) {
    if (!find_spin(inertia, L, R, &start))
      return R;
    double fits = ROTATION_SUBSTEP / norm3(start.spin), parts = ceil(left / fits);
    double h = parts > 1 ? left / parts : left;
    while (!turn_by_substep(inertia, L, &start, h, &R) && h > dt / ROTATION_SUBSTEPS_MOST)
      h *= 0.5;
    left = h < left ? left - h : 0;
  }
  return R;
}

AspVec3 asp_momentum_to_spin(const AspInertia *inertia, AspQuat R, AspVec3 L) {
  AspVec3 w;
  return spin_of(inertia, quat_rotate_back(R, L), &w) ? quat_rotate(R, w) : vec3(0, 0, 0);
}

bool asp_body_turns(const AspModel *model, int body) {
  return asp_model_dimension(model) == 3 && asp_model_body_dof(model, body) >= 0 &&
         !mat3_is_isotropic(&model->body[body].def.inertia);
}

static AspVec3 momentum_of(const AspModel *model, const AspState *state, int body, AspQuat R) {
  AspVec3 w = quat_rotate_back(R, asp_state_angular_velocity(model, state, body));
  return quat_rotate(R, mat3_times(&model->body[body].def.inertia, w));
}

static void write_orientation(AspState *state, int body, AspQuat R) {
  double q[4] = {R.w, R.x, R.y, R.z};
  memcpy(state->q + (size_t)asp_body_positions(3) * body + 3, q, sizeof q);
}

static void write_spin(AspState *state, int body, AspVec3 w) {
  double v[3] = {w.x, w.y, w.z};
  memcpy(state->v + (size_t)asp_body_velocities(3) * body + 3, v, sizeof v);
}

void asp_state_turn_freely(const AspModel *model, const AspState *from, const double *times, double part, double dt,
                           AspState *to) {
  for (int body = 0; asp_model_dimension(model) == 3 && body < asp_model_body_count(model); body++) {
    if (!asp_body_turns(model, body))
      continue;
    AspQuat R = asp_state_pose(model, from, body).orientation;
    AspInertia inertia = asp_inertia(&model->body[body].def.inertia);
    write_orientation(
        to, body,
        asp_rotate_freely(&inertia, R, momentum_of(model, from, body, R), asp_part_of_step(times, body, part) * dt));
  }
}

/* 1 as long as a step resolves the rotation, down to 0 at twice that angle. */
static double resolved_part(double angle) { return fmin(fmax(2 - angle / ROTATION_RESOLVED, 0), 1); }

AspTurn *asp_turns_begin(const AspModel *model, AspArena *arena, const AspState *state, double dt, const double *times,
                         double part, const double *carried, AspState *middle, AspState *entry) {
  int bodies = asp_model_body_count(model);
  AspTurn *turns = ASP_TAKE(arena, AspTurn, bodies);
  for (int body = 0; turns && asp_model_dimension(model) == 3 && body < bodies; body++) {
    AspTurn *turn = &turns[body];
    if (!asp_body_turns(model, body))
      continue;
    AspQuat R = asp_state_pose(model, state, body).orientation;
    AspVec3 w = asp_state_angular_velocity(model, state, body);
    double tau = asp_part_of_step(times, body, part);
    turn->active = true;
    turn->inertia = asp_inertia(&model->body[body].def.inertia);
    turn->meets = times && times[body] >= 0;
    turn->start = R;
    turn->momentum = momentum_of(model, state, body, R);
    turn->middle = asp_rotate_freely(&turn->inertia, R, turn->momentum, tau * dt);
    turn->carried = carried ? vec3(carried[3 * body], carried[3 * body + 1], carried[3 * body + 2]) : vec3(0, 0, 0);
    turn->rest = (1 - tau) * dt;
    write_orientation(middle, body, turn->middle);
    double resolved = turn->meets ? 0 : resolved_part(dt * norm3(w));
    if (resolved < 1) {
      AspVec3 free = asp_momentum_to_spin(&turn->inertia, turn->middle, turn->momentum);
      write_spin(entry, body, axpy3(free, resolved, sub3(w, free)));
    }
  }
  return turns;
}

/* Free rotation from the middle on is the same for all who ask for it before the momentum changes. */
static void find_end(AspTurn *turn) {
  if (turn->has_end)
    return;
  turn->end = asp_rotate_freely(&turn->inertia, turn->middle, turn->momentum, turn->rest);
  turn->end_spin = asp_momentum_to_spin(&turn->inertia, turn->end, turn->momentum);
  turn->has_end = true;
}

void asp_turns_find_ends(const AspModel *model, AspTurn *turns) {
  for (int body = 0; body < asp_model_body_count(model); body++)
    if (turns[body].active)
      find_end(&turns[body]);
}

void asp_turns_look_ahead(const AspModel *model, AspTurn *turns, AspState *ahead) {
  asp_turns_find_ends(model, turns);
  for (int body = 0; body < asp_model_body_count(model); body++)
    if (turns[body].active) {
      write_orientation(ahead, body, turns[body].end);
      write_spin(ahead, body, turns[body].end_spin);
    }
}

void asp_turns_shift_middle(const AspModel *model, AspTurn *turns, const AspState *ahead, double dt, AspState *middle) {
  asp_turns_find_ends(model, turns);
  for (int body = 0; body < asp_model_body_count(model); body++) {
    const AspTurn *turn = &turns[body];
    if (!turn->active)
      continue;
    AspVec3 off = sub3(asp_state_angular_velocity(model, ahead, body), turn->end_spin);
    write_orientation(middle, body,
                      quat_normalize(quat_multiply(quat_from_vector(scale3(0.5 * dt, off)), turn->middle)));
  }
}

void asp_turns_kick(const AspModel *model, const AspState *state, AspTurn *turns) {
  for (int body = 0; body < asp_model_body_count(model); body++)
    if (turns[body].active) {
      turns[body].momentum = momentum_of(model, state, body, turns[body].start);
      turns[body].has_end = false;
    }
}

void asp_turns_take_off(const AspModel *model, const AspState *state, const AspTurn *turns, double *acceleration) {
  for (int body = 0; body < asp_model_body_count(model); body++) {
    if (!turns[body].active || !turns[body].meets)
      continue;
    AspVec3 w = asp_state_angular_velocity(model, state, body);
    AspVec3 L = momentum_of(model, state, body, turns[body].start); // L' = 0 = J w' + w x L
    AspVec3 free = asp_momentum_to_spin(&turns[body].inertia, turns[body].start, cross3(L, w));
    double *a = acceleration + (size_t)asp_body_velocities(3) * body + 3;
    a[0] -= free.x;
    a[1] -= free.y;
    a[2] -= free.z;
  }
}

void asp_turn_complete(AspVec3 impulse, double dt, AspTurn *turn) {
  const AspInertia *J = &turn->inertia;
  AspVec3 before = asp_momentum_to_spin(J, turn->middle, turn->momentum);
  turn->has_end = turn->has_end && impulse.x == 0 && impulse.y == 0 && impulse.z == 0;
  turn->momentum = add3(turn->momentum, impulse);
  AspVec3 middle = asp_momentum_to_spin(J, turn->middle, turn->momentum);
  double part = turn->meets ? 0 : resolved_part(dt * fmax(norm3(before), norm3(middle)));
  turn->spin = middle;
  if (part == 0)
    return;
  find_end(turn);
  turn->spin = axpy3(middle, part, sub3(turn->end_spin, middle));
}

void asp_turns_advance(const AspModel *model, const AspTurn *turns, AspState *state) {
  for (int body = 0; body < asp_model_body_count(model); body++) {
    const AspTurn *turn = &turns[body];
    if (!turn->active)
      continue;
    AspVec3 off = sub3(asp_state_angular_velocity(model, state, body), turn->spin);
    AspVec3 jump = quat_rotate(turn->middle, mat3_times(&turn->inertia.J, quat_rotate_back(turn->middle, off)));
    AspVec3 L = add3(turn->momentum, jump);
    AspQuat R = asp_rotate_freely(&turn->inertia, turn->middle, L, turn->rest);
    write_orientation(state, body, R);
    write_spin(state, body, asp_momentum_to_spin(&turn->inertia, R, L));
  }
}
