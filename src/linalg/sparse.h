/* Sparse matrices in compressed columns (AspSparse): memory, checks, products, transposition, building from triplets.
 *
 * Contract of every function: rows ascend within a column and no entry is stored twice, on entry and on return, unless
 * it says otherwise. Explicit zeros are allowed. Depends on base only.
 */
#ifndef ASP_LINALG_SPARSE_H
#define ASP_LINALG_SPARSE_H

#include "asperity/linalg.h"
#include "base/base.h"

static inline int asp_sparse_entries(const AspSparse *A) { return A->columns > 0 ? A->start[A->columns] : 0; }

/* Arrays for `entries` entries, zeroed, on the context or in the arena. asp_sparse_release is for the former only. */
AspError asp_sparse_allocate(AspContext *context, int rows, int columns, int entries, AspSparse *A);
void asp_sparse_release(AspContext *context, AspSparse *A);
AspError asp_sparse_take(AspArena *arena, int rows, int columns, int entries, AspSparse *A);
/* B = A, on the context. */
AspError asp_sparse_copy(AspContext *context, const AspSparse *A, AspSparse *B);

/* Sizes, ascending starts, rows in range and ascending, finite values; `name` stands in the message. */
AspError asp_sparse_validate(AspContext *context, const AspSparse *A, const char *name);
/* The same in two parts: all but the entries, and those of the columns from `first` to `end` - 1, of which nothing is
 * said but whether they are right. */
AspError asp_sparse_validate_frame(AspContext *context, const AspSparse *A, const char *name);
bool asp_sparse_are_sound(const AspSparse *A, int first, int end);
/* Is none of them infinite or not a number? */
bool asp_all_finite(const double *value, size_t count);

/* y += a A x; by the context's team the same bits. */
void asp_sparse_multiply_add(const AspSparse *A, double a, const double *x, double *y);
void asp_sparse_multiply_add_parallel(AspContext *context, const AspSparse *A, double a, const double *x, double *y);
/* y += a A^T x */
void asp_sparse_multiply_transpose_add(const AspSparse *A, double a, const double *x, double *y);

/* T = A^T. T has its arrays: rows = A->columns, columns = A->rows and room for A's entries. Rows of A need not ascend;
 * those of T do (two transpositions sort a matrix). When `map` is not NULL, T->value[map[k]] came from A->value[k]. */
void asp_sparse_transpose(const AspSparse *A, AspSparse *T, int *map);

/* A from `count` triplets in any order; entries at the same place are added in the order given. A lies in the arena,
 * as does the scratch memory. Indices out of range are refused. */
AspError asp_sparse_from_triplets(AspArena *arena, int rows, int columns, int count, const int *row, const int *column,
                                  const double *value, AspSparse *A);

/* B = A(p, p): entry (i, j) of B is entry (p[i], p[j]) of the square matrix A; inverse[p[i]] = i. B
 * lies in the arena. */
AspError asp_sparse_permute(AspArena *arena, const AspSparse *A, const int *p, const int *inverse, AspSparse *B);

/* The connected components of the graph of the square matrix A (an entry on either side of the diagonal connects).
 * Component c owns the indices member[start[c]] .. member[start[c + 1] - 1], ascending; components are numbered by
 * their smallest index. All in the arena. */
typedef struct AspComponents {
  int count;
  int *start;  /* count + 1 */
  int *member; /* columns */
  int *of;     /* columns: the component of each index */
} AspComponents;
AspError asp_sparse_components(AspArena *arena, const AspSparse *A, AspComponents *components);

#endif
