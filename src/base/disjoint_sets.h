/* Disjoint sets of the numbers 0 .. n - 1 that get united: parent[i] is another member of i's set, or i itself, which
 * is then the smallest member and stands for the set. At first every number is a set: parent[i] = i. */
#ifndef ASP_BASE_DISJOINT_SETS_H
#define ASP_BASE_DISJOINT_SETS_H

/* The smallest member of i's set; halves the path on the way. */
static inline int asp_set_of(int *parent, int i) {
  while (parent[i] != i)
    i = parent[i] = parent[parent[i]];
  return i;
}

static inline void asp_unite_sets(int *parent, int i, int j) {
  int a = asp_set_of(parent, i), b = asp_set_of(parent, j);
  if (a < b)
    parent[b] = a;
  else
    parent[a] = b;
}

#endif
