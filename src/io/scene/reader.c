/* Mistakes with their key path, suggestions, the index of names. */
#include "io/scene/reader.h"

#include <stdio.h>

#define MAX_MISTAKES 1000
#define MAX_QUOTE    60

void asp_reader_init(SceneReader *reader, AspContext *context, const char *label) {
  memset(reader, 0, sizeof *reader);
  reader->context = context;
  reader->label = label;
  reader->dimension = 3;
  asp_arena_init(&reader->arena, context);
}

void asp_reader_free(SceneReader *reader) {
  asp_scene_names_free(reader, &reader->parameters.names);
  asp_arena_free(&reader->arena);
  asp_release(reader->context, reader->path);
  reader->path = NULL;
}

static void latch(SceneReader *reader, AspError error) {
  if (reader->error == ASP_OK)
    reader->error = error;
}

/* ---- key path, as a JSON pointer (RFC 6901): / between keys, ~1 and ~0 for / and ~ within one ---- */

static void append_path(SceneReader *reader, const char *piece) {
  size_t needed = reader->path_length + 2 * strlen(piece) + 2;
  AspError error = ASP_GROW(reader->context, reader->path, reader->path_capacity, needed);
  if (error != ASP_OK) {
    latch(reader, error);
    return;
  }
  char *end = reader->path + reader->path_length;
  *end++ = '/';
  for (; *piece; piece++) {
    bool special = *piece == '~' || *piece == '/';
    if (special)
      *end++ = '~';
    *end++ = special ? (*piece == '/' ? '1' : '0') : (unsigned char)*piece < 0x20 ? '?' : *piece;
  }
  *end = 0;
  reader->path_length = (size_t)(end - reader->path);
}

size_t asp_reader_enter(SceneReader *reader, const char *key) {
  size_t mark = reader->path_length;
  append_path(reader, key);
  return mark;
}

size_t asp_reader_enter_index(SceneReader *reader, int index) {
  char text[16];
  snprintf(text, sizeof text, "%d", index);
  return asp_reader_enter(reader, text);
}

void asp_reader_leave(SceneReader *reader, size_t mark) {
  reader->path_length = mark;
  if (reader->path)
    reader->path[mark] = 0;
}

/* ---- mistakes ---- */

static char *new_line(SceneReader *reader, const char *message) {
  bool at_top = reader->path_length == 0;
  const char *path = at_top ? "" : reader->path, *gap = at_top ? "" : ": ";
  size_t bytes = strlen(reader->label) + 2 + strlen(path) + 2 + strlen(message) + 1;
  char *line = asp_allocate(reader->context, bytes, 1);
  if (line)
    snprintf(line, bytes, "%s: %s%s%s", reader->label, path, gap, message);
  return line;
}

static void add_line(SceneReader *reader, AspMistakes *list, size_t *capacity, const char *message) {
  AspError error = ASP_GROW(reader->context, list->line, *capacity, list->count + 1);
  char *line = error == ASP_OK ? new_line(reader, message) : NULL;
  if (line)
    list->line[list->count++] = line;
  else
    latch(reader, ASP_ERROR_MEMORY);
}

void asp_reader_mistake(SceneReader *reader, const char *key, const char *format, ...) {
  if (reader->mistakes.count > MAX_MISTAKES)
    return;
  char message[1024];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(message, sizeof message, format, arguments);
  va_end(arguments);
  size_t mark = reader->path_length;
  if (reader->mistakes.count == MAX_MISTAKES) {
    asp_reader_leave(reader, 0);
    snprintf(message, sizeof message, "more than %d mistakes; the others are not shown", MAX_MISTAKES);
  } else if (key) {
    append_path(reader, key);
  }
  add_line(reader, &reader->mistakes, &reader->mistakes_capacity, message);
  asp_reader_leave(reader, mark);
}

void asp_reader_mistake_at(SceneReader *reader, const char *path, const char *text) {
  const char *here = asp_reader_text(reader, "%s", reader->path ? reader->path : "");
  size_t length = reader->path_length;
  if (ASP_GROW(reader->context, reader->path, reader->path_capacity, strlen(path) + 1) != ASP_OK) {
    latch(reader, ASP_ERROR_MEMORY);
    return;
  }
  reader->path_length = strlen(path);
  memcpy(reader->path, path, reader->path_length + 1);
  asp_reader_mistake(reader, NULL, "%s", text);
  memcpy(reader->path, here, length + 1); // it was as long before
  reader->path_length = length;
}

void asp_reader_forget(SceneReader *reader, int count) {
  while (reader->mistakes.count > count)
    asp_release(reader->context, reader->mistakes.line[--reader->mistakes.count]);
}

/* A line about the key here (NULL: about the place itself). */
static void add_told(SceneReader *reader, AspMistakes *list, size_t *capacity, const char *key, const char *format,
                     va_list arguments) {
  char message[1024];
  vsnprintf(message, sizeof message, format, arguments);
  size_t mark = reader->path_length;
  if (key)
    append_path(reader, key);
  add_line(reader, list, capacity, message);
  asp_reader_leave(reader, mark);
}

