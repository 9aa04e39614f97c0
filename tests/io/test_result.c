/* Result files: what is in them is what the world had; CSV and info tell the same. */
#include "result_testing.h"

/* ---- contents ---- */

static void states_steps_and_energies_are_those_of_the_world(void **state) {
  (void)state;
  enum { STEPS = 300 }; // more than one block of rows
  Run run = open_run("four-bar", "result-states.h5", STEPS, 1);
  size_t nq = (size_t)asp_model_q_size(run.scene.model), nv = (size_t)asp_model_v_size(run.scene.model);
  double *q = calloc((STEPS + 1) * nq, 8), *v = calloc((STEPS + 1) * nv, 8), *time = calloc(STEPS + 1, 8),
         *number = calloc(STEPS + 1, 8), *kinetic = calloc(STEPS + 1, 8), *residual = calloc(STEPS, 8),
         *crank = calloc((STEPS + 1) * 4, 8), *certified = calloc(STEPS, 8);
  start_writing(&run);
  for (int i = 0; i <= STEPS; i++) {
    const AspState *now = asp_world_state(run.world);
    AspStepInfo info = {0};
    if (i > 0) {
      assert_ok(run.context, asp_world_step(run.world, &info));
      assert_ok(run.context, asp_result_append(run.writer, run.world, &info));
      residual[i - 1] = info.residual.E2;
      certified[i - 1] = info.certified;
    }
    memcpy(q + (size_t)i * nq, now->q, nq * 8);
    memcpy(v + (size_t)i * nv, now->v, nv * 8);
    time[i] = now->t;
    number[i] = i;
    kinetic[i] = asp_model_energy(run.scene.model, now).kinetic;
    for (int joint = 0; joint < 4; joint++)
      crank[4 * i + joint] = asp_world_joints(run.world)[joint].coordinate;
  }
  close_run(&run);
  hid_t file = open_file(run.path);
  Committed committed = read_committed(file);
  assert_int_equal(committed.frames, STEPS + 1);
  assert_int_equal(committed.steps, STEPS);
  assert_int_equal(committed.energy, STEPS + 1);
  assert_int_equal(committed.contacts, 0);
  assert_int_equal(committed.complete, 1);
  assert_column(file, "/frames/time", STEPS + 1, 1, time);
  assert_column(file, "/frames/step", STEPS + 1, 1, number);
  assert_column(file, "/frames/q", STEPS + 1, nq, q);
  assert_column(file, "/frames/v", STEPS + 1, nv, v);
  assert_column(file, "/energy/kinetic", STEPS + 1, 1, kinetic);
  assert_column(file, "/energy/time", STEPS + 1, 1, time);
  assert_column(file, "/certificate/time", STEPS, 1, time + 1);
  assert_column(file, "/certificate/E2", STEPS, 1, residual);
  assert_column(file, "/certificate/certified", STEPS, 1, certified);
  assert_column(file, "/joints/coordinate", STEPS + 1, 4, crank);
  H5Fclose(file);
  remove_run(run.path);
  double *arrays[] = {q, v, time, number, kinetic, residual, crank, certified};
  for (int i = 0; i < 8; i++)
    free(arrays[i]);
}

static void contacts_of_each_frame_are_found_by_start_and_count(void **state) {
  (void)state;
  enum { STEPS = 100, MOST = 10000 };
  Run run = open_run("block-on-slope-27", "result-contacts.h5", STEPS, 1);
  double *count = calloc(STEPS + 1, 8), *first = calloc(STEPS + 1, 8), *impulse = calloc(MOST, 8),
         *bodies = calloc(MOST, 8), *mode = calloc(MOST, 8), *point = calloc(MOST, 8);
  size_t total = 0;
  start_writing(&run);
  for (int i = 1; i <= STEPS; i++) {
    step(&run);
    const AspContactRecord *contacts = asp_world_contacts(run.world);
    count[i] = asp_world_contact_count(run.world);
    first[i] = (double)total;
    for (int k = 0; k < (int)count[i]; k++, total++) {
      memcpy(impulse + 3 * total, contacts[k].impulse, 24);
      bodies[2 * total] = contacts[k].body_a;
      bodies[2 * total + 1] = contacts[k].body_b;
      mode[total] = contacts[k].mode;
      memcpy(point + 3 * total, &contacts[k].point, 24);
    }
  }
  close_run(&run);
  assert_true(total >= 3 * STEPS); // the block rests on its face
  hid_t file = open_file(run.path);
  assert_int_equal(read_committed(file).contacts, total);
  assert_column(file, "/contacts/count", STEPS + 1, 1, count);
  assert_column(file, "/contacts/start", STEPS + 1, 1, first);
  assert_column(file, "/contacts/impulse", total, 3, impulse);
  assert_column(file, "/contacts/body", total, 2, bodies);
  assert_column(file, "/contacts/mode", total, 1, mode);
  assert_column(file, "/contacts/point", total, 3, point);
  H5Fclose(file);
  remove_run(run.path);
  double *arrays[] = {count, first, impulse, bodies, mode, point};
  for (int i = 0; i < 6; i++)
    free(arrays[i]);
}

