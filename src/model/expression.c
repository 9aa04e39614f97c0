/* Expressions in t and in variables given by name: a recursive-descent parser writes a postfix program, a stack of jets
 * runs it (jet.h: exact first and second derivatives). The grammar, for users in docs/reference/expressions.md:
 *
 *   any     = all { or all }
 *   all     = truth { and truth }
 *   truth   = { not } sum [ (<|>|<=|>=) sum ]
 *   sum     = product { (+|-) product }
 *   product = unary { (*|/) unary }
 *   unary   = (-|+) unary | power
 *   power   = primary [ ^ unary ]                      -2^2 = -4, 2^3^2 = 2^9
 *   primary = number | t | pi | e | variable | function ( any {, any} ) | table ( name , any ) | ( any )
 *
 * Truth is a number: true where >= 0, false where < 0, as `if` takes it; a < b is b - a, a hair below zero where they
 * are equal. `and` is the smaller, `or` the larger, so that a condition says by how much it holds or fails.
 *
 * The name of a variable becomes the number of its slot while parsing; evaluation takes its value from there. The name
 * of a table is a word, or any text in ' or ".
 *
 * Text length, nesting and stack are limited, so that no input can exhaust the machine's stack. Depends on base.
 */
#include "model/model.h"
#include "model/operation.h"
#include "model/tuning/model.h"

#include <stdio.h>
#include <stdlib.h>

static const struct {
  const char *name;
  int operands;
} operations[CODE_COUNT] = {
#define OPERATION_ROW(code, name, operands, result) {name, operands},
    OPERATION_LIST(OPERATION_ROW)
#undef OPERATION_ROW
};

int asp_operands(Code code) { return operations[code].operands; }

/* ---- parsing ---- */

typedef struct Parser {
  AspContext *context;
  const AspVariables *variables; /* NULL: none */
  const char *text, *at;
  Operation *operation;
  size_t capacity;
  int count;
  int nesting; /* of the rules that call each other */
  int stack;   /* operands waiting at this point of the program */
} Parser;

static AspError parse_any(Parser *parser);

static AspError fail_at(const Parser *parser, const char *at, const char *problem) {
  char start[64]; // of the text, in one line
  snprintf(start, sizeof start, "%s", parser->text);
  for (int i = 0; start[i]; i++)
    start[i] = start[i] == '\n' || start[i] == '\r' ? ' ' : start[i];
  return asp_fail(parser->context, ASP_ERROR_INPUT, "'%.60s', column %d: %s", start, (int)(at - parser->text) + 1,
                  problem);
}

static AspError fail_expected(const Parser *parser, const char *what) {
  unsigned char c = (unsigned char)*parser->at;
  char problem[160], found[32];
  if (c == 0)
    snprintf(found, sizeof found, "the end");
  // exact: printable characters
  else if (c > 32 && c < 127)
    snprintf(found, sizeof found, "'%c'", c);
  else
    snprintf(found, sizeof found, "the byte 0x%02X", c);
  snprintf(problem, sizeof problem, "expected %s, found %s", what, found);
  return fail_at(parser, parser->at, problem);
}

static void skip_blanks(Parser *parser) {
  while (*parser->at == ' ' || *parser->at == '\t' || *parser->at == '\n' || *parser->at == '\r')
    parser->at++;
}

/* After blanks: the next character, eaten when it is the wanted one. */
static bool take(Parser *parser, char wanted) {
  skip_blanks(parser);
  if (*parser->at != wanted)
    return false;
  parser->at++;
  return true;
}

static AspError emit(Parser *parser, Code code, double number) {
  parser->stack += 1 - operations[code].operands;
  if (parser->stack > EXPRESSION_STACK_MAX)
    return fail_at(parser, parser->at, "too many operands wait for an operator; split the expression");
  ASP_TRY(ASP_GROW(parser->context, parser->operation, parser->capacity, parser->count + 1));
  parser->operation[parser->count++] = (Operation){.number = number, .code = code};
  return ASP_OK;
}

static bool is_digit(char c) { return c >= '0' && c <= '9'; }
static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

/* digits[.digits][e[+-]digits]. Rewritten without the point ("1.25e3" as "125e1"), for strtod's point depends on the
 * locale. */
