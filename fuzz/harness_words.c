/* A command line: words in lines. Files named in them do not exist, and none is written outside of the scratch folder.
 * Left out are commands that compute or serve without a file. */
#define _XOPEN_SOURCE 700
#include "fuzz.h"

#include <unistd.h>

#define WORDS_MAX 64

int asperity_main(int count, char **words); /* cli/main.c */

static bool is_left_out(const char *word) { return strcmp(word, "reproduce") == 0; }

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  static bool ready;
  if (!ready) {
    ready = true;
    if (chdir(fuzz_path(".")) != 0 || !freopen("/dev/null", "w", stdout))
      fuzz_complain("no folder to work in");
  }
  char program[] = "asperity", *words[WORDS_MAX + 2] = {program}, *text = fuzz_text(bytes, size);
  int count = 1;
  for (char *word = text; word && count <= WORDS_MAX;) {
    char *end = strchr(word, '\n');
    if (end)
      *end = '\0';
    for (char *c = word; *c; c++)
      *c = *c == '/' ? '_' : *c; // stays in the folder
    words[count++] = word;
    word = end ? end + 1 : NULL;
  }
  bool left_out = false;
  for (int i = 1; i < count; i++)
    left_out = left_out || is_left_out(words[i]);
  if (!left_out) {
    int code = asperity_main(count, words);
    if (code < 0 || code > 2)
      fuzz_complain("an exit code that is neither done nor bad usage");
  }
  free(text);
  return 0;
}
