/* The report of an import: what was translated, approximated, ignored, counted by element and reason. */
#include "io/import/import.h"

#include <stdarg.h>
#include <stdio.h>

static const char *const kind_names[] = {"translated", "approximated", "ignored", "irrelevant"};
const char *asp_import_kind_name(AspImportKind kind) { return ASP_NAME_OF(kind_names, kind); }

void asp_import_fail(Import *import, const XmlNode *node, const char *format, ...) {
  char message[1024];
  if (import->error != ASP_OK)
    return;
  va_list values;
  va_start(values, format);
  vsnprintf(message, sizeof message, format, values);
  va_end(values);
  if (node)
    snprintf(import->message, sizeof import->message, "%.160s:%d: %s", node->file, node->line, message);
  else
    snprintf(import->message, sizeof import->message, "%.160s: %s", import->path, message);
  import->error = ASP_ERROR_INPUT;
}

void *asp_import_take(Import *import, size_t count, size_t size) {
  void *memory = asp_arena_take(&import->arena, count, size);
  if (!memory && import->error == ASP_OK)
    import->error = ASP_ERROR_MEMORY;
  return memory;
}

const char *asp_import_text(Import *import, const char *format, ...) {
  va_list values;
  va_start(values, format);
  int length = vsnprintf(NULL, 0, format, values);
  va_end(values);
  char *text = asp_import_take(import, (size_t)length + 1, 1);
  va_start(values, format);
  if (text)
    vsnprintf(text, (size_t)length + 1, format, values);
  va_end(values);
  return text ? text : "";
}

/* The entry of that kind, element and reason, made where it is missing. */
static AspImportEntry *entry_of(Import *import, AspImportKind kind, const char *what, const char *reason) {
  AspImportReport *report = import->report;
  for (int i = 0; i < report->count; i++)
    if (report->entry[i].kind == kind && strcmp(report->entry[i].what, what) == 0 &&
        strcmp(report->entry[i].reason, reason) == 0)
      return &report->entry[i];
  if (ASP_GROW(import->context, report->entry, import->report_capacity, report->count + 1) == ASP_OK) {
    AspImportEntry *entry = &report->entry[report->count];
    *entry = (AspImportEntry){.kind = kind};
    entry->what = asp_copy_text(import->context, what);
    entry->reason = asp_copy_text(import->context, reason);
    report->count += entry->what && entry->reason;
    if (entry->what && entry->reason)
      return entry;
    asp_release(import->context, entry->what);
    asp_release(import->context, entry->reason);
  }
  if (import->error == ASP_OK)
    import->error = ASP_ERROR_MEMORY;
  return NULL;
}

static void count(Import *import, AspImportKind kind, const XmlNode *node, const char *what, const char *reason) {
  AspImportEntry *entry = entry_of(import, kind, what, reason);
  if (!entry)
    return;
  if (entry->count++ == 0 && node) {
    entry->line = node->line;
    entry->file = asp_copy_text(import->context, node->file);
  }
  import->report->total[kind]++;
}

void asp_import_note(Import *import, AspImportKind kind, const XmlNode *node, const char *what, const char *format,
                     ...) {
  char reason[1024];
  va_list values;
  va_start(values, format);
  vsnprintf(reason, sizeof reason, format, values);
  va_end(values);
  count(import, kind, node, what, reason);
}

void asp_import_leave_out(Import *import, AspImportKind kind, const XmlNode *node, const char *reason) {
  count(import, kind, node, node->name, reason);
  ((XmlNode *)node)->used = ((XmlNode *)node)->reported = true;
}

void asp_import_sweep(Import *import, const XmlNode *root) {
  char what[160];
  if (root->reported)
    return;
  if (!root->used) {
    count(import, ASP_IMPORT_IGNORED, root, root->name, "no meaning is known for this element here");
    return; // with all that is in it
  }
  count(import, ASP_IMPORT_TRANSLATED, root, root->name, "");
  for (int i = 0; i < root->attributes; i++)
    if (!root->attribute[i].used && strncmp(root->attribute[i].name, "xmlns", 5) != 0) {
      snprintf(what, sizeof what, "%.70s %.70s=", root->name, root->attribute[i].name);
      count(import, ASP_IMPORT_IGNORED, root, what, "no meaning is known for this attribute here");
    }
  for (const XmlNode *child = root->child; child; child = child->next)
    asp_import_sweep(import, child);
}

void asp_import_report_destroy(AspContext *context, AspImportReport *report) {
  if (!report)
    return;
  for (int i = 0; i < report->count; i++) {
    asp_release(context, report->entry[i].what);
    asp_release(context, report->entry[i].reason);
    asp_release(context, report->entry[i].file);
  }
  asp_release(context, report->entry);
  *report = (AspImportReport){0};
}
