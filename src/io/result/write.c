/* Writing a result file while the run goes on.
 *
 * Life of a file: it is begun under PATH.part, gets the description and the initial frame, and takes the place of PATH
 * when that is safely written. From then on PATH can be read at any time after the program died: the rows that count
 * are in /committed, which is written after everything they need (table.h says why the rest stays sound), and a change
 * of structure that was cut off is undone by the next reader (hdf5_driver.h).
 * Metadata are never evicted from HDF5's cache between flushes, so that the file on disk changes at flushes alone.
 */
#include "io/file/hdf5_driver.h"
#include "io/file/hdf5_guard.h"
#include "io/file/text_file.h"
#include "io/file/undo.h"
#include "io/result/layout.h"
#include "io/result/probes.h"
#include "linalg/dimension.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>

#define FLUSH_SECONDS 1.0
#define END_TOLERANCE 1e-6 /* of a step: rounding of the time at the end */

struct AspResultWriter {
  AspContext *context;
  char *path;    /* where the file belongs */
  char *partial; /* where it is begun; NULL once it is in its place */
  AspH5File file;
  ResultTable table[TABLE_COUNT];
  ResultFilter filter;
  bool *chosen; /* per body of the model: its contacts are written */
  AspProbes *probes;
  bool probes_taken;    /* another one destroys them */
  hid_t driver;         /* of the file, 0: not yet */
  hid_t committed;      /* dataset, 0: not yet */
  hid_t committed_type; /* 0: not yet */
  double flushed_at;    /* on the monotonic clock, s */
  int64_t step, framed; /* last step appended, last step with a frame */
  double step_time;     /* of the last step appended, s */
  AspError failed;      /* the first failure; nothing is written after it */
};

/* ---- rows ---- */

static void put_reals(ResultTable *table, int column, const double *values, size_t count) {
  memcpy(asp_table_row(table, column), values, count * sizeof *values);
}
static void put_real(ResultTable *table, int column, double value) { put_reals(table, column, &value, 1); }
static void put_vector(ResultTable *table, int column, AspVec3 a) {
  put_reals(table, column, (const double[]){a.x, a.y, a.z}, 3);
}
static void put_long(ResultTable *table, int column, int64_t value) {
  memcpy(asp_table_row(table, column), &value, sizeof value);
}
static void put_int(ResultTable *table, int column, int value) {
  int32_t stored = value;
  memcpy(asp_table_row(table, column), &stored, sizeof stored);
}
static void put_ints(ResultTable *table, int column, int a, int b) {
  memcpy(asp_table_row(table, column), (const int32_t[]){a, b}, 2 * sizeof(int32_t));
}
static void put_byte(ResultTable *table, int column, int value) {
  *(uint8_t *)asp_table_row(table, column) = (uint8_t)value;
}

/* Energies and momenta; `info` of a step, or of the initial state with zero flow. */
static AspError add_energy(ResultTable *table, const AspStepInfo *info, bool *grown) {
  const AspEnergyFlow *flow = &info->flow;
  ASP_TRY(asp_table_reserve(table, grown));
  put_real(table, ENERGY_TIME, info->t);
  put_real(table, ENERGY_KINETIC, info->energy.kinetic);
  put_real(table, ENERGY_GRAVITATIONAL, info->energy.gravitational);
  put_real(table, ENERGY_ELASTIC, info->energy.elastic);
  put_real(table, ENERGY_MOTORS, flow->motors);
  put_real(table, ENERGY_FORCES, flow->forces);
  put_real(table, ENERGY_FRICTION, flow->friction);
  put_real(table, ENERGY_IMPACTS, flow->impacts);
  put_real(table, ENERGY_JOINTS, flow->joints);
  put_real(table, ENERGY_DAMPING, flow->damping);
  put_real(table, ENERGY_REMAINDER, flow->remainder);
  put_vector(table, MOMENTUM_LINEAR, info->momentum.linear);
  put_vector(table, MOMENTUM_ANGULAR, info->momentum.angular);
  put_vector(table, MOMENTUM_LINEAR_REMAINDER, info->momentum.linear_remainder);
  put_vector(table, MOMENTUM_ANGULAR_REMAINDER, info->momentum.angular_remainder);
  asp_table_next(table);
  return ASP_OK;
}

