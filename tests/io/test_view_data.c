/* The viewer's data say what the result says, within the steps they name; decoded here from the page's own
 * description of the format (docs/reference/view-data.md), not by the code that packed them. */
#include "result_testing.h"

#include "failing_allocator.h"

#include <cjson/cJSON.h>
#include <zlib.h>

typedef struct Decoded {
  cJSON *header;
  unsigned char *bytes;
  size_t length, base; /* base: where sections begin */
} Decoded;

static uint32_t u32_at(const unsigned char *at) {
  return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

static Decoded pack(AspContext *context, const char *path, const AspViewOptions *options) {
  Decoded data = {0};
  assert_ok(context, asp_view_data(context, path, options, &data.bytes, &data.length));
  assert_true(data.length > 16);
  assert_memory_equal(data.bytes, "ASPVIEW2", 8);
  uLongf plain = u32_at(data.bytes + 8);
  uint32_t packed = u32_at(data.bytes + 12);
  char *text = calloc(plain + 1, 1);
  assert_int_equal(uncompress((Bytef *)text, &plain, data.bytes + 16, packed), Z_OK);
  data.header = cJSON_Parse(text);
  assert_non_null(data.header);
  data.base = 16 + packed;
  free(text);
  return data;
}

static void forget(AspContext *context, Decoded *data) {
  cJSON_Delete(data->header);
  asp_view_data_destroy(context, data->bytes);
}

static double number(const cJSON *object, const char *key) {
  const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);
  assert_true(cJSON_IsNumber(item));
  return item->valuedouble;
}

/* The next part of a section after `entry`; NULL: there is none. */
static const cJSON *part_after(const Decoded *data, const char *name, const cJSON *entry) {
  entry = entry ? entry->next : cJSON_GetObjectItemCaseSensitive(data->header, "sections")->child;
  while (entry && strcmp(cJSON_GetObjectItemCaseSensitive(entry, "name")->valuestring, name) != 0)
    entry = entry->next;
  return entry;
}

/* Adds the numbers of a part to those before it: integers predicted back, halves as bits, floats and doubles as they
 * are. */
static void decode_part(const Decoded *data, const cJSON *entry, double *values) {
  const char *type = cJSON_GetObjectItemCaseSensitive(entry, "type")->valuestring;
  size_t size = strcmp(type, "u8") == 0 ? 1 : strcmp(type, "f16") == 0 ? 2 : strcmp(type, "f64") == 0 ? 8 : 4;
  size_t w = (size_t)number(entry, "width"), count = (size_t)number(entry, "rows") * w;
  int order = (int)number(entry, "order");
  size_t start = data->base + (size_t)number(entry, "start"), first = (size_t)number(entry, "first") * w;
  uLongf length = count * size;
  unsigned char *planes = calloc(length + 1, 1);
  assert_true(start + (size_t)number(entry, "bytes") <= data->length);
  assert_int_equal(uncompress(planes, &length, data->bytes + start, (uLong)number(entry, "bytes")), Z_OK);
  assert_int_equal(length, count * size);
  for (size_t n = 0; n < count; n++) {
    size_t i = first + n;
    uint64_t word = 0;
    for (size_t b = 0; b < size; b++)
      word |= (uint64_t)planes[b * count + n] << (8 * b);
    if (strcmp(type, "f64") == 0) {
      memcpy(&values[i], &word, 8);
    } else if (strcmp(type, "f32") == 0) {
      uint32_t half = (uint32_t)word;
      float value;
      memcpy(&value, &half, 4);
      values[i] = (double)value;
    } else if (strcmp(type, "i32") == 0) {
      int64_t difference = (int64_t)(word >> 1) ^ -(int64_t)(word & 1);
      double before = i >= w ? values[i - w] : 0, earlier = i >= 2 * w ? values[i - 2 * w] : before;
      values[i] = (double)difference + (order == 0 ? 0 : order == 1 || i < 2 * w ? before : 2 * before - earlier);
    } else {
      values[i] = (double)word;
    }
  }
  free(planes);
}

