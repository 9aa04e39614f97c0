/* The contact problem as plain data: memory, copies, and the check that it makes sense. Equations:
 * docs/theory/contact-problem.md. */
#include "asperity/problem.h"
#include "base/elementary.h"

#include "base/parallel.h"
#include "linalg/sparse.h"
#include "problem/bodies.h"
#include "problem/residual.h"
#include "problem/tuning/problem.h"
#include "problem/validate.h"

#include <math.h>
#include <stdatomic.h>

const char *asp_law_kind_name(AspLawKind kind) {
  static const char *const names[ASP_LAW_COUNT] = {
#define ASP_LAW_NAME(code, name) name,
      ASP_LAW_LIST(ASP_LAW_NAME)
#undef ASP_LAW_NAME
  };
  return kind >= 0 && kind < ASP_LAW_COUNT ? names[kind] : "unknown law";
}

const char *const asp_cone_kind_names[] = {"exact", "inscribed", "circumscribed", "relaxed", NULL};

const char *asp_cone_kind_name(AspConeKind kind) {
  return (unsigned)kind <= ASP_CONE_RELAXED ? asp_cone_kind_names[kind] : "unknown";
}

static AspError allocate_global(AspContext *context, int rows, int dofs, int nonzeros_M, int nonzeros_H,
                                AspContactProblem *problem) {
  ASP_TRY(asp_sparse_allocate(context, dofs, dofs, nonzeros_M, &problem->M));
  ASP_TRY(asp_sparse_allocate(context, dofs, rows, nonzeros_H, &problem->H));
  problem->f = asp_allocate(context, (size_t)dofs, sizeof(double));
  problem->w = asp_allocate(context, (size_t)rows, sizeof(double));
  return problem->f && problem->w ? ASP_OK : ASP_ERROR_MEMORY;
}

static AspError allocate_local(AspContext *context, int rows, int nonzeros_W, AspContactProblem *problem) {
  ASP_TRY(asp_sparse_allocate(context, rows, rows, nonzeros_W, &problem->W));
  problem->q = asp_allocate(context, (size_t)rows, sizeof(double));
  return problem->q ? ASP_OK : ASP_ERROR_MEMORY;
}

AspError asp_problem_create(AspContext *context, int dimension, int blocks, int rows, int dofs, int nonzeros_M,
                            int nonzeros_H, int nonzeros_W, AspContactProblem *problem) {
  *problem = (AspContactProblem){.dimension = dimension, .blocks = blocks, .rows = rows, .dofs = dofs};
  if (dimension != 2 && dimension != 3)
    return asp_fail(context, ASP_ERROR_ARGUMENT, "contact problem: dimension %d is neither 2 nor 3", dimension);
  if (blocks < 0 || rows < 0 || dofs < 0 || nonzeros_M < 0 || nonzeros_H < 0 || nonzeros_W < 0)
    return asp_fail(context, ASP_ERROR_ARGUMENT,
                    "contact problem: %d blocks, %d rows, %d dofs, %d, %d, %d nonzeros: none may be negative", blocks,
                    rows, dofs, nonzeros_M, nonzeros_H, nonzeros_W);
  AspError error = ASP_OK;
  problem->offset = asp_allocate(context, (size_t)blocks + 1, sizeof *problem->offset);
  problem->law = asp_allocate(context, (size_t)blocks, sizeof *problem->law);
  if (!problem->offset || !problem->law)
    error = ASP_ERROR_MEMORY;
  if (error == ASP_OK && dofs > 0)
    error = allocate_global(context, rows, dofs, nonzeros_M, nonzeros_H, problem);
  if (error == ASP_OK && (dofs == 0 || nonzeros_W > 0))
    error = allocate_local(context, rows, nonzeros_W, problem);
  if (error != ASP_OK)
    asp_problem_destroy(context, problem);
  return error;
}

void asp_problem_destroy(AspContext *context, AspContactProblem *problem) {
  if (!problem)
    return;
  asp_release(context, problem->offset);
  asp_release(context, problem->law);
  asp_sparse_release(context, &problem->M);
  asp_sparse_release(context, &problem->H);
  asp_sparse_release(context, &problem->W);
  asp_release(context, problem->f);
  asp_release(context, problem->w);
  asp_release(context, problem->q);
  asp_bodies_release(context, &problem->bodies);
  *problem = (AspContactProblem){0};
}

static double *copy_vector(AspContext *context, const double *from, int count) {
  double *copy = asp_allocate(context, (size_t)count, sizeof *copy);
  if (copy && count > 0)
    memcpy(copy, from, (size_t)count * sizeof *copy);
  return copy;
}

