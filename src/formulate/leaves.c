/* EQUALITY rows that cannot follow from others, found without factoring them: those of a joint at a leaf of the
 * mechanism, a body that no other joint moves. Their parts at the leaf are in no other row; where these are independent
 * of each other, so are the rows. Without them the next body is a leaf: of a tree nothing is left, of closed loops the
 * loops. The measure of independence is that of redundancy.c, taken over the leaf's dofs only: what it finds
 * independent there is so over all dofs. */
#include "formulate/blocks.h"
#include "formulate/tuning/formulate.h"
#include "linalg/dimension.h"

#include <math.h>

/* The mechanism that is left. A body has `joints` of them, and `mixed` is the exclusive or of their numbers: with one
 * joint left its number. */
typedef struct Tree {
  const AspFormulation *formulation;
  const double *inverse_mass;
  int *first_row, *row_count; /* joints: EQUALITY rows, which stand in a row; count 0: none, or gone */
  int *joints, *mixed;        /* bodies */
  int *pending, pendings;     /* bodies: leaves to be looked at */
  bool *leaf;                 /* rows */
} Tree;

static AspError take_tree(const AspFormulation *formulation, const double *inverse_mass, bool *leaf, Tree *tree) {
  AspArena *arena = formulation->arena;
  int joints = asp_model_joint_count(formulation->model), bodies = asp_model_body_count(formulation->model);
  *tree = (Tree){.formulation = formulation,
                 .inverse_mass = inverse_mass,
                 .first_row = ASP_TAKE(arena, int, joints),
                 .row_count = ASP_TAKE(arena, int, joints),
                 .joints = ASP_TAKE(arena, int, bodies),
                 .mixed = ASP_TAKE(arena, int, bodies),
                 .pending = ASP_TAKE_UNCLEARED(arena, int, (size_t)(bodies + 2 * joints)),
                 .leaf = leaf};
  return tree->first_row && tree->row_count && tree->joints && tree->mixed && tree->pending ? ASP_OK : ASP_ERROR_MEMORY;
}

/* A body moved by something other than one joint's rows between two bodies is never a leaf. */
static void hold(Tree *tree, const AspRow *row) {
  int never = asp_model_joint_count(tree->formulation->model) + 2; // more joints than are ever taken off, and one more
  for (const AspRow *part = row; part; part = part->more) {
    tree->joints[part->body_a] += never;
    tree->joints[part->body_b] += never;
  }
}

/* Block b of EQUALITY rows into the tree; those that continue a joint's rows belong to them. */
static void add_block(Tree *tree, int b) {
  const AspFormulation *formulation = tree->formulation;
  int joint = formulation->tag[b].index, first = formulation->offset[b], count = formulation->offset[b + 1] - first;
  const AspRow *row = &formulation->row[first];
  bool of_joint = asp_role_is_of_joint(formulation->tag[b].role);
  for (int k = first; k < first + count; k++)
    of_joint = of_joint && !formulation->row[k].more && formulation->row[k].body_a == row->body_a &&
               formulation->row[k].body_b == row->body_b;
  if (of_joint && tree->row_count[joint] == 0) {
    tree->first_row[joint] = first;
    tree->row_count[joint] = count;
    tree->joints[row->body_a]++;
    tree->joints[row->body_b]++;
    tree->mixed[row->body_a] ^= joint;
    tree->mixed[row->body_b] ^= joint;
  } else if (of_joint && tree->first_row[joint] + tree->row_count[joint] == first &&
             formulation->row[tree->first_row[joint]].body_a == row->body_a &&
             formulation->row[tree->first_row[joint]].body_b == row->body_b) {
    tree->row_count[joint] += count;
  } else {
    for (int k = first; k < first + count; k++)
      hold(tree, &formulation->row[k]);
  }
}

/* Are these rows independent over the dofs of one body? */
static bool are_independent(const Tree *tree, int first, int count, int body) {
  const AspFormulation *formulation = tree->formulation;
  int n = asp_body_velocities(asp_model_dimension(formulation->model));
  double L[ASP_JOINT_ROWS_MAX][ASP_JOINT_ROWS_MAX];
  if (count > n)
    return false;
  for (int i = 0; i < count; i++) {
    const AspRow *row = &formulation->row[first + i];
    const double *own = row->body_a == body ? row->ja : row->jb, *across = row->body_a == body ? row->jb : row->ja;
    const double *weight = tree->inverse_mass + formulation->dof[body];
    double whole = 0;
    int other = formulation->dof[row->body_a == body ? row->body_b : row->body_a];
    for (int m = 0; m < n; m++)
      whole += own[m] * own[m] * weight[m] + (other >= 0 ? across[m] * across[m] * tree->inverse_mass[other + m] : 0);
    for (int k = 0; k <= i; k++) {
      const AspRow *earlier = &formulation->row[first + k];
      const double *gradient = earlier->body_a == body ? earlier->ja : earlier->jb;
      double sum = 0;
      for (int m = 0; m < n; m++)
        sum += own[m] * weight[m] * gradient[m];
      for (int m = 0; m < k; m++)
        sum -= L[i][m] * L[k][m];
      if (k == i && !(sum > REDUNDANCY_DEPENDENT * whole))
        return false;
      L[i][k] = k == i ? sqrt(sum) : sum / L[k][k];
    }
  }
  return true;
}

static bool is_plain(const Tree *tree, int body) {
  return tree->formulation->dof[body] >= 0 && tree->formulation->station[body] < 0;
}

static void look_at(Tree *tree, int body) {
  if (tree->joints[body] == 1 && is_plain(tree, body))
    tree->pending[tree->pendings++] = body;
}

/* Take the joint of a leaf off. */
static void take_off(Tree *tree, int body) {
  int joint = tree->mixed[body];
  if (tree->joints[body] != 1 || !are_independent(tree, tree->first_row[joint], tree->row_count[joint], body))
    return;
  const AspRow *row = &tree->formulation->row[tree->first_row[joint]];
  const int ends[2] = {row->body_a, row->body_b};
  for (int k = 0; k < tree->row_count[joint]; k++)
    tree->leaf[tree->first_row[joint] + k] = true;
  for (int side = 0; side < 2; side++) {
    tree->joints[ends[side]]--;
    tree->mixed[ends[side]] ^= joint;
    look_at(tree, ends[side]);
  }
}

bool asp_block_holds(const AspFormulation *formulation, int block) {
  const AspBlockTag *tag = &formulation->tag[block];
  return formulation->law[block].kind == ASP_LAW_EQUALITY && tag->role != ASP_ROLE_ARMATURE &&
         !(tag->role == ASP_ROLE_MOTOR && asp_servo_lever(formulation, tag->index) > 0);
}

AspError asp_find_leaf_rows(const AspFormulation *formulation, const double *inverse_mass, bool *leaf) {
  Tree tree;
  ASP_TRY(take_tree(formulation, inverse_mass, leaf, &tree));
  for (int b = 0; b < formulation->blocks; b++)
    if (asp_block_holds(formulation, b))
      add_block(&tree, b);
  for (int body = 0; body < asp_model_body_count(formulation->model); body++)
    look_at(&tree, body);
  while (tree.pendings > 0)
    take_off(&tree, tree.pending[--tree.pendings]);
  return ASP_OK;
}
