/* Parameters of a scene: named constants that every number and expression of the file may use.
 *
 * A number of the scene may be a text ("2*load"): an expression in parameters, evaluated when the scene is read. In
 * expressions in t the parameters' values take the place of their names. A parameter may be such a text itself, as long
 * as no parameter depends on itself. Depends on the reader and the expressions of the model's public header.
 */
#ifndef ASP_IO_SCENE_PARAMETERS_H
#define ASP_IO_SCENE_PARAMETERS_H

#include "io/scene/reader.h"

#define SCENE_OUTPUT_SETTING "output.bodies=" /* a setting that is no parameter: output.c */

/* Read the scene's parameters (`json` may be NULL), with the caller's settings in place of their values. To be called
 * before any other number is read. Those that one of the events sets are inputs: no constant number may use them. */
void asp_scene_read_parameters(SceneReader *reader, const cJSON *json, const cJSON *events,
                               const AspSettings *settings);
/* The latter become inputs of the model. */
void asp_parameters_add_inputs(SceneReader *reader, AspModel *model);
/* False: the parameter of this name, if there is one, has a range without this value (noted). */
bool asp_parameters_may_become(SceneReader *reader, const char *name, double value);

/* The text with the values of parameters in place of their names; NULL when a name in it is not known (noted).
 * `constant`: it may not depend on t. */
const char *asp_parameters_substitute(SceneReader *reader, const char *text, bool constant);
/* The value of a number's text; false: it has none (noted). */
bool asp_parameters_evaluate(SceneReader *reader, const char *text, double *value);
/* Quantities of the state that expressions name, once all bodies and joints are known. */
void asp_parameters_check_sensors(SceneReader *reader);
/* Parameters that nothing used. */
void asp_parameters_warn(SceneReader *reader);
/* Copies for the scene; NULL: none, or out of memory (latched in the reader). */
AspParameter *asp_parameters_copy(SceneReader *reader, int *count);
void asp_parameters_destroy(AspContext *context, AspParameter *parameter, int count);

#endif
