/* The part of cJSON's interface that the scene reader uses, for WebAssembly, where the system has no cJSON to link. The
 * declarations are the system's header <cjson/cJSON.h>. Text comes from src/io/file/json.c, which has refused what is not
 * JSON before this file sees it. Source of the grammar: RFC 8259. Depends on the C library.
 */
#include <cjson/cJSON.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- items ---- */

static cJSON *make(int type) {
  cJSON *item = calloc(1, sizeof *item);
  if (item)
    item->type = type;
  return item;
}

static char *copy(const char *text) {
  size_t bytes = strlen(text) + 1;
  char *made = malloc(bytes);
  return made ? memcpy(made, text, bytes) : NULL;
}

void cJSON_free(void *object) { free(object); }

void cJSON_Delete(cJSON *item) {
  while (item) {
    cJSON *next = item->next;
    if (!(item->type & cJSON_IsReference)) {
      cJSON_Delete(item->child);
      free(item->valuestring);
    }
    free(item->string);
    free(item);
    item = next;
  }
}

double cJSON_SetNumberHelper(cJSON *object, double number) {
  object->valueint = number >= INT_MAX ? INT_MAX : number <= INT_MIN ? INT_MIN : (int)number;
  return object->valuedouble = number;
}

cJSON *cJSON_CreateNull(void) { return make(cJSON_NULL); }
cJSON *cJSON_CreateBool(cJSON_bool boolean) { return make(boolean ? cJSON_True : cJSON_False); }
cJSON *cJSON_CreateObject(void) { return make(cJSON_Object); }
cJSON *cJSON_CreateArray(void) { return make(cJSON_Array); }

cJSON *cJSON_CreateNumber(double number) {
  cJSON *item = make(cJSON_Number);
  if (item)
    cJSON_SetNumberHelper(item, number);
  return item;
}

cJSON *cJSON_CreateString(const char *text) {
  cJSON *item = make(cJSON_String);
  if (item && !(item->valuestring = copy(text))) {
    free(item);
    return NULL;
  }
  return item;
}

cJSON *cJSON_CreateStringReference(const char *text) {
  cJSON *item = make(cJSON_String | cJSON_IsReference);
  if (item)
    item->valuestring = (char *)text; // never written
  return item;
}

cJSON *cJSON_CreateDoubleArray(const double *numbers, int count) {
  cJSON *list = cJSON_CreateArray();
  for (int i = 0; list && i < count; i++)
    cJSON_AddItemToArray(list, cJSON_CreateNumber(numbers[i]));
  return list;
}

cJSON *cJSON_CreateIntArray(const int *numbers, int count) {
  cJSON *list = cJSON_CreateArray();
  for (int i = 0; list && i < count; i++)
    cJSON_AddItemToArray(list, cJSON_CreateNumber(numbers[i]));
  return list;
}

char *cJSON_SetValuestring(cJSON *object, const char *text) {
  char *made = object && object->type == cJSON_String && text ? copy(text) : NULL;
  if (!made)
    return NULL;
  free(object->valuestring);
  return object->valuestring = made;
}

/* ---- questions ---- */

static cJSON_bool is(const cJSON *item, int type) { return item && (item->type & 0xFF) == type; }
cJSON_bool cJSON_IsNull(const cJSON *item) { return is(item, cJSON_NULL); }
cJSON_bool cJSON_IsTrue(const cJSON *item) { return is(item, cJSON_True); }
cJSON_bool cJSON_IsFalse(const cJSON *item) { return is(item, cJSON_False); }
cJSON_bool cJSON_IsBool(const cJSON *item) { return cJSON_IsTrue(item) || cJSON_IsFalse(item); }
cJSON_bool cJSON_IsNumber(const cJSON *item) { return is(item, cJSON_Number); }
cJSON_bool cJSON_IsString(const cJSON *item) { return is(item, cJSON_String); }
cJSON_bool cJSON_IsArray(const cJSON *item) { return is(item, cJSON_Array); }
cJSON_bool cJSON_IsObject(const cJSON *item) { return is(item, cJSON_Object); }
char *cJSON_GetStringValue(const cJSON *item) { return cJSON_IsString(item) ? item->valuestring : NULL; }