static AspError add_step(ResultTable *table, const AspStepInfo *info, bool *grown) {
  ASP_TRY(asp_table_reserve(table, grown));
  put_real(table, STEP_TIME, info->t);
  put_real(table, STEP_DT, info->dt);
  put_byte(table, STEP_CERTIFIED, info->certified);
  put_byte(table, STEP_STATUS, (int)info->status);
  put_byte(table, STEP_METHOD, (int)info->method);
  put_int(table, STEP_ITERATIONS, info->iterations);
  put_int(table, STEP_ATTEMPTS, info->attempts);
  put_real(table, STEP_E1, info->residual.E1);
  put_real(table, STEP_E2, info->residual.E2);
  put_real(table, STEP_E3, info->residual.E3);
  put_real(table, STEP_EXACT, info->residual.exact);
  put_real(table, STEP_CONTACT, info->residual.contact);
  put_real(table, STEP_PENETRATION, info->penetration);
  put_real(table, STEP_JOINT_DRIFT, info->joint_drift);
  put_int(table, STEP_CONTACTS, info->contacts);
  put_int(table, STEP_BLOCKS, info->blocks);
  put_int(table, STEP_ALTERNATIVES, info->alternatives);
  put_int(table, STEP_INSTANT_SOLUTIONS, info->instant_solutions);
  put_byte(table, STEP_IMPULSE, info->impulse);
  put_byte(table, STEP_RESOLVED, info->resolved);
  put_reals(table, STEP_MEASURES, info->measure, ASP_MEASURE_COUNT);
  put_int(table, STEP_LOAD_SHARING, info->load_sharing);
  asp_table_next(table);
  return ASP_OK;
}

static AspError add_contact(ResultTable *table, const AspContactRecord *contact, bool *grown) {
  ASP_TRY(asp_table_reserve(table, grown));
  put_ints(table, CONTACT_BODY, contact->body_a, contact->body_b);
  put_ints(table, CONTACT_SHAPE, contact->shape_a, contact->shape_b);
  memcpy(asp_table_row(table, CONTACT_FEATURE), &contact->feature, sizeof contact->feature);
  put_vector(table, CONTACT_POINT, contact->point);
  put_vector(table, CONTACT_NORMAL, contact->normal);
  put_vector(table, CONTACT_T1, contact->t1);
  put_real(table, CONTACT_GAP, contact->gap);
  put_reals(table, CONTACT_SLIP, contact->slip, 3);
  put_reals(table, CONTACT_IMPULSE, contact->impulse, 3);
  put_vector(table, CONTACT_FORCE, contact->force);
  put_reals(table, CONTACT_MOMENT, contact->moment, 3);
  put_real(table, CONTACT_MU, contact->mu);
  put_byte(table, CONTACT_MODE, (int)contact->mode);
  put_vector(table, CONTACT_INSTANT_FORCE, contact->instant_force);
  asp_table_next(table);
  return ASP_OK;
}

/* One number, or three, of every joint. */
static void put_joints(ResultTable *table, const AspJointRecord *joints, int count) {
  double *coordinate = asp_table_row(table, FRAME_JOINT_COORDINATE), *rate = asp_table_row(table, FRAME_JOINT_RATE),
         *force = asp_table_row(table, FRAME_JOINT_FORCE), *torque = asp_table_row(table, FRAME_JOINT_TORQUE),
         *friction = asp_table_row(table, FRAME_JOINT_FRICTION), *motor = asp_table_row(table, FRAME_JOINT_MOTOR),
         *limit = asp_table_row(table, FRAME_JOINT_LIMIT), *drift = asp_table_row(table, FRAME_JOINT_DRIFT);
  for (int i = 0; i < count; i++) {
    const AspJointRecord *joint = &joints[i];
    coordinate[i] = joint->coordinate;
    rate[i] = joint->rate;
    memcpy(force + 3 * i, (const double[]){joint->force.x, joint->force.y, joint->force.z}, 3 * sizeof(double));
    memcpy(torque + 3 * i, (const double[]){joint->torque.x, joint->torque.y, joint->torque.z}, 3 * sizeof(double));
    friction[i] = joint->friction;
    motor[i] = joint->motor;
    limit[i] = joint->limit;
    drift[i] = joint->drift;
  }
}

