/* EQUALITY rows that cannot follow from others, found without factoring them.
 *
 * Leaves: the rows of a joint at a body that no other joint moves. Their parts at the leaf are in no other row; where
 * these are independent of each other, so are the rows. Without them the next body is a leaf: of a tree nothing is
 * left, of closed loops the loops and what joins them.
 *
 * Bridges: joints without which the mechanism falls into two parts, one of which nothing else holds. Reactions that
 * cancel on all bodies of that part cancel as a whole: those inside it do in pairs, so those of the bridge must vanish.
 * What is left are loops, each apart from the others. Bridges of a graph: R. E. Tarjan, Inf. Process. Lett. 2 (1974)
 * 160-161.
 *
 * The measure of independence is that of redundancy.c, taken over the dofs of the leaf, or of the bridge's end: what it
 * finds independent there is so over all dofs. */
#include "formulate/blocks.h"
#include "formulate/tuning/formulate.h"
#include "linalg/dimension.h"

#include <math.h>

/* The mechanism that is left. A body has `joints` of them, and `mixed` is the exclusive or of their numbers: with one
 * joint left its number. */
typedef struct Tree {
  const AspFormulation *formulation;
  const double *inverse_mass;
  int (*rows)[ASP_JOINT_ROWS_MAX]; /* joints: EQUALITY rows between its two bodies, */
  int *row_count;                  /* so many; 0: none */
  bool *alone;                     /* joints: these are the rows of its kind, and no others */
  int *joints, *mixed;             /* bodies */
  int *pending, pendings;          /* bodies: leaves to be looked at */
  bool *leaf;                      /* rows */
} Tree;

static AspError take_tree(const AspFormulation *formulation, const double *inverse_mass, bool *leaf, Tree *tree) {
  AspArena *arena = formulation->arena;
  int joints = asp_model_joint_count(formulation->model), bodies = asp_model_body_count(formulation->model);
  *tree = (Tree){.formulation = formulation,
                 .inverse_mass = inverse_mass,
                 .rows = asp_arena_take_uncleared(arena, (size_t)joints, sizeof *tree->rows),
                 .row_count = ASP_TAKE(arena, int, joints),
                 .alone = ASP_TAKE_UNCLEARED(arena, bool, joints),
                 .joints = ASP_TAKE(arena, int, bodies),
                 .mixed = ASP_TAKE(arena, int, bodies),
                 .pending = ASP_TAKE_UNCLEARED(arena, int, (size_t)(bodies + 2 * joints)),
                 .leaf = leaf};
  return tree->rows && tree->row_count && tree->alone && tree->joints && tree->mixed && tree->pending
             ? ASP_OK
             : ASP_ERROR_MEMORY;
}

/* A body moved by something other than one joint's rows between two bodies is never a leaf. */
static void hold(Tree *tree, const AspRow *row) {
  int never = asp_model_joint_count(tree->formulation->model) + 2; // more joints than are ever taken off, and one more
  for (const AspRow *part = row; part; part = part->more) {
    tree->joints[part->body_a] += never;
    tree->joints[part->body_b] += never;
  }
}

/* Do the rows of block b act between two bodies only, those of its joint's rows in the tree? */
static bool belongs_to_joint(const Tree *tree, int b) {
  const AspFormulation *formulation = tree->formulation;
  int joint = formulation->tag[b].index, first = formulation->offset[b], end = formulation->offset[b + 1];
  if (!asp_role_is_of_joint(formulation->tag[b].role))
    return false;
  const AspRow *row = &formulation->row[tree->row_count[joint] > 0 ? tree->rows[joint][0] : first];
  bool same = tree->row_count[joint] + end - first <= ASP_JOINT_ROWS_MAX;
  for (int k = first; k < end; k++)
    same = same && !formulation->row[k].more && formulation->row[k].body_a == row->body_a &&
           formulation->row[k].body_b == row->body_b;
  return same;
}

/* Block b of EQUALITY rows into the tree: a joint's rows, and with them what is prescribed or closed along it. */
static void add_block(Tree *tree, int b) {
  const AspFormulation *formulation = tree->formulation;
  int joint = formulation->tag[b].index, first = formulation->offset[b], end = formulation->offset[b + 1];
  if (!belongs_to_joint(tree, b)) {
    for (int k = first; k < end; k++)
      hold(tree, &formulation->row[k]);
    return;
  }
  bool begins = tree->row_count[joint] == 0;
  tree->alone[joint] = begins && formulation->tag[b].role == ASP_ROLE_JOINT;
  for (int k = first; k < end; k++)
    tree->rows[joint][tree->row_count[joint]++] = k;
  if (!begins)
    return;
  const int ends[2] = {formulation->row[first].body_a, formulation->row[first].body_b};
  for (int side = 0; side < 2; side++) {
    tree->joints[ends[side]]++;
    tree->mixed[ends[side]] ^= joint;
  }
}