int cJSON_GetArraySize(const cJSON *array) {
  int count = 0;
  for (const cJSON *item = array ? array->child : NULL; item; item = item->next)
    count++;
  return count;
}

cJSON *cJSON_GetArrayItem(const cJSON *array, int index) {
  cJSON *item = array && index >= 0 ? array->child : NULL;
  while (item && index-- > 0)
    item = item->next;
  return item;
}

cJSON *cJSON_GetObjectItemCaseSensitive(const cJSON *object, const char *name) {
  cJSON *item = object && name ? object->child : NULL;
  while (item && (!item->string || strcmp(item->string, name) != 0))
    item = item->next;
  return item;
}

/* ---- lists: child->prev is the last item ---- */

cJSON_bool cJSON_AddItemToArray(cJSON *array, cJSON *item) {
  if (!array || !item || array == item)
    return 0;
  cJSON *first = array->child;
  if (!first) {
    array->child = item;
    item->prev = item;
    item->next = NULL;
    return 1;
  }
  item->prev = first->prev;
  item->next = NULL;
  first->prev->next = item;
  first->prev = item;
  return 1;
}

cJSON_bool cJSON_AddItemToObject(cJSON *object, const char *name, cJSON *item) {
  char *key = object && item && name ? copy(name) : NULL;
  if (!key)
    return 0;
  free(item->string);
  item->string = key;
  return cJSON_AddItemToArray(object, item);
}

static cJSON *add(cJSON *object, const char *name, cJSON *item) {
  if (cJSON_AddItemToObject(object, name, item))
    return item;
  cJSON_Delete(item);
  return NULL;
}

cJSON *cJSON_AddTrueToObject(cJSON *object, const char *name) { return add(object, name, cJSON_CreateBool(1)); }
cJSON *cJSON_AddFalseToObject(cJSON *object, const char *name) { return add(object, name, cJSON_CreateBool(0)); }
cJSON *cJSON_AddBoolToObject(cJSON *object, const char *name, cJSON_bool boolean) {
  return add(object, name, cJSON_CreateBool(boolean));
}
cJSON *cJSON_AddNumberToObject(cJSON *object, const char *name, double number) {
  return add(object, name, cJSON_CreateNumber(number));
}
cJSON *cJSON_AddStringToObject(cJSON *object, const char *name, const char *text) {
  return add(object, name, cJSON_CreateString(text));
}
cJSON *cJSON_AddObjectToObject(cJSON *object, const char *name) { return add(object, name, cJSON_CreateObject()); }
cJSON *cJSON_AddArrayToObject(cJSON *object, const char *name) { return add(object, name, cJSON_CreateArray()); }

cJSON *cJSON_DetachItemViaPointer(cJSON *parent, cJSON *item) {
  if (!parent || !item)
    return NULL;
  if (item != parent->child)
    item->prev->next = item->next;
  if (item->next)
    item->next->prev = item->prev;
  if (item == parent->child)
    parent->child = item->next;
  else if (!item->next)
    parent->child->prev = item->prev;
  item->prev = item->next = NULL;
  return item;
}

cJSON *cJSON_DetachItemFromArray(cJSON *array, int which) {
  return cJSON_DetachItemViaPointer(array, cJSON_GetArrayItem(array, which));
}

void cJSON_DeleteItemFromObjectCaseSensitive(cJSON *object, const char *name) {
  cJSON_Delete(cJSON_DetachItemViaPointer(object, cJSON_GetObjectItemCaseSensitive(object, name)));
}

cJSON_bool cJSON_InsertItemInArray(cJSON *array, int which, cJSON *item) {
  cJSON *after = cJSON_GetArrayItem(array, which);
  if (!after)
    return cJSON_AddItemToArray(array, item);
  if (!item)
    return 0;
  item->next = after;
  item->prev = after->prev;
  after->prev = item;
  if (after == array->child)
    array->child = item;
  else
    item->prev->next = item;
  return 1;
}

