/* Bodies and the blocks that act on them: see bodies.h. */
#include "problem/bodies.h"

#include "base/base.h"
#include "linalg/dimension.h"

/* ---- found ---- */

/* Lists of sets (components of M, or bodies) by block, none twice. */
typedef struct Lists {
  int *start; /* blocks + 1 */
  int *set;
} Lists;

/* The components that each block's columns have entries in. */
static AspError list_components(AspArena *arena, const AspContactProblem *problem, const AspComponents *components,
                                Lists *lists) {
  const AspSparse *H = &problem->H;
  int *seen = ASP_TAKE(arena, int, components->count), place = 0;
  lists->start = ASP_TAKE(arena, int, (size_t)problem->blocks + 1);
  lists->set = ASP_TAKE_UNCLEARED(arena, int, asp_sparse_entries(H));
  if (!seen || !lists->start || !lists->set)
    return ASP_ERROR_MEMORY;
  for (int i = 0; i < problem->blocks; i++) {
    for (int k = H->start[problem->offset[i]]; k < H->start[problem->offset[i + 1]]; k++) {
      int c = components->of[H->row[k]];
      if (seen[c] == i + 1)
        continue;
      seen[c] = i + 1;
      lists->set[place++] = c;
    }
    lists->start[i + 1] = place;
  }
  return ASP_OK;
}

static AspError turn_lists(AspArena *arena, int sets, int blocks, const int *start, const int *set,
                           AspBodyBlocks *turned) {
  turned->start = ASP_TAKE(arena, int, (size_t)sets + 2);
  turned->block = ASP_TAKE_UNCLEARED(arena, int, start[blocks]);
  if (!turned->start || !turned->block)
    return ASP_ERROR_MEMORY;
  int *next = turned->start + 1; // next[c] walks from the start of set c to its end
  for (int k = 0; k < start[blocks]; k++)
    next[set[k] + 1]++;
  for (int c = 0; c < sets; c++)
    next[c + 1] += next[c];
  for (int i = 0; i < blocks; i++)
    for (int k = start[i]; k < start[i + 1]; k++)
      turned->block[next[set[k]]++] = i;
  return ASP_OK;
}

/* Do the blocks of two components agree in more than half of the fewer ones? */
static bool are_alike(const AspBodyBlocks *blocks, int a, int b) {
  int i = blocks->start[a], end_i = blocks->start[a + 1];
  int j = blocks->start[b], end_j = blocks->start[b + 1];
  int fewer = end_i - i < end_j - j ? end_i - i : end_j - j, common = 0;
  while (i < end_i && j < end_j) {
    int difference = blocks->block[i] - blocks->block[j];
    common += difference == 0;
    i += difference <= 0;
    j += difference >= 0;
  }
  return 2 * common > fewer;
}

/* Components in a row become one body: those without blocks belong to the one before them. of_component receives the
 * bodies; start is shortened to them. How many. */
static int join_neighbours(const AspBodyBlocks *blocks, int limit, int components, int *start, int *of_component) {
  int bodies = 0, leader = -1; /* of the body that grows: its first component with blocks */
  for (int k = 0; k < components; k++) {
    bool empty = blocks->start[k] == blocks->start[k + 1];
    bool joins = bodies > 0 && start[k + 1] - start[bodies - 1] <= limit &&
                 (empty || (leader >= 0 && are_alike(blocks, leader, k)));
    if (!joins) {
      start[bodies++] = start[k];
      leader = -1;
    }
    if (!empty && leader < 0)
      leader = k;
    of_component[k] = bodies - 1;
  }
  start[bodies] = start[components];
  return bodies;
}

/* Components become bodies, in ascending order and none twice. Lists are short, and nearly in order. */
static void list_bodies(const Lists *lists, int blocks, const int *of_component) {
  int *set = lists->set, place = 0;
  for (int i = 0, from = 0; i < blocks; i++) {
    int first = place, end = lists->start[i + 1];
    for (int k = from; k < end; k++) {
      int body = of_component[set[k]], at = place;
      while (at > first && set[at - 1] > body)
        at--;
      if (at > first && set[at - 1] == body)
        continue;
      for (int l = place++; l > at; l--)
        set[l] = set[l - 1];
      set[at] = body;
    }
    lists->start[i] = first;
    from = end;
  }
  lists->start[blocks] = place;
}

static AspError find(AspArena *arena, const AspContactProblem *problem, const AspComponents *components,
                     AspProblemBodies *bodies) {
  int blocks = problem->blocks, count = components->count;
  Lists lists;
  AspBodyBlocks of_components;
  ASP_TRY(list_components(arena, problem, components, &lists));
  ASP_TRY(turn_lists(arena, count, blocks, lists.start, lists.set, &of_components));
  int *start = ASP_TAKE_UNCLEARED(arena, int, (size_t)count + 1), *of = ASP_TAKE_UNCLEARED(arena, int, problem->dofs);
  int *of_component = ASP_TAKE_UNCLEARED(arena, int, count);
  if (!start || !of || !of_component)
    return ASP_ERROR_MEMORY;
  memcpy(start, components->start, ((size_t)count + 1) * sizeof *start);
  count = join_neighbours(&of_components, asp_body_velocities(problem->dimension), count, start, of_component);
  for (int j = 0; j < problem->dofs; j++)
    of[j] = of_component[components->of[j]];
  list_bodies(&lists, blocks, of_component);
  *bodies = (AspProblemBodies){count, start, components->member, of, lists.start, lists.set};
  return ASP_OK;
}

