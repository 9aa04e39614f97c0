/* The name that a mistyped word most likely means. */
#include "base/base.h"
#include "base/tuning/base.h"

#include <string.h>

static int least_of(int a, int b, int c) { return a < b ? (a < c ? a : c) : (b < c ? b : c); }

/* Letters to insert, drop, replace or swap with their neighbour to get from a to b (optimal string alignment). */
static int edit_distance(const char *a, const char *b) {
  size_t length_a = strlen(a), length_b = strlen(b);
  if (length_a > NEAREST_NAME_LONGEST || length_b > NEAREST_NAME_LONGEST)
    return NEAREST_NAME_LONGEST;
  int cost[NEAREST_NAME_LONGEST + 1][NEAREST_NAME_LONGEST + 1];
  for (size_t i = 0; i <= length_a; i++)
    cost[i][0] = (int)i;
  for (size_t j = 0; j <= length_b; j++)
    cost[0][j] = (int)j;
  for (size_t i = 1; i <= length_a; i++)
    for (size_t j = 1; j <= length_b; j++) {
      int differs = a[i - 1] != b[j - 1];
      cost[i][j] = least_of(cost[i - 1][j] + 1, cost[i][j - 1] + 1, cost[i - 1][j - 1] + differs);
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] && cost[i - 2][j - 2] + 1 < cost[i][j])
        cost[i][j] = cost[i - 2][j - 2] + 1;
    }
  return cost[length_a][length_b];
}

const char *asp_nearest_name(const char *word, const char *const *names, int count) {
  const char *best = NULL;
  int best_distance = (int)strlen(word) / 3 + 1;
  for (int i = 0; i < count; i++) {
    int distance = edit_distance(word, names[i]);
    bool common_start = strlen(word) >= 3 && strncmp(word, names[i], strlen(word)) == 0;
    if (common_start && distance > 1)
      distance = 1;
    if (distance <= best_distance && (!best || distance < best_distance)) {
      best = names[i];
      best_distance = distance;
    }
  }
  return best;
}
