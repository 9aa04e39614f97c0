/* Read a frictional contact problem in FCLIB's HDF5 layout into our contact problem (docs/reference/fclib.md).
 *
 *   global:  M v = H r + G l + f,   u = H^T v + w,   G^T v + b = 0        ->  H = [H G], w = [w; b]
 *   local:   u = W r + V l + q,     V^T r + R l + s = 0                   ->  W = [W V; V^T R], q = [q; s]
 *
 * l: multipliers of the equality constraints, which become EQUALITY rows behind the contacts unless the group /asperity
 * says where they belong. Layout of libfclib 3.1. Depends on base, the public headers and HDF5.
 */
#include "io/fclib/fclib.h"

#include <limits.h>
#include <stdio.h>

#define FCLIB_COOKIE UINT32_C(0x46434c42)

typedef struct Reader {
  AspH5File file;
  AspArena arena;
  AspTripletOrder triplet;
  const char *group; /* holds the matrices and vectors */
  bool global;
  bool own; /* rows are stored in our order: no contacts and equalities apart */
  int dimension, dofs;
  int contact_rows, equality_rows; /* own: all rows count as contact rows */
  int blocks, rows;
  int *offset;  /* blocks + 1 */
  AspLaw *law;  /* blocks */
  int *row_at;  /* rows: the problem's row for each place in the file's stacked order */
  int *natural; /* max(dofs, rows): 0, 1, 2, ...: the map of a matrix side that keeps its order */
} Reader;

/* A matrix as the file has it. Which of p and i are pointers, rows or columns depends on nz. */
typedef struct StoredMatrix {
  FclibName name;
  int m, n, nz;
  size_t entries;
  int64_t *p, *i;
  double *x;
} StoredMatrix;

const char *asp_triplet_order_name(AspTripletOrder order) {
  static const char *const names[] = {"p is row", "p is column"};
  return ASP_NAME_OF(names, order);
}

AspFclibOptions asp_fclib_default_options(void) {
  return (AspFclibOptions){.cookie = FCLIB_COOKIE, .triplet = ASP_TRIPLET_P_IS_ROW};
}

/* ---- matrices ---- */

static AspError take_integers(Reader *reader, const char *name, size_t least, size_t *count, int64_t **values) {
  AspContext *context = reader->file.context;
  ASP_TRY(asp_h5_count(&reader->file, name, true, count));
  if (*count < least)
    return asp_fail(context, ASP_ERROR_INPUT, "%s: %s has %zu elements, expected %zu", reader->file.path, name, *count,
                    least);
  *values = ASP_TAKE(&reader->arena, int64_t, *count);
  return *values ? asp_h5_read_integers(&reader->file, name, *count, *values) : ASP_ERROR_MEMORY;
}

static AspError take_reals(Reader *reader, const char *name, size_t least, double **values) {
  size_t count = 0;
  ASP_TRY(asp_h5_count(&reader->file, name, false, &count));
  if (count < least)
    return asp_fail(reader->file.context, ASP_ERROR_INPUT, "%s: %s has %zu elements, expected %zu", reader->file.path,
                    name, count, least);
  *values = ASP_TAKE(&reader->arena, double, count);
  return *values ? asp_h5_read_reals(&reader->file, name, count, *values) : ASP_ERROR_MEMORY;
}

/* Pointers of a compressed matrix: from 0, never falling. The last one is the number of entries. */
static AspError check_pointers(Reader *reader, const char *name, size_t lines, StoredMatrix *matrix) {
  if (matrix->p[0] != 0)
    return asp_fail(reader->file.context, ASP_ERROR_INPUT, "%s: %s: first element is %lld, expected 0",
                    reader->file.path, name, (long long)matrix->p[0]);
  for (size_t k = 0; k < lines; k++)
    if (matrix->p[k + 1] < matrix->p[k] || matrix->p[k + 1] > INT_MAX)
      return asp_fail(reader->file.context, ASP_ERROR_INPUT, "%s: %s: element %zu is %lld, expected %lld to %d",
                      reader->file.path, name, k + 1, (long long)matrix->p[k + 1], (long long)matrix->p[k], INT_MAX);
  matrix->entries = (size_t)matrix->p[lines];
  return ASP_OK;
}

