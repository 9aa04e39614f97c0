/* Write a contact problem in FCLIB's HDF5 layout (docs/reference/fclib.md).
 *
 * FCLIB knows Coulomb contacts with the exact cone (H, w or W, q; mu) and equality constraints (G, b or V, R, s),
 * stacked in this order. A problem of these laws is written in FCLIB's groups; where its blocks stand in another order
 * the group /asperity lists them, so that our reader puts them back. Anything else (other laws, polygons, W whose
 * equality part is not the transpose that FCLIB assumes, no contact at all) goes to /asperity alone: other readers then
 * find no problem, never a different one. Matrices as compressed columns. Depends on base, linalg, the public headers
 * and HDF5.
 */
#include "io/fclib/fclib.h"

#include <stdio.h>

typedef struct Writer {
  AspH5File file;
  AspArena arena;
  const AspContactProblem *problem;
  const char *group;
  bool global;
  bool own;         /* all rows in our order, laws in /asperity */
  int contact_rows; /* own: all rows */
  int *place;       /* rows: place in the file's stacked order */
  int *natural;     /* max(dofs, rows): 0, 1, 2, ... */
} Writer;

/* ---- what FCLIB can say ---- */

static bool law_is_plain(const AspLaw *law) {
  return (law->kind == ASP_LAW_COULOMB || (law->kind == ASP_LAW_EQUALITY && law->mu == 0)) && law->limit == 0 &&
         law->direction[0] == 0 && law->direction[1] == 0 && law->cone == ASP_CONE_EXACT && law->directions == 0 &&
         law->angle == 0;
}

static bool laws_are_fclib(const AspContactProblem *problem) {
  int contacts = 0;
  for (int b = 0; b < problem->blocks; b++) {
    const AspLaw *law = &problem->law[b];
    bool contact = law->kind == ASP_LAW_COULOMB && law->cone == ASP_CONE_EXACT &&
                   problem->offset[b + 1] - problem->offset[b] == problem->dimension;
    if (!contact && law->kind != ASP_LAW_EQUALITY)
      return false;
    contacts += contact;
  }
  return contacts > 0;
}

/* Reading without the table of laws gives the same blocks: contacts, then equality blocks of one row. */
static bool blocks_are_plain(const AspContactProblem *problem) {
  bool equality_seen = false;
  for (int b = 0; b < problem->blocks; b++) {
    bool equality = problem->law[b].kind == ASP_LAW_EQUALITY;
    if (!law_is_plain(&problem->law[b]) || (equality_seen && !equality) ||
        (equality && problem->offset[b + 1] - problem->offset[b] != 1))
      return false;
    equality_seen = equality;
  }
  return true;
}

/* The part of W that FCLIB stores once as V must be there twice, value for value. */
static AspError equality_part_is_symmetric(Writer *writer, bool *symmetric) {
  const AspSparse *W = &writer->problem->W;
  FclibTriplets triplets;
  AspSparse transposed;
  *symmetric = true;
  if (writer->contact_rows == writer->problem->rows)
    return ASP_OK;
  ASP_TRY(fclib_triplets_init(&writer->arena, W->rows, W->columns, (size_t)W->start[W->columns], &triplets));
  for (int j = 0; j < W->columns; j++)
    for (int k = W->start[j]; k < W->start[j + 1]; k++)
      fclib_triplets_add(&triplets, j, W->row[k], W->value[k]);
  ASP_TRY(fclib_triplets_compress(&writer->arena, &triplets, &transposed));
  for (int j = 0; j < W->columns && *symmetric; j++) {
    int a = W->start[j], b = transposed.start[j], a_end = W->start[j + 1], b_end = transposed.start[j + 1];
    bool column_is_contact = writer->place[j] < writer->contact_rows;
    while (*symmetric) {
      // next entries that couple a contact with an equality row
      while (a < a_end && (writer->place[W->row[a]] < writer->contact_rows) == column_is_contact)
        a++;
      while (b < b_end && (writer->place[transposed.row[b]] < writer->contact_rows) == column_is_contact)
        b++;
      if (a == a_end && b == b_end)
        break;
      *symmetric = a < a_end && b < b_end && W->row[a] == transposed.row[b] &&
                   memcmp(&W->value[a], &transposed.value[b], sizeof *W->value) == 0;
      a++;
      b++;
    }
  }
  return ASP_OK;
}