/* All numbers of a section, whose parts follow one another without gaps. */
static double *section(const Decoded *data, const char *name, size_t *rows, size_t *width) {
  const cJSON *entry = part_after(data, name, NULL);
  assert_non_null(entry);
  *width = (size_t)number(entry, "width");
  *rows = 0;
  for (; entry; entry = part_after(data, name, entry)) {
    assert_int_equal((size_t)number(entry, "first"), *rows);
    *rows += (size_t)number(entry, "rows");
  }
  double *values = calloc(*rows * *width + 1, sizeof *values);
  while ((entry = part_after(data, name, entry)))
    decode_part(data, entry, values);
  return values;
}

static double half_value(double bits) {
  unsigned word = (unsigned)bits, exponent = word >> 10 & 31, steps = word & 1023;
  double size = exponent ? ldexp(1024 + steps, (int)exponent - 25) : ldexp(steps, -24);
  return word & 0x8000 ? -size : size;
}

/* A scene in contact, `steps` steps long, in a file. */
static Run simulated(const char *scene, const char *file, int steps) {
  Run run = open_run(scene, file, steps, 1);
  start_writing(&run);
  for (int i = 0; i < steps; i++)
    step(&run);
  close_run(&run);
  return run;
}

static double *column(const char *path, const char *name) {
  hid_t file = open_file(path);
  hsize_t rows = 0;
  size_t width = 0;
  double *values = read_all(file, name, &rows, &width);
  H5Fclose(file);
  return values;
}

/* ---- what is in them ---- */

static void poses_and_velocities_are_within_half_a_step_of_the_result(void **state) {
  (void)state;
  const char *scenes[] = {"pyramid-of-balls", "four-bar"}; // in space, in the plane
  enum { STEPS = 40 };
  for (int s = 0; s < 2; s++) {
    Run run = simulated(scenes[s], "view-poses.h5", STEPS);
    AspContext *context = asp_context_create(NULL);
    Decoded data = pack(context, run.path, NULL);
    const cJSON *steps = cJSON_GetObjectItemCaseSensitive(data.header, "steps");
    size_t rows = 0, width = 0, pose = s == 0 ? 7 : 3;
    double *q = section(&data, "q", &rows, &width), dx = number(steps, "position"), dq = number(steps, "quaternion");
    double *stored = column(run.path, "/frames/q");
    assert_int_equal(rows, STEPS + 1);
    for (size_t i = 0; i < rows * width; i += pose) {
      double same = 0;
      for (size_t k = 3; k < pose; k++)
        same += q[i + k] * stored[i + k];
      for (size_t k = 0; k < pose; k++) {
        bool turn = k >= 3;
        double sign = turn && same < 0 ? -1 : 1;
        assert_near(sign * q[i + k] * (turn ? dq : dx), stored[i + k], 0.5001 * (turn ? dq : dx));
      }
    }
    free(q);
    free(stored);
    double *v = section(&data, "v", &rows, &width), dv = number(steps, "velocity");
    stored = column(run.path, "/frames/v");
    for (size_t i = 0; i < rows * width; i++)
      assert_near(v[i] * dv, stored[i], 0.5001 * dv);
    free(v);
    free(stored);
    forget(context, &data);
    asp_context_destroy(context);
    remove_run(run.path);
  }
}

/* `balls` balls that lie on the floor, side by side and far apart, pushed along it. */
static char *many_balls(int balls) {
  enum { EACH = 160 };
  size_t room = 512 + (size_t)balls * EACH;
  char *text = calloc(room, 1);
  size_t at =
      (size_t)snprintf(text, room,
                       "{\"gravity\": [0, 0, -10], \"materials\": [{\"pair\": [\"a\", \"a\"], \"friction\": 0.3}], "
                       "\"run\": {\"dt\": 0.01, \"until\": 2}, \"bodies\": [{\"name\": \"floor\", \"fixed\": "
                       "true, \"shapes\": [{\"type\": \"half-space\", \"material\": \"a\"}]}");
  for (int i = 0; i < balls; i++)
    at += (size_t)snprintf(text + at, room - at,
                           ", {\"name\": \"%d\", \"mass\": 1, \"position\": [0, %d, 0.1], \"velocity\": [%d, 0, 0], "
                           "\"shapes\": [{\"type\": \"sphere\", \"radius\": 0.1, \"material\": \"a\"}]}",
                           i, i, 1 + i % 5);
  snprintf(text + at, room - at, "]}");
  return text;
}

