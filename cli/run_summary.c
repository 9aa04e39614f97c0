/* The summary of `run` for readers, and what missed on stderr. */
#include "run_accuracy.h"
#include "run_report.h"
#include "terminal.h"

#include <math.h>
#include <stdio.h>

#define PATH_SIZE        4096
#define BODIES_SHOWN_MAX 6     /* of the final state in the summary */
#define SHOWN_AS_ZERO    1e-12 /* m, m/s: rounding, to a reader */

/* What missed: the residual, or (an inflated reaction) the residual relative to the data. */
static void describe_miss(const AspRunOptions *options, const SimulationSummary *summary, char *text, size_t size) {
  bool by_data = summary->run.residual_max <= options->tolerance;
  if (by_data)
    snprintf(text, size, "E3, the residual relative to the data, up to %.3g (at most %g allowed)",
             summary->run.residual_data_max, ASP_INFLATION * options->tolerance);
  else
    snprintf(text, size, "residual up to %.3g (tolerance %g)", summary->run.residual_max, options->tolerance);
}

/* What was not decided, and how redundant contacts that slide share their load. */
static void print_unchecked(const SimulationSummary *summary) {
  long long steps = (long long)summary->run.steps;
  if (summary->run.steps_unchecked)
    printf("  %-12s of the steps' solutions not checked in %lld of %lld steps\n", "uniqueness",
           (long long)summary->run.steps_unchecked, steps);
  if (summary->run.instants_unchecked)
    printf("  %-12s of accelerations not checked at the start of %lld of %lld steps\n",
           summary->run.steps_unchecked ? "" : "uniqueness", (long long)summary->run.instants_unchecked, steps);
  if (summary->run.steps_shared)
    printf("  %-12s chosen in %lld steps: as contacts of equal small compliance share it\n", "load sharing",
           (long long)summary->run.steps_shared);
  if (summary->run.steps_unshared)
    printf("  %-12s %s in %lld steps, as the solver left it\n", summary->run.steps_shared ? "" : "load sharing",
           "not chosen", (long long)summary->run.steps_unshared);
}

/* Steps with no solution in forces, or with several solutions; counts of zero are left out. */
static void print_uniqueness(const AspRunOptions *options, const SimulationSummary *summary) {
  if (summary->run.instants_none)
    printf("  %-12s %lld steps start without finite forces\n", "no solution", (long long)summary->run.instants_none);
  if (summary->run.steps_impulse)
    printf("  %-12s %lld steps with an impulse without collision\n", "jam", (long long)summary->run.steps_impulse);
  if (summary->run.instants_several)
    printf("  %-12s %lld steps start with several possible accelerations\n", "not unique",
           (long long)summary->run.instants_several);
  if (summary->run.steps_chosen)
    printf("  %-12s %lld steps with several solutions; chosen by '%s'\n", "not unique",
           (long long)summary->run.steps_chosen, asp_selection_names[options->selection]);
  print_unchecked(summary);
}

/* Resolved, or which measures were exceeded. */
static void print_resolution(const AspWorld *world, const SimulationSummary *summary) {
  const AspMeasured *table = asp_world_resolution(world);
  if (summary->run.steps_unresolved == 0) {
    printf("  %-12s %sall steps%s\n", "resolved", terminal_style(stdout, STYLE_GOOD),
           terminal_style(stdout, STYLE_PLAIN));
    return;
  }
  printf("  %-12s %s%lld of %lld steps are not%s\n", "resolved", terminal_style(stdout, STYLE_BAD),
         (long long)summary->run.steps_unresolved, (long long)summary->run.steps, terminal_style(stdout, STYLE_PLAIN));
  for (int i = 0; i < ASP_MEASURE_COUNT; i++) {
    char place[256];
    if (table[i].steps)
      printf("  %-12s %s %.3g (threshold %g) at t = %.6g s, %s; %lld steps\n", "", asp_measure_name((AspMeasure)i),
             table[i].worst, table[i].threshold, table[i].t,
             asp_world_measure_place(world, (AspMeasure)i, place, sizeof place), (long long)table[i].steps);
  }
}

static void print_verdict(const AspRunOptions *options, const SimulationSummary *summary) {
  long long missed = (long long)summary->run.steps_uncertified;
  char miss[160];
  describe_miss(options, summary, miss, sizeof miss);
  if (missed == 0)
    printf("  %-12s %sall steps%s, residual at most %.2g (tolerance %g)\n", "certified",
           terminal_style(stdout, STYLE_GOOD), terminal_style(stdout, STYLE_PLAIN), summary->run.residual_max,
           options->tolerance);
  else
    printf("  %-12s %s%lld of %lld steps missed%s, %s\n", "certified", terminal_style(stdout, STYLE_BAD), missed,
           (long long)summary->run.steps, terminal_style(stdout, STYLE_PLAIN), miss);
  if (summary->run.steps_retried)
    printf("  %-12s %lld steps, by a stronger method or half the step\n", "retried",
           (long long)summary->run.steps_retried);
  print_uniqueness(options, summary);
  if (options->cone != ASP_CONE_EXACT)
    printf("  %-12s %s model; residual against exact Coulomb friction at most %.2g\n", "friction",
           asp_cone_kind_names[options->cone], summary->run.residual_exact_max);
}

