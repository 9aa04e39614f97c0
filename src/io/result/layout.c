/* The layout of result files: the tables that grow with the run. What stands still is in describe.c. */
#include "io/result/layout.h"
#include "linalg/dimension.h"

static const ResultColumn frame_columns[FRAME_COLUMNS] = {
    [FRAME_STEP] = {"/frames/step", "", "number of the step that ends here; 0: initial state", RESULT_LONG, 0, {0}},
    [FRAME_TIME] = {"/frames/time", "s", "time", RESULT_REAL, 0, {0}},
    [FRAME_Q] = {"/frames/q",
                 "m, 1",
                 "position of the centre of mass; orientation as unit quaternion w, x, y, z",
                 RESULT_REAL,
                 2,
                 {0, 7}},
    [FRAME_V] = {"/frames/v",
                 "m/s, rad/s",
                 "velocity of the centre of mass; angular velocity; world axes",
                 RESULT_REAL,
                 2,
                 {0, 6}},
    [FRAME_CONTACT_FORCE] = {"/frames/contact_force",
                             "N",
                             "of all contacts on the body, mean of the step, world axes",
                             RESULT_REAL,
                             2,
                             {0, 3}},
    [FRAME_CONTACT_TORQUE] = {"/frames/contact_torque",
                              "N m",
                              "of all contacts on the body about its centre of mass, mean of the step, world axes",
                              RESULT_REAL,
                              2,
                              {0, 3}},
    [FRAME_CONTACT_START] = {"/contacts/start", "", "first row of this frame's contacts", RESULT_LONG, 0, {0}},
    [FRAME_CONTACT_COUNT] = {"/contacts/count", "", "number of this frame's contacts", RESULT_INT, 0, {0}},
    [FRAME_BEAM_Q] = {"/beams/q",
                      "m, 1",
                      "coordinates of all beams: control points; in space per node position and unit quaternion",
                      RESULT_REAL,
                      1,
                      {0}},
    [FRAME_BEAM_V] =
        {"/beams/v", "m/s, rad/s", "velocities of the same; in space per node linear and angular", RESULT_REAL, 1, {0}},
    [FRAME_BEAM_LINE] = {"/beams/line",
                         "m",
                         "centrelines: for each beam equally many points from start to end, world",
                         RESULT_REAL,
                         2,
                         {0, 3}},
    [FRAME_INPUT] = {RESULT_INPUT_VALUE,
                     "s, 1, 1/s, 1/s^2",
                     "inputs: set when, to which value, rate and acceleration; events and switched joints too",
                     RESULT_REAL,
                     2,
                     {0, RESULT_INPUT_WIDTH}},
    [FRAME_SURFACE_VELOCITY] =
        {RESULT_SURFACES "/velocity",
         "m/s",
         "of moving surfaces against their bodies, in the body's frame; 2D: x is along the surface",
         RESULT_REAL,
         2,
         {0, 3}},
    [FRAME_SURFACE_SPIN] = {RESULT_SURFACES "/spin",
                            "rad/s",
                            "of the same, about the origin of the shape's frame",
                            RESULT_REAL,
                            2,
                            {0, 3}},
    [FRAME_FORCE_VALUE] = {RESULT_FORCES "/value",
                           "N or N m",
                           "of forces and torques, world axes; springs and drags: 0",
                           RESULT_REAL,
                           2,
                           {0, 3}},
    [FRAME_JOINT_COORDINATE] =
        {"/joints/coordinate", "rad or m", "of revolute and prismatic joints, else 0", RESULT_REAL, 1, {0}},
    [FRAME_JOINT_RATE] = {"/joints/rate", "rad/s or m/s", "of the coordinate", RESULT_REAL, 1, {0}},
    [FRAME_JOINT_FORCE] = {"/joints/force",
                           "N",
                           "on body B, world axes: conditions; several coordinates: friction too",
                           RESULT_REAL,
                           2,
                           {0, 3}},
    [FRAME_JOINT_TORQUE] = {"/joints/torque", "N m", "the same, at the joint's point", RESULT_REAL, 2, {0, 3}},
    [FRAME_JOINT_FRICTION] = {"/joints/friction", "N m or N", "dry friction along the coordinate", RESULT_REAL, 1, {0}},
    [FRAME_JOINT_MOTOR] =
        {"/joints/motor", "N m or N", "motor or prescribed motion, along the coordinate", RESULT_REAL, 1, {0}},
    [FRAME_JOINT_LIMIT] = {"/joints/limit", "N m or N", "limits, along the coordinate", RESULT_REAL, 1, {0}},
    [FRAME_JOINT_DRIFT] = {"/joints/drift", "m or rad", "largest violation of its conditions", RESULT_REAL, 1, {0}},
    [FRAME_JOINT_INSTANT_FORCE] =
        {"/joints/instant_force", "N", "as force, at the end of the step; NaN: not known", RESULT_REAL, 2, {0, 3}},
    [FRAME_JOINT_INSTANT_TORQUE] =
        {"/joints/instant_torque", "N m", "as torque, at the end of the step", RESULT_REAL, 2, {0, 3}},
    [FRAME_JOINT_INSTANT_EFFORT] =
        {"/joints/instant_effort", "N m or N", "friction, motor, limit at the end", RESULT_REAL, 2, {0, 3}},
};