AspError asp_problem_copy(AspContext *context, const AspContactProblem *from, AspContactProblem *to) {
  AspError error = ASP_OK;
  *to =
      (AspContactProblem){.dimension = from->dimension, .blocks = from->blocks, .rows = from->rows, .dofs = from->dofs};
  to->offset = asp_allocate(context, (size_t)from->blocks + 1, sizeof *to->offset);
  to->law = asp_allocate(context, (size_t)from->blocks, sizeof *to->law);
  if (!to->offset || !to->law) {
    error = ASP_ERROR_MEMORY;
    goto done;
  }
  memcpy(to->offset, from->offset, ((size_t)from->blocks + 1) * sizeof *to->offset);
  if (from->blocks > 0)
    memcpy(to->law, from->law, (size_t)from->blocks * sizeof *to->law);
  if (from->dofs > 0) {
    ASP_CHECK(asp_sparse_copy(context, &from->M, &to->M));
    ASP_CHECK(asp_sparse_copy(context, &from->H, &to->H));
    to->f = copy_vector(context, from->f, from->dofs);
    to->w = copy_vector(context, from->w, from->rows);
    if (!to->f || !to->w) {
      error = ASP_ERROR_MEMORY;
      goto done;
    }
    ASP_CHECK(asp_bodies_copy(context, from->dofs, from->blocks, &from->bodies, &to->bodies));
  }
  if (error == ASP_OK && from->q) {
    ASP_CHECK(asp_sparse_copy(context, &from->W, &to->W));
    to->q = copy_vector(context, from->q, from->rows);
    if (!to->q)
      error = ASP_ERROR_MEMORY;
  }
done:
  if (error != ASP_OK)
    asp_problem_destroy(context, to);
  return error;
}

/* ---- validation ---- */

static AspError validate_polygon(AspContext *context, int block, const AspLaw *law) {
  bool inscribed = law->cone == ASP_CONE_INSCRIBED;
  if (law->cone < ASP_CONE_EXACT || law->cone > ASP_CONE_RELAXED)
    return asp_fail(context, ASP_ERROR_INPUT, "block %d: cone %d is not a kind of cone", block, (int)law->cone);
  if (law->cone == ASP_CONE_EXACT || law->cone == ASP_CONE_RELAXED)
    return ASP_OK;
  if (inscribed && law->directions < 3)
    return asp_fail(context, ASP_ERROR_INPUT, "block %d: directions %d of an inscribed polygon, at least 3 are needed",
                    block, law->directions);
  if (!inscribed && (law->directions < 4 || law->directions % 2 != 0))
    return asp_fail(context, ASP_ERROR_INPUT,
                    "block %d: directions %d of a circumscribed polygon, an even number of at least 4 is needed", block,
                    law->directions);
  if (!isfinite(law->angle))
    return asp_fail(context, ASP_ERROR_INPUT, "block %d: angle %g of the polygon is not a finite number", block,
                    law->angle);
  return ASP_OK;
}

static AspError validate_direction(AspContext *context, int block, int dimension, const AspLaw *law) {
  double length = dimension == 2 ? fabs(law->direction[0]) : asp_hypot(law->direction[0], law->direction[1]);
  if (!(fabs(length - 1) <= PROBLEM_UNIT))
    return asp_fail(context, ASP_ERROR_INPUT, "block %d: slip direction of length %.12g, must have length 1", block,
                    length);
  return ASP_OK;
}

static AspError validate_law(AspContext *context, const AspContactProblem *problem, int block) {
  const AspLaw *law = &problem->law[block];
  int rows = problem->offset[block + 1] - problem->offset[block];
  bool contact = law->kind == ASP_LAW_COULOMB || law->kind == ASP_LAW_SLIDING;
  bool single = law->kind == ASP_LAW_UNILATERAL || law->kind == ASP_LAW_BOX;
  if (law->kind < 0 || law->kind >= ASP_LAW_COUNT)
    return asp_fail(context, ASP_ERROR_INPUT, "block %d: law %d is not a kind of law", block, (int)law->kind);
  if (law->kind == ASP_LAW_BALL && rows != 2 && rows != 3)
    return asp_fail(context, ASP_ERROR_INPUT, "block %d: %d rows for the law ball, needs 2 or 3; one row is a box",
                    block, rows);
  if ((contact && rows != problem->dimension) || (single && rows != 1) || rows < 1)
    return asp_fail(context, ASP_ERROR_INPUT, "block %d: %d rows for the law %s, needs %d", block, rows,
                    asp_law_kind_name(law->kind), contact ? problem->dimension : 1);
  if (contact && !(law->mu >= 0 && isfinite(law->mu)))
    return asp_fail(context, ASP_ERROR_INPUT, "block %d: mu %g, must be finite and >= 0", block, law->mu);
  if ((law->kind == ASP_LAW_BOX || law->kind == ASP_LAW_BALL) && !(law->limit >= 0 && isfinite(law->limit)))
    return asp_fail(context, ASP_ERROR_INPUT, "block %d: limit %g, must be finite and >= 0", block, law->limit);
  if (law->kind == ASP_LAW_COULOMB)
    return validate_polygon(context, block, law);
  if (law->kind == ASP_LAW_SLIDING)
    return validate_direction(context, block, problem->dimension, law);
  return ASP_OK;
}