/* ---- matrices and vectors ---- */

static AspError write_matrix(const Writer *writer, const char *part, const AspSparse *A) {
  const char *group = writer->group;
  FclibName name = fclib_name(group, part);
  int entries = A->start[A->columns], nz = FCLIB_COLUMNS;
  ASP_TRY(asp_h5_make_group(&writer->file, name.text));
  ASP_TRY(asp_h5_write_integers(&writer->file, fclib_name(name.text, "nzmax").text, 1, &entries));
  ASP_TRY(asp_h5_write_integers(&writer->file, fclib_name(name.text, "m").text, 1, &A->rows));
  ASP_TRY(asp_h5_write_integers(&writer->file, fclib_name(name.text, "n").text, 1, &A->columns));
  ASP_TRY(asp_h5_write_integers(&writer->file, fclib_name(name.text, "nz").text, 1, &nz));
  ASP_TRY(asp_h5_write_integers(&writer->file, fclib_name(name.text, "p").text, (size_t)A->columns + 1, A->start));
  ASP_TRY(asp_h5_write_integers(&writer->file, fclib_name(name.text, "i").text, (size_t)entries, A->row));
  return asp_h5_write_reals(&writer->file, fclib_name(name.text, "x").text, (size_t)entries, A->value);
}

/* A stretch of a matrix's rows or columns in the file's order: places low .. high - 1 of the map `place`. */
typedef struct Side {
  const int *place;
  int low, high;
} Side;

static bool is_all(const Side *side, int count) {
  if (side->low != 0 || side->high != count)
    return false;
  for (int i = 0; i < count; i++)
    if (side->place[i] != i)
      return false;
  return true;
}

/* Write the part of A that lies in both stretches; all of it, in its own order, without a copy. */
static AspError write_part(Writer *writer, const char *part, const AspSparse *A, Side rows, Side columns) {
  FclibTriplets triplets;
  AspSparse chosen;
  if (is_all(&rows, A->rows) && is_all(&columns, A->columns))
    return write_matrix(writer, part, A);
  AspArenaMark mark = asp_arena_mark(&writer->arena);
  ASP_TRY(fclib_triplets_init(&writer->arena, rows.high - rows.low, columns.high - columns.low,
                              (size_t)A->start[A->columns], &triplets));
  for (int j = 0; j < A->columns; j++) {
    int column = columns.place[j];
    if (column < columns.low || column >= columns.high)
      continue;
    for (int k = A->start[j]; k < A->start[j + 1]; k++) {
      int row = rows.place[A->row[k]];
      if (row >= rows.low && row < rows.high)
        fclib_triplets_add(&triplets, row - rows.low, column - columns.low, A->value[k]);
    }
  }
  ASP_TRY(fclib_triplets_compress(&writer->arena, &triplets, &chosen));
  ASP_TRY(write_matrix(writer, part, &chosen));
  asp_arena_rewind(&writer->arena, mark);
  return ASP_OK;
}

/* A vector over the problem's rows as its two parts; equality_part NULL: only the contacts' part is kept. */
static AspError write_row_vector(Writer *writer, const char *group, const char *contact_part, const char *equality_part,
                                 const double *values) {
  int rows = writer->problem->rows, contact_rows = writer->contact_rows;
  double *stacked = ASP_TAKE(&writer->arena, double, rows);
  if (!stacked)
    return ASP_ERROR_MEMORY;
  for (int i = 0; i < rows; i++)
    stacked[writer->place[i]] = values[i];
  ASP_TRY(asp_h5_write_reals(&writer->file, fclib_name(group, contact_part).text, (size_t)contact_rows, stacked));
  if (contact_rows == rows || !equality_part)
    return ASP_OK;
  return asp_h5_write_reals(&writer->file, fclib_name(group, equality_part).text, (size_t)(rows - contact_rows),
                            stacked + contact_rows);
}

static AspError write_friction(Writer *writer) {
  const AspContactProblem *problem = writer->problem;
  double *mu = ASP_TAKE(&writer->arena, double, problem->blocks);
  if (!mu)
    return ASP_ERROR_MEMORY;
  size_t contacts = 0;
  for (int b = 0; b < problem->blocks; b++)
    if (problem->law[b].kind == ASP_LAW_COULOMB)
      mu[contacts++] = problem->law[b].mu;
  return asp_h5_write_reals(&writer->file, fclib_name(writer->group, "vectors/mu").text, contacts, mu);
}