/* Read the matrix `part`; rows and columns must be as given (-1: as found). */
static AspError read_matrix(Reader *reader, const char *part, int rows, int columns, StoredMatrix *matrix) {
  const AspH5File *file = &reader->file;
  *matrix = (StoredMatrix){.name = fclib_name(reader->group, part)};
  const char *group = matrix->name.text;
  FclibName p = fclib_name(group, "p"), i = fclib_name(group, "i"), x = fclib_name(group, "x");
  ASP_TRY(asp_h5_read_integer(file, fclib_name(group, "m").text, rows < 0 ? 0 : rows, rows < 0 ? INT_MAX - 1 : rows,
                              &matrix->m));
  ASP_TRY(asp_h5_read_integer(file, fclib_name(group, "n").text, columns < 0 ? 0 : columns,
                              columns < 0 ? INT_MAX - 1 : columns, &matrix->n));
  ASP_TRY(asp_h5_read_integer(file, fclib_name(group, "nz").text, FCLIB_ROWS, INT_MAX, &matrix->nz));
  size_t count = 0;
  if (matrix->nz >= 0) {
    matrix->entries = (size_t)matrix->nz;
    ASP_TRY(take_integers(reader, p.text, matrix->entries, &count, &matrix->p));
  } else {
    size_t lines = (size_t)(matrix->nz == FCLIB_COLUMNS ? matrix->n : matrix->m);
    ASP_TRY(take_integers(reader, p.text, lines + 1, &count, &matrix->p));
    if (count != lines + 1)
      return asp_fail(file->context, ASP_ERROR_INPUT, "%s: %s has %zu elements, expected %zu", file->path, p.text,
                      count, lines + 1);
    ASP_TRY(check_pointers(reader, p.text, lines, matrix));
  }
  ASP_TRY(take_integers(reader, i.text, matrix->entries, &count, &matrix->i));
  return take_reals(reader, x.text, matrix->entries, &matrix->x);
}

static AspError index_error(Reader *reader, const StoredMatrix *matrix, const char *array, size_t k, int64_t found,
                            int limit) {
  return asp_fail(reader->file.context, ASP_ERROR_INPUT, "%s: %s/%s: element %zu is %lld, expected 0 to %d%s",
                  reader->file.path, matrix->name.text, array, k, (long long)found, limit - 1,
                  matrix->nz >= 0 ? " (or the triplets have rows and columns the other way round: see the option)"
                                  : "");
}

/* Append the entries to `triplets`, rows and columns renumbered by the maps. */
static AspError add_matrix(Reader *reader, const StoredMatrix *matrix, const int *row_map, const int *column_map,
                           bool transposed, FclibTriplets *triplets) {
  bool triplet = matrix->nz >= 0,
       p_is_row = triplet ? reader->triplet == ASP_TRIPLET_P_IS_ROW : matrix->nz != FCLIB_COLUMNS;
  int p_limit = p_is_row ? matrix->m : matrix->n, i_limit = p_is_row ? matrix->n : matrix->m;
  int64_t line = 0; // of a compressed matrix
  for (size_t k = 0; k < matrix->entries; k++) {
    while (!triplet && (size_t)matrix->p[line + 1] <= k)
      line++;
    int64_t first = triplet ? matrix->p[k] : line, second = matrix->i[k];
    if (first < 0 || first >= p_limit)
      return index_error(reader, matrix, "p", k, first, p_limit);
    if (second < 0 || second >= i_limit)
      return index_error(reader, matrix, "i", k, second, i_limit);
    int row = row_map[p_is_row ? first : second], column = column_map[p_is_row ? second : first];
    fclib_triplets_add(triplets, transposed ? column : row, transposed ? row : column, matrix->x[k]);
  }
  return ASP_OK;
}

/* ---- laws ---- */

static AspError too_large(Reader *reader) {
  return asp_fail(reader->file.context, ASP_ERROR_INPUT, "%s: %s has more than %d rows or entries", reader->file.path,
                  reader->group, INT_MAX);
}

static AspError take_laws(Reader *reader, int blocks) {
  reader->blocks = blocks;
  reader->offset = ASP_TAKE(&reader->arena, int, (size_t)blocks + 1);
  reader->law = ASP_TAKE(&reader->arena, AspLaw, blocks);
  return reader->offset && reader->law ? ASP_OK : ASP_ERROR_MEMORY;
}

