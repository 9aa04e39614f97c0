/* collide: the contact list of a moving scene equals that of trying all pairs and resolving their seams, whatever
 * happened before. */
#include "base/parallel.h"
#include "collide/scenes.h"
#include "collide/seam.h"
#include "failing_allocator.h"

#define COUNT 300

typedef struct Scene {
  AspShape shapes[COUNT];
  AspCollider colliders[COUNT];
} Scene;

static void fill(Scene *scene, AspRandom *random, const Hulls *hulls, int dimension) {
  for (int i = 0; i < COUNT; i++) {
    AspShapeKind kind = dimension == 3 ? kinds_3d[(int)asp_random_uniform(random, 0, KINDS_3D)]
                                       : kinds_2d[(int)asp_random_uniform(random, 0, KINDS_2D)];
    bool plane = kind == ASP_SHAPE_HALF_SPACE || kind == ASP_SHAPE_HALF_PLANE;
    if (plane && i > 10)
      kind = ASP_SHAPE_BOX;
    scene->shapes[i] = random_shape(random, hulls, kind, pow(10, asp_random_uniform(random, -2, 0.5)));
    AspCollider *c = &scene->colliders[i];
    *c = (AspCollider){.shape = &scene->shapes[i], .owner = i / 2, .immobile = i % 7 == 0, .mask = ~UINT32_C(0)};
    c->group = UINT32_C(1) << i % 3;
    c->mask = i % 5 ? ~UINT32_C(0) : UINT32_C(3);
    c->pose.position = scale3(3, random_vector(random, dimension));
    c->pose.orientation = random_turn(random, dimension);
  }
}

/* A few jump, some creep, the rest stay; now and then a filter changes. */
static void stir(Scene *scene, AspRandom *random, int dimension, int round) {
  for (int i = 0; i < COUNT; i++) {
    AspCollider *c = &scene->colliders[i];
    double choice = asp_random_uniform(random, 0, 1), step = choice < 0.1 ? 1 : choice < 0.5 ? 0.01 : 0;
    c->pose.position = axpy3(c->pose.position, step, random_vector(random, dimension));
    if (round % 4 == 3 && choice > 0.97)
      c->group = UINT32_C(1) << (i + round) % 3;
  }
}

static bool allowed(const AspCollider *a, const AspCollider *b) {
  return a->owner != b->owner && !(a->immobile && b->immobile) && (a->group & b->mask) != 0 &&
         (b->group & a->mask) != 0;
}

/* The contacts of all pairs, without those of seams. */
static void compare_with_all_pairs(AspContext *context, const Scene *scene, int count, int dimension, double margin,
                                   const AspContact *contacts, int contact_count) {
  static AspContact all[COUNT * COUNT];
  int total = 0;
  for (int i = 0; i < count; i++)
    for (int j = i + 1; j < count; j++) {
      if (!allowed(&scene->colliders[i], &scene->colliders[j]))
        continue;
      int found = asp_collide_pair(dimension, &scene->colliders[i], &scene->colliders[j], margin, all + total);
      for (int k = 0; k < found; k++, total++) {
        assert_true(total + ASP_MANIFOLD_MAX < COUNT * COUNT);
        all[total].collider_a = i;
        all[total].collider_b = j;
      }
    }
  Seams seams = {.context = context, .dimension = dimension};
  const AspContact *expected = all;
  assert_ok(context, asp_seams_resolve(&seams, scene->colliders, margin, &expected, &total));
  assert_int_equal(total, contact_count);
  for (int i = 0; i < total; i++) {
    assert_int_equal(contacts[i].collider_a, expected[i].collider_a);
    assert_int_equal(contacts[i].collider_b, expected[i].collider_b);
    assert_int_equal(contacts[i].feature, expected[i].feature);
    assert_memory_equal(&contacts[i].point_a, &expected[i].point_a, sizeof(AspVec3));
    assert_memory_equal(&contacts[i].gap, &expected[i].gap, sizeof(double));
  }
  asp_seams_free(&seams);
}

typedef struct Motion {
  AspContext *context;
  int dimension;
} Motion;

static void move_scene(void *data) {
  const Motion *motion = data;
  AspContext *context = motion->context;
  int dimension = motion->dimension, total = 0;
  Hulls hulls = make_hulls(context);
  AspRandom random = {(uint64_t)(40 + dimension)};
  static Scene scene;
  fill(&scene, &random, &hulls, dimension);
  AspCollision *collision;
  assert_ok(context, asp_collision_create(context, dimension, &collision));
  for (int round = 0; round < 24; round++) {
    const AspContact *contacts;
    int count = round == 10 ? COUNT / 2 : COUNT, found; // half of them gone for once
    double margin = round % 3 * 0.02;
    assert_ok(context, asp_collision_find(collision, scene.colliders, count, margin, &contacts, &found));
    compare_with_all_pairs(context, &scene, count, dimension, margin, contacts, found);
    total += found;
    stir(&scene, &random, dimension, round);
  }
  assert_true(total > 1000);
  asp_collision_destroy(collision);
  free_hulls(context, &hulls);
}

