/* The keys of a study file: one index per key, in the order of the tables of keys.c. Depends on those of scenes. */
#ifndef ASP_IO_STUDY_KEYS_H
#define ASP_IO_STUDY_KEYS_H

#include "io/scene/keys.h"

typedef enum StudyTopKey {
  STUDY_SCHEMA,
  STUDY_NAME,
  STUDY_DESCRIPTION,
  STUDY_SCENE,
  STUDY_PARAMETERS,
  STUDY_SAMPLE,
  STUDY_OUTPUTS,
  STUDY_SEARCH,
  STUDY_RESULTS,
  STUDY_RUN,
  STUDY_KEYS
} StudyTopKey;

typedef enum StudyParameterKey {
  VARIED_VALUES,
  VARIED_RANGE,
  VARIED_COUNT,
  VARIED_SCALE,
  VARIED_KEYS
} StudyParameterKey;
typedef enum StudySampleKey { SAMPLE_METHOD, SAMPLE_COUNT, SAMPLE_SEED, SAMPLE_KEYS } StudySampleKey;
typedef enum StudyOutputKey { OUTPUT_VALUE, OUTPUT_UNIT, OUTPUT_DESCRIPTION, OUTPUT_KEYS } StudyOutputKey;
typedef enum StudySearchKey {
  SEARCH_METHOD,
  SEARCH_PARAMETER,
  SEARCH_RANGE,
  SEARCH_WHEN,
  SEARCH_MINIMIZE,
  SEARCH_MAXIMIZE,
  SEARCH_TOLERANCE,
  SEARCH_KEYS
} StudySearchKey;

extern const SceneObject asp_study_top, asp_study_parameter_object, asp_study_sample_object, asp_study_output_object,
    asp_study_search_object;

#endif
