/* Families of blocks on blocks, added to a builder; problem_families.h has what each one is. */
#ifndef ASP_PROBLEM_STACKS_H
#define ASP_PROBLEM_STACKS_H

#include "problem_builder.h"

void stack_tower(ProblemBuilder *builder, AspRandom *random, int size, double mass_decades);
void stack_wall(ProblemBuilder *builder, AspRandom *random, int size);
void stack_arch(ProblemBuilder *builder, AspRandom *random, int size);
void stack_wedge(ProblemBuilder *builder, AspRandom *random, int size);
void stack_gripper(ProblemBuilder *builder, AspRandom *random, int size);
void stack_chain(ProblemBuilder *builder, AspRandom *random, int size);
void stack_jointed(ProblemBuilder *builder, AspRandom *random, int size);
void stack_laws(ProblemBuilder *builder, AspRandom *random, int size);

#endif
