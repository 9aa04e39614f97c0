/* Tables of a scene, and the files it depends on. Depends on the reader and the model's public header. */
#ifndef ASP_IO_SCENE_TABLE_H
#define ASP_IO_SCENE_TABLE_H

#include "io/scene/build.h"

/* An entry of `tables`. */
void asp_scene_read_table(SceneBuild *build, const cJSON *json, int place);
/* The tables that an expression names: those of files are read where they are new. False: noted. */
bool asp_scene_use_tables(SceneReader *reader, const char *text, bool constant);
/* The name behind the bracket of table(...), *end behind it; NULL: there is none, or no reader to keep it. */
const char *asp_scene_table_name(SceneReader *reader, const char *open, const char **end);

/* For the scene; NULL: none, or out of memory (latched in the reader). */
AspSceneFile *asp_scene_files_copy(SceneReader *reader, int *count);
void asp_scene_files_destroy(AspContext *context, AspSceneFile *file, int count);

#endif
