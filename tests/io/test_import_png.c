/* Height fields of MJCF in pictures (PNG): every kind of colour, depth and filter gives the same field; damaged pictures
 * are reported, and the field is left out. The pictures are written here, their data not compressed. */
#include "io/import_testing.h"

typedef struct Picture {
  uint8_t byte[4096];
  size_t length;
} Picture;

static void put(Picture *picture, const void *bytes, size_t count) {
  memcpy(picture->byte + picture->length, bytes, count);
  picture->length += count;
}

static void put_number(Picture *picture, uint32_t n) {
  put(picture, (uint8_t[]){(uint8_t)(n >> 24), (uint8_t)(n >> 16), (uint8_t)(n >> 8), (uint8_t)n}, 4);
}

static void put_chunk(Picture *picture, const char *kind, const void *bytes, size_t count) {
  put_number(picture, (uint32_t)count);
  put(picture, kind, 4);
  put(picture, bytes, count);
  put_number(picture, 0); // the checksum, which is not looked at
}

/* A zlib stream of one stored block, in two chunks. */
static void put_data(Picture *picture, const uint8_t *line, size_t count) {
  Picture stream = {.length = 0};
  uint32_t a = 1, b = 0;
  uint8_t low = (uint8_t)count, high = (uint8_t)(count >> 8);
  put(&stream, (uint8_t[]){0x78, 1, 1, low, high, (uint8_t)~low, (uint8_t)~high}, 7);
  put(&stream, line, count);
  for (size_t i = 0; i < count; i++) {
    a = (a + line[i]) % 65521;
    b = (b + a) % 65521;
  }
  put_number(&stream, b << 16 | a);
  put_chunk(picture, "IDAT", stream.byte, 5);
  put_chunk(picture, "IDAT", stream.byte + 5, stream.length - 5);
}

/* 3 x 2 pixels; `line`: both lines with their filters. */
static Picture draw(int depth, int colour, const uint8_t *line, size_t count) {
  static const uint8_t palette[] = {10, 0, 0, 110, 0, 0, 210, 9, 9};
  Picture picture = {.length = 0};
  put(&picture, "\x89PNG\r\n\x1a\n", 8);
  put_chunk(&picture, "IHDR", (uint8_t[]){0, 0, 0, 3, 0, 0, 0, 2, (uint8_t)depth, (uint8_t)colour, 0, 0, 0}, 13);
  if (colour == 3)
    put_chunk(&picture, "PLTE", palette, sizeof palette);
  put_data(&picture, line, count);
  put_chunk(&picture, "IEND", "", 0);
  return picture;
}

/* What the import says of a field of 4 x 2 x 1 m in a file with these bytes; *scene: what it becomes, or NULL. */
static AspError read_field(const Picture *bytes, char **scene, AspImportReport *report, AspContext *context) {
  char path[512], text[1024], picture[512];
  snprintf(picture, sizeof picture, "%s/tests/field_%ld.PNG", ASP_BINARY_DIR, (long)getpid());
  FILE *file = fopen(picture, "wb");
  assert_non_null(file);
  assert_int_equal(fwrite(bytes->byte, 1, bytes->length, file), bytes->length);
  assert_int_equal(fclose(file), 0);
  snprintf(text, sizeof text,
           "<mujoco><asset><hfield name='h' file='%s' size='2 1 1 .1'/></asset><worldbody><geom type='hfield' "
           "hfield='h'/><body name='a' pos='0 0 9'><freejoint/><geom size='.1'/></body></worldbody></mujoco>",
           strrchr(picture, '/') + 1);
  test_import_write(text, path, sizeof path);
  AspError error = asp_import_read(context, path, NULL, scene, report);
  remove(path);
  remove(picture);
  return error;
}

/* Heights of the field in the scene, by rows of ascending y. */
static void heights_of(const char *scene, double height[6]) {
  const char *at = strstr(scene, "\"heights\"");
  assert_non_null(at);
  at += strlen("\"heights\"");
  for (int i = 0; i < 6; i++) {
    char *end = NULL;
    at += strcspn(at, "-0123456789");
    height[i] = strtod(at, &end);
    assert_true(end > at);
    at = end;
  }
}

/* First line 10, 110, 210, second 210, 10, 110, in every kind of colour. With few bits the values are 0, 1/2, 1 of all
 * there are, or nearest to it. */
