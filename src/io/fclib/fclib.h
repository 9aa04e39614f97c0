/* What the FCLIB reader and writer share: names of groups, the numbers that stand for laws in a file, and sparse
 * matrices by triplets. File layout: docs/reference/fclib.md. Depends on base, linalg and the public headers.
 */
#ifndef ASP_IO_FCLIB_H
#define ASP_IO_FCLIB_H

#include "asperity/io.h"
#include "io/file/hdf5_data.h"

#define FCLIB_GLOBAL         "/fclib_global"
#define FCLIB_LOCAL          "/fclib_local"
#define FCLIB_OWN            "/asperity" /* our laws and order of blocks */
#define FCLIB_OWN_GLOBAL     "/asperity/global"
#define FCLIB_OWN_LOCAL      "/asperity/local"
#define FCLIB_COLUMNS        (-1) /* nz of a matrix in compressed columns */
#define FCLIB_ROWS           (-2) /* nz of a matrix in compressed rows */
#define FCLIB_LAYOUT_VERSION 1    /* of the group /asperity */

/* a file stores laws and cones by these numbers: they must never change */
_Static_assert(ASP_LAW_EQUALITY == 0 && ASP_LAW_UNILATERAL == 1 && ASP_LAW_COULOMB == 2 && ASP_LAW_SLIDING == 3 &&
                   ASP_LAW_BOX == 4 && ASP_LAW_BALL == 5 && ASP_LAW_COUNT == 6,
               "law numbers are part of the file format");
_Static_assert(ASP_CONE_EXACT == 0 && ASP_CONE_INSCRIBED == 1 && ASP_CONE_CIRCUMSCRIBED == 2,
               "cone numbers are part of the file format");

/* A place inside a file, "/fclib_local/W/p", from its parts. */
typedef struct FclibName {
  char text[96];
} FclibName;
FclibName fclib_name(const char *group, const char *part);

/* Entries of a matrix in any order; duplicates add up. Memory from an arena. */
typedef struct FclibTriplets {
  int rows, columns;
  int count;
  int *row, *column; /* the capacity given to init */
  double *value;
} FclibTriplets;

AspError fclib_triplets_init(AspArena *arena, int rows, int columns, size_t capacity, FclibTriplets *triplets);
/* capacity must have been foreseen */
void fclib_triplets_add(FclibTriplets *triplets, int row, int column, double value);
/* Compressed columns, rows ascending, duplicates summed in the order they came. */
AspError fclib_triplets_compress(AspArena *arena, const FclibTriplets *triplets, AspSparse *sparse);

/* Number of rows of FCLIB's contacts in a problem, and for every row of the problem its place in FCLIB's stacked order:
 * the rows of COULOMB blocks first, then those of EQUALITY blocks, each in the problem's order. */
int fclib_stack_rows(int blocks, const AspLaw *law, const int *offset, int *place);

#endif