static void long_runs_come_in_parts_that_continue_one_another(void **state) {
  (void)state;
  enum { BALLS = 500, STEPS = 170 };
  char *text = many_balls(BALLS);
  Run run = open_run_text(text, "view-parts.h5");
  start_writing(&run);
  for (int i = 0; i < STEPS; i++)
    step(&run);
  close_run(&run);
  AspContext *context = asp_context_create(NULL);
  Decoded data = pack(context, run.path, NULL);
  const cJSON *part = part_after(&data, "q", NULL);
  size_t each = (size_t)number(data.header, "part"), rows = 0, width = 0, contacts = 0, n = 0;
  assert_int_equal((size_t)number(part, "rows"), 3); // contacts begin in frame 1
  assert_int_equal((size_t)number(part_after(&data, "q", part), "rows"), each);
  assert_non_null(part_after(&data, "q", part));
  double *q = section(&data, "q", &rows, &width), *stored = column(run.path, "/frames/q");
  double dx = number(cJSON_GetObjectItemCaseSensitive(data.header, "steps"), "position");
  assert_int_equal(rows, STEPS + 1);
  for (size_t i = 0; i < rows * width; i++)
    if (i % 7 < 3)
      assert_near(q[i] * dx, stored[i], 0.5001 * dx);
  // contacts: as many rows in each part as its frames have contacts
  double *count = section(&data, "contactCount", &rows, &width);
  part = NULL;
  for (size_t k = 0; k < rows; k++) {
    if (k == 0 || (k >= 3 && (k - 3) % each == 0)) {
      part = part_after(&data, "contactForce", part);
      assert_int_equal((size_t)number(part, "first"), contacts);
    }
    contacts += (size_t)count[k];
  }
  // every first part lies before any second one
  const cJSON *sections = cJSON_GetObjectItemCaseSensitive(data.header, "sections"), *entry = NULL;
  double second = number(part_after(&data, "q", part_after(&data, "q", NULL)), "start");
  cJSON_ArrayForEach(entry, sections) {
    const char *name = cJSON_GetObjectItemCaseSensitive(entry, "name")->valuestring;
    assert_int_equal(number(entry, "start") < second, entry == part_after(&data, name, NULL));
  }
  free(section(&data, "contactForce", &n, &width));
  assert_true(n == contacts && contacts > BALLS);
  // places: those of q in the first frame and in the last
  double *body = section(&data, "placedBody", &n, &width), *placed = section(&data, "placed", &rows, &width);
  assert_int_equal(width, 3 * n);
  for (size_t i = 0; i < width; i++) {
    size_t at = 7 * (size_t)body[i / 3] + i % 3;
    assert_near(placed[i], q[at], 0);
    assert_near(placed[(rows - 1) * width + i], q[(size_t)STEPS * (BALLS + 1) * 7 + at], 0);
  }
  // balls of 1 kg in a field of 10 m/s2: 10 N and, while they slide, 3 N of friction
  double reference = number(cJSON_GetObjectItemCaseSensitive(data.header, "contacts"), "reference");
  assert_true(reference > 9.99 && reference < 10.45);
  free(text);
  free(q);
  free(stored);
  free(count);
  free(body);
  free(placed);
  forget(context, &data);
  asp_context_destroy(context);
  remove_run(run.path);
}

