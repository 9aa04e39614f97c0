/* asperity analyze: every solution of the contact problem at a scene's initial state. */
#include "analyze.h"
#include "arguments.h"
#include "json.h"
#include "scene_flags.h"
#include "terminal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

double analyze_tidy(double value, double scale) { return fabs(value) <= 1e-11 * scale ? 0 : value; }

void analyze_block_name(const AspModel *model, const AspProblemBlock *block, char *text, size_t size) {
  if (block->joint < 0)
    snprintf(text, size, "%s/%s at (%.4g, %.4g, %.4g)", asp_model_body_name(model, block->body_a),
             asp_model_body_name(model, block->body_b), analyze_tidy(block->point.x, 1),
             analyze_tidy(block->point.y, 1), analyze_tidy(block->point.z, 1));
  else if (block->role == ASP_ROLE_JOINT)
    snprintf(text, size, "joint %s", asp_model_joint_name(model, block->joint));
  else
    snprintf(text, size, "%s of joint %s", asp_block_role_name(block->role), asp_model_joint_name(model, block->joint));
}

/* ---- what to say ---- */

static const char *verdict_of(const AspAnalysis *analysis) {
  if (!analysis->exists)
    return analysis->complete ? "no solution exists" : "no solution was found, but not all modes could be decided";
  if (!analysis->complete)
    return "solutions were found, there may be more";
  if (analysis->unique)
    return "exactly one solution";
  if (analysis->unique_motion)
    return "one motion, many sets of reactions (hyperstatic)";
  if (analysis->count == 1 && analysis->solution[0].motion_dimension > 0)
    return "a continuum of motions (redundant contacts slide)";
  return "several solutions";
}

static void print_reactions(const AspLevelProblem *level, const AspSolution *solution, int block) {
  int first = level->problem.offset[block], rows = level->problem.offset[block + 1] - first;
  double scale = 0;
  for (int k = 0; k < level->problem.rows; k++)
    scale = fmax(scale, fabs(solution->r[k]));
  printf(" %-6s (", asp_block_mode_name(solution->mode[block]));
  for (int k = 0; k < rows; k++)
    printf("%s%.9g", k ? ", " : "", analyze_tidy(solution->r[first + k], scale));
  printf(")");
  if (solution->high[block] - solution->low[block] > 1e-9 * (1 + fabs(solution->low[block])))
    printf("  r_N in [%.6g, %.6g]", analyze_tidy(solution->low[block], scale), solution->high[block]);
  printf("\n");
}

static void print_solution(const AspModel *model, const AspLevelProblem *level, const AspSolution *solution,
                           int index) {
  printf("  solution %d: energy %.9g, residual at most %.1e", index + 1, solution->energy, solution->residual.E2);
  if (solution->reaction_dimension > 0)
    printf(", reactions form a set of dimension %d", solution->reaction_dimension);
  if (solution->motion_dimension > 0)
    printf(", one of a continuum of motions (dimension %d)", solution->motion_dimension);
  printf("\n");
  for (int b = 0; b < level->problem.blocks; b++) {
    char name[256];
    analyze_block_name(model, &level->block[b], name, sizeof name);
    printf("    %-44s", name);
    print_reactions(level, solution, b);
  }
}

static void print_redundancy(const AspModel *model, const AspLevelProblem *level, const AspAnalysis *analysis) {
  if (analysis->rank == analysis->rows)
    return;
  printf("  redundancy   %d conditions, %d independent; follow from others:\n", analysis->rows, analysis->rank);
  for (int b = 0; b < level->problem.blocks; b++) {
    int dependent = 0, first = level->problem.offset[b], rows = level->problem.offset[b + 1] - first;
    char name[256];
    for (int k = 0; k < rows; k++)
      dependent += analysis->dependent[first + k];
    analyze_block_name(model, &level->block[b], name, sizeof name);
    if (dependent)
      printf("    %-44s %d of %d\n", name, dependent, rows);
  }
}

static void print_analysis(const AspScene *scene, const AspLevelProblem *level, const AspAnalysis *analysis) {
  char certificate[512];
  analyze_certificate_text(analysis, certificate, sizeof certificate);
  printf("%s, %s level: %s%s%s\n", scene->name, asp_problem_level_names[level->level],
         terminal_style(stdout, STYLE_STRONG), verdict_of(analysis), terminal_style(stdout, STYLE_PLAIN));
  printf("  certificate  %s\n", certificate);
  if (level->approaching)
    printf("  approaching  %d closed contacts approach: an impulse comes before any acceleration\n",
           level->approaching);
  print_redundancy(scene->model, level, analysis);
  for (int i = 0; i < analysis->count; i++)
    print_solution(scene->model, level, &analysis->solution[i], i);
}

/* ---- JSON ---- */