typedef struct Laws {
  const AspContactProblem *problem;
  atomic_bool doubtful;
} Laws;

/* Plain contacts, which most blocks are, have nothing to be named. */
static void check_laws(void *data, int from, int end) {
  Laws *laws = data;
  const AspContactProblem *problem = laws->problem;
  bool plain = true;
  for (int i = from; i < end; i++) {
    const AspLaw *law = &problem->law[i];
    plain = plain && law->kind == ASP_LAW_COULOMB && law->cone == ASP_CONE_EXACT && law->mu >= 0 && isfinite(law->mu) &&
            problem->offset[i + 1] - problem->offset[i] == problem->dimension;
  }
  if (!plain)
    atomic_store_explicit(&laws->doubtful, true, memory_order_relaxed);
}

static AspError validate_laws(AspContext *context, const AspContactProblem *problem) {
  Laws laws = {.problem = problem};
  asp_parallel_for(context, problem->blocks, PROBLEM_GRAIN, check_laws, &laws);
  for (int i = 0; laws.doubtful && i < problem->blocks; i++)
    ASP_TRY(validate_law(context, problem, i));
  return ASP_OK;
}

typedef AspError Validation(AspContext *context, const AspSparse *A, const char *name);

static AspError validate_matrix(AspContext *context, const AspSparse *A, int rows, int columns, const char *name,
                                Validation *validate) {
  if (A->rows != rows || A->columns != columns)
    return asp_fail(context, ASP_ERROR_INPUT, "%s is %d x %d, must be %d x %d", name, A->rows, A->columns, rows,
                    columns);
  return validate(context, A, name);
}

static AspError validate_vector(AspContext *context, const double *vector, int count, const char *name) {
  if (count > 0 && !vector)
    return asp_fail(context, ASP_ERROR_INPUT, "%s is missing", name);
  if (count <= 0 || asp_all_finite(vector, (size_t)count))
    return ASP_OK;
  for (int i = 0; i < count; i++)
    if (!isfinite(vector[i]))
      return asp_fail(context, ASP_ERROR_INPUT, "%s[%d] is %g, not a finite number", name, i, vector[i]);
  return ASP_OK;
}

/* H by `columns`, and bodies where that is all of it. */
static AspError validate(AspContext *context, const AspContactProblem *problem, Validation *columns) {
  const AspContactProblem *p = problem;
  if (p->dimension != 2 && p->dimension != 3)
    return asp_fail(context, ASP_ERROR_INPUT, "dimension %d is neither 2 nor 3", p->dimension);
  if (p->blocks < 0 || p->rows < 0 || p->dofs < 0)
    return asp_fail(context, ASP_ERROR_INPUT, "%d blocks, %d rows, %d dofs: none may be negative", p->blocks, p->rows,
                    p->dofs);
  if (!p->offset || (p->blocks > 0 && !p->law))
    return asp_fail(context, ASP_ERROR_INPUT, "offsets or laws are missing");
  if (p->offset[0] != 0 || p->offset[p->blocks] != p->rows)
    return asp_fail(context, ASP_ERROR_INPUT, "offsets run from %d to %d, must run from 0 to rows = %d", p->offset[0],
                    p->offset[p->blocks], p->rows);
  ASP_TRY(validate_laws(context, p));
  if (p->dofs == 0 && p->bodies.count != 0)
    return asp_fail(context, ASP_ERROR_INPUT, "%d bodies without dofs: only the global form has bodies",
                    p->bodies.count);
  bool local = p->dofs == 0 || p->W.columns > 0;
  if (p->dofs > 0) {
    ASP_TRY(validate_matrix(context, &p->M, p->dofs, p->dofs, "M", asp_sparse_validate));
    ASP_TRY(validate_matrix(context, &p->H, p->dofs, p->rows, "H", columns));
    ASP_TRY(validate_vector(context, p->f, p->dofs, "f"));
    ASP_TRY(validate_vector(context, p->w, p->rows, "w"));
    if (p->bodies.count != 0 && columns == asp_sparse_validate)
      ASP_TRY(asp_bodies_validate(context, p));
  }
  if (local) {
    ASP_TRY(validate_matrix(context, &p->W, p->rows, p->rows, "W", asp_sparse_validate));
    ASP_TRY(validate_vector(context, p->q, p->rows, "q"));
  }
  return ASP_OK;
}

AspError asp_problem_validate(AspContext *context, const AspContactProblem *problem) {
  return validate(context, problem, asp_sparse_validate);
}

AspError asp_problem_validate_frame(AspContext *context, const AspContactProblem *problem) {
  return validate(context, problem, asp_sparse_validate_frame);
}