static void forces_are_impulses_over_the_step_and_modes_are_counted(void **state) {
  (void)state;
  enum { STEPS = 60 };
  Run run = simulated("pyramid-of-balls", "view-forces.h5", STEPS);
  AspContext *context = asp_context_create(NULL);
  Decoded data = pack(context, run.path, NULL);
  size_t n = 0, width = 0, frames = 0;
  double *force = section(&data, "contactForce", &n, &width), *modes = section(&data, "contactModes", &frames, &width);
  const cJSON *entry = NULL;
  double scale = 0;
  cJSON_ArrayForEach(entry, cJSON_GetObjectItemCaseSensitive(data.header, "sections")) {
    if (strcmp(cJSON_GetObjectItemCaseSensitive(entry, "name")->valuestring, "contactForce") == 0)
      scale = number(entry, "scale");
  }
  double *impulse = column(run.path, "/contacts/impulse"), *mode = column(run.path, "/contacts/mode");
  assert_true(n > 1000);
  double counted[3] = {0}, stored[3] = {0};
  for (size_t i = 0; i < n; i++) {
    double size = 0, expected = 0;
    for (int k = 0; k < 3; k++) { // lengths do not depend on the frame of the contact
      size += pow(half_value(force[3 * i + (size_t)k]) * scale, 2);
      expected += pow(impulse[3 * i + (size_t)k] / 0.005, 2);
    }
    assert_near(sqrt(size), sqrt(expected), 1e-3 * sqrt(expected) + 1e-6 * scale);
    stored[(int)mode[i]]++;
  }
  for (size_t i = 0; i < 3 * frames; i++)
    counted[i % 3] += modes[i];
  for (int k = 0; k < 3; k++)
    assert_near(counted[k], stored[k], 0);
  double *arrays[] = {force, modes, impulse, mode};
  for (int i = 0; i < 4; i++)
    free(arrays[i]);
  forget(context, &data);
  asp_context_destroy(context);
  remove_run(run.path);
}

static void of_too_many_contacts_the_strongest_are_kept_and_all_are_counted(void **state) {
  (void)state;
  Run run = simulated("pyramid-of-balls", "view-strong.h5", 20);
  AspContext *context = asp_context_create(NULL);
  AspViewOptions options = asp_view_default_options();
  options.contacts_max = 100;
  Decoded all = pack(context, run.path, NULL), few = pack(context, run.path, &options);
  const cJSON *contacts = cJSON_GetObjectItemCaseSensitive(few.header, "contacts");
  assert_true(number(contacts, "kept") <= 100 && number(contacts, "kept") > 50);
  assert_true(number(contacts, "total") > 100);
  size_t rows = 0, width = 0, other = 0;
  double *modes = section(&all, "contactModes", &rows, &width), *same = section(&few, "contactModes", &other, &width);
  assert_int_equal(rows, other);
  assert_memory_equal(modes, same, 3 * rows * sizeof *modes);
  free(modes);
  free(same);
  forget(context, &all);
  forget(context, &few);
  asp_context_destroy(context);
  remove_run(run.path);
}

static void thinned_frames_keep_the_last(void **state) {
  (void)state;
  Run run = simulated("four-bar", "view-thin.h5", 25);
  AspContext *context = asp_context_create(NULL);
  AspViewOptions options = asp_view_default_options();
  options.every = 10;
  Decoded data = pack(context, run.path, &options);
  size_t rows = 0, width = 0;
  double *time = section(&data, "time", &rows, &width), *stored = column(run.path, "/frames/time");
  assert_int_equal(rows, 4);
  const int kept[] = {0, 10, 20, 25};
  for (int i = 0; i < 4; i++)
    assert_near(time[i], stored[kept[i]], 0);
  free(time);
  free(stored);
  forget(context, &data);
  asp_context_destroy(context);
  remove_run(run.path);
}

/* ---- reports ---- */

static void a_report_holds_the_page_and_nothing_that_could_end_its_data(void **state) {
  (void)state;
  Run run = simulated("four-bar", "view-report.h5", 5);
  AspContext *context = asp_context_create(NULL);
  static const char page[] = "<p>before</p>" ASP_PAGE_SLOT "<p>after</p>";
  const char *path = ASP_BINARY_DIR "/view-report.html";
  assert_ok(context, asp_report_write(context, run.path, NULL, page, sizeof page - 1, path));
  size_t length = 0;
  char *text = (char *)read_bytes(path, &length);
  static const char begin[] = "<p>before</p><script type=\"application/octet-stream\" class=\"asperity-data\">",
                    end[] = "</script><p>after</p>";
  assert_memory_equal(text, begin, sizeof begin - 1);
  assert_memory_equal(text + length - (sizeof end - 1), end, sizeof end - 1);
  for (size_t i = sizeof begin - 1; i < length - (sizeof end - 1); i++)
    assert_true(strchr("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=", text[i]) != NULL);
  free(text);
  assert_int_equal(asp_report_write(context, run.path, NULL, "no slot", 7, path), ASP_ERROR_ARGUMENT);
  assert_int_equal(asp_report_write(context, run.path, NULL, page, sizeof page - 1, "/nowhere/r.html"), ASP_ERROR_FILE);
  remove(path);
  asp_context_destroy(context);
  remove_run(run.path);
}

