/* collide: many points of one face are reduced to few that span it, the deepest among them. */
#include "base/constants.h"
#include "collide/manifold.h"
#include "collide/scenes.h"

enum { INNER = 8, MOST = 5, CORNERS = 8 };

/* A point of the plane across n, moved by `shift`; found again by its feature. */
static AspContact point_at(AspVec3 n, AspVec3 shift, double x, double y, double gap, int number) {
  AspVec3 t1, t2;
  tangents3(n, &t1, &t2);
  AspVec3 point = add3(shift, add3(scale3(x, t1), scale3(y, t2)));
  return (AspContact){.point_a = point, .point_b = point, .normal = n, .gap = gap, .feature = (uint32_t)number};
}

/* The four corners of a square and the deepest point inside it are kept, in the order in which they came. */
static void corners_and_deepest_point_are_kept(void **state) {
  (void)state;
  AspRandom random = {.state = 5};
  for (int round = 0; round < 200; round++) {
    AspContact contacts[4 + INNER];
    AspVec3 n = unit3(random_vector(&random, 3)), shift = scale3(10, random_vector(&random, 3));
    int place[4], deepest = -1, count = 4 + INNER, corner = 0;
    double least = 0;
    for (int k = 0; k < count; k++) {
      bool is_corner = corner < 4 && (count - k == 4 - corner || asp_random_uniform(&random, 0, 1) < 0.3);
      double x = asp_random_uniform(&random, -0.9, 0.9), y = asp_random_uniform(&random, -0.9, 0.9);
      double gap = is_corner ? 0 : -asp_random_uniform(&random, 0.1, 1);
      if (is_corner) {
        x = corner == 0 || corner == 3 ? -1 : 1;
        y = corner < 2 ? -1 : 1;
        place[corner++] = k;
      }
      if (gap < least) {
        least = gap;
        deepest = k;
      }
      contacts[k] = point_at(n, shift, x, y, gap, k);
    }
    assert_int_equal(asp_manifold_reduce(contacts, count, n, count), count); // few enough
    assert_int_equal(asp_manifold_reduce(contacts, count, n, MOST), MOST);
    bool kept[4 + INNER] = {0};
    for (int k = 0; k < MOST; k++) {
      kept[contacts[k].feature] = true;
      assert_true(k == 0 || contacts[k].feature > contacts[k - 1].feature);
    }
    for (int k = 0; k < 4; k++)
      assert_true(kept[place[k]]);
    assert_true(kept[deepest]);
  }
}

/* Corners of an ellipse, counterclockwise, dropped one after the other where the triangle with their neighbours is least,
 * but not the deepest one. */
static int drop_least(const double (*at)[2], int count, int left, int deepest, int *corner) {
  for (int k = 0; k < count; k++)
    corner[k] = k;
  for (; count > left; count--) {
    int drop = -1;
    double least = INFINITY;
    for (int k = 0; k < count; k++) {
      const double *p = at[corner[(k + count - 1) % count]], *q = at[corner[k]], *r = at[corner[(k + 1) % count]];
      double area = (q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0]);
      if (area < least && corner[k] != deepest) {
        least = area;
        drop = k;
      }
    }
    for (int k = drop; k + 1 < count; k++)
      corner[k] = corner[k + 1];
  }
  return count;
}

static void corners_that_span_least_are_dropped(void **state) {
  (void)state;
  AspRandom random = {.state = 6};
  for (int round = 0; round < 200; round++) {
    AspContact contacts[CORNERS];
    double at[CORNERS][2];
    AspVec3 n = unit3(random_vector(&random, 3));
    int deepest = round % CORNERS, corner[CORNERS];
    bool expected[CORNERS] = {0};
    for (int k = 0; k < CORNERS; k++) {
      double angle = 2 * ASP_PI * (k + asp_random_uniform(&random, 0, 0.8)) / CORNERS;
      at[k][0] = 2 * cos(angle);
      at[k][1] = sin(angle);
      contacts[k] = point_at(n, vec3(1, 2, 3), at[k][0], at[k][1], k == deepest ? -1 : 0, k);
    }
    int left = drop_least((const double(*)[2])at, CORNERS, MOST - 1, deepest, corner);
    expected[deepest] = true;
    for (int k = 0; k < left; k++)
      expected[corner[k]] = true;
    int count = asp_manifold_reduce(contacts, CORNERS, n, MOST);
    for (int k = 0; k < count; k++) {
      assert_true(expected[contacts[k].feature]);
      expected[contacts[k].feature] = false;
    }
    for (int k = 0; k < CORNERS; k++)
      assert_false(expected[k]); // found
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(corners_and_deepest_point_are_kept),
      cmocka_unit_test(corners_that_span_least_are_dropped),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
