/* Impossible drives: prescribed bodies or joints that meet what cannot give way. Where no free body is between them:
 * driven_pairs.c.
 *
 * Over a step of dt, and a little beyond (DRIVES_AHEAD), all rows of formulate/drives.c must be met by some velocities
 * x of the free bodies, and are not exactly if there are forces r in equilibrium on the free bodies (analyze/rates.h),
 *
 *   H r = 0,   r_N >= 0,   power = -known.r > max(gap, 0).r / dt
 *
 * Friction, masses and limited motors do not matter: no force would help. A witness r is believed only if
 *
 *   - it is one for all velocities up to DRIVES_FARTHEST times those of the drives (asp_rates_judge),
 *   - the drives press at the start of the step already, as their velocities are there,
 *   - the overlap at its end, -(gap + dt known).r / force, exceeds what curved ways could explain: way^2 / (2 reach).
 *
 * So a clamp that closes to touching is not refused. force: the largest sum of r over the contacts of a pair of bodies.
 * The check costs one pass over the rows where the present velocities, or a few projections of them, meet all rows.
 */
#include "world/drives.h"
#include "analyze/rates.h"
#include "formulate/drives.h"
#include "linalg/vec3.h"
#include "world/tuning/world.h"

#include <math.h>
#include <stdio.h>

bool asp_drives_exist(DriveCheck *check, const StepView *view) {
  if (!check->known)
    check->any = asp_model_has_drives(view->model);
  check->known = true;
  return check->any;
}

/* The rows as rates, and what they were scaled by. */
typedef struct DriveProblem {
  AspDriveRows drives;
  AspRates rates;
  int *row;      /* rates: row of the drives */
  double *scale; /* rates: row of G = scale times the drives' row, in lengths */
  double *x;     /* velocities, rotations times their body's reach, m/s */
  double speed;  /* largest known rate, m/s */
} DriveProblem;

/* Rotations count by the speed at the body's reach. */
static double *find_levers(const StepView *view, AspArena *arena, const AspFormulation *formulation, int dofs) {
  double *lever = ASP_TAKE(arena, double, dofs);
  int dimension = asp_model_dimension(view->model), n = asp_body_velocities(dimension);
  for (int j = 0; lever && j < dofs; j++)
    lever[j] = 1;
  for (int body = 0; lever && body < asp_model_body_count(view->model); body++)
    for (int i = dimension; i < n && formulation->dof[body] >= 0; i++)
      if (view->geometry->body_radius[body] > 0)
        lever[formulation->dof[body] + i] = view->geometry->body_radius[body];
  return lever;
}

/* Row k of the drives as the next row of the rates; left out where no free body has a part in it. */
static void add_rate(DriveProblem *problem, const double *lever, int k, bool equality, double dt) {
  AspRates *rates = &problem->rates;
  const AspDriveRows *drives = &problem->drives;
  int at = rates->start[rates->rows], size;
  double square = 0;
  size = asp_row_scatter(&drives->formulation, &drives->formulation.row[k], rates->dof + at, rates->value + at);
  for (int e = at; e < at + size; e++) {
    rates->value[e] /= lever[rates->dof[e]];
    square += rates->value[e] * rates->value[e];
  }
  if (square == 0)
    return;
  int i = rates->rows++;
  double scale = 1 / sqrt(square), known = scale * drives->formulation.known[k];
  for (int e = at; e < at + size; e++)
    rates->value[e] *= scale;
  rates->c[i] = known + scale * fmax(drives->distance[k], 0) / dt;
  rates->equality[i] = equality;
  rates->start[i + 1] = at + size;
  problem->row[i] = k;
  problem->scale[i] = scale;
  problem->speed = fmax(problem->speed, fabs(known));
}

