/* Where things lie in a result file: the growing tables, their columns, and the record of what is valid. For users:
 * docs/reference/results.md. Depends on the tables and the world's public header.
 */
#ifndef ASP_IO_RESULT_LAYOUT_H
#define ASP_IO_RESULT_LAYOUT_H

#include "asperity/io.h"
#include "io/result/table.h"

#define RESULT_FORMAT         "asperity result"
#define RESULT_FORMAT_VERSION 1
#define RESULT_COMMITTED      "/committed"
#define RESULT_FORCES         "/forces"
#define RESULT_SURFACES       "/surfaces"
#define RESULT_INPUT_NAME     "/inputs/name"
#define RESULT_INPUT_INITIAL  "/inputs/initial"
#define RESULT_INPUT_VALUE    "/inputs/value"
#define RESULT_INPUT_WIDTH    4 /* since when, value, rate, acceleration */

typedef enum ResultTableName {
  TABLE_FRAMES,
  TABLE_CONTACTS,
  TABLE_STEPS,
  TABLE_ENERGY,
  TABLE_PROBES,
  TABLE_COUNT
} ResultTableName;

_Static_assert(TABLE_COUNT == ASP_RESULT_TABLES, "AspResultMark counts the rows of all tables");

/* How a run came to its end. */
typedef enum ResultEnd {
  RESULT_CUT_OFF, /* the file was not closed: the program died, or the run goes on */
  RESULT_ENDED,   /* at the end of the asked time */
  RESULT_STOPPED  /* before it, by a signal or a failure; the file is whole */
} ResultEnd;

/* How many rows of each table are whole; written in one piece after everything they need. */
typedef struct ResultCommitted {
  int64_t rows[TABLE_COUNT];
  int64_t complete; /* RESULT_CUT_OFF, RESULT_ENDED, RESULT_STOPPED */
} ResultCommitted;

/* HDF5 type of ResultCommitted; the caller closes it. */
hid_t asp_result_committed_type(void);

/* Points of a beam's centreline in a frame, evenly spaced along the unstressed beam, both ends included. */
#define RESULT_LINE_POINTS 33

typedef enum FrameColumn {
  FRAME_STEP,
  FRAME_TIME,
  FRAME_Q,
  FRAME_V,
  FRAME_CONTACT_FORCE,
  FRAME_CONTACT_TORQUE,
  FRAME_CONTACT_START,
  FRAME_CONTACT_COUNT,
  FRAME_BEAM_Q,
  FRAME_BEAM_V,
  FRAME_BEAM_LINE,
  FRAME_INPUT,
  FRAME_SURFACE_VELOCITY,
  FRAME_SURFACE_SPIN,
  FRAME_FORCE_VALUE,
  FRAME_JOINT_COORDINATE,
  FRAME_JOINT_RATE,
  FRAME_JOINT_FORCE,
  FRAME_JOINT_TORQUE,
  FRAME_JOINT_FRICTION,
  FRAME_JOINT_MOTOR,
  FRAME_JOINT_LIMIT,
  FRAME_JOINT_DRIFT,
  FRAME_JOINT_INSTANT_FORCE,
  FRAME_JOINT_INSTANT_TORQUE,
  FRAME_JOINT_INSTANT_EFFORT,
  FRAME_COLUMNS
} FrameColumn;

typedef enum ContactColumn {
  CONTACT_BODY,
  CONTACT_SHAPE,
  CONTACT_FEATURE,
  CONTACT_POINT,
  CONTACT_NORMAL,
  CONTACT_T1,
  CONTACT_GAP,
  CONTACT_SLIP,
  CONTACT_IMPULSE,
  CONTACT_FORCE,
  CONTACT_MOMENT,
  CONTACT_MU,
  CONTACT_MODE,
  CONTACT_INSTANT_FORCE,
  CONTACT_COLUMNS
} ContactColumn;

typedef enum StepColumn {
  STEP_TIME,
  STEP_DT,
  STEP_CERTIFIED,
  STEP_STATUS,
  STEP_METHOD,
  STEP_ITERATIONS,
  STEP_ATTEMPTS,
  STEP_E1,
  STEP_E2,
  STEP_E3,
  STEP_EXACT,
  STEP_CONTACT,
  STEP_PENETRATION,
  STEP_JOINT_DRIFT,
  STEP_CONTACTS,
  STEP_BLOCKS,
  STEP_ALTERNATIVES,
  STEP_INSTANT_SOLUTIONS,
  STEP_IMPULSE,
  STEP_RESOLVED,
  STEP_MEASURES,
  STEP_LOAD_SHARING,
  STEP_COLUMNS
} StepColumn;

typedef enum EnergyColumn {
  ENERGY_TIME,
  ENERGY_KINETIC,
  ENERGY_GRAVITATIONAL,
  ENERGY_ELASTIC,
  ENERGY_MOTORS,
  ENERGY_FORCES,
  ENERGY_FRICTION,
  ENERGY_IMPACTS,
  ENERGY_JOINTS,
  ENERGY_DAMPING,
  ENERGY_REMAINDER,
  MOMENTUM_LINEAR,
  MOMENTUM_ANGULAR,
  MOMENTUM_LINEAR_REMAINDER,
  MOMENTUM_ANGULAR_REMAINDER,
  ENERGY_COLUMNS
} EnergyColumn;

extern const ResultColumn asp_result_contact_columns[CONTACT_COLUMNS], asp_result_step_columns[STEP_COLUMNS],
    asp_result_energy_columns[ENERGY_COLUMNS];
/* Inputs that frames keep, and the i-th of them. */
int asp_result_input_count(const AspModel *model);
int asp_result_input(const AspModel *model, int index);
/* What of a run is written (docs/reference/results.md#less-of-a-run). */
typedef struct ResultFilter {
  const int *body; /* count bodies whose motion is written, ascending */
  int count;
  bool single; /* frames and contacts in single precision */
} ResultFilter;

/* The columns of frames depend on the numbers of bodies and joints. */
void asp_result_frame_columns(const AspModel *model, const ResultFilter *filter, ResultColumn columns[FRAME_COLUMNS]);
/* Those of contacts, in the precision that is asked for. */
void asp_result_filter_contacts(const ResultFilter *filter, ResultColumn columns[CONTACT_COLUMNS]);

/* Where a filter leaves bodies out: those of the columns of frames, and the initial state of all. */
#define RESULT_RECORDED "/frames/bodies"
#define RESULT_INITIAL  "/frames/initial_q"

/* The measures of resolution over the run: threshold, worst value, its time, steps, place (resolution.c). */
AspError asp_result_write_resolution(const AspH5File *file, const AspWorld *world);

/* What the numbers in modes and statuses mean, once the tables exist. */
AspError asp_result_name_numbers(const AspH5File *file);

/* The groups, the model and the options of the run: all that does not change while the run goes on. */
AspError asp_result_describe(const AspH5File *file, const AspScene *scene, const AspWorld *world);

#endif
