/* Spring and damper of a spherical joint. B is turned against its initial orientation on A by the angle phi about the
 * unit axis n, with a_i, b_i the axes of the two that agreed at first:
 *
 *   n sin(phi) = 1/2 sum a_i x b_i,     1 + 2 cos(phi) = sum a_i . b_i
 *   torque = -k phi n - c (w_B - w_A),      energy 1/2 k phi^2
 *
 * The rate of phi is n . (w_B - w_A): a spring on phi. Where the axis turns, the torque turns with it; of that
 * stiffness the symmetric part k (phi/2) / tan(phi/2) about the axes across n is kept. Depends on state.c. */
#include "model/ball_spring.h"
#include "base/elementary.h"

static AspVec3 axis_in(const AspModel *model, const AspState *state, int body, AspVec3 local) {
  return quat_rotate(asp_state_pose(model, state, body).orientation, local);
}

void asp_ball_rows(const AspModel *model, const AspState *state, int joint, AspRow row[3], double k[3]) {
  const ModelJoint *it = &model->joint[joint];
  AspVec3 twice = vec3(0, 0, 0), n[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  double trace = 0;
  for (int i = 0; i < 3; i++) {
    AspVec3 a = axis_in(model, state, it->def.body_a, it->frame_a[i]),
            b = axis_in(model, state, it->def.body_b, it->frame_b[i]);
    twice = add3(twice, cross3(a, b));
    trace += dot3(a, b);
  }
  double sine = 0.5 * norm3(twice), phi = asp_atan2(sine, 0.5 * (trace - 1));
  if (sine > 0) {
    n[0] = unit3(twice);
    tangents3(n[0], &n[1], &n[2]);
  }
  double half = 0.5 * phi, across = half > 0 ? fmax(0, half / asp_tan(half)) : 1;
  for (int i = 0; i < 3; i++) {
    row[i] = (AspRow){.body_a = it->def.body_a, .body_b = it->def.body_b, .value = i == 0 ? phi : 0};
    const double w[3] = {n[i].x, n[i].y, n[i].z};
    for (int m = 0; m < 3; m++) {
      row[i].ja[3 + m] = -w[m];
      row[i].jb[3 + m] = w[m];
    }
    k[i] = it->def.stiffness * (i == 0 ? 1 : across);
  }
}
