/* The parameters of a scene in its result: what the run used. Depends on the layout and the reader. */
#ifndef ASP_IO_RESULT_PARAMETERS_H
#define ASP_IO_RESULT_PARAMETERS_H

#include "io/result/model.h"

typedef struct ResultParameters {
  ResultTexts name, unit, description;
  double *value; /* name.count */
  double *set;   /* 1: set by the caller of the run; 0: as in the scene */
} ResultParameters;

/* Nothing is written where the scene has none. */
AspError asp_result_parameters_write(const AspH5File *file, const AspScene *scene);
/* None where the file has none. */
AspError asp_result_parameters_read(const ResultFile *result, ResultParameters *parameters);
/* Safe on a zeroed struct. */
void asp_result_parameters_free(AspContext *context, ResultParameters *parameters);

#endif
