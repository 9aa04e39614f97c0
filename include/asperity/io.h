/* Asperity io: scenes in, results out, problem files both ways. Uses the public headers only.
 */
#ifndef ASPERITY_IO_H
#define ASPERITY_IO_H

#include "asperity/world.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- scenes: schema/scene.schema.json ---- */

/* Everything in it belongs to the scene. */
typedef struct AspScene {
  char *name;
  char *text; /* the file as it was read; kept in results */
  AspModel *model;
  AspVec3 *centre; /* per body of the model: its centre of mass in the frame in which the scene describes the body, m */
  AspRunOptions run;
} AspScene;

/* Every mistake of a scene, one line each: "file: /bodies/2/mass: -1 is not > 0 kg". */
typedef struct AspMistakes {
  int count;
  char **line;
} AspMistakes;

/* Read a scene file. On ASP_ERROR_INPUT (a mistake in the scene) and ASP_ERROR_FILE (it cannot be read) the context's
 * message is the first mistake and `mistakes` (may be NULL) has them all. The scene is empty then. */
AspError asp_scene_read(AspContext *context, const char *path, AspScene *scene, AspMistakes *mistakes);
/* The same from memory; `label` stands for the file name in messages. */
AspError asp_scene_parse(AspContext *context, const char *text, size_t length, const char *label, AspScene *scene,
                         AspMistakes *mistakes);
void asp_scene_destroy(AspContext *context, AspScene *scene);
void asp_mistakes_destroy(AspContext *context, AspMistakes *mistakes);

/* The JSON Schema (draft 2020-12) of scenes, as published in schema/; free it with asp_text_destroy. */
AspError asp_scene_schema(AspContext *context, char **text);
void asp_text_destroy(AspContext *context, char *text);

/* ---- results: one HDF5 file per run, docs/reference/results.md ---- */

typedef struct AspResultWriter AspResultWriter;

/* Writes the model's description and the initial state. An existing file at `path` is replaced only once the new one is
 * whole enough to read. */
AspError asp_result_create(AspContext *context, const char *path, const AspScene *scene, const AspWorld *world,
                           AspResultWriter **writer);
/* State, contacts, joints, certificate and energies of the step just done. */
AspError asp_result_append(AspResultWriter *writer, const AspWorld *world, const AspStepInfo *info);
/* What was appended so far is readable after a crash. Called by append now and then. */
AspError asp_result_flush(AspResultWriter *writer);
/* Writes the warnings, closes the file. */
AspError asp_result_close(AspResultWriter *writer, const AspWorld *world);

/* Frames of a result as CSV: time, then position, orientation, velocity, angular velocity of every body (units in the
 * header line). */
AspError asp_result_export_csv(AspContext *context, const char *result_path, const char *csv_path);

/* What is in a file, as text lines through `print`: scene, result, FCLIB problem or LCP. */
AspError asp_file_info(AspContext *context, const char *path, void (*print)(void *user, const char *line), void *user);

/* ---- LCP files: /M (row-major n x n) and /q ---- */

AspError asp_lcp_read(AspContext *context, const char *path, AspLcp *lcp);
AspError asp_lcp_write(AspContext *context, const char *path, const AspLcp *lcp, const double *z);

#ifdef __cplusplus
}
#endif
#endif
