/* One contact problem from a file on all ranks: see solve.h. Every rank reads the file and keeps its part of it. */
#include "solve.h"

#include "asperity/io.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Solve {
  AspContext *context;
  MPI_Comm communicator;
  int ranks, rank;
  const SolveRequest *request;
  AspContactProblem problem;
  AspCellPlan plan;
  AspPartition partition;
  AspMpiExchange *exchange;
  AspExchange callbacks;
  AspPartsJudge *judge;
  double **r;                /* cells */
  double *whole_r, *whole_x; /* rows, dofs: on rank 0 those of all ranks */
} Solve;

/* The error of the lowest rank that has one, on all ranks, with its message on rank 0. */
static AspError agree(const Solve *solve, AspError error, char message[512]) {
  int own = error == ASP_OK ? solve->ranks : solve->rank, first = own;
  MPI_Allreduce(&own, &first, 1, MPI_INT, MPI_MIN, solve->communicator);
  if (first == solve->ranks)
    return ASP_OK;
  int code = (int)error;
  MPI_Bcast(&code, 1, MPI_INT, first, solve->communicator);
  snprintf(message, 512, "%s", error != ASP_OK ? asp_context_message(solve->context) : "");
  if (*message == '\0')
    snprintf(message, 512, "%s", asp_error_name((AspError)code));
  MPI_Bcast(message, 512, MPI_CHAR, first, solve->communicator);
  return (AspError)code;
}

static AspError take_part(Solve *solve) {
  int *weight = NULL, *rank_of_cell = NULL;
  AspError error = asp_fclib_read(solve->context, solve->request->path, NULL, &solve->problem, NULL);
  if (error == ASP_OK)
    error = asp_cell_plan_create(solve->context, &solve->problem, solve->request->bodies_per_cell, &solve->plan);
  if (error != ASP_OK)
    return error;
  weight = calloc((size_t)solve->plan.cells + 1, sizeof *weight);
  rank_of_cell = calloc((size_t)solve->plan.cells + 1, sizeof *rank_of_cell);
  solve->whole_r = calloc((size_t)solve->problem.rows + 1, sizeof *solve->whole_r);
  solve->whole_x = calloc((size_t)solve->problem.dofs + 1, sizeof *solve->whole_x);
  if (!weight || !rank_of_cell || !solve->whole_r || !solve->whole_x) {
    error = ASP_ERROR_MEMORY;
    goto done;
  }
  for (int i = 0; i < solve->problem.blocks; i++)
    weight[solve->plan.cell_of_block[i]]++;
  asp_cells_over_ranks(solve->plan.cells, weight, solve->ranks, rank_of_cell);
  error = asp_partition_create(solve->context, &solve->problem, &solve->plan, rank_of_cell, solve->ranks, solve->rank,
                               &solve->partition);
done:
  free(weight);
  free(rank_of_cell);
  return error;
}

static AspError make_room(Solve *solve) {
  solve->r = calloc((size_t)solve->partition.cells + 1, sizeof *solve->r);
  if (!solve->r)
    return ASP_ERROR_MEMORY;
  for (int c = 0; c < solve->partition.cells; c++) {
    solve->r[c] = calloc((size_t)solve->partition.cell[c].problem.rows + 1, sizeof **solve->r);
    if (!solve->r[c])
      return ASP_ERROR_MEMORY;
  }
  return asp_mpi_exchange_create(solve->context, solve->communicator, &solve->partition, &solve->exchange);
}

/* Rows and dofs of the own cells at their places in the whole; zeros elsewhere. */
static void scatter_answer(Solve *solve) {
  for (int c = 0; c < solve->partition.cells; c++) {
    const AspCell *cell = &solve->partition.cell[c];
    const AspContactProblem *own = &cell->problem, *whole = &solve->problem;
    const double *x = asp_parts_judge_x(solve->judge, c);
    for (int i = 0; i < own->blocks; i++)
      memcpy(solve->whole_r + whole->offset[cell->block[i]], solve->r[c] + own->offset[i],
             (size_t)(own->offset[i + 1] - own->offset[i]) * sizeof **solve->r);
    for (int b = 0; b < own->bodies.count; b++)
      for (int k = 0; k < own->bodies.start[b + 1] - own->bodies.start[b]; k++)
        solve->whole_x[whole->bodies.dof[whole->bodies.start[cell->body[b]] + k]] =
            x[own->bodies.dof[own->bodies.start[b] + k]];
  }
}