/* Are these rows independent over the dofs of one body? n: its dofs, a constant where it is called. */
static inline __attribute__((always_inline)) bool are_independent_in(const int n, const Tree *tree, const int *rows,
                                                                     int count, int body) {
  const AspFormulation *formulation = tree->formulation;
  double L[ASP_JOINT_ROWS_MAX][ASP_JOINT_ROWS_MAX], weighted[ASP_JOINT_ROWS_MAX][6];
  const double *own[ASP_JOINT_ROWS_MAX], *weight = tree->inverse_mass + formulation->dof[body];
  for (int i = 0; i < count; i++) {
    const AspRow *row = &formulation->row[rows[i]];
    bool is_a = row->body_a == body;
    int other = formulation->dof[is_a ? row->body_b : row->body_a];
    const double *across = is_a ? row->jb : row->ja;
    double whole = 0;
    own[i] = is_a ? row->ja : row->jb;
    for (int m = 0; m < n; m++) {
      weighted[i][m] = own[i][m] * weight[m];
      whole += own[i][m] * own[i][m] * weight[m];
    }
    for (int m = 0; m < n && other >= 0; m++)
      whole += across[m] * across[m] * tree->inverse_mass[other + m];
    for (int k = 0; k <= i; k++) {
      double sum = 0;
      for (int m = 0; m < n; m++)
        sum += weighted[i][m] * own[k][m];
      for (int m = 0; m < k; m++)
        sum -= L[i][m] * L[k][m];
      if (k == i && !(sum > REDUNDANCY_DEPENDENT * whole))
        return false;
      L[i][k] = k == i ? 1 / sqrt(sum) : sum * L[k][k]; // the diagonal's inverse
    }
  }
  return true;
}

static bool are_independent(const Tree *tree, const int *rows, int count, int body) {
  int n = asp_body_velocities(asp_model_dimension(tree->formulation->model));
  if (count > n)
    return false;
  return n == 6 ? are_independent_in(6, tree, rows, count, body) : are_independent_in(3, tree, rows, count, body);
}

/* The rows of these joints are independent over each of the two bodies, wherever they are: points and directions of the
 * world, or axes of a body that stand across each other. */
static bool is_independent_by_kind(const Tree *tree, int joint) {
  AspJointKind kind = asp_model_joint_def(tree->formulation->model, joint)->kind;
  return tree->alone[joint] &&
         (kind == ASP_JOINT_REVOLUTE || kind == ASP_JOINT_PRISMATIC || kind == ASP_JOINT_CYLINDRICAL ||
          kind == ASP_JOINT_SPHERICAL || kind == ASP_JOINT_PLANAR || kind == ASP_JOINT_FIXED);
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
  if (tree->joints[body] != 1)
    return;
  if (!is_independent_by_kind(tree, joint) && !are_independent(tree, tree->rows[joint], tree->row_count[joint], body))
    return;
  const AspRow *row = &tree->formulation->row[tree->rows[joint][0]];
  const int ends[2] = {row->body_a, row->body_b};
  for (int k = 0; k < tree->row_count[joint]; k++)
    tree->leaf[tree->rows[joint][k]] = true;
  for (int side = 0; side < 2; side++) {
    tree->joints[ends[side]]--;
    tree->mixed[ends[side]] ^= joint;
    look_at(tree, ends[side]);
  }
}

/* ---- bridges ---- */

/* The graph of what is left: nodes are the bodies, and one more for all that is held. */
typedef struct Graph {
  const Tree *tree;
  int ground;
  int *start, *joint; /* nodes + 1; of each node */
  int *order, *low;   /* nodes: 1 + when it was met, 0: not yet; the earliest that its part reaches beside its way in */
  int *next, *way;    /* nodes: entry to look at; the joint by which it was met, -1: none */
  int *path;          /* nodes from the first to the present one */
} Graph;

static int node_of(const Graph *graph, int body) {
  const Tree *tree = graph->tree;
  bool held = tree->joints[body] > asp_model_joint_count(tree->formulation->model) || !is_plain(tree, body);
  return held ? graph->ground : body;
}

