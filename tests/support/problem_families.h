/* Families of contact problems drawn by seed, for tests and benchmarks: equal (family, size, seed) give equal problems.
 * All are in global form (M, H, f, w), three-dimensional; docs/reference/problem-families.md describes each.
 */
#ifndef ASP_PROBLEM_FAMILIES_H
#define ASP_PROBLEM_FAMILIES_H

#include "asperity/problem.h"
#include "base/base.h"

/* family, name, what it is */
#define PROBLEM_FAMILY_LIST(X)                                                                                         \
  X(FAMILY_TOWER, "tower", "boxes on boxes, each turned by a random yaw")                                              \
  X(FAMILY_WALL, "wall", "bricks in running bond")                                                                     \
  X(FAMILY_ARCH, "arch", "voussoirs between two abutments, loaded off centre")                                         \
  X(FAMILY_WEDGE, "wedge", "blocks pressed into a self-locking groove: a jam")                                         \
  X(FAMILY_GRIPPER, "gripper", "a row of blocks pinched between two fingers")                                          \
  X(FAMILY_CHAIN, "chain", "links that hang in each other")                                                            \
  X(FAMILY_PACKING, "packing", "spheres near a jittered dense lattice, on a floor between walls")                      \
  X(FAMILY_MIXED_PACKING, "mixed-packing", "the same with mu of 0, 0.01, 0.3, 1 and 10 side by side")                  \
  X(FAMILY_MASS_TOWER, "mass-tower", "towers whose masses span six decades")                                           \
  X(FAMILY_MASS_PACKING, "mass-packing", "packings whose masses span six decades")                                     \
  X(FAMILY_CLUSTER, "cluster", "many more contacts than freedoms, pressed together: hyperstatic")                      \
  X(FAMILY_JOINTED, "jointed", "rods on ball joints (EQUALITY blocks) lying on the floor")                             \
  X(FAMILY_LAWS, "laws", "towers whose blocks have every law")                                                         \
  X(FAMILY_DENSE, "dense", "random dense H and M, mu up to 2: the size class of Acary et al. 2008")                    \
  X(FAMILY_SMALL, "small", "one to six contacts, degenerate in many ways")                                             \
  X(FAMILY_TIGHT_PACKING, "tight-packing", "more contacts per sphere than a heap has, between walls: a jam")

typedef enum ProblemFamily {
#define PROBLEM_FAMILY_ENUM(code, name, text) code,
  PROBLEM_FAMILY_LIST(PROBLEM_FAMILY_ENUM)
#undef PROBLEM_FAMILY_ENUM
      FAMILY_COUNT
} ProblemFamily;

const char *problem_family_name(ProblemFamily family);
const char *problem_family_text(ProblemFamily family);

/* `size`: wanted number of contacts, met within a layer or so (50,000 is fine for the packings); SMALL ignores it and
 * draws 1 to 6; CLUSTER of 150 has 33 bodies, DENSE of 150 has 200 dofs, in proportion otherwise. */
AspError problem_family_make(AspContext *context, ProblemFamily family, int size, uint64_t seed,
                             AspContactProblem *problem);

/* The same problem in other units: lengths, masses and times multiplied. In contact space W is divided by `mass` and q
 * multiplied by length/time; a solution r gets the factor mass length/time. `rigid`: dofs come in sixes, the last
 * three angular, so that their rows of M, H and f take their own powers of length; else the dofs keep their meaning. */
void problem_rescale(AspContactProblem *problem, double length, double mass, double time, bool rigid);

/* Keep M, H and the laws; draw states (take-off, stick, slip) and r, u that obey the laws exactly, a random x, and
 * choose f = M x - H r and w = u - H^T x, so that (r, u, x) solves the problem. r, u: rows; x: dofs. COULOMB (exact
 * cone), UNILATERAL, EQUALITY, SLIDING and BOX blocks. */
void problem_plant_solution(AspContactProblem *problem, uint64_t seed, double *r, double *u, double *x);

/* Stand-in for a dumped simulation: one structure, the same contacts in every step, forces that change slowly. */
typedef struct ProblemSequence {
  AspContactProblem problem; /* of the step asked for last */
  int steps;
  double *rest;  /* dofs: f at rest */
  double *swing; /* dofs: what comes and goes */
} ProblemSequence;

/* family: TOWER, WALL, PACKING, ... (any that has bodies and is at rest). 50 steps. */
AspError problem_sequence_create(AspContext *context, ProblemFamily family, int size, uint64_t seed,
                                 ProblemSequence *sequence);
void problem_sequence_destroy(AspContext *context, ProblemSequence *sequence);
/* Make sequence->problem the one of this step, 0 <= step < steps. */
void problem_sequence_step(ProblemSequence *sequence, int step);

#endif
