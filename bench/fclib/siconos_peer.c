/* Siconos' methods as peers (see siconos_peer.h). Options are Siconos' defaults but for the tolerance and the number of
 * iterations, which only the time limit ends. Storage: 3x3 blocks for the Gauss-Seidel ones, compressed columns for
 * those that factorise. Its velocity Gauss-Seidel (NSGSV) is left out: version 4.4.0 implements it for no sparse
 * storage and aborts on dense ones. */
#define _DEFAULT_SOURCE
#include "siconos_peer.h"

#include "bench_clock.h"

#include <suitesparse/cs.h>

#include <FrictionContactProblem.h>
#include <Friction_cst.h>
#include <GlobalFrictionContactProblem.h>
#include <NonSmoothDrivers.h>
#include <NumericsMatrix.h>
#include <NumericsSparseMatrix.h>
#include <NumericsVerbose.h>
#include <SolverOptions.h>
#include <SparseBlockMatrix.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef enum Storage { STORE_BLOCKS, STORE_COLUMNS, STORE_GLOBAL } Storage;

static const struct {
  const char *name;
  int id;
  Storage storage;
  int penalty_strategy; /* ADMM; 0: the default, a constant */
} peers[] = {
    {"NSGS", SICONOS_FRICTION_3D_NSGS, STORE_BLOCKS, 0},
    {"NSN_AC", SICONOS_FRICTION_3D_NSN_AC, STORE_COLUMNS, 0},
    {"ADMM", SICONOS_FRICTION_3D_ADMM, STORE_COLUMNS, 0},
    {"ADMM_RB", SICONOS_FRICTION_3D_ADMM, STORE_COLUMNS, SICONOS_FRICTION_3D_ADMM_RHO_STRATEGY_RESIDUAL_BALANCING},
    {"ADMM_SRB", SICONOS_FRICTION_3D_ADMM, STORE_COLUMNS,
     SICONOS_FRICTION_3D_ADMM_RHO_STRATEGY_SCALED_RESIDUAL_BALANCING},
    {"ACLMFP", SICONOS_FRICTION_3D_ACLMFP, STORE_BLOCKS, 0},
    {"PROX", SICONOS_FRICTION_3D_PROX, STORE_COLUMNS, 0},
    {"G_ADMM", SICONOS_GLOBAL_FRICTION_3D_ADMM, STORE_GLOBAL, 0},
    {"G_ADMM_RB", SICONOS_GLOBAL_FRICTION_3D_ADMM, STORE_GLOBAL,
     SICONOS_FRICTION_3D_ADMM_RHO_STRATEGY_RESIDUAL_BALANCING},
    {"G_ADMM_SRB", SICONOS_GLOBAL_FRICTION_3D_ADMM, STORE_GLOBAL,
     SICONOS_FRICTION_3D_ADMM_RHO_STRATEGY_SCALED_RESIDUAL_BALANCING},
    {"G_NSGS_WR", SICONOS_GLOBAL_FRICTION_3D_NSGS_WR, STORE_GLOBAL, 0},
    {"G_NSN_AC", SICONOS_GLOBAL_FRICTION_3D_NSN_AC, STORE_GLOBAL, 0},
    {"G_IPM", SICONOS_GLOBAL_FRICTION_3D_IPM, STORE_GLOBAL, 0},
};

int siconos_count(void) { return (int)(sizeof peers / sizeof *peers); }
const char *siconos_name(int method) { return peers[method].name; }
bool siconos_is_global(int method) { return peers[method].storage == STORE_GLOBAL; }

static NumericsMatrix *columns_of(const AspSparse *A) {
  int entries = A->start[A->columns];
  NumericsMatrix *matrix = NM_create(NM_SPARSE, A->rows, A->columns);
  NM_csc_alloc(matrix, entries);
  matrix->matrix2->origin = NSM_CSC;
  CSparseMatrix *csc = NM_csc(matrix);
  for (int j = 0; j <= A->columns; j++)
    csc->p[j] = A->start[j];
  for (int k = 0; k < entries; k++) {
    csc->i[k] = A->row[k];
    csc->x[k] = A->value[k];
  }
  return matrix;
}

static NumericsMatrix *convert(const AspSparse *W, Storage storage) {
  NumericsMatrix *columns = columns_of(W);
  if (storage == STORE_COLUMNS)
    return columns;
  NumericsMatrix *blocks = NM_create(NM_SPARSE_BLOCK, W->rows, W->columns);
  SBM_from_csparse(3, NM_csc(columns), blocks->matrix1);
  return blocks;
}

static double *copied(const double *from, int count) {
  double *copy = malloc((size_t)count * sizeof *copy);
  memcpy(copy, from, (size_t)count * sizeof *copy);
  return copy;
}

/* Memory is left to the end of the child process. */
void siconos_solve(int method, const AspContactProblem *problem, double tolerance, double *r, RunOutcome *outcome) {
  int contacts = problem->blocks, info = 0;
  double start = processor_seconds(), *u = calloc((size_t)problem->rows, sizeof *u);
  double *mu = malloc((size_t)contacts * sizeof *mu), *v = calloc((size_t)problem->dofs + 1, sizeof *v);
  for (int b = 0; b < contacts; b++)
    mu[b] = problem->law[b].mu;
  FrictionContactProblem *local = NULL;
  GlobalFrictionContactProblem *global = NULL;
  if (siconos_is_global(method)) {
    global = globalFrictionContactProblem_new();
    global->dimension = 3;
    global->numberOfContacts = contacts;
    global->M = columns_of(&problem->M);
    global->H = columns_of(&problem->H);
    global->q = copied(problem->f, problem->dofs);
    global->b = copied(problem->w, problem->rows);
    global->mu = mu;
  } else {
    local = frictionContactProblem_new_with_data(3, contacts, convert(&problem->W, peers[method].storage),
                                                 copied(problem->q, problem->rows), mu);
  }
  SolverOptions *options = solver_options_create(peers[method].id);
  options->dparam[SICONOS_DPARAM_TOL] = tolerance;
  options->iparam[SICONOS_IPARAM_MAX_ITER] = 100000000;
  if (peers[method].penalty_strategy)
    options->iparam[SICONOS_FRICTION_3D_ADMM_IPARAM_RHO_STRATEGY] = peers[method].penalty_strategy;
  numerics_set_verbose(0);
  double middle = processor_seconds();
  info = global ? gfc3d_driver(global, r, u, v, options) : fc3d_driver(local, r, u, options);
  outcome->setup = middle - start;
  outcome->solve = processor_seconds() - middle;
  outcome->claims = info == 0;
  outcome->iterations = options->iparam[SICONOS_IPARAM_ITER_DONE];
  snprintf(outcome->status, sizeof outcome->status, info == 0 ? "ok" : "info %d", info);
}
