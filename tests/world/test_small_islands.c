/* Islands that are small enough to be searched, against the islands of the whole problem (solver/islands.h). */
#include "linalg/vec3.h"
#include "testing.h"
#include "world/uniqueness.h"

enum { BODIES = 40, MOST_CONTACTS = 70 };

/* Bodies, some of them fixed, hinges between some of them, and contacts between any. */
typedef struct Heap {
  AspContext *context;
  AspModel *model;
  AspState state;
  AspArena arena;
  bool free[BODIES];
  AspContactFrame frames[MOST_CONTACTS];
  AspFormulation formulation;
} Heap;

static int pick(AspRandom *random, int count) { return (int)(asp_random_bits(random) % (uint64_t)count); }

static void add_bodies(Heap *heap, AspRandom *random) {
  for (int i = 0; i < BODIES; i++) {
    AspBodyDef def = asp_body_default();
    int body;
    def.kind = i % 7 == 0 ? ASP_BODY_FIXED : ASP_BODY_DYNAMIC;
    def.mass = 1;
    def.inertia = mat3_diagonal(0.4, 0.4, 0.4);
    def.pose.position = vec3(i, 0, 0);
    heap->free[i] = def.kind == ASP_BODY_DYNAMIC;
    assert_ok(heap->context, asp_model_add_body(heap->model, &def, &body));
  }
  for (int i = pick(random, 6); i > 0; i--) {
    AspJointDef def = asp_joint_default();
    int joint;
    def.kind = ASP_JOINT_SPHERICAL;
    def.body_a = pick(random, BODIES);
    def.body_b = (def.body_a + 1 + pick(random, BODIES - 1)) % BODIES;
    if (heap->free[def.body_a] || heap->free[def.body_b])
      assert_ok(heap->context, asp_model_add_joint(heap->model, &def, &joint));
  }
  assert_ok(heap->context, asp_model_finish(heap->model));
  assert_ok(heap->context, asp_state_create(heap->model, &heap->state));
}

/* Most contacts are between the bodies of a few clusters, so that islands of all sizes appear. */
static int add_contacts(Heap *heap, AspRandom *random) {
  int count = pick(random, MOST_CONTACTS), made = 0;
  while (made < count) {
    int size = 2 + pick(random, 12), from = pick(random, BODIES - size);
    int a = from + pick(random, size), b = from + pick(random, size);
    if (a == b || (!heap->free[a] && !heap->free[b]))
      continue;
    heap->frames[made] = asp_contact_frame(3, vec3(0, 0, 1), vec3(0, 0, 0), vec3(a, 0, 0), vec3(b, 0, 0));
    heap->frames[made].body_a = a;
    heap->frames[made].body_b = b;
    heap->frames[made++].mu = pick(random, 2) ? 0.5 : 0;
  }
  return count;
}

static void open_heap(Heap *heap, uint64_t seed) {
  AspRandom random = {seed};
  AspFormulation *formulation = &heap->formulation;
  *heap = (Heap){.context = asp_context_create(NULL)};
  assert_ok(heap->context, asp_model_create(heap->context, 3, &heap->model));
  asp_arena_init(&heap->arena, heap->context);
  add_bodies(heap, &random);
  int count = add_contacts(heap, &random);
  double *known = ASP_TAKE(&heap->arena, double, asp_model_v_size(heap->model));
  AspStepTerms terms = {.level = ASP_LEVEL_POSITION, .dt = 0.01, .known_velocity = known};
  AspFrictionModel friction = {ASP_CONE_EXACT, 0, 0};
  assert_ok(heap->context, asp_formulation_begin(formulation, &heap->arena, heap->model, heap->frames, count));
  assert_ok(heap->context, asp_formulate_dynamics(formulation, &heap->state, &heap->state, 0.01, 1));
  assert_ok(heap->context, asp_formulate_joints(formulation, &heap->state, &heap->state, &friction, &terms));
  assert_ok(heap->context, asp_formulate_contacts(formulation, heap->frames, count, &friction, &heap->state, &terms));
  assert_ok(heap->context, asp_formulation_finish(formulation));
}

static void close_heap(Heap *heap) {
  asp_state_destroy(heap->model, &heap->state);
  asp_model_destroy(heap->model);
  asp_arena_free(&heap->arena);
  assert_int_equal(asp_context_memory_in_use(heap->context), 0);
  asp_context_destroy(heap->context);
}

static int modes_of(const AspContactProblem *problem, const AspIslands *all, int island) {
  int modes = 0;
  for (int i = all->start[island]; i < all->start[island + 1]; i++)
    modes += problem->law[all->block[i]].kind != ASP_LAW_EQUALITY;
  return modes;
}

static void assert_same_list(const int *start, const int *list, int k, const int *other_start, const int *other,
                             int j) {
  int count = start[k + 1] - start[k];
  assert_int_equal(count, other_start[j + 1] - other_start[j]);
  for (int i = 0; i < count; i++)
    assert_int_equal(list[start[k] + i], other[other_start[j] + i]);
}

static void small_islands_are_those_of_the_problem_that_have_few_contacts(void **state) {
  (void)state;
  int listed = 0, left_out = 0;
  for (uint64_t seed = 1; seed <= 200; seed++) {
    Heap heap;
    open_heap(&heap, seed);
    const AspContactProblem *problem = &heap.formulation.problem;
    ContactGeometry geometry = {.body_free = heap.free};
    StepView view = {.model = heap.model, .geometry = &geometry};
    for (int most = 1; most <= 12; most += 11) {
      AspIslands all, small;
      bool beyond, told, expected = false;
      int next = 0;
      assert_ok(heap.context, asp_islands_find(&heap.arena, problem, NULL, &all));
      assert_ok(heap.context, asp_small_islands(&view, &heap.arena, &heap.formulation, most, &small, &beyond, &told));
      assert_true(told);
      for (int k = 0; k < all.count; k++) {
        int modes = modes_of(problem, &all, k);
        expected = expected || modes > most;
        if (modes == 0 || modes > most)
          continue;
        assert_true(next < small.count);
        assert_same_list(all.start, all.block, k, small.start, small.block, next);
        assert_same_list(all.dof_start, all.dof, k, small.dof_start, small.dof, next++);
      }
      assert_int_equal(next, small.count);
      assert_int_equal(beyond, expected);
      listed += small.count;
      left_out += beyond;
    }
    close_heap(&heap);
  }
  assert_true(listed > 300 && left_out > 100); // both kinds are there
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(small_islands_are_those_of_the_problem_that_have_few_contacts),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
