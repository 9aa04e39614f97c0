/* The parts of `asperity converge`: which quantities there are, their values at each length of step, and what the
 * differences between lengths say.
 *
 *   y_l     value at the end of a run with steps of dt / 2^l, l = 0 ... L - 1
 *   d_l     |y_(l+1) - y_l|
 *   p       order: d_l falls like 2^(-p l)
 *   y*      y_(L-1) + (y_(L-1) - y_(L-2)) / (2^p - 1): Richardson's extrapolation to dt = 0
 */
#ifndef CLI_CONVERGE_H
#define CLI_CONVERGE_H

#include "simulate.h"

#define CONVERGE_LEVELS_MIN     3
#define CONVERGE_LEVELS_MAX     12
#define CONVERGE_LEVELS_DEFAULT 4

/* ---- quantities (converge_quantity.c) ---- */

typedef enum QuantityOwner { OWNER_SCENE, OWNER_BODY, OWNER_JOINT } QuantityOwner;

/* One number of a run: "ball.position.x", "hinge.coordinate", "energy.total". */
typedef struct Quantity {
  QuantityOwner owner;
  int index;             /* of the body or joint */
  int kind;              /* row of the table of kinds */
  int part;              /* component */
  const char *kind_name; /* "position" */
  const char *part_name; /* "x"; NULL: the only one */
  const char *unit;
  char name[160];
} Quantity;

/* What is summed over the steps of a run. */
typedef struct ConvergeSums {
  AspEnergyFlow flow;
  AspVec3 *impulse; /* bodies: of all contacts, N s */
} ConvergeSums;

typedef struct Quantities {
  Quantity *list;
  size_t capacity;
  int count;
} Quantities;

/* The quantities that `output` chooses (NULL: positions, orientations and energies). Returns EXIT_DONE or the code of
 * the mistake it reported. */
int quantities_choose(const Session *session, const AspModel *model, const char *output, Quantities *chosen);
void quantities_destroy(Quantities *quantities);
/* Its value at the present state of a world. */
double quantity_value(const Quantity *quantity, const AspWorld *world, const ConvergeSums *sums);
/* What it is in a scene of this mass (kg) that moves over this length (m) in this time (s). */
double quantity_natural_size(const Quantity *quantity, double mass, double length, double time);
/* The quantities that a help text may name. */
#define QUANTITY_KINDS                                                                                                 \
  "of bodies: position, orientation, velocity, angular_velocity, contact_force, contact_torque,\n"                     \
  "contact_impulse; of joints: coordinate, rate, force, torque, friction, motor, limit; of the scene:\n"               \
  "energy, flow"

/* ---- runs (converge_run.c) ---- */

typedef struct ConvergeLevel {
  double dt;         /* s */
  bool done;         /* ran to the end */
  char message[256]; /* why not */
  SimulationSummary summary;
  double none_at, several_at, impulse_at; /* s: first step without finite forces, with several solutions, with an
                                             impulse without collision; NaN: none */
  double *value;                          /* quantities */
  double *track;                          /* samples x bodies x CONVERGE_POINTS */
} ConvergeLevel;

/* Per body: its centre of mass and two points at the radius of gyration, so that turning shows as a way, m. */
#define CONVERGE_POINTS 9

typedef struct Converge {
  const AspScene *scene;
  Quantities quantities;
  int level_count;
  ConvergeLevel level[CONVERGE_LEVELS_MAX];
  int sample_count;
  double *sample_time; /* s: on the grid of the longest step, the end included */
} Converge;

/* All levels, longest step first; those that fail say why. Returns EXIT_DONE, 128 + signal, or the code of a failure
 * it reported. */
int converge_run(const Session *session, Converge *converge);
void converge_destroy(Converge *converge);

/* ---- what the differences say (converge_judge.c) ---- */

typedef enum ConvergeState {
  CONVERGE_REGULAR,   /* differences fall at a steady rate: extrapolated */
  CONVERGE_IRREGULAR, /* they fall, but not steadily: the finest value stands, with a wider error bar */
  CONVERGE_SETTLED,   /* no differences beyond the tolerance of the steps */
  CONVERGE_NONE,      /* they do not fall */
  CONVERGE_STATES
} ConvergeState;
extern const char *const converge_state_names[];

typedef struct ConvergeRow {
  const Quantity *quantity;
  double value[CONVERGE_LEVELS_MAX]; /* of the levels that ran to the end */
  double scale; /* largest value of its kind, or what is natural for it in the scene, in its unit */
  ConvergeState state;
  double order;        /* NaN: none */
  double extrapolated; /* NaN: none */
  double error;        /* half width of its error bar; NaN: none */
} ConvergeRow;

typedef struct ConvergeVerdict {
  ConvergeRow *row; /* quantities */
  int row_count;
  int levels;                     /* that ran to the end */
  double dt[CONVERGE_LEVELS_MAX]; /* theirs, s */
  int missing;                    /* rows that do not converge */
  bool motion_lost;               /* positions do not converge up to the end */
  double until;                   /* s: they do up to here */
  char reason[400];               /* why not; empty: all converge */
  bool converged;                 /* every row, and every step is certified */
  long long uncertified;          /* steps of all levels */
} ConvergeVerdict;

/* False: out of memory. */
bool converge_judge(const Converge *converge, ConvergeVerdict *verdict);
void converge_verdict_destroy(ConvergeVerdict *verdict);
/* Order and state of one sequence of values, longest step first; `floor`: differences this small may be those of the
 * solver. */
void converge_judge_row(ConvergeRow *row, int levels, double floor);

/* Differences between levels over dt, each relative to the size of its kind, as SVG. */
int converge_plot(const Session *session, const ConvergeVerdict *verdict, const char *title, const char *path);

#endif
