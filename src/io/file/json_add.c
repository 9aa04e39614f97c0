/* Building JSON where memory may end (see json_add.h). */
#include "io/file/json_add.h"

#define GAP (1 << 20) /* in `type` of a cJSON: it lacks a part. cJSON itself uses the bits up to 9 */

static cJSON *note(cJSON *parent, cJSON *added) {
  if (!added && parent)
    parent->type |= GAP;
  return added;
}

cJSON *asp_json_add_number(cJSON *object, const char *key, double value) {
  return note(object, cJSON_AddNumberToObject(object, key, value));
}
cJSON *asp_json_add_text(cJSON *object, const char *key, const char *value) {
  return note(object, cJSON_AddStringToObject(object, key, value));
}
cJSON *asp_json_add_true(cJSON *object, const char *key) { return note(object, cJSON_AddTrueToObject(object, key)); }
cJSON *asp_json_add_false(cJSON *object, const char *key) { return note(object, cJSON_AddFalseToObject(object, key)); }
cJSON *asp_json_add_array(cJSON *object, const char *key) { return note(object, cJSON_AddArrayToObject(object, key)); }
cJSON *asp_json_add_object(cJSON *object, const char *key) {
  return note(object, cJSON_AddObjectToObject(object, key));
}

void asp_json_add(cJSON *object, const char *key, cJSON *item) {
  if (!cJSON_AddItemToObject(object, key, item)) {
    note(object, NULL);
    cJSON_Delete(item);
  }
}

void asp_json_append(cJSON *list, cJSON *item) {
  if (!cJSON_AddItemToArray(list, item)) {
    note(list, NULL);
    cJSON_Delete(item);
  }
}

void asp_json_inherit_gap(cJSON *to, const cJSON *from) {
  if (to && from)
    to->type |= from->type & GAP;
}

bool asp_json_has_gap(const cJSON *root) {
  if (!root || root->type & GAP)
    return true;
  for (const cJSON *child = root->child; child; child = child->next)
    if (asp_json_has_gap(child))
      return true;
  return false;
}