/* The nodes at both ends of a joint that is left; false: there is none. */
static bool find_ends(const Graph *graph, int joint, int ends[2]) {
  const Tree *tree = graph->tree;
  if (tree->row_count[joint] == 0 || tree->leaf[tree->rows[joint][0]])
    return false;
  const AspRow *row = &tree->formulation->row[tree->rows[joint][0]];
  ends[0] = node_of(graph, row->body_a);
  ends[1] = node_of(graph, row->body_b);
  return ends[0] != ends[1];
}

/* *any: are joints left? */
static AspError take_graph(const Tree *tree, Graph *graph, bool *any) {
  AspArena *arena = tree->formulation->arena;
  int joints = asp_model_joint_count(tree->formulation->model), ends[2];
  *graph = (Graph){.tree = tree, .ground = asp_model_body_count(tree->formulation->model)};
  *any = false;
  for (int joint = 0; joint < joints && !*any; joint++)
    *any = find_ends(graph, joint, ends);
  if (!*any)
    return ASP_OK;
  size_t nodes = (size_t)graph->ground + 1;
  graph->start = ASP_TAKE(arena, int, nodes + 1);
  graph->joint = ASP_TAKE_UNCLEARED(arena, int, 2 * joints);
  graph->order = ASP_TAKE(arena, int, nodes);
  graph->low = ASP_TAKE_UNCLEARED(arena, int, nodes);
  graph->next = ASP_TAKE_UNCLEARED(arena, int, nodes);
  graph->way = ASP_TAKE_UNCLEARED(arena, int, nodes);
  graph->path = ASP_TAKE_UNCLEARED(arena, int, nodes);
  if (!graph->start || !graph->joint || !graph->order || !graph->low || !graph->next || !graph->way || !graph->path)
    return ASP_ERROR_MEMORY;
  for (int joint = 0; joint < joints; joint++)
    for (int side = 0; find_ends(graph, joint, ends) && side < 2; side++)
      graph->start[ends[side] + 1]++;
  for (size_t node = 0; node < nodes; node++)
    graph->start[node + 1] += graph->start[node];
  memcpy(graph->next, graph->start, nodes * sizeof *graph->next);
  for (int joint = 0; joint < joints; joint++)
    for (int side = 0; find_ends(graph, joint, ends) && side < 2; side++)
      graph->joint[graph->next[ends[side]]++] = joint;
  memcpy(graph->next, graph->start, nodes * sizeof *graph->next);
  return ASP_OK;
}

/* The part behind `node` reaches nothing before it: its way in is a bridge. */
static void take_bridge(const Tree *tree, int node, int joint) {
  const int *rows = tree->rows[joint];
  int count = tree->row_count[joint];
  if (!is_independent_by_kind(tree, joint) && !are_independent(tree, rows, count, node))
    return;
  for (int k = 0; k < count; k++)
    tree->leaf[rows[k]] = true;
}

/* Everything that is connected with a node, depth first; no part behind a node that is met holds the ground if the
 * search began there. */
static void search_from(Graph *graph, int node, int *met) {
  int depth = 0;
  graph->path[0] = node;
  graph->way[node] = -1;
  graph->order[node] = graph->low[node] = ++*met;
  while (depth >= 0) {
    node = graph->path[depth];
    if (graph->next[node] < graph->start[node + 1]) {
      int joint = graph->joint[graph->next[node]++], ends[2];
      find_ends(graph, joint, ends);
      int other = ends[0] == node ? ends[1] : ends[0];
      if (joint == graph->way[node])
        continue;
      if (graph->order[other] > 0) {
        graph->low[node] = graph->order[other] < graph->low[node] ? graph->order[other] : graph->low[node];
        continue;
      }
      graph->path[++depth] = other;
      graph->way[other] = joint;
      graph->order[other] = graph->low[other] = ++*met;
    } else if (--depth >= 0) {
      int before = graph->path[depth];
      graph->low[before] = graph->low[node] < graph->low[before] ? graph->low[node] : graph->low[before];
      graph->way[node] = graph->low[node] > graph->order[before] ? graph->way[node] : -1;
    }
  }
}

static AspError find_bridges(Tree *tree) {
  Graph graph;
  bool any;
  ASP_TRY(take_graph(tree, &graph, &any));
  if (!any)
    return ASP_OK;
  int met = 0;
  search_from(&graph, graph.ground, &met);
  for (int node = 0; node < graph.ground; node++)
    if (graph.order[node] == 0)
      search_from(&graph, node, &met);
  for (int node = 0; node < graph.ground; node++)
    if (graph.way[node] >= 0)
      take_bridge(tree, node, graph.way[node]);
  return ASP_OK;
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
  return find_bridges(&tree);
}
