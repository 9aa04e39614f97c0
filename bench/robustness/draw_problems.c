/* Contact problems of the generated families (tests/support) as FCLIB files.
 *
 *   draw_problems FOLDER FAMILY:SIZE:SEED...      writes FOLDER/FAMILY_SIZE_SEED.hdf5
 */
#include "asperity/io.h"
#include "problem_families.h"

#include <stdio.h>
#include <stdlib.h>

static int fail(const char *what, const char *why) {
  fprintf(stderr, "draw_problems: %s: %s\n", what, why);
  return 2;
}

static int draw(AspContext *context, const char *folder, const char *wanted) {
  char name[64], path[1024];
  int size = 0, family = 0;
  unsigned long long seed = 0;
  AspContactProblem problem;
  if (sscanf(wanted, "%63[^:]:%d:%llu", name, &size, &seed) != 3)
    return fail(wanted, "expected FAMILY:SIZE:SEED");
  while (family < FAMILY_COUNT && strcmp(problem_family_name((ProblemFamily)family), name) != 0)
    family++;
  if (family == FAMILY_COUNT)
    return fail(wanted, "no such family; docs/reference/problem-families.md lists them");
  snprintf(path, sizeof path, "%s/%s_%d_%llu.hdf5", folder, name, size, seed);
  if (problem_family_make(context, (ProblemFamily)family, size, seed, &problem) != ASP_OK)
    return fail(wanted, asp_context_message(context));
  AspError error = asp_fclib_write(context, path, &problem, NULL);
  asp_problem_destroy(context, &problem);
  return error == ASP_OK ? 0 : fail(path, asp_context_message(context));
}

int main(int argc, char **argv) {
  if (argc < 3)
    return fail("usage", "draw_problems FOLDER FAMILY:SIZE:SEED...");
  AspContext *context = asp_context_create(NULL);
  int code = context ? 0 : 3;
  for (int k = 2; k < argc && code == 0; k++)
    code = draw(context, argv[1], argv[k]);
  asp_context_destroy(context);
  return code;
}