/* The file says nothing of order: contacts, then equality constraints of one row each. */
static AspError lay_out_plainly(Reader *reader) {
  int contacts = reader->contact_rows / reader->dimension;
  ASP_TRY(take_laws(reader, contacts + reader->equality_rows));
  for (int b = 0; b < reader->blocks; b++) {
    bool contact = b < contacts;
    reader->law[b].kind = contact ? ASP_LAW_COULOMB : ASP_LAW_EQUALITY;
    reader->offset[b + 1] = reader->offset[b] + (contact ? reader->dimension : 1);
  }
  return ASP_OK;
}

/* One column of the table of laws in /asperity. */
static AspError take_law_column(Reader *reader, const char *part, size_t count, bool whole, int64_t **integers,
                                double **reals) {
  FclibName name = fclib_name(FCLIB_OWN, part);
  if (whole) {
    *integers = ASP_TAKE(&reader->arena, int64_t, count);
    return *integers ? asp_h5_read_integers(&reader->file, name.text, count, *integers) : ASP_ERROR_MEMORY;
  }
  *reals = ASP_TAKE(&reader->arena, double, count);
  return *reals ? asp_h5_read_reals(&reader->file, name.text, count, *reals) : ASP_ERROR_MEMORY;
}

static AspError check_range(Reader *reader, const char *part, size_t k, int64_t value, int64_t low, int64_t high) {
  if (value >= low && value <= high)
    return ASP_OK;
  return asp_fail(reader->file.context, ASP_ERROR_INPUT,
                  "%s: " FCLIB_OWN "/%s: element %zu is %lld, expected %lld to %lld", reader->file.path, part, k,
                  (long long)value, (long long)low, (long long)high);
}

/* The table of laws in /asperity: kinds, offsets and what each law needs. */
static AspError read_own_laws(Reader *reader) {
  size_t count = 0;
  int version = 0;
  ASP_TRY(
      asp_h5_read_integer(&reader->file, FCLIB_OWN "/version", FCLIB_LAYOUT_VERSION, FCLIB_LAYOUT_VERSION, &version));
  ASP_TRY(asp_h5_count(&reader->file, FCLIB_OWN "/kind", true, &count));
  int64_t *kind = NULL, *offset = NULL, *cone = NULL, *directions = NULL;
  double *mu = NULL, *limit = NULL, *direction = NULL, *angle = NULL;
  ASP_TRY(take_law_column(reader, "kind", count, true, &kind, NULL));
  ASP_TRY(take_law_column(reader, "offset", count + 1, true, &offset, NULL));
  ASP_TRY(take_law_column(reader, "cone", count, true, &cone, NULL));
  ASP_TRY(take_law_column(reader, "directions", count, true, &directions, NULL));
  ASP_TRY(take_law_column(reader, "mu", count, false, NULL, &mu));
  ASP_TRY(take_law_column(reader, "limit", count, false, NULL, &limit));
  ASP_TRY(take_law_column(reader, "direction", 2 * count, false, NULL, &direction));
  ASP_TRY(take_law_column(reader, "angle", count, false, NULL, &angle));
  ASP_TRY(take_laws(reader, (int)count));
  ASP_TRY(check_range(reader, "offset", 0, offset[0], 0, 0));
  for (size_t b = 0; b < count; b++) {
    ASP_TRY(check_range(reader, "kind", b, kind[b], 0, ASP_LAW_COUNT - 1));
    ASP_TRY(check_range(reader, "offset", b + 1, offset[b + 1], offset[b], INT_MAX - 1));
    ASP_TRY(check_range(reader, "cone", b, cone[b], 0, ASP_CONE_RELAXED));
    ASP_TRY(check_range(reader, "directions", b, directions[b], 0, INT_MAX));
    reader->offset[b + 1] = (int)offset[b + 1];
    reader->law[b] = (AspLaw){.kind = (AspLawKind)kind[b],
                              .mu = mu[b],
                              .limit = limit[b],
                              .direction = {direction[2 * b], direction[2 * b + 1]},
                              .cone = (AspConeKind)cone[b],
                              .directions = (int)directions[b],
                              .angle = angle[b]};
  }
  return ASP_OK;
}