static AspError make_problem(const StepView *view, AspArena *arena, double dt, DriveProblem *problem) {
  const AspStepWork *work = view->work;
  const AspModel *model = view->model;
  const double *known = asp_known_velocity(model, arena, view->state, dt, true);
  if (!known)
    return ASP_ERROR_MEMORY;
  ASP_TRY(asp_formulate_drives(arena, model, view->state, work->frames, work->frame_count, view->geometry->body_radius,
                               dt, known, &problem->drives));
  const AspFormulation *formulation = &problem->drives.formulation;
  size_t rows = (size_t)formulation->rows, dofs = (size_t)asp_model_dof_count(model);
  int entries = 0;
  for (int k = 0; k < formulation->rows; k++)
    entries += asp_column_size(formulation, k, &formulation->row[k]);
  problem->rates = (AspRates){.dofs = (int)dofs,
                              .start = ASP_TAKE(arena, int, rows + 1),
                              .dof = ASP_TAKE_UNCLEARED(arena, int, entries),
                              .value = ASP_TAKE_UNCLEARED(arena, double, entries),
                              .c = ASP_TAKE(arena, double, rows),
                              .equality = ASP_TAKE(arena, bool, rows)};
  problem->row = ASP_TAKE(arena, int, rows);
  problem->scale = ASP_TAKE(arena, double, rows);
  problem->x = ASP_TAKE(arena, double, dofs);
  double *lever = find_levers(view, arena, formulation, (int)dofs);
  const AspRates *rates = &problem->rates;
  if (!rates->start || !rates->dof || !rates->value || !rates->c || !rates->equality || !problem->row ||
      !problem->scale || !problem->x || !lever)
    return ASP_ERROR_MEMORY;
  for (int b = 0; b < formulation->blocks; b++)
    for (int k = formulation->offset[b]; k < formulation->offset[b + 1]; k++)
      add_rate(problem, lever, k, formulation->law[b].kind == ASP_LAW_EQUALITY, dt);
  asp_state_gather(model, view->state->v, problem->x);
  for (size_t j = 0; j < dofs; j++)
    problem->x[j] *= lever[j];
  return ASP_OK;
}

/* ---- the witness ---- */

/* What the witness of an impossible drive says. */
typedef struct DriveWitness {
  const double *r; /* rows of the drives; N or N m, of any common size */
  double force;    /* the largest that a pair of bodies, a limit or a drive takes part with */
  double rate;     /* at the start of the step: power over force, m/s or rad/s */
  double overlap;  /* at its end, m or rad */
  double allowed;  /* what curved ways explain of it */
  bool contacts;   /* contacts take part */
} DriveWitness;

static const AspBlockTag *tag_of_row(const AspFormulation *formulation, int k) {
  int low = 0, high = formulation->blocks;
  while (high - low > 1) {
    int middle = low + (high - low) / 2;
    *(formulation->offset[middle] <= k ? &low : &high) = middle;
  }
  return &formulation->tag[low];
}

static bool takes_part(const DriveWitness *witness, int k) {
  return fabs(witness->r[k]) > DRIVES_PART * witness->force;
}

/* Largest sum of normal forces between two bodies; without contacts the largest single force of a limit or drive;
 * without these, too, that of a joint (prescribed bodies pull on joints). */
static double find_force(const AspFormulation *formulation, const double *r, bool *contacts) {
  double most = 0, single = 0, held = 0;
  for (int k = 0; k < formulation->rows; k++) {
    const AspBlockTag *tag = tag_of_row(formulation, k);
    double sum = 0;
    held = fmax(held, fabs(r[k]));
    if (r[k] == 0 || tag->role == ASP_ROLE_JOINT)
      continue;
    single = fmax(single, fabs(r[k]));
    for (int i = k; tag->role == ASP_ROLE_CONTACT && i < formulation->rows; i++)
      if (formulation->row[i].body_a == formulation->row[k].body_a &&
          formulation->row[i].body_b == formulation->row[k].body_b &&
          tag_of_row(formulation, i)->role == ASP_ROLE_CONTACT)
        sum += r[i];
    most = fmax(most, sum);
  }
  *contacts = most > 0;
  return most > 0 ? most : single > 0 ? single : held;
}

/* How far a body goes in the step, m. */
static double way_of(const StepView *view, int body, double dt) {
  double reach = view->geometry->body_radius[body];
  return dt * (norm3(asp_state_velocity(view->model, view->state, body)) +
               reach * norm3(asp_state_angular_velocity(view->model, view->state, body)));
}

/* way^2 / (2 reach) of the bodies that take part, with the overlap itself as the least way. */
static double curved_way(const StepView *view, const DriveProblem *problem, const DriveWitness *witness, double dt) {
  const AspFormulation *formulation = &problem->drives.formulation;
  double way = dt * problem->speed, reach = INFINITY;
  for (int k = 0; k < formulation->rows; k++) {
    int bodies[] = {formulation->row[k].body_a, formulation->row[k].body_b};
    for (int side = 0; takes_part(witness, k) && side < 2; side++) {
      double radius = view->geometry->body_radius[bodies[side]];
      way = fmax(way, way_of(view, bodies[side], dt));
      reach = radius > 0 ? fmin(reach, radius) : reach;
    }
  }
  return isfinite(reach) ? 0.5 * way * way / reach : 0;
}

