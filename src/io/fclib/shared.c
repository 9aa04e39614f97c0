/* What the FCLIB reader and writer share (see fclib.h). */
#include "io/fclib/fclib.h"

#include "linalg/sparse.h"

#include <stdio.h>

FclibName fclib_name(const char *group, const char *part) {
  FclibName name;
  snprintf(name.text, sizeof name.text, "%s/%s", group, part);
  return name;
}

AspError fclib_triplets_init(AspArena *arena, int rows, int columns, size_t capacity, FclibTriplets *triplets) {
  *triplets = (FclibTriplets){.rows = rows,
                              .columns = columns,
                              .row = ASP_TAKE(arena, int, capacity),
                              .column = ASP_TAKE(arena, int, capacity),
                              .value = ASP_TAKE(arena, double, capacity)};
  return triplets->row && triplets->column && triplets->value ? ASP_OK : ASP_ERROR_MEMORY;
}

void fclib_triplets_add(FclibTriplets *triplets, int row, int column, double value) {
  int k = triplets->count++;
  triplets->row[k] = row;
  triplets->column[k] = column;
  triplets->value[k] = value;
}

AspError fclib_triplets_compress(AspArena *arena, const FclibTriplets *triplets, AspSparse *sparse) {
  return asp_sparse_from_triplets(arena, triplets->rows, triplets->columns, triplets->count, triplets->row,
                                  triplets->column, triplets->value, sparse);
}

int fclib_stack_rows(int blocks, const AspLaw *law, const int *offset, int *place) {
  int next = 0, contact_rows = 0;
  for (int pass = 0; pass < 2; pass++) {
    for (int b = 0; b < blocks; b++)
      if ((law[b].kind == ASP_LAW_COULOMB) == (pass == 0))
        for (int i = offset[b]; i < offset[b + 1]; i++)
          place[i] = next++;
    if (pass == 0)
      contact_rows = next;
  }
  return contact_rows;
}