/* The table must describe the FCLIB group beside it: as many contacts and equality rows, nothing else. */
static AspError check_own_laws(Reader *reader) {
  int contact_rows = 0, equality_rows = 0;
  for (int b = 0; b < reader->blocks; b++) {
    int rows = reader->offset[b + 1] - reader->offset[b];
    if (reader->law[b].kind == ASP_LAW_COULOMB && rows == reader->dimension)
      contact_rows += rows;
    else if (reader->law[b].kind == ASP_LAW_EQUALITY)
      equality_rows += rows;
    else
      return asp_fail(reader->file.context, ASP_ERROR_INPUT, "%s: " FCLIB_OWN ": block %d (%s, %d rows) is not in %s",
                      reader->file.path, b, asp_law_kind_name(reader->law[b].kind), rows, reader->group);
  }
  if (contact_rows != reader->contact_rows || equality_rows != reader->equality_rows)
    return asp_fail(reader->file.context, ASP_ERROR_INPUT,
                    "%s: " FCLIB_OWN " lists %d contact and %d equality rows, %s has %d and %d", reader->file.path,
                    contact_rows, equality_rows, reader->group, reader->contact_rows, reader->equality_rows);
  return ASP_OK;
}

/* Friction coefficients of FCLIB, in the order of the contacts. */
static AspError read_friction(Reader *reader) {
  FclibName name = fclib_name(reader->group, "vectors/mu");
  size_t contacts = (size_t)(reader->contact_rows / reader->dimension), next = 0;
  double *mu = ASP_TAKE(&reader->arena, double, contacts);
  if (!mu)
    return ASP_ERROR_MEMORY;
  ASP_TRY(asp_h5_read_reals(&reader->file, name.text, contacts, mu));
  for (size_t k = 0; k < contacts; k++)
    if (mu[k] < 0)
      return asp_fail(reader->file.context, ASP_ERROR_INPUT, "%s: %s: element %zu is %g, expected >= 0",
                      reader->file.path, name.text, k, mu[k]);
  for (int b = 0; b < reader->blocks; b++)
    if (reader->law[b].kind == ASP_LAW_COULOMB)
      reader->law[b].mu = mu[next++];
  return ASP_OK;
}

/* Blocks, laws and the maps of rows, once the sizes of the matrices are known. */
static AspError lay_out(Reader *reader) {
  if (reader->contact_rows > INT_MAX - 1 - reader->equality_rows)
    return too_large(reader);
  reader->rows = reader->contact_rows + reader->equality_rows;
  if (!reader->own && asp_h5_has(&reader->file, FCLIB_OWN)) {
    ASP_TRY(read_own_laws(reader));
    ASP_TRY(check_own_laws(reader));
  } else if (!reader->own) {
    ASP_TRY(lay_out_plainly(reader));
  }
  if (!reader->own)
    ASP_TRY(read_friction(reader));
  int longest = reader->rows > reader->dofs ? reader->rows : reader->dofs;
  int *place = ASP_TAKE(&reader->arena, int, reader->rows);
  reader->row_at = ASP_TAKE(&reader->arena, int, reader->rows);
  reader->natural = ASP_TAKE(&reader->arena, int, longest);
  if (!place || !reader->row_at || !reader->natural)
    return ASP_ERROR_MEMORY;
  for (int i = 0; i < longest; i++)
    reader->natural[i] = i;
  if (reader->own)
    memcpy(place, reader->natural, (size_t)reader->rows * sizeof *place);
  else
    fclib_stack_rows(reader->blocks, reader->law, reader->offset, place);
  for (int i = 0; i < reader->rows; i++)
    reader->row_at[place[i]] = i;
  return ASP_OK;
}

static AspError check_contact_rows(Reader *reader, const char *part, int count) {
  int least = reader->own ? 1 : reader->dimension;
  if (count < least || (!reader->own && count % reader->dimension != 0))
    return asp_fail(reader->file.context, ASP_ERROR_INPUT, "%s: %s/%s is %d: %s", reader->file.path, reader->group,
                    part, count, count == 0 ? "there are no contacts" : "expected a multiple of spacedim");
  if (reader->own && count != reader->offset[reader->blocks])
    return asp_fail(reader->file.context, ASP_ERROR_INPUT, "%s: %s/%s is %d, the laws have %d rows", reader->file.path,
                    reader->group, part, count, reader->offset[reader->blocks]);
  reader->contact_rows = count;
  return ASP_OK;
}

/* ---- problem ---- */

