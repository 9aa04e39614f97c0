/* Parameters in a result: see parameters.h. /scene/text is the scene as it was read; these are the values that the run
 * used, with what --set changed. */
#include "io/result/parameters.h"

static const char name_path[] = "/parameters/name", unit_path[] = "/parameters/unit",
                  description_path[] = "/parameters/description", value_path[] = "/parameters/value",
                  set_path[] = "/parameters/set";

static const char *name_of(const void *user, int i) { return ((const AspScene *)user)->parameter[i].name; }
static const char *unit_of(const void *user, int i) { return ((const AspScene *)user)->parameter[i].unit; }
static const char *description_of(const void *user, int i) {
  return ((const AspScene *)user)->parameter[i].description;
}

AspError asp_result_parameters_write(const AspH5File *file, const AspScene *scene) {
  static const ResultColumn value = {value_path,  "", "what the run used; units in /parameters/unit",
                                     RESULT_REAL, 0,  {0}},
                            set = {set_path, "", "1: set by --set in place of the scene's value", RESULT_REAL, 0, {0}};
  int count = scene ? scene->parameter_count : 0;
  if (count == 0)
    return ASP_OK;
  ASP_TRY(asp_h5_make_group(file, "/parameters"));
  ASP_TRY(asp_result_texts(file, name_path, "names of the parameters", count, name_of, scene));
  ASP_TRY(asp_result_texts(file, unit_path, "units as the scene writes them", count, unit_of, scene));
  ASP_TRY(asp_result_texts(file, description_path, "what they stand for", count, description_of, scene));
  double *values = asp_allocate(file->context, 2 * (size_t)count, sizeof *values);
  if (!values)
    return ASP_ERROR_MEMORY;
  for (int i = 0; i < count; i++) {
    values[i] = scene->parameter[i].value;
    values[count + i] = scene->parameter[i].set;
  }
  AspError error = asp_result_array(file, &value, (hsize_t)count, values);
  if (error == ASP_OK)
    error = asp_result_array(file, &set, (hsize_t)count, values + count);
  asp_release(file->context, values);
  return error;
}

static AspError read_texts(const ResultFile *result, const char *path, ResultTexts *texts) {
  return asp_result_texts_read(result, path, &texts->count, &texts->bytes, &texts->text);
}

AspError asp_result_parameters_read(const ResultFile *result, ResultParameters *parameters) {
  AspContext *context = result->file.context;
  *parameters = (ResultParameters){0};
  if (!asp_h5_has(&result->file, "/parameters") || !asp_h5_has(&result->file, name_path))
    return ASP_OK;
  AspError error = ASP_OK;
  ASP_CHECK(read_texts(result, name_path, &parameters->name));
  ASP_CHECK(read_texts(result, unit_path, &parameters->unit));
  ASP_CHECK(read_texts(result, description_path, &parameters->description));
  int count = parameters->name.count;
  if (parameters->unit.count != count || parameters->description.count != count)
    ASP_CHECK(asp_fail(context, ASP_ERROR_INPUT, "%s: /parameters: not as many units as names", result->file.path));
  parameters->value = asp_allocate(context, (size_t)count + 1, sizeof *parameters->value);
  parameters->set = asp_allocate(context, (size_t)count + 1, sizeof *parameters->set);
  ASP_CHECK(parameters->value && parameters->set ? ASP_OK : ASP_ERROR_MEMORY);
  ASP_CHECK(asp_result_rows(result, value_path, 0, count, 1, parameters->value));
  ASP_CHECK(asp_result_rows(result, set_path, 0, count, 1, parameters->set));
done:
  if (error != ASP_OK)
    asp_result_parameters_free(context, parameters);
  return error;
}

void asp_result_parameters_free(AspContext *context, ResultParameters *parameters) {
  asp_release(context, parameters->name.text);
  asp_release(context, parameters->unit.text);
  asp_release(context, parameters->description.text);
  asp_release(context, parameters->value);
  asp_release(context, parameters->set);
  *parameters = (ResultParameters){0};
}
