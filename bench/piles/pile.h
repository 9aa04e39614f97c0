/* The piles (docs/reference/cases.md): balls of radius 0.5 m, or boxes of 1 m, with a mass of 1 kg each and mu = 0.5,
 * in a grid with gaps of a tenth, shifted at random (and boxes turned about the vertical), which fall into a box of
 * five half-spaces. */
#ifndef ASP_BENCH_PILES_PILE_H
#define ASP_BENCH_PILES_PILE_H

#include <stdbool.h>
#include <stdint.h>

#define PILE_FRICTION 0.5

/* The scene as text (free it): wide x wide bodies in each of `high` layers. NULL when out of memory. */
char *pile_text(bool boxes, int wide, int high, uint64_t seed);

#endif