int asp_result_input_count(const AspModel *model) {
  int count = 0;
  for (int i = 0; i < asp_model_input_count(model); i++)
    count += asp_model_input_is_memory(model, i);
  return count;
}

int asp_result_input(const AspModel *model, int index) {
  int input = 0;
  while (!asp_model_input_is_memory(model, input) || index-- > 0)
    input++;
  return input;
}

static void make_single(ResultColumn *columns, int count) {
  for (int i = 0; i < count; i++)
    if (columns[i].type == RESULT_REAL)
      columns[i].type = RESULT_SINGLE;
}

void asp_result_filter_contacts(const ResultFilter *filter, ResultColumn columns[CONTACT_COLUMNS]) {
  memcpy(columns, asp_result_contact_columns, sizeof asp_result_contact_columns);
  if (filter->single)
    make_single(columns, CONTACT_COLUMNS);
}

void asp_result_frame_columns(const AspModel *model, const ResultFilter *filter, ResultColumn columns[FRAME_COLUMNS]) {
  memcpy(columns, frame_columns, sizeof frame_columns);
  int dimension = asp_model_dimension(model);
  columns[FRAME_Q].shape[0] = columns[FRAME_V].shape[0] = (hsize_t)filter->count;
  if (filter->single) {
    make_single(columns, FRAME_COLUMNS);
    columns[FRAME_TIME].type = RESULT_REAL;
  }
  columns[FRAME_CONTACT_FORCE].shape[0] = columns[FRAME_CONTACT_TORQUE].shape[0] = columns[FRAME_Q].shape[0];
  if (dimension == 2) {
    columns[FRAME_Q].shape[1] = columns[FRAME_V].shape[1] = 3;
    columns[FRAME_Q].unit = "m, m, rad";
    columns[FRAME_Q].text = "position of the centre of mass; angle";
    columns[FRAME_V].unit = "m/s, m/s, rad/s";
    columns[FRAME_V].text = "velocity of the centre of mass; angular velocity";
  }
  int bodies = asp_model_body_count(model);
  columns[FRAME_BEAM_Q].shape[0] = (hsize_t)(asp_model_q_size(model) - asp_body_positions(dimension) * bodies);
  columns[FRAME_BEAM_V].shape[0] = (hsize_t)(asp_model_v_size(model) - asp_body_velocities(dimension) * bodies);
  columns[FRAME_BEAM_LINE].shape[0] = (hsize_t)(RESULT_LINE_POINTS * asp_model_beam_count(model));
  columns[FRAME_INPUT].shape[0] = (hsize_t)asp_result_input_count(model);
  columns[FRAME_SURFACE_VELOCITY].shape[0] = columns[FRAME_SURFACE_SPIN].shape[0] =
      (hsize_t)asp_model_surface_count(model);
  columns[FRAME_FORCE_VALUE].shape[0] = (hsize_t)asp_model_force_count(model);
  for (int i = FRAME_JOINT_COORDINATE; i < FRAME_COLUMNS; i++)
    columns[i].shape[0] = (hsize_t)asp_model_joint_count(model);
}

