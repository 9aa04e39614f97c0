/* The exchange of copies and the exact reductions, by MPI: see asperity-mpi.h.
 *
 * Copies: one message to, and one from, every rank that holds copies of the same bodies. A rank receives all copies
 * that another one has of such bodies, ascending (AspPartition.remote); so the other one sends those of its copies
 * whose body has a member here, in the same order. Reductions: one MPI_Allreduce of words that say themselves how many
 * of them are sums and how many are largest values with their places.
 */
#include "asperity-mpi.h"

#include <stdlib.h>
#include <string.h>

typedef struct Neighbour {
  int rank;
  int first, end;           /* remote copies from there */
  int send_first, send_end; /* places in `send` */
} Neighbour;

struct AspMpiExchange {
  AspContext *context;
  MPI_Comm communicator;
  const AspPartition *partition;
  MPI_Op operation;
  Neighbour *neighbour;
  int *send;            /* copies, by neighbour */
  double *out;          /* numbers of the copies that are sent */
  int width;            /* for which there is room */
  MPI_Request *request; /* 2 x neighbours */
  int64_t *word;
  int words; /* room */
  AspMpiCounts counts;
};

/* ---- reductions ---- */

/* A reduction as words: how many sums, how many largest values, the sums, then value and place of each largest one. */
enum { WORD_SUMS, WORD_LARGEST, WORD_FIRST };

static void reduce_words(void *from, void *to, int *length, MPI_Datatype *type) {
  const int64_t *a = from;
  int64_t *b = to, sums = b[WORD_SUMS], largest = b[WORD_LARGEST];
  (void)length; // one element: all words
  (void)type;
  for (int64_t k = WORD_FIRST; k < WORD_FIRST + sums; k++)
    b[k] += a[k];
  for (int64_t k = WORD_FIRST + sums; k < WORD_FIRST + sums + 2 * largest; k += 2) {
    double x, y;
    memcpy(&x, a + k, sizeof x);
    memcpy(&y, b + k, sizeof y);
    if (x > y || (x == y && a[k + 1] < b[k + 1]))
      memcpy(b + k, a + k, 2 * sizeof *b);
  }
}

static AspError reserve_words(AspMpiExchange *exchange, int words) {
  if (words <= exchange->words)
    return ASP_OK;
  int64_t *more = realloc(exchange->word, 2 * (size_t)words * sizeof *more); // one's own, and those of all
  if (!more)
    return ASP_ERROR_MEMORY;
  exchange->word = more;
  exchange->words = words;
  return ASP_OK;
}

static AspError reduce(void *user, AspRankReduction *reduction) {
  AspMpiExchange *exchange = user;
  int words = WORD_FIRST + reduction->sums + 2 * reduction->largest;
  AspError error = reserve_words(exchange, words);
  if (error != ASP_OK)
    return error;
  int64_t *own = exchange->word, *all = own + words, *pairs = own + WORD_FIRST + reduction->sums;
  own[WORD_SUMS] = reduction->sums;
  own[WORD_LARGEST] = reduction->largest;
  if (reduction->sums > 0)
    memcpy(own + WORD_FIRST, reduction->sum, (size_t)reduction->sums * sizeof *own);
  for (int k = 0; k < reduction->largest; k++) {
    memcpy(pairs + 2 * k, &reduction->value[k], sizeof *own);
    pairs[2 * k + 1] = reduction->place[k];
  }
  MPI_Datatype type;
  MPI_Type_contiguous(words, MPI_INT64_T, &type);
  MPI_Type_commit(&type);
  int code = MPI_Allreduce(own, all, 1, type, exchange->operation, exchange->communicator);
  MPI_Type_free(&type);
  if (code != MPI_SUCCESS)
    return ASP_ERROR_INTERNAL;
  if (reduction->sums > 0)
    memcpy(reduction->sum, all + WORD_FIRST, (size_t)reduction->sums * sizeof *all);
  pairs = all + WORD_FIRST + reduction->sums;
  for (int k = 0; k < reduction->largest; k++) {
    memcpy(&reduction->value[k], pairs + 2 * k, sizeof *all);
    reduction->place[k] = pairs[2 * k + 1];
  }
  exchange->counts.reductions++;
  return ASP_OK;
}

/* ---- copies ---- */

static AspError reserve_width(AspMpiExchange *exchange, int width) {
  int neighbours = exchange->counts.neighbours;
  if (width <= exchange->width || neighbours == 0)
    return ASP_OK;
  double *out =
      realloc(exchange->out, (size_t)width * (size_t)exchange->neighbour[neighbours - 1].send_end * sizeof *out);
  if (!out)
    return ASP_ERROR_MEMORY;
  exchange->out = out;
  exchange->width = width;
  return ASP_OK;
}

