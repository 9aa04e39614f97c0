/* What a step costs over the number of elements: a steel cantilever that is let go under its weight, in the plane and
 * in space, extensible and not, by Moreau-Jean and Stewart-Trinkle. Processor time, and its ratio to the row before.
 *
 *   bench_beams [STEPS [FILE.csv]]     default: 20, bench/results/beams.csv of the source tree
 */
#define _POSIX_C_SOURCE 200809L
#include "asperity/asperity.h"
#include "bench_clock.h"

#include <stdio.h>
#include <stdlib.h>

static void must(AspContext *context, AspError error) {
  if (error == ASP_OK)
    return;
  fprintf(stderr, "bench_beams: %s\n", asp_context_message(context));
  exit(3);
}

static AspModel *make_cantilever(AspContext *context, int dimension, int elements, bool inextensible) {
  AspModel *model;
  int wall, beam, joint;
  must(context, asp_model_create(context, dimension, &model));
  asp_model_set_gravity(model, (AspVec3){0, -9.81, 0});
  AspBodyDef body = asp_body_default();
  body.kind = ASP_BODY_FIXED;
  must(context, asp_model_add_body(model, &body, &wall));
  AspBeamDef blade = asp_beam_default();
  blade.name = "blade";
  blade.length = 1;
  blade.elements = elements;
  blade.inextensible = inextensible;
  asp_beam_set_rectangle(&blade, 0.03, 0.003, 210e9, 0.3, 7850);
  must(context, asp_model_add_beam(model, &blade, &beam));
  AspJointDef clamp = asp_joint_default();
  clamp.kind = ASP_JOINT_FIXED;
  clamp.body_a = wall;
  clamp.body_b = asp_model_beam_station(model, beam, false);
  must(context, asp_model_add_joint(model, &clamp, &joint));
  must(context, asp_model_finish(model));
  return model;
}

static double step_cost(AspContext *context, const AspModel *model, AspScheme scheme, int steps, int *flagged) {
  AspRunOptions options = asp_run_default_options();
  AspWorld *world;
  AspStepInfo info;
  options.scheme = scheme;
  options.dt = 1e-3;
  must(context, asp_world_create(context, model, &options, &world));
  must(context, asp_world_step(world, &info)); // makes room
  double began = processor_seconds();
  for (int i = 0; i < steps; i++) {
    must(context, asp_world_step(world, &info));
    *flagged += !info.certified;
  }
  asp_world_destroy(world);
  return (processor_seconds() - began) / steps;
}

int main(int argc, char **argv) {
  int steps = argc > 1 ? atoi(argv[1]) : 20;
  FILE *csv = fopen(argc > 2 ? argv[2] : BENCH_RESULTS_DIR "/beams.csv", "w");
  AspContext *context = asp_context_create(NULL);
  if (!csv || !context || steps < 1) {
    fprintf(stderr, "bench_beams: no context, no file to write, or no steps to make\n");
    return 3;
  }
  static const AspScheme schemes[] = {ASP_SCHEME_MOREAU_JEAN, ASP_SCHEME_STEWART_TRINKLE};
  fprintf(csv, "scheme,dimension,inextensible,elements,flagged,ms_per_step,ratio\n");
  for (int row = 0; row < 8; row++) {
    double before = 0;
    for (int elements = 16; elements <= 1024; elements *= 4) {
      int dimension = 2 + row / 2 % 2, flagged = 0;
      AspModel *model = make_cantilever(context, dimension, elements, row % 2);
      double cost = step_cost(context, model, schemes[row / 4], steps, &flagged);
      double ratio = before > 0 ? cost / before : 1;
      const char *kind = row % 2 ? "inextensible" : "extensible";
      printf("%-15s %dD %-12s %4d elements: %8.3f ms per step, %.1f times, %d flagged\n",
             asp_scheme_names[schemes[row / 4]], dimension, kind, elements, 1e3 * cost, ratio, flagged);
      fprintf(csv, "%s,%d,%d,%d,%d,%.4f,%.2f\n", asp_scheme_names[schemes[row / 4]], dimension, row % 2, elements,
              flagged, 1e3 * cost, ratio);
      before = cost;
      asp_model_destroy(model);
    }
  }
  asp_context_destroy(context);
  return fclose(csv) == 0 ? 0 : 3;
}
