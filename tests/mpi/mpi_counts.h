/* Calls of MPI that this program makes, counted by MPI's profiling interface. */
#ifndef ASP_TESTS_MPI_COUNTS_H
#define ASP_TESTS_MPI_COUNTS_H

typedef struct MpiCounts {
  long long sends, receives, reductions; /* MPI_Isend, MPI_Irecv, MPI_Allreduce */
  long long bytes;                       /* asked for by MPI_Irecv */
} MpiCounts;

MpiCounts mpi_counts(void);

#endif