static AspError begin(void *user, int width, const double *own) {
  AspMpiExchange *exchange = user;
  AspError error = reserve_width(exchange, width);
  size_t size = (size_t)width;
  if (error != ASP_OK)
    return error;
  for (int n = 0; n < exchange->counts.neighbours; n++) {
    const Neighbour *to = &exchange->neighbour[n];
    for (int k = to->send_first; k < to->send_end; k++)
      memcpy(exchange->out + (size_t)k * size, own + (size_t)exchange->send[k] * size, size * sizeof *own);
    if (MPI_Isend(exchange->out + (size_t)to->send_first * size, width * (to->send_end - to->send_first), MPI_DOUBLE,
                  to->rank, 0, exchange->communicator, &exchange->request[2 * n]) != MPI_SUCCESS)
      return ASP_ERROR_INTERNAL;
  }
  exchange->counts.exchanges++;
  return ASP_OK;
}

static AspError end(void *user, int width, double *remote) {
  AspMpiExchange *exchange = user;
  int neighbours = exchange->counts.neighbours;
  for (int n = 0; n < neighbours; n++) {
    const Neighbour *from = &exchange->neighbour[n];
    if (MPI_Irecv(remote + (size_t)from->first * (size_t)width, width * (from->end - from->first), MPI_DOUBLE,
                  from->rank, 0, exchange->communicator, &exchange->request[2 * n + 1]) != MPI_SUCCESS)
      return ASP_ERROR_INTERNAL;
  }
  if (MPI_Waitall(2 * neighbours, exchange->request, MPI_STATUSES_IGNORE) != MPI_SUCCESS)
    return ASP_ERROR_INTERNAL;
  exchange->counts.bytes += (int64_t)sizeof *remote * width * exchange->partition->remotes;
  return ASP_OK;
}

/* ---- who sends what to whom ---- */

/* Does the split body have a copy on this rank? */
static bool has_member_on(const AspPartition *partition, int body, int rank) {
  for (int k = partition->member_start[body]; k < partition->member_start[body + 1]; k++)
    if (partition->member[k] < 0 && partition->remote[-1 - partition->member[k]].rank == rank)
      return true;
  return false;
}

/* The split body of every own copy. */
static int *bodies_of_copies(const AspPartition *partition) {
  int *body = calloc((size_t)partition->copies + 1, sizeof *body);
  for (int s = 0; body && s < partition->split; s++)
    for (int k = partition->member_start[s]; k < partition->member_start[s + 1]; k++)
      if (partition->member[k] >= 0)
        body[partition->member[k]] = s;
  return body;
}

static bool find_neighbours(AspMpiExchange *exchange) {
  const AspPartition *partition = exchange->partition;
  int *body = bodies_of_copies(partition), ranks = 0, sent = 0;
  for (int k = 0; k < partition->remotes; k++)
    ranks += k == 0 || partition->remote[k].rank != partition->remote[k - 1].rank;
  exchange->neighbour = calloc((size_t)ranks + 1, sizeof *exchange->neighbour);
  exchange->request = calloc(2 * (size_t)ranks + 1, sizeof *exchange->request);
  exchange->send = calloc((size_t)ranks * (size_t)partition->copies + 1, sizeof *exchange->send);
  bool complete = body && exchange->neighbour && exchange->request && exchange->send;
  for (int k = 0; complete && k < partition->remotes; k++) {
    if (k > 0 && partition->remote[k].rank == partition->remote[k - 1].rank)
      continue;
    Neighbour *to = &exchange->neighbour[exchange->counts.neighbours++];
    *to = (Neighbour){.rank = partition->remote[k].rank, .first = k, .end = k, .send_first = sent};
    while (to->end < partition->remotes && partition->remote[to->end].rank == to->rank)
      to->end++;
    for (int c = 0; c < partition->copies; c++)
      if (has_member_on(partition, body[c], to->rank))
        exchange->send[sent++] = c;
    to->send_end = sent;
  }
  free(body);
  return complete;
}

AspError asp_mpi_exchange_create(AspContext *context, MPI_Comm communicator, const AspPartition *partition,
                                 AspMpiExchange **exchange) {
  int ranks = 0, rank = 0;
  *exchange = NULL;
  MPI_Comm_size(communicator, &ranks);
  MPI_Comm_rank(communicator, &rank);
  if (ranks != partition->ranks || rank != partition->rank)
    return ASP_ERROR_ARGUMENT;
  AspMpiExchange *made = calloc(1, sizeof *made);
  if (!made)
    return ASP_ERROR_MEMORY;
  *made = (AspMpiExchange){.context = context, .communicator = communicator, .partition = partition};
  MPI_Op_create(reduce_words, 1, &made->operation);
  if (!find_neighbours(made)) {
    asp_mpi_exchange_destroy(made);
    return ASP_ERROR_MEMORY;
  }
  *exchange = made;
  return ASP_OK;
}

void asp_mpi_exchange_destroy(AspMpiExchange *exchange) {
  if (!exchange)
    return;
  MPI_Op_free(&exchange->operation);
  free(exchange->neighbour);
  free(exchange->request);
  free(exchange->send);
  free(exchange->out);
  free(exchange->word);
  free(exchange);
}

AspExchange asp_mpi_callbacks(AspMpiExchange *exchange) { return (AspExchange){exchange, begin, end, reduce}; }

AspMpiCounts asp_mpi_counts(const AspMpiExchange *exchange) { return exchange->counts; }
