/* convert -o FILE.mp4, .webm, .gif: ffmpeg reads numbered pictures and writes the film (see film.h). What it says goes
 * into a file of the folder; its last line is the reason when it fails.
 */
#include "film.h"

#include "browser.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define PATH_SIZE  4096
#define WORDS_MOST 32

typedef struct Kind {
  const char *ending;
  const char *words[10]; /* how it is coded */
} Kind;

static const Kind kinds[] = {
    // 4:2:0 is what players expect; it needs even sizes
    {".mp4", {"-vf", "pad=ceil(iw/2)*2:ceil(ih/2)*2", "-pix_fmt", "yuv420p", "-movflags", "+faststart"}},
    {".webm", {"-c:v", "libvpx-vp9", "-crf", "28", "-b:v", "0", "-pix_fmt", "yuv420p"}},
    {".gif", {"-vf", "split[a][b];[a]palettegen[p];[b][p]paletteuse"}},
};
#define KIND_COUNT ((int)(sizeof kinds / sizeof *kinds))

static const Kind *kind_of(const char *path) {
  size_t length = strlen(path);
  for (int i = 0; i < KIND_COUNT; i++) {
    size_t ending = strlen(kinds[i].ending);
    if (length > ending && strcmp(path + length - ending, kinds[i].ending) == 0)
      return &kinds[i];
  }
  return NULL;
}

bool is_film(const char *path) { return kind_of(path) != NULL; }

int film_find(const Session *session, char *program, size_t size) {
  if (program_find("FFMPEG", (const char *const[]){"ffmpeg", NULL}, program, size))
    return EXIT_DONE;
  return session_fail(
      session, EXIT_USAGE,
      "films are put together by ffmpeg, and %s: install it (Debian: apt-get install ffmpeg) or name it in "
      "the variable FFMPEG. Pictures need none: -o frames/%%04d.png",
      getenv("FFMPEG") ? "what the variable FFMPEG names is no program" : "there is none on the path");
}

/* The last line of a text file. */
static void last_line(const char *path, char *line, size_t size) {
  char text[512];
  FILE *file = fopen(path, "r");
  snprintf(line, size, "no reason given");
  while (file && fgets(text, sizeof text, file)) {
    text[strcspn(text, "\n")] = '\0';
    if (*text)
      snprintf(line, size, "%s", text);
  }
  if (file)
    fclose(file);
}

/* Runs the words with all output in the file `said`; the child's exit code, -1: it did not start or was ended. */
static int run_words(const char *const *words, const char *said) {
  pid_t child = fork();
  if (child == 0) {
    int file = open(said, O_WRONLY | O_CREAT | O_TRUNC, 0600), nothing = open("/dev/null", O_RDONLY);
    if (file < 0 || nothing < 0 || dup2(nothing, 0) < 0 || dup2(file, 1) < 0 || dup2(file, 2) < 0)
      _exit(127);
    execv(words[0], (char *const *)(uintptr_t)words);
    _exit(127);
  }
  int status = 0;
  while (child > 0 && waitpid(child, &status, 0) < 0)
    if (errno != EINTR)
      return -1;
  return child > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

int film_write(const Session *session, const char *program, const char *folder, int rate, const char *output) {
  char pictures[PATH_SIZE], said[PATH_SIZE], reason[512], number[16];
  const char *words[WORDS_MOST] = {program,      "-nostdin", "-loglevel", "error", "-y",
                                   "-framerate", number,     "-i",        pictures};
  int count = 9;
  if ((size_t)snprintf(pictures, sizeof pictures, "%s/%s", folder, FILM_PICTURES) >= sizeof pictures ||
      (size_t)snprintf(said, sizeof said, "%s/ffmpeg.txt", folder) >= sizeof said)
    return session_fail(session, EXIT_FAILED, "%s: the name is too long", folder);
  snprintf(number, sizeof number, "%d", rate);
  for (int i = 0; i < 10 && kind_of(output)->words[i]; i++)
    words[count++] = kind_of(output)->words[i];
  char target[PATH_SIZE]; // a name that begins with - would be taken for an option
  if ((size_t)snprintf(target, sizeof target, "%s%s", *output == '/' ? "" : "./", output) >= sizeof target)
    return session_fail(session, EXIT_USAGE, "%s: the name is too long", output);
  words[count++] = target;
  words[count] = NULL;
  if (run_words(words, said) == 0)
    return EXIT_DONE;
  last_line(said, reason, sizeof reason);
  return session_fail(session, EXIT_FAILED, "%s: %s did not write it: %s", output, program, reason);
}
