/* One contact problem from a file on all ranks, in cells. */
#ifndef ASPERITY_MPI_SOLVE_H
#define ASPERITY_MPI_SOLVE_H

#include "asperity-mpi.h"
#include "asperity/solver.h"

typedef struct SolveRequest {
  const char *path; /* FCLIB file, read by every rank */
  const char *save; /* NULL, or where rank 0 writes problem and answer */
  int bodies_per_cell;
  AspPartsOptions options;
} SolveRequest;

typedef struct SolveReport {
  int contacts, bodies, cells;
  int64_t copies; /* of split bodies, on all ranks */
  AspPartsInfo info;
  uint64_t hash;     /* of r and x, the same on every number of ranks */
  AspMpiCounts most; /* the largest of every rank */
} SolveReport;

/* All ranks call it; all get the same report. An error of one rank is returned on all, with its message on rank 0. */
AspError solve_problem(AspContext *context, MPI_Comm communicator, const SolveRequest *request, SolveReport *report,
                       char message[512]);

#endif