static void copy_sparse(const AspSparse *from, AspSparse *to) {
  size_t count = (size_t)from->start[from->columns];
  memcpy(to->start, from->start, ((size_t)from->columns + 1) * sizeof *to->start);
  memcpy(to->row, from->row, count * sizeof *to->row);
  memcpy(to->value, from->value, count * sizeof *to->value);
}

static void copy_laws(const Reader *reader, AspContactProblem *problem) {
  memcpy(problem->offset, reader->offset, ((size_t)reader->blocks + 1) * sizeof *reader->offset);
  memcpy(problem->law, reader->law, (size_t)reader->blocks * sizeof *reader->law);
}

/* A vector over the problem's rows from its two parts in the file; equality_part may be NULL where there is none. */
static AspError read_row_vector(Reader *reader, const char *group, const char *contact_part, const char *equality_part,
                                double *values) {
  double *part = ASP_TAKE(&reader->arena, double, reader->rows);
  if (!part)
    return ASP_ERROR_MEMORY;
  size_t contact_rows = (size_t)reader->contact_rows, equality_rows = (size_t)reader->equality_rows;
  ASP_TRY(asp_h5_read_reals(&reader->file, fclib_name(group, contact_part).text, contact_rows, part));
  if (equality_rows && equality_part)
    ASP_TRY(
        asp_h5_read_reals(&reader->file, fclib_name(group, equality_part).text, equality_rows, part + contact_rows));
  for (int i = 0; i < reader->rows; i++)
    values[reader->row_at[i]] = part[i];
  return ASP_OK;
}

static AspError read_global(Reader *reader, AspContactProblem *problem) {
  StoredMatrix M, H, G = {0};
  ASP_TRY(read_matrix(reader, "M", -1, -1, &M));
  if (M.m != M.n || M.m < 1)
    return asp_fail(reader->file.context, ASP_ERROR_INPUT, "%s: %s/M is %d x %d, expected square and not empty",
                    reader->file.path, reader->group, M.m, M.n);
  reader->dofs = M.m;
  ASP_TRY(read_matrix(reader, "H", reader->dofs, -1, &H));
  ASP_TRY(check_contact_rows(reader, "H/n", H.n));
  if (!reader->own && asp_h5_has(&reader->file, fclib_name(reader->group, "G").text))
    ASP_TRY(read_matrix(reader, "G", reader->dofs, -1, &G));
  reader->equality_rows = G.n;
  ASP_TRY(lay_out(reader));
  if (H.entries + G.entries > INT_MAX)
    return too_large(reader);
  FclibTriplets mass, jacobian;
  ASP_TRY(fclib_triplets_init(&reader->arena, reader->dofs, reader->dofs, M.entries, &mass));
  ASP_TRY(add_matrix(reader, &M, reader->natural, reader->natural, false, &mass));
  ASP_TRY(fclib_triplets_init(&reader->arena, reader->dofs, reader->rows, H.entries + G.entries, &jacobian));
  ASP_TRY(add_matrix(reader, &H, reader->natural, reader->row_at, false, &jacobian));
  ASP_TRY(add_matrix(reader, &G, reader->natural, reader->row_at + reader->contact_rows, false, &jacobian));
  AspSparse M_all, H_all;
  ASP_TRY(fclib_triplets_compress(&reader->arena, &mass, &M_all));
  ASP_TRY(fclib_triplets_compress(&reader->arena, &jacobian, &H_all));
  ASP_TRY(asp_problem_create(reader->file.context, reader->dimension, reader->blocks, reader->rows, reader->dofs,
                             M_all.start[M_all.columns], H_all.start[H_all.columns], 0, problem));
  copy_laws(reader, problem);
  copy_sparse(&M_all, &problem->M);
  copy_sparse(&H_all, &problem->H);
  ASP_TRY(
      asp_h5_read_reals(&reader->file, fclib_name(reader->group, "vectors/f").text, (size_t)reader->dofs, problem->f));
  return read_row_vector(reader, reader->group, "vectors/w", "vectors/b", problem->w);
}

