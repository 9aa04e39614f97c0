/* base: sets that get united, their numbers and the lists of their members. */
#include "base/disjoint_sets.h"

#include "testing.h"

#define MOST 40

static void sets_are_numbered_in_the_order_of_their_smallest_members(void **state) {
  (void)state;
  AspRandom random = {7};
  for (int round = 0; round < 200; round++) {
    int n = 1 + round % MOST, parent[MOST], number[MOST], next = 0;
    asp_sets_begin(n, parent);
    for (int i = 0; i < n / 2; i++)
      asp_unite_sets(parent, (int)asp_random_uniform(&random, 0, n), (int)asp_random_uniform(&random, 0, n));
    int count = asp_sets_number(n, parent, number);
    for (int i = 0; i < n; i++) {
      bool first = asp_set_of(parent, i) == i;
      assert_int_equal(number[i], first ? next : number[asp_set_of(parent, i)]);
      next += first;
    }
    assert_int_equal(count, next);
  }
}

static void every_member_stands_in_its_owners_list_in_ascending_order(void **state) {
  (void)state;
  AspRandom random = {8};
  for (int round = 0; round < 200; round++) {
    int n = round % MOST, owners = 1 + round % 5, owner[MOST], start[6] = {0}, member[MOST], listed = 0, without = 0;
    for (int i = 0; i < n; i++)
      owner[i] = (int)asp_random_uniform(&random, 0, owners + 1) - 1;
    asp_list_by_owner(n, owner, owners, start, member);
    assert_int_equal(start[0], 0);
    for (int k = 0; k < owners; k++)
      for (int m = start[k]; m < start[k + 1]; m++, listed++) {
        assert_int_equal(owner[member[m]], k);
        assert_true(m == start[k] || member[m] > member[m - 1]);
      }
    for (int i = 0; i < n; i++)
      without += owner[i] < 0;
    assert_int_equal(listed + without, n);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sets_are_numbered_in_the_order_of_their_smallest_members),
      cmocka_unit_test(every_member_stands_in_its_owners_list_in_ascending_order),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