static void write_blocks(Json *json, const AspModel *model, const AspLevelProblem *level, const AspAnalysis *analysis) {
  json_array(json, "blocks");
  for (int b = 0; b < level->problem.blocks; b++) {
    const AspProblemBlock *block = &level->block[b];
    int first = level->problem.offset[b], rows = level->problem.offset[b + 1] - first, dependent = 0;
    char name[256];
    for (int k = 0; k < rows; k++)
      dependent += analysis->dependent[first + k];
    analyze_block_name(model, block, name, sizeof name);
    json_object(json, NULL);
    json_text(json, "name", name);
    json_text(json, "role", asp_block_role_name(block->role));
    json_text(json, "law", asp_law_kind_name(level->problem.law[b].kind));
    json_integer(json, "rows", rows);
    json_integer(json, "dependent_rows", dependent);
    json_array(json, "bodies");
    json_text(json, NULL, asp_model_body_name(model, block->body_a));
    json_text(json, NULL, asp_model_body_name(model, block->body_b));
    json_end(json);
    if (block->joint < 0) {
      json_numbers(json, "point", (double[]){block->point.x, block->point.y, block->point.z}, 3);
      json_numbers(json, "normal", (double[]){block->normal.x, block->normal.y, block->normal.z}, 3);
      json_number(json, "gap", block->gap);
      json_number(json, "friction", level->problem.law[b].mu);
      if (level->problem.law[b].kind == ASP_LAW_SLIDING)
        json_numbers(json, "slip_direction", level->problem.law[b].direction, rows - 1);
    }
    json_end(json);
  }
  json_end(json);
}

static void write_solution(Json *json, const AspLevelProblem *level, const AspSolution *solution) {
  const AspContactProblem *problem = &level->problem;
  json_object(json, NULL);
  json_array(json, "modes");
  for (int b = 0; b < problem->blocks; b++)
    json_text(json, NULL, asp_block_mode_name(solution->mode[b]));
  json_end(json);
  json_array(json, "r");
  for (int b = 0; b < problem->blocks; b++)
    json_numbers(json, NULL, solution->r + problem->offset[b], problem->offset[b + 1] - problem->offset[b]);
  json_end(json);
  json_array(json, "u");
  for (int b = 0; b < problem->blocks; b++)
    json_numbers(json, NULL, solution->u + problem->offset[b], problem->offset[b + 1] - problem->offset[b]);
  json_end(json);
  json_numbers(json, "x", solution->x, problem->dofs);
  json_number(json, "energy", solution->energy);
  json_number(json, "residual", solution->residual.E2);
  json_integer(json, "motion_dimension", solution->motion_dimension);
  json_integer(json, "reaction_dimension", solution->reaction_dimension);
  json_array(json, "normal_intervals");
  for (int b = 0; b < problem->blocks; b++)
    json_numbers(json, NULL, (double[]){solution->low[b], solution->high[b]}, 2);
  json_end(json);
  json_end(json);
}

static void write_analysis(const AspScene *scene, const AspLevelProblem *level, const AspAnalysis *analysis) {
  Json json = json_start(stdout);
  json_text(&json, "level", asp_problem_level_names[level->level]);
  json_flag(&json, "exists", analysis->exists);
  json_flag(&json, "unique", analysis->unique);
  json_flag(&json, "unique_motion", analysis->unique_motion);
  json_flag(&json, "complete", analysis->complete);
  json_text(&json, "incomplete_because", analysis->incomplete);
  json_integer(&json, "approaching", level->approaching);
  write_blocks(&json, scene->model, level, analysis);
  json_integer(&json, "conditions", analysis->rows);
  json_integer(&json, "rank", analysis->rank);
  json_array(&json, "solutions");
  for (int i = 0; i < analysis->count; i++)
    write_solution(&json, level, &analysis->solution[i]);
  json_end(&json);
  analyze_write_certificate(&json, level, analysis);
  json_finish(&json);
}

/* ---- the command ---- */

static bool read_level(const char *text, AspProblemLevel *level) {
  for (int i = 0; i < ASP_PROBLEM_STATIC; i++)
    if (strcmp(text, asp_problem_level_names[i]) == 0) {
      *level = (AspProblemLevel)i;
      return true;
    }
  return false;
}

/* Exit code: a finding is a result; only a solution that the judge does not confirm is a miss. */
static int conclude(const Session *session, const AspScene *scene, AspLevelProblem *level,
                    const AspAnalysis *analysis) {
  int code = EXIT_DONE;
  for (int i = 0; i < analysis->count; i++)
    if (!(analysis->solution[i].residual.E2 <= scene->run.tolerance))
      code = EXIT_MISSED;
  if (session->json && level->problem.rows > 0 && asp_problem_reduce(session->context, &level->problem) != ASP_OK)
    return session_fail_error(session, ASP_ERROR_MEMORY);
  if (session->json)
    write_analysis(scene, level, analysis);
  else if (!session->quiet)
    print_analysis(scene, level, analysis);
  return code;
}