const ResultColumn asp_result_contact_columns[CONTACT_COLUMNS] = {
    [CONTACT_BODY] = {"/contacts/body", "", "bodies A and B", RESULT_INT, 1, {2}},
    [CONTACT_SHAPE] = {"/contacts/shape", "", "shapes of A and B", RESULT_INT, 1, {2}},
    [CONTACT_FEATURE] = {"/contacts/feature", "", "which point of the pair; persists over steps", RESULT_WORD, 0, {0}},
    [CONTACT_POINT] = {"/contacts/point", "m", "where the wrench acts on both bodies, world", RESULT_REAL, 1, {3}},
    [CONTACT_NORMAL] = {"/contacts/normal", "1", "unit, from A to B, world", RESULT_REAL, 1, {3}},
    [CONTACT_T1] = {"/contacts/t1", "1", "unit tangent, world; t2 = normal x t1", RESULT_REAL, 1, {3}},
    [CONTACT_GAP] = {"/contacts/gap", "m", "at the start of the step; negative: penetration", RESULT_REAL, 0, {0}},
    [CONTACT_SLIP] = {"/contacts/slip",
                      "m/s",
                      "velocity of B relative to A in normal, t1, t2 at the end of the step",
                      RESULT_REAL,
                      1,
                      {3}},
    [CONTACT_IMPULSE] =
        {"/contacts/impulse", "N s", "on B in normal, t1, t2, with impacts in the step", RESULT_REAL, 1, {3}},
    [CONTACT_FORCE] = {"/contacts/force", "N", "on B at the point, mean of the step, world axes", RESULT_REAL, 1, {3}},
    [CONTACT_MOMENT] = {"/contacts/moment",
                        "N m s",
                        "on B about normal (spinning), t1, t2 (rolling; 2D: z in place of t1)",
                        RESULT_REAL,
                        1,
                        {3}},
    [CONTACT_MU] = {"/contacts/mu", "1", "coefficient of friction", RESULT_REAL, 0, {0}},
    [CONTACT_MODE] = {"/contacts/mode", "", "open, stick or slide; see the attribute names", RESULT_BYTE, 0, {0}},
    [CONTACT_INSTANT_FORCE] = {"/contacts/instant_force",
                               "N",
                               "on B at the end of the step, world axes; NaN: not known",
                               RESULT_REAL,
                               1,
                               {3}},
};

const ResultColumn asp_result_step_columns[STEP_COLUMNS] = {
    [STEP_TIME] = {"/certificate/time", "s", "end of the step; row i belongs to step i + 1", RESULT_REAL, 0, {0}},
    [STEP_DT] = {"/certificate/dt", "s", "length of the step", RESULT_REAL, 0, {0}},
    [STEP_CERTIFIED] =
        {"/certificate/certified", "", "1: the claimed law is met within the tolerance", RESULT_BYTE, 0, {0}},
    [STEP_STATUS] = {"/certificate/status", "", "of the solver; see the attribute names", RESULT_BYTE, 0, {0}},
    [STEP_METHOD] = {"/certificate/method", "", "that gave the answer; see the attribute names", RESULT_BYTE, 0, {0}},
    [STEP_ITERATIONS] = {"/certificate/iterations", "", "of the solver", RESULT_INT, 0, {0}},
    [STEP_ATTEMPTS] = {"/certificate/attempts", "", "solves it took; 1: no retry", RESULT_INT, 0, {0}},
    [STEP_E1] =
        {"/certificate/E1", "1", "natural map with rho = 1, relative to the largest of q, u, r", RESULT_REAL, 0, {0}},
    [STEP_E2] = {"/certificate/E2", "1", "unit-free natural map; what the tolerance is about", RESULT_REAL, 0, {0}},
    [STEP_E3] = {"/certificate/E3", "1", "the same relative to the data alone", RESULT_REAL, 0, {0}},
    [STEP_EXACT] = {"/certificate/exact", "1", "E2 against the exact cone of friction", RESULT_REAL, 0, {0}},
    [STEP_CONTACT] =
        {"/certificate/contact", "1", "worst contact, relative to the mean normal reaction", RESULT_REAL, 0, {0}},
    [STEP_PENETRATION] = {"/certificate/penetration", "m", "deepest at the start of the step", RESULT_REAL, 0, {0}},
    [STEP_JOINT_DRIFT] = {"/certificate/joint_drift",
                          "m or rad",
                          "largest violation of a joint at the end of the step",
                          RESULT_REAL,
                          0,
                          {0}},
    [STEP_CONTACTS] = {"/certificate/contacts", "", "contacts in the problem", RESULT_INT, 0, {0}},
    [STEP_BLOCKS] = {"/certificate/blocks", "", "laws in the problem", RESULT_INT, 0, {0}},
    [STEP_ALTERNATIVES] =
        {"/certificate/alternatives", "", "solutions of the step's problem; 0: not decided", RESULT_INT, 0, {0}},
    [STEP_INSTANT_SOLUTIONS] = {"/certificate/instant_solutions",
                                "",
                                "solutions in accelerations at the start of the step; -1: not known",
                                RESULT_INT,
                                0,
                                {0}},
    [STEP_IMPULSE] = {"/certificate/impulse_without_collision",
                      "",
                      "1: an impulse where nothing collides and no finite forces would do",
                      RESULT_BYTE,
                      0,
                      {0}},
    [STEP_RESOLVED] =
        {"/resolution/resolved", "", "1: no measure of resolution exceeds its threshold", RESULT_BYTE, 0, {0}},
    [STEP_MEASURES] = {"/resolution/measures",
                       "1 or rad",
                       "measures of resolution, in the order of /resolution/name; NaN: does not apply",
                       RESULT_REAL,
                       1,
                       {ASP_MEASURE_COUNT}},
    [STEP_LOAD_SHARING] = {"/certificate/load_sharing",
                           "",
                           "redundant contacts that slide: 1: share their load by the rule, -1: as the solver left it; "
                           "0: none",
                           RESULT_INT,
                           0,
                           {0}},
};

