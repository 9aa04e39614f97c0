/* One BALL block by itself: see local_ball.c. */
#ifndef ASP_SOLVER_LOCAL_BALL_H
#define ASP_SOLVER_LOCAL_BALL_H

/* r of ||r|| <= radius, u = W r + q, with u = 0 or r = -radius u/||u||; n = 2 or 3 rows, W by columns. */
void asp_local_ball_solve(int n, const double *W, double radius, const double *q, double *r);

#endif
