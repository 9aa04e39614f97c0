/* What every command that reads a scene shares: --set, and the scene read with it. */
#ifndef CLI_SCENE_FLAGS_H
#define CLI_SCENE_FLAGS_H

#include "arguments.h"
#include "json.h"

#include "asperity/io.h"

/* A row of a table of flags: --set NAME=VALUE, any number of times, into the list. */
#define SET_FLAG(values)                                                                                               \
  { "set", 0, "NAME=VALUE", "another value for a parameter of the scene; may be given several times", .list = (values) }

static inline AspSettings settings_of(const FlagList *list) {
  return (AspSettings){.count = list->count, .text = list->text};
}

/* "parameters": {"mu": 0.4} */
static inline void write_parameters(Json *json, const AspScene *scene) {
  json_object(json, "parameters");
  for (int i = 0; i < scene->parameter_count; i++)
    json_number(json, scene->parameter[i].name, scene->parameter[i].value);
  json_end(json);
}

#endif