/* By any number of threads, also more than processors. */
static void moving_scene_has_the_contacts_of_all_pairs(int dimension) {
  const int threads[] = {1, 8};
  for (int t = 0; t < 2; t++) {
    AspContext *context = asp_context_create(NULL);
    asp_team_run(context, threads[t], move_scene, &(Motion){context, dimension});
    assert_int_equal(asp_context_memory_in_use(context), 0);
    asp_context_destroy(context);
  }
}

static void moving_3d_scene_has_the_contacts_of_all_pairs(void **state) {
  (void)state;
  moving_scene_has_the_contacts_of_all_pairs(3);
}

static void moving_2d_scene_has_the_contacts_of_all_pairs(void **state) {
  (void)state;
  moving_scene_has_the_contacts_of_all_pairs(2);
}

static void after_reserve_a_moving_scene_allocates_nothing(void **state) {
  (void)state;
  AspContext *context = asp_context_create(NULL);
  enum { BALLS = 200 };
  AspShape sphere = {.kind = ASP_SHAPE_SPHERE, .radius = 0.5}, plane = {.kind = ASP_SHAPE_HALF_SPACE};
  AspCollider colliders[BALLS + 1];
  AspRandom random = {8};
  for (int i = 0; i <= BALLS; i++)
    colliders[i] = (AspCollider){.shape = i < BALLS ? &sphere : &plane,
                                 .pose = {scale3(2, random_vector(&random, 3)), quat_identity()},
                                 .owner = i,
                                 .group = 1,
                                 .mask = 1};
  AspCollision *collision;
  assert_ok(context, asp_collision_create(context, 3, &collision));
  assert_ok(context, asp_collision_reserve(collision, BALLS + 1, 2000));
  uint64_t calls = asp_context_allocation_count(context);
  for (int round = 0; round < 20; round++) {
    const AspContact *contacts;
    int found;
    assert_ok(context, asp_collision_find(collision, colliders, BALLS + 1, 0.1, &contacts, &found));
    assert_true(found > 0 && found < 2000);
    for (int i = 0; i < BALLS; i++)
      colliders[i].pose.position = axpy3(colliders[i].pose.position, 0.1, random_vector(&random, 3));
  }
  assert_int_equal(asp_context_allocation_count(context), calls);
  asp_collision_destroy(collision);
  asp_context_destroy(context);
}

static void no_collider_has_no_contact(void **state) {
  (void)state;
  AspContext *context = asp_context_create(NULL);
  AspCollision *collision;
  assert_ok(context, asp_collision_create(context, 3, &collision));
  const AspContact *contacts;
  int found = 1;
  for (int round = 0; round < 2; round++) {
    assert_ok(context, asp_collision_find(collision, NULL, 0, 0.1, &contacts, &found));
    assert_int_equal(found, 0);
  }
  assert_int_equal(asp_collision_find(collision, NULL, -1, 0.1, &contacts, &found), ASP_ERROR_ARGUMENT);
  asp_collision_destroy(collision);
  asp_context_destroy(context);
}

static void every_kth_allocation_failure_is_clean(void **state) {
  (void)state;
  enum { BALLS = 60 };
  AspShape sphere = {.kind = ASP_SHAPE_SPHERE, .radius = 0.5};
  AspCollider colliders[BALLS];
  AspRandom random = {8};
  for (int i = 0; i < BALLS; i++)
    colliders[i] = (AspCollider){
        .shape = &sphere, .pose = {random_vector(&random, 3), quat_identity()}, .owner = i, .group = 1, .mask = 1};
  bool done = false;
  for (int k = 1; !done && k < 200; k++) {
    FailingAllocator failing;
    AspContext *context = failing_context(&failing);
    assert_non_null(context);
    failing.until_failure = k - 1;
    AspCollision *collision = NULL;
    const AspContact *contacts;
    int found = 0;
    if (asp_collision_create(context, 3, &collision) == ASP_OK) {
      AspError error = asp_collision_find(collision, colliders, BALLS, 0, &contacts, &found);
      done = error == ASP_OK;
      assert_true(done || error == ASP_ERROR_MEMORY);
      failing.until_failure = -1; // memory is back: the same object must find everything
      assert_ok(context, asp_collision_find(collision, colliders, BALLS, 0, &contacts, &found));
      assert_true(found > BALLS);
    }
    asp_collision_destroy(collision);
    assert_int_equal(asp_context_memory_in_use(context), 0);
    asp_context_destroy(context);
  }
  assert_true(done);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(moving_3d_scene_has_the_contacts_of_all_pairs),
      cmocka_unit_test(moving_2d_scene_has_the_contacts_of_all_pairs),
      cmocka_unit_test(after_reserve_a_moving_scene_allocates_nothing),
      cmocka_unit_test(no_collider_has_no_contact),
      cmocka_unit_test(every_kth_allocation_failure_is_clean),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
