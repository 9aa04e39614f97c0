/* MPI's profiling interface: each call is counted, then passed on. See mpi_counts.h. */
#include "mpi_counts.h"

#include <mpi.h>

static MpiCounts counts;

MpiCounts mpi_counts(void) { return counts; }

int MPI_Isend(const void *from, int count, MPI_Datatype type, int rank, int tag, MPI_Comm comm, MPI_Request *request) {
  counts.sends++;
  return PMPI_Isend(from, count, type, rank, tag, comm, request);
}

int MPI_Irecv(void *to, int count, MPI_Datatype type, int rank, int tag, MPI_Comm comm, MPI_Request *request) {
  int size = 0;
  PMPI_Type_size(type, &size);
  counts.receives++;
  counts.bytes += (long long)count * size;
  return PMPI_Irecv(to, count, type, rank, tag, comm, request);
}

int MPI_Allreduce(const void *from, void *to, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  counts.reductions++;
  return PMPI_Allreduce(from, to, count, type, op, comm);
}
