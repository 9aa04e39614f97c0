/* Families of contact problems drawn by seed (see problem_families.h): the table, change of units, planted solutions,
 * sequences. */
#include "problem_families.h"

#include "base/constants.h"
#include "problem_scattered.h"
#include "problem_stacks.h"

#include <math.h>

/* sphere diameters over the spacing of the lattice: about 2.5 contacts per sphere, as in a heap, and about 3.5 */
#define HEAP_FILLING  0.97
#define TIGHT_FILLING 1.0

const char *problem_family_name(ProblemFamily family) {
  static const char *const names[] = {
#define PROBLEM_FAMILY_NAME(code, name, text) name,
      PROBLEM_FAMILY_LIST(PROBLEM_FAMILY_NAME)
#undef PROBLEM_FAMILY_NAME
  };
  return names[family];
}

const char *problem_family_text(ProblemFamily family) {
  static const char *const texts[] = {
#define PROBLEM_FAMILY_TEXT(code, name, text) text,
      PROBLEM_FAMILY_LIST(PROBLEM_FAMILY_TEXT)
#undef PROBLEM_FAMILY_TEXT
  };
  return texts[family];
}

/* Bodies and contacts of a family; every one but DENSE. */
static void fill(ProblemBuilder *builder, AspRandom *random, ProblemFamily family, int size) {
  switch (family) {
  case FAMILY_TOWER:
    stack_tower(builder, random, size, 1);
    break;
  case FAMILY_WALL:
    stack_wall(builder, random, size);
    break;
  case FAMILY_ARCH:
    stack_arch(builder, random, size);
    break;
  case FAMILY_WEDGE:
    stack_wedge(builder, random, size);
    break;
  case FAMILY_GRIPPER:
    stack_gripper(builder, random, size);
    break;
  case FAMILY_CHAIN:
    stack_chain(builder, random, size);
    break;
  case FAMILY_PACKING:
    scatter_packing(builder, random, size, HEAP_FILLING, 0, false);
    break;
  case FAMILY_MIXED_PACKING:
    scatter_packing(builder, random, size, HEAP_FILLING, 1, true);
    break;
  case FAMILY_MASS_TOWER:
    stack_tower(builder, random, size, 6);
    break;
  case FAMILY_MASS_PACKING:
    scatter_packing(builder, random, size, HEAP_FILLING, 6, false);
    break;
  case FAMILY_CLUSTER:
    scatter_cluster(builder, random, size);
    break;
  case FAMILY_JOINTED:
    stack_jointed(builder, random, size);
    break;
  case FAMILY_LAWS:
    stack_laws(builder, random, size);
    break;
  case FAMILY_SMALL:
    scatter_small(builder, random);
    break;
  case FAMILY_TIGHT_PACKING:
    scatter_packing(builder, random, size, TIGHT_FILLING, 0, false);
    break;
  default:
    builder->error = asp_fail(builder->context, ASP_ERROR_ARGUMENT, "problem family %d has no bodies", (int)family);
  }
}

static AspRandom start_random(ProblemFamily family, uint64_t seed) {
  return (AspRandom){.state = seed * UINT64_C(0x9e3779b97f4a7c15) + (uint64_t)family};
}

AspError problem_family_make(AspContext *context, ProblemFamily family, int size, uint64_t seed,
                             AspContactProblem *problem) {
  AspRandom random = start_random(family, seed);
  if (size < 1)
    return asp_fail(context, ASP_ERROR_ARGUMENT, "problem family %s: size %d is not > 0", problem_family_name(family),
                    size);
  if (family == FAMILY_DENSE)
    return scatter_dense(context, &random, size, problem);
  ProblemBuilder builder;
  builder_init(&builder, context);
  fill(&builder, &random, family, size);
  AspError error = builder_finish(&builder, problem);
  builder_free(&builder);
  return error;
}

/* ---- other units ---- */

void problem_rescale(AspContactProblem *problem, double length, double mass, double time, bool rigid) {
  double speed = length / time;
  for (int j = 0; j < problem->dofs; j++) {
    double arm_j = rigid && j % 6 >= 3 ? length : 1; // angular dofs: rows of H and f are moments
    problem->f[j] *= mass * speed * arm_j;
    for (int k = problem->M.start[j]; k < problem->M.start[j + 1]; k++)
      problem->M.value[k] *= mass * arm_j * (rigid && problem->M.row[k] % 6 >= 3 ? length : 1);
  }
  for (int k = 0; problem->dofs && k < problem->H.start[problem->rows]; k++)
    problem->H.value[k] *= rigid && problem->H.row[k] % 6 >= 3 ? length : 1;
  for (int i = 0; problem->dofs && i < problem->rows; i++)
    problem->w[i] *= speed;
  for (int i = 0; problem->q && i < problem->rows; i++)
    problem->q[i] *= speed;
  for (int k = 0; problem->q && k < problem->W.start[problem->rows]; k++)
    problem->W.value[k] /= mass;
  for (int b = 0; b < problem->blocks; b++)
    problem->law[b].limit *= mass * speed;
}

/* ---- planted solutions ---- */

