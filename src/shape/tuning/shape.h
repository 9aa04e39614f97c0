/* Tuning numbers of src/shape: name, value, unit, what it is and trades, where it was measured or what guards it. One
 * row per number; docs/reference/tuning.md is made of them. Depends on nothing. */
// clang-format off
#ifndef ASP_SHAPE_TUNING_SHAPE_H
#define ASP_SHAPE_TUNING_SHAPE_H

#define HEIGHT_FIELD_GRID_MOST      32768    /* points | grid points along one side: a triangle's number must fit the feature id | tests/shape */
#define HEIGHT_FIELD_SPACING_LEAST  1e-30    /* m | spacing of a grid that is accepted | tests/shape */
#define HEIGHT_FIELD_SPACING_MOST   1e30     /* m | the largest one, and height | tests/shape */
#define HULL_ON_HULL                1e-12    /* share | of the extent: points this near the hull are on it | tests/shape */
#define HULL_ON_FACE                1e-9     /* share | of the extent: faces this flat to each other are one | tests/shape */
#define HULL_LEAST_WIDTH            1e-9     /* factor | thinner than this times the extent counts as flat | tests/shape */
#define HULL_FACES_RESERVED         64       /* faces | more than four per point that there is room for | tests/shape */
#define HULL_COARSE                 100      /* factor | times the tolerance of the second attempt at a hull | tests/shape */
#define HULL_CREATE_WIDTH_WORK      4000000  /* vertices | most vertices visited to compute widths, approximately | tests/shape */
#define HULL_CREATE_FLAT            1e-12    /* share | of the extent: points no farther lie in one plane | tests/shape */
#define HULL_CREATE_AREA_LEAST      1e-9     /* share | of the square of the extent: smaller polygons are refused | tests/shape */
#define HULL_CREATE_POINTS_MOST     10000000 /* points | of a cloud that is accepted | tests/shape */
#define HULL_CREATE_COORDINATE_MOST 1e30     /* m | coordinate that is accepted | tests/shape */
#define HULL_CREATE_EXTENT_LEAST    1e-29    /* m | extent of a cloud that is accepted | tests/shape */
#define DECOMPOSE_FLAT              1e-9     /* share | of the mesh's extent: smaller distances are rounding | tests/shape/test_decompose.c */
#define DECOMPOSE_VOLUME_LEAST      1e-12    /* share | of the solid's volume: smaller parts are rounding | tests/shape/test_decompose.c */
#define DECOMPOSE_INWARD            1e-6     /* share | of the way to the cell's centre at which its corners are tested for being inside the solid | tests/shape/test_decompose.c */
#define DECOMPOSE_CUT_LEAST         10       /* factor | times the rounding: a cut leaves at least this on both sides | tests/shape/test_decompose.c */
#define DECOMPOSE_JOIN              1e-9     /* share | of the solid's volume: pieces whose common hull adds no more are joined | tests/shape/test_decompose.c */
#define DECOMPOSE_EDGES_MOST        32       /* edges | reflex edges that a choice of planes looks at: more cost time, fewer miss good cuts | tests/shape/test_decompose.c */
#define DECOMPOSE_PLANES_MOST       160      /* planes | that are tried for one cut | tests/shape/test_decompose.c */
#define DECOMPOSE_PIECES_MOST       512      /* pieces | of one mesh; more make contact slow, and the error asked for too small | tests/shape/test_decompose.c */
#define SHAPE_SIZE_LEAST            1e-30    /* share | Sizes outside these bounds are refused: inside them no product of the collision formulas over- or underflows. | tests/shape */
#define SHAPE_SIZE_GREATEST         1e30     /* share | Sizes outside these bounds are refused: inside them no product of the collision formulas over- or underflows. | tests/shape */

#endif
// clang-format on
