/* Tuning numbers of src/world: name, value, unit, what it is and trades, where it was measured or what guards it. One
 * row per number; docs/reference/tuning.md is made of them. Depends on nothing. */
// clang-format off
#ifndef ASP_WORLD_TUNING_WORLD_H
#define ASP_WORLD_TUNING_WORLD_H

#define ACCURACY_EFFORT             0.25   /* share | of what is left of a step's effort that one length may use before the last | tests/world/test_accuracy.c */
#define ACCURACY_SMOOTH             0.5    /* share | of the asked accuracy that smooth motion may take, the rest is for events | bench/accuracy */
#define ACCURACY_EVENT              0.0625 /* share | of what is left for events that one step may take: never all of it | bench/accuracy */
#define ACCURACY_SPENT              1e-4   /* share | left for events at which more than was asked is allowed, and reported | bench/accuracy */
#define ACCURACY_SAFETY             0.8    /* factor | on the length at which a step would just take what is meant for it | bench/accuracy */
#define ACCURACY_GROWTH             4.0    /* factor | on the length from one step to the next at most | bench/accuracy */
#define ACCURACY_SHRINK             0.25   /* factor | the same at least | bench/accuracy */
#define ACCURACY_RETREAT            0.5    /* factor | on a rejected length at most | bench/accuracy */
#define ACCURACY_NOISE              10.0   /* factor | times the tolerance of the solves, of the speed: differences that say nothing about the length | bench/accuracy */
#define ACCURACY_SHORT              1e-4   /* share | of what is asked, that the shortest step may change at the end of the run | bench/accuracy */
#define ACCURACY_SHORTEST           1e-9   /* share | of dt: no step is shorter, its motion would be lost in rounding | bench/accuracy */
#define ACCURACY_LONGEST_FLOOR      1e-3   /* share | of dt: slow bodies do not make the shortest step longer | bench/accuracy */
#define ACCURACY_FALLS              0.75   /* factor | on a difference of velocities where the step is halved: it falls, there is a limit | bench/accuracy */
#define ACCURACY_JAM                10.0   /* factor | times what the acceleration of the step before, or gravity, would change: a jump | bench/accuracy */
#define ACCURACY_SWEEPS             24     /* iterations | over the rows that hold velocities: what they leave is counted | bench/accuracy */
#define ACCURACY_HELD               1e-6   /* share | of what the rows hold of a difference of velocities: so little may be left | bench/accuracy */
#define ACCURACY_PROBE_EVERY        16     /* steps | that are short, after which one of full length is tried: micro-bounces end so | bench/accuracy */
#define ACCURACY_PROBE_BELOW        0.1    /* share | of the full length: shorter is short | bench/accuracy */
#define ACCURACY_STICKS             1e-4   /* share | of the friction limit: friction further below it sticks | bench/accuracy */
#define ACCURACY_WINDOW             8      /* steps | after which two motions that differ by the instant of a jump agree again | bench/accuracy */
#define ACCURACY_AGREES             0.25   /* share | of the first difference of velocities: less is agreement | bench/accuracy */
#define BALANCE_CHUNK               1024   /* blocks | blocks, frames or bodies: what is summed in a row, by any thread | tests/world */
#define CONTACT_SEARCH_GRAIN        128    /* bodies | bodies for one thread at least | bench/piles -c threads */
#define CONTACT_SEARCH_STRUCK       0.25   /* share | of the depth that the next step corrects: struck bodies end no deeper | tests/world */
#define CONTACT_SEARCH_FAST         1.25   /* factor | on the way of a step within which contacts are looked for | tests/world */
#define CONTACT_SEARCH_NEAR         1e-3   /* share | of a body's reach: contacts this near are always looked for | tests/world */
#define CONTACT_SEARCH_NEAREST      1e3    /* factor | times the slop: the same for bodies without extent | tests/world */
#define CONTACT_SEARCH_TURN         3.2    /* factor | bound of the angle over the quaternion's vector part (pi, rounded up) | tests/world */
#define DRIVES_AHEAD                1.25   /* factor | times dt: how far drives are followed, since what they meet at the very end of a step makes its velocities impossible | tests/world */
#define DRIVES_SWEEPS               40     /* sweeps | of projections that look for velocities that agree with the drives, before a linear program decides | tests/world */
#define DRIVES_FEW                  80     /* rows | of a set of connected ones that is decided in every step | tests/world */
#define DRIVES_MOST                 400    /* rows | of a set that is decided at all: about 0.2 s | tests/world */
#define DRIVES_LONGEST_REST         64     /* steps | before a larger set is decided again at most | tests/world */
#define DRIVES_FARTHEST             1e4    /* factor | times the largest speed: velocities that a witness must rule out | tests/world */
#define DRIVES_SLOW                 1e-4   /* share | of the drives' speed: overlaps that grow more slowly are left to the step | tests/world */
#define DRIVES_CONTRADICT           0.05   /* share | the same of drives that contradict each other through joints alone, which drift | tests/world */
#define DRIVES_PART                 1e-6   /* share | of the witness' largest force: rows with less take no part | tests/world */
#define DRIVEN_PAIRS_MOST           64     /* instants | of a step at which prescribed bodies are looked for in each other | tests/world/drives */
#define DRIVES_NAMED                4      /* names | of drives, and of what they meet, in the message | tests/world */
#define CONTACT_SEARCH_BESIDE       100    /* factor | on the slop: contacts this far apart, the height of edges that count as flush, are looked at beside overlaps | tests/world */
#define CONTACT_SEARCH_MANIFOLD      1e-2   /* share | of a fast body's reach: so near the contacts of a closed pair are completed at the end of the step | bench/seams/tiles.py */
#define INITIAL_OVERLAPS_NAMED      5      /* pairs | of bodies that overlap at the start are named, the deepest first | tests/world */
#define INSTANT_PROBLEM_CLOSED      1e3    /* share | in units of the slop (1e-9 of the largest body) | tests/world */
#define INSTANT_PROBLEM_REST        1e-7   /* share | of the largest speed, or of the speed of a fall through the largest body | tests/world */
#define LOCATE_ERROR                0.01   /* share | of a body's size and way: the error that counts as small, as in resolution | bench/truth/random_scenes.py */
#define LOCATE_BODIES               64     /* bodies | that forces move, at most: with more there is an event in every step, and halving all of it would be slow | bench/piles */
#define LOCATE_SHORTEST             0.03125 /* share | of dt: no shorter steps for events | bench/truth/random_scenes.py */
#define LOCATE_SHORTEST_CUT         9.765625e-4 /* share | of dt: no shorter steps that end at an instant read off the solution | tests/world/locate */
#define LOCATE_CUTS                 0.1    /* share | of `locate`: errors of velocities that such a step avoids count from here on, since it costs one solve | tests/world/locate */
#define LIFT_OFF_LOOK               0.125  /* share | of a step that is made first where a closed contact opens of which nothing is known | bench/truth/loads_known.py */
#define LIFT_OFF_PARTING            0.5    /* share | of the speed at which a contact opens: one that had more of it at the start was opening already | bench/truth/loads_known.py */
#define LOCATE_NEAR                 3.0    /* cuts | of the shortest length: an impact no later than this is the next part, made up to behind it | tests/world/locate */
#define LOCATE_CUTS_MOST            24     /* steps | that end at an instant, in one of dt; n times LOCATE_FEW bodies: n^2 times fewer. Walls and heaps have impacts in a row, and must not become much slower | scenes/gallery/brick-wall.json */
#define LOCATE_BEHIND               1.00390625 /* factor | on the time to an instant: what follows begins behind the event | tests/world/locate */
#define LOCATE_LATEST               0.95   /* share | of the step: a later instant is its end | tests/world/locate */
#define LOCATE_CLOSED               1e-3   /* share | of the gap up to which a contact is closed at the start of a step: what opens by less is closed at its end | bench/symmetry */
#define LOCATE_BENDS                0.5    /* share | of the rate of a slip: one that changed by more since the middle of the last step was no smooth one | tests/world/locate */
#define LOCATE_STOPPED              1e-6   /* share | of the slip at the start: less at the end is none | tests/world/locate */
#define LOCATE_HORIZON              128    /* steps | that an error of a velocity is carried on: the same at any time of a run, so that a longer run begins as a shorter one does | bench/truth */
#define LOCATE_KNOWN                8      /* steps | for which smooth motion counts as tested | bench/truth/random_scenes.py */
#define LOCATE_ALIKE                1.25   /* factor | on the change that was tested: a larger one is tested again | bench/truth/random_scenes.py */
#define LOCATE_SLIGHT               10     /* factor | on what is allowed: a larger change is always tested, it may be an event | bench/truth/random_scenes.py */
#define LOCATE_SMOOTH               0.5    /* share | of what is allowed: a tested error below is not tested again | bench/truth/random_scenes.py */
#define LOCATE_FEW                  8.0    /* bodies | that forces move: with n times more, n^3 times fewer solves may be spent on comparisons: each costs n times as much, and n times as many bodies have events | scenes/gallery/brick-wall.json */
#define LOCATE_EFFORT               0.5    /* share | of the effort that a step may count: no more of it is spent on locating. What a solve counts depends on axes and order, so that the limit must be far | bench/symmetry */
#define LOCATE_COST                 2      /* solves | of one comparison with halves | src/world/locate.c */
#define LOCATE_EARNED               16     /* solves | that each step may spend on comparisons: the cost of scenes with events in every step | bench/truth/random_scenes.py */
#define LOCATE_MOST                 200    /* solves | that are saved up: a hundred comparisons | bench/truth/random_scenes.py */
#define CHANGES_MOST                64     /* parts | of a step that end where functions of time change, and changes of one that are looked at for one that counts | bench/truth/loads_known.py */
#define CHANGES_PULSE               0.1    /* share | of the error that counts as small: what a step may misjudge of a load that can act at once | bench/truth/loads_known.py */
#define CHANGES_WAVE                1.0    /* share | the same of one made of sums, products, sines and cosines | scenes/gallery */
#define CHANGES_SHORTEST            1e-9   /* share | of dt: changes nearer to the ends of a step are there | tests/world */
#define SWITCHES_LOOKS              8      /* looks | at functions of the state along the motion of a step | bench/truth/loads_known.py */
#define SWITCHES_JUMP               0.5    /* share | of the change between two looks that is left over a rounding of the step: a jump | bench/truth/loads_known.py */
#define SWITCHES_ASKED             1e-3 /* share | of the asked accuracy that a jump may leave to count | tests/world */
#define SWITCHES_EDGE              1e-3 /* share | of a step at its ends in which a jump is that of a step that ends there | tests/world */
#define CHANGES_BEHIND              64.0   /* roundings | of the time: a jump this near is at the start of a step | tests/world */
#define PIPELINE_PARTS              4      /* factor | on the contacts of a step that room is made for: its parts may have different ones | tests/world/test_world.c */
#define PIPELINE_SMALL_CONTACTS     48     /* contacts | of a trial run: few enough to be a small problem for every scheme | tests/world */
#define PIPELINE_DEEP               1e-3   /* share | of the smaller body\'s reach: an overlap that a step does not make by itself | tests/world */
#define PIPELINE_THROUGH            0.25   /* share | of the smaller width: an overlap that no step should leave | tests/world */
#define PIPELINE_DEPTHS_NAMED       5      /* steps | steps that begin with one are named up to this many | tests/world */
#define PIPELINE_PROJECTIONS        4      /* projections | before a step at most: the next step goes on with what is left | tests/world */
#define PIPELINE_GAINS_NAMED        5      /* impacts | that gain energy and are named | tests/world */
#define PIPELINE_GRAIN              128    /* contacts | contacts for one thread at least | bench/piles -c threads */
#define PIPELINE_WEIGHT_ERROR       1e-3   /* share | of the largest normal force: an error of the balance that is named | tests/world */
#define PIPELINE_TRIAL_ARM          0.1    /* m | arms of the contacts of a trial run | tests/world */
#define PIPELINE_TRIAL_DEPTH        1e-3   /* m | their overlap, so that a projection takes its memory too | tests/world */
#define PIPELINE_TRIAL_SPARE        64     /* entries | memory that is taken beyond the counts | tests/world */
#define RECORDS_GRAIN               128    /* contacts | contacts for one thread at least | bench/piles -c threads */
#define RECORDS_SMALL               10     /* factor | times the tolerance: smaller forces and speeds are none | tests/world */
#define REFINE_STILL                1e-9   /* share | of the body's reach | tests/world */
#define REFINE_FAR                  1e-6   /* share | of the gap: a contact whose points lie otherwise apart was found far ahead of a fast body | tests/world */
#define REFINE_TURN                 0.5    /* rad | turn in a step from which on contacts of flat shapes keep the geometry of its start | tests/world */
#define RETRY_SHORTEST              0.125  /* share | of the asked step | tests/world */
#define RETRY_CONTACTS              4      /* contacts | of a body, about: length of the loops that threads work on | tests/world */
#define RETRY_EFFORT_SHARE          0.5    /* share | of what is left of a step's effort that one attempt may use | tests/world/test_effort.c */
#define RETRY_EFFORT_DOFS           60     /* dofs | of ten bodies: beyond, the effort of a step grows with the square of their number | tests/world/test_effort.c */
#define RETRY_EFFORT_UNIT           1e6    /* operations | unit of the option step_effort | tests/world */
#define RULES_APART                 9.5367431640625e-7 /* share | of dt: how well schemes that step find the instant of an event | tests/io */
#define RULES_MOST                  8      /* steps | within one of dt that end early at events: rules that switch each other on and off would stop the time | tests/io */
#define RULES_ROUNDING              4.0    /* roundings | of time: how well the instant of an event is found | tests/io */
#define RULES_SHORTEST              1e-9   /* share | of a step: shortest one that ends at an event | tests/io */
#define RETRY_ROUNDING              1e-9   /* share | of dt: rounding of times | tests/world */
#define SELECT_MOST_NODES           20000  /* nodes | of a search for all solutions of a step | tests/world */
#define SELECT_STEPS_PER_NODE       4      /* contacts | contacts of which a search found one solution are searched again after these steps | tests/world */
#define SELECT_LONGEST_REST         128    /* steps | before the same contacts are searched again at most | tests/world */
#define SELECT_CHOICES_NAMED        5      /* choices | that are named in warnings | tests/world */
#define SELECT_SOLUTIONS_MOST       100    /* solutions | that a search of a step keeps | tests/world */
#define SHARING_EPS                 1e-2   /* 1 | compliance over that of the bodies: the residual falls by about its inverse per iteration, smaller values leave more to rounding | tests/world */
#define SHARING_ROUNDS              40     /* rounds | of the proximal point iteration at most | tests/world */
#define SHARING_STEPS               60     /* steps | of proximal Newton on one compliant problem at most; they are well-conditioned | tests/world */
#define SHARING_GAIN                0.5    /* share | of the residual that a round must leave at most, or rounding is reached | tests/world */
#define SHARING_STIFFER             10     /* factor | by which compliances become smaller where the residual falls slowly | bench/symmetry */
#define SHARING_LEVELS              7      /* levels | of smaller compliances at most | bench/symmetry */
#define SHARING_NEAR                10     /* factor | times what is asked of the limit: slow progress below it is rounding | bench/symmetry */
#define SHARING_SHARP               1e-3   /* share | of the tolerance to which the limit is taken | tests/world */
#define SHARING_INNER               0.1    /* share | of that for the inner solves | tests/world */
#define SHARING_SHARPEST            1e-13  /* 1 | beyond, rounding decides | tests/world */
#define SHARING_MOST                48     /* blocks | with modes of an island whose loads are shared | tests/world */
#define SHARING_LARGEST             1000   /* blocks | of a step in which loads are shared | tests/world */
#define SHARING_CLOSED              1e-7   /* share | of all velocities: contacts that open more slowly are closed | tests/world */
#define SHARING_SLIDES              1e-6   /* share | of all velocities: contacts that slip more slowly stick | tests/world */
#define STIFF_OMEGA                 300.0  /* rad | frequency of the stiff limit, in radians per step | tests/world */
#define STIFF_MOST_STEPS            200000 /* steps | of the integrator of the stiff limit | tests/world */
#define STIFF_STEP                  0.3    /* rad | of the fastest oscillation in a step of the integrator | tests/world */
#define TURNED_LITTLE               0.02   /* rad | turn in a step from which on bodies may meet before their contacts tell | bench/truth/random_scenes.py */
#define TURNED_FAR                  0.5    /* rad | turn in a step from which on its end is looked at: contacts do not see what comes round | tests/world/shots */
#define UNIQUENESS_MOST             12     /* blocks | with modes of an island that is searched | tests/world */
#define UNIQUENESS_MOST_IN_SPACE    2      /* blocks | the same in space unless a thorough search is asked for | tests/world */
#define UNIQUENESS_AGAIN            8      /* steps | after which the same contacts are tested again | tests/world */
#define UNIQUENESS_SURE             2.0    /* 1 | kappa up to which AGAIN steps do not change the answer | tests/world */
#define UNIQUENESS_MODES            1e-6   /* 1 | of all reactions, of all velocities: smaller is none | tests/world */
#define UNIQUENESS_CHUNK            1024   /* blocks | blocks that are hashed in a row, by any thread | tests/world */
#define WARM_START_FLAT             1e-6   /* share | of the square of the extent: points on a line do not say how to share a moment | tests/world */
#define WARM_START_GRAIN            128    /* blocks | blocks for one thread at least | bench/piles -c threads */
#define WATCH_EPISODES_KEPT         1000   /* episodes | that are kept | tests/world */
#define WATCH_EPISODES_NAMED        5      /* episodes | that are named in warnings | tests/world */
#define WATCH_LARGER                2.0    /* factor | times what finite forces give in the step: an impulse | tests/world */
#define WATCH_ROUNDING              1e-9   /* share | of the largest impulse: rounding of a sum | tests/world */
#define WORLD_SHARP                 1e-2   /* share | of the tolerance: what small problems are brought to | tests/world */
#define WORLD_SHARPEST              1e-12  /* 1 | beyond, rounding decides | tests/world */
#define WORLD_SHARP_STEPS           20     /* steps | of proximal Newton that bring small problems to rounding | tests/world */
#define WORLD_SLOP                  1e-9   /* m | relative to the largest body; bodies without extent count as 1 m | tests/world */
#define WORLD_END                   1e-6   /* share | of dt: so little time left of a run is the rounding of a long sum | tests/cli */

#endif
// clang-format on
