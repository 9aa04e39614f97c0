/* Sums over the copies of split bodies (asperity/partition.h), in the order of their cells: the same bits on all ranks.
 * Depends on partition.h alone. */
#ifndef ASP_PROBLEM_COPIES_H
#define ASP_PROBLEM_COPIES_H

#include "asperity/partition.h"

/* own (copies x width): numbers of every copy, each replaced by the sum over all copies of its body. remote (remotes x
 * width): room for what the other ranks send. */
AspError asp_copies_add_up(const AspPartition *partition, const AspExchange *exchange, int width, double *own,
                           double *remote);

#endif
