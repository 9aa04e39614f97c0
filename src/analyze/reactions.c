/* All reactions that go with one motion. With u fixed every law asks for r in a convex set: nothing where the contact
 * opens, a ray where it slides, the whole cone where it sticks; together with W r = u - q that is convex.
 *
 *   dimension   nullity(W G) - nullity(G) over the generators G that can have a positive weight
 *   intervals   min and max of r_N by linear programs; exact cones are cut out by facets until they hold
 */
#include "analyze/echelon.h"
#include "analyze/search.h"
#include "analyze/tuning/analyze.h"
#include "base/elementary.h"

#include <math.h>

/* The vertex or edge whose normals hold -u_T. */
static AspPieceChoice polygon_slide(const AspLaw *law, const double *t) {
  double best = -INFINITY, second = -INFINITY, size = asp_hypot(t[0], t[1]);
  int at = 0;
  for (int j = 0; j < law->directions; j++) {
    double v[2];
    asp_piece_vertex(law, j, v);
    double along = -(v[0] * t[0] + v[1] * t[1]);
    if (along > best) {
      second = best;
      best = along;
      at = j;
    } else
      second = fmax(second, along);
  }
  if (best - second > REACTIONS_MOVING * size)
    return (AspPieceChoice){.state = ASP_PIECE_VERTEX, .feature = at};
  // edge `at` lies between vertices at - 1 and at
  double before[2];
  asp_piece_vertex(law, (at + law->directions - 1) % law->directions, before);
  bool is_before = best + before[0] * t[0] + before[1] * t[1] <= REACTIONS_MOVING * size;
  return (AspPieceChoice){.state = ASP_PIECE_EDGE, .feature = is_before ? at : (at + 1) % law->directions};
}

static AspPieceChoice choice_of_motion(const AspLaw *law, int rows, const double *u, double still) {
  bool open = law->kind != ASP_LAW_BOX && u[0] > still;
  if (open)
    return (AspPieceChoice){.state = ASP_PIECE_OPEN};
  if (law->kind == ASP_LAW_UNILATERAL || law->kind == ASP_LAW_SLIDING)
    return (AspPieceChoice){.state = ASP_PIECE_CLOSED};
  if (law->kind == ASP_LAW_BOX || rows == 2) {
    double slip = law->kind == ASP_LAW_BOX ? u[0] : u[1];
    return (AspPieceChoice){.state = fabs(slip) > still ? ASP_PIECE_SLIDE : ASP_PIECE_STICK,
                            .feature = slip > 0 ? 1 : -1};
  }
  if (rows < 3 || asp_hypot(u[1], u[2]) <= still)
    return (AspPieceChoice){.state = ASP_PIECE_STICK};
  double angle = asp_atan2(u[2], u[1]);
  if (law->cone == ASP_CONE_EXACT)
    return (AspPieceChoice){.state = ASP_PIECE_ARC, .low = angle, .high = angle};
  return polygon_slide(law, u + 1);
}

/* ---- dimension ---- */

typedef struct Generators {
  int count;
  int *block;
  double *g; /* count x 3 */
} Generators;

static AspError list_generators(AspSearch *search, const AspPieceChoice *choices, Generators *out) {
  const AspReduced *problem = search->problem;
  AspPiece *piece = &search->relaxation.piece;
  int most = problem->blocks * ASP_PIECE_GENERATORS;
  *out = (Generators){0, ASP_TAKE(search->arena, int, most), ASP_TAKE(search->arena, double, 3 * (size_t)most)};
  if (!out->block || !out->g)
    return ASP_ERROR_MEMORY;
  for (int b = 0; b < problem->blocks; b++) {
    asp_piece(&problem->law[b], asp_reduced_size(problem, b), &choices[b], NULL, 0, piece);
    int used = choices[b].state == ASP_PIECE_ARC ? 1 : piece->generators;
    for (int j = 0; j < used; j++, out->count++) {
      out->block[out->count] = b;
      memcpy(out->g + 3 * (size_t)out->count, piece->g[j], sizeof piece->g[j]);
    }
  }
  return ASP_OK;
}

/* nullity of G, or of W G */
static AspError nullity(AspSearch *search, const Generators *list, bool through_W, int *out) {
  const AspReduced *problem = search->problem;
  int n = problem->rows, m = list->count;
  AspEchelon echelon;
  double *A = ASP_TAKE(search->arena, double, (size_t)n *(size_t)m), *b = ASP_TAKE(search->arena, double, n);
  if (!A || !b)
    return ASP_ERROR_MEMORY;
  for (int j = 0; j < m; j++)
    for (int k = 0; k < asp_reduced_size(problem, list->block[j]); k++) {
      int at = problem->offset[list->block[j]] + k;
      double g = list->g[3 * (size_t)j + k];
      for (int i = 0; through_W && i < n; i++)
        A[(size_t)i * m + j] += problem->W[(size_t)i * n + at] * g;
      if (!through_W)
        A[(size_t)at * m + j] = g;
    }
  ASP_TRY(asp_echelon(search->arena, n, m, A, b, REACTIONS_RANK, &echelon));
  *out = m - echelon.rank;
  return ASP_OK;
}

static AspError dimension_of(AspSearch *search, const Generators *list, int *dimension) {
  int with, without;
  ASP_TRY(nullity(search, list, true, &with));
  ASP_TRY(nullity(search, list, false, &without));
  *dimension = with - without;
  return ASP_OK;
}

