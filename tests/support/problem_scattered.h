/* Families without a plan: packings, clusters, small degenerate problems, dense random data; problem_families.h has
 * what each one is. */
#ifndef ASP_PROBLEM_SCATTERED_H
#define ASP_PROBLEM_SCATTERED_H

#include "problem_builder.h"

/* filling: mean diameter over the spacing of the lattice; mass_decades: spread of the masses; mixed: friction
 * coefficients of 0, 0.01, 0.3, 1 and 10 side by side */
void scatter_packing(ProblemBuilder *builder, AspRandom *random, int size, double filling, double mass_decades,
                     bool mixed);
void scatter_cluster(ProblemBuilder *builder, AspRandom *random, int size);
void scatter_small(ProblemBuilder *builder, AspRandom *random);
/* Has no bodies: M and H are dense. */
AspError scatter_dense(AspContext *context, AspRandom *random, int size, AspContactProblem *problem);

#endif