static void every_nth_step_and_the_last_one_become_frames(void **state) {
  (void)state;
  const int steps[] = {25, 30, 3};
  const double expected[][5] = {{0, 10, 20, 25}, {0, 10, 20, 30}, {0, 3}};
  const hsize_t rows[] = {4, 4, 2};
  for (int i = 0; i < 3; i++) {
    Run run = open_run("four-bar", "result-every.h5", steps[i], 10);
    start_writing(&run);
    for (int k = 0; k < steps[i]; k++)
      step(&run);
    close_run(&run);
    hid_t file = open_file(run.path);
    assert_column(file, "/frames/step", rows[i], 1, expected[i]);
    assert_int_equal(read_committed(file).steps, steps[i]);
    H5Fclose(file);
    remove_run(run.path);
  }
}

static void a_model_without_a_scene_file_is_written_too(void **state) {
  (void)state;
  Run run = open_run("four-bar", "result-no-scene.h5", 3, 1);
  assert_ok(run.context, asp_result_create(run.context, run.path, NULL, run.world, &run.writer));
  step(&run);
  close_run(&run);
  hid_t file = open_file(run.path);
  assert_int_equal(read_committed(file).frames, 2);
  assert_int_equal(H5Lexists(file, "/scene/text", H5P_DEFAULT), 0);
  H5Fclose(file);
  AspContext *context = asp_context_create(NULL);
  assert_ok(context, asp_result_export_csv(context, run.path, ASP_BINARY_DIR "/result-no-scene.csv"));
  asp_context_destroy(context);
  remove(ASP_BINARY_DIR "/result-no-scene.csv");
  remove_run(run.path);
}

static void corners_of_hulls_and_points_of_fields_are_kept(void **state) {
  (void)state;
  const char *text = "{\"materials\": [{\"pair\": [\"*\", \"*\"], \"friction\": 0}], \"bodies\": [{\"fixed\": true,"
                     "\"shapes\": [{\"type\": \"point\"}, {\"type\": \"height-field\", \"spacing\": [1, 2],"
                     "\"heights\": [[7, 8, 9], [4, 5, 6]]}, {\"type\": \"convex\","
                     "\"points\": [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [0.1, 0.1, 0.1]]}]}]}";
  Run run = open_run_text(text, "result-vertices.h5");
  start_writing(&run);
  close_run(&run);
  hid_t file = open_file(run.path);
  assert_column(file, "/shapes/vertex_start", 3, 1, (const double[]){0, 0, 6});
  assert_column(file, "/shapes/vertex_count", 3, 1, (const double[]){0, 6, 4});
  assert_column(file, "/shapes/grid", 3, 2, (const double[]){0, 0, 3, 2, 0, 0});
  hsize_t rows = 0;
  size_t width = 0;
  double *points = read_all(file, "/vertices/position", &rows, &width), corners[3] = {0};
  assert_int_equal(rows, 10);
  const double grid[] = {0, 0, 7, 1, 0, 8, 2, 0, 9, 0, 2, 4, 1, 2, 5, 2, 2, 6};
  assert_memory_equal(points, grid, sizeof grid);
  for (int i = 18; i < 30; i++) // the unit corners, in whatever order
    corners[i % 3] += points[i];
  for (int i = 0; i < 3; i++)
    assert_near(corners[i], 1, 0);
  free(points);
  H5Fclose(file);
  remove_run(run.path);
}