static AspError parse_number(Parser *parser) {
  const char *start = parser->at;
  char digits[EXPRESSION_DIGITS_MAX + 16];
  int count = 0, scale = 0;
  for (bool fraction = false; is_digit(*parser->at) || (*parser->at == '.' && !fraction); parser->at++) {
    if (*parser->at == '.') {
      fraction = true;
      continue;
    }
    if (count == EXPRESSION_DIGITS_MAX)
      return fail_at(parser, start, "the number has too many digits");
    digits[count++] = *parser->at;
    scale -= fraction;
  }
  if (count == 0)
    return fail_expected(parser, "a digit");
  if (*parser->at == 'e' || *parser->at == 'E') {
    parser->at++;
    bool negative = *parser->at == '-';
    parser->at += negative || *parser->at == '+';
    if (!is_digit(*parser->at))
      return fail_expected(parser, "the digits of an exponent");
    int exponent = 0;
    for (; is_digit(*parser->at); parser->at++)
      // exact: decimal digits
      exponent = exponent < EXPRESSION_EXPONENT_MOST ? 10 * exponent + (*parser->at - '0') : exponent;
    scale += negative ? -exponent : exponent;
  }
  snprintf(digits + count, sizeof digits - (size_t)count, "e%d", scale);
  double number = strtod(digits, NULL);
  if (!isfinite(number))
    return fail_at(parser, start, "the number is too large (beyond 1.8e308)");
  return emit(parser, CODE_NUMBER, number);
}

static bool is_quote(char c) { return c == '\'' || c == '"'; }

/* The first argument of table(...) and the comma behind it. */
static AspError parse_table_name(Parser *parser, const AspTable **table) {
  char name[EXPRESSION_TABLE_MAX + 1], problem[EXPRESSION_TABLE_MAX + 64];
  skip_blanks(parser);
  const char *start = parser->at, quote = *start;
  const char *from = start + is_quote(quote), *end = from;
  while (*end && (is_quote(quote) ? *end != quote : is_letter(*end) || is_digit(*end)))
    end++;
  if (end == from || (is_quote(quote) && !*end))
    return fail_expected(parser, "the name of a table, or a file in quotes, and then the argument");
  if (end - from > EXPRESSION_TABLE_MAX)
    return fail_at(parser, start, "the name of the table is too long");
  snprintf(name, sizeof name, "%.*s", (int)(end - from), from);
  const AspVariables *variables = parser->variables;
  *table = variables && variables->table ? variables->table(variables->user, name) : NULL;
  snprintf(problem, sizeof problem, "there is no table '%s'", name);
  if (!*table)
    return fail_at(parser, start, problem);
  parser->at = end + is_quote(quote);
  return take(parser, ',') ? ASP_OK : fail_expected(parser, "',' and the argument of the table");
}

static AspError parse_function(Parser *parser, Code code) {
  const char *name = operations[code].name;
  int arguments = operations[code].operands;
  const AspTable *table = NULL;
  char wanted[64];
  if (!take(parser, '(')) {
    snprintf(wanted, sizeof wanted, "'(' after %s", name);
    return fail_expected(parser, wanted);
  }
  if (code == CODE_TABLE)
    ASP_TRY(parse_table_name(parser, &table));
  for (int i = 0; i < arguments; i++) {
    if (i > 0 && !take(parser, ',')) {
      snprintf(wanted, sizeof wanted, "an operator or ',' (%s takes %d arguments)", name, arguments);
      return fail_expected(parser, wanted);
    }
    ASP_TRY(parse_any(parser));
  }
  if (!take(parser, ')')) {
    snprintf(wanted, sizeof wanted, "an operator or ')' (%s takes %d argument%s)", name, arguments,
             arguments > 1 ? "s" : "");
    return fail_expected(parser, wanted);
  }
  ASP_TRY(emit(parser, code, 0));
  if (table)
    parser->operation[parser->count - 1].table = table;
  return ASP_OK;
}

static bool name_is(const char *start, size_t length, const char *name) {
  return strlen(name) == length && memcmp(start, name, length) == 0;
}

/* The slot of a variable; -1: no such name. */
static int find_variable(const Parser *parser, const char *start, size_t length) {
  char name[EXPRESSION_NAME_MAX + 1];
  if (!parser->variables || !parser->variables->slot || length > EXPRESSION_NAME_MAX)
    return -1;
  memcpy(name, start, length);
  name[length] = '\0';
  return parser->variables->slot(parser->variables->user, name);
}

