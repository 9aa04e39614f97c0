/* asperity analyze --static: can the structure stand, and by how much. */
#include "analyze.h"
#include "json.h"
#include "terminal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CAVEAT "a balance is necessary; with Coulomb friction (not associated) it is not always sufficient"

typedef struct Structure {
  const AspScene *scene;
  AspLevelProblem level;
  AspStatics statics;
  const char *load; /* name of the force that may grow; NULL */
} Structure;

/* The largest and smallest coefficient of friction among the contacts. */
static void friction_range(const Structure *it, double range[2]) {
  range[0] = INFINITY;
  range[1] = 0;
  for (int b = 0; b < it->level.problem.blocks; b++)
    if (it->level.problem.law[b].kind == ASP_LAW_COULOMB) {
      range[0] = fmin(range[0], it->level.problem.law[b].mu);
      range[1] = fmax(range[1], it->level.problem.law[b].mu);
    }
}

static void print_friction(const Structure *it) {
  double range[2], factor = it->statics.friction_factor;
  friction_range(it, range);
  if (range[1] == 0)
    return;
  if (isinf(factor))
    printf("  friction     no coefficient of friction is large enough\n");
  else if (range[0] == range[1])
    printf("  friction     a balance needs mu >= %.7g; it is %g\n", factor * range[0], range[0]);
  else
    printf("  friction     a balance needs %.7g times the coefficients of friction\n", factor);
}

static void print_load(const Structure *it) {
  double factor = it->statics.load_factor;
  if (!it->load)
    return;
  if (isnan(factor))
    printf("  load         no additional '%s' brings a balance\n", it->load);
  else if (isinf(factor))
    printf("  load         '%s' can grow without bound\n", it->load);
  else
    printf("  load         '%s' can grow by %.7g times itself (to %.7g of it)\n", it->load, factor, 1 + factor);
}

static void print_blocks(const Structure *it) {
  const AspContactProblem *problem = &it->level.problem;
  const double *values = it->statics.stands ? it->statics.r : it->statics.opening;
  printf("  %s\n",
         it->statics.stands
             ? "a set of reactions that balances the loads (normal, tangential)"
             : "a motion that nothing resists: contacts that open or slide, bodies that move (largest entry 1)");
  double scale = 0;
  for (int k = 0; k < problem->rows; k++)
    scale = fmax(scale, fabs(values[k]));
  for (int b = 0; b < problem->blocks; b++) {
    double size = 0;
    char name[256];
    for (int k = problem->offset[b]; k < problem->offset[b + 1]; k++)
      size = fmax(size, fabs(values[k]));
    if (!it->statics.stands && size < 1e-7)
      continue;
    analyze_block_name(it->scene->model, &it->level.block[b], name, sizeof name);
    printf("    %-44s (", name);
    for (int k = problem->offset[b]; k < problem->offset[b + 1]; k++)
      printf("%s%.6g", k > problem->offset[b] ? ", " : "", analyze_tidy(values[k], scale));
    printf(")\n");
  }
}

/* Velocity (m/s) and angular velocity (rad/s) of a body in the mechanism; false: it does not move. */
static bool body_motion(const Structure *it, int body, double v[3], double w[3]) {
  const AspModel *model = it->scene->model;
  int dof = asp_model_body_dof(model, body);
  bool plane = asp_model_dimension(model) == 2, moves = false;
  for (int k = 0; k < 3; k++)
    v[k] = w[k] = 0;
  if (dof < 0 || it->statics.stands)
    return false;
  const double *x = it->statics.mechanism + dof;
  for (int k = 0; k < 3; k++) {
    v[k] = plane && k == 2 ? 0 : x[k];
    w[k] = !plane ? x[3 + k] : k == 2 ? x[2] : 0;
    moves = moves || fabs(v[k]) > 1e-7 || fabs(w[k]) > 1e-7;
  }
  return moves;
}

/* Also where no contact takes part: what falls freely, or turns in its joints. */
static void print_bodies(const Structure *it) {
  const AspModel *model = it->scene->model;
  for (int body = 0; body < asp_model_body_count(model); body++) {
    double v[3], w[3];
    if (!body_motion(it, body, v, w))
      continue;
    printf("    %-44s velocity (%.6g, %.6g, %.6g), angular (%.6g, %.6g, %.6g)\n", asp_model_body_name(model, body),
           analyze_tidy(v[0], 1), analyze_tidy(v[1], 1), analyze_tidy(v[2], 1), analyze_tidy(w[0], 1),
           analyze_tidy(w[1], 1), analyze_tidy(w[2], 1));
  }
}

