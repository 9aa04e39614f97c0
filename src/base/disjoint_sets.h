/* Disjoint sets of the numbers 0 .. n - 1 that get united (islands of bodies, components of a matrix), and lists of
 * their members.
 *
 * parent[i] is another member of i's set, or i itself, which is then the smallest member and stands for the set. */
#ifndef ASP_BASE_DISJOINT_SETS_H
#define ASP_BASE_DISJOINT_SETS_H

/* Every number is a set of its own. */
static inline void asp_sets_begin(int n, int *parent) {
  for (int i = 0; i < n; i++)
    parent[i] = i;
}

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

/* Number the sets in the order of their smallest members: number[i] of i's set; how many there are. */
int asp_sets_number(int n, int *parent, int *number);

/* Members 0 .. n - 1 listed by owner (0 .. owners - 1; negative: in no list), ascending within an owner: those of owner
 * k are member[start[k]] to member[start[k + 1] - 1]. start (owners + 1) comes in as zeros. */
void asp_list_by_owner(int n, const int *owner, int owners, int *start, int *member);

#endif
