/* A report: the viewer's page and a result's data in one HTML file. The data go in as base64 (RFC 4648) inside script
 * elements that no browser executes; base64 holds no '<', so nothing in a result can end such an element. Pieces, so
 * that the page can draw from the first ones while the browser still reads. Written beside its place and moved there
 * when whole.
 */
#include "asperity/io.h"
#include "base/base.h"
#include "io/file/base64.h"
#include "io/file/text_file.h"

#include <errno.h>
#include <stdio.h>

/* Where the page wants its data; NULL when it does not say. */
static const char *find_slot(const char *page, size_t length) {
  const size_t slot = sizeof ASP_PAGE_SLOT - 1;
  for (size_t i = 0; i + slot <= length; i++)
    if (page[i] == '<' && memcmp(page + i, ASP_PAGE_SLOT, slot) == 0)
      return page + i;
  return NULL;
}

/* The data of one result. */
typedef struct Data {
  unsigned char *bytes;
  size_t length;
} Data;

#define PIECE ((size_t)3 << 17) /* bytes in an element: a multiple of three, so that only the last one ends with '=' */

static void put_data(FILE *file, const char *kind, const Data *data) {
  for (size_t at = 0; at < data->length; at += PIECE) {
    size_t rest = data->length - at;
    fprintf(file, "<script type=\"application/octet-stream\" class=\"%s\">", kind);
    Base64 letters = {.file = file};
    asp_base64_write(&letters, data->bytes + at, rest < PIECE ? rest : PIECE);
    asp_base64_end(&letters);
    fputs("</script>", file);
  }
}

static AspError write_page(AspContext *context, const char *path, const char *page, size_t page_length,
                           const char *slot, const Data *own, const Data *other) {
  size_t room = strlen(path) + sizeof ".part";
  char *partial = asp_allocate(context, room, 1);
  if (!partial)
    return ASP_ERROR_MEMORY;
  snprintf(partial, room, "%s.part", path);
  AspError error;
  FILE *file = asp_file_create(context, partial, &error);
  if (file) {
    const char *rest = slot + sizeof ASP_PAGE_SLOT - 1;
    fwrite(page, 1, (size_t)(slot - page), file);
    put_data(file, "asperity-other", other); // first: the page draws as soon as its own data begin
    put_data(file, "asperity-data", own);
    fwrite(rest, 1, page_length - (size_t)(rest - page), file);
    error = asp_file_finish(context, path, file);
    if (error == ASP_OK && rename(partial, path) != 0)
      error = asp_fail(context, asp_file_error(errno), "%s: %s", path, strerror(errno));
    if (error != ASP_OK)
      remove(partial);
  } else if (error == ASP_ERROR_FILE) {
    error = asp_fail(context, error, "%s: cannot be written: %s", path, strerror(errno)); // not the partial one's name
  }
  asp_release(context, partial);
  return error;
}

AspError asp_report_write(AspContext *context, const char *result_path, const AspViewOptions *options, const char *page,
                          size_t page_length, const char *html_path) {
  const char *slot = find_slot(page, page_length);
  if (!slot)
    return asp_fail(context, ASP_ERROR_ARGUMENT, "the page has no place for data: " ASP_PAGE_SLOT " is missing");
  Data own = {0}, other = {0};
  AspError error = asp_view_data(context, result_path, options, &own.bytes, &own.length);
  if (error == ASP_OK && options && options->beside)
    error = asp_view_data(context, options->beside, options, &other.bytes, &other.length);
  if (error == ASP_OK)
    error = write_page(context, html_path, page, page_length, slot, &own, &other);
  asp_view_data_destroy(context, own.bytes);
  asp_view_data_destroy(context, other.bytes);
  return error;
}
