/* json_query PATH < text: the text must be exactly one JSON object and a newline; prints the value at PATH
 * ("final/bodies/0/name"; "" is the whole). Arrays print as compact JSON, numbers with 17 digits. */
#include <cjson/cJSON.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TEXT_MAX (1 << 24)

static int fail(const char *what) {
  fprintf(stderr, "json_query: %s\n", what);
  return 1;
}

static const cJSON *descend(const cJSON *value, const char *path) {
  char key[128];
  while (*path && value) {
    size_t length = strcspn(path, "/");
    if (length >= sizeof key)
      return NULL;
    memcpy(key, path, length);
    key[length] = '\0';
    value = cJSON_IsArray(value) ? cJSON_GetArrayItem(value, atoi(key)) : cJSON_GetObjectItemCaseSensitive(value, key);
    path += length + (path[length] == '/');
  }
  return value;
}

static int print_value(const cJSON *value) {
  if (cJSON_IsString(value)) {
    printf("%s\n", value->valuestring);
  } else if (cJSON_IsNumber(value)) {
    printf("%.17g\n", value->valuedouble);
  } else {
    char *text = cJSON_PrintUnformatted(value);
    if (!text)
      return fail("out of memory");
    printf("%s\n", text);
    cJSON_free(text);
  }
  return 0;
}

int main(int count, char **words) {
  if (count != 2)
    return fail("expected one path");
  char *text = malloc(TEXT_MAX);
  if (!text)
    return fail("out of memory");
  size_t length = fread(text, 1, TEXT_MAX - 1, stdin);
  text[length] = '\0';
  const char *end = NULL;
  cJSON *root = cJSON_ParseWithOpts(text, &end, 0);
  int code = 0;
  if (!root || !cJSON_IsObject(root) || strcmp(end, "\n") != 0) {
    code = fail("not exactly one JSON object and a newline");
  } else {
    const cJSON *value = descend(root, words[1]);
    code = value ? print_value(value) : fail("there is nothing at this path");
  }
  cJSON_Delete(root);
  free(text);
  return code;
}