static AspError read_local(Reader *reader, AspContactProblem *problem) {
  StoredMatrix W, V = {0}, R = {0};
  ASP_TRY(read_matrix(reader, "W", -1, -1, &W));
  if (W.m != W.n)
    return asp_fail(reader->file.context, ASP_ERROR_INPUT, "%s: %s/W is %d x %d, expected square", reader->file.path,
                    reader->group, W.m, W.n);
  ASP_TRY(check_contact_rows(reader, "W/n", W.n));
  if (!reader->own && asp_h5_has(&reader->file, fclib_name(reader->group, "V").text)) {
    ASP_TRY(read_matrix(reader, "V", W.n, -1, &V));
    ASP_TRY(read_matrix(reader, "R", V.n, V.n, &R));
  }
  reader->equality_rows = V.n;
  ASP_TRY(lay_out(reader));
  size_t entries = W.entries + 2 * V.entries + R.entries;
  if (entries > INT_MAX)
    return too_large(reader);
  const int *contact = reader->row_at, *equality = reader->row_at + reader->contact_rows;
  FclibTriplets delassus;
  ASP_TRY(fclib_triplets_init(&reader->arena, reader->rows, reader->rows, entries, &delassus));
  ASP_TRY(add_matrix(reader, &W, contact, contact, false, &delassus));
  ASP_TRY(add_matrix(reader, &V, contact, equality, false, &delassus));
  ASP_TRY(add_matrix(reader, &V, contact, equality, true, &delassus));
  ASP_TRY(add_matrix(reader, &R, equality, equality, false, &delassus));
  AspSparse W_all;
  ASP_TRY(fclib_triplets_compress(&reader->arena, &delassus, &W_all));
  ASP_TRY(asp_problem_create(reader->file.context, reader->dimension, reader->blocks, reader->rows, 0, 0, 0,
                             W_all.start[W_all.columns], problem));
  copy_laws(reader, problem);
  copy_sparse(&W_all, &problem->W);
  return read_row_vector(reader, reader->group, "vectors/q", "vectors/s", problem->q);
}

/* Which of the groups holds the problem; its dimension; our own laws where only we have them. */
static AspError find_problem(Reader *reader) {
  static const struct {
    const char *group;
    bool global, own;
  } places[] = {{FCLIB_GLOBAL, true, false},
                {FCLIB_LOCAL, false, false},
                {FCLIB_OWN_GLOBAL, true, true},
                {FCLIB_OWN_LOCAL, false, true}};
  for (size_t k = 0; k < sizeof places / sizeof *places && !reader->group; k++)
    if (asp_h5_has(&reader->file, places[k].group)) {
      reader->group = places[k].group;
      reader->global = places[k].global;
      reader->own = places[k].own;
    }
  if (!reader->group)
    return asp_fail(reader->file.context, ASP_ERROR_INPUT, "%s: holds neither %s nor %s: not an FCLIB problem",
                    reader->file.path, FCLIB_GLOBAL, FCLIB_LOCAL);
  ASP_TRY(asp_h5_read_integer(&reader->file, fclib_name(reader->group, "spacedim").text, 2, 3, &reader->dimension));
  return reader->own ? read_own_laws(reader) : ASP_OK;
}

/* ---- solution, guesses, texts ---- */

static AspError read_point(Reader *reader, const char *group, AspFclibPoint *point) {
  AspContext *context = reader->file.context;
  bool has_u = asp_h5_has(&reader->file, fclib_name(group, "u").text);
  bool has_x = reader->global && asp_h5_has(&reader->file, fclib_name(group, "v").text);
  point->r = asp_allocate(context, (size_t)reader->rows, sizeof *point->r);
  if (!point->r)
    return ASP_ERROR_MEMORY;
  ASP_TRY(read_row_vector(reader, group, "r", "l", point->r));
  if (has_u) {
    point->u = asp_allocate(context, (size_t)reader->rows, sizeof *point->u);
    if (!point->u)
      return ASP_ERROR_MEMORY;
    ASP_TRY(read_row_vector(reader, group, "u", NULL, point->u));
  }
  if (has_x) {
    point->x = asp_allocate(context, (size_t)reader->dofs, sizeof *point->x);
    if (!point->x)
      return ASP_ERROR_MEMORY;
    ASP_TRY(asp_h5_read_reals(&reader->file, fclib_name(group, "v").text, (size_t)reader->dofs, point->x));
  }
  return ASP_OK;
}

