/* XML to a tree: expat's calls build it node by node in the arena. */
#include "io/import/xml.h"

#include <expat.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <strings.h>

typedef struct Builder {
  AspArena *arena;
  XML_Parser parser;
  const char *file;
  int line_before; /* lines that were skipped before the text that expat sees */
  XmlNode *root, *open;
  int depth, nodes;
  char *text; /* characters since the last tag */
  size_t length, capacity;
  AspError error; /* the first failure; its message is in the context */
} Builder;

char *asp_xml_copy(AspArena *arena, const char *text, size_t length) {
  char *copy = ASP_TAKE(arena, char, length + 1);
  if (copy)
    memcpy(copy, text, length);
  return copy;
}

static void give_up(Builder *builder, AspError error) {
  if (builder->error == ASP_OK)
    builder->error = error;
  XML_StopParser(builder->parser, XML_FALSE);
}

static int line_of(const Builder *builder) {
  XML_Size line = XML_GetCurrentLineNumber(builder->parser);
  return builder->line_before + (line > INT_MAX / 2 ? INT_MAX / 2 : (int)line);
}

static void refuse(Builder *builder, const char *format, ...) ASP_PRINTF(2, 3);
static void refuse(Builder *builder, const char *format, ...) {
  char message[256];
  va_list values;
  va_start(values, format);
  vsnprintf(message, sizeof message, format, values);
  va_end(values);
  give_up(builder,
          asp_fail(builder->arena->context, ASP_ERROR_INPUT, "%s:%d: %s", builder->file, line_of(builder), message));
}

static bool copy_attributes(Builder *builder, XmlNode *node, const XML_Char **pairs) {
  while (pairs[2 * node->attributes])
    node->attributes++;
  node->attribute = ASP_TAKE(builder->arena, XmlAttribute, node->attributes + 1);
  for (int i = 0; node->attribute && i < node->attributes; i++) {
    XmlAttribute *attribute = &node->attribute[i];
    attribute->name = asp_xml_copy(builder->arena, pairs[2 * i], strlen(pairs[2 * i]));
    attribute->value = asp_xml_copy(builder->arena, pairs[2 * i + 1], strlen(pairs[2 * i + 1]));
    if (!attribute->name || !attribute->value)
      return false;
  }
  return node->attribute != NULL;
}

static void XMLCALL start_element(void *user, const XML_Char *name, const XML_Char **pairs) {
  Builder *builder = user;
  if (builder->error != ASP_OK)
    return;
  if (++builder->depth > XML_DEPTH_MAX) {
    refuse(builder, "elements nested deeper than %d levels", XML_DEPTH_MAX);
    return;
  }
  if (++builder->nodes > XML_NODES_MAX) {
    refuse(builder, "more than %d elements", XML_NODES_MAX);
    return;
  }
  XmlNode *node = ASP_TAKE(builder->arena, XmlNode, 1);
  if (node)
    *node = (XmlNode){.file = builder->file, .line = line_of(builder), .text = "", .parent = builder->open};
  if (!node || !(node->name = asp_xml_copy(builder->arena, name, strlen(name))) ||
      !copy_attributes(builder, node, pairs)) {
    give_up(builder, ASP_ERROR_MEMORY);
    return;
  }
  if (!builder->open)
    builder->root = node;
  else if (builder->open->last)
    builder->open->last->next = node;
  else
    builder->open->child = node;
  if (builder->open)
    builder->open->last = node;
  builder->open = node;
  builder->length = 0;
}

static void XMLCALL end_element(void *user, const XML_Char *name) {
  Builder *builder = user;
  XmlNode *node = builder->open;
  (void)name;
  if (builder->error != ASP_OK || !node)
    return;
  if (!node->child && builder->length > 0) {
    node->text = asp_xml_copy(builder->arena, builder->text, builder->length);
    if (!node->text)
      give_up(builder, ASP_ERROR_MEMORY);
  }
  builder->length = 0;
  builder->open = node->parent;
  builder->depth--;
}

static void XMLCALL characters(void *user, const XML_Char *text, int length) {
  Builder *builder = user;
  if (builder->error != ASP_OK)
    return;
  if (ASP_GROW(builder->arena->context, builder->text, builder->capacity, builder->length + (size_t)length) != ASP_OK) {
    give_up(builder, ASP_ERROR_MEMORY);
    return;
  }
  memcpy(builder->text + builder->length, text, (size_t)length);
  builder->length += (size_t)length;
}

