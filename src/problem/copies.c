/* Sums over the copies of split bodies: see copies.h. */
#include "problem/copies.h"

#include "base/base.h"

static const double *numbers_of(int member, int width, const double *own, const double *remote) {
  return member >= 0 ? own + (size_t)member * (size_t)width : remote + (size_t)(-1 - member) * (size_t)width;
}

AspError asp_copies_add_up(const AspPartition *partition, const AspExchange *exchange, int width, double *own,
                           double *remote) {
  ASP_TRY(exchange->begin(exchange->user, width, own));
  ASP_TRY(exchange->end(exchange->user, width, remote));
  for (int s = 0; s < partition->split; s++) {
    const int *member = partition->member + partition->member_start[s];
    int count = partition->member_start[s + 1] - partition->member_start[s];
    for (int j = 0; j < width; j++) {
      double sum = 0;
      for (int k = 0; k < count; k++)
        sum += numbers_of(member[k], width, own, remote)[j];
      for (int k = 0; k < count; k++)
        if (member[k] >= 0)
          own[(size_t)member[k] * (size_t)width + (size_t)j] = sum;
    }
  }
  return ASP_OK;
}