static void weigh(const StepView *view, const DriveProblem *problem, double dt, DriveWitness *witness) {
  const AspDriveRows *drives = &problem->drives;
  double power = 0, end = 0;
  witness->force = find_force(&drives->formulation, witness->r, &witness->contacts);
  for (int k = 0; k < drives->formulation.rows; k++) {
    power -= witness->r[k] * drives->rate[k];
    end -= witness->r[k] * (drives->distance[k] + dt * drives->formulation.known[k]);
  }
  if (!(witness->force > 0))
    return;
  witness->rate = power / witness->force;
  witness->overlap = end / witness->force;
  witness->allowed = curved_way(view, problem, witness, dt) + view->geometry->slop + view->options->gap_tolerance;
}

/* Is the witness to be believed? r: of the rates. */
static AspError is_impossible(const StepView *view, AspArena *arena, const DriveProblem *problem, const double *r,
                              double dt, DriveWitness *witness, bool *impossible) {
  double farthest = problem->speed, power, *unscaled = ASP_TAKE(arena, double, problem->drives.formulation.rows);
  if (!unscaled)
    return ASP_ERROR_MEMORY;
  for (int j = 0; j < problem->rates.dofs; j++)
    farthest = fmax(farthest, fabs(problem->x[j]));
  ASP_TRY(asp_rates_judge(arena, &problem->rates, r, DRIVES_FARTHEST * farthest, &power));
  for (int i = 0; i < problem->rates.rows; i++)
    unscaled[problem->row[i]] = problem->scale[i] * r[i];
  *witness = (DriveWitness){.r = unscaled};
  weigh(view, problem, dt, witness);
  double least = (witness->contacts ? DRIVES_SLOW : DRIVES_CONTRADICT) * problem->speed;
  *impossible = power > 0 && witness->force > 0 && witness->rate > least && witness->overlap > witness->allowed;
  return ASP_OK;
}

/* ---- what is said of it ---- */

/* "a, b, c": names without repetition. */
typedef struct NameList {
  char text[240];
  int count;
} NameList;

static void add_name(NameList *list, const char *kind, const char *name) {
  char item[96];
  size_t used = strlen(list->text);
  snprintf(item, sizeof item, "%s%s", kind, name);
  const char *at = strstr(list->text, item);
  char after = at ? at[strlen(item)] : '-';
  if (after == '\0' || after == ',')
    return;
  if (list->count < DRIVES_NAMED)
    snprintf(list->text + used, sizeof list->text - used, "%s%s", list->count ? ", " : "", item);
  else if (list->count == DRIVES_NAMED)
    snprintf(list->text + used, sizeof list->text - used, ", ...");
  list->count++;
}

static bool is_driven(const AspModel *model, int body) {
  return asp_model_body_kind(model, body) == ASP_BODY_KINEMATIC;
}

/* Who takes part: the drives (prescribed bodies and joints), what they meet (bodies of contacts, limits), and joints
 * that hold. */
static void list_parts(const StepView *view, const AspDriveRows *drives, const DriveWitness *witness, NameList *driven,
                       NameList *obstacles, NameList *held) {
  const AspFormulation *formulation = &drives->formulation;
  for (int k = 0; k < formulation->rows; k++) {
    const AspBlockTag *tag = tag_of_row(formulation, k);
    int bodies[] = {formulation->row[k].body_a, formulation->row[k].body_b};
    if (!takes_part(witness, k))
      continue;
    if (tag->role == ASP_ROLE_MOTION || tag->role == ASP_ROLE_MOTOR)
      add_name(driven, "joint ", asp_model_joint_name(view->model, tag->index));
    if (tag->role == ASP_ROLE_JOINT)
      add_name(held, "joint ", asp_model_joint_name(view->model, tag->index));
    if (tag->role == ASP_ROLE_LIMIT_LOW || tag->role == ASP_ROLE_LIMIT_HIGH)
      add_name(obstacles, "the limit of joint ", asp_model_joint_name(view->model, tag->index));
    for (int side = 0; side < 2; side++) {
      const char *name = asp_model_body_name(view->model, bodies[side]);
      if (!is_driven(view->model, bodies[side]) && tag->role == ASP_ROLE_CONTACT)
        add_name(obstacles, "", name);
      else if (is_driven(view->model, bodies[side]) && drives->rate[k] != 0)
        add_name(driven, "body ", name);
    }
  }
}