static AspError write_problem(Writer *writer) {
  const AspContactProblem *problem = writer->problem;
  const char *group = writer->group;
  Side dofs = {writer->natural, 0, problem->dofs}, contacts = {writer->place, 0, writer->contact_rows},
       equalities = {writer->place, writer->contact_rows, problem->rows};
  bool has_equalities = writer->contact_rows < problem->rows;
  ASP_TRY(asp_h5_make_group(&writer->file, group));
  ASP_TRY(asp_h5_write_integers(&writer->file, fclib_name(group, "spacedim").text, 1, &problem->dimension));
  ASP_TRY(asp_h5_make_group(&writer->file, fclib_name(group, "vectors").text));
  if (!writer->own)
    ASP_TRY(write_friction(writer));
  if (writer->global) {
    ASP_TRY(write_matrix(writer, "M", &problem->M));
    ASP_TRY(write_part(writer, "H", &problem->H, dofs, contacts));
    if (has_equalities)
      ASP_TRY(write_part(writer, "G", &problem->H, dofs, equalities));
    ASP_TRY(asp_h5_write_reals(&writer->file, fclib_name(group, "vectors/f").text, (size_t)problem->dofs, problem->f));
    return write_row_vector(writer, group, "vectors/w", "vectors/b", problem->w);
  }
  ASP_TRY(write_part(writer, "W", &problem->W, contacts, contacts));
  if (has_equalities) {
    ASP_TRY(write_part(writer, "V", &problem->W, contacts, equalities));
    ASP_TRY(write_part(writer, "R", &problem->W, equalities, equalities));
  }
  return write_row_vector(writer, group, "vectors/q", "vectors/s", problem->q);
}

/* ---- laws, solution, texts ---- */

/* The table of laws: one dataset per field. */
static AspError write_laws(Writer *writer) {
  const AspContactProblem *problem = writer->problem;
  size_t blocks = (size_t)problem->blocks;
  int version = FCLIB_LAYOUT_VERSION;
  int *kind = ASP_TAKE(&writer->arena, int, blocks), *cone = ASP_TAKE(&writer->arena, int, blocks),
      *directions = ASP_TAKE(&writer->arena, int, blocks);
  double *mu = ASP_TAKE(&writer->arena, double, blocks), *limit = ASP_TAKE(&writer->arena, double, blocks),
         *direction = ASP_TAKE(&writer->arena, double, 2 * blocks), *angle = ASP_TAKE(&writer->arena, double, blocks);
  if (!kind || !cone || !directions || !mu || !limit || !direction || !angle)
    return ASP_ERROR_MEMORY;
  for (size_t b = 0; b < blocks; b++) {
    const AspLaw *law = &problem->law[b];
    kind[b] = (int)law->kind;
    cone[b] = (int)law->cone;
    directions[b] = law->directions;
    mu[b] = law->mu;
    limit[b] = law->limit;
    direction[2 * b] = law->direction[0];
    direction[2 * b + 1] = law->direction[1];
    angle[b] = law->angle;
  }
  ASP_TRY(asp_h5_make_group(&writer->file, FCLIB_OWN));
  ASP_TRY(asp_h5_write_integers(&writer->file, FCLIB_OWN "/version", 1, &version));
  ASP_TRY(asp_h5_write_integers(&writer->file, FCLIB_OWN "/kind", blocks, kind));
  ASP_TRY(asp_h5_write_integers(&writer->file, FCLIB_OWN "/offset", blocks + 1, problem->offset));
  ASP_TRY(asp_h5_write_integers(&writer->file, FCLIB_OWN "/cone", blocks, cone));
  ASP_TRY(asp_h5_write_integers(&writer->file, FCLIB_OWN "/directions", blocks, directions));
  ASP_TRY(asp_h5_write_reals(&writer->file, FCLIB_OWN "/mu", blocks, mu));
  ASP_TRY(asp_h5_write_reals(&writer->file, FCLIB_OWN "/limit", blocks, limit));
  ASP_TRY(asp_h5_write_reals(&writer->file, FCLIB_OWN "/direction", 2 * blocks, direction));
  return asp_h5_write_reals(&writer->file, FCLIB_OWN "/angle", blocks, angle);
}

