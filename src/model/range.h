/* Ranges of an expression over an interval of time (range.c). Depends on the public header. */
#ifndef ASP_MODEL_RANGE_H
#define ASP_MODEL_RANGE_H

#include "asperity/model.h"

typedef struct Range {
  double low, high;
} Range;

/* All values that a function and its first derivative take; changes: a branch (if, min, step, a point of a table, ...)
 * may change inside, so that value or derivative may jump. */
typedef struct RangeJet {
  Range value, rate;
  bool changes;
} RangeJet;

RangeJet asp_expression_range(const AspExpression *expression, Range t, const AspInput *variable);

/* The same of a table at the arguments x, per unit of x. */
RangeJet asp_table_range(const AspTable *table, Range x);

#endif
