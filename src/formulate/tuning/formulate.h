/* Tuning numbers of src/formulate: name, value, unit, what it is and trades, where it was measured or what guards it. One
 * row per number; docs/reference/tuning.md is made of them. Depends on nothing. */
// clang-format off
#ifndef ASP_FORMULATE_TUNING_FORMULATE_H
#define ASP_FORMULATE_TUNING_FORMULATE_H

#define ACCELERATION_HINT             1e-3   /* share | of the slowest slip: what a slip that begins counts as | tests/formulate, tests/world */
#define ASSEMBLE_JOINT_BLOCKS         9      /* blocks | of a joint at most: constraint, motion, motor, two frictions, two limits, bearings, armature | tests/formulate, tests/world */
#define ASSEMBLE_RESISTANCE_COUPLINGS 2      /* dofs | load couplings of a resistance at most | tests/formulate, tests/world */
#define ASSEMBLE_RESISTANCE_ENTRIES   3      /* entries | of a resistance at most: its load, the block's normal, a second tangent | tests/formulate, tests/world */
#define ASSEMBLE_GRAIN                256    /* blocks | least number of blocks, or contacts, for one thread | bench/piles -c threads */
#define BEAMS_LIMIT                   10.0   /* rad^2 | in a step, squared: modes beyond are not resolved | tests/formulate, tests/world */
#define BEAMS_HELD                    1e3    /* factor | times the beam's mass: added to a station that a joint holds | tests/formulate, tests/world */
#define BEAMS_GIVE                    1e-6   /* 1 | compliance of a held row, relative; the smaller, the fewer digits its beam has | tests/formulate, tests/world */
#define BODIES_BLOCK_COUPLINGS        8      /* dofs | load couplings that one block acts on at most | tests/formulate, tests/world */
#define BODIES_GRAIN                  256    /* blocks | least number of blocks for one thread | bench/piles -c threads */
#define CONTACT_ACTIVATION_MARGIN     1.0001 /* factor | on the speed that gravity and forces give in a step: rounding | tests/formulate, tests/world */
#define CONTACT_ACTIVATION_ROUNDING   1.8e-15 /* share | 8 roundings of the coordinates and arms of a contact: how well its gap is known | tests/world */
#define CONTACT_BIAS_SAME_FLAT        1e-6   /* 1 | trace of the product of projectors: planes that far apart differ | tests/formulate, tests/world */
#define CONTACT_BIAS_DEPENDENT        1e-9   /* share | of the size: pivots below count as zero | tests/formulate, tests/world */
#define CONTACT_BIAS_SIZE_LEAST       1e-12  /* m | least size of a contact's surroundings | tests/formulate, tests/world */
#define CONTACT_FRAME_FLAT            1e-6   /* share | Sine of the angle to the normal below which a direction says nothing about the plane of contact. | tests/formulate, tests/world */
#define CONTACT_RESISTANCE_BEAM_LEVER 0.1    /* share | of a beam's length: least lever of its resistances | tests/formulate, tests/world */
#define CONTACTS_GRAIN                128    /* contacts | least number of contacts for one thread | bench/piles -c threads */
#define DYNAMICS_STIFF                0.1    /* 1 | dt^2 tr(M^-1 K), or dt tr(M^-1 C), above which an element is implicit | tests/formulate, tests/world */
#define DYNAMICS_DECAY                2.0    /* 1 | dt tr(M^-1 C) up to which a step follows a decay: the velocity that explicit steps would turn round | tests/scheme */
#define DYNAMICS_FOLLOWED             4.0    /* 1 | dt^2 tr(M^-1 K) up to which a step follows an oscillation, two steps in 2 rad, where explicit steps end; faster ones are damped | tests/formulate, bench/truth/random_scenes.py */
#define HELD_MOBILITY_BODIES          8      /* bodies | that the joints of a spring's two bodies connect: with more of them some joints are left out, which makes the spring count as faster | tests/formulate, tests/world */
#define HELD_MOBILITY_ROWS            24     /* rows | of joints at most, the same | tests/formulate, tests/world */
#define DYNAMICS_GRAIN                128    /* bodies | least number of bodies for one thread | bench/piles -c threads */
#define DYNAMICS_MOST_TURN            1.0    /* rad | in a step; beyond, no step resolves the motion and the spin stays as it is | tests/formulate, tests/world */
#define DYNAMICS_MIDPOINT_STEPS       20     /* steps | of Newton's method for the midpoint spin at most | tests/formulate, tests/world */
#define DYNAMICS_MIDPOINT_END         1e-13  /* share | of the spin: step of Newton's method at which it ends | tests/formulate, tests/world */
#define DYNAMICS_SPIN_ITERATIONS      100    /* iterations | of the fixed point for the spin at most | tests/formulate, tests/world */
#define DYNAMICS_SPIN_END             1e-14  /* share | of the spin: change at which the fixed point ends | tests/formulate, tests/world */
#define DYNAMICS_SPIN_RESTART         49     /* iterations | after which the fixed point starts again from the midpoint rule | tests/formulate, tests/world */
#define ASP_COUPLING_WEIGHT           2      /* factor | mass of a load coupling over that of its bodies: heavier couples blocks less, lighter shows errors of the load more | tests/formulate, tests/world */
#define DRIVES_NEAR                   0.1    /* share | of the smaller body's reach: contacts farther apart are not asked whether they stand in a drive's way | tests/world */
#define PROJECTION_CLOSED             1e3    /* factor | on the slop, which is 1e-9 of the largest body: a limit so near, and passed by no more in a step, is closed | tests/world */
#define PROJECTION_SOON               0.05   /* share | of an overlap that goes in a step: then it comes apart by itself; less, and hits in a pile add up to deep ones | tests/formulate, tests/world */
#define REDUNDANCY_DEPENDENT          1e-12  /* 1 | squared share of a row that earlier rows leave: below, it follows from them | tests/formulate, tests/world */
#define ROTATION_SUBSTEP              0.1    /* rad | of free rotation by one substep at most: its error is about 1e-5, per radian | tests/formulate, tests/world */
#define ROTATION_LITTLE               0.01   /* rad | up to which a substep is one midpoint step, whose error is a twelfth of the square, per radian: 8e-6 | tests/formulate, tests/world */
#define ROTATION_RESOLVED             0.25   /* rad | turn in a step up to which laws hold for the velocity at its end; from twice that on, for the one in its middle | tests/formulate, tests/world */
#define ROTATION_SUBSTEPS_MOST        1000   /* substeps | of free rotation in a step: beyond 100 rad a step the angle means nothing, the momentum is kept | tests/formulate, tests/world */
#define ROTATION_NEWTON_STEPS         20     /* steps | of Newton's method for the spin of a substep at most | tests/formulate, tests/world */
#define ROTATION_NEWTON_END           1e-8   /* share | of the spin: step of Newton's method after which it ends; the next would have its square, times less than a tenth | tests/formulate, tests/world */
#define ROUNDNESS_NEAR                1e-6   /* share | of the shape's size: so near a face, edge or vertex a point lies on it | tests/formulate, tests/world */
#define TIME_OF_IMPACT_HELD           4.0    /* factor | times the speed of rest: slower, a closed contact without restitution has no instant of impact, and is overlapped by 2 g dt^2 at most | tests/scheme */
#define TIME_OF_IMPACT_SHORTEST       1e-6   /* share | part of the step: a shorter rest counts as this | tests/formulate, tests/world */
#define TIME_OF_IMPACT_TOGETHER       0.05   /* share | part of the step: impacts of connected bodies within it count as one; less, and corners that land together land one after the other | tests/scheme */

#endif
// clang-format on