static void XMLCALL refuse_entity(void *user, const XML_Char *name, int is_parameter, const XML_Char *value, int length,
                                  const XML_Char *base, const XML_Char *system, const XML_Char *public_id,
                                  const XML_Char *notation) {
  (void)is_parameter, (void)value, (void)length, (void)base, (void)system, (void)public_id, (void)notation;
  refuse(user, "declares the entity '%.60s'; files with entities are not read, write what it stands for", name);
}

/* Encodings that expat does not know by these names; 128 to 255 are read as in ISO 8859-1. */
static int XMLCALL encoding_of(void *user, const XML_Char *name, XML_Encoding *encoding) {
  static const char *const names[] = {"ascii", "latin1", "windows-1252", "cp1252"};
  (void)user;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (strcasecmp(name, names[i]) == 0) {
      for (int c = 0; c < 256; c++)
        encoding->map[c] = c;
      encoding->convert = NULL;
      return XML_STATUS_OK;
    }
  return XML_STATUS_ERROR;
}

/* A declaration without a version is none: it is skipped. */
static const char *skip_declaration(const char *at, const char *end) {
  const char *close = at;
  while (close + 1 < end && !(close[0] == '?' && close[1] == '>' && close > at + 1))
    close++;
  if (close + 1 >= end)
    return at;
  for (const char *c = at; c + 7 < close; c++)
    if (memcmp(c, "version", 7) == 0)
      return at;
  return close + 2;
}

/* Where the document begins: at its declaration, or at the first tag where there is none. */
static size_t start_of(const char *text, size_t length, int *lines) {
  const char *end = text + length, *begin = NULL;
  *lines = 0;
  for (const char *at = text; at < end && !begin; at++)
    if (*at == '<' && at + 1 < end) {
      unsigned char c = (unsigned char)at[1];
      bool declaration = (size_t)(end - at) > 5 && memcmp(at, "<?xml", 5) == 0;
      if (declaration || ((c | 32) >= 'a' && (c | 32) <= 'z'))
        begin = at;
    }
  if (!begin)
    return 0;
  // without a declaration comments may stand before the first tag: nothing is skipped but text
  if (begin[1] != '?' && (begin = memchr(text, '<', length)) == NULL)
    return 0;
  if (begin[1] == '?')
    begin = skip_declaration(begin, end);
  for (const char *at = text; at < begin; at++)
    *lines += *at == '\n';
  return (size_t)(begin - text);
}

static void parse(Builder *builder, const char *text, size_t length) {
  XML_SetUserData(builder->parser, builder);
  XML_SetElementHandler(builder->parser, start_element, end_element);
  XML_SetCharacterDataHandler(builder->parser, characters);
  XML_SetEntityDeclHandler(builder->parser, refuse_entity);
  XML_SetUnknownEncodingHandler(builder->parser, encoding_of, NULL);
  size_t at = start_of(text, length, &builder->line_before);
  enum { PIECE = 1 << 24 };
  for (bool last = false; !last && builder->error == ASP_OK;) {
    size_t piece = length - at < PIECE ? length - at : PIECE;
    last = at + piece == length;
    bool parsed = XML_Parse(builder->parser, text + at, (int)piece, last) == XML_STATUS_OK;
    if (!parsed && builder->error == ASP_OK && XML_GetErrorCode(builder->parser) == XML_ERROR_NO_MEMORY)
      builder->error =
          asp_fail(builder->arena->context, ASP_ERROR_MEMORY, "%s: out of memory while it was read", builder->file);
    else if (!parsed && builder->error == ASP_OK)
      refuse(builder, "not well-formed XML: %s", XML_ErrorString(XML_GetErrorCode(builder->parser)));
    at += piece;
  }
}

AspError asp_xml_parse(AspArena *arena, const char *text, size_t length, const char *file, XmlNode **root) {
  Builder builder = {.arena = arena, .file = file, .parser = XML_ParserCreate(NULL)};
  *root = NULL;
  if (!builder.parser)
    return asp_fail(arena->context, ASP_ERROR_MEMORY, "out of memory");
  parse(&builder, text, length);
  XML_ParserFree(builder.parser);
  asp_release(arena->context, builder.text);
  *root = builder.root;
  return builder.error;
}

const char *asp_xml_attribute(const XmlNode *node, const char *name) {
  for (int i = 0; i < node->attributes; i++)
    if (strcmp(node->attribute[i].name, name) == 0) {
      node->attribute[i].used = true;
      return node->attribute[i].value;
    }
  return NULL;
}

static XmlNode *find(XmlNode *node, const char *name) {
  while (node && strcmp(node->name, name) != 0)
    node = node->next;
  if (node)
    node->used = true;
  return node;
}

XmlNode *asp_xml_child(const XmlNode *node, const char *name) { return find(node->child, name); }
XmlNode *asp_xml_next(const XmlNode *node) { return find(node->next, node->name); }
