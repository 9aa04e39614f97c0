/* The parts of asp_converge: which quantities there are, the runs, what their differences say. */
#ifndef COMPARE_CONVERGE_H
#define COMPARE_CONVERGE_H

#include "asperity/compare.h"
#include "base/base.h"

/* ---- quantities (quantity.c) ---- */

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

/* The quantities that `output` chooses (NULL: positions, orientations and energies). */
AspError asp_quantities_choose(AspContext *context, const AspModel *model, const char *output, Quantities *chosen);
/* Its value at the present state of a world. */
double asp_quantity_value(const Quantity *quantity, const AspWorld *world, const ConvergeSums *sums);
/* What it is in a scene of this mass (kg) that moves over this length (m) in this time (s). */
double asp_quantity_natural_size(const Quantity *quantity, double mass, double length, double time);

/* ---- runs (levels.c) ---- */

/* What is kept of a run beside what the caller sees. */
typedef struct LevelData {
  double none_at, several_at, impulse_at; /* s: first step without finite forces, with several solutions, with an
                                             impulse without collision; NaN: none */
  double *value;                          /* quantities */
  double *track;                          /* samples x bodies x CONVERGE_POINTS */
} LevelData;

/* Per body: its centre of mass and two points at the radius of gyration, so that turning shows as a way, m. */
#define CONVERGE_POINTS (3 * 3)

typedef struct Converge {
  AspContext *context;
  const AspModel *model;
  const AspRunOptions *run;
  const AspConvergeOptions *options;
  Quantities quantities;
  LevelData level[ASP_CONVERGE_LEVELS_MAX];
  int sample_count;
  double *sample_time; /* s: on the grid of the longest step, the end included */
  AspConvergence *found;
} Converge;

/* All levels, longest step first; those that fail say why. */
AspError asp_converge_run(Converge *converge);

/* ---- what the differences say (order.c) ---- */

AspError asp_converge_conclude(const Converge *converge);

#endif
