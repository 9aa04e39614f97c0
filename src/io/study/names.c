/* Names in the expressions of a study, and their values after a run:
 *
 *   mu                        a parameter of the scene
 *   run.steps, run.time, ...  the run as a whole (AspRunSummary)
 *   tip.x, load               a column of a probe of the scene at the end; tip.x.min, tip.x.max over the run
 *   block.y, energy.total     a quantity of the state at the end; .min and .max over the run: a probe is made for it
 */
#include "io/study/study.h"

#include <math.h>
#include <stdio.h>

/* ---- summaries ---- */

typedef enum SummaryType { SUMMARY_LONG, SUMMARY_INT, SUMMARY_REAL, SUMMARY_WALL, SUMMARY_STOPPED } SummaryType;
typedef struct Summary {
  const char *name;
  SummaryType type;
  size_t offset;
} Summary;

#define IN(field) offsetof(AspRunSummary, field)
/* As `asperity run --json` calls them. */
static const Summary summaries[] = {
    {"run.steps", SUMMARY_LONG, IN(steps)},
    {"run.time", SUMMARY_REAL, IN(time)},
    {"run.wall_s", SUMMARY_WALL, 0},
    {"run.stopped", SUMMARY_STOPPED, 0},
    {"run.steps_uncertified", SUMMARY_LONG, IN(steps_uncertified)},
    {"run.steps_unresolved", SUMMARY_LONG, IN(steps_unresolved)},
    {"run.steps_retried", SUMMARY_LONG, IN(steps_retried)},
    {"run.steps_divided", SUMMARY_LONG, IN(steps_divided)},
    {"run.contacts_max", SUMMARY_INT, IN(contacts_max)},
    {"run.residual_max", SUMMARY_REAL, IN(residual_max)},
    {"run.residual_exact_max", SUMMARY_REAL, IN(residual_exact_max)},
    {"run.penetration_max", SUMMARY_REAL, IN(penetration_max)},
    {"run.joint_drift_max", SUMMARY_REAL, IN(joint_drift_max)},
    {"run.energy_initial", SUMMARY_REAL, IN(energy_initial)},
    {"run.energy_final", SUMMARY_REAL, IN(energy_final)},
    {"run.energy_flow.motors", SUMMARY_REAL, IN(flow.motors)},
    {"run.energy_flow.forces", SUMMARY_REAL, IN(flow.forces)},
    {"run.energy_flow.friction", SUMMARY_REAL, IN(flow.friction)},
    {"run.energy_flow.impacts", SUMMARY_REAL, IN(flow.impacts)},
    {"run.energy_flow.joints", SUMMARY_REAL, IN(flow.joints)},
    {"run.energy_flow.damping", SUMMARY_REAL, IN(flow.damping)},
    {"run.energy_flow.remainder", SUMMARY_REAL, IN(flow.remainder)},
};
#define SUMMARIES ((int)(sizeof summaries / sizeof *summaries))

const char *asp_study_summary_name(int index) { return index < SUMMARIES ? summaries[index].name : NULL; }

static double summary_value(const Summary *summary, const StudyReading *reading) {
  const char *at = (const char *)reading->summary + summary->offset;
  int64_t whole = 0;
  int number = 0;
  double real = NAN;
  switch (summary->type) {
  case SUMMARY_WALL:
    return reading->wall;
  case SUMMARY_STOPPED:
    return reading->stopped + 1; // 0: not stopped by a condition
  case SUMMARY_LONG:
    memcpy(&whole, at, sizeof whole);
    return (double)whole;
  case SUMMARY_INT:
    memcpy(&number, at, sizeof number);
    return number;
  case SUMMARY_REAL:
    memcpy(&real, at, sizeof real);
  }
  return real;
}

/* ---- meaning of a name ---- */

/* As expressions write the name of a body, a joint or a probe: what is no letter, digit or '.' is '_'. */
static bool written_as(const char *name, const char *text, size_t length) {
  if (strlen(name) != length)
    return false;
  for (size_t i = 0; i < length; i++) {
    char c = name[i];
    bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.';
    if (text[i] != (plain ? c : '_'))
      return false;
  }
  return true;
}

/* The columns that probes of the scene have: "tip.x", ... */
static const char *const endings[ASP_PROBE_CONTACT + 1][7] = {
    [ASP_PROBE_EXPRESSION] = {"", NULL},
    [ASP_PROBE_POINT] = {".x", ".y", ".z", NULL},
    [ASP_PROBE_DISTANCE] = {"", NULL},
    [ASP_PROBE_ANGLE] = {"", NULL},
    [ASP_PROBE_CONTACT] = {".fx", ".fy", ".fz", ".tx", ".ty", ".tz", NULL},
};

