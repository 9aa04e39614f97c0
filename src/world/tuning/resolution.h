/* Tuning numbers of the measures of resolution: name, value, unit, what it is and trades, where it was measured or what
 * guards it. The thresholds themselves are options of the run. Depends on nothing. */
// clang-format off
#ifndef ASP_WORLD_TUNING_RESOLUTION_H
#define ASP_WORLD_TUNING_RESOLUTION_H

#define RESOLUTION_WHOLE        1e-6   /* share | of dt: a step shorter by more is a part of one | tests/world */
#define RESOLUTION_THIN         10.0   /* widths | of the thinner shape: an overlap is measured by no larger a length | tests/world */
#define RESOLUTION_FAR          10.0   /* sizes | of a body: an error of positions is measured by no larger a length, however long its way | docs/theory/resolution.md */
#define RESOLUTION_ARM          1e-3   /* share | of a body's size: shorter arms of joints turn nothing | tests/world */
#define RESOLUTION_AT_REST      2.5e-3 /* 1 | e^2 / (2 x 0.02), e = 0.01: an energy error below 0.02 of this, times force x size, moves nothing by e of its size | docs/theory/resolution.md */
#define RESOLUTION_WINDOW       64     /* steps | over which loads are remembered | docs/theory/resolution.md */
#define RESOLUTION_MISSES       2.5    /* steps | fewer misses in the window are single events | docs/theory/resolution.md */
#define RESOLUTION_SHARE        0.1    /* share | of all forces on a body, or of the largest kinetic energy: contacts with less do not count as loaded, bodies with less not as having it | docs/theory/resolution.md */
#define RESOLUTION_NOTHING      1e-6   /* share | of the same: less is no force | docs/theory/resolution.md */
#define RESOLUTION_FAST         0.5    /* widths | of the thinnest shape: bodies that move farther in a step are followed on their way | tests/world */
#define RESOLUTION_TOGETHER     1e-4   /* share | of a body's size: contacts no farther apart meet at once, as bodies laid flat do | docs/theory/resolution.md */
#define RESOLUTION_POSTPONED    1e-2   /* share | of a body's size: impacts left to the next step over a shorter way come in time | docs/theory/resolution.md */
#define RESOLUTION_SMOOTH_STEPS   4      /* steps | without impact, before this one, through which a velocity changes where motion is smooth | scenes/gallery */
#define RESOLUTION_LOOKS        32     /* poses | on the way of a pair at most | tests/world */

#endif
// clang-format on
