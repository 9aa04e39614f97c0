/* Damaged HDF5 files: what becomes of reading them.
 *
 *   bench_damaged ROUNDS SEED FILE...    results, contact problems (FCLIB) and LCPs
 *
 * Each round copies one of the files, makes 1 to 8 changes in its structure (bytes, bits, addresses), and reads the copy in a process of its own by every reader of the library that takes such a file: info, tables
 * and pages of results, states to start from, problems. Prints how many copies were read, refused with a message, and
 * how many ended the process by a signal. */
#define _GNU_SOURCE
#include "asperity/asperity.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define NEAR_START 8000 /* bytes */
#define REACH      96   /* bytes behind a mark */
#define SECONDS    60   /* processor time of one reading at most */
#define DATA_BYTES ((rlim_t)4 << 30)

static uint64_t random_bits(uint64_t *state) { // splitmix64
  uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
  z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
  return z ^ (z >> 31);
}

static void ignore(void *user, const AspFact *fact) {
  (void)user;
  (void)fact;
}

static bool ends_with(const char *text, const char *ending) {
  size_t a = strlen(text), b = strlen(ending);
  return a >= b && strcmp(text + a - b, ending) == 0;
}

/* 0: some reader takes it; 2: all refuse it; 3: another failure. */
static int read_by_all(const char *path, bool is_result, const char *out) {
  AspContext *context = asp_context_create(NULL);
  AspError error[5] = {ASP_ERROR_INPUT, ASP_ERROR_INPUT, ASP_ERROR_INPUT, ASP_ERROR_INPUT, ASP_ERROR_INPUT};
  unsigned char *bytes = NULL;
  size_t length = 0;
  error[0] = asp_file_info(context, path, NULL, ignore, NULL);
  if (is_result) {
    int64_t frames = 0;
    bool complete = false;
    error[1] = asp_result_export_part(context, path, "contacts", out);
    error[2] = asp_view_data(context, path, NULL, &bytes, &length);
    error[3] = asp_result_progress(context, path, &frames, &complete);
    error[4] = asp_result_export_csv(context, path, out);
    asp_view_data_destroy(context, bytes);
  } else {
    AspLcp lcp = {0};
    AspContactProblem problem;
    error[1] = asp_lcp_read(context, path, &lcp);
    if (error[1] == ASP_OK)
      asp_lcp_destroy(context, &lcp);
    error[2] = asp_fclib_read(context, path, NULL, &problem, NULL);
    if (error[2] == ASP_OK)
      asp_problem_destroy(context, &problem);
  }
  asp_context_destroy(context);
  int code = 2;
  for (int i = 0; i < 5; i++)
    if (error[i] == ASP_OK)
      code = 0;
    else if (error[i] != ASP_ERROR_INPUT && error[i] != ASP_ERROR_FILE)
      return 3;
  return code;
}

static unsigned char *read_whole(const char *path, size_t *length) {
  FILE *file = fopen(path, "rb");
  if (!file || fseek(file, 0, SEEK_END) != 0)
    return NULL;
  *length = (size_t)ftell(file);
  rewind(file);
  unsigned char *bytes = malloc(*length);
  bool good = bytes && fread(bytes, 1, *length, file) == *length;
  fclose(file);
  return good ? bytes : NULL;
}

/* A place in the file's structure: shortly behind one of HDF5's marks, or near the start. */
static size_t place_in_structure(const unsigned char *bytes, size_t length, uint64_t *random) {
  static const char marks[][5] = {"TREE", "SNOD", "HEAP", "GCOL", "OHDR", "FRHP", "BTHD", "FAHD", "EAHD"};
  size_t from = random_bits(random) % length;
  if (random_bits(random) % 4)
    for (size_t i = 0; i + 4 < length; i++) {
      size_t at = (from + i) % (length - 4);
      for (size_t m = 0; m < sizeof marks / sizeof *marks; m++)
        if (memcmp(bytes + at, marks[m], 4) == 0) {
          size_t place = at + random_bits(random) % REACH;
          return place < length ? place : length - 1;
        }
    }
  return random_bits(random) % (length < NEAR_START ? length : NEAR_START);
}