void asp_reader_note(SceneReader *reader, const char *key, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  add_told(reader, &reader->notes, &reader->notes_capacity, key, format, arguments);
  va_end(arguments);
}

void asp_reader_warn(SceneReader *reader, const char *key, const char *format, ...) {
  int before = reader->warnings.count;
  va_list arguments;
  va_start(arguments, format);
  add_told(reader, &reader->warnings, &reader->warnings_capacity, key, format, arguments);
  va_end(arguments);
  if (reader->warnings.count > before)
    asp_log(reader->context, ASP_LOG_WARNING, "%s", reader->warnings.line[before]);
}

bool asp_reader_accept_as(SceneReader *reader, const char *key, AspError error, const char *behind) {
  if (error == ASP_OK)
    return true;
  if (error == ASP_ERROR_INPUT || error == ASP_ERROR_ARGUMENT || error == ASP_ERROR_UNSUPPORTED)
    asp_reader_mistake(reader, key, "%s%s", asp_context_message(reader->context), behind);
  else
    latch(reader, error);
  return false;
}

bool asp_reader_accept(SceneReader *reader, const char *key, AspError error) {
  return asp_reader_accept_as(reader, key, error, reader->units.converts ? " (in SI units)" : "");
}

/* ---- texts ---- */

void *asp_reader_take(SceneReader *reader, size_t count, size_t size) {
  void *block = asp_arena_take(&reader->arena, count, size);
  if (!block)
    latch(reader, ASP_ERROR_MEMORY);
  return block;
}

const char *asp_reader_text(SceneReader *reader, const char *format, ...) {
  va_list arguments, again;
  va_start(arguments, format);
  va_copy(again, arguments);
  int length = vsnprintf(NULL, 0, format, arguments);
  va_end(arguments);
  char *text = length < 0 ? NULL : asp_reader_take(reader, (size_t)length + 1, 1);
  if (text)
    vsnprintf(text, (size_t)length + 1, format, again);
  va_end(again);
  return text ? text : "";
}

const char *asp_reader_quote(SceneReader *reader, const char *text) {
  size_t length = strlen(text), shown = length;
  if (length > MAX_QUOTE) {
    shown = MAX_QUOTE;
    while (shown > 0 && ((unsigned char)text[shown] & 0xC0) == 0x80) // not in the middle of a character
      shown--;
  }
  char line[MAX_QUOTE + 1];
  for (size_t i = 0; i < shown; i++)
    line[i] = (unsigned char)text[i] < 0x20 ? '?' : text[i];
  line[shown] = 0;
  return asp_reader_text(reader, "'%s%s'", line, shown < length ? "..." : "");
}

/* ---- suggestions ---- */

const char *asp_reader_suggestion(SceneReader *reader, const char *text, const char *const *candidates, int count) {
  const char *nearest = asp_nearest_name(text, candidates, count);
  return nearest ? asp_reader_text(reader, "; did you mean %s?", asp_reader_quote(reader, nearest)) : "";
}

/* ---- names ---- */

static size_t first_slot(const SceneNames *names, const char *name) {
  return (size_t)asp_hash_bytes(ASP_HASH_START, name, strlen(name)) & (names->slots - 1);
}

int asp_scene_names_find(const SceneNames *names, const char *name) {
  if (names->slots == 0)
    return -1;
  for (size_t at = first_slot(names, name); names->slot[at]; at = (at + 1) & (names->slots - 1))
    if (strcmp(names->name[names->slot[at] - 1], name) == 0)
      return names->slot[at] - 1;
  return -1;
}

static void insert(SceneNames *names, int index) {
  size_t at = first_slot(names, names->name[index]);
  while (names->slot[at])
    at = (at + 1) & (names->slots - 1);
  names->slot[at] = index + 1;
}

/* Twice the slots, at least 64; all names are placed again. */
static AspError widen(SceneReader *reader, SceneNames *names) {
  size_t slots = names->slots ? 2 * names->slots : 64;
  int *slot = asp_allocate(reader->context, slots, sizeof *slot);
  if (!slot)
    return ASP_ERROR_MEMORY;
  asp_release(reader->context, names->slot);
  names->slot = slot;
  names->slots = slots;
  for (int i = 0; i < names->count; i++)
    insert(names, i);
  return ASP_OK;
}

bool asp_scene_names_add(SceneReader *reader, SceneNames *names, const char *name, int value) {
  if (asp_scene_names_find(names, name) >= 0)
    return false;
  size_t needed = (size_t)names->count + 1;
  AspError error = ASP_OK;
  ASP_CHECK(ASP_GROW(reader->context, names->name, names->name_capacity, needed));
  ASP_CHECK(ASP_GROW(reader->context, names->value, names->value_capacity, needed));
  if (2 * needed > names->slots)
    ASP_CHECK(widen(reader, names));
  names->name[names->count] = name;
  names->value[names->count] = value;
  insert(names, names->count++);
  return true;
done:
  latch(reader, error);
  return false;
}

void asp_scene_names_free(SceneReader *reader, SceneNames *names) {
  asp_release(reader->context, names->name);
  asp_release(reader->context, names->value);
  asp_release(reader->context, names->slot);
  memset(names, 0, sizeof *names);
}
