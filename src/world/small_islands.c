/* The islands of a step's contact problem that are small enough to be searched, without listing the large ones.
 *
 * Blocks join the free bodies that they act on. A set of bodies is a root with its members in a ring, and a number of
 * blocks with modes; as soon as that passes the limit, its members are marked as large and the set is not followed any
 * further. In a pile nearly all bodies are marked after their first few contacts, and every block between two of them
 * is passed over.
 */
#include "base/disjoint_sets.h"
#include "world/uniqueness.h"

typedef struct Sets {
  const StepView *view;
  const AspFormulation *formulation;
  int most;
  bool *large;   /* bodies */
  int *parent;   /* bodies that are not large */
  int *next;     /* the same: ring of the members of a set */
  int *modes;    /* roots: blocks with modes */
  int *island;   /* roots: number of their island, -1: none yet */
  int *followed; /* blocks that joined sets, or changed them, in ascending order */
  int count;     /* of them */
} Sets;

static AspError begin(Sets *sets, AspArena *arena) {
  int bodies = asp_model_body_count(sets->view->model);
  sets->large = ASP_TAKE(arena, bool, bodies);
  sets->parent = ASP_TAKE_UNCLEARED(arena, int, bodies);
  sets->next = ASP_TAKE_UNCLEARED(arena, int, bodies);
  sets->modes = ASP_TAKE(arena, int, bodies);
  sets->island = ASP_TAKE_UNCLEARED(arena, int, bodies);
  sets->followed = ASP_TAKE_UNCLEARED(arena, int, sets->formulation->blocks);
  if (!sets->large || !sets->parent || !sets->next || !sets->modes || !sets->island || !sets->followed)
    return ASP_ERROR_MEMORY;
  for (int body = 0; body < bodies; body++) {
    sets->parent[body] = sets->next[body] = body;
    sets->island[body] = -1;
  }
  return ASP_OK;
}

static void mark_large(Sets *sets, int body) {
  for (int member = body; !sets->large[member]; member = sets->next[member])
    sets->large[member] = true;
}

static int unite(Sets *sets, int a, int b) {
  int first = asp_set_of(sets->parent, a), second = asp_set_of(sets->parent, b);
  if (first == second)
    return first;
  asp_unite_sets(sets->parent, first, second);
  int root = first < second ? first : second, next = sets->next[first];
  sets->modes[root] = sets->modes[first] + sets->modes[second];
  sets->next[first] = sets->next[second];
  sets->next[second] = next;
  return root;
}

/* A block with this many modes on these bodies; -1 in place of one that is not free. */
static void join(Sets *sets, int a, int b, int modes) {
  a = a < 0 ? b : a;
  b = b < 0 ? a : b;
  if (sets->large[a] || sets->large[b]) {
    mark_large(sets, sets->large[a] ? b : a);
    return;
  }
  int root = unite(sets, a, b);
  sets->modes[root] += modes;
  if (sets->modes[root] > sets->most)
    mark_large(sets, root);
}

/* The bodies that a block acts on, -1: not free. */
static void bodies_of(const Sets *sets, int block, int body[2]) {
  const AspBlockTag *tag = &sets->formulation->tag[block];
  const AspRow *row = tag->body_a >= 0 ? NULL : &sets->formulation->row[sets->formulation->offset[block]];
  body[0] = row ? row->body_a : tag->body_a;
  body[1] = row ? row->body_b : tag->body_b;
  for (int side = 0; side < 2; side++)
    body[side] = sets->view->geometry->body_free[body[side]] ? body[side] : -1;
}

static bool both_large(const Sets *sets, const int body[2]) {
  return (body[0] < 0 || sets->large[body[0]]) && (body[1] < 0 || sets->large[body[1]]);
}

/* The bodies of a row with several parts. */
static void join_parts(Sets *sets, const AspRow *row) {
  const bool *is_free = sets->view->geometry->body_free;
  int head = is_free[row->body_a] ? row->body_a : row->body_b;
  for (const AspRow *part = row->more; part; part = part->more)
    join(sets, head, is_free[part->body_a] ? part->body_a : part->body_b, 0);
}

