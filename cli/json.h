/* JSON writer: one object on a stream, numbers with every digit that matters.
 *
 *   Json json = json_start(stdout);
 *   json_number(&json, "time", 0.6);
 *   json_array(&json, "warnings");
 *   json_text(&json, NULL, "redundant joint");     // members of an array have no key
 *   json_end(&json);
 *   json_finish(&json);
 *
 * Numbers take the shortest form that reads back to the same double; NaN and infinities become null, since JSON has
 * neither. Texts are escaped; bytes that are not UTF-8 become U+FFFD. Failures to write show in ferror(stream).
 */
#ifndef CLI_JSON_H
#define CLI_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define JSON_DEPTH_MAX 16

typedef struct Json {
  FILE *stream;
  int depth;                       /* open objects and arrays, the outermost included */
  char closing[JSON_DEPTH_MAX];    /* '}' or ']' of each */
  bool has_member[JSON_DEPTH_MAX]; /* a comma goes before the next one */
} Json;

Json json_start(FILE *stream);
void json_object(Json *json, const char *key);
void json_array(Json *json, const char *key);
void json_end(Json *json); /* of the innermost object or array */
void json_number(Json *json, const char *key, double value);
void json_integer(Json *json, const char *key, int64_t value);
void json_flag(Json *json, const char *key, bool value);
void json_null(Json *json, const char *key);
void json_text(Json *json, const char *key, const char *text); /* NULL: null */
void json_numbers(Json *json, const char *key, const double *values, int count);
void json_finish(Json *json); /* closes the object, adds a newline */

#endif
