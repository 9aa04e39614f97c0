/* The contact solver inside another simulator: no scene, no world, only matrices that the caller owns.
 *
 * A crate of 10 kg stands on the floor on its four corners (one more than a rigid body needs: the forces are not
 * unique, the motion is) and is pushed harder and harder at its centre of mass, slantwise to its edges. It sticks up to
 * mu m g = 49.05 N, then slides. Each step is one problem
 *
 *   M v' = M v + h F + H r,   u = H^T v',   each (u_i, r_i) obeys Coulomb's law      (docs/theory/contact-problem.md)
 *
 * solved from the last step's impulses, without any allocation.
 *
 *   cc embed-the-solver.c $(pkg-config --cflags --libs asperity-solver) -o embed-the-solver && ./embed-the-solver
 */
#include <asperity/solver.h>

#include <math.h>
#include <stdio.h>

enum { DOFS = 6, CONTACTS = 4, ROWS = 3 * CONTACTS };

static const double step = 0.01, mass = 10, half = 0.5, mu = 0.5, gravity = 9.81;

/* Diagonal: three times the mass, three times the cube's moment of inertia. */
static void fill_mass(AspSparse *M) {
  for (int i = 0; i < DOFS; i++) {
    M->start[i + 1] = i + 1;
    M->row[i] = i;
    M->value[i] = i < 3 ? mass : mass * 4 * half * half / 6;
  }
}

/* Column of H: an impulse along n at the arm a changes linear momentum by n and angular momentum by a x n. */
static void fill_column(AspSparse *H, int column, const double arm[3], const double n[3]) {
  const double entry[DOFS] = {
      n[0], n[1], n[2], arm[1] * n[2] - arm[2] * n[1], arm[2] * n[0] - arm[0] * n[2], arm[0] * n[1] - arm[1] * n[0]};
  H->start[column + 1] = DOFS * (column + 1);
  for (int i = 0; i < DOFS; i++) {
    H->row[DOFS * column + i] = i;
    H->value[DOFS * column + i] = entry[i];
  }
}

/* Rows of a contact: normal, two tangents. The crate is body B, so the normal points up. */
static void fill_contacts(AspContactProblem *problem) {
  static const double direction[3][3] = {{0, 0, 1}, {1, 0, 0}, {0, 1, 0}};
  for (int i = 0; i < CONTACTS; i++) {
    const double arm[3] = {i & 1 ? half : -half, i & 2 ? half : -half, -half};
    for (int k = 0; k < 3; k++)
      fill_column(&problem->H, 3 * i + k, arm, direction[k]);
    problem->offset[i + 1] = 3 * (i + 1);
    problem->law[i] = (AspLaw){.kind = ASP_LAW_COULOMB, .mu = mu, .cone = ASP_CONE_EXACT};
  }
}

/* f = M v + h (push and weight) */
static void fill_forces(AspContactProblem *problem, const double *velocity, double push) {
  const double force[DOFS] = {push * cos(0.7), push * sin(0.7), -mass * gravity};
  for (int i = 0; i < DOFS; i++)
    problem->f[i] = problem->M.value[i] * velocity[i] + step * force[i];
}

static AspError push_harder(AspContext *context, AspSolver *solver, AspContactProblem *problem) {
  double velocity[DOFS] = {0}, impulse[ROWS] = {0};
  fill_forces(problem, velocity, 0);
  AspError error = asp_solver_reserve(solver, problem);
  uint64_t allocations = asp_context_allocation_count(context);
  int solved = 0, steps = 0;
  for (double push = 5; push <= 100 && error == ASP_OK; push += 5) {
    AspSolverInfo info;
    fill_forces(problem, velocity, push);
    error = asp_solver_solve(solver, problem, impulse, NULL, velocity, &info); /* from the last step's impulses */
    if (error != ASP_OK)
      return error;
    steps++;
    solved += info.status == ASP_STATUS_SOLVED;
    double friction[2] = {0, 0};
    for (int i = 0; i < CONTACTS; i++) {
      friction[0] += impulse[3 * i + 1] / step;
      friction[1] += impulse[3 * i + 2] / step;
    }
    if (steps % 2 == 0)
      printf("push %3.0f N   friction %6.3f N   speed %.4f m/s\n", push, hypot(friction[0], friction[1]),
             hypot(velocity[0], velocity[1]));
  }
  printf("%d of %d problems solved, as measured by the judge; %d allocations after asp_solver_reserve\n", solved, steps,
         (int)(asp_context_allocation_count(context) - allocations));
  return error;
}

int main(void) {
  AspContext *context = asp_context_create(NULL);
  AspSolverOptions options = asp_solver_default_options();
  AspContactProblem problem = {0};
  AspSolver *solver = NULL;
  options.tolerance = 1e-10;

  AspError error =
      context ? asp_problem_create(context, 3, CONTACTS, ROWS, DOFS, DOFS, DOFS * ROWS, 0, &problem) : ASP_ERROR_MEMORY;
  if (error == ASP_OK) {
    fill_mass(&problem.M);
    fill_contacts(&problem);
    error = asp_problem_validate(context, &problem); /* once: names what is wrong with sizes, indices, laws */
  }
  if (error == ASP_OK)
    error = asp_solver_create(context, &options, &solver);
  if (error == ASP_OK)
    error = push_harder(context, solver, &problem);
  if (error != ASP_OK)
    fprintf(stderr, "%s: %s\n", asp_error_name(error), context ? asp_context_message(context) : "");
  asp_solver_destroy(solver);
  if (context)
    asp_problem_destroy(context, &problem);
  asp_context_destroy(context);
  return error != ASP_OK;
}