/* The column of a probe of the scene, as asp_probes_name gives it; NULL: none. */
static const char *find_probe(AspStudy *study, const char *text, size_t length) {
  for (int i = 0; i < study->scene.probe_count; i++) {
    const AspProbe *probe = &study->scene.probe[i];
    for (const char *const *ending = endings[probe->kind]; *ending; ending++) {
      size_t room = strlen(probe->name) + strlen(*ending) + 1;
      char *column = asp_arena_take(&study->arena, room, 1);
      if (!column)
        return NULL;
      snprintf(column, room, "%s%s", probe->name, *ending);
      if (written_as(column, text, length))
        return column;
    }
  }
  return NULL;
}

/* A probe for a quantity of the state, made where there is none yet; NULL: the name means nothing. */
static const char *find_state(AspStudy *study, const char *text, size_t length) {
  char *name = asp_arena_take(&study->arena, length + 1, 1), *both = asp_arena_take(&study->arena, 2 * length + 2, 1);
  if (!name || !both)
    return NULL;
  memcpy(name, text, length);
  name[length] = '\0';
  for (int i = 0; i < study->probe_count; i++)
    if (strncmp(study->probe[i], name, length) == 0 && study->probe[i][length] == '=')
      return name;
  if (!strchr(name, '.') || asp_model_check_sensor(study->scene.model, name) != ASP_OK)
    return NULL;
  const char **longer = asp_arena_take(&study->arena, (size_t)study->probe_count + 1, sizeof *longer);
  if (!longer)
    return NULL;
  snprintf(both, 2 * length + 2, "%s=%s", name, name);
  if (study->probe_count)
    memcpy(longer, study->probe, (size_t)study->probe_count * sizeof *longer);
  longer[study->probe_count++] = both;
  study->probe = longer;
  return name;
}

static bool ends_in(const char *text, size_t length, const char *ending) {
  size_t tail = strlen(ending);
  return length > tail && memcmp(text + length - tail, ending, tail) == 0;
}

/* What the name means; false: nothing. */
static bool understand(AspStudy *study, const char *name, StudyVariable *variable) {
  size_t length = strlen(name);
  for (int i = 0; i < study->scene.parameter_count; i++)
    if (strcmp(study->scene.parameter[i].name, name) == 0) {
      variable->kind = NAME_PARAMETER;
      variable->index = i;
      return true;
    }
  for (int i = 0; i < SUMMARIES; i++)
    if (strcmp(summaries[i].name, name) == 0) {
      variable->kind = NAME_SUMMARY;
      variable->index = i;
      return true;
    }
  variable->kind = NAME_PROBE;
  for (int part = PART_FINAL; part <= PART_LARGEST && !variable->probe; part++) {
    static const char *const tail[] = {"", ".min", ".max"};
    if (part != PART_FINAL && !ends_in(name, length, tail[part]))
      continue;
    size_t stem = length - strlen(tail[part]);
    variable->part = (StudyNamePart)part;
    variable->probe = find_probe(study, name, stem);
    if (!variable->probe)
      variable->probe = find_state(study, name, stem);
  }
  return variable->probe != NULL;
}

static int slot(const void *user, const char *name) {
  AspStudy *study = (AspStudy *)user; // the one that is being read
  for (int i = 0; i < study->variable_count; i++)
    if (strcmp(study->variable[i].name, name) == 0)
      return i;
  StudyVariable variable = {0};
  size_t length = strlen(name) + 1;
  char *copy = asp_arena_take(&study->arena, length, 1);
  if (!copy || !understand(study, name, &variable) ||
      ASP_GROW(study->context, study->variable, study->variable_capacity, study->variable_count + 1) != ASP_OK)
    return -1;
  memcpy(copy, name, length);
  variable.name = copy;
  study->variable[study->variable_count] = variable;
  return study->variable_count++;
}

AspVariables asp_study_variables(AspStudy *study) { return (AspVariables){.slot = slot, .user = study}; }

/* ---- values ---- */

static double probe_value(const StudyVariable *variable, const AspProbes *probes) {
  for (int c = 0; c < asp_probes_count(probes); c++)
    if (strcmp(asp_probes_name(probes, c), variable->probe) == 0)
      return variable->part == PART_FINAL   ? asp_probes_value(probes, c)
             : variable->part == PART_LEAST ? asp_probes_low(probes, c)
                                            : asp_probes_high(probes, c);
  return NAN;
}

void asp_study_read_values(const AspStudy *study, const StudyReading *reading, AspInput *value) {
  for (int i = 0; i < study->variable_count; i++) {
    const StudyVariable *variable = &study->variable[i];
    double x = variable->kind == NAME_PARAMETER ? reading->scene->parameter[variable->index].value
               : variable->kind == NAME_SUMMARY ? summary_value(&summaries[variable->index], reading)
                                                : probe_value(variable, reading->probes);
    value[i] = (AspInput){.set = {x, 0, 0}};
  }
}