static AspError refuse(const StepView *view, const AspDriveRows *drives, const DriveWitness *witness) {
  NameList driven = {0}, obstacles = {0}, held = {0};
  list_parts(view, drives, witness, &driven, &obstacles, &held);
  const char *unit = witness->contacts ? "m/s" : "m/s or rad/s";
  if (obstacles.count == 0 && driven.count == 1) // it pulls on what joints hold
    obstacles = held;
  if (obstacles.count == 0)
    return asp_fail(view->context, ASP_ERROR_IMPOSSIBLE,
                    "impossible drive at t = %.9g s: the motions prescribed by %s contradict each other by %.4g %s; "
                    "leave one of them free, or give it a motor with an effort",
                    view->state->t, driven.text, witness->rate, unit);
  return asp_fail(view->context, ASP_ERROR_IMPOSSIBLE,
                  "impossible drive at t = %.9g s: %s %s what cannot give way (%s): the overlap would grow by %.4g "
                  "%s; stop the prescribed motion earlier, or drive by a motor with an effort",
                  view->state->t, driven.text, driven.count > 1 ? "meet" : "meets", obstacles.text, witness->rate,
                  unit);
}

/* ---- the check ---- */

/* Large sets are decided less and less often as long as velocities exist. */
static int rows_to_decide(const DriveCheck *check, const StepView *view) {
  return view->clock->step >= check->again ? DRIVES_MOST : DRIVES_FEW;
}

static void rest(DriveCheck *check, const StepView *view, const AspRates *rates) {
  if (rates->rows <= DRIVES_FEW || view->clock->step < check->again)
    return;
  check->pause = check->pause ? 2 * check->pause : 1;
  check->pause = check->pause < DRIVES_LONGEST_REST ? check->pause : DRIVES_LONGEST_REST;
  check->again = view->clock->step + check->pause;
}

static AspError check_rows(DriveCheck *check, const StepView *view, AspArena *arena, double dt) {
  DriveProblem problem = {0};
  AspRatesVerdict verdict;
  DriveWitness witness;
  bool impossible = false;
  ASP_TRY(make_problem(view, arena, dt, &problem));
  double enough = view->geometry->slop / dt;
  if (!(problem.speed > enough) || asp_rates_relax(&problem.rates, DRIVES_SWEEPS, enough, problem.x)) {
    check->pause = 0;
    return ASP_OK;
  }
  double *r = ASP_TAKE(arena, double, problem.rates.rows);
  if (!r)
    return ASP_ERROR_MEMORY;
  ASP_TRY(asp_rates_decide(arena, &problem.rates, problem.x, enough, problem.speed, rows_to_decide(check, view), r,
                           &verdict));
  rest(check, view, &problem.rates);
  if (verdict != ASP_RATES_NONE)
    return ASP_OK;
  ASP_TRY(is_impossible(view, arena, &problem, r, dt, &witness, &impossible));
  return impossible ? refuse(view, &problem.drives, &witness) : ASP_OK;
}

AspError asp_drives_check_pairs(DriveCheck *check, const StepView *view, AspArena *arena, double dt) {
  if (!asp_drives_exist(check, view))
    return ASP_OK;
  check->pairs = check->pairs ? check->pairs : asp_driven_pairs_exist(view) ? 1 : -1;
  AspArenaMark mark = asp_arena_mark(arena);
  AspError error = check->pairs > 0 ? asp_driven_pairs_check(view, arena, dt) : ASP_OK;
  asp_arena_rewind(arena, mark);
  return error;
}

AspError asp_drives_check(DriveCheck *check, const StepView *view, AspArena *arena, double dt) {
  ASP_TRY(asp_drives_check_pairs(check, view, arena, dt));
  if (!asp_drives_exist(check, view) || asp_model_dof_count(view->model) == 0)
    return ASP_OK;
  AspArenaMark mark = asp_arena_mark(arena);
  double left = view->options->until - view->state->t, ahead = DRIVES_AHEAD * dt;
  AspError error = check_rows(check, view, arena, left > dt && left < ahead ? left : left > dt ? ahead : dt);
  asp_arena_rewind(arena, mark);
  return error;
}
