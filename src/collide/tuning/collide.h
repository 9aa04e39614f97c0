/* Tuning numbers of src/collide: name, value, unit, what it is and trades, where it was measured or what guards it. One
 * row per number; docs/reference/tuning.md is made of them. Depends on nothing. */
// clang-format off
#ifndef ASP_COLLIDE_TUNING_COLLIDE_H
#define ASP_COLLIDE_TUNING_COLLIDE_H

#define BROAD_LEVEL_ZERO              128   /* level | of cell size 1 | tests/collide, bench/collide */
#define BROAD_SLACK                   0.1   /* share | of the largest side | tests/collide, bench/collide */
#define BROAD_GRAIN                   128   /* boxes | per part of a parallel loop | bench/piles -c threads */
#define BROAD_PART_LEAST              64    /* boxes | that moved, for one thread at least | tests/collide, bench/collide */
#define BROAD_NEIGHBOURS              8     /* pairs | pairs of a moved box that there is room for at first | tests/collide, bench/collide */
#define BROAD_KEY_CELLS               1023  /* cells | cells of a side that a sorting key tells apart (10 bits) | tests/collide, bench/collide */
#define BROAD_LEVEL_COUNT             512   /* levels | of cell sizes, each twice the one before | tests/collide, bench/collide */
#define BROAD_PARTS_MAX               32    /* threads | that look for neighbours at most | tests/collide, bench/collide */
#define COLLISION_PAIR_CONTACTS_MAX   256   /* contacts | most contacts of one pair; height fields may have as many | tests/collide, bench/collide */
#define COLLISION_UNEVEN              2     /* factor | contacts of the largest part over the mean, for which memory is reserved | tests/collide, bench/collide */
#define COLLISION_GRAIN               128   /* colliders | least number of colliders, or pairs, for one thread | bench/piles -c threads */
#define COLLISION_PAIRS_RESERVED      16    /* pairs | pairs of a collider that there is room for after a reservation | tests/collide, bench/collide */
#define COLLISION_NEAR_RESERVED       18    /* pairs | near pairs of a collider that there is room for after a reservation | tests/collide, bench/collide */
#define CONTINUOUS_STEPS_MOST         400   /* steps | of conservative advancement at most | tests/collide, bench/collide */
#define CONTINUOUS_HIT_OF_WIDTH       1e-4  /* share | of the thinner body's width: a gap this small is a hit | tests/collide, bench/collide */
#define CONTINUOUS_HIT_OF_TRAVEL      1e-6  /* share | of the way travelled: the same where no width is known | tests/collide, bench/collide */
#define CONTINUOUS_ROUNDING           1e-9  /* share | of the tolerance: rounding of a gap | tests/collide, bench/collide */
#define CONVEX_PAIR_SEARCH_END        1e-12 /* rad | angle of the search at which it ends | tests/collide, bench/collide */
#define CONVEX_PAIR_SEARCH_DIRECTIONS 8     /* directions | tried around the best one in an iteration | tests/collide, bench/collide */
#define CONVEX_PAIR_SEARCH_WIDEN      1.2   /* factor | on the angle of the search after a gain | tests/collide, bench/collide */
#define CONVEX_PAIR_SEARCH_NARROW     0.7   /* factor | on the angle of the search without one | tests/collide, bench/collide */
#define CONVEX_PAIR_SAME_FACE         0.999 /* cosine | between a face's normal and the direction: the face counts as facing it | tests/collide, bench/collide */
#define CONVEX_PAIR_ROUNDING          1e-13 /* share | of the sizes: rounding of a distance | tests/collide, bench/collide */
#define CONVEX_PAIR_DOUBTFUL          10    /* factor | times the rounding: a separation that far below the gap is looked at again | tests/collide, bench/collide */
#define CONVEX_PAIR_NEAR              1e-4  /* share | of the sizes: gaps below it are checked by climbing | tests/collide, bench/collide */
#define CONVEX_PAIR_EDGE              1e-6  /* share | of the size: so near to its end a point of an edge counts as the corner | tests/formulate */
#define CONVEX_PAIR_POLISH_STEPS      4     /* steps | of Newton's method for the normal of two ellipsoids | tests/collide, tests/formulate */
#define CONVEX_PAIR_CLIMB_STEPS       24    /* steps | of climbing to the best direction | tests/collide, bench/collide */
#define CONVEX_PAIR_CLIMB_END         1e-15 /* share | of the sizes: gain of a step at which climbing ends | tests/collide, bench/collide */
#define CONVEX_PAIR_MISSED            1000  /* factor | times the rounding: a separation that far below the gap asks for the wide search | tests/collide, bench/collide */
#define CONVEX_PAIR_UNIT              1e-9  /* 1 | how far the square of a normal's length may be from 1 | tests/collide, bench/collide */
#define CONVEX_PAIR_PARALLEL          1e-20 /* 1 | square of the sine between segments below which they are parallel | tests/collide, bench/collide */
#define CONVEX_PAIR_FACE_SLACK        1e-9  /* share | of the sizes: a face's normal is preferred when it loses no more | tests/collide, bench/collide */
#define CONVEX_PAIR_DEEPER            1e-10 /* share | of the size: a deeper point replaces the deepest so far | tests/collide, bench/collide */
#define CONVEX_PAIR_SEARCH_ITERATIONS 150   /* iterations | of the search for a better direction around the best one | tests/collide, bench/collide */
#define EPA_POINTS_MOST               128   /* points | of the polytope at most | tests/collide, bench/collide */
#define EPA_ACCURACY                  2e-7  /* 1 | bounds this close, relative to the size, end the search | tests/collide, bench/collide */
#define EPA_FLAT                      1e-12 /* share | of the size: thinner starts are flat | tests/collide, bench/collide */
#define EPA_POLISH_FROM               0.02  /* share | of the size: bounds this close are polished | tests/collide, bench/collide */
#define EPA_POLISH_END                1e-5  /* share | of the size: gain of a step at which polishing ends | tests/collide, bench/collide */
#define EPA_ROUNDING                  1e-14 /* share | of the size: rounding of a distance | tests/collide, bench/collide */
#define EPA_CLIMB_STEPS               24    /* steps | of climbing to the best direction at the end | tests/collide, bench/collide */
#define EPA_CLIMB_END                 1e-9  /* share | of the size: gain of a step at which climbing ends | tests/collide, bench/collide */
#define FACING_RIM_POINTS             8     /* points | by which a round rim is represented | tests/collide, bench/collide */
#define GJK_ITERATIONS_MOST           200   /* iterations | of the distance search at most | tests/collide, bench/collide */
#define GJK_STALLS_MOST               3     /* iterations | without progress after which the search ends | tests/collide, bench/collide */
#define GJK_TOUCHING                  4e-15 /* share | of the sizes: closer cores touch | tests/collide, bench/collide */
#define GJK_GAP                       1e-15 /* share | relative gap between the bounds at which the search ends | tests/collide, bench/collide */
#define GJK_CLEAR_OF_GAP              0.05  /* share | of the separation: cores are shrunk by this to start apart | tests/collide, bench/collide */
#define GJK_CLEAR_OF_SIZE             1e-4  /* share | of the sizes: the same at least | tests/collide, bench/collide */
#define GJK_CLIMBED                   1e-12 /* share | of the sizes: gain of a step at which climbing ends | tests/collide, bench/collide */
#define HEIGHT_FIELD_FIELD_COLLECT    512   /* contacts | contacts before the reduction | tests/collide, bench/collide */
#define HEIGHT_FIELD_GROUP_MAX        12    /* contacts | contacts of equal normal after it | tests/collide, bench/collide */
#define HEIGHT_FIELD_SLACK            1e-9  /* share | of the size: cells are looked at this far beyond the box | tests/collide, bench/collide */
#define HEIGHT_FIELD_STEEPEST         0.05  /* cosine | to the vertical below which a normal counts as a wall's | tests/collide, bench/collide */
#define HEIGHT_FIELD_SHORTEST         1e-8  /* 1 | length of a cross product of unit vectors below which they are parallel | tests/collide, bench/collide */
#define HEIGHT_FIELD_BETTER           1e-10 /* share | of the size: by this a direction must be better | tests/collide, bench/collide */
#define HEIGHT_FIELD_SAME_NORMAL      1e-12 /* 1 | 1 - cosine between normals that are the same | tests/collide, bench/collide */
#define HEIGHT_FIELD_BELOW            1e-9  /* share | of the sizes: deeper than the ground below by this | tests/collide, bench/collide */
#define HEIGHT_FIELD_SAME_PLACE       1e-9  /* share | of the size: points closer than this are one | tests/collide, bench/collide */
#define HEIGHT_FIELD_UPRIGHT          1e-8  /* 1 | 1 - cosine to the vertical up to which a normal is upright | tests/collide, bench/collide */
#define HEIGHT_FIELD_SAME_GAP         1e-12 /* share | of the gap: no smaller than this is as good | tests/collide, bench/collide */
#define HEIGHT_FIELD_ALIKE            1e-10 /* 1 | 1 - cosine between normals of one group | tests/collide, bench/collide */
#define MANIFOLD_SAME_PLACE           2e-10 /* share | of the size: points closer than this are one | tests/collide, bench/collide */
#define MANIFOLD_DEEPER               2e-10 /* share | of the size, as MANIFOLD_SAME_PLACE: the witness is added when it is deeper than all others by this; less is rounding of poses that drift, and the witness would come and go at any place of a face | tests/collide, bench/collide */
#define MANIFOLD_IN_LINE              1e-6  /* 1 | slope of a face against the plane across the normal: less is none | tests/collide, bench/truth/aligned_known.py */
#define MANIFOLD_PARALLEL             1e-18 /* 1 | square of the sine between edges below which they do not cross | tests/collide, bench/collide */
#define MANIFOLD_ALONG                0.2   /* cosine | to the normal that a line between two points must have | tests/collide, bench/collide */
#define MANIFOLD_ACROSS               0.01  /* cosine | between a normal and an axis that still counts as across | tests/collide, bench/collide */
#define MANIFOLD_BESIDE               0.1   /* sine | between a bar and an edge that it lies along | tests/collide, bench/collide */
#define MANIFOLD_TOO_DEEP             5e-4  /* share | of the distance of equal points: a point deeper by this is no point of this face | tests/collide, bench/collide */
#define MANIFOLD_FACING_MAX           32    /* faces | The part of a core's surface that faces a direction: a face, a line of a curved side, an end point. | tests/collide, bench/collide */
#define PAIR_TURN_MOST                1e6   /* rad | rotation of a sweep that is accepted | tests/collide, bench/collide */
#define PAIR_UNIT                     1e-6  /* 1 | how far the square of a quaternion's length may be from 1 | tests/collide, bench/collide */
#define POINT_ELLIPSOID_STEPS         200   /* steps | of Newton's method for the nearest point of an ellipsoid at most | tests/collide */
#define SAT_PREFER_FIRST              1e-10 /* share | a later direction must be better by this much of the size: keeps the choice steady | tests/collide, bench/collide */
#define SAT_SLACK                     1e-18 /* 1 | of the square of the lengths: rounding of the test of arcs | tests/collide, bench/collide */
#define SAT_PARALLEL                  1e-8  /* 1 | sine between edges below which they are parallel | tests/collide, bench/collide */
#define SAT_SIDE                      1e-9  /* share | of the size: points within this lie in the plane | tests/collide, bench/collide */
#define SAT_CLEAR                     1e-3  /* share | of the sizes: distance to which overlapping cores are moved apart for a start | tests/collide, bench/collide */
#define SAT_SHORTEST                  1e-12 /* 1 | square of the length of a direction below which it is none | tests/collide, bench/collide */
#define SEAM_FLUSH                    1e-7  /* share | of the smaller shape: surfaces that differ in height by less are flush; larger edges are real | tests/collide, bench/seams */
#define SEAM_SAME_NORMAL              1e-10 /* 1 | difference of two normals that are the same | tests/collide, bench/seams */
#define SEAM_TURN_SAMPLES             4     /* poses | of a swept shape on its turn, at which its reach is measured | tests/collide, bench/seams */

#endif
// clang-format on