/* ---- extremes of r_N ---- */

/* Minimum of sign * r_row with exact cones cut out facet by facet, or a lower bound where the time ends before the last
 * facet; nan: before the first. */
static AspError extreme(AspSearch *search, const AspPieceChoice *choices, int row, double sign, double *value) {
  const AspReduced *problem = search->problem;
  double *c = ASP_TAKE(search->arena, double, problem->rows), *r = ASP_TAKE(search->arena, double, problem->rows);
  if (!c || !r)
    return ASP_ERROR_MEMORY;
  c[row] = sign;
  *value = NAN;
  for (int iteration = 0; iteration < REACTIONS_MOST_CUTS && !asp_search_out_of_time(search); iteration++) {
    AspLpStatus status;
    ASP_TRY(asp_relaxation_extreme(&search->relaxation, choices, c, NULL, value, &status, r));
    if (status != ASP_LP_OPTIMAL) {
      *value = status == ASP_LP_UNBOUNDED ? -INFINITY : NAN;
      return ASP_OK;
    }
    bool cut = false;
    for (int b = 0; b < problem->blocks; b++) {
      const AspLaw *law = &problem->law[b];
      const double *at = r + problem->offset[b];
      bool exact = law->kind == ASP_LAW_COULOMB && law->cone == ASP_CONE_EXACT && asp_reduced_size(problem, b) == 3;
      if (exact && choices[b].state == ASP_PIECE_STICK &&
          asp_hypot(at[1], at[2]) - law->mu * at[0] > REACTIONS_POSITIVE)
        cut = asp_relaxation_add_facet(&search->relaxation, b, r) || cut;
    }
    if (!cut)
      break;
  }
  return ASP_OK;
}

static AspError intervals(AspSearch *search, const AspPieceChoice *choices, AspFound *found) {
  const AspReduced *problem = search->problem;
  for (int b = 0; b < problem->blocks; b++)
    for (int side = 0; side < 2; side++) {
      AspArenaMark mark = asp_arena_mark(search->arena);
      double value, own = found->r[problem->offset[b]];
      ASP_TRY(extreme(search, choices, problem->offset[b], side ? -1 : 1, &value));
      asp_arena_rewind(search->arena, mark);
      if (side)
        found->high[b] = isnan(value) ? own : -value;
      else
        found->low[b] = isnan(value) ? own : value;
    }
  return ASP_OK;
}

/* Only generators of blocks that can push at all count towards the dimension. */
static void drop_idle(const AspFound *found, Generators *list) {
  int kept = 0;
  for (int j = 0; j < list->count; j++) {
    int b = list->block[j];
    if (!(fmax(fabs(found->high[b]), fabs(found->low[b])) > REACTIONS_POSITIVE))
      continue;
    list->block[kept] = b;
    memmove(list->g + 3 * (size_t)kept, list->g + 3 * (size_t)j, 3 * sizeof *list->g);
    kept++;
  }
  list->count = kept;
}

static AspError examine(AspSearch *search, AspFound *found) {
  const AspReduced *problem = search->problem;
  AspPieceChoice *choices = ASP_TAKE(search->arena, AspPieceChoice, problem->blocks);
  Generators list;
  double still = 1;
  if (!choices)
    return ASP_ERROR_MEMORY;
  for (int i = 0; i < problem->rows; i++)
    still = fmax(still, fabs(found->u[i]));
  still *= REACTIONS_MOVING;
  for (int b = 0; b < problem->blocks; b++) {
    choices[b] = choice_of_motion(&problem->law[b], asp_reduced_size(problem, b), found->u + problem->offset[b], still);
    found->low[b] = found->high[b] = found->r[problem->offset[b]];
  }
  ASP_TRY(list_generators(search, choices, &list));
  ASP_TRY(dimension_of(search, &list, &found->reaction_dimension));
  if (found->reaction_dimension == 0)
    return ASP_OK;
  double *motion = ASP_TAKE(search->arena, double, problem->rows);
  if (!motion)
    return ASP_ERROR_MEMORY;
  asp_reduced_velocity(problem, found->r, motion);
  search->relaxation.motion = motion;
  AspError error = intervals(search, choices, found);
  search->relaxation.motion = NULL;
  ASP_TRY(error);
  if (asp_search_out_of_time(search)) // which blocks push is not known
    return ASP_OK;
  drop_idle(found, &list);
  return dimension_of(search, &list, &found->reaction_dimension);
}

AspError asp_search_reactions(AspSearch *search, AspFound *found) {
  int blocks = search->problem->blocks;
  AspArenaMark mark = asp_arena_mark(search->arena);
  double *low = ASP_TAKE(search->arena, double, blocks), *high = ASP_TAKE(search->arena, double, blocks);
  if (!low || !high)
    return ASP_ERROR_MEMORY;
  memcpy(low, found->low, (size_t)blocks * sizeof *low);
  memcpy(high, found->high, (size_t)blocks * sizeof *high);
  AspError error = examine(search, found);
  for (int b = 0; found->motion_dimension > 0 && b < blocks; b++) { // what the search found over the other motions
    found->low[b] = fmin(found->low[b], low[b]);
    found->high[b] = fmax(found->high[b], high[b]);
  }
  asp_arena_rewind(search->arena, mark);
  return error;
}
