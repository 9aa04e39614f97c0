/* Tuning numbers of generalized-alpha: name, value, unit, what it is and trades, where it was measured or what guards it. One
 * row per number; docs/reference/tuning.md is made of them. Depends on nothing. */
// clang-format off
#ifndef ASP_SCHEME_TUNING_GENERALIZED_ALPHA_H
#define ASP_SCHEME_TUNING_GENERALIZED_ALPHA_H

#define ALPHA_PASSES                         80    /* passes | over the three levels in a step at most | tests/world, bench/alpha */
#define ALPHA_EFFORT                         4000  /* operations | of counted effort per row and dof of a pass, its solves apart | callgrind, ten bodies */
#define ALPHA_EFFORT_START                   0.0156 /* share | of what is left of a step's effort that the accelerations at the start of the run may use | tests/world/test_accuracy.c */
#define ALPHA_DIVERGED                       1e3   /* factor | on the speed of a body (1 m at least) or radian per step, and on the velocities of the prediction: beyond, the passes have diverged | tests/world */
#define ALPHA_RESTARTS                       16    /* passes | passes that changed modes: more is a cycle | tests/world, bench/alpha */
#define ALPHA_CONVERGED                      1e-13 /* share | change of D over the size of the bodies, a hundredth of the relative ones of u and a | tests/world, bench/alpha */
#define ALPHA_STAGNANT                       1e-11 /* 1 | below this, a change that no longer halves is rounding | tests/world, bench/alpha */
#define ALPHA_LARGE_CONVERGED                1e-2  /* share | of the tolerance: what counts as converged where problems are solved to the tolerance | tests/world, bench/alpha */
#define ALPHA_EARLY                          1e-4  /* 1 | change down to which large problems are solved roughly | tests/world, bench/alpha */
#define ALPHA_NEARLY                         1e-6  /* 1 | change from which on large problems are judged before they are solved again | tests/world, bench/alpha */
#define ALPHA_PATIENT                        4     /* passes | passes that changed modes, after which they are damped | tests/world, bench/alpha */
#define ALPHA_DAMPED                         0.5   /* share | of a change that damped passes take | tests/world, bench/alpha */
#define ALPHA_CYCLING                        1e-6  /* 1 | modes that change while more than this moves are a cycle | tests/world, bench/alpha */
#define ALPHA_REST                           1e-7  /* 1 | first step: slower, relative to the speeds, is rest | tests/world, bench/alpha */
#define ALPHA_REACH                          1e9   /* share | size of the bodies over the slop | tests/world, bench/alpha */
#define ALPHA_NOISE                          2e-4  /* 1 | D as large as the bodies, rounded, over what counts as converged | tests/world, bench/alpha */
#define ALPHA_FAR                            10    /* factor | times the reach: how far contacts count at the start | tests/world, bench/alpha */
#define ALPHA_RELATIVE                       1e-2  /* share | of the relative changes of u and a that counts beside that of D | tests/world, bench/alpha */
#define ASP_ALPHA_COARSE                     1e-6  /* 1 | Tolerance of large problems in early passes, on E2. | tests/world, bench/alpha */
#define ALPHA_ROUNDING                       1e-14 /* 1 | relative: smaller is noise, whatever it is compared with | tests/world, bench/alpha */
#define ALPHA_HISTORY                        10    /* passes | The last passes (generalized_alpha_mixing.c). | tests/world, bench/alpha */
#define ALPHA_SMALL                          60    /* rows | The solver of a level's problem with this many rows. | tests/world, bench/alpha */
#define ALPHA_LEVEL_TOUCH                    1e-3  /* share | of the slop: gaps up to this are closed | tests/world, bench/alpha */
#define ALPHA_LEVEL_ROUNDED                  1e-11 /* 1 | relative: what problems that are solved to rounding leave | tests/world, bench/alpha */
#define ALPHA_LEVEL_BOUNDARY                 1e-9  /* share | of mu P_N: this far outside of the cone is still inside | tests/world, bench/alpha */
#define ALPHA_LEVEL_OF_ROUNDING              0.1   /* share | of the rounding of a level that its residual may be | tests/world, bench/alpha */
#define ALPHA_LONGER                         2.5   /* factor | on the length of the last step: a longer one begins with accelerations and forces of its start alone | bench/truth/loads_known.py */
#define ALPHA_SAME_STEP                      1e-9  /* share | of dt: lengths of steps that differ by less are equal | tests/world */
#define ALPHA_LATE_SOLVES                    20    /* solves | solves of a step at most; each adds the contacts that the last one ran into | tests/world, bench/alpha */
#define ALPHA_MIXING_DEPENDENT               1e-10 /* 1 | of a difference's length: what is left of it counts as nothing | tests/world, bench/alpha */
#define ALPHA_MODES_MOST_HELD                3     /* contacts | contacts: 4^3 combinations in the plane, 3^3 in space | tests/world, bench/alpha */
#define ALPHA_MODES_FAR                      1e-2  /* share | of the bodies' size: where passes still move them farther, a shorter step is tried, not combinations of modes | bench/seams/shots.py */
#define ALPHA_MODES_CONSISTENT               1e-7  /* share | change of the free pass, as in AlphaStep.change | tests/world, bench/alpha */

#endif
// clang-format on