cJSON_bool cJSON_ReplaceItemInObjectCaseSensitive(cJSON *object, const char *name, cJSON *item) {
  cJSON *old = cJSON_GetObjectItemCaseSensitive(object, name);
  char *key = old && item ? copy(name) : NULL;
  if (!key)
    return 0;
  free(item->string);
  item->string = key;
  int place = 0;
  for (const cJSON *at = object->child; at != old; at = at->next)
    place++;
  cJSON_Delete(cJSON_DetachItemViaPointer(object, old));
  return cJSON_InsertItemInArray(object, place, item);
}

/* ---- reading ---- */

typedef struct Parser {
  const char *at, *end;
} Parser;

static void skip_blanks(Parser *parser) {
  while (parser->at < parser->end && (unsigned char)*parser->at <= ' ' && *parser->at)
    parser->at++;
}

static unsigned hex4(const char *digits) {
  unsigned code = 0;
  for (int i = 0; i < 4; i++) {
    char c = digits[i];
    code = 16 * code + (unsigned)(c <= '9' ? c - '0' : (c | 32) - 'a' + 10);
  }
  return code;
}

static char *put_utf8(char *out, unsigned code) {
  if (code < 0x80) {
    *out++ = (char)code;
    return out;
  }
  int more = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
  *out++ = (char)((0xF00 >> more) | (code >> (6 * more)));
  while (more-- > 0)
    *out++ = (char)(0x80 | ((code >> (6 * more)) & 0x3F));
  return out;
}

/* The escape at `at`, behind its backslash; false: half of a surrogate pair. */
static cJSON_bool read_escape(const char **at, char **out) {
  static const char names[] = "bfnrt", codes[] = "\b\f\n\r\t";
  const char *from = *at, *known = strchr(names, *from);
  *at = from + 1;
  if (*from != 'u') {
    *(*out)++ = known ? codes[known - names] : *from;
    return 1;
  }
  unsigned code = hex4(from + 1);
  *at = from + 5;
  if (code >= 0xDC00 && code <= 0xDFFF)
    return 0;
  if (code >= 0xD800 && code <= 0xDBFF) {
    unsigned low = from[5] == '\\' && from[6] == 'u' ? hex4(from + 7) : 0;
    if (low < 0xDC00 || low > 0xDFFF)
      return 0;
    code = 0x10000 + ((code & 0x3FF) << 10 | (low & 0x3FF));
    *at = from + 11;
  }
  *out = put_utf8(*out, code);
  return 1;
}

static char *read_text(Parser *parser) {
  const char *from = parser->at + 1, *to = from;
  while (*to != '"')
    to += *to == '\\' ? 2 : 1;
  char *text = malloc((size_t)(to - from) + 1), *out = text; // escapes are longer than what they stand for
  while (text && from < to) {
    if (*from != '\\') {
      *out++ = *from++;
      continue;
    }
    from++;
    if (!read_escape(&from, &out)) {
      parser->at = from;
      free(text);
      return NULL;
    }
  }
  if (text) {
    *out = 0;
    parser->at = to + 1;
  }
  return text;
}

static cJSON *read_value(Parser *parser);

static cJSON *read_list(Parser *parser, cJSON_bool object) {
  cJSON *list = make(object ? cJSON_Object : cJSON_Array);
  parser->at++;
  skip_blanks(parser);
  while (list && *parser->at != (object ? '}' : ']')) {
    char *key = object ? read_text(parser) : NULL;
    skip_blanks(parser);
    parser->at += object && key; // ':'
    cJSON *item = !object || key ? read_value(parser) : NULL;
    if (!item) {
      free(key);
      cJSON_Delete(list);
      return NULL;
    }
    item->string = key;
    cJSON_AddItemToArray(list, item);
    skip_blanks(parser);
    parser->at += *parser->at == ',';
    skip_blanks(parser);
  }
  parser->at++;
  return list;
}