/* The same at the end of the step. */
static void put_joint_instants(ResultTable *table, const AspJointRecord *joints, int count) {
  double *force = asp_table_row(table, FRAME_JOINT_INSTANT_FORCE),
         *torque = asp_table_row(table, FRAME_JOINT_INSTANT_TORQUE),
         *effort = asp_table_row(table, FRAME_JOINT_INSTANT_EFFORT);
  for (int i = 0; i < count; i++) {
    const AspJointInstant *joint = &joints[i].instant;
    memcpy(force + 3 * i, (const double[]){joint->force.x, joint->force.y, joint->force.z}, 3 * sizeof(double));
    memcpy(torque + 3 * i, (const double[]){joint->torque.x, joint->torque.y, joint->torque.z}, 3 * sizeof(double));
    memcpy(effort + 3 * i, (const double[]){joint->friction, joint->motor, joint->limit}, 3 * sizeof(double));
  }
}

/* What contacts do to each body; nothing at the initial state. */
static void put_totals(ResultTable *table, const AspWrench *totals, const ResultFilter *filter) {
  double *force = asp_table_row(table, FRAME_CONTACT_FORCE), *torque = asp_table_row(table, FRAME_CONTACT_TORQUE);
  for (int i = 0; i < filter->count; i++) {
    const AspWrench *of = &totals[filter->body[i]];
    memcpy(force + 3 * i, (const double[]){of->force.x, of->force.y, of->force.z}, 3 * sizeof *force);
    memcpy(torque + 3 * i, (const double[]){of->torque.x, of->torque.y, of->torque.z}, 3 * sizeof *torque);
  }
}

/* `width` numbers of every recorded body. */
static void put_bodies(ResultTable *table, int column, const double *values, int width, const ResultFilter *filter) {
  double *row = asp_table_row(table, column);
  for (int i = 0; i < filter->count; i++)
    memcpy(row + (size_t)i * (size_t)width, values + (size_t)filter->body[i] * (size_t)width,
           (size_t)width * sizeof *row);
}

/* Coordinates of the beams, which stand behind those of the bodies, and their centrelines. */
static void put_beams(ResultTable *table, const AspModel *model, const AspState *state) {
  int dimension = asp_model_dimension(model);
  size_t bodies = (size_t)asp_model_body_count(model);
  size_t q = (size_t)asp_body_positions(dimension) * bodies, v = (size_t)asp_body_velocities(dimension) * bodies;
  put_reals(table, FRAME_BEAM_Q, state->q + q, (size_t)asp_model_q_size(model) - q);
  put_reals(table, FRAME_BEAM_V, state->v + v, (size_t)asp_model_v_size(model) - v);
  double *line = asp_table_row(table, FRAME_BEAM_LINE);
  for (int beam = 0; beam < asp_model_beam_count(model); beam++)
    for (int i = 0; i < RESULT_LINE_POINTS; i++, line += 3) {
      double s = asp_model_beam_def(model, beam)->length * i / (RESULT_LINE_POINTS - 1);
      AspVec3 x = asp_state_beam_pose(model, state, beam, s).position;
      memcpy(line, (const double[]){x.x, x.y, x.z}, 3 * sizeof *line);
    }
}

static void put_inputs(ResultTable *table, const AspModel *model, const AspState *state) {
  double *at = asp_result_input_count(model) > 0 ? asp_table_row(table, FRAME_INPUT) : NULL;
  for (int i = 0; at && i < asp_model_input_count(model); i++) {
    const AspInput *input = &state->input[i];
    const double row[RESULT_INPUT_WIDTH] = {input->since, input->set.value, input->set.rate, input->set.acceleration};
    if (!asp_model_input_is_memory(model, i))
      continue;
    memcpy(at, row, sizeof row);
    at += RESULT_INPUT_WIDTH;
  }
}

/* Belts and rollers: in the order of /surfaces/shape. */
static void put_surfaces(ResultTable *table, const AspModel *model, const AspState *state) {
  if (!asp_model_has_surfaces(model))
    return;
  double *velocity = asp_table_row(table, FRAME_SURFACE_VELOCITY), *spin = asp_table_row(table, FRAME_SURFACE_SPIN);
  for (int shape = 0; shape < asp_model_shape_count(model); shape++) {
    AspVec3 v, w;
    if (!asp_shape_surface_motion(model, state, shape, &v, &w))
      continue;
    memcpy(velocity, (const double[]){v.x, v.y, v.z}, 3 * sizeof *velocity);
    memcpy(spin, (const double[]){w.x, w.y, w.z}, 3 * sizeof *spin);
    velocity += 3;
    spin += 3;
  }
}

