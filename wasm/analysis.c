/* All solutions of the contact problem at the present state, as JSON: what `asperity analyze` finds. See live.h. */
#include "live.h"

#include <math.h>
#include <string.h>

static cJSON *numbers(const double *values, int count) {
  return values ? cJSON_CreateDoubleArray(values, count) : cJSON_CreateNull();
}

static void add_blocks(cJSON *all, const AspLevelProblem *at, const AspModel *model) {
  cJSON *list = cJSON_AddArrayToObject(all, "blocks");
  for (int i = 0; i < at->problem.blocks; i++) {
    const AspProblemBlock *block = &at->block[i];
    const double point[] = {block->point.x, block->point.y, block->point.z},
                 normal[] = {block->normal.x, block->normal.y, block->normal.z};
    cJSON *entry = cJSON_CreateObject();
    cJSON_AddItemToArray(list, entry);
    cJSON_AddNumberToObject(entry, "first", at->problem.offset[i]);
    cJSON_AddNumberToObject(entry, "size", at->problem.offset[i + 1] - at->problem.offset[i]);
    if (block->joint >= 0) {
      cJSON_AddStringToObject(entry, "joint", asp_model_joint_name(model, block->joint));
      continue;
    }
    cJSON_AddStringToObject(entry, "a", asp_model_body_name(model, block->body_a));
    cJSON_AddStringToObject(entry, "b", asp_model_body_name(model, block->body_b));
    cJSON_AddItemToObject(entry, "point", cJSON_CreateDoubleArray(point, 3));
    cJSON_AddItemToObject(entry, "normal", cJSON_CreateDoubleArray(normal, 3));
  }
}

static void add_solutions(cJSON *all, const AspAnalysis *found) {
  cJSON *list = cJSON_AddArrayToObject(all, "solutions");
  for (int i = 0; i < found->count; i++) {
    const AspSolution *it = &found->solution[i];
    cJSON *entry = cJSON_CreateObject(), *modes = cJSON_AddArrayToObject(entry, "modes");
    cJSON_AddItemToArray(list, entry);
    for (int k = 0; k < found->blocks; k++)
      cJSON_AddItemToArray(modes, cJSON_CreateString(asp_block_mode_name(it->mode[k])));
    cJSON_AddItemToObject(entry, "r", numbers(it->r, found->rows));
    cJSON_AddItemToObject(entry, "u", numbers(it->u, found->rows));
    cJSON_AddItemToObject(entry, "x", numbers(it->x, found->dofs));
    cJSON_AddItemToObject(entry, "low", numbers(it->low, found->blocks));
    cJSON_AddItemToObject(entry, "high", numbers(it->high, found->blocks));
    cJSON_AddNumberToObject(entry, "residual", it->residual.E2);
    cJSON_AddNumberToObject(entry, "motionDimension", it->motion_dimension);
    cJSON_AddNumberToObject(entry, "reactionDimension", it->reaction_dimension);
  }
}

static cJSON *analysis_json(const AspLevelProblem *at, const AspAnalysis *found, const AspModel *model) {
  cJSON *all = cJSON_CreateObject();
  cJSON_AddStringToObject(all, "level", asp_problem_level_name(at->level));
  cJSON_AddNumberToObject(all, "approaching", at->approaching);
  cJSON_AddBoolToObject(all, "exists", found->exists);
  cJSON_AddBoolToObject(all, "unique", found->unique);
  cJSON_AddBoolToObject(all, "uniqueMotion", found->unique_motion);
  cJSON_AddBoolToObject(all, "complete", found->complete);
  if (found->incomplete)
    cJSON_AddStringToObject(all, "incomplete", found->incomplete);
  cJSON_AddBoolToObject(all, "provedNone", !found->exists && found->complete);
  add_blocks(all, at, model);
  add_solutions(all, found);
  cJSON_AddItemToObject(all, "A", numbers(found->normals ? found->normal_A : NULL, found->normals * found->normals));
  cJSON_AddItemToObject(all, "b", numbers(found->normals ? found->normal_b : NULL, found->normals));
  return all;
}

/* Level 0: accelerations, 1: impulses, 2: the next step, 3: statics (AspProblemLevel). The records of the last step are
 * gone afterwards. seconds: at most so long. */
int live_analyze(Live *live, int level, double seconds) {
  if (!live->world || level < 0 || level > ASP_PROBLEM_STATIC)
    return ASP_ERROR_ARGUMENT;
  AspLevelProblem at;
  AspError error = asp_world_problem_at(live->world, (AspProblemLevel)level, &at);
  if (error != ASP_OK)
    return live_failed(live, error);
  AspAnalysis found;
  AspAnalysisOptions options = asp_analysis_default_options();
  options.max_time = seconds;
  error = asp_analyze(live->context, &at.problem, &options, &found);
  int stored =
      error == ASP_OK ? live_answer(live, analysis_json(&at, &found, live->scene.model)) : live_failed(live, error);
  if (error == ASP_OK)
    asp_analysis_destroy(live->context, &found);
  asp_level_problem_destroy(live->context, &at);
  return stored;
}
