/* Asperity on MPI: the exchange of asperity/partition.h, and ranks that share work (asperity/base.h), by messages. A
 * library of its own, so that libasperity needs no MPI.
 *
 * Threads and ownership: asperity/base.h. All ranks of the communicator make the same calls in the same order.
 */
#ifndef ASPERITY_MPI_H
#define ASPERITY_MPI_H

#include "asperity/partition.h"

#include <mpi.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct AspMpiExchange AspMpiExchange;

/* What an exchange has sent and received so far, on this rank. */
typedef struct AspMpiCounts {
  int neighbours;    /* ranks with copies of the same bodies: messages of one exchange, each way */
  int64_t exchanges; /* of copies */
  int64_t bytes;     /* received in them */
  int64_t reductions;
} AspMpiCounts;

/* For the ranks of `communicator`, as many as the partition has; who sends what to whom follows from the partition, so
 * nothing is sent here. An argument error: the partition is of another rank. It borrows the partition.
 * [one thread, yours: asp_mpi_exchange_destroy] */
ASP_API AspError asp_mpi_exchange_create(AspContext *context, MPI_Comm communicator, const AspPartition *partition,
                                         AspMpiExchange **exchange);
ASP_API void asp_mpi_exchange_destroy(AspMpiExchange *exchange); /* [one thread, ends it] */
/* The callbacks, valid as long as the exchange. [one thread] */
ASP_API AspExchange asp_mpi_callbacks(AspMpiExchange *exchange);
ASP_API AspMpiCounts asp_mpi_counts(const AspMpiExchange *exchange); /* [many readers] */

/* ---- ranks that share the work of a context ---- */

typedef struct AspMpiRanks AspMpiRanks;

/* The ranks of `communicator`; NULL: out of memory. [any thread, yours: asp_mpi_ranks_destroy] */
ASP_API AspMpiRanks *asp_mpi_ranks_create(MPI_Comm communicator);
ASP_API void asp_mpi_ranks_destroy(AspMpiRanks *ranks); /* [one thread, ends it] */
/* For asp_context_set_ranks, valid as long as the ranks. [many readers, lent] */
ASP_API const AspRanks *asp_mpi_ranks_shared(const AspMpiRanks *ranks);

#ifdef __cplusplus
}
#endif
#endif