/* To rank 0, bit by bit: copies of a body have equal bits, all else is there once. */
static void gather(const Solve *solve, double *values, int count) {
  if (solve->rank == 0)
    MPI_Reduce(MPI_IN_PLACE, values, count, MPI_UINT64_T, MPI_BOR, 0, solve->communicator);
  else
    MPI_Reduce(values, NULL, count, MPI_UINT64_T, MPI_BOR, 0, solve->communicator);
}

/* FNV-1a */
static uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t count) {
  for (size_t k = 0; k < count; k++)
    hash = (hash ^ ((const unsigned char *)bytes)[k]) * UINT64_C(0x100000001b3);
  return hash;
}

static void count_all(const Solve *solve, SolveReport *report) {
  AspMpiCounts counts = asp_mpi_counts(solve->exchange);
  int64_t own[3] = {counts.neighbours, counts.bytes, counts.reductions}, most[3], copies = solve->partition.copies;
  MPI_Allreduce(own, most, 3, MPI_INT64_T, MPI_MAX, solve->communicator);
  MPI_Allreduce(&copies, &report->copies, 1, MPI_INT64_T, MPI_SUM, solve->communicator);
  report->most = (AspMpiCounts){(int)most[0], counts.exchanges, most[1], most[2]};
  report->contacts = (int)solve->partition.all_contacts;
  report->bodies = solve->problem.bodies.count;
  report->cells = solve->plan.cells;
}

static AspError save_answer(const Solve *solve) {
  AspFclibExtra extra = {.solution = {.r = solve->whole_r, .x = solve->whole_x}};
  return asp_fclib_write(solve->context, solve->request->save, &solve->problem, &extra);
}

static AspError run(Solve *solve, SolveReport *report, char message[512]) {
  AspError error = agree(solve, take_part(solve), message);
  if (error == ASP_OK)
    error = agree(solve, asp_problem_set_bodies(solve->context, &solve->problem, NULL), message);
  if (error == ASP_OK)
    error = agree(solve, make_room(solve), message);
  if (error != ASP_OK)
    return error;
  solve->callbacks = asp_mpi_callbacks(solve->exchange);
  error = agree(solve, asp_parts_judge_create(solve->context, &solve->partition, &solve->callbacks, &solve->judge),
                message);
  if (error == ASP_OK)
    error = agree(solve, asp_parts_solve(solve->judge, &solve->request->options, solve->r, &report->info), message);
  if (error != ASP_OK)
    return error;
  count_all(solve, report);
  scatter_answer(solve);
  gather(solve, solve->whole_r, solve->problem.rows);
  gather(solve, solve->whole_x, solve->problem.dofs);
  report->hash = hash_bytes(UINT64_C(0xcbf29ce484222325), solve->whole_r, (size_t)solve->problem.rows * sizeof(double));
  report->hash = hash_bytes(report->hash, solve->whole_x, (size_t)solve->problem.dofs * sizeof(double));
  MPI_Bcast(&report->hash, 1, MPI_UINT64_T, 0, solve->communicator);
  return agree(solve, solve->rank == 0 && solve->request->save ? save_answer(solve) : ASP_OK, message);
}

AspError solve_problem(AspContext *context, MPI_Comm communicator, const SolveRequest *request, SolveReport *report,
                       char message[512]) {
  Solve solve = {.context = context, .communicator = communicator, .request = request};
  MPI_Comm_size(communicator, &solve.ranks);
  MPI_Comm_rank(communicator, &solve.rank);
  *report = (SolveReport){0};
  AspError error = run(&solve, report, message);
  asp_parts_judge_destroy(solve.judge);
  asp_mpi_exchange_destroy(solve.exchange);
  for (int c = 0; solve.r && c < solve.partition.cells; c++)
    free(solve.r[c]);
  free(solve.r);
  free(solve.whole_r);
  free(solve.whole_x);
  asp_partition_destroy(context, &solve.partition);
  asp_cell_plan_destroy(context, &solve.plan);
  asp_problem_destroy(context, &solve.problem);
  return error;
}
