/* A dynamic jam, seen from a step: friction lets contact forces grow beyond every bound, and velocities jump though
 * nothing collides (Genot, Brogliato, New results on Painleve paradoxes, 1999). The signs: the step changes velocities
 * by far more than the last one's acceleration explains and than the solver leaves of the impulses, one normal impulse
 * makes the change, and no approach of that size came before it. */
#include "linalg/vec3.h"
#include "world/step_error.h"
#include "world/tuning/world.h"
#include "world/world_data.h"

#include <math.h>

double asp_error_velocity_change(const AspWorld *world) {
  const AspState *before = &world->clock.control->start, *after = &world->state;
  double largest = 0;
  for (int body = 0; body < asp_model_body_count(world->model); body++) {
    AspVec3 dv = sub3(asp_state_velocity(world->model, after, body), asp_state_velocity(world->model, before, body));
    AspVec3 dw = sub3(asp_state_angular_velocity(world->model, after, body),
                      asp_state_angular_velocity(world->model, before, body));
    if (asp_model_body_is_free(world->model, body))
      largest = fmax(largest, norm3(dv) + asp_error_reach(world, body) * norm3(dw));
  }
  return largest;
}

/* What contacts and limits give in the step: the largest change of velocity by one normal impulse, and the fastest
 * approach before it, m/s. */
static void contact_changes(const AspWorld *world, double *given, double *approach) {
  const AspFormulation *formulation = &world->work.formulation;
  int n = asp_body_velocities(asp_model_dimension(world->model));
  *given = *approach = 0;
  for (int b = 0; b < formulation->blocks; b++) {
    AspRow room[3];
    AspBlockRole role = formulation->tag[b].role;
    double impulse = world->work.r[formulation->offset[b]];
    if (!(role == ASP_ROLE_CONTACT || role == ASP_ROLE_LIMIT_LOW || role == ASP_ROLE_LIMIT_HIGH) || !(impulse > 0))
      continue;
    const AspRow *row = asp_block_rows(formulation, b, room);
    double mass = INFINITY;
    for (int side = 0; side < 2; side++) {
      int body = side == 0 ? row->body_a : row->body_b;
      mass = asp_model_body_is_free(world->model, body) ? fmin(mass, asp_model_body_mass(world->model, body)) : mass;
    }
    *given = fmax(*given, mass > 0 ? impulse / mass : 0);
    *approach = fmax(*approach, -asp_row_dot(n, row->ja, world->before.v + (size_t)n * row->body_a) -
                                    asp_row_dot(n, row->jb, world->before.v + (size_t)n * row->body_b));
  }
}

bool asp_error_is_jam(const AspWorld *world, double h) {
  const ErrorControl *control = world->clock.control;
  double change = asp_error_velocity_change(world), given, approach;
  double expected = h * fmax(control->acceleration, norm3(asp_model_gravity(world->model)));
  if (control->told.steps == 0 || !(change > ACCURACY_JAM * expected))
    return false;
  contact_changes(world, &given, &approach);
  if (!(change > world->options.tolerance * given)) // bodies that are held
    return false;
  return given > ACCURACY_AGREES * change && approach < ACCURACY_AGREES * change;
}
