/* The state of reading one scene: where in the file the reader is, the mistakes found so far, scratch memory. And the
 * values of an object, checked against its table of keys. Depends on base, linalg, the tables and cJSON.
 */
#ifndef ASP_IO_SCENE_READER_H
#define ASP_IO_SCENE_READER_H

#include "asperity/io.h"
#include "io/scene/keys.h"
#include "io/scene/units.h"

#include <cjson/cJSON.h>

/* ---- names: index by text ---- */

typedef struct SceneNames {
  const char **name; /* count, in the order of adding */
  int *value;        /* what the caller keeps with a name */
  int *slot;         /* hash table of capacity `slots`, entries index + 1 */
  int count;
  size_t name_capacity, value_capacity, slots;
} SceneNames;

typedef struct SceneParameter SceneParameter; /* parameters.c */

/* A quantity of the state that an expression names, and where: its meaning is checked when all bodies are known. */
typedef struct SceneSensor SceneSensor;
struct SceneSensor {
  const char *name, *path;
  SceneSensor *next;
};

/* A file that the scene depends on: as the scene writes it, and a hash of what is in it. */
typedef struct SceneFile SceneFile;
struct SceneFile {
  const char *path;
  uint64_t hash;
  SceneFile *next;
};

typedef struct SceneParameters {
  SceneParameter *item; /* count, in the reader's memory */
  int count;
  bool ready;       /* numbers may be texts from now on */
  SceneNames names; /* of the parameters, in their order */
} SceneParameters;

typedef struct SceneReader {
  AspContext *context;
  AspArena arena;    /* texts and lists that live as long as the reader */
  const char *label; /* the file's name in messages */
  int dimension;
  AspModel *model; /* gets the sensors that expressions name */
  SceneSensor *sensors;
  SceneFile *files;       /* each once */
  AspVariables variables; /* that expressions may use */
  const AspInput *inputs; /* what they are at first */
  char *path;             /* key path of the object being read, "/bodies/2" */
  size_t path_length, path_capacity;
  AspMistakes mistakes;
  size_t mistakes_capacity;
  AspMistakes warnings; /* the scene's in the end */
  size_t warnings_capacity;
  AspMistakes notes; /* the same */
  size_t notes_capacity;
  SceneParameters parameters;
  SceneUnits units;
  AspError error; /* a failure that is no mistake of the scene: out of memory */
} SceneReader;

void asp_reader_init(SceneReader *reader, AspContext *context, const char *label);
/* Frees all but the mistakes. */
void asp_reader_free(SceneReader *reader);

/* Go down to a key or an element of a list; leave with the mark. The key may be "". */
size_t asp_reader_enter(SceneReader *reader, const char *key);
size_t asp_reader_enter_index(SceneReader *reader, int index);
void asp_reader_leave(SceneReader *reader, size_t mark);

/* Note a mistake at the present path, or at `key` below it when not NULL. */
void asp_reader_mistake(SceneReader *reader, const char *key, const char *format, ...) ASP_PRINTF(3, 4);
/* The same at another path, "/joints/0/motor". */
void asp_reader_mistake_at(SceneReader *reader, const char *path, const char *text);
/* Take back the mistakes beyond the first `count`. */
void asp_reader_forget(SceneReader *reader, int count);
/* What is done otherwise than written, at the path or at `key` below it. */
void asp_reader_warn(SceneReader *reader, const char *key, const char *format, ...) ASP_PRINTF(3, 4);
/* What is worth knowing of what was read, at the path or at `key` below it. */
void asp_reader_note(SceneReader *reader, const char *key, const char *format, ...) ASP_PRINTF(3, 4);
/* What a call of another layer gave: ASP_OK passes; input and argument errors become a mistake at `key` with the
 * context's message; others end the reading. True when it was ASP_OK. */
bool asp_reader_accept(SceneReader *reader, const char *key, AspError error);
/* The same with a text behind the message, in place of that about units. */
bool asp_reader_accept_as(SceneReader *reader, const char *key, AspError error, const char *behind);
/* Memory and texts that live as long as the reader; NULL latches the failure. */
void *asp_reader_take(SceneReader *reader, size_t count, size_t size);
const char *asp_reader_text(SceneReader *reader, const char *format, ...) ASP_PRINTF(2, 3);
/* A text for a message: on one line, shortened, in single quotes. */
const char *asp_reader_quote(SceneReader *reader, const char *text);
/* "; did you mean 'mass'?" when a candidate is near, otherwise "". */
const char *asp_reader_suggestion(SceneReader *reader, const char *text, const char *const *candidates, int count);

/* The path as the scene means it: from the folder that the scene is in. */
const char *asp_reader_file(SceneReader *reader, const char *file);
/* Remember that the scene depends on the file, with the hash of its bytes. */
void asp_reader_note_file(SceneReader *reader, const char *file);

/* -1 when the name is not there. */
int asp_scene_names_find(const SceneNames *names, const char *name);
/* False when the name is there already, or on failure (latched in the reader). The text is borrowed. */
bool asp_scene_names_add(SceneReader *reader, SceneNames *names, const char *name, int value);
void asp_scene_names_free(SceneReader *reader, SceneNames *names);

/* ---- values ---- */

typedef struct SceneValue {
  const cJSON *node; /* NULL: not given */
  const SceneKey *key;
  bool degrees; /* the _deg twin was used */
  bool wrong;   /* given, but not as it should be: node is NULL then */
} SceneValue;

/* Check one value against its key; mistakes at the present path. */
bool asp_reader_check(SceneReader *reader, const SceneKey *key, const cJSON *node);
/* Check an object against its table: known keys, each once, of the right type, finite and in range, none missing.
 * values has object->count entries. False when something was wrong; the mistakes are noted. */
bool asp_reader_object(SceneReader *reader, const SceneObject *object, const cJSON *json, SceneValue *values);

extern const double asp_radians_per_degree;

/* What a checked value means; the default of its key when it is not given. Angles come out in radians. */
double asp_value_number(const SceneValue *value);
bool asp_value_flag(const SceneValue *value);
const char *asp_value_text(const SceneValue *value);
int asp_value_choice(const SceneValue *value);
/* A checked list of two or three numbers, as it is. */
AspVec3 asp_node_vector(const cJSON *list);
AspVec3 asp_value_vector(const SceneValue *value, AspVec3 otherwise);
/* A vector; in 2D a number about z. */
AspVec3 asp_value_spin(const SceneReader *reader, const SceneValue *value);
/* Element of a list of names. */
const char *asp_value_name(const SceneValue *value, int index);
/* An expression's text, numbers included, parameters by their values; index < 0: the value itself, else the element.
 * NULL when not given. */
const char *asp_value_expression(SceneReader *reader, const SceneValue *value, int index);
/* From `orientation` in 3D, `angle` in 2D; the identity when neither is given. */
AspQuat asp_value_orientation(SceneReader *reader, const SceneValue *orientation, const SceneValue *angle);

#endif