/* Forces and torques of the scene, in the order of /forces/name. */
static void put_forces(ResultTable *table, const AspModel *model, const AspState *state) {
  int count = asp_model_force_count(model);
  double *row = count > 0 ? asp_table_row(table, FRAME_FORCE_VALUE) : NULL;
  for (int i = 0; i < count; i++) {
    AspVec3 F = asp_model_force_now(model, state, i);
    memcpy(row + 3 * (size_t)i, (const double[]){F.x, F.y, F.z}, 3 * sizeof *row);
  }
}

static AspError add_frame(AspResultWriter *writer, const AspWorld *world, int64_t step, bool *grown) {
  ResultTable *frames = &writer->table[TABLE_FRAMES], *contacts = &writer->table[TABLE_CONTACTS];
  const AspModel *model = asp_world_model(world);
  const AspState *state = asp_world_state(world);
  const AspContactRecord *records = asp_world_contacts(world);
  int count = asp_world_contact_count(world);
  int64_t start = (int64_t)contacts->rows;
  int written = 0;
  for (int i = 0; i < count; i++) {
    if (!writer->chosen[records[i].body_a] && !writer->chosen[records[i].body_b])
      continue;
    ASP_TRY(add_contact(contacts, &records[i], grown));
    written++;
  }
  ASP_TRY(asp_table_reserve(frames, grown));
  put_long(frames, FRAME_STEP, step);
  put_real(frames, FRAME_TIME, state->t);
  int dimension = asp_model_dimension(model);
  put_bodies(frames, FRAME_Q, state->q, asp_body_positions(dimension), &writer->filter);
  put_bodies(frames, FRAME_V, state->v, asp_body_velocities(dimension), &writer->filter);
  put_beams(frames, model, state);
  put_inputs(frames, model, state);
  put_surfaces(frames, model, state);
  put_forces(frames, model, state);
  put_totals(frames, asp_world_contact_totals(world), &writer->filter);
  put_long(frames, FRAME_CONTACT_START, start);
  put_int(frames, FRAME_CONTACT_COUNT, written);
  put_joints(frames, asp_world_joints(world), asp_model_joint_count(model));
  put_joint_instants(frames, asp_world_joints(world), asp_model_joint_count(model));
  asp_table_next(frames);
  writer->framed = step;
  return ASP_OK;
}

/* ---- flushing ---- */

static AspError flush_file(AspResultWriter *writer) {
  if (H5Fflush(writer->file.id, H5F_SCOPE_LOCAL) < 0)
    return asp_result_fail(&writer->file, "the file");
  return ASP_OK;
}

/* Rows and structure first, then, when they are on disk, the record that counts them. */
static AspError commit(AspResultWriter *writer, ResultEnd complete) {
  ResultCommitted committed = {.complete = complete};
  for (int i = 0; i < TABLE_COUNT; i++) {
    ASP_TRY(asp_table_write(&writer->table[i]));
    committed.rows[i] = (int64_t)writer->table[i].rows;
  }
  ASP_TRY(flush_file(writer));
  if (H5Dwrite(writer->committed, writer->committed_type, H5S_ALL, H5S_ALL, H5P_DEFAULT, &committed) < 0)
    return asp_result_fail(&writer->file, RESULT_COMMITTED);
  ASP_TRY(flush_file(writer));
  writer->flushed_at = asp_clock_seconds();
  return ASP_OK;
}

/* ---- beginning ---- */

static hid_t access_properties(AspResultWriter *writer) {
  hid_t access = H5Pcreate(H5P_FILE_ACCESS);
  H5AC_cache_config_t cache = {.version = H5AC__CURR_CACHE_CONFIG_VERSION};
  H5Pset_fclose_degree(access, H5F_CLOSE_STRONG);
  H5Pget_mdc_config(access, &cache);
  cache.evictions_enabled = false;
  cache.incr_mode = H5C_incr__off;
  cache.flash_incr_mode = H5C_flash_incr__off;
  cache.decr_mode = H5C_decr__off;
  H5Pset_mdc_config(access, &cache);
  // rows come in blocks of whole chunks: a cache of chunks would only fill memory, up to 1 MB for each column
  H5Pset_cache(access, 0, 0, 0, 0);
  writer->driver = asp_h5_use_driver(access, &(AspH5Driver){.path = writer->path});
  return access;
}