static void every_kth_allocation_failure_is_clean(void **state) {
  (void)state;
  Run run = simulated("block-on-slope-27", "view-memory.h5", 3);
  AspError error = ASP_ERROR_MEMORY;
  int k = 0;
  for (; k < 2000 && error == ASP_ERROR_MEMORY; k++) {
    FailingAllocator failing;
    AspContext *context = failing_context(&failing);
    unsigned char *bytes = NULL;
    size_t length = 0;
    failing.until_failure = k;
    error = asp_view_data(context, run.path, NULL, &bytes, &length);
    assert_true(error == ASP_OK || (error == ASP_ERROR_MEMORY && !bytes));
    asp_view_data_destroy(context, bytes);
    assert_int_equal(asp_context_memory_in_use(context), 0);
    asp_context_destroy(context);
    assert_int_equal(failing.live, 0);
  }
  assert_int_equal(error, ASP_OK);
  assert_true(k > 20);
  remove_run(run.path);
}

/* A clamped rod and a cable: what is drawn begins and ends where their stations are, in every frame. */
static void beams_are_curves_from_station_to_station(void **state) {
  (void)state;
  Run run = {.context = asp_context_create(NULL)};
  snprintf(run.path, sizeof run.path, "%s/view-beams.h5", ASP_BINARY_DIR);
  assert_ok(run.context, asp_scene_read(run.context, ASP_SOURCE_DIR "/tests/data/rods.json", &run.scene, NULL));
  assert_ok(run.context, asp_world_create(run.context, run.scene.model, &run.scene.run, &run.world));
  start_writing(&run);
  for (int i = 0; i < 5; i++)
    step(&run);
  close_run(&run);
  AspContext *context = asp_context_create(NULL);
  Decoded data = pack(context, run.path, NULL);
  const cJSON *bodies = cJSON_GetObjectItemCaseSensitive(data.header, "bodies"),
              *names = cJSON_GetObjectItemCaseSensitive(bodies, "name");
  size_t frames, width, q_frames, q_width;
  double *points = section(&data, "beamPoint", &frames, &width), *q = section(&data, "q", &q_frames, &q_width);
  assert_int_equal(frames, 6);
  assert_int_equal(q_frames, 6);
  size_t start = 0;
  const cJSON *beam = NULL;
  cJSON_ArrayForEach(beam, cJSON_GetObjectItemCaseSensitive(data.header, "beams")) {
    size_t count = (size_t)number(beam, "points");
    char name[64];
    for (int end = 0; end < 2; end++) {
      snprintf(name, sizeof name, "%s.%s", cJSON_GetObjectItemCaseSensitive(beam, "name")->valuestring,
               end ? "end" : "start");
      int body = 0;
      while (strcmp(cJSON_GetArrayItem(names, body)->valuestring, name) != 0)
        body++;
      for (size_t k = 0; k < frames; k++)
        for (size_t i = 0; i < 3; i++)
          assert_near(points[k * width + 3 * (start + (end ? count - 1 : 0)) + i],
                      q[k * q_width + 7 * (size_t)body + i], 1);
    }
    assert_true(number(beam, "radius") > 0.005 && number(beam, "radius") < 0.011); // of round sections: their own
    start += count;
  }
  assert_int_equal(3 * start, width);
  assert_true(fabs(points[5 * width + 3 * 32 + 2] - points[3 * 32 + 2]) > 1000); // the rod's end falls
  free(points);
  free(q);
  forget(context, &data);
  asp_context_destroy(context);
  remove(run.path);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(beams_are_curves_from_station_to_station),
      cmocka_unit_test(poses_and_velocities_are_within_half_a_step_of_the_result),
      cmocka_unit_test(long_runs_come_in_parts_that_continue_one_another),
      cmocka_unit_test(forces_are_impulses_over_the_step_and_modes_are_counted),
      cmocka_unit_test(of_too_many_contacts_the_strongest_are_kept_and_all_are_counted),
      cmocka_unit_test(thinned_frames_keep_the_last),
      cmocka_unit_test(a_report_holds_the_page_and_nothing_that_could_end_its_data),
      cmocka_unit_test(every_kth_allocation_failure_is_clean),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
