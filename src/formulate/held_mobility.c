/* Mobility of a spring's row where joints hold its bodies:
 *
 *   w = j M^-1 j^T - |P j|^2,   P: onto the span of the joints' rows in the metric M^-1
 *
 * It says how fast the spring swings. Bodies that joints hold move less under it than free ones, so that a step may
 * follow a spring on a hinge that would be too fast for it between free bodies. Counted are the joints of the two
 * bodies of the row, up to HELD_MOBILITY_ROWS rows: each row more can only make w smaller, so that w is never too
 * small. By Gram-Schmidt, over the dofs of the bodies that these joints connect. Depends on the joints' rows. */
#include "formulate/held_mobility.h"
#include "formulate/tuning/formulate.h"

#include <math.h>
#include <string.h>

#define WIDTH (6 * HELD_MOBILITY_BODIES)

/* Vectors over the dofs of a few bodies, weighted by L^-1, M = L L^T. */
typedef struct Span {
  const AspFormulation *formulation;
  const double *blocks; /* M of each body */
  int n, bodies, count;
  int body[HELD_MOBILITY_BODIES];
  double vector[HELD_MOBILITY_ROWS][WIDTH]; /* count; orthonormal */
} Span;

/* The joints of every body, as lists. */
struct AspHeldJoints {
  int *first; /* bodies; -1: none */
  int *next;  /* 2 joints; entry 2 joint + side */
};

static AspError list_joints(AspFormulation *formulation, AspHeldJoints **held) {
  const AspModel *model = formulation->model;
  int bodies = asp_model_body_count(model), joints = asp_model_joint_count(model);
  AspHeldJoints *it = ASP_TAKE(formulation->arena, AspHeldJoints, 1);
  int *first = ASP_TAKE_UNCLEARED(formulation->arena, int, bodies),
      *next = ASP_TAKE(formulation->arena, int, 2 * joints);
  if (!it || !first || !next)
    return ASP_ERROR_MEMORY;
  for (int body = 0; body < bodies; body++)
    first[body] = -1;
  for (int joint = joints - 1; joint >= 0; joint--)
    for (int side = 0; formulation->joint_rows.count[joint] > 0 && side < 2; side++) {
      const AspRow *row = formulation->joint_rows.row + ASP_JOINT_ROWS_MAX * (size_t)joint;
      int body = side == 0 ? row->body_a : row->body_b;
      next[2 * joint + side] = first[body];
      first[body] = 2 * joint + side;
    }
  *it = (AspHeldJoints){first, next};
  *held = it;
  return ASP_OK;
}

/* Where the dofs of a body stand in the vectors; -1: it has none, -2: there is no room. */
static int place_of(Span *span, int body) {
  if (span->formulation->dof[body] < 0)
    return -1;
  for (int i = 0; i < span->bodies; i++)
    if (span->body[i] == body)
      return span->n * i;
  if (span->bodies == HELD_MOBILITY_BODIES)
    return -2;
  span->body[span->bodies] = body;
  return span->n * span->bodies++;
}

/* L^-1 times the part of a row that acts on a body. */
static bool add_part(Span *span, int body, const double *j, double *vector) {
  int at = place_of(span, body), dof = span->formulation->dof[body];
  double weighed[6];
  if (at >= 0)
    asp_mass_weigh(span->blocks + span->n * dof, span->n, j, weighed);
  for (int i = 0; at >= 0 && i < span->n; i++)
    vector[at + i] += weighed[i];
  return at > -2;
}

static double dot(const double *a, const double *b) {
  double sum = 0;
  for (int i = 0; i < WIDTH; i++)
    sum += a[i] * b[i];
  return sum;
}

/* Takes the span out of a vector; twice, since once leaves rounding. */
static void project(const Span *span, double *vector) {
  for (int pass = 0; pass < 2; pass++)
    for (int k = 0; k < span->count; k++) {
      double along = dot(span->vector[k], vector);
      for (int i = 0; i < WIDTH; i++)
        vector[i] -= along * span->vector[k][i];
    }
}

static void add_row(Span *span, const AspRow *row) {
  double *vector = span->vector[span->count];
  memset(vector, 0, sizeof span->vector[0]);
  for (const AspRow *part = row; part; part = part->more)
    if (!add_part(span, part->body_a, part->ja, vector) || !add_part(span, part->body_b, part->jb, vector))
      return;
  double before = dot(vector, vector);
  project(span, vector);
  double square = dot(vector, vector);
  if (!(square > REDUNDANCY_DEPENDENT * before)) // it follows from others
    return;
  for (int i = 0; i < WIDTH; i++)
    vector[i] /= sqrt(square);
  span->count++;
}

static void add_joints(Span *span, const AspHeldJoints *held, int body) {
  for (int entry = held->first[body]; entry >= 0; entry = held->next[entry]) {
    int joint = entry / 2;
    const AspRow *row = span->formulation->joint_rows.row + ASP_JOINT_ROWS_MAX * (size_t)joint;
    for (int k = 0; k < span->formulation->joint_rows.count[joint] && span->count < HELD_MOBILITY_ROWS; k++)
      add_row(span, &row[k]);
  }
}

AspError asp_held_mobility(AspFormulation *formulation, const AspState *geometry, const AspStiffRow *row,
                           const AspStiffStep *step, AspHeldJoints **held, double *mobility) {
  const AspModel *model = formulation->model;
  Span *span = ASP_TAKE_UNCLEARED(formulation->arena, Span, 1);
  double vector[WIDTH] = {0};
  if (!span)
    return ASP_ERROR_MEMORY;
  ASP_TRY(asp_formulation_take_joint_rows(formulation, geometry));
  if (!*held)
    ASP_TRY(list_joints(formulation, held));
  *span =
      (Span){.formulation = formulation, .blocks = step->blocks, .n = asp_body_velocities(asp_model_dimension(model))};
  for (int side = 0; side < 2; side++) {
    if (row->count[side] > 0 && formulation->dof[row->body[side]] < 0) // of a beam
      return ASP_OK;
    if (row->count[side] > 0)
      add_part(span, row->body[side], row->j[side], vector);
  }
  for (int side = 0; side < 2; side++)
    if (row->count[side] > 0)
      add_joints(span, *held, row->body[side]);
  project(span, vector);
  *mobility = fmin(*mobility, dot(vector, vector));
  return ASP_OK;
}
