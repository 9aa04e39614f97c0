/* collide: pairs of owners that are excluded have no contacts, all others keep theirs. */
#include "asperity/collide.h"
#include "testing.h"

enum { COUNT = 24, PAIRS = 60 };

typedef struct Heap {
  AspShape ball;
  AspCollider colliders[COUNT];
  int pairs[PAIRS][2];
  bool excluded[COUNT][COUNT];
} Heap;

/* Balls that all overlap, one per owner; pairs drawn in either order, some of them twice, owners far apart in number. */
static void draw(Heap *heap, uint64_t seed, int owner_step) {
  AspRandom random = {.state = seed};
  *heap = (Heap){.ball = {.kind = ASP_SHAPE_SPHERE, .radius = 1}};
  for (int i = 0; i < COUNT; i++) {
    AspCollider *c = &heap->colliders[i];
    *c = (AspCollider){.shape = &heap->ball, .owner = owner_step * i, .group = 1, .mask = ~UINT32_C(0)};
    c->pose.orientation.w = 1;
    c->pose.position.x = 0.01 * i;
    c->pose.position.y = 0.001 * i * i;
  }
  for (int k = 0; k < PAIRS; k++) {
    int a = (int)(asp_random_bits(&random) % COUNT), b = (int)(asp_random_bits(&random) % COUNT);
    heap->pairs[k][0] = owner_step * a;
    heap->pairs[k][1] = owner_step * b;
    heap->excluded[a][b] = heap->excluded[b][a] = true;
  }
}

/* Exactly the pairs that are not excluded touch. */
static void assert_contacts(AspContext *context, AspCollision *collision, const Heap *heap, bool any_excluded) {
  const AspContact *contacts;
  int count;
  bool found[COUNT][COUNT] = {0};
  assert_ok(context, asp_collision_find(collision, heap->colliders, COUNT, 0, &contacts, &count));
  for (int k = 0; k < count; k++)
    found[contacts[k].collider_a][contacts[k].collider_b] = found[contacts[k].collider_b][contacts[k].collider_a] =
        true;
  for (int i = 0; i < COUNT; i++)
    for (int j = 0; j < COUNT; j++)
      assert_int_equal(found[i][j], i != j && !(any_excluded && heap->excluded[i][j]));
}

static void excluded_pairs_alone_have_no_contacts(void **state) {
  (void)state;
  AspContext *context = asp_context_create(NULL);
  for (uint64_t seed = 1; seed <= 20; seed++) {
    Heap heap;
    AspCollision *collision;
    draw(&heap, seed, seed % 2 ? 1 : 1000003);
    assert_ok(context, asp_collision_create(context, 3, &collision));
    assert_contacts(context, collision, &heap, false);
    assert_ok(context, asp_collision_exclude(collision, (const int(*)[2])heap.pairs, PAIRS));
    assert_contacts(context, collision, &heap, true);
    assert_contacts(context, collision, &heap, true); // and again, from what was kept
    assert_ok(context, asp_collision_exclude(collision, NULL, 0));
    assert_contacts(context, collision, &heap, false);
    asp_collision_destroy(collision);
  }
  asp_context_destroy(context);
}

static void negative_count_is_refused(void **state) {
  (void)state;
  AspContext *context = asp_context_create(NULL);
  AspCollision *collision;
  assert_ok(context, asp_collision_create(context, 3, &collision));
  assert_int_equal(asp_collision_exclude(collision, NULL, -1), ASP_ERROR_ARGUMENT);
  assert_string_equal(asp_context_message(context), "exclude: -1 pairs, expected >= 0");
  asp_collision_destroy(collision);
  asp_context_destroy(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(excluded_pairs_alone_have_no_contacts),
      cmocka_unit_test(negative_count_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
