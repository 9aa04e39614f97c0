/* A packing of spheres solved by cells on the ranks of MPI. Rank 0 prints one line: what must not depend on the number
 * of ranks, then after a bar what was sent, by MPI's own count. Ends with 1 where a rank made other calls than one
 * exchange per sweep and one reduction per look.
 *
 *   mpi_parts CONTACTS BODIES_PER_CELL SWEEPS
 */
#include "asperity-mpi.h"
#include "asperity/solver.h"
#include "base/base.h"
#include "mpi_counts.h"
#include "problem_families.h"

#include <stdio.h>
#include <stdlib.h>

static void must(AspContext *context, AspError error) {
  if (error == ASP_OK)
    return;
  fprintf(stderr, "mpi_parts: %s\n", asp_context_message(context));
  MPI_Abort(MPI_COMM_WORLD, 2);
}

typedef struct Part {
  AspContext *context;
  AspContactProblem problem;
  AspCellPlan plan;
  AspPartition partition;
  double **r;
} Part;

static void take_part(Part *part, int contacts, int bodies_per_cell, int ranks, int rank) {
  part->context = asp_context_create(NULL);
  must(part->context, problem_family_make(part->context, FAMILY_PACKING, contacts, 3, &part->problem));
  must(part->context, asp_cell_plan_create(part->context, &part->problem, bodies_per_cell, &part->plan));
  int *weight = calloc((size_t)part->plan.cells, sizeof *weight),
      *rank_of_cell = calloc((size_t)part->plan.cells, sizeof(int));
  for (int i = 0; i < part->problem.blocks; i++)
    weight[part->plan.cell_of_block[i]]++;
  asp_cells_over_ranks(part->plan.cells, weight, ranks, rank_of_cell);
  must(part->context,
       asp_partition_create(part->context, &part->problem, &part->plan, rank_of_cell, ranks, rank, &part->partition));
  part->r = calloc((size_t)part->partition.cells + 1, sizeof *part->r);
  for (int c = 0; c < part->partition.cells; c++)
    part->r[c] = calloc((size_t)part->partition.cell[c].problem.rows, sizeof **part->r);
  free(weight);
  free(rank_of_cell);
}

/* The hash of every cell's reactions, times its number, summed as integers: no order is left. */
static uint64_t hash_all(const Part *part) {
  uint64_t sum = 0, all = 0;
  for (int c = 0; c < part->partition.cells; c++)
    sum += asp_hash_bytes(ASP_HASH_START, part->r[c], (size_t)part->partition.cell[c].problem.rows * sizeof(double)) *
           (uint64_t)(2 * part->partition.cell[c].number + 1);
  PMPI_Allreduce(&sum, &all, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
  return all;
}

int main(int count, char **words) {
  int ranks = 0, rank = 0, wrong = 0, any = 0;
  Part part = {0};
  AspMpiExchange *exchange;
  AspPartsJudge *judge;
  AspPartsOptions options = asp_parts_default_options();
  AspPartsInfo info;
  MPI_Init(&count, &words);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  take_part(&part, atoi(words[1]), atoi(words[2]), ranks, rank);
  options.max_sweeps = atoi(words[3]);
  must(part.context, asp_mpi_exchange_create(part.context, MPI_COMM_WORLD, &part.partition, &exchange));
  AspExchange callbacks = asp_mpi_callbacks(exchange);
  must(part.context, asp_parts_judge_create(part.context, &part.partition, &callbacks, &judge));
  MpiCounts before = mpi_counts();
  must(part.context, asp_parts_solve(judge, &options, part.r, &info));
  MpiCounts after = mpi_counts();
  AspMpiCounts own = asp_mpi_counts(exchange);
  int exchanges = info.exchanges + 1, reductions = info.looks + 2; // the judge's; and whether all cells fit
  wrong = after.sends - before.sends != (long long)own.neighbours * exchanges ||
          after.receives - before.receives != (long long)own.neighbours * exchanges ||
          after.reductions - before.reductions != reductions;
  PMPI_Allreduce(&wrong, &any, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  long long sent[2] = {own.neighbours, (after.bytes - before.bytes) / exchanges}, most[2];
  PMPI_Allreduce(sent, most, 2, MPI_LONG_LONG, MPI_MAX, MPI_COMM_WORLD);
  uint64_t hash = hash_all(&part);
  if (rank == 0)
    printf("contacts %d cells %d status %s sweeps %d E2 %.17g contact %.17g hash %016llx | ranks %d messages %lld "
           "bytes %lld\n",
           part.problem.blocks, part.plan.cells, asp_status_name(info.status), info.sweeps, info.residual.E2,
           info.residual.contact, (unsigned long long)hash, ranks, most[0], most[1]);
  asp_parts_judge_destroy(judge);
  asp_mpi_exchange_destroy(exchange);
  for (int c = 0; c < part.partition.cells; c++)
    free(part.r[c]);
  free(part.r);
  asp_partition_destroy(part.context, &part.partition);
  asp_cell_plan_destroy(part.context, &part.plan);
  asp_problem_destroy(part.context, &part.problem);
  asp_context_destroy(part.context);
  MPI_Finalize();
  return any;
}