static AspError write_point(Writer *writer, const char *group, const AspFclibPoint *point) {
  ASP_TRY(asp_h5_make_group(&writer->file, group));
  if (writer->global && point->x)
    ASP_TRY(asp_h5_write_reals(&writer->file, fclib_name(group, "v").text, (size_t)writer->problem->dofs, point->x));
  if (point->u)
    ASP_TRY(write_row_vector(writer, group, "u", NULL, point->u));
  return write_row_vector(writer, group, "r", "l", point->r);
}

static AspError write_info(Writer *writer, const char *part, const char *text) {
  return text ? asp_h5_write_text(&writer->file, fclib_name(writer->group, part).text, text) : ASP_OK;
}

static AspError write_extra(Writer *writer, const AspFclibExtra *extra) {
  char name[48];
  ASP_TRY(asp_h5_make_group(&writer->file, fclib_name(writer->group, "info").text));
  ASP_TRY(write_info(writer, "info/title", extra->title));
  ASP_TRY(write_info(writer, "info/description", extra->description));
  ASP_TRY(write_info(writer, "info/math_info", extra->math_info));
  if (extra->solution.r)
    ASP_TRY(write_point(writer, "/solution", &extra->solution));
  if (extra->guess_count <= 0)
    return ASP_OK;
  ASP_TRY(asp_h5_make_group(&writer->file, "/guesses"));
  ASP_TRY(asp_h5_write_integers(&writer->file, "/guesses/number_of_guesses", 1, &extra->guess_count));
  for (int k = 0; k < extra->guess_count; k++) {
    snprintf(name, sizeof name, "/guesses/%d", k + 1);
    ASP_TRY(write_point(writer, name, &extra->guess[k]));
  }
  return ASP_OK;
}

/* Decide how the problem can be said, and number its rows for the file. */
static AspError choose_layout(Writer *writer) {
  const AspContactProblem *problem = writer->problem;
  int longest = problem->rows > problem->dofs ? problem->rows : problem->dofs;
  writer->global = problem->dofs > 0;
  writer->place = ASP_TAKE(&writer->arena, int, problem->rows);
  writer->natural = ASP_TAKE(&writer->arena, int, longest);
  if (!writer->place || !writer->natural)
    return ASP_ERROR_MEMORY;
  for (int i = 0; i < longest; i++)
    writer->natural[i] = i;
  bool symmetric = true;
  writer->own = !laws_are_fclib(problem);
  if (!writer->own) {
    writer->contact_rows = fclib_stack_rows(problem->blocks, problem->law, problem->offset, writer->place);
    if (!writer->global)
      ASP_TRY(equality_part_is_symmetric(writer, &symmetric));
  }
  writer->own = writer->own || !symmetric;
  if (writer->own) {
    memcpy(writer->place, writer->natural, (size_t)problem->rows * sizeof *writer->place);
    writer->contact_rows = problem->rows;
    writer->group = writer->global ? FCLIB_OWN_GLOBAL : FCLIB_OWN_LOCAL;
  } else {
    writer->group = writer->global ? FCLIB_GLOBAL : FCLIB_LOCAL;
  }
  return ASP_OK;
}

static AspError write_file(Writer *writer, const AspFclibExtra *extra) {
  ASP_TRY(choose_layout(writer));
  if (writer->own || !blocks_are_plain(writer->problem))
    ASP_TRY(write_laws(writer));
  ASP_TRY(write_problem(writer));
  return extra ? write_extra(writer, extra) : ASP_OK;
}

AspError asp_fclib_write(AspContext *context, const char *path, const AspContactProblem *problem,
                         const AspFclibExtra *extra) {
  AspError error = ASP_OK;
  Writer writer = {.problem = problem};
  asp_arena_init(&writer.arena, context);
  ASP_CHECK(asp_problem_validate(context, problem));
  if (problem->rows < 1)
    ASP_CHECK(asp_fail(context, ASP_ERROR_ARGUMENT, "%s: the problem has no rows", path));
  ASP_CHECK(asp_h5_create(context, path, &writer.file));
  error = asp_h5_finish(&writer.file, write_file(&writer, extra));
done:
  asp_arena_free(&writer.arena);
  return error;
}