/* ---- given ---- */

/* seen: dofs, scratch */
static AspError check_sets(AspContext *context, const AspProblemBodies *bodies, int dofs, bool *seen) {
  if (bodies->start[0] != 0 || bodies->start[bodies->count] != dofs)
    return asp_fail(context, ASP_ERROR_INPUT, "the bodies' dofs run from %d to %d, must run from 0 to dofs = %d",
                    bodies->start[0], bodies->start[bodies->count], dofs);
  for (int b = 0, last = -1; b < bodies->count; b++) {
    if (bodies->start[b + 1] <= bodies->start[b] || bodies->start[b + 1] > dofs)
      return asp_fail(context, ASP_ERROR_INPUT, "body %d has the dofs from %d to %d of the list, needs one at least", b,
                      bodies->start[b], bodies->start[b + 1] - 1);
    int first = bodies->dof[bodies->start[b]];
    for (int k = bodies->start[b]; k < bodies->start[b + 1]; k++) {
      int dof = bodies->dof[k];
      if (dof < 0 || dof >= dofs || seen[dof] || bodies->of[dof] != b)
        return asp_fail(context, ASP_ERROR_INPUT, "body %d: dof %d, must lie in 0 .. %d and belong to this body alone",
                        b, dof, dofs - 1);
      if (dof < first || first <= last)
        return asp_fail(context, ASP_ERROR_INPUT,
                        "body %d: dof %d, a body begins with its smallest one, and bodies stand in this order", b, dof);
      seen[dof] = true;
    }
    last = first;
  }
  return ASP_OK;
}

static AspError check_lists(AspContext *context, const AspProblemBodies *bodies, int blocks) {
  if (bodies->block_start[0] != 0)
    return asp_fail(context, ASP_ERROR_INPUT, "the blocks' bodies begin at %d, must begin at 0",
                    bodies->block_start[0]);
  for (int i = 0; i < blocks; i++)
    if (bodies->block_start[i + 1] < bodies->block_start[i])
      return asp_fail(context, ASP_ERROR_INPUT, "block %d: a negative number of bodies, %d", i,
                      bodies->block_start[i + 1] - bodies->block_start[i]);
  for (int i = 0; i < blocks; i++)
    for (int k = bodies->block_start[i], last = -1; k < bodies->block_start[i + 1]; k++) {
      int b = bodies->of_block[k];
      if (b <= last || b >= bodies->count)
        return asp_fail(context, ASP_ERROR_INPUT, "block %d: body %d, must lie in 0 .. %d and bodies must ascend", i, b,
                        bodies->count - 1);
      last = b;
    }
  return ASP_OK;
}

static AspError check_mass(AspContext *context, const AspComponents *components, const int *of) {
  for (int c = 0; c < components->count; c++)
    for (int k = components->start[c] + 1; k < components->start[c + 1]; k++) {
      int dof = components->member[k], other = components->member[k - 1];
      if (of[dof] != of[other])
        return asp_fail(context, ASP_ERROR_INPUT,
                        "M couples dof %d of body %d with dof %d of body %d: they must be one body", other, of[other],
                        dof, of[dof]);
    }
  return ASP_OK;
}

static AspError take_given(AspArena *arena, const AspContactProblem *problem, const AspComponents *components,
                           AspProblemBodies *bodies) {
  const AspProblemBodies *given = &problem->bodies;
  AspContext *context = arena->context;
  size_t dofs = (size_t)problem->dofs;
  if (!given->start || !given->dof || !given->of || !given->block_start || !given->of_block || given->count < 0 ||
      given->count > problem->dofs)
    return asp_fail(context, ASP_ERROR_INPUT, "%d bodies of %d dofs: arrays are missing, or the number is wrong",
                    given->count, problem->dofs);
  *bodies = *given;
  // as a rule every body is one component
  if (given->count != components->count ||
      memcmp(given->start, components->start, ((size_t)given->count + 1) * sizeof *given->start) != 0 ||
      memcmp(given->dof, components->member, dofs * sizeof *given->dof) != 0 ||
      memcmp(given->of, components->of, dofs * sizeof *given->of) != 0) {
    bool *seen = ASP_TAKE(arena, bool, dofs);
    if (!seen)
      return ASP_ERROR_MEMORY;
    ASP_TRY(check_sets(context, given, problem->dofs, seen));
    ASP_TRY(check_mass(context, components, given->of));
  }
  return check_lists(context, given, problem->blocks);
}