static AspError parse_name(Parser *parser) {
  const char *start = parser->at;
  while (is_letter(*parser->at) || is_digit(*parser->at) || *parser->at == '.')
    parser->at++;
  size_t length = (size_t)(parser->at - start);
  int slot = find_variable(parser, start, length);
  if (slot >= 0)
    return emit(parser, CODE_VARIABLE, slot);
  if (name_is(start, length, "t"))
    return emit(parser, CODE_TIME, 0);
  if (name_is(start, length, "pi"))
    return emit(parser, CODE_NUMBER, ASP_PI);
  if (name_is(start, length, "e"))
    // exact: e
    return emit(parser, CODE_NUMBER, 2.71828182845904523536);
  for (int code = 0; code < CODE_COUNT; code++)
    if (name_is(start, length, operations[code].name))
      return parse_function(parser, (Code)code);
  char problem[128];
  snprintf(problem, sizeof problem, "'%.*s' is not known; expected t, pi, e%s or a function such as sin",
           length < EXPRESSION_NAMED_CHARACTERS ? (int)length : EXPRESSION_NAMED_CHARACTERS, start,
           parser->variables ? ", an input" : "");
  return fail_at(parser, start, problem);
}

static AspError parse_primary(Parser *parser) {
  skip_blanks(parser);
  if (is_digit(*parser->at) || *parser->at == '.')
    return parse_number(parser);
  if (is_letter(*parser->at))
    return parse_name(parser);
  if (!take(parser, '('))
    return fail_expected(parser, "a number, t, a function or '('");
  ASP_TRY(parse_any(parser));
  return take(parser, ')') ? ASP_OK : fail_expected(parser, "an operator or ')'");
}

/* Every recursion passes here, so the nesting is counted here. */
static AspError parse_unary(Parser *parser) {
  if (++parser->nesting > EXPRESSION_NESTING_MAX)
    return fail_at(parser, parser->at, "nested too deeply (64 levels of brackets, signs and powers are allowed)");
  if (take(parser, '-')) {
    ASP_TRY(parse_unary(parser));
    ASP_TRY(emit(parser, CODE_NEGATIVE, 0));
  } else if (take(parser, '+')) {
    ASP_TRY(parse_unary(parser));
  } else {
    ASP_TRY(parse_primary(parser));
    if (take(parser, '^')) {
      ASP_TRY(parse_unary(parser));
      ASP_TRY(emit(parser, CODE_POWER, 0));
    }
  }
  parser->nesting--;
  return ASP_OK;
}

static AspError parse_product(Parser *parser) {
  ASP_TRY(parse_unary(parser));
  for (;;) {
    Code code = CODE_PRODUCT;
    if (take(parser, '/'))
      code = CODE_QUOTIENT;
    else if (!take(parser, '*'))
      return ASP_OK;
    ASP_TRY(parse_unary(parser));
    ASP_TRY(emit(parser, code, 0));
  }
}

static AspError parse_sum(Parser *parser) {
  ASP_TRY(parse_product(parser));
  for (;;) {
    Code code = CODE_SUM;
    if (take(parser, '-'))
      code = CODE_DIFFERENCE;
    else if (!take(parser, '+'))
      return ASP_OK;
    ASP_TRY(parse_product(parser));
    ASP_TRY(emit(parser, code, 0));
  }
}

/* After blanks: the word, eaten when it is the wanted one. */
static bool take_word(Parser *parser, const char *word) {
  skip_blanks(parser);
  size_t length = strlen(word);
  if (strncmp(parser->at, word, length) != 0)
    return false;
  char behind = parser->at[length];
  if (is_letter(behind) || is_digit(behind) || behind == '.')
    return false;
  parser->at += length;
  return true;
}

static AspError parse_truth(Parser *parser) {
  bool reversed = false;
  while (take_word(parser, "not"))
    reversed = !reversed;
  ASP_TRY(parse_sum(parser));
  Code code = CODE_NUMBER;
  if (take(parser, '<'))
    code = *parser->at == '=' ? CODE_AT_MOST : CODE_LESS;
  else if (take(parser, '>'))
    code = *parser->at == '=' ? CODE_AT_LEAST : CODE_GREATER;
  if (code != CODE_NUMBER) {
    parser->at += code == CODE_AT_MOST || code == CODE_AT_LEAST;
    ASP_TRY(parse_sum(parser));
    ASP_TRY(emit(parser, code, 0));
  }
  return reversed ? emit(parser, CODE_NOT, 0) : ASP_OK;
}

static AspError parse_all(Parser *parser) {
  ASP_TRY(parse_truth(parser));
  while (take_word(parser, "and")) {
    ASP_TRY(parse_truth(parser));
    ASP_TRY(emit(parser, CODE_AND, 0));
  }
  return ASP_OK;
}