/* Where the energy went; parts that are zero are left out. */
static void print_energy(const SimulationSummary *summary) {
  const AspEnergyFlow *flow = &summary->run.flow;
  double scale = fabs(summary->run.energy_initial) + fabs(summary->run.energy_final);
  const struct {
    const char *text;
    double value;
  } parts[] = {{"motors", flow->motors},    {"forces", flow->forces},  {"friction", -flow->friction},
               {"impacts", -flow->impacts}, {"joints", -flow->joints}, {"dampers", -flow->damping}};
  printf("  %-12s %.6g J at the start, %.6g J at the end\n  %-12s ", "energy", summary->run.energy_initial,
         summary->run.energy_final, "");
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
    scale += fabs(parts[i].value);
    if (fabs(parts[i].value) > SHOWN_AS_ZERO * scale)
      printf("%s %+.6g J, ", parts[i].text, parts[i].value);
  }
  printf("unaccounted %.2g J\n", fabs(flow->remainder) > SHOWN_AS_ZERO * scale ? flow->remainder : 0);
}

static double readable(double value) { return fabs(value) < SHOWN_AS_ZERO ? 0 : value; }

/* In the plane two numbers. */
static void print_vector(const char *before, AspVec3 v, int dimension, const char *after) {
  printf("%s(%.6g, %.6g", before, readable(v.x), readable(v.y));
  if (dimension == 3)
    printf(", %.6g", readable(v.z));
  printf(")%s", after);
}

/* The first few bodies that can move, free ones first. */
static void print_bodies(const AspWorld *world) {
  const AspModel *model = asp_world_model(world);
  const AspState *state = asp_world_state(world);
  int moving = 0, dimension = asp_model_dimension(model);
  int bodies = asp_model_body_count(model);
  for (int i = 0; i < 2 * bodies; i++) { // those that move freely, then those that are prescribed
    int body = i % bodies;
    bool prescribed = asp_model_body_kind(model, body) == ASP_BODY_KINEMATIC;
    if (asp_model_body_kind(model, body) == ASP_BODY_FIXED || prescribed != (i >= bodies) ||
        ++moving > BODIES_SHOWN_MAX)
      continue;
    printf("  %-12s %s at ", moving == 1 ? "final" : "", asp_model_body_name(model, body));
    print_vector("", asp_state_pose(model, state, body).position, dimension, " m, ");
    if (dimension == 2) // x, y, angle per body
      printf("angle %.6g rad, ", readable(state->q[3 * body + 2]));
    print_vector("velocity ", asp_state_velocity(model, state, body), dimension, " m/s\n");
  }
  if (moving > BODIES_SHOWN_MAX)
    printf("  %-12s and %d more %s\n", "", moving - BODIES_SHOWN_MAX,
           moving - BODIES_SHOWN_MAX == 1 ? "body" : "bodies");
}

#define PARADOXES_SHOWN_MAX 3

/* How often each kind of event was; instants without finite force by name. */
static void print_events(const AspWorld *world) {
  const AspModel *model = asp_world_model(world);
  const AspEvent *events = asp_world_events(world);
  int count = asp_world_event_count(world), of_kind[ASP_EVENT_TIME_STEPPING + 1] = {0}, shown = 0;
  for (int i = 0; i < count; i++)
    of_kind[events[i].kind]++;
  printf("  %-12s", "events");
  for (int kind = 0; kind <= ASP_EVENT_TIME_STEPPING; kind++)
    if (of_kind[kind])
      printf(" %s %d,", asp_event_kind_name((AspEventKind)kind), of_kind[kind]);
  printf(" %d in all\n", count);
  for (int i = 0; i < count && shown < PARADOXES_SHOWN_MAX; i++) {
    const AspEvent *event = &events[i];
    if (event->kind == ASP_EVENT_NO_FORCE && isfinite(event->A))
      printf("  %-12s no finite force at t = %.9f s between %s and %s: A = %.3g, b = %.3g, r_n = %.4g N\n", "",
             event->t, asp_model_body_name(model, event->body_a), asp_model_body_name(model, event->body_b), event->A,
             event->b, event->force);
    else if (event->kind == ASP_EVENT_NO_FORCE)
      printf("  %-12s no finite force found at t = %.9f s\n", "", event->t);
    else if (event->kind == ASP_EVENT_IMPULSE)
      printf("  %-12s an impulse of %.4g N s without collision at t = %.9f s\n", "", event->impulse, event->t);
    else
      continue;
    shown += event->kind == ASP_EVENT_IMPULSE;
  }
}

#define PROBES_SHOWN_MAX 12

