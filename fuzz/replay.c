/* Runs a harness without libFuzzer: replay RUNS DICTIONARY FOLDER...
 *
 * Every file of the folders first (seeds, cases that once failed), then RUNS inputs made from them by changes drawn from
 * a fixed seed: bytes, bits, extreme numbers, words of the dictionary, pieces removed, repeated or taken from another
 * file. The same inputs in every build. A harness that finds something ends the process; the input is in
 * fuzz-input-PID of the current folder then. */
#define _GNU_SOURCE
#include "fuzz.h"

#include <dirent.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#define INPUTS_MAX 4096
#define WORDS_MAX  1024
#define LONGEST    16384 /* bytes of an input that was changed */
#define SECONDS    60    /* for one input: a hang */

typedef struct Input {
  uint8_t *bytes;
  size_t size;
} Input;

static Input input[INPUTS_MAX], word[WORDS_MAX];
static int inputs, words;
static uint64_t random_state = 25;
static Input current;

static uint64_t draw(uint64_t below) { // splitmix64
  uint64_t z = random_state += UINT64_C(0x9e3779b97f4a7c15);
  z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
  return (z ^ (z >> 31)) % below;
}

/* ---- what there is to start from ---- */

static int by_name(const struct dirent **a, const struct dirent **b) { return strcmp((*a)->d_name, (*b)->d_name); }

static void read_folder(const char *folder) {
  struct dirent **entries = NULL;
  int count = scandir(folder, &entries, NULL, by_name);
  for (int i = 0; i < count; i++) {
    char path[4096];
    struct stat status;
    snprintf(path, sizeof path, "%s/%s", folder, entries[i]->d_name);
    if (stat(path, &status) == 0 && S_ISREG(status.st_mode) && inputs < INPUTS_MAX) {
      input[inputs].bytes = fuzz_read(path, &input[inputs].size);
      inputs++;
    }
    free(entries[i]);
  }
  free(entries);
}

/* libFuzzer's format: lines "text" or name="text", with \\xHH, \\" and \\\\. */
static void read_dictionary(const char *path) {
  FILE *file = fopen(path, "r");
  char line[1024];
  while (file && words < WORDS_MAX && fgets(line, sizeof line, file)) {
    char *from = strchr(line, '"'), *end = strrchr(line, '"');
    if (line[0] == '#' || !from || end == from)
      continue;
    uint8_t *bytes = malloc((size_t)(end - from));
    size_t size = 0;
    for (const char *c = from + 1; bytes && c < end; c++)
      if (*c == '\\' && c[1] == 'x') {
        unsigned value = 0;
        sscanf(c + 2, "%2x", &value);
        bytes[size++] = (uint8_t)value;
        c += 3;
      } else {
        c += *c == '\\';
        bytes[size++] = (uint8_t)*c;
      }
    word[words++] = (Input){bytes, size};
  }
  if (file)
    fclose(file);
}

/* ---- changes ---- */

/* Puts `size` bytes in the place of `removed` ones. */
static void splice(Input *made, size_t at, size_t removed, const uint8_t *bytes, size_t size) {
  removed = removed < made->size - at ? removed : made->size - at;
  if (made->size - removed + size > LONGEST)
    return;
  memmove(made->bytes + at + size, made->bytes + at + removed, made->size - at - removed);
  if (size)
    memcpy(made->bytes + at, bytes, size);
  made->size = made->size - removed + size;
}

static void change(Input *made) {
  static const char *const numbers[] = {"0", "-1", "1e308", "-1e-308", "1e400", "nan", "99999999999999999999", "0.1"};
  uint8_t piece[256];
  size_t at = made->size ? draw(made->size + 1) : 0, left = made->size - at;
  const Input *other = &input[draw((uint64_t)inputs)];
  switch (draw(8)) {
  case 0:
    if (left)
      made->bytes[at] = (uint8_t)draw(256);
    break;
  case 1:
    if (left)
      made->bytes[at] ^= (uint8_t)(1u << draw(8));
    break;
  case 2:
    splice(made, at, draw(32), NULL, 0);
    break;
  case 3: {
    size_t size = left < sizeof piece ? left : sizeof piece;
    size = size ? draw(size) : 0;
    memcpy(piece, made->bytes + at, size);
    splice(made, at, 0, piece, size);
    break;
  }
  case 4: {
    const char *number = numbers[draw(sizeof numbers / sizeof *numbers)];
    splice(made, at, draw(4), (const uint8_t *)number, strlen(number));
    break;
  }
  case 5: {
    size_t from = other->size ? draw(other->size) : 0, size = other->size ? draw(other->size - from + 1) : 0;
    splice(made, at, draw(8), other->bytes + from, size < sizeof piece ? size : sizeof piece);
    break;
  }
  default:
    if (words) {
      const Input *drawn = &word[draw((uint64_t)words)];
      splice(made, at, draw(2) ? drawn->size : 0, drawn->bytes, drawn->size);
    }
  }
}

/* ---- running ---- */

static void keep_input(int number) {
  char path[64];
  snprintf(path, sizeof path, "fuzz-input-%d", (int)getpid());
  FILE *file = fopen(path, "wb");
  if (file) {
    fwrite(current.bytes, 1, current.size, file);
    fclose(file);
  }
  fprintf(stderr, "fuzz: signal %d; the input is in %s\n", number, path);
  signal(number, SIG_DFL);
  raise(number);
}

static void run(const uint8_t *bytes, size_t size) {
  uint8_t *exact = malloc(size ? size : 1); // so that a sanitizer sees its end
  if (!exact)
    fuzz_complain("no memory");
  memcpy(exact, bytes, size);
  current = (Input){exact, size};
  alarm(SECONDS);
  LLVMFuzzerTestOneInput(exact, size);
  alarm(0);
  free(exact);
}

int main(int count, char **arguments) {
  if (count < 4) {
    fprintf(stderr, "usage: %s RUNS DICTIONARY FOLDER...\n", arguments[0]);
    return 2;
  }
  long runs = atol(arguments[1]);
  read_dictionary(arguments[2]);
  for (int i = 3; i < count; i++)
    read_folder(arguments[i]);
  if (inputs == 0)
    input[inputs++] = (Input){calloc(1, 1), 0};
  signal(SIGABRT, keep_input);
  signal(SIGSEGV, keep_input);
  signal(SIGALRM, keep_input);
  for (int i = 0; i < inputs; i++)
    run(input[i].bytes, input[i].size);
  uint8_t *room = malloc(LONGEST);
  for (long i = 0; room && i < runs; i++) {
    const Input *from = &input[draw((uint64_t)inputs)];
    Input made = {room, from->size < LONGEST ? from->size : LONGEST};
    memcpy(room, from->bytes, made.size);
    for (uint64_t changes = 1 + draw(6); changes > 0; changes--)
      change(&made);
    run(made.bytes, made.size);
  }
  free(room);
  for (int i = 0; i < inputs; i++)
    free(input[i].bytes);
  for (int i = 0; i < words; i++)
    free(word[i].bytes);
  printf("%d files, %ld changed inputs\n", inputs, runs);
  return 0;
}