static AspError parse_any(Parser *parser) {
  ASP_TRY(parse_all(parser));
  while (take_word(parser, "or")) {
    ASP_TRY(parse_all(parser));
    ASP_TRY(emit(parser, CODE_OR, 0));
  }
  return ASP_OK;
}

bool asp_expression_knows(const char *name) {
  static const char *const words[] = {"t", "pi", "e", "and", "or", "not"};
  bool known = false;
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    known = known || strcmp(name, words[i]) == 0;
  for (int code = 0; code < CODE_COUNT && !known; code++)
    known = *name && strcmp(name, operations[code].name) == 0;
  return known;
}

AspError asp_expression_parse(AspContext *context, const char *text, AspExpression **expression) {
  return asp_expression_parse_with(context, text, NULL, expression);
}

AspError asp_expression_parse_with(AspContext *context, const char *text, const AspVariables *variables,
                                   AspExpression **expression) {
  AspError error = ASP_OK;
  AspExpression *made = NULL;
  *expression = NULL;
  if (!text)
    return asp_fail(context, ASP_ERROR_ARGUMENT, "expression: NULL is not a text");
  Parser parser = {.context = context, .variables = variables, .text = text, .at = text};
  if (strlen(text) > EXPRESSION_TEXT_MAX)
    return asp_fail(context, ASP_ERROR_INPUT, "'%.60s...': %zu characters; at most %d are allowed", text, strlen(text),
                    EXPRESSION_TEXT_MAX);
  ASP_CHECK(parse_any(&parser));
  if (*parser.at)
    ASP_CHECK(fail_expected(&parser, "an operator or the end"));
  made = asp_allocate(context, 1, sizeof *made);
  if (!made)
    ASP_CHECK(ASP_ERROR_MEMORY);
  *made = (AspExpression){parser.operation, parser.count};
  *expression = made;
  parser.operation = NULL;
done:
  asp_release(context, parser.operation);
  return error;
}

void asp_expression_destroy(AspContext *context, AspExpression *expression) {
  if (!expression)
    return;
  asp_release(context, expression->operation);
  asp_release(context, expression);
}

bool asp_expression_operation(const AspExpression *expression, int i, int *slot, const AspTable **table) {
  if (i >= expression->count)
    return false;
  const Operation *operation = &expression->operation[i];
  *slot = operation->code == CODE_VARIABLE ? (int)operation->number : -1;
  *table = operation->code == CODE_TABLE ? operation->table : NULL;
  return true;
}

/* ---- evaluation ---- */

AspJet asp_input_at(const AspInput *input, double t) {
  double dt = t - input->since;
  const AspJet *set = &input->set;
  return (AspJet){set->value + dt * (set->rate + 0.5 * dt * set->acceleration), set->rate + dt * set->acceleration,
                  set->acceleration};
}

static AspJet apply(const Operation *operation, const AspJet *u, double t, const AspInput *variable) {
  switch (operation->code) {
#define OPERATION_CASE(code, name, operands, result)                                                                   \
  case CODE_##code:                                                                                                    \
    return result;
    OPERATION_LIST(OPERATION_CASE)
#undef OPERATION_CASE
  default:
    return jet_nan();
  }
}

AspJet asp_expression_evaluate(const AspExpression *expression, double t) {
  return asp_expression_evaluate_with(expression, t, NULL);
}

AspJet asp_expression_evaluate_with(const AspExpression *expression, double t, const AspInput *variable) {
  AspJet stack[EXPRESSION_STACK_MAX];
  int top = 0; // operands on the stack; the parser made sure that they suffice and fit
  for (int i = 0; i < expression->count; i++) {
    const Operation *operation = &expression->operation[i];
    top -= operations[operation->code].operands;
    stack[top] = apply(operation, &stack[top], t, variable);
    top++;
  }
  return stack[0];
}

static bool is_among(Code code, const Code *codes, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (code == codes[i])
      return true;
  return false;
}

bool asp_expression_has_time(const AspExpression *expression, bool *sudden) {
  static const Code even[] = {CODE_NUMBER,     CODE_TIME,    CODE_VARIABLE, CODE_NEGATIVE, CODE_SUM,
                              CODE_DIFFERENCE, CODE_PRODUCT, CODE_QUOTIENT, CODE_SIN,      CODE_COS};
  bool has = false;
  *sudden = false;
  for (int i = 0; expression && i < expression->count; i++) {
    Code code = expression->operation[i].code;
    has = has || code == CODE_TIME;
    *sudden = *sudden || !is_among(code, even, sizeof even / sizeof *even);
  }
  return has;
}