static AspError begin_file(AspResultWriter *writer, const char *path) {
  AspContext *context = writer->context;
  size_t bytes = strlen(path) + sizeof ".part";
  writer->path = asp_copy_text(context, path);
  writer->partial = asp_allocate(context, bytes, 1);
  if (!writer->path || !writer->partial)
    return ASP_ERROR_MEMORY;
  snprintf(writer->partial, bytes, "%s.part", path);
  writer->file.path = writer->path;
  ASP_TRY(asp_h5_check_target(context, path));
  ASP_TRY(asp_h5_check_target(context, writer->partial));
  ASP_TRY(asp_h5_start(context, path));
  hid_t access = access_properties(writer), creation = asp_h5_timeless(H5P_FILE_CREATE);
  writer->file.id = H5Fcreate(writer->partial, H5F_ACC_TRUNC, creation, access);
  AspError error = writer->file.id >= 0 ? ASP_OK : asp_h5_not_created(context, path, writer->partial);
  H5Pclose(creation);
  H5Pclose(access);
  return error;
}

static AspError make_committed(AspResultWriter *writer) {
  hid_t properties = asp_h5_timeless(H5P_DATASET_CREATE), space = H5Screate(H5S_SCALAR);
  H5Pset_alloc_time(properties, H5D_ALLOC_TIME_EARLY);
  writer->committed_type = asp_result_committed_type();
  writer->committed = H5Dcreate2(writer->file.id, RESULT_COMMITTED, writer->committed_type, space, H5P_DEFAULT,
                                 properties, H5P_DEFAULT);
  H5Sclose(space);
  H5Pclose(properties);
  if (writer->committed < 0)
    return asp_result_fail(&writer->file, RESULT_COMMITTED);
  return asp_result_text_attribute(
      &writer->file, RESULT_COMMITTED, "description",
      "rows of each table that are whole; complete = 1: the run reached its end, 2: it was stopped "
      "before");
}

/* What the scene and the options of the run ask to be written. */
static AspError set_filter(AspResultWriter *writer, const AspScene *scene, const AspWorld *world) {
  int bodies = asp_model_body_count(asp_world_model(world)), count = 0;
  int *list = asp_allocate(writer->context, (size_t)bodies + 1, sizeof *list);
  const AspModel *model = asp_world_model(world);
  const bool *recorded = scene ? scene->recorded : NULL;
  writer->chosen = asp_allocate(writer->context, (size_t)bodies + 1, sizeof *writer->chosen);
  writer->filter = (ResultFilter){.body = list, .single = asp_world_options(world)->output_single};
  if (!list || !writer->chosen)
    return ASP_ERROR_MEMORY;
  for (int body = 0; body < bodies; body++) {
    bool kept = !recorded || recorded[body];
    // of those that are always kept (fixed, kinematic) only contacts with chosen ones
    writer->chosen[body] = kept && (!recorded || asp_model_body_kind(model, body) == ASP_BODY_DYNAMIC);
    if (kept)
      list[count++] = body;
  }
  writer->filter.count = count;
  return ASP_OK;
}

/* For readers: which bodies the columns are of, and where the others were at first. */
static AspError describe_filter(const AspResultWriter *writer, const AspWorld *world) {
  static const ResultColumn recorded = {
      RESULT_RECORDED, "", "bodies of the columns q, v, contact_force, contact_torque", RESULT_INT, 0, {0}};
  const AspModel *model = asp_world_model(world);
  int bodies = asp_model_body_count(model), dimension = asp_model_dimension(model);
  ResultColumn initial = {RESULT_INITIAL,
                          dimension == 2 ? "m, m, rad" : "m, 1",
                          "initial q of all bodies",
                          RESULT_REAL,
                          1,
                          {(hsize_t)asp_body_positions(dimension)}};
  if (writer->filter.count == bodies)
    return ASP_OK;
  ASP_TRY(asp_result_array(&writer->file, &recorded, (hsize_t)writer->filter.count, writer->filter.body));
  return asp_result_array(&writer->file, &initial, (hsize_t)bodies, asp_world_state(world)->q);
}