/* ---- CSV and info ---- */

static void csv_has_the_same_numbers_and_quotes_names(void **state) {
  (void)state;
  const char *text = "{\"dimension\": 2, \"bodies\": [{\"name\": \"a, \\\"b\\\"\", \"mass\": 1, \"inertia\": 1,"
                     " \"velocity\": [1, 2], \"angular_velocity\": 0.1},"
                     " {\"name\": \"a longer name\", \"fixed\": true}, {\"name\": \"c\", \"fixed\": true}],"
                     " \"run\": {\"dt\": 0.1, \"until\": 100}}";
  Run run = open_run_text(text, "result-csv.h5");
  start_writing(&run);
  for (int i = 0; i < 300; i++)
    step(&run);
  close_run(&run);
  AspContext *context = asp_context_create(NULL);
  const char *csv = ASP_BINARY_DIR "/result.csv";
  assert_ok(context, asp_result_export_csv(context, run.path, csv));
  FILE *file = fopen(csv, "r");
  assert_non_null(file);
  char line[1024];
  assert_non_null(fgets(line, sizeof line, file));
  const char *first = "\"time [s]\",\"a, \"\"b\"\".x [m]\",\"a, \"\"b\"\".y [m]\",\"a, \"\"b\"\".angle [rad]\","
                      "\"a, \"\"b\"\".vx [m/s]\",\"a, \"\"b\"\".vy [m/s]\",\"a, \"\"b\"\".w [rad/s]\"";
  assert_int_equal(strncmp(line, first, strlen(first)), 0);
  assert_non_null(strstr(line, ",\"a longer name.x [m]\",")); // names of other lengths arrive whole
  assert_non_null(strstr(line, ",\"c.x [m]\","));
  int rows = 0;
  for (; fgets(line, sizeof line, file); rows++) {
    double x[7];
    assert_int_equal(sscanf(line, "%lf,%lf,%lf,%lf,%lf,%lf,%lf", &x[0], &x[1], &x[2], &x[3], &x[4], &x[5], &x[6]), 7);
    assert_near(x[0], 0.1 * rows, 1e-12); // free flight without gravity
    assert_near(x[1], x[0], 1e-12);
    assert_near(x[2], 2 * x[0], 1e-12);
    assert_near(x[3], 0.1 * x[0], 1e-12);
    assert_near(x[4], 1, 0);
    assert_near(x[5], 2, 0);
    assert_near(x[6], 0.1, 0);
  }
  assert_int_equal(rows, 301);
  fclose(file);
  assert_int_equal(asp_result_export_csv(context, run.path, "/dev/full"), ASP_ERROR_STORAGE);
  assert_non_null(strstr(asp_context_message(context), "/dev/full: "));
  assert_int_equal(asp_result_export_csv(context, ASP_SOURCE_DIR "/LICENSE", csv), ASP_ERROR_INPUT);
  assert_int_equal(asp_result_export_csv(context, ASP_BINARY_DIR "/no-such.h5", csv), ASP_ERROR_FILE);
  assert_int_equal(asp_context_memory_in_use(context), 0);
  asp_context_destroy(context);
  remove(csv);
  remove_run(run.path);
}

static void collect_line(void *user, const AspFact *fact) {
  char *all = user, *end = all + strlen(all);
  size_t room = 4096 - strlen(all);
  if (fact->kind == ASP_FACT_TEXT)
    snprintf(end, room, "%s: %s\n", fact->key, fact->text);
  else if (fact->kind == ASP_FACT_FLAG)
    snprintf(end, room, "%s: %s\n", fact->key, fact->number != 0 ? "true" : "false");
  else
    snprintf(end, room, "%s: %g %s\n", fact->key, fact->number, fact->unit);
}

static void assert_info(AspContext *context, const char *path, const char *const *fragments) {
  char all[4096] = "";
  assert_ok(context, asp_file_info(context, path, NULL, collect_line, all));
  for (; *fragments; fragments++)
    if (!strstr(all, *fragments))
      fail_msg("%s: '%s' does not say '%s'", path, all, *fragments);
}

