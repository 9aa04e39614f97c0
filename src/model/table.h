/* Tables: functions of one argument given by points (table.c). Depends on the public header only. */
#ifndef ASP_MODEL_TABLE_H
#define ASP_MODEL_TABLE_H

#include "asperity/model.h"

/* Piece k is a polynomial in s = x - its point: piece 0 lies before point 0 and is about it, piece k from point k - 1
 * to point k is about point k - 1, piece `count` lies behind the last point and is about that. */
struct AspTable {
  AspTableDef def; /* name: the model's; x: count, y: NULL */
  int terms;       /* coefficients of a piece */
  double *x;       /* count, ascending */
  double *piece;   /* (count + 1) x terms */
  double per_x;    /* points per unit of x where they are evenly spaced; 0: they are not */
  double growth;   /* REPEAT, integrated: of the first integral over one period */
  int smooth;      /* derivatives that have no jump; -1: the value jumps */
};

AspError asp_table_make(AspContext *context, const AspTableDef *def, AspTable **table);
AspError asp_table_copy(AspContext *context, const AspTable *from, AspTable **table);
void asp_table_destroy(AspContext *context, AspTable *table);
/* ASP_OK where the function and its first derivative have no jumps; otherwise the message says where, and what helps */
AspError asp_table_check_motion(AspContext *context, const AspTable *table);

#endif