/* r and u of one COULOMB or SLIDING block: take-off, stick or slip, at random. */
static void plant_contact(const AspLaw *law, int rows, AspRandom *random, double *r, double *u) {
  double angle = asp_random_uniform(random, 0, 2 * ASP_PI), draw = asp_random_uniform(random, 0, 1);
  double t[2] = {cos(angle), sin(angle)}, push = asp_random_uniform(random, 0.1, 1);
  if (rows == 2) {
    t[0] = t[0] < 0 ? -1 : 1;
    t[1] = 0;
  }
  bool open = draw<0.25, slip = draw> 0.6 || law->mu == 0, sliding = law->kind == ASP_LAW_SLIDING;
  u[0] = open ? push : 0;
  r[0] = open ? 0 : push;
  for (int k = 1; k < rows; k++) {
    double speed = open || slip || sliding ? asp_random_uniform(random, 0.1, 1) : 0;
    double share = slip ? 1 : asp_random_uniform(random, 0, 0.9);
    u[k] = t[k - 1] * (slip && !open && !sliding ? push : speed); // parallel to t where friction opposes it
    r[k] = -law->mu * r[0] * (sliding ? law->direction[k - 1] : share * t[k - 1]);
  }
}

static void plant_block(const AspLaw *law, int rows, AspRandom *random, double *r, double *u) {
  double draw = asp_random_uniform(random, 0, 1), size = asp_random_uniform(random, 0.1, 1);
  switch (law->kind) {
  case ASP_LAW_EQUALITY:
    for (int k = 0; k < rows; k++) {
      u[k] = 0;
      r[k] = asp_random_normal(random);
    }
    break;
  case ASP_LAW_UNILATERAL:
    u[0] = draw < 0.5 ? size : 0;
    r[0] = draw < 0.5 ? 0 : size;
    break;
  case ASP_LAW_BOX:
    u[0] = draw < 0.3 ? size : draw < 0.6 ? -size : 0;
    r[0] = law->limit * (u[0] > 0 ? -1 : u[0] < 0 ? 1 : asp_random_uniform(random, -1, 1));
    break;
  default:
    plant_contact(law, rows, random, r, u);
  }
}

void problem_plant_solution(AspContactProblem *problem, uint64_t seed, double *r, double *u, double *x) {
  AspRandom random = {.state = seed};
  double mass = 0;
  for (int j = 0; j < problem->dofs; j++)
    for (int k = problem->M.start[j]; k < problem->M.start[j + 1]; k++)
      mass += problem->M.row[k] == j ? problem->M.value[k] / problem->dofs : 0;
  for (int b = 0; b < problem->blocks; b++) {
    int first = problem->offset[b], rows = problem->offset[b + 1] - first;
    plant_block(&problem->law[b], rows, &random, r + first, u + first);
    for (int k = 0; k < rows && problem->law[b].kind != ASP_LAW_BOX; k++)
      r[first + k] *= mass; // impulses of the size of momenta
  }
  for (int j = 0; j < problem->dofs; j++) {
    x[j] = asp_random_normal(&random);
    problem->f[j] = 0;
  }
  // f = M x - H r, w = u - H^T x
  for (int j = 0; j < problem->dofs; j++)
    for (int k = problem->M.start[j]; k < problem->M.start[j + 1]; k++)
      problem->f[problem->M.row[k]] += problem->M.value[k] * x[j];
  for (int i = 0; i < problem->rows; i++) {
    problem->w[i] = u[i];
    for (int k = problem->H.start[i]; k < problem->H.start[i + 1]; k++) {
      problem->f[problem->H.row[k]] -= problem->H.value[k] * r[i];
      problem->w[i] -= problem->H.value[k] * x[problem->H.row[k]];
    }
  }
}

/* ---- sequences ---- */

AspError problem_sequence_create(AspContext *context, ProblemFamily family, int size, uint64_t seed,
                                 ProblemSequence *sequence) {
  AspRandom random = start_random(family, seed);
  ProblemBuilder builder;
  *sequence = (ProblemSequence){.steps = 50};
  builder_init(&builder, context);
  fill(&builder, &random, family, size);
  for (int i = 0; i < builder.bodies; i++)
    builder.body[i].velocity = builder.body[i].angular_velocity = vec3(0, 0, 0);
  AspError error = builder_finish(&builder, &sequence->problem);
  size_t dofs = (size_t)sequence->problem.dofs;
  if (error == ASP_OK) {
    sequence->rest = asp_allocate(context, dofs, sizeof(double));
    sequence->swing = asp_allocate(context, dofs, sizeof(double));
    error = sequence->rest && sequence->swing ? ASP_OK : ASP_ERROR_MEMORY;
  }
  if (error == ASP_OK) {
    // a tenth of the weight, sideways in a random direction
    double angle = asp_random_uniform(&random, 0, 2 * ASP_PI), push = 0.1 * 9.81 * builder.dt;
    memcpy(sequence->rest, sequence->problem.f, dofs * sizeof(double));
    for (int i = 0; i < builder.bodies; i++) {
      sequence->swing[6 * i] = builder.body[i].mass * push * cos(angle);
      sequence->swing[6 * i + 1] = builder.body[i].mass * push * sin(angle);
    }
  }
  builder_free(&builder);
  if (error != ASP_OK)
    problem_sequence_destroy(context, sequence);
  return error;
}

void problem_sequence_destroy(AspContext *context, ProblemSequence *sequence) {
  asp_problem_destroy(context, &sequence->problem);
  asp_release(context, sequence->rest);
  asp_release(context, sequence->swing);
  *sequence = (ProblemSequence){0};
}

void problem_sequence_step(ProblemSequence *sequence, int step) {
  double share = sin(2 * ASP_PI * step / sequence->steps);
  for (int j = 0; j < sequence->problem.dofs; j++)
    sequence->problem.f[j] = sequence->rest[j] + share * sequence->swing[j];
}