/* mark: of tables that the file has; NULL: new ones. */
static AspError make_tables(AspResultWriter *writer, const AspModel *model, const AspResultMark *mark) {
  enum { BLOCK = 256, MOST = 8192 };
  ResultColumn frames[FRAME_COLUMNS], contact_columns[CONTACT_COLUMNS], probes[PROBE_COLUMNS];
  asp_result_frame_columns(model, &writer->filter, frames);
  asp_result_filter_contacts(&writer->filter, contact_columns);
  asp_result_probe_columns(writer->probes, probes);
  int shapes = asp_model_shape_count(model), contacts = shapes > MOST / 4    ? MOST
                                                        : shapes > BLOCK / 4 ? 4 * shapes
                                                                             : BLOCK;
  const struct {
    const ResultColumn *columns;
    int count, block;
  } tables[TABLE_COUNT] = {[TABLE_FRAMES] = {frames, FRAME_COLUMNS, BLOCK},
                           [TABLE_CONTACTS] = {contact_columns, CONTACT_COLUMNS, contacts},
                           [TABLE_STEPS] = {asp_result_step_columns, STEP_COLUMNS, BLOCK},
                           [TABLE_ENERGY] = {asp_result_energy_columns, ENERGY_COLUMNS, BLOCK},
                           [TABLE_PROBES] = {probes, PROBE_COLUMNS, BLOCK}};
  for (int i = 0; i < TABLE_COUNT; i++) {
    ResultTable *table = &writer->table[i];
    if (i == TABLE_PROBES && asp_probes_count(writer->probes) == 0)
      continue;
    ASP_TRY(mark ? asp_table_open(&writer->file, tables[i].columns, tables[i].count, tables[i].block,
                                  (hsize_t)mark->rows[i], table)
                 : asp_table_create(&writer->file, tables[i].columns, tables[i].count, tables[i].block, table));
  }
  return mark ? ASP_OK : asp_result_name_numbers(&writer->file);
}

static AspError begin(AspResultWriter *writer, const char *path, const AspScene *scene, const AspWorld *world) {
  const AspModel *model = asp_world_model(world);
  const AspState *state = asp_world_state(world);
  bool grown = false;
  ASP_TRY(begin_file(writer, path));
  ASP_TRY(asp_result_reserve(&writer->file, 0));
  ASP_TRY(asp_result_describe(&writer->file, scene, world));
  ASP_TRY(set_filter(writer, scene, world));
  ASP_TRY(describe_filter(writer, world));
  ASP_TRY(asp_probes_create(writer->context, scene, world, &writer->probes));
  ASP_TRY(asp_result_probes_describe(&writer->file, writer->probes));
  ASP_TRY(make_tables(writer, model, NULL));
  ASP_TRY(make_committed(writer));
  AspStepInfo start = {.t = state->t, .energy = asp_model_energy(model, state)};
  asp_model_momentum(model, state, &start.momentum.linear, &start.momentum.angular);
  ASP_TRY(add_energy(&writer->table[TABLE_ENERGY], &start, &grown));
  ASP_TRY(add_frame(writer, world, 0, &grown));
  ASP_TRY(asp_result_probes_add(&writer->table[TABLE_PROBES], writer->probes, state->t, HUGE_VAL, true, &grown));
  ASP_TRY(commit(writer, RESULT_CUT_OFF));
  asp_undo_forget(writer->path);
  if (rename(writer->partial, writer->path) != 0)
    return asp_fail(writer->context, asp_file_error(errno), "%s: %s", path, strerror(errno));
  asp_release(writer->context, writer->partial);
  writer->partial = NULL;
  return ASP_OK;
}

/* Closes what is open and frees the writer; a file that never reached its place is removed. */
static AspError end(AspResultWriter *writer) {
  AspContext *context = writer->context;
  AspError error = ASP_OK;
  for (int i = 0; i < TABLE_COUNT; i++)
    asp_table_close(&writer->table[i]);
  if (!writer->probes_taken)
    asp_probes_destroy(writer->probes);
  if (writer->committed > 0)
    H5Dclose(writer->committed);
  if (writer->committed_type > 0)
    H5Tclose(writer->committed_type);
  if (writer->file.id > 0) {
    asp_result_release(&writer->file);
    if (H5Fclose(writer->file.id) < 0)
      error = asp_result_fail(&writer->file, "the file");
  }
  if (writer->driver > 0)
    H5FDunregister(writer->driver);
  if (writer->partial && writer->file.id > 0)
    remove(writer->partial);
  asp_h5_restore(&writer->file);
  asp_release(context, writer->path);
  asp_release(context, writer->partial);
  asp_release(context, (int *)writer->filter.body);
  asp_release(context, writer->chosen);
  asp_release(context, writer);
  return error;
}

