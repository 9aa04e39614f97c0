/* The tables of keys of a study file: as scene/keys.c for scenes. */
#include "io/study/keys.h"
#include "io/study/study.h"

#include <math.h>

#define BIT(kind) (UINT32_C(1) << (kind))

static const char *const scales[] = {"linear", "log", NULL};
static const char *const samplings[] = {"random", "latin", "sobol", NULL};
static const char *const searchings[] = {"bisection", "golden", NULL};
static const char *const kept[] = {"none", "all", NULL};

static const SceneKey top_keys[STUDY_KEYS] = {
    [STUDY_SCHEMA] = {"$schema", SCENE_TEXT, .text = "path of the JSON schema, for editors; ignored"},
    [STUDY_NAME] = {"name", SCENE_TEXT, .text = "name of the study; default: the file's name"},
    [STUDY_DESCRIPTION] = {"description", SCENE_TEXT, .text = "description, shown on the page"},
    [STUDY_SCENE] = {"scene", SCENE_TEXT, .required = true, .text = "the scene, seen from the study's folder"},
    [STUDY_PARAMETERS] = {"parameters", SCENE_NAMED, .object = &asp_study_parameter_object,
                          .text = "values for parameters of the scene, and for options of the run by names such as "
                                  "`run.dt`: a number, or an object that says how it varies"},
    [STUDY_SAMPLE] = {"sample", SCENE_OBJECT, .object = &asp_study_sample_object,
                      .text = "how parameters with a range but no count are sampled together"},
    [STUDY_OUTPUTS] = {"outputs", SCENE_NAMED, .required = true, .object = &asp_study_output_object,
                       .text =
                           "what is kept of every run: names to expressions in probes, quantities of the last state, "
                           "summaries (`run.steps`) and parameters"},
    [STUDY_SEARCH] = {"search", SCENE_OBJECT, .object = &asp_study_search_object,
                      .text = "a parameter whose critical or best value is sought at every point"},
    [STUDY_RESULTS] = {"results", SCENE_CHOICE, .initial_text = "none", .choices = kept,
                       .text = "result files of the runs, for replays from the page"},
    [STUDY_RUN] = {"run", SCENE_OBJECT, .text = "options in place of the scene's"},
};
const SceneObject asp_study_top = {"study", "one scene at many values of its parameters", top_keys, STUDY_KEYS, -1};

static const SceneKey parameter_keys[VARIED_KEYS] = {
    [VARIED_VALUES] = {"values", SCENE_NUMBERS, .text = "these values, each with all values of the other parameters"},
    [VARIED_RANGE] = {"range", SCENE_LIMITS, .text = "from low to high: in equal steps with `count`, else sampled"},
    [VARIED_COUNT] = {"count", SCENE_INTEGER, .range = {2, 1e7, false},
                      .text = "values of the range, both ends included, each with all values of the other parameters"},
    [VARIED_SCALE] = {"scale", SCENE_CHOICE, .initial_text = "linear", .choices = scales,
                      .text = "log: equal ratios in place of equal steps"},
};
const SceneObject asp_study_parameter_object = {"varied", "how a parameter varies: `values` or `range`", parameter_keys,
                                                VARIED_KEYS, -1};

static const SceneKey sample_keys[SAMPLE_KEYS] = {
    [SAMPLE_METHOD] = {"method", SCENE_CHOICE, .initial_text = "sobol", .choices = samplings,
                       .text = "random: independent; latin: one in each of `count` slices of every range; sobol: a "
                               "low-discrepancy sequence, shifted by the seed"},
    [SAMPLE_COUNT] = {"count", SCENE_INTEGER, .required = true, .range = {1, 1e7, false},
                      .text = "samples, each with all values of the grids"},
    [SAMPLE_SEED] = {"seed", SCENE_INTEGER, .range = {0, 1e15, false}, .initial = 1,
                     .text = "the same seed gives the same samples"},
};
const SceneObject asp_study_sample_object = {"sample", "samples of the ranges without count", sample_keys, SAMPLE_KEYS,
                                             -1};

static const SceneKey output_keys[OUTPUT_KEYS] = {
    [OUTPUT_VALUE] = {"value", SCENE_CONSTANT, .required = true, .text = "the expression"},
    [OUTPUT_UNIT] = {"unit", SCENE_TEXT, .text = "unit, for readers"},
    [OUTPUT_DESCRIPTION] = {"description", SCENE_TEXT, .text = "what it is; ignored"},
};
const SceneObject asp_study_output_object = {"output", "an output", output_keys, OUTPUT_KEYS, -1};

static const SceneKey search_keys[SEARCH_KEYS] = {
    [SEARCH_METHOD] = {"method", SCENE_CHOICE, .required = true, .choices = searchings,
                       .text =
                           "bisection: where a condition changes; golden: the least or largest value of an expression "
                           "that has one extreme in the range"},
    [SEARCH_PARAMETER] = {"parameter", SCENE_TEXT, .required = true, .text = "parameter of the scene, or `run.dt`"},
    [SEARCH_RANGE] = {"range", SCENE_LIMITS, .required = true, .text = "where it is sought"},
    [SEARCH_WHEN] = {"when", SCENE_TEXT, .only = BIT(SEARCH_BISECTION), .needed = BIT(SEARCH_BISECTION),
                     .text =
                         "condition in the names of outputs' expressions; true at one end of the range, false at the "
                         "other"},
    [SEARCH_MINIMIZE] = {"minimize", SCENE_TEXT, .only = BIT(SEARCH_GOLDEN), .text = "the expression to be least"},
    [SEARCH_MAXIMIZE] = {"maximize", SCENE_TEXT, .only = BIT(SEARCH_GOLDEN), .text = "the expression to be largest"},
    [SEARCH_TOLERANCE] = {"tolerance", SCENE_NUMBER, .range = {0, HUGE_VAL, true},
                          .text = "width of the last bracket, in the parameter's unit; default: 1e-6 of the range"},
};
const SceneObject asp_study_search_object = {"search", "a search along one parameter", search_keys, SEARCH_KEYS,
                                             SEARCH_METHOD};

AspError asp_study_schema(AspContext *context, char **text) {
  return asp_schema_print(context, "Asperity study", &asp_study_top, STUDY_RUN, text);
}