const ResultColumn asp_result_energy_columns[ENERGY_COLUMNS] = {
    [ENERGY_TIME] = {"/energy/time", "s", "row 0: initial state, row i: end of step i", RESULT_REAL, 0, {0}},
    [ENERGY_KINETIC] = {"/energy/kinetic", "J", "kinetic energy", RESULT_REAL, 0, {0}},
    [ENERGY_GRAVITATIONAL] = {"/energy/gravitational", "J", "potential of gravity", RESULT_REAL, 0, {0}},
    [ENERGY_ELASTIC] = {"/energy/elastic", "J", "in springs", RESULT_REAL, 0, {0}},
    [ENERGY_MOTORS] = {"/energy/motors", "J", "given in the step by motors and prescribed motion", RESULT_REAL, 0, {0}},
    [ENERGY_FORCES] =
        {"/energy/forces", "J", "given in the step by the scene's forces and torques", RESULT_REAL, 0, {0}},
    [ENERGY_FRICTION] = {"/energy/friction", "J", "taken in the step by friction in contacts", RESULT_REAL, 0, {0}},
    [ENERGY_IMPACTS] =
        {"/energy/impacts", "J", "taken in the step by normal impulses of contacts and limits", RESULT_REAL, 0, {0}},
    [ENERGY_JOINTS] = {"/energy/joints", "J", "taken in the step by dry friction in joints", RESULT_REAL, 0, {0}},
    [ENERGY_DAMPING] = {"/energy/damping", "J", "taken in the step by dampers", RESULT_REAL, 0, {0}},
    [ENERGY_REMAINDER] = {"/energy/remainder",
                          "J",
                          "change of energy in the step that nothing of the above explains",
                          RESULT_REAL,
                          0,
                          {0}},
    [MOMENTUM_LINEAR] = {"/momentum/linear", "kg m/s", "momentum of all bodies", RESULT_REAL, 1, {3}},
    [MOMENTUM_ANGULAR] =
        {"/momentum/angular", "kg m^2/s", "angular momentum of all bodies about the origin", RESULT_REAL, 1, {3}},
    [MOMENTUM_LINEAR_REMAINDER] = {"/momentum/linear_remainder",
                                   "kg m/s",
                                   "its change in the step that impulses from outside do not explain",
                                   RESULT_REAL,
                                   1,
                                   {3}},
    [MOMENTUM_ANGULAR_REMAINDER] = {"/momentum/angular_remainder",
                                    "kg m^2/s",
                                    "its change in the step that impulses from outside do not explain",
                                    RESULT_REAL,
                                    1,
                                    {3}},
};

hid_t asp_result_committed_type(void) {
  static const char *const names[TABLE_COUNT] = {"frames", "contacts", "steps", "energy", "probes"};
  hid_t type = H5Tcreate(H5T_COMPOUND, sizeof(ResultCommitted));
  for (int i = 0; i < TABLE_COUNT; i++)
    H5Tinsert(type, names[i], HOFFSET(ResultCommitted, rows) + (size_t)i * sizeof(int64_t), H5T_STD_I64LE);
  H5Tinsert(type, "complete", HOFFSET(ResultCommitted, complete), H5T_STD_I64LE);
  return type;
}