/* ---- going on with a file ---- */

/* What was written at the end of a run that was stopped: it is written again. */
static void remove_ending(const AspResultWriter *writer) {
  static const char *const written[] = {"/warnings",         "/resolution/threshold",
                                        "/resolution/worst", "/resolution/worst_time",
                                        "/resolution/steps", "/resolution/where"};
  for (size_t i = 0; i < sizeof written / sizeof *written; i++)
    if (asp_h5_has(&writer->file, written[i]))
      H5Ldelete(writer->file.id, written[i], H5P_DEFAULT);
  if (H5Aexists_by_name(writer->file.id, "/scene", "stop", H5P_DEFAULT) > 0)
    H5Adelete_by_name(writer->file.id, "/scene", "stop", H5P_DEFAULT);
}

static AspError go_on(AspResultWriter *writer, const char *path, const AspScene *scene, const AspWorld *world,
                      const AspResultMark *mark) {
  writer->path = asp_copy_text(writer->context, path);
  if (!writer->path)
    return ASP_ERROR_MEMORY;
  writer->file.path = writer->path;
  ASP_TRY(asp_undo_recover(writer->context, path));
  ASP_TRY(asp_h5_guard(writer->context, path));
  hid_t access = access_properties(writer);
  writer->file.id = H5Fopen(path, H5F_ACC_RDWR, access);
  H5Pclose(access);
  if (writer->file.id < 0)
    return asp_fail(writer->context, ASP_ERROR_FILE, "%s: cannot be opened to go on with; is it a result?", path);
  ASP_TRY(asp_result_reserve(&writer->file, 0));
  ASP_TRY(asp_probes_create(writer->context, scene, world, &writer->probes));
  ASP_TRY(set_filter(writer, scene, world));
  ASP_TRY(make_tables(writer, asp_world_model(world), mark));
  if (!asp_h5_has(&writer->file, RESULT_COMMITTED))
    return asp_fail(writer->context, ASP_ERROR_INPUT, "%s: " RESULT_COMMITTED " is missing; the result is damaged",
                    path);
  writer->committed = H5Dopen2(writer->file.id, RESULT_COMMITTED, H5P_DEFAULT);
  writer->committed_type = asp_result_committed_type();
  remove_ending(writer);
  writer->step = mark->step;
  writer->framed = mark->framed;
  writer->step_time = mark->step_time;
  return commit(writer, RESULT_CUT_OFF);
}

AspError asp_result_resume(AspContext *context, const char *path, const AspScene *scene, const AspWorld *world,
                           const AspResultMark *mark, AspResultWriter **out) {
  *out = NULL;
  AspResultWriter *writer = asp_allocate(context, 1, sizeof *writer);
  if (!writer)
    return ASP_ERROR_MEMORY;
  writer->context = writer->file.context = context;
  asp_h5_silence(&writer->file);
  AspError error = go_on(writer, path, scene, world, mark);
  if (error != ASP_OK) {
    end(writer);
    return error;
  }
  asp_h5_restore(&writer->file);
  *out = writer;
  return ASP_OK;
}

/* ---- interface ---- */

AspError asp_result_create(AspContext *context, const char *path, const AspScene *scene, const AspWorld *world,
                           AspResultWriter **out) {
  *out = NULL;
  AspResultWriter *writer = asp_allocate(context, 1, sizeof *writer);
  if (!writer)
    return ASP_ERROR_MEMORY;
  writer->context = writer->file.context = context;
  asp_h5_silence(&writer->file);
  AspError error = begin(writer, path, scene, world);
  if (error != ASP_OK) {
    end(writer);
    return error;
  }
  asp_h5_restore(&writer->file);
  *out = writer;
  return ASP_OK;
}

/* Every n-th step; with error control every n-th time of the grid of dt, whatever steps led there. */
static bool is_framed(const AspWorld *world, const AspStepInfo *info) {
  int every = asp_world_options(world)->output_every;
  if (!asp_world_accuracy(world))
    return info->step % every == 0;
  return info->grid > 0 && info->grid % every == 0;
}

