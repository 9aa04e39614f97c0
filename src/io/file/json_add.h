/* Building JSON where memory may end: what cannot be added is noted in the object or list that it was for, and
 * asp_json_print refuses a tree with such a gap. Each call is cJSON's of a similar name. */
#ifndef ASP_IO_JSON_ADD_H
#define ASP_IO_JSON_ADD_H

#include "base/base.h"

#include <cJSON.h>

cJSON *asp_json_add_number(cJSON *object, const char *key, double value);
cJSON *asp_json_add_text(cJSON *object, const char *key, const char *value);
cJSON *asp_json_add_true(cJSON *object, const char *key);
cJSON *asp_json_add_false(cJSON *object, const char *key);
cJSON *asp_json_add_array(cJSON *object, const char *key);
cJSON *asp_json_add_object(cJSON *object, const char *key);
/* These take the item over. */
void asp_json_add(cJSON *object, const char *key, cJSON *item);
void asp_json_append(cJSON *list, cJSON *item);

/* What `from` lacks, `to` lacks: before its members are moved there. */
void asp_json_inherit_gap(cJSON *to, const cJSON *from);

/* Whether something could not be added anywhere in the tree. */
bool asp_json_has_gap(const cJSON *root);

#endif
