/* asperity analyze --stiffness: the scene's contacts as springs and dampers, stiffer and stiffer, beside what the
 * impulse level says of rigid ones. */
#include "analyze.h"
#include "json.h"
#include "terminal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define DECADES_MOST 12

static bool read_range(const char *text, double range[2]) {
  char *end;
  range[0] = range[1] = strtod(text, &end);
  if (end != text && *end == ':') {
    const char *second = end + 1;
    range[1] = strtod(second, &end);
    if (end == second)
      return false;
  }
  return end != text && *end == '\0' && range[0] > 0 && range[1] >= range[0] &&
         range[1] <= range[0] * pow(10, DECADES_MOST) * 1.001;
}

/* What one stiffness gives. */
static void print_row(const AspModel *model, double stiffness, const AspCompliant *compliant, bool opened) {
  const AspCompliantContact *contacts = asp_compliant_contacts(compliant);
  int count = asp_compliant_contact_count(compliant);
  printf("  k = %-10.4g until t = %.6g s%s\n", stiffness, asp_compliant_state(compliant)->t,
         opened ? ", when the last contact opened" : "");
  for (int i = 0; i < count; i++) {
    printf("    %s/%s", asp_model_body_name(model, contacts[i].body_a), asp_model_body_name(model, contacts[i].body_b));
    for (int part = 0; part < 2; part++) {
      const double *values = part ? contacts[i].force : contacts[i].impulse;
      printf("  %s (", part ? "force" : "impulse");
      for (int k = 0; k < asp_model_dimension(model); k++)
        printf("%s%.6g", k ? ", " : "", analyze_tidy(values[k], 1));
      printf(") %s", part ? "N\n" : "N s");
    }
  }
}

static void write_row(Json *json, const AspModel *model, double stiffness, const AspCompliant *compliant, bool opened) {
  const AspCompliantContact *contacts = asp_compliant_contacts(compliant);
  int count = asp_compliant_contact_count(compliant);
  json_object(json, NULL);
  json_number(json, "stiffness", stiffness);
  json_number(json, "time", asp_compliant_state(compliant)->t);
  json_flag(json, "opened", opened);
  json_array(json, "contacts");
  for (int i = 0; i < count; i++) {
    json_object(json, NULL);
    json_array(json, "bodies");
    json_text(json, NULL, asp_model_body_name(model, contacts[i].body_a));
    json_text(json, NULL, asp_model_body_name(model, contacts[i].body_b));
    json_end(json);
    json_numbers(json, "impulse", contacts[i].impulse, 3);
    json_numbers(json, "force", contacts[i].force, 3);
    json_number(json, "gap", contacts[i].gap);
    json_end(json);
  }
  json_end(json);
  json_end(json);
}

static AspError run_one(const Session *session, const AspScene *scene, double stiffness, double damping,
                        double max_time, Json *json) {
  AspCompliantOptions options = asp_compliant_default_options();
  AspCompliant *compliant = NULL;
  bool opened = false;
  options.stiffness = stiffness;
  options.damping = options.slip_damping = damping * stiffness;
  options.max_time = max_time;
  AspError error = asp_compliant_create(session->context, scene->model, &options, &compliant);
  if (error == ASP_OK)
    error = asp_compliant_advance(compliant, scene->run.until, true, &opened);
  if (error == ASP_OK && session->json)
    write_row(json, scene->model, stiffness, compliant, opened);
  else if (error == ASP_OK && !session->quiet)
    print_row(scene->model, stiffness, compliant, opened);
  asp_compliant_destroy(compliant);
  return error;
}

int analyze_compliant(const Session *session, const AspScene *scene, const char *stiffness, const char *damping,
                      double max_time) {
  double range[2], ratio = 1e-3;
  char *end = NULL;
  if (!read_range(stiffness, range))
    return session_fail(session, EXIT_USAGE,
                        "--stiffness: '%s' is not a number of N/m > 0, or a range like 1e3:1e6 of at most %d decades",
                        stiffness, DECADES_MOST);
  if (damping)
    ratio = strtod(damping, &end);
  if (damping && (end == damping || *end || !(ratio >= 0 && isfinite(ratio))))
    return session_fail(session, EXIT_USAGE, "--damping: '%s' is not a number of seconds >= 0", damping);
  Json json = {0};
  if (session->json) {
    json = json_start(stdout);
    json_text(&json, "level", "compliant");
    json_array(&json, "rows");
  } else if (!session->quiet) {
    printf("%s, compliant contact, damping %g s times the stiffness\n", scene->name, ratio);
  }
  AspError error = ASP_OK;
  double until = clock_seconds() + max_time;
  for (double k = range[0]; k <= range[1] * 1.001 && error == ASP_OK; k *= 10)
    error = run_one(session, scene, k, ratio, fmax(until - clock_seconds(), 1e-6), &json);
  if (session->json) {
    json_end(&json);
    if (error != ASP_OK)
      json_text(&json, "error", asp_context_message(session->context));
    json_finish(&json);
  }
  if (error == ASP_OK)
    return EXIT_DONE;
  fprintf(stderr, "asperity analyze: %s%s\n", asp_context_message(session->context),
          error == ASP_ERROR_INTERRUPTED ? ", time limit reached; raise it with --max-time" : "");
  return error == ASP_ERROR_INTERRUPTED ? EXIT_MISSED : exit_code_of(error);
}
