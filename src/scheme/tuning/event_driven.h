/* Tuning numbers of the event-driven scheme: name, value, unit, what it is and trades, where it was measured or what guards it. One
 * row per number; docs/reference/tuning.md is made of them. Depends on nothing. */
// clang-format off
#ifndef ASP_SCHEME_TUNING_EVENT_DRIVEN_H
#define ASP_SCHEME_TUNING_EVENT_DRIVEN_H

#define EVENT_EVENTS_IN_STEP      60     /* events | in one step before it is made by time stepping | tests/world */
#define EVENT_SHARP               1e-12  /* share | tolerance of the problems at instants | tests/world */
#define EVENT_EVENTS_MOST         100000 /* events | that are kept | tests/world */
#define EVENT_ENDED               1e-12  /* 1 | of dt: so near its end a step is over | tests/world */
#define EVENT_START_PROJECTIONS   64     /* projections | of positions at the start at most; there are none later | tests/world */
#define EVENT_ISLAND_MOST         150    /* rows | constrained and connected: a larger dense system costs more than events save | tests/world */
#define EVENT_BEGUN               1e3    /* factor | times what counts as no slip: slip has begun and has a direction of its own | tests/world */
#define EVENT_REACH               1e-2   /* share | of the largest body: contacts are looked for so far | tests/world */
#define EVENT_MODES_MOST_IMPULSES 30     /* impulses | impacts and impulses without collision at one instant at most | tests/world */
#define EVENT_MODES_LIGHT         1e-10  /* share | of the largest reaction: none | tests/world */
#define EVENT_MODES_SLOW          1e-9   /* share | of the largest accelerations without reactions so far: none | tests/world */
#define EVENT_MODES_EDGE          1e-6   /* 1 | so near the edge of its cone a contact that asked to slip does | tests/world */
#define EVENT_MODES_INSTANT       1e-6   /* 1 | of dt: d of an impulse without collision | tests/world */
#define EVENT_MODES_EXACT         1e-13  /* 1 | of lengths and speeds: drift that is left alone | tests/world */
#define EVENT_MODES_DRIFT         100    /* contacts | times EXACT: joints and closed contacts are corrected | tests/world */
#define EVENT_MODES_CLOSED_MOST   400    /* contacts | closed contacts of a state at most | tests/world */
#define EVENT_MODES_BLOCKS        12     /* blocks | that are analyzed where the solver finds nothing | tests/world */
#define EVENT_MODES_SPEED         1e-9   /* share | of the fastest speed so far: what counts as rest | tests/world */
#define EVENT_MOTION_TOLERANCE    1e-13  /* share | relative, of the integrator | tests/world */
#define EVENT_MOTION_FLOWS        1e-10  /* 1 | relative, of impulses and flows | tests/world */
#define EVENT_MOTION_LIGHT        1e-9   /* share | of the largest reaction: a force that is none | tests/world */
#define EVENT_MOTION_PARTING      1e-4   /* 1 | of what counts as no gap: what a gap that opens may start with | tests/world */
#define EVENT_MOTION_EVALUATIONS  3000   /* evaluations | of the forces in one smooth motion at most | tests/world */
#define EVENT_MOTION_TURN         0.25   /* rad | rad in a step of the integrator at most | tests/world */
#define EVENT_MOTION_JAM_FIRST    0.1    /* 1 | of A over its value without friction: the first threshold that is reported | tests/world */
#define EVENT_MOTION_JAM_LAST     1e-8   /* 1 | the smallest threshold of jamming: A over its value without friction | tests/world */
#define EVENT_MOTION_STIFF        100.0  /* 1 | dt^2 tr(M^-1 K) or dt tr(M^-1 C) above which the motion is stiff | tests/world */
#define EVENT_MOTION_JAM_ROUNDING 1e-6   /* share | of a threshold of jamming: rounding | tests/world */
#define EVENT_MOTION_JAM_NEXT     0.1    /* factor | from one threshold of jamming that is reported to the next | tests/world */
#define EVENT_MOTION_LEFT         10.0   /* factor | times what counts as no gap: so far beyond the end of its face or edge a contact has ended; above what merges points of a manifold | tests/world */
#define EVENT_MOTION_PULLING      1e3    /* factor | times what counts as no force: a held contact that pulls this much was missed | tests/world */

#endif
// clang-format on