/* All blocks; false: one acts on no free body. What cannot be enumerated counts as too many modes. */
static bool join_blocks(Sets *sets) {
  const AspFormulation *formulation = sets->formulation;
  for (int b = 0; b < formulation->blocks; b++) {
    const AspLaw *law = &formulation->law[b];
    int body[2];
    if (formulation->offset[b] == formulation->offset[b + 1])
      continue;
    bodies_of(sets, b, body);
    if (body[0] < 0 && body[1] < 0)
      return false;
    if (formulation->tag[b].body_a < 0)
      join_parts(sets, &formulation->row[formulation->offset[b]]);
    if (both_large(sets, body))
      continue;
    sets->followed[sets->count++] = b;
    join(sets, body[0], body[1], law->kind == ASP_LAW_EQUALITY ? 0 : asp_law_is_enumerated(law) ? 1 : sets->most + 1);
  }
  return true;
}

/* The island of a body, -1: none that is small and has modes. */
static int island_of(const Sets *sets, int body) {
  return sets->large[body] ? -1 : sets->island[asp_set_of(sets->parent, body)];
}

/* Numbers for the small islands in the order of their first blocks. */
static int number_islands(Sets *sets) {
  int count = 0;
  for (int i = 0; i < sets->count; i++) {
    int body[2];
    bodies_of(sets, sets->followed[i], body);
    int one = body[0] < 0 ? body[1] : body[0], root = sets->large[one] ? -1 : asp_set_of(sets->parent, one);
    if (root >= 0 && sets->modes[root] > 0 && sets->island[root] < 0)
      sets->island[root] = count++;
  }
  return count;
}

/* Members counted into start (islands + 1), then put in their places by a second pass. */
static void count_up(int islands, int *start) {
  for (int k = 0; k < islands; k++)
    start[k + 1] += start[k];
}

static AspError list_islands(const Sets *sets, AspArena *arena, AspIslands *islands) {
  const AspModel *model = sets->view->model;
  int n = asp_body_velocities(asp_model_dimension(model)), bodies = asp_model_body_count(model), body[2];
  int *next = ASP_TAKE(arena, int, islands->count), *next_dof = ASP_TAKE(arena, int, islands->count);
  islands->start = ASP_TAKE(arena, int, islands->count + 1);
  islands->dof_start = ASP_TAKE(arena, int, islands->count + 1);
  islands->block = ASP_TAKE_UNCLEARED(arena, int, sets->count);
  islands->dof = ASP_TAKE_UNCLEARED(arena, int, asp_model_dof_count(model));
  islands->place_of_dof = ASP_TAKE_UNCLEARED(arena, int, asp_model_dof_count(model));
  islands->bodies = sets->formulation->problem.bodies;
  islands->place_of_body = ASP_TAKE_UNCLEARED(arena, int, islands->bodies.count);
  if (!next || !next_dof || !islands->start || !islands->dof_start || !islands->block || !islands->dof ||
      !islands->place_of_dof || !islands->place_of_body)
    return ASP_ERROR_MEMORY;
  for (int pass = 0; pass < 2; pass++) {
    for (int i = 0; i < sets->count; i++) {
      bodies_of(sets, sets->followed[i], body);
      int k = island_of(sets, body[0] < 0 ? body[1] : body[0]);
      if (k >= 0 && pass == 0)
        islands->start[k + 1]++;
      else if (k >= 0)
        islands->block[islands->start[k] + next[k]++] = sets->followed[i];
    }
    for (int i = 0; i < bodies; i++) {
      int k = sets->view->geometry->body_free[i] ? island_of(sets, i) : -1;
      if (k >= 0 && pass == 0)
        islands->dof_start[k + 1] += n;
      for (int d = 0; k >= 0 && pass == 1 && d < n; d++)
        islands->dof[islands->dof_start[k] + next_dof[k]++] = asp_model_body_dof(model, i) + d;
    }
    count_up(pass == 0 ? islands->count : 0, islands->start);
    count_up(pass == 0 ? islands->count : 0, islands->dof_start);
  }
  return ASP_OK;
}

AspError asp_small_islands(const StepView *view, AspArena *arena, const AspFormulation *formulation, int most,
                           AspIslands *islands, bool *beyond, bool *told) {
  Sets sets = {.view = view, .formulation = formulation, .most = most};
  const AspModel *model = view->model;
  *islands = (AspIslands){0};
  *beyond = false;
  *told = asp_model_stiff_count(model) == 0 && asp_model_beam_count(model) == 0 && formulation->couplings == 0;
  if (!*told)
    return ASP_OK;
  ASP_TRY(begin(&sets, arena));
  *told = join_blocks(&sets);
  for (int body = 0; *told && body < asp_model_body_count(model); body++)
    *beyond = *beyond || sets.large[body];
  islands->count = *told ? number_islands(&sets) : 0;
  return islands->count > 0 ? list_islands(&sets, arena, islands) : ASP_OK;
}