static void print_probes(const AspProbes *probes) {
  int count = asp_probes_count(probes);
  for (int i = 0; i < count && i < PROBES_SHOWN_MAX; i++)
    printf("  %-12s %s = %.6g %s, from %.6g to %.6g\n", i ? "" : "probes", asp_probes_name(probes, i),
           asp_probes_value(probes, i), asp_probes_unit(probes, i), asp_probes_low(probes, i),
           asp_probes_high(probes, i));
  if (count > PROBES_SHOWN_MAX)
    printf("  %-12s and %d more\n", "", count - PROBES_SHOWN_MAX);
}

static void print_actions(const AspModel *model, const AspWorld *world) {
  for (int i = 0; i < asp_model_event_count(model); i++) {
    int actions = asp_state_event_actions(model, asp_world_state(world), i);
    printf("  %-12s %s: acted %d time%s\n", i ? "" : "rules", asp_model_event_name(model, i), actions,
           actions == 1 ? "" : "s");
  }
}

static void print_parameters(const AspScene *scene) {
  for (int i = 0; i < scene->parameter_count; i++) {
    const AspParameter *parameter = &scene->parameter[i];
    printf("  %-12s %s = %.6g%s%s%s\n", i ? "" : "parameters", parameter->name, parameter->value,
           *parameter->unit ? " " : "", parameter->unit, parameter->set ? " (set)" : "");
  }
}

void run_print_summary(const AspScene *scene, const AspWorld *world, const SimulationSummary *summary,
                       const SimulationOutput *output) {
  const char *result = output->result;
  const AspRunOptions *options = &scene->run;
  printf("%s%s%s: %lld steps to t = %.6g s in %.3g s%s\n", terminal_style(stdout, STYLE_STRONG), scene->name,
         terminal_style(stdout, STYLE_PLAIN), (long long)summary->run.steps, summary->run.time, summary->wall,
         summary->interrupted  ? ", then interrupted"
         : summary->impossible ? ", then ended by an impossible drive"
                               : "");
  if (summary->stopped >= 0)
    printf("  %-12s %s\n", "stopped", asp_model_stop_message(scene->model, summary->stopped));
  if (*summary->from)
    printf("  %-12s %s\n", "from", summary->from);
  print_actions(scene->model, world);
  print_parameters(scene);
  print_verdict(options, summary);
  print_resolution(world, summary);
  accuracy_print(world);
  printf("  %-12s at most %d, penetration at most %.2g m\n", "contacts", summary->run.contacts_max,
         summary->run.penetration_max);
  if (asp_model_joint_count(scene->model))
    printf("  %-12s drift at most %.2g\n", "joints", summary->run.joint_drift_max);
  if (asp_scheme_supports(options->scheme, ASP_FEATURE_EVENTS))
    print_events(world);
  print_energy(summary);
  print_probes(summary->probes);
  print_bodies(world);
  for (int i = 0; i < asp_world_warning_count(world); i++)
    printf("  %-12s %s\n", i ? "" : "warnings", asp_world_warning(world, i));
  if (!output->no_result)
    printf("  %-12s %s\n", "result", result);
  for (int i = 0; i < summary->dump_count; i++) {
    char path[PATH_SIZE];
    if (dump_path(result, summary->dumped[i], path, sizeof path))
      printf("  %-12s %s\n", i ? "" : "problems", path);
  }
  if (!output->no_result)
    printf("next: asperity report %s (page with replay and plots), asperity info %s (summary)\n", result, result);
}

/* ---- what missed ---- */

static void report_miss(const AspScene *scene, const SimulationSummary *summary, const char *result) {
  char miss[160], path[PATH_SIZE] = "";
  describe_miss(&scene->run, summary, miss, sizeof miss);
  if (summary->dump_count)
    dump_path(result, summary->dumped[0], path, sizeof path);
  fprintf(stderr, "asperity run: %lld of %lld steps missed the tolerance: %s%s%s%s\n",
          (long long)summary->run.steps_uncertified, (long long)summary->run.steps, miss,
          *path ? "; problem of the first: " : "", path, summary->dump_count > 1 ? " and more" : "");
}

/* The measure that was exceeded most often. */
static void report_unresolved(const AspWorld *world, const SimulationSummary *summary) {
  const AspMeasured *table = asp_world_resolution(world);
  int most = 0;
  char place[256];
  for (int i = 1; i < ASP_MEASURE_COUNT; i++)
    most = table[i].steps > table[most].steps ? i : most;
  fprintf(stderr, "asperity run: %lld of %lld steps are not resolved: %s up to %.3g (threshold %g), %s; %s\n",
          (long long)summary->run.steps_unresolved, (long long)summary->run.steps, asp_measure_name((AspMeasure)most),
          table[most].worst, table[most].threshold,
          asp_world_measure_place(world, (AspMeasure)most, place, sizeof place), asp_measure_remedy((AspMeasure)most));
}

void run_report_missed(const AspScene *scene, const AspWorld *world, const SimulationSummary *summary,
                       const char *result) {
  if (summary->run.steps_uncertified)
    report_miss(scene, summary, result);
  if (summary->run.steps_unresolved)
    report_unresolved(world, summary);
}