static int analyze_level(const Session *session, const AspScene *scene, AspProblemLevel which, double max_time) {
  AspContext *context = session->context;
  AspWorld *world = NULL;
  AspLevelProblem level = {0};
  AspAnalysis analysis = {0};
  AspAnalysisOptions options = asp_analysis_default_options();
  options.max_time = max_time;
  int code;
  AspError error = asp_world_create(context, scene->model, &scene->run, &world);
  if (error == ASP_OK)
    error = asp_world_problem_at(world, which, &level);
  if (error == ASP_OK)
    error = asp_analyze(context, &level.problem, &options, &analysis);
  code = error == ASP_OK ? conclude(session, scene, &level, &analysis) : session_fail_error(session, error);
  asp_analysis_destroy(context, &analysis);
  asp_level_problem_destroy(context, &level);
  asp_world_destroy(world);
  return code;
}

static int analyze(Session *session, int count, char **words) {
  const char *level_text = NULL, *time_text = NULL, *load = NULL, *stiffness = NULL, *damping = NULL;
  bool statics = false;
  FlagList set = {0};
  const Flag flags[] = {
      SET_FLAG(&set),
      {"level", 'l', "LEVEL",
       "acceleration (forces now), impulse (velocities after an impact now) or step (the scheme's next step)",
       .text = &level_text},
      {"static", 0, NULL, "can the structure stand: reactions, or a mechanism; least friction", .on = &statics},
      {"load", 0, "FORCE", "with --static: by how much this force of the scene can grow", .text = &load},
      {"stiffness", 0, "K", "contacts as springs of K N/m (or every decade FROM:TO) until they open",
       .text = &stiffness},
      {"damping", 0, "S", "with --stiffness: damping in seconds times the stiffness, 1e-3", .text = &damping},
      {"max-time", 0, "S", "seconds the search, or all springs together, may take, 30", .text = &time_text},
  };
  int code = EXIT_DONE;
  Arguments arguments = {.flags = flags, .flag_count = (int)(sizeof flags / sizeof *flags), .least = 1, .most = 1};
  arguments.fields = asp_run_fields();
  arguments.field_count = asp_run_field_count();
  if (!arguments_read(&arguments, session, count, words, &code))
    return code;
  AspProblemLevel level = ASP_PROBLEM_STATIC;
  if ((level_text != NULL) + statics + (stiffness != NULL) != 1)
    return session_fail(session, EXIT_USAGE,
                        "choose one analysis: --level acceleration, --level impulse, --level step, --static, or "
                        "--stiffness K");
  if (load && !statics)
    return session_fail(session, EXIT_USAGE, "--load needs --static");
  if (level_text && !read_level(level_text, &level))
    return session_fail(session, EXIT_USAGE, "--level: there is no level '%s'; choose acceleration, impulse or step",
                        level_text);
  char *end = NULL;
  double max_time = time_text ? strtod(time_text, &end) : 30;
  if (time_text && (*end || end == time_text || !(max_time > 0 && isfinite(max_time))))
    return session_fail(session, EXIT_USAGE, "--max-time: '%s' is not a number of seconds > 0", time_text);
  AspScene scene;
  const AspSettings settings = settings_of(&set);
  AspError error = asp_scene_read_set(session->context, arguments.words[0], &settings, &scene, NULL);
  if (error != ASP_OK)
    return session_fail_error(session, error);
  code = arguments_apply(&arguments, session, &scene.run);
  if (code == EXIT_DONE)
    code = statics     ? analyze_statics(session, &scene, load)
           : stiffness ? analyze_compliant(session, &scene, stiffness, damping, max_time)
                       : analyze_level(session, &scene, level, max_time);
  asp_scene_destroy(session->context, &scene);
  return code;
}

const Command command_analyze = {
    .name = "analyze",
    .arguments = "SCENE.json --level LEVEL | --static | --stiffness K",
    .summary = "every solution of a scene's contact problem, or a proof that there is none",
    .details = "Takes the scene's initial state and lists all solutions of its contact problem: the mode of every\n"
               "contact and joint, reactions, motion, energy; whether they are all (complete), and why. Where one\n"
               "motion has many sets of reactions it gives their dimension and the interval of every normal\n"
               "reaction. That no solution exists is a result, not an error: exit code 0. --static asks whether\n"
               "contacts and joints can balance the loads at all.",
    .examples =
        "  asperity analyze --level step scenes/block-on-slope-27.json\n"
        "  asperity analyze --level acceleration --json scenes/painleve-no-solution.json   JSON output\n"
        "  asperity analyze --level step --dt 0.01 scenes/painleve-three-solutions.json\n"
        "  asperity analyze --static scenes/peers/ladder_falls.json   the least friction, a mechanism\n"
        "  asperity analyze --stiffness 1e4:1e6 --damping 1 scenes/painleve-three-solutions.json   the stiff limit",
    .run = analyze,
};
