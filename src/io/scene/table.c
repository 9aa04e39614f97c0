/* Tables of a scene: points in the scene itself or columns of a file beside it. An expression may also name a file,
 * table('run.csv', t): that table is linear, from column 1 to column 2. And the files that a scene depends on.
 */
#include "io/scene/table.h"

#include "io/file/columns.h"
#include "io/file/text_file.h"

#include <stdio.h>

/* ---- files ---- */

const char *asp_reader_file(SceneReader *reader, const char *file) {
  const char *slash = strrchr(reader->label, '/');
  if (file[0] == '/' || !slash)
    return file;
  return asp_reader_text(reader, "%.*s/%s", (int)(slash - reader->label), reader->label, file);
}

static void note_hash(SceneReader *reader, const char *file, uint64_t hash) {
  SceneFile **end = &reader->files;
  for (; *end; end = &(*end)->next)
    if (strcmp((*end)->path, file) == 0)
      return;
  *end = asp_reader_take(reader, 1, sizeof **end);
  if (*end)
    **end = (SceneFile){asp_reader_text(reader, "%s", file), hash, NULL};
}

void asp_reader_note_file(SceneReader *reader, const char *file) {
  char *bytes = NULL;
  size_t length = 0;
  AspError error = asp_text_file_read(reader->context, asp_reader_file(reader, file), &bytes, &length);
  if (!asp_reader_accept(reader, "file", error))
    return;
  note_hash(reader, file, asp_hash_bytes(ASP_HASH_START, bytes, length));
  asp_release(reader->context, bytes);
}

AspSceneFile *asp_scene_files_copy(SceneReader *reader, int *count) {
  int files = 0;
  for (const SceneFile *file = reader->files; file; file = file->next)
    files++;
  *count = 0;
  AspSceneFile *copies = files ? asp_allocate(reader->context, (size_t)files, sizeof *copies) : NULL;
  for (const SceneFile *file = reader->files; copies && file; file = file->next) {
    AspSceneFile *copy = &copies[(*count)++];
    copy->path = asp_copy_text(reader->context, file->path);
    snprintf(copy->hash, sizeof copy->hash, "%016llx", (unsigned long long)file->hash);
    if (!copy->path)
      break;
  }
  if (files == 0 || (copies && copies[*count - 1].path))
    return copies;
  asp_scene_files_destroy(reader->context, copies, *count);
  *count = 0;
  asp_reader_accept(reader, NULL, ASP_ERROR_MEMORY);
  return NULL;
}

void asp_scene_files_destroy(AspContext *context, AspSceneFile *file, int count) {
  for (int i = 0; i < count; i++)
    asp_release(context, file[i].path);
  asp_release(context, file);
}

/* ---- tables ---- */

/* The points of a file, then the table. */
static bool add_from_file(SceneReader *reader, const char *file, FileColumn x, FileColumn y, AspTableDef *def) {
  FileColumns columns;
  AspError error = asp_columns_read(reader->context, asp_reader_file(reader, file), x, y, &columns);
  // a missing file is a mistake of the scene too
  if (!asp_reader_accept(reader, NULL, error == ASP_ERROR_FILE ? ASP_ERROR_INPUT : error))
    return false;
  note_hash(reader, file, columns.hash);
  def->count = columns.count;
  def->x = columns.x;
  def->y = columns.y;
  int table = 0;
  bool good = asp_reader_accept(reader, NULL, asp_model_add_table(reader->model, def, &table));
  asp_release(reader->context, columns.x);
  asp_release(reader->context, columns.y);
  return good;
}

static bool add_from_points(SceneReader *reader, const cJSON *points, AspTableDef *def) {
  size_t count = (size_t)cJSON_GetArraySize(points);
  double *x = asp_reader_take(reader, 2 * count + 1, sizeof *x);
  if (!x)
    return false;
  def->x = x;
  def->y = x + count;
  const cJSON *item = NULL;
  cJSON_ArrayForEach(item, points) {
    x[def->count] = item->child->valuedouble;
    x[count + (size_t)def->count++] = item->child->next->valuedouble;
  }
  int table = 0;
  return asp_reader_accept(reader, NULL, asp_model_add_table(reader->model, def, &table));
}

static FileColumn column_of(const SceneValue *value, int otherwise) {
  if (!value->node)
    return (FileColumn){NULL, otherwise};
  return cJSON_IsString(value->node) ? (FileColumn){value->node->valuestring, 0}
                                     : (FileColumn){NULL, (int)value->node->valuedouble};
}

