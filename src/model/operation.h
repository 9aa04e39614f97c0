/* The program that an expression becomes: a list of operations on a stack (expression.c runs it on jets, range.c on
 * ranges). Depends on jet.h, table.h. */
#ifndef ASP_MODEL_OPERATION_H
#define ASP_MODEL_OPERATION_H

#include "model/jet.h"
#include "model/table.h"

/* code, name in expressions ("": not a function but an operator or operand), operands, the jet from operands u[] */
#define OPERATION_LIST(X)                                                                                              \
  X(NUMBER, "", 0, jet_constant(operation->number))                                                                    \
  X(TIME, "", 0, ((AspJet){t, 1, 0}))                                                                                  \
  X(VARIABLE, "", 0, asp_input_at(&variable[(int)operation->number], t))                                               \
  X(NEGATIVE, "", 1, jet_negative(u[0]))                                                                               \
  X(NOT, "", 1, jet_not(u[0]))                                                                                         \
  X(AND, "", 2, jet_minimum(u[0], u[1]))                                                                               \
  X(OR, "", 2, jet_maximum(u[0], u[1]))                                                                                \
  X(LESS, "", 2, jet_less(u[0], u[1]))                                                                                 \
  X(GREATER, "", 2, jet_less(u[1], u[0]))                                                                              \
  X(AT_MOST, "", 2, jet_difference(u[1], u[0]))                                                                        \
  X(AT_LEAST, "", 2, jet_difference(u[0], u[1]))                                                                       \
  X(SUM, "", 2, jet_sum(u[0], u[1]))                                                                                   \
  X(DIFFERENCE, "", 2, jet_difference(u[0], u[1]))                                                                     \
  X(PRODUCT, "", 2, jet_product(u[0], u[1]))                                                                           \
  X(QUOTIENT, "", 2, jet_quotient(u[0], u[1]))                                                                         \
  X(POWER, "pow", 2, jet_power(u[0], u[1]))                                                                            \
  X(SIN, "sin", 1, jet_sin(u[0]))                                                                                      \
  X(COS, "cos", 1, jet_cos(u[0]))                                                                                      \
  X(TAN, "tan", 1, jet_tan(u[0]))                                                                                      \
  X(ASIN, "asin", 1, jet_asin(u[0]))                                                                                   \
  X(ACOS, "acos", 1, jet_acos(u[0]))                                                                                   \
  X(ATAN, "atan", 1, jet_atan(u[0]))                                                                                   \
  X(ATAN2, "atan2", 2, jet_atan2(u[0], u[1]))                                                                          \
  X(SINH, "sinh", 1, jet_sinh(u[0]))                                                                                   \
  X(COSH, "cosh", 1, jet_cosh(u[0]))                                                                                   \
  X(TANH, "tanh", 1, jet_tanh(u[0]))                                                                                   \
  X(EXP, "exp", 1, jet_exp(u[0]))                                                                                      \
  X(LOG, "log", 1, jet_log(u[0]))                                                                                      \
  X(SQRT, "sqrt", 1, jet_sqrt(u[0]))                                                                                   \
  X(ABS, "abs", 1, jet_absolute(u[0]))                                                                                 \
  X(SIGN, "sign", 1, jet_sign(u[0]))                                                                                   \
  X(MIN, "min", 2, jet_minimum(u[0], u[1]))                                                                            \
  X(MAX, "max", 2, jet_maximum(u[0], u[1]))                                                                            \
  X(CLAMP, "clamp", 3, jet_clamp(u[0], u[1], u[2]))                                                                    \
  X(STEP, "step", 2, jet_step(u[0], u[1]))                                                                             \
  X(SMOOTHSTEP, "smoothstep", 3, jet_smoothstep(u[0], u[1], u[2]))                                                     \
  X(TABLE, "table", 1, asp_table_at(operation->table, u[0]))                                                           \
  X(IF, "if", 3, jet_choose(u[0], u[1], u[2]))

typedef enum Code {
#define OPERATION_ENUM(code, name, operands, result) CODE_##code,
  OPERATION_LIST(OPERATION_ENUM)
#undef OPERATION_ENUM
      CODE_COUNT
} Code;

typedef struct Operation {
  union {
    double number;         /* NUMBER; VARIABLE: its slot */
    const AspTable *table; /* TABLE, borrowed */
  };
  Code code;
} Operation;

struct AspExpression {
  Operation *operation;
  int count;
};

/* Operands of an operation. */
int asp_operands(Code code);

#endif