static AspError append(AspResultWriter *writer, const AspWorld *world, const AspStepInfo *info) {
  bool grown = false;
  writer->step = info->step;
  writer->step_time = info->t;
  ASP_TRY(add_step(&writer->table[TABLE_STEPS], info, &grown));
  ASP_TRY(add_energy(&writer->table[TABLE_ENERGY], info, &grown));
  bool framed = is_framed(world, info);
  if (framed)
    ASP_TRY(add_frame(writer, world, info->step, &grown));
  asp_probes_update(writer->probes, world);
  ASP_TRY(asp_result_probes_add(&writer->table[TABLE_PROBES], writer->probes, info->t, info->dt, framed, &grown));
  if (grown || asp_clock_seconds() - writer->flushed_at > FLUSH_SECONDS)
    ASP_TRY(commit(writer, RESULT_CUT_OFF));
  return ASP_OK;
}

/* The disk is full: what is in memory still fits into the room that the file has. The message stays that of the
 * failure. */
static void save_rows(AspResultWriter *writer) {
  char *message = asp_copy_text(writer->context, asp_context_message(writer->context));
  commit(writer, RESULT_CUT_OFF);
  if (message)
    asp_fail(writer->context, writer->failed, "%s", message);
  asp_release(writer->context, message);
}

AspError asp_result_append(AspResultWriter *writer, const AspWorld *world, const AspStepInfo *info) {
  if (writer->failed != ASP_OK)
    return asp_fail(writer->context, writer->failed, "%s: not written since an earlier failure", writer->path);
  asp_h5_silence(&writer->file);
  writer->failed = append(writer, world, info);
  if (writer->failed == ASP_ERROR_STORAGE)
    save_rows(writer);
  asp_h5_restore(&writer->file);
  return writer->failed;
}

AspError asp_result_flush(AspResultWriter *writer) {
  if (writer->failed != ASP_OK)
    return asp_fail(writer->context, writer->failed, "%s: not written since an earlier failure", writer->path);
  asp_h5_silence(&writer->file);
  writer->failed = commit(writer, RESULT_CUT_OFF);
  asp_h5_restore(&writer->file);
  return writer->failed;
}

AspProbes *asp_result_take_probes(AspResultWriter *writer) {
  AspProbes *probes = writer->probes_taken ? NULL : writer->probes;
  writer->probes_taken = true;
  return probes;
}

AspError asp_result_mark(AspResultWriter *writer, AspResultMark *mark) {
  ASP_TRY(asp_result_flush(writer));
  *mark = (AspResultMark){.step = writer->step, .framed = writer->framed, .step_time = writer->step_time};
  for (int i = 0; i < TABLE_COUNT; i++)
    mark->rows[i] = (int64_t)writer->table[i].rows;
  return ASP_OK;
}

static const char *warning_text(const void *world, int index) { return asp_world_warning(world, index); }

/* The last state when `output_every` skipped it, the warnings, the tables cut to their length. */
static AspError finish(AspResultWriter *writer, const AspWorld *world) {
  bool grown = false;
  if (writer->framed != writer->step && asp_world_state(world)->t == writer->step_time) {
    ASP_TRY(add_frame(writer, world, writer->step, &grown));
    ASP_TRY(asp_result_probes_add(&writer->table[TABLE_PROBES], writer->probes, writer->step_time, 0, true, &grown));
  }
  ASP_TRY(commit(writer, RESULT_CUT_OFF));
  ASP_TRY(asp_result_texts(&writer->file, "/warnings", "what the run warned of", asp_world_warning_count(world),
                           warning_text, world));
  ASP_TRY(asp_result_write_resolution(&writer->file, world));
  for (int i = 0; i < TABLE_COUNT; i++)
    ASP_TRY(asp_table_trim(&writer->table[i]));
  if (asp_world_stop_reason(world))
    ASP_TRY(asp_result_text_attribute(&writer->file, "/scene", "stop", asp_world_stop_reason(world)));
  const AspRunOptions *options = asp_world_options(world);
  bool ended = asp_world_state(world)->t >= options->until - END_TOLERANCE * options->dt;
  return commit(writer, ended ? RESULT_ENDED : RESULT_STOPPED);
}

AspError asp_result_close(AspResultWriter *writer, const AspWorld *world) {
  if (!writer)
    return ASP_OK;
  asp_h5_silence(&writer->file);
  AspError error = writer->failed;
  if (error == ASP_OK)
    error = finish(writer, world);
  else
    asp_fail(writer->context, error, "%s: incomplete since an earlier failure", writer->path);
  AspError closing = end(writer);
  return error != ASP_OK ? error : closing;
}