static cJSON *read_value(Parser *parser) {
  skip_blanks(parser);
  char *end = NULL;
  cJSON *item;
  switch (*parser->at) {
  case '{':
    return read_list(parser, 1);
  case '[':
    return read_list(parser, 0);
  case '"':
    item = make(cJSON_String);
    if (item && !(item->valuestring = read_text(parser))) {
      free(item);
      return NULL;
    }
    return item;
  case 't':
    parser->at += 4;
    return make(cJSON_True);
  case 'f':
    parser->at += 5;
    return make(cJSON_False);
  case 'n':
    parser->at += 4;
    return make(cJSON_NULL);
  default:
    item = cJSON_CreateNumber(strtod(parser->at, &end));
    if (item && end == parser->at) {
      free(item);
      return NULL;
    }
    parser->at = end;
    return item;
  }
}

cJSON *cJSON_ParseWithLengthOpts(const char *text, size_t length, const char **end, cJSON_bool whole) {
  Parser parser = {text, text + length};
  (void)whole; // the scanner has seen to it
  cJSON *root = read_value(&parser);
  if (end)
    *end = parser.at;
  return root;
}

cJSON *cJSON_Parse(const char *text) { return cJSON_ParseWithLengthOpts(text, strlen(text) + 1, NULL, 1); }

/* ---- printing ---- */

typedef struct Printer {
  char *text;
  size_t length, room;
  cJSON_bool failed;
} Printer;

static void put(Printer *printer, const char *piece, size_t bytes) {
  if (printer->length + bytes + 1 > printer->room) {
    size_t room = 2 * printer->room + bytes + 256;
    char *more = realloc(printer->text, room);
    if (!more) {
      printer->failed = 1;
      return;
    }
    printer->text = more;
    printer->room = room;
  }
  memcpy(printer->text + printer->length, piece, bytes);
  printer->length += bytes;
  printer->text[printer->length] = 0;
}

static void put_text(Printer *printer, const char *text) {
  put(printer, "\"", 1);
  for (; *text; text++) {
    static const char names[] = "bfnrt", codes[] = "\b\f\n\r\t";
    unsigned char c = (unsigned char)*text;
    const char *known = strchr(codes, c);
    char escape[8] = {'\\', (char)c, 0};
    if (known)
      escape[1] = names[known - codes];
    else if (c < 0x20)
      snprintf(escape, sizeof escape, "\\u%04x", c);
    if (c < 0x20 || c == '"' || c == '\\')
      put(printer, escape, strlen(escape));
    else
      put(printer, text, 1);
  }
  put(printer, "\"", 1);
}

/* The shortest of 15 or 17 digits that gives the number back; null for what JSON has no word for. */
static void put_number(Printer *printer, double number) {
  char digits[32];
  if (number != number || number - number != 0) {
    put(printer, "null", 4);
    return;
  }
  snprintf(digits, sizeof digits, "%1.15g", number);
  if (strtod(digits, NULL) != number)
    snprintf(digits, sizeof digits, "%1.17g", number);
  put(printer, digits, strlen(digits));
}

static void put_item(Printer *printer, const cJSON *item) {
  int type = item->type & 0xFF;
  if (type == cJSON_String) {
    put_text(printer, item->valuestring);
  } else if (type == cJSON_Number) {
    put_number(printer, item->valuedouble);
  } else if (type == cJSON_Object || type == cJSON_Array) {
    put(printer, type == cJSON_Object ? "{" : "[", 1);
    for (const cJSON *child = item->child; child; child = child->next) {
      if (child != item->child)
        put(printer, ",", 1);
      if (type == cJSON_Object) {
        put_text(printer, child->string);
        put(printer, ":", 1);
      }
      put_item(printer, child);
    }
    put(printer, type == cJSON_Object ? "}" : "]", 1);
  } else {
    const char *word = type == cJSON_True ? "true" : type == cJSON_False ? "false" : "null";
    put(printer, word, strlen(word));
  }
}

char *cJSON_PrintUnformatted(const cJSON *item) {
  Printer printer = {0};
  if (item)
    put_item(&printer, item);
  if (!printer.failed)
    return printer.text;
  free(printer.text);
  return NULL;
}