AspError asp_bodies_take(AspArena *arena, const AspContactProblem *problem, const AspComponents *components,
                         AspProblemBodies *bodies) {
  return problem->bodies.count != 0 ? take_given(arena, problem, components, bodies)
                                    : find(arena, problem, components, bodies);
}

AspError asp_bodies_find(AspArena *arena, const AspContactProblem *problem, AspProblemBodies *bodies) {
  AspComponents components;
  ASP_TRY(asp_sparse_components(arena, &problem->M, &components));
  return asp_bodies_take(arena, problem, &components, bodies);
}

/* The first entry of block i, in its columns before `column`, outside its bodies; -1: none. */
static int first_outside(const AspContactProblem *problem, const AspProblemBodies *bodies, int i, int column) {
  const AspSparse *H = &problem->H;
  int from = bodies->block_start[i], end = bodies->block_start[i + 1], known = -1;
  for (int e = H->start[problem->offset[i]]; e < H->start[column]; e++) {
    int b = bodies->of[H->row[e]], k = from;
    if (b == known) // the entries of a body come one after the other
      continue;
    while (k < end && bodies->of_block[k] != b)
      k++;
    if (k == end)
      return e;
    known = b;
  }
  return -1;
}

bool asp_bodies_hold(const AspContactProblem *problem, const AspProblemBodies *bodies, int from, int end) {
  for (int i = from; i < end; i++)
    if (first_outside(problem, bodies, i, problem->offset[i + 1]) >= 0)
      return false;
  return true;
}

bool asp_bodies_hold_alike(const AspContactProblem *problem, const AspProblemBodies *bodies, int i) {
  return first_outside(problem, bodies, i, problem->offset[i] + 1) < 0;
}

AspError asp_bodies_validate(AspContext *context, const AspContactProblem *problem) {
  AspArena arena;
  AspProblemBodies bodies;
  AspError error = ASP_OK;
  asp_arena_init(&arena, context);
  ASP_CHECK(asp_bodies_find(&arena, problem, &bodies));
  for (int i = 0; i < problem->blocks && error == ASP_OK; i++) {
    int e = first_outside(problem, &bodies, i, problem->offset[i + 1]);
    if (e >= 0)
      error = asp_fail(context, ASP_ERROR_INPUT, "block %d: H has an entry at dof %d of body %d, which is not listed",
                       i, problem->H.row[e], bodies.of[problem->H.row[e]]);
  }
done:
  asp_arena_free(&arena);
  return error;
}

/* ---- the other way round, and copies ---- */

AspError asp_body_blocks(AspArena *arena, const AspProblemBodies *bodies, int blocks, AspBodyBlocks *of_bodies) {
  return turn_lists(arena, bodies->count, blocks, bodies->block_start, bodies->of_block, of_bodies);
}

static int *copy_ints(AspContext *context, const int *from, int count) {
  int *copy = asp_allocate(context, (size_t)count, sizeof *copy);
  if (copy && count > 0)
    memcpy(copy, from, (size_t)count * sizeof *copy);
  return copy;
}

void asp_bodies_release(AspContext *context, AspProblemBodies *bodies) {
  asp_release(context, bodies->start);
  asp_release(context, bodies->dof);
  asp_release(context, bodies->of);
  asp_release(context, bodies->block_start);
  asp_release(context, bodies->of_block);
  *bodies = (AspProblemBodies){0};
}

AspError asp_bodies_copy(AspContext *context, int dofs, int blocks, const AspProblemBodies *from,
                         AspProblemBodies *to) {
  *to = (AspProblemBodies){.count = from->count};
  if (from->count == 0)
    return ASP_OK;
  to->start = copy_ints(context, from->start, from->count + 1);
  to->dof = copy_ints(context, from->dof, dofs);
  to->of = copy_ints(context, from->of, dofs);
  to->block_start = copy_ints(context, from->block_start, blocks + 1);
  to->of_block = copy_ints(context, from->of_block, from->block_start[blocks]);
  if (to->start && to->dof && to->of && to->block_start && to->of_block)
    return ASP_OK;
  asp_bodies_release(context, to);
  return ASP_ERROR_MEMORY;
}

AspError asp_problem_set_bodies(AspContext *context, AspContactProblem *problem, const AspProblemBodies *bodies) {
  if (problem->dofs == 0)
    return asp_fail(context, ASP_ERROR_ARGUMENT, "the problem has no global form (dofs = 0), and so no bodies");
  AspContactProblem trial = *problem;
  AspArena arena;
  AspProblemBodies copy = {0};
  AspError error = ASP_OK;
  asp_arena_init(&arena, context);
  trial.bodies = bodies ? *bodies : copy;
  ASP_CHECK(asp_problem_validate(context, &trial));
  if (!bodies)
    ASP_CHECK(asp_bodies_find(&arena, &trial, &trial.bodies));
  ASP_CHECK(asp_bodies_copy(context, problem->dofs, problem->blocks, &trial.bodies, &copy));
  asp_bodies_release(context, &problem->bodies);
  problem->bodies = copy;
done:
  asp_arena_free(&arena);
  return error;
}