/* What the integrals have come to where the data end. */
static void note_drift(SceneReader *reader) {
  const AspTable *table = asp_model_table(reader->model, asp_model_table_count(reader->model) - 1);
  const AspTableDef *def = asp_table_definition(table);
  AspJet end = asp_table_at(table, (AspJet){def->x[def->count - 1], 0, 0});
  AspJet slope = asp_table_at(table, (AspJet){def->x[def->count - 1], -1, 0});
  if (def->integrate == 1)
    asp_reader_note(reader, NULL, "the table '%s' is integrated once; at its last point, %.9g, it has come to %.6g",
                    def->name, def->x[def->count - 1], end.value);
  else if (def->integrate == 2)
    asp_reader_note(reader, NULL,
                    "the table '%s' is integrated twice; at its last point, %.9g, it has come to %.6g with slope %.6g",
                    def->name, def->x[def->count - 1], end.value, -slope.rate);
}

void asp_scene_read_table(SceneBuild *build, const cJSON *json, int place) {
  SceneReader *reader = &build->reader;
  SceneValue values[TABLE_COUNT];
  (void)place;
  if (!asp_reader_object(reader, &asp_scene_table, json, values))
    return;
  const SceneValue *file = &values[TABLE_FILE], *points = &values[TABLE_POINTS];
  if (!file->node == !points->node) {
    asp_reader_mistake(reader, NULL, "a table has either a file or points; give one of them");
    return;
  }
  if (points->node && (values[TABLE_ARGUMENT].node || values[TABLE_COLUMN].node)) {
    asp_reader_mistake(reader, values[values[TABLE_COLUMN].node ? TABLE_COLUMN : TABLE_ARGUMENT].key->key,
                       "columns are those of a file; points have none");
    return;
  }
  AspTableDef def = asp_table_default();
  def.name = asp_value_text(&values[TABLE_NAME]);
  def.interpolation = (AspTableInterpolation)asp_value_choice(&values[TABLE_INTERPOLATION]);
  def.integrate = (int)asp_value_number(&values[TABLE_INTEGRATE]);
  def.outside = def.integrate                          ? ASP_TABLE_ZERO
                : def.interpolation == ASP_TABLE_CUBIC ? ASP_TABLE_EXTEND
                                                       : ASP_TABLE_HOLD;
  if (values[TABLE_OUTSIDE].node)
    def.outside = (AspTableOutside)asp_value_choice(&values[TABLE_OUTSIDE]);
  size_t mark = asp_reader_enter(reader, (file->node ? file : points)->key->key);
  bool good = file->node ? add_from_file(reader, asp_value_text(file), column_of(&values[TABLE_ARGUMENT], 1),
                                         column_of(&values[TABLE_COLUMN], 2), &def)
                         : add_from_points(reader, points->node, &def);
  asp_reader_leave(reader, mark);
  if (good)
    note_drift(reader);
}

/* ---- tables in expressions ---- */

static bool is_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/* A table that was not defined: a file, or a mistake. */
static bool use_undefined(SceneReader *reader, const char *text, const char *name) {
  const char *names[64];
  int count = 0;
  if (strpbrk(name, "./")) {
    AspTableDef def = asp_table_default();
    def.name = name;
    return add_from_file(reader, name, (FileColumn){NULL, 1}, (FileColumn){NULL, 2}, &def);
  }
  for (int i = 0; i < asp_model_table_count(reader->model) && count < 64; i++)
    names[count++] = asp_table_definition(asp_model_table(reader->model, i))->name;
  const char *near = asp_reader_suggestion(reader, name, names, count);
  asp_reader_mistake(reader, NULL, "%s: there is no table %s%s", asp_reader_quote(reader, text),
                     asp_reader_quote(reader, name), *near ? near : "; define it under tables, or name a file");
  return false;
}

const char *asp_scene_table_name(SceneReader *reader, const char *open, const char **end) {
  const char *from = open + 1 + strspn(open + 1, " \t\r\n"), *to = from;
  bool quoted = *from == '\'' || *from == '"';
  for (to += quoted; quoted ? *to && *to != *from : is_name(*to);)
    to++;
  *end = to + (quoted && *to);
  from += quoted;
  return reader && to > from ? asp_reader_text(reader, "%.*s", (int)(to - from), from) : NULL;
}

bool asp_scene_use_tables(SceneReader *reader, const char *text, bool constant) {
  static const char word[] = "table";
  for (const char *at = text; (at = strstr(at, word)); at++) {
    const char *open = at + strlen(word), *end = NULL;
    open += strspn(open, " \t\r\n");
    if ((at > text && (is_name(at[-1]) || at[-1] == '.')) || *open != '(')
      continue;
    if (constant || !reader->model) {
      asp_reader_mistake(reader, NULL, "%s uses a table; this number is constant over the run",
                         asp_reader_quote(reader, text));
      return false;
    }
    const char *name = asp_scene_table_name(reader, open, &end);
    if (name && asp_model_find_table(reader->model, name) < 0 && !use_undefined(reader, text, name))
      return false;
  }
  return true;
}
