/* Tuning numbers of the automatic choice of methods: stages, large problems, subproblems, one solve (auto.c, large_problem.c, subproblem.c, solver.c): name, value, unit, what it is and trades, where it was measured or what guards it. One
 * row per number; docs/reference/tuning.md is made of them. Depends on nothing. */
// clang-format off
#ifndef ASP_SOLVER_TUNING_AUTO_H
#define ASP_SOLVER_TUNING_AUTO_H

#define AUTO_SMALL_PROBLEM        50      /* contacts | contacts below which sweeps cost little | bench/fclib, bench/robustness */
#define AUTO_PATIENCE             120     /* sweeps | upper bound on further sweeps before second-order methods take over | bench/fclib: geometric mean against Siconos a tenth lower than with less patience and momentum */
#define AUTO_PATIENCE_SMALL       400     /* sweeps | the same for small problems | bench/fclib: geometric mean against Siconos a tenth lower than with less patience and momentum */
#define AUTO_FULL                 0.3     /* 1 | filling of W from which on it counts as a full matrix | bench/fclib, bench/robustness */
#define AUTO_SWEEPS_LIMIT         3000    /* sweeps | of Gauss-Seidel at most | bench/fclib, bench/robustness */
#define AUTO_FIRST_VERDICT        20      /* sweeps | sweeps before Gauss-Seidel may be given up | bench/fclib, bench/robustness */
#define AUTO_WARM_VERDICT         10      /* sweeps | before Gauss-Seidel may be given up, from a warm start | bench/fclib, bench/robustness */
#define AUTO_WARM_RHO             200     /* 1 | first proximal step from a warm start | bench/fclib, bench/robustness */
#define AUTO_FAR_RHO              10      /* 1 | first proximal step from an iterate that other stages left unsolved | bench/fclib, bench/robustness */
#define AUTO_SWEEPS_WARM          60      /* sweeps | sweeps from a warm start | bench/fclib, bench/robustness */
#define AUTO_WARM_SCORE           1e-3    /* 1 | beyond, the contacts have changed too much for a few Newton steps | bench/fclib, bench/robustness */
#define AUTO_NEWTON_WARM          10      /* steps | proximal steps from a warm start | bench/fclib, bench/robustness */
#define AUTO_NEWTON_STEPS         250     /* steps | of proximal Newton at most | bench/fclib, bench/robustness */
#define AUTO_NEWTON_COLD          800     /* steps | of proximal Newton from nothing: masses over six decades took up to 730 | bench/robustness: of 3,000 random degenerate problems 2,989 are solved, 2,976 without */
#define AUTO_ROUNDED              1e-11   /* 1 | E2 that rounding leaves | bench/fclib, bench/robustness */
#define AUTO_SHORT_FINISH         30      /* steps | proximal steps after the first interior point: most need fewer | bench/fclib: a wall of 4,680 contacts took 9.2 s without a short first finish, 5.4 s with it */
#define AUTO_ISLAND_LEAST         1e-3    /* share | of the tolerance down to which islands are solved again | bench/fclib: two jammed packings (175, 408 contacts) are solved with them alone */
#define AUTO_ISLAND_SHARPER       0.1     /* factor | on that share from pass to pass | bench/fclib: two jammed packings (175, 408 contacts) are solved with them alone */
#define AUTO_SECOND_THETA         0.95    /* 1 | largest share of the affine direction in the second attempt of the interior point | bench/fclib: a wall of 4,680 contacts took 13.7 s with long proximal runs first, 9.2 s with these */
#define AUTO_THIRD_THETA          0.8     /* 1 | the same in the third | bench/fclib: a wall of 4,680 contacts took 13.7 s with long proximal runs first, 9.2 s with these */
#define AUTO_LAST_THETA_1         0.85    /* 1 | the same in the last attempts | bench/robustness: of 3,000 random degenerate problems 2,989 are solved, 2,976 without */
#define AUTO_LAST_THETA_2         0.7     /* 1 | the same | bench/robustness: of 3,000 random degenerate problems 2,989 are solved, 2,976 without */
#define LARGE_PACKED_SWEEPS       1000000 /* sweeps | of the packed method at most | bench/fclib, bench/robustness */
#define LARGE_PACKED_VERDICT      64      /* sweeps | before they may be given up, at most | bench/fclib, bench/robustness */
#define LARGE_PATIENT             1.5     /* factor | times the sweeps of an earlier solve before they may be given up | bench/fclib, bench/robustness */
#define LARGE_FAR_AT_LIMIT        5e-4    /* 1 | AspResidual.contact at a limit of sweeps: the next problem will not be solved either | bench/fclib, bench/robustness */
#define LARGE_PATIENCE            200     /* sweeps | that second-order methods cost at least: so many further ones are waited for | bench/fclib, bench/robustness */
#define LARGE_PATIENCE_FACTORS    40      /* sweeps | the same per bodies^2 / blocks, the cost of factors in space | bench/fclib, bench/robustness */
#define LARGE_LONGEST_PATIENCE    4000    /* sweeps | the same at most | bench/fclib, bench/robustness */
#define LARGE_WINDOW_FACTORS      0.1     /* looks | more per bodies^2 / blocks by which the rate is measured | bench/fclib, bench/robustness */
#define LARGE_SHORTEST_WINDOW     4       /* looks | by which the rate is measured at least | bench/fclib, bench/robustness */
#define LARGE_NEAR                1e-3    /* 1 | residual from which on proximal Newton does well from a given start | bench/warm: balls that still roll took 1.2 times a cold solve, now 0.7 */
#define LARGE_NEAR_LEAST          40      /* sweeps | that its answer costs at least | bench/warm: balls that still roll took 1.2 times a cold solve, now 0.7 */
#define LARGE_NEAR_COST           1.7     /* sweeps | that it costs per (bodies^2 / blocks)^2: 80 on a tower of boxes, 1,000 on 60 balls | bench/warm: balls that still roll took 1.2 times a cold solve, now 0.7 */
#define LARGE_NEAR_LIMIT          1200    /* sweeps | where it costs more, sweeps stay the cheaper way | bench/fclib, bench/robustness */
#define LARGE_SUBPROBLEM_FACTORS  90      /* bodies | bodies^2 / blocks from which on subproblems are worth it | bench/fclib, bench/robustness */
#define LARGE_SUBPROBLEM_PASSES   20      /* passes | at most; each solves a subproblem, then sweeps over all blocks | bench/fclib, bench/robustness */
#define LARGE_SUBPROBLEM_GAIN     0.5     /* share | fall of the residual that makes another one worth it | bench/fclib, bench/robustness */
#define LARGE_SMALL_PROBLEM       50      /* blocks | blocks below which sweeps cost little and the exact answer of each contact is worth it | bench/fclib, bench/robustness */
#define LARGE_LEAVE               0.5     /* 1 | excess up to which an island is left alone while others are swept | bench/fclib, bench/robustness */
#define LARGE_NEARLY_ALL          0.9     /* share | of the blocks: where more are swept, the check which can be left alone costs more than it saves | bench/fclib, bench/robustness */
#define LARGE_UNSEEN              32      /* solves | for which that check is left out | bench/fclib, bench/robustness */
#define LARGE_ISLAND_SOLVES       3       /* solves | solves of the islands, each time to a tenth of the tolerance of before | bench/fclib, bench/robustness */
#define LARGE_VERDICT_SHARE       8       /* factor | upper bound on further sweeps over those before the first verdict | bench/fclib, bench/robustness */
#define LARGE_ISLAND_SHARPER      0.1     /* factor | on an island's share of the tolerance after the first solve | bench/fclib, bench/robustness */
#define METHOD_AUTO_LARGEST_LEMKE 600     /* rows | rows up to which pivoting is worth trying after the others | bench/fclib, bench/robustness */
#define SOLVER_LONGEST_PAUSE      5       /* solves | from the third miss in a row on a pause of 4, 8, .. solves, up to 2 to this power | bench/warm: balls that still roll took 1.2 times a cold solve, now 0.7 */
#define SOLVER_CONTACT_SOLVES     3       /* solves | solves to smaller and smaller E2 for the sake of the worst contact | bench/fclib, bench/robustness */
#define SOLVER_MARGIN             0.01    /* share | share of the tolerance aimed at: what is left over disturbs the steps that follow | bench/fclib, bench/robustness */
#define SOLVER_SHARPEST           1e-14   /* 1 | least E2 that is asked for then | bench/fclib, bench/robustness */
#define SOLVER_TIME_LEAST         1e-9    /* s | least time that an island's solve is given | bench/fclib, bench/robustness */
#define SUBPROBLEM_LEFT_OUT       0.1     /* 1 | residual that may stay outside the subproblem, over what the tolerance allows | bench/fclib, bench/robustness */
#define SUBPROBLEM_WORST          0.03    /* share | of the problem's blocks that are the worst ones of a subproblem | bench/fclib, bench/robustness */
#define SUBPROBLEM_LEAST_WORST    10      /* blocks | of these at least | bench/fclib, bench/robustness */
#define SUBPROBLEM_MOST_WORST     300     /* blocks | of these at most: small subproblems one after the other are cheaper than a large one | bench/fclib, bench/robustness */
#define SUBPROBLEM_RINGS          3       /* rings | of neighbours that a subproblem takes with its worst blocks | bench/fclib, bench/robustness */
#define SUBPROBLEM_ENOUGH         0.25    /* share | of the problem's blocks beyond which no further ring is taken | bench/fclib, bench/robustness */
#define SUBPROBLEM_LARGEST        0.5     /* share | share of the problem beyond which it is no subproblem | bench/fclib, bench/robustness */
#define SUBPROBLEM_SHARE          0.1     /* share | of the tolerance that is asked of the subproblem | bench/fclib, bench/robustness */
#define SUBPROBLEM_LOOSEST        1e-4    /* 1 | loosest tolerance of a subproblem | bench/fclib, bench/robustness */

#endif
// clang-format on
