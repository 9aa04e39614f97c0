/* Ranks that share work (AspRanks of asperity/base.h), by MPI: see asperity-mpi.h. */
#include "asperity-mpi.h"

#include <limits.h>
#include <stdlib.h>

struct AspMpiRanks {
  MPI_Comm communicator;
  int *count, *place; /* ranks: of a gathering, bytes */
  AspRanks shared;
};

/* More than MPI counts at once: every rank's part by itself, in pieces. */
static AspError gather_in_pieces(const AspMpiRanks *ranks, unsigned char *all, const size_t *bytes) {
  const size_t most = (size_t)1 << 30;
  for (int k = 0; k < ranks->shared.ranks; k++)
    for (size_t left = bytes[k]; left > 0;) {
      int piece = (int)(left < most ? left : most);
      if (MPI_Bcast(all, piece, MPI_BYTE, k, ranks->communicator) != MPI_SUCCESS)
        return ASP_ERROR_INTERNAL;
      all += piece;
      left -= (size_t)piece;
    }
  return ASP_OK;
}

static AspError gather(void *user, void *all, const size_t *bytes) {
  AspMpiRanks *ranks = user;
  size_t total = 0;
  for (int k = 0; k < ranks->shared.ranks; k++)
    total += bytes[k];
  if (total > INT_MAX)
    return gather_in_pieces(ranks, all, bytes);
  for (int k = 0, at = 0; k < ranks->shared.ranks; at += ranks->count[k++]) {
    ranks->count[k] = (int)bytes[k];
    ranks->place[k] = at;
  }
  int code = MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, ranks->count, ranks->place, MPI_BYTE,
                            ranks->communicator);
  return code == MPI_SUCCESS ? ASP_OK : ASP_ERROR_INTERNAL;
}

static AspError swap(void *user, int to, const void *out, size_t out_bytes, int from, void *in, size_t in_bytes) {
  AspMpiRanks *ranks = user;
  MPI_Request request[2];
  int requests = 0, code = MPI_SUCCESS;
  if (out_bytes > INT_MAX || in_bytes > INT_MAX)
    return ASP_ERROR_INTERNAL;
  if (from >= 0)
    code = MPI_Irecv(in, (int)in_bytes, MPI_BYTE, from, 0, ranks->communicator, &request[requests++]);
  if (code == MPI_SUCCESS && to >= 0)
    code = MPI_Isend(out, (int)out_bytes, MPI_BYTE, to, 0, ranks->communicator, &request[requests++]);
  if (code == MPI_SUCCESS)
    code = MPI_Waitall(requests, request, MPI_STATUSES_IGNORE);
  return code == MPI_SUCCESS ? ASP_OK : ASP_ERROR_INTERNAL;
}

AspMpiRanks *asp_mpi_ranks_create(MPI_Comm communicator) {
  AspMpiRanks *ranks = calloc(1, sizeof *ranks);
  if (!ranks)
    return NULL;
  ranks->communicator = communicator;
  ranks->shared = (AspRanks){.user = ranks, .gather = gather, .swap = swap};
  MPI_Comm_size(communicator, &ranks->shared.ranks);
  MPI_Comm_rank(communicator, &ranks->shared.rank);
  ranks->count = calloc((size_t)ranks->shared.ranks, sizeof *ranks->count);
  ranks->place = calloc((size_t)ranks->shared.ranks, sizeof *ranks->place);
  if (ranks->count && ranks->place)
    return ranks;
  asp_mpi_ranks_destroy(ranks);
  return NULL;
}

void asp_mpi_ranks_destroy(AspMpiRanks *ranks) {
  if (!ranks)
    return;
  free(ranks->count);
  free(ranks->place);
  free(ranks);
}

const AspRanks *asp_mpi_ranks_shared(const AspMpiRanks *ranks) { return &ranks->shared; }
