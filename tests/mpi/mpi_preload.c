/* Calls of MPI that asperity-mpi makes, counted by MPI's profiling interface: preloaded (LD_PRELOAD), it writes one line
 * per rank to the file $MPI_COUNTS.RANK when the program ends:
 *
 *   sends, receives, bytes received, gatherings, bytes gathered */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static struct { long long sends, receives, bytes, gathers, gathered; } counts;

static long long size_of(MPI_Datatype type, int count) {
  int size = 0;
  PMPI_Type_size(type, &size);
  return (long long)size * count;
}

int MPI_Isend(const void *from, int count, MPI_Datatype type, int rank, int tag, MPI_Comm comm, MPI_Request *request) {
  counts.sends++;
  return PMPI_Isend(from, count, type, rank, tag, comm, request);
}

int MPI_Irecv(void *to, int count, MPI_Datatype type, int rank, int tag, MPI_Comm comm, MPI_Request *request) {
  counts.receives++;
  counts.bytes += size_of(type, count);
  return PMPI_Irecv(to, count, type, rank, tag, comm, request);
}

int MPI_Allgatherv(const void *from, int count, MPI_Datatype type, void *to, const int counts_of[], const int places[],
                   MPI_Datatype to_type, MPI_Comm comm) {
  int ranks = 0;
  PMPI_Comm_size(comm, &ranks);
  counts.gathers++;
  for (int k = 0; k < ranks; k++)
    counts.gathered += size_of(to_type, counts_of[k]);
  return PMPI_Allgatherv(from, count, type, to, counts_of, places, to_type, comm);
}

int MPI_Finalize(void) {
  const char *base = getenv("MPI_COUNTS");
  char path[4096];
  int rank = 0;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  snprintf(path, sizeof path, "%s.%d", base ? base : "mpi-counts", rank);
  FILE *file = fopen(path, "w");
  if (file) {
    fprintf(file, "%lld %lld %lld %lld %lld\n", counts.sends, counts.receives, counts.bytes, counts.gathers,
            counts.gathered);
    fclose(file);
  }
  return PMPI_Finalize();
}