static void write_bodies(Json *json, const Structure *it) {
  const AspModel *model = it->scene->model;
  json_array(json, "moving_bodies");
  for (int body = 0; body < asp_model_body_count(model); body++) {
    double v[3], w[3];
    if (!body_motion(it, body, v, w))
      continue;
    json_object(json, NULL);
    json_text(json, "name", asp_model_body_name(model, body));
    json_numbers(json, "velocity", v, 3);
    json_numbers(json, "angular_velocity", w, 3);
    json_end(json);
  }
  json_end(json);
}

static void print_statics(const Structure *it) {
  printf("%s, statics: %s%s%s\n", it->scene->name, terminal_style(stdout, STYLE_STRONG),
         it->statics.stands ? "contacts and joints can balance the loads" : "no balance exists: the structure moves",
         terminal_style(stdout, STYLE_PLAIN));
  print_friction(it);
  print_load(it);
  print_blocks(it);
  print_bodies(it);
  if (it->statics.stands)
    printf("  note: %s\n", CAVEAT);
}

static void write_statics(const Structure *it) {
  const AspContactProblem *problem = &it->level.problem;
  const AspModel *model = it->scene->model;
  Json json = json_start(stdout);
  json_text(&json, "level", "static");
  json_flag(&json, "stands", it->statics.stands);
  json_number(&json, "friction_factor", it->statics.friction_factor);
  double range[2];
  friction_range(it, range);
  json_number(&json, "smallest_friction", range[0] == range[1] ? it->statics.friction_factor * range[0] : NAN);
  json_text(&json, "load", it->load);
  json_number(&json, "load_factor", it->statics.load_factor);
  json_flag(&json, "load_unbounded", isinf(it->statics.load_factor));
  json_number(&json, "residual", it->statics.residual);
  json_array(&json, "blocks");
  for (int b = 0; b < problem->blocks; b++) {
    char name[256];
    int rows = problem->offset[b + 1] - problem->offset[b];
    analyze_block_name(model, &it->level.block[b], name, sizeof name);
    json_object(&json, NULL);
    json_text(&json, "name", name);
    json_text(&json, "role", asp_block_role_name(it->level.block[b].role));
    json_numbers(&json, "r", it->statics.r + problem->offset[b], rows);
    json_numbers(&json, "opening", it->statics.opening + problem->offset[b], rows);
    json_end(&json);
  }
  json_end(&json);
  json_numbers(&json, "mechanism", it->statics.mechanism, problem->dofs);
  write_bodies(&json, it);
  json_number(&json, "power", it->statics.power);
  json_text(&json, "note", CAVEAT);
  json_finish(&json);
}

/* The generalised force of the load into f; false (with a message) when there is no such force. */
static bool find_load(const Session *session, const AspModel *model, const AspState *state, const char *name, double *f,
                      int *code) {
  for (int i = 0; i < asp_model_force_count(model); i++) {
    if (strcmp(asp_model_force_name(model, i), name) != 0)
      continue;
    asp_model_applied_force(model, state, i, f);
    return true;
  }
  *code = session_fail(session, EXIT_USAGE, "--load: the scene has no force or torque named '%s'", name);
  return false;
}

static int analyze_world(const Session *session, AspWorld *world, Structure *it) {
  int code = EXIT_DONE, dofs = asp_model_dof_count(it->scene->model);
  double *load = calloc((size_t)dofs + 1, sizeof *load);
  if (!load)
    return session_fail(session, EXIT_FAILED, "out of memory");
  AspError error = asp_world_problem_at(world, ASP_PROBLEM_STATIC, &it->level);
  if (error == ASP_OK && it->load &&
      !find_load(session, it->scene->model, asp_world_state(world), it->load, load, &code)) {
    free(load);
    return code;
  }
  if (error == ASP_OK)
    error = asp_statics(session->context, &it->level.problem, it->load ? load : NULL, true, &it->statics);
  free(load);
  if (error != ASP_OK)
    return session_fail_error(session, error);
  if (session->json)
    write_statics(it);
  else if (!session->quiet)
    print_statics(it);
  return EXIT_DONE;
}

int analyze_statics(const Session *session, const AspScene *scene, const char *load) {
  Structure it = {.scene = scene, .load = load};
  AspWorld *world = NULL;
  AspError error = asp_world_create(session->context, scene->model, &scene->run, &world);
  int code = error == ASP_OK ? analyze_world(session, world, &it) : session_fail_error(session, error);
  asp_statics_destroy(session->context, &it.statics);
  asp_level_problem_destroy(session->context, &it.level);
  asp_world_destroy(world);
  return code;
}