static AspError read_guesses(Reader *reader, AspFclibExtra *extra) {
  int count = 0;
  char last[48];
  ASP_TRY(asp_h5_read_integer(&reader->file, "/guesses/number_of_guesses", 0, INT_MAX, &count));
  snprintf(last, sizeof last, "/guesses/%d", count);
  if (count > 0 && !asp_h5_has(&reader->file, last)) // before memory is asked for
    return asp_fail(reader->file.context, ASP_ERROR_INPUT, "%s: /guesses/number_of_guesses is %d but %s is missing",
                    reader->file.path, count, last);
  extra->guess = asp_allocate(reader->file.context, (size_t)count, sizeof *extra->guess);
  if (!extra->guess)
    return ASP_ERROR_MEMORY;
  extra->guess_count = count;
  for (int k = 0; k < count; k++) {
    snprintf(last, sizeof last, "/guesses/%d", k + 1);
    ASP_TRY(read_point(reader, last, &extra->guess[k]));
  }
  return ASP_OK;
}

static AspError read_info(Reader *reader, const char *part, char **text) {
  FclibName name = fclib_name(reader->group, part);
  return asp_h5_has(&reader->file, name.text) ? asp_h5_read_text(&reader->file, name.text, text) : ASP_OK;
}

static AspError read_extra(Reader *reader, AspFclibExtra *extra) {
  ASP_TRY(read_info(reader, "info/title", &extra->title));
  ASP_TRY(read_info(reader, "info/description", &extra->description));
  ASP_TRY(read_info(reader, "info/math_info", &extra->math_info));
  if (asp_h5_has(&reader->file, "/solution"))
    ASP_TRY(read_point(reader, "/solution", &extra->solution));
  if (asp_h5_has(&reader->file, "/guesses"))
    ASP_TRY(read_guesses(reader, extra));
  return ASP_OK;
}

static void release_point(AspContext *context, AspFclibPoint *point) {
  asp_release(context, point->r);
  asp_release(context, point->u);
  asp_release(context, point->x);
}

void asp_fclib_extra_destroy(AspContext *context, AspFclibExtra *extra) {
  if (!extra)
    return;
  asp_release(context, extra->title);
  asp_release(context, extra->description);
  asp_release(context, extra->math_info);
  release_point(context, &extra->solution);
  for (int k = 0; k < extra->guess_count; k++)
    release_point(context, &extra->guess[k]);
  asp_release(context, extra->guess);
  *extra = (AspFclibExtra){0};
}

AspError asp_fclib_read(AspContext *context, const char *path, const AspFclibOptions *options,
                        AspContactProblem *problem, AspFclibExtra *extra) {
  Reader reader = {.triplet = options ? options->triplet : ASP_TRIPLET_P_IS_ROW};
  *problem = (AspContactProblem){0};
  if (extra)
    *extra = (AspFclibExtra){0};
  if (options && (options->cookie != FCLIB_COOKIE || (unsigned)options->triplet > ASP_TRIPLET_P_IS_COLUMN))
    return asp_fail(context, ASP_ERROR_ARGUMENT, "FCLIB options did not come from asp_fclib_default_options");
  AspError error = ASP_OK;
  asp_arena_init(&reader.arena, context);
  ASP_CHECK(asp_h5_open(context, path, &reader.file));
  ASP_CHECK(find_problem(&reader));
  ASP_CHECK(reader.global ? read_global(&reader, problem) : read_local(&reader, problem));
  // the format does not say which bodies the blocks act on: found here, once
  error = problem->dofs > 0 ? asp_problem_set_bodies(context, problem, NULL) : asp_problem_validate(context, problem);
  if (error != ASP_OK) {
    asp_fail_prefix(context, "%s: %s: ", path, reader.group);
    error = error == ASP_ERROR_MEMORY ? error : ASP_ERROR_INPUT;
    goto done;
  }
  if (extra)
    ASP_CHECK(read_extra(&reader, extra));
done:
  asp_h5_close(&reader.file);
  asp_arena_free(&reader.arena);
  if (error != ASP_OK) {
    asp_problem_destroy(context, problem);
    *problem = (AspContactProblem){0};
    if (extra)
      asp_fclib_extra_destroy(context, extra);
  }
  return error;
}

bool asp_fclib_recognise(AspContext *context, const char *path) {
  AspH5File file;
  if (asp_h5_open(context, path, &file) != ASP_OK)
    return false;
  bool found = asp_h5_has(&file, FCLIB_GLOBAL) || asp_h5_has(&file, FCLIB_LOCAL) ||
               asp_h5_has(&file, FCLIB_OWN_GLOBAL) || asp_h5_has(&file, FCLIB_OWN_LOCAL);
  asp_h5_close(&file);
  return found;
}