static void pictures_of_all_kinds_are_heights(void **state) {
  (void)state;
  const struct {
    int depth, colour;
    size_t count;
    uint8_t line[64];
    double middle;
  } rows[] = {
      {8, 0, 8, {0, 10, 110, 210, 0, 210, 10, 110}, 0.5},
      {8, 0, 8, {1, 10, 100, 100, 1, 210, 56, 100}, 0.5},  // differences to the left
      {8, 0, 8, {0, 10, 110, 210, 2, 200, 156, 156}, 0.5}, // to the line above
      {8, 0, 8, {3, 10, 105, 155, 3, 205, 106, 0}, 0.5},   // to the mean of both
      {8, 0, 8, {4, 10, 100, 100, 4, 200, 56, 0}, 0.5},    // to the nearest of three
      {16, 0, 14, {0, 10, 7, 110, 0, 210, 0, 0, 210, 9, 10, 0, 110, 255}, 0.5},
      {8, 2, 20, {0, 10, 1, 2, 110, 3, 4, 210, 5, 6, 0, 210, 7, 8, 10, 9, 0, 110, 1, 2}, 0.5},
      {8, 3, 8, {0, 0, 1, 2, 0, 2, 0, 1}, 0.5},
      {8, 4, 14, {0, 10, 1, 110, 3, 210, 5, 0, 210, 7, 10, 9, 110, 1}, 0.5},
      {8, 6, 26, {0, 10, 1, 2, 0, 110, 3, 4, 0, 210, 5, 6, 0, 0, 210, 7, 8, 1, 10, 9, 0, 1, 110, 1, 2, 1}, 0.5},
      {2, 3, 4, {0, 0x18, 0, 0x84}, 0.5}, // indices 0 1 2, 2 0 1
      {4, 0, 6, {0, 0x05, 0xa0, 0, 0xa0, 0x50}, 0.5},
      {2, 0, 4, {0, 0x18, 0, 0x84}, 0.5},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    AspContext *context = asp_context_create(NULL);
    AspImportReport report;
    char *scene = NULL;
    Picture picture = draw(rows[i].depth, rows[i].colour, rows[i].line, rows[i].count);
    assert_ok(context, read_field(&picture, &scene, &report, context));
    assert_int_equal(report.total[ASP_IMPORT_IGNORED], 0);
    double found[6], wanted[6] = {1, 0, rows[i].middle, 0, rows[i].middle, 1};
    heights_of(scene, found);
    for (int k = 0; k < 6; k++)
      if (fabs(found[k] - wanted[k]) > 1e-12)
        fail_msg("row %zu, height %d: %g in place of %g", i, k, found[k], wanted[k]);
    asp_text_destroy(context, scene);
    asp_import_report_destroy(context, &report);
    assert_int_equal(asp_context_memory_in_use(context), 0);
    asp_context_destroy(context);
  }
}

/* Cut at every byte, and every byte changed: a field, or a line in the report that names the file. */
static void damaged_pictures_are_reported(void **state) {
  (void)state;
  Picture whole = draw(8, 0, (uint8_t[]){0, 10, 110, 210, 4, 200, 56, 156}, 8);
  int refused = 0;
  for (size_t i = 0; i < 2 * whole.length; i++) {
    Picture picture = whole;
    if (i < whole.length)
      picture.length = i;
    else
      picture.byte[i - whole.length] ^= 0xff;
    AspContext *context = asp_context_create(NULL);
    AspImportReport report;
    char *scene = NULL;
    assert_ok(context, read_field(&picture, &scene, &report, context));
    for (int k = 0; k < report.count; k++)
      if (report.entry[k].kind == ASP_IMPORT_IGNORED) {
        assert_non_null(strstr(report.entry[k].reason, "is not a PNG picture"));
        refused++;
      }
    asp_text_destroy(context, scene);
    asp_import_report_destroy(context, &report);
    assert_int_equal(asp_context_memory_in_use(context), 0);
    asp_context_destroy(context);
  }
  assert_true(refused > (int)whole.length); // all that are cut before their data end, and most of the changed ones
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(pictures_of_all_kinds_are_heights),
      cmocka_unit_test(damaged_pictures_are_reported),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
