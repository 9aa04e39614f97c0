/* JSON text to a cJSON tree, strictly (RFC 8259), with mistakes named by line and column. Depends on base and cJSON. */
#ifndef ASP_IO_JSON_H
#define ASP_IO_JSON_H

#include "base/base.h"

#include <cjson/cJSON.h>

/* The tree, to be freed by cJSON_Delete. `text` has a zero at text[length]. ASP_ERROR_INPUT: "line 3, column 7: ...". A
 * byte order mark of UTF-8 in front is skipped. */
AspError asp_json_parse(AspContext *context, const char *text, size_t length, cJSON **root);

/* The tree as text, two blanks per level, arrays without objects on one line; from the context. */
AspError asp_json_print(AspContext *context, const cJSON *root, char **text);

#endif