/* One change: a byte, a bit, an extreme value, or eight bytes (an address, a size) taken from elsewhere. */
static void change(unsigned char *bytes, size_t length, uint64_t *random) {
  static const unsigned char extreme[] = {0, 1, 2, 8, 0x7f, 0x80, 0xfe, 0xff};
  size_t at = place_in_structure(bytes, length, random), from = place_in_structure(bytes, length, random);
  switch (random_bits(random) % 4) {
  case 0:
    bytes[at] = (unsigned char)random_bits(random);
    break;
  case 1:
    bytes[at] ^= (unsigned char)(1u << random_bits(random) % 8);
    break;
  case 2:
    bytes[at] = extreme[random_bits(random) % sizeof extreme];
    break;
  default:
    at &= ~(size_t)7;
    from &= ~(size_t)7;
    if (at + 8 <= length && from + 8 <= length)
      memmove(bytes + at, bytes + from, 8);
  }
}

static bool write_damaged(const char *path, const unsigned char *bytes, size_t length, uint64_t *random) {
  unsigned char *copy = malloc(length);
  if (!copy)
    return false;
  memcpy(copy, bytes, length);
  int changes = 1 << random_bits(random) % 4;
  for (int i = 0; i < changes; i++)
    change(copy, length, random);
  FILE *file = fopen(path, "wb");
  bool good = file && fwrite(copy, 1, length, file) == length;
  if (file)
    good = fclose(file) == 0 && good;
  free(copy);
  return good;
}

int main(int count, char **words) {
  if (count < 4) {
    fprintf(stderr, "usage: bench_damaged ROUNDS SEED FILE...\n");
    return 2;
  }
  long rounds = atol(words[1]), read = 0, refused = 0, failed = 0, by_signal[65] = {0};
  uint64_t random = strtoull(words[2], NULL, 10);
  char path[64], out[64];
  snprintf(path, sizeof path, "/tmp/damaged-%d.h5", (int)getpid());
  snprintf(out, sizeof out, "/tmp/damaged-%d.csv", (int)getpid());
  for (long round = 0; round < rounds; round++) {
    size_t length = 0;
    const char *from = words[3 + round % (count - 3)];
    unsigned char *bytes = read_whole(from, &length);
    if (!bytes || !write_damaged(path, bytes, length, &random)) {
      fprintf(stderr, "%s: cannot be copied\n", from);
      return 2;
    }
    free(bytes);
    pid_t child = fork();
    if (child == 0) {
      setrlimit(RLIMIT_DATA, &(struct rlimit){DATA_BYTES, DATA_BYTES});
      setrlimit(RLIMIT_CPU, &(struct rlimit){SECONDS, SECONDS});
      setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
      if (!freopen("/dev/null", "w", stderr))
        _exit(3);
      _exit(read_by_all(path, ends_with(from, ".h5"), out));
    }
    int status = 0;
    waitpid(child, &status, 0);
    if (WIFSIGNALED(status)) {
      by_signal[WTERMSIG(status)]++;
      printf("round %ld, %s: signal %d (%s)\n", round, from, WTERMSIG(status), strsignal(WTERMSIG(status)));
      fflush(stdout);
    } else if (WEXITSTATUS(status) == 0)
      read++;
    else if (WEXITSTATUS(status) == 2)
      refused++;
    else
      failed++;
  }
  long ended = 0;
  for (int i = 1; i < 65; i++)
    ended += by_signal[i];
  printf("%ld damaged copies: %ld read, %ld refused, %ld other failures, %ld ended by a signal\n", rounds, read,
         refused, failed, ended);
  remove(path);
  remove(out);
  return ended > 0 || failed > 0;
}
