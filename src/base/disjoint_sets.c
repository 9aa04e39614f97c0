/* Numbers of sets and lists of their members: see disjoint_sets.h. */
#include "base/disjoint_sets.h"

int asp_sets_number(int n, int *parent, int *number) {
  int count = 0;
  for (int i = 0; i < n; i++) { // a root is the smallest of its set: it has its number before the others ask
    int root = asp_set_of(parent, i);
    number[i] = root == i ? count++ : number[root];
  }
  return count;
}

/* The end of the run of equal owners from i on. */
static int run_end(int n, const int *owner, int i) {
  int end = i + 1;
  while (end < n && owner[end] == owner[i])
    end++;
  return end;
}

/* By counting. Owners mostly come in long runs, so each run is looked up once. */
void asp_list_by_owner(int n, const int *owner, int owners, int *start, int *member) {
  for (int i = 0, end; i < n; i = end) {
    end = run_end(n, owner, i);
    if (owner[i] >= 0)
      start[owner[i] + 1] += end - i;
  }
  for (int k = 0; k < owners; k++)
    start[k + 1] += start[k];
  for (int i = 0, end; i < n; i = end) { // start[k] walks up to start[k + 1], then is put back
    end = run_end(n, owner, i);
    int at = owner[i] >= 0 ? start[owner[i]] : 0;
    for (int k = i; k < end && owner[i] >= 0; k++)
      member[at++] = k;
    if (owner[i] >= 0)
      start[owner[i]] = at;
  }
  for (int k = owners; k > 0; k--)
    start[k] = start[k - 1];
  start[0] = 0;
}