static void info_tells_scene_result_problem_and_lcp_apart(void **state) {
  (void)state;
  Run run = open_run("block-on-slope-26", "result-info.h5", 50, 10);
  start_writing(&run);
  for (int i = 0; i < 50; i++)
    step(&run);
  const AspContactProblem *problem = NULL;
  const double *r = NULL, *u = NULL;
  problem = asp_world_problem(run.world, &r, &u);
  const char *lcp_path = ASP_BINARY_DIR "/info-lcp.h5", *fclib_path = ASP_BINARY_DIR "/info-fclib.hdf5";
  AspLcp lcp;
  assert_ok(run.context, asp_lcp_create(run.context, 3, &lcp));
  assert_ok(run.context, asp_lcp_write(run.context, lcp_path, &lcp, NULL));
  asp_lcp_destroy(run.context, &lcp);
  assert_ok(run.context, asp_fclib_write(run.context, fclib_path, problem, NULL));
  close_run(&run);
  AspContext *context = asp_context_create(NULL);
  assert_info(context, ASP_SOURCE_DIR "/scenes/four-bar.json",
              (const char *[]){"kind: scene\n", "name: four-bar linkage\n", "bodies: 4 \n", "bodies_free: 3 \n",
                               "bodies_fixed: 1 \n", "dofs: 9 \n", "joints: 4 \n", "run_friction.directions: ", NULL});
  assert_info(context, run.path,
              (const char *[]){"kind: result\n", "name: block on a slope of 26 degrees\n", "bodies: 2 \n",
                               "frames: 6 \n", "time_end: 0.5 s\n", "steps: 50 \n", "complete: true\n",
                               "steps_uncertified: 0 \n", "contacts_max: 4 \n", "attempts_max: 1 \n",
                               "energy_remainder: ", NULL});
  assert_info(context, fclib_path,
              (const char *[]){"kind: contact problem (FCLIB)\n", "form: global\n", "laws_coulomb: 4 \n", "rows: 12 \n",
                               "dofs: 6 \n", NULL});
  assert_info(context, lcp_path, (const char *[]){"kind: linear complementarity problem\n", "size: 3 \n", NULL});
  char all[4096] = "";
  assert_int_equal(asp_file_info(context, ASP_BINARY_DIR "/no-such-file", NULL, collect_line, all), ASP_ERROR_FILE);
  assert_int_equal(asp_file_info(context, ASP_SOURCE_DIR "/LICENSE", NULL, collect_line, all), ASP_ERROR_INPUT);
  const char *empty = ASP_BINARY_DIR "/info-empty.h5";
  H5Fclose(H5Fcreate(empty, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
  assert_int_equal(asp_file_info(context, empty, NULL, collect_line, all), ASP_ERROR_INPUT);
  assert_non_null(strstr(asp_context_message(context), "neither a result nor"));
  assert_int_equal(asp_context_memory_in_use(context), 0);
  asp_context_destroy(context);
  const char *files[] = {run.path, lcp_path, fclib_path, empty};
  for (int i = 0; i < 4; i++)
    remove(files[i]);
}

/* ---- manners ---- */

static herr_t visit(hid_t file, const char *name, const H5O_info_t *info, void *user) {
  const char *page = user;
  char path[256];
  snprintf(path, sizeof path, "`/%s`", name);
  bool dataset = info->type == H5O_TYPE_DATASET;
  if (dataset && !strstr(page, path) && strcmp(name, "committed") != 0)
    fail_msg("docs/reference/results.md does not mention %s", path);
  if (dataset && H5Aexists_by_name(file, name, "description", H5P_DEFAULT) <= 0)
    fail_msg("/%s has no description", name);
  return 0;
}

static void every_dataset_is_described_in_the_file_and_in_the_reference(void **state) {
  (void)state;
  Run run = open_run("slider-crank", "result-docs.h5", 5, 1);
  start_writing(&run);
  step(&run);
  close_run(&run);
  size_t length = 0;
  char *page = (char *)read_bytes(ASP_SOURCE_DIR "/docs/reference/results.md", &length);
  page[length] = 0;
  assert_non_null(strstr(page, "`/committed`"));
  hid_t file = open_file(run.path);
  assert_true(H5Ovisit(file, H5_INDEX_NAME, H5_ITER_INC, visit, page) >= 0);
  H5Fclose(file);
  free(page);
  remove_run(run.path);
}

static herr_t own_handler(hid_t stack, void *user) {
  (void)stack;
  ++*(int *)user;
  return 0;
}

static void the_callers_error_handler_is_neither_called_nor_lost(void **state) {
  (void)state;
  int calls = 0;
  assert_true(H5Eset_auto2(H5E_DEFAULT, own_handler, &calls) >= 0);
  Run run = open_run("four-bar", "result-handler.h5", 3, 1);
  AspResultWriter *writer = NULL;
  assert_int_equal(
      asp_result_create(run.context, ASP_BINARY_DIR "/no-such-folder/x.h5", &run.scene, run.world, &writer),
      ASP_ERROR_FILE);
  start_writing(&run);
  H5E_auto2_t handler = NULL;
  void *user = NULL;
  H5Eget_auto2(H5E_DEFAULT, &handler, &user);
  assert_true(handler == own_handler && user == &calls);
  step(&run);
  close_run(&run);
  H5Eget_auto2(H5E_DEFAULT, &handler, &user);
  assert_true(handler == own_handler && user == &calls);
  assert_int_equal(calls, 0);
  H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
  remove_run(run.path);
}

/* The beams' coordinates stand behind those of the bodies; the line begins and ends at the beam's stations. */
static void beams_are_in_the_file_with_their_centrelines(void **state) {
  (void)state;
  enum { STEPS = 20, POINTS = 33 };
  Run run = open_run("gallery/diving-board", "result-beams.h5", STEPS, 1);
  const AspModel *model = run.scene.model;
  int count, first = asp_model_beam_q(model, 0, &count), bodies = asp_model_body_count(model);
  double *q = calloc((size_t)(STEPS + 1) * (size_t)count, 8), *line = calloc((STEPS + 1) * POINTS * 3, 8),
         *places = calloc((size_t)(STEPS + 1) * (size_t)bodies * 3, 8), length = 2;
  start_writing(&run);
  for (int i = 0; i <= STEPS; i++) {
    if (i > 0)
      step(&run);
    const AspState *now = asp_world_state(run.world);
    memcpy(q + (size_t)i * (size_t)count, now->q + first, (size_t)count * 8);
    memcpy(places + (size_t)i * (size_t)bodies * 3, now->q, (size_t)bodies * 3 * 8);
    for (int k = 0; k < POINTS; k++) {
      AspVec3 x = asp_state_beam_pose(model, now, 0, length * k / (POINTS - 1)).position;
      memcpy(line + 3 * (i * POINTS + k), (const double[]){x.x, x.y, x.z}, 24);
    }
    AspVec3 end = asp_state_pose(model, now, asp_model_find_body(model, "board.end")).position;
    assert_near(line[3 * (i * POINTS + POINTS - 1) + 1], end.y, 1e-14);
  }
  close_run(&run);
  hid_t file = open_file(run.path);
  assert_column(file, "/beams/q", STEPS + 1, (size_t)count, q);
  assert_column(file, "/beams/line", STEPS + 1, POINTS * 3, line);
  assert_column(file, "/beams/length", 1, 1, &length);
  assert_column(file, "/frames/q", STEPS + 1, (size_t)bodies * 3, places);
  H5Fclose(file);
  free(q);
  free(line);
  free(places);
}

/* One force of each kind: what the file tells of them, and that a page can be made of it. */
static void forces_are_in_the_file_at_the_time_of_each_frame(void **state) {
  (void)state;
  enum { STEPS = 10, FORCES = 4 };
  static const char text[] =
      "{\"bodies\": [{\"name\": \"ground\", \"fixed\": true}, {\"name\": \"ball\", \"mass\": 2, \"position\": [1, 2, "
      "3],"
      " \"shapes\": [{\"type\": \"sphere\", \"radius\": 0.1}]}],"
      " \"forces\": [{\"name\": \"push\", \"type\": \"force\", \"body\": \"ball\", \"point\": [1, 2, 3.1], \"force\": "
      "[\"2*t\", 0, 5]},"
      " {\"name\": \"twist\", \"type\": \"torque\", \"body\": \"ball\", \"torque\": [0, \"-3*t\", 0]},"
      " {\"name\": \"rope\", \"type\": \"spring\", \"bodies\": [\"ground\", \"ball\"], \"points\": [[0, 0, 0], [1, 2, "
      "3]],"
      " \"stiffness\": 10, \"rest_length\": 1},"
      " {\"name\": \"air\", \"type\": \"drag\", \"body\": \"ball\", \"density\": 1.2, \"viscosity\": 1e-5}],"
      " \"run\": {\"dt\": 0.01, \"until\": 0.1}}";
  static const double kind[FORCES] = {ASP_FORCE_FORCE, ASP_FORCE_TORQUE, ASP_FORCE_SPRING, ASP_FORCE_DRAG},
                      body[2 * FORCES] = {1, -1, 1, -1, 0, 1, 1, -1};
  Run run = open_run_text(text, "result-forces.h5");
  double value[(STEPS + 1) * FORCES * 3] = {0};
  start_writing(&run);
  for (int i = 0; i <= STEPS; i++) {
    if (i > 0)
      step(&run);
    double t = asp_world_state(run.world)->t, *row = value + (size_t)i * FORCES * 3;
    row[0] = 2 * t;
    row[2] = 5;
    row[4] = -3 * t;
  }
  close_run(&run);
  hid_t file = open_file(run.path);
  assert_column(file, "/forces/kind", FORCES, 1, kind);
  assert_column(file, "/forces/body", FORCES, 2, body);
  assert_column(file, "/forces/value", STEPS + 1, FORCES * 3, value);
  hsize_t rows = 0;
  size_t width = 0;
  double *points = read_all(file, "/forces/point", &rows, &width);
  assert_int_equal(width, 6);
  assert_near(points[2], 3.1, 0);       // of the push, on its body
  assert_near(points[2 * 6 + 5], 3, 0); // of the rope, on the ball
  free(points);
  H5Fclose(file);
  AspContext *context = asp_context_create(NULL);
  char page[600];
  snprintf(page, sizeof page, "%s.html", run.path);
  assert_ok(context, asp_report_write(context, run.path, NULL, ASP_PAGE_SLOT, strlen(ASP_PAGE_SLOT), page));
  asp_context_destroy(context);
  remove(page);
  remove_run(run.path);
}

/* A result of a version that did not judge resolution is one without that group. */
static void file_without_resolution_says_not_judged(void **state) {
  (void)state;
  Run run = open_run("block-on-slope-26", "result-old.h5", 5, 1);
  start_writing(&run);
  for (int i = 0; i < 5; i++)
    step(&run);
  close_run(&run);
  AspContext *context = asp_context_create(NULL);
  assert_info(context, run.path, (const char *[]){"steps_unresolved: 0 \n", NULL});
  hid_t file = H5Fopen(run.path, H5F_ACC_RDWR, H5P_DEFAULT);
  assert_true(H5Ldelete(file, "/resolution", H5P_DEFAULT) >= 0);
  H5Fclose(file);
  assert_info(context, run.path, (const char *[]){"resolved: not judged", "steps_uncertified: 0 \n", NULL});
  asp_context_destroy(context);
  remove_run(run.path);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(beams_are_in_the_file_with_their_centrelines),
      cmocka_unit_test(states_steps_and_energies_are_those_of_the_world),
      cmocka_unit_test(contacts_of_each_frame_are_found_by_start_and_count),
      cmocka_unit_test(every_nth_step_and_the_last_one_become_frames),
      cmocka_unit_test(a_model_without_a_scene_file_is_written_too),
      cmocka_unit_test(corners_of_hulls_and_points_of_fields_are_kept),
      cmocka_unit_test(csv_has_the_same_numbers_and_quotes_names),
      cmocka_unit_test(info_tells_scene_result_problem_and_lcp_apart),
      cmocka_unit_test(every_dataset_is_described_in_the_file_and_in_the_reference),
      cmocka_unit_test(the_callers_error_handler_is_neither_called_nor_lost),
      cmocka_unit_test(forces_are_in_the_file_at_the_time_of_each_frame),
      cmocka_unit_test(file_without_resolution_says_not_judged),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
