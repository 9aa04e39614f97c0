/* Chromium's debugging protocol, as much of it as a picture needs (see browser.h):
 *   https://chromedevtools.github.io/devtools-protocol/ Target, Page, Runtime, Emulation
 * A command is {"id": n, "method": ..., "params": ...}, its answer {"id": n, "result": ...} or {"id": n, "error": ...};
 * events have no id and are passed over. We look for single texts in answers, which needs no JSON reader.
 */
#include "browser.h"

#include "grow.h"
#include "interrupt.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define ANSWER_SECONDS 120 /* for one command */
#define READ_BYTES     65536
#define AWAY           10 /* our ends of the pipes get numbers from here on: the child's are 3 and 4 */

extern char **environ;

struct Browser {
  pid_t process;
  int to, from; /* pipes */
  int id;       /* of the last command */
  char session[64];
  char *received; /* bytes that have come, answers and events */
  size_t length, capacity;
  char reason[512];
  char words[4096]; /* file of what it says on stderr */
};

/* ---- finding and starting it ---- */

static bool is_program(const char *folder, size_t length, const char *name, char *path, size_t size) {
  return (size_t)snprintf(path, size, "%.*s/%s", (int)length, folder, name) < size && access(path, X_OK) == 0;
}

bool program_find(const char *variable, const char *const *names, char *path, size_t size) {
  const char *own = getenv(variable), *folders = getenv("PATH");
  if (own && *own)
    return (size_t)snprintf(path, size, "%s", own) < size && access(path, X_OK) == 0;
  for (size_t i = 0; names[i]; i++)
    for (const char *folder = folders ? folders : ""; *folder;) {
      size_t length = strcspn(folder, ":");
      if (length && is_program(folder, length, names[i], path, size))
        return true;
      folder += length + (folder[length] == ':');
    }
  return false;
}

bool browser_find(char *path, size_t size) {
  static const char *const names[] = {"chromium", "chromium-browser", "google-chrome", "google-chrome-stable", NULL};
  return program_find("CHROMIUM", names, path, size);
}

static bool open_pipe(int ends[2]) {
  int raw[2];
  if (pipe(raw) != 0)
    return false;
  for (int i = 0; i < 2; i++) {
    ends[i] = fcntl(raw[i], F_DUPFD_CLOEXEC, AWAY);
    close(raw[i]);
  }
  return ends[0] >= 0 && ends[1] >= 0;
}

static bool spawn(Browser *browser, const char *program, char *const *words, const int commands[2],
                  const int answers[2]) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, commands[0], 3);
  posix_spawn_file_actions_adddup2(&actions, answers[1], 4);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, browser->words, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  int failure = posix_spawn(&browser->process, program, &actions, NULL, words, environ);
  posix_spawn_file_actions_destroy(&actions);
  close(commands[0]);
  close(answers[1]);
  if (failure)
    snprintf(browser->reason, sizeof browser->reason, "%s: %s", program, strerror(failure));
  return failure == 0;
}

/* The last line that it said, for a message. */
static void last_words(const Browser *browser, char *line, size_t size) {
  FILE *file = fopen(browser->words, "r");
  char text[256];
  *line = '\0';
  while (file && fgets(text, sizeof text, file))
    if (*text != '\n')
      snprintf(line, size, "%.*s", (int)strcspn(text, "\n"), text);
  if (file)
    fclose(file);
}

static bool fail(Browser *browser, const char *what) {
  char line[256];
  last_words(browser, line, sizeof line);
  snprintf(browser->reason, sizeof browser->reason, "%s%s%s", what, *line ? ": " : "", line);
  return false;
}

/* ---- commands and answers ---- */

/* Waits for more bytes. */
static bool receive(Browser *browser, time_t until) {
  if (!grow(&browser->received, &browser->capacity, browser->length + READ_BYTES + 1, 1))
    return fail(browser, "out of memory");
  struct pollfd waiting = {.fd = browser->from, .events = POLLIN};
  while (poll(&waiting, 1, 250) <= 0) {
    if (interrupt_signal())
      return fail(browser, "interrupted");
    if (time(NULL) > until)
      return fail(browser, "Chromium does not answer");
  }
  ssize_t got = read(browser->from, browser->received + browser->length, READ_BYTES);
  if (got <= 0)
    return fail(browser, "Chromium ended");
  browser->length += (size_t)got;
  return true;
}

/* Reads until the answer with this id has come; *answer points to it until the next call. */
static bool await(Browser *browser, int id, const char **answer) {
  char start[32];
  size_t checked = 0, began = 0;
  time_t until = time(NULL) + ANSWER_SECONDS;
  snprintf(start, sizeof start, "{\"id\":%d,", id);
  browser->length = 0;
  for (;;) {
    while (checked == browser->length)
      if (!receive(browser, until))
        return false;
    const char *end = memchr(browser->received + checked, '\0', browser->length - checked);
    if (!end) {
      checked = browser->length;
      continue;
    }
    *answer = browser->received + began;
    if (strncmp(*answer, start, strlen(start)) == 0)
      return strncmp(*answer + strlen(start), "\"error\"", 7) != 0 || fail(browser, *answer);
    began = checked = (size_t)(end - browser->received) + 1;
  }
}

/* `params`: the inside of the object. Answers come one by one: nothing is left over when the next command goes. */
static bool command(Browser *browser, const char *method, const char *params, const char **answer) {
  char text[8192];
  int id = ++browser->id;
  int length = *browser->session
                   ? snprintf(text, sizeof text, "{\"id\":%d,\"sessionId\":\"%s\",\"method\":\"%s\",\"params\":{%s}}",
                              id, browser->session, method, params)
                   : snprintf(text, sizeof text, "{\"id\":%d,\"method\":\"%s\",\"params\":{%s}}", id, method, params);
  if (length < 0 || (size_t)length >= sizeof text)
    return fail(browser, "the command is too long");
  for (int sent = 0; sent <= length;) { // with the zero byte behind it
    ssize_t part = write(browser->to, text + sent, (size_t)(length + 1 - sent));
    if (part < 0)
      return fail(browser, "Chromium ended");
    sent += (int)part;
  }
  return await(browser, id, answer);
}

/* The text behind "key":" in an answer, up to the closing quotes; NULL: there is none. */
static const char *find_text(const char *answer, const char *key, size_t *length) {
  char start[48];
  snprintf(start, sizeof start, "\"%s\":\"", key);
  const char *found = strstr(answer, start);
  if (!found)
    return NULL;
  found += strlen(start);
  for (*length = 0; found[*length] && found[*length] != '"'; ++*length)
    if (found[*length] == '\\' && found[*length + 1])
      ++*length;
  return found;
}

static bool copy_text(const char *answer, const char *key, char *text, size_t size) {
  size_t length = 0;
  const char *found = find_text(answer, key, &length);
  if (!found)
    return false;
  snprintf(text, size, "%.*s", (int)length, found);
  return true;
}

Browser *browser_start(const char *program, const char *folder, int width, int height, char *reason, size_t size) {
  char profile[4096 + 32], params[256], target[64];
  const char *answer;
  int commands[2], answers[2];
  char *words[] = {(char *)program, (char *)"--headless", (char *)"--disable-gpu",
                   (char *)"--enable-unsafe-swiftshader", (char *)"--remote-debugging-pipe",
                   (char *)"--hide-scrollbars", (char *)"--no-first-run", (char *)"--disable-background-networking",
                   (char *)"--disable-component-update", (char *)"--disable-sync", profile,
                   // it refuses to be root otherwise; the only page is ours and loads nothing
                   (char *)(geteuid() == 0 ? "--no-sandbox" : "--mute-audio"), NULL};
  Browser *browser = calloc(1, sizeof *browser);
  if (!browser)
    return NULL;
  browser->to = browser->from = -1;
  snprintf(profile, sizeof profile, "--user-data-dir=%s/profile", folder);
  snprintf(browser->words, sizeof browser->words, "%s/stderr", folder);
  signal(SIGPIPE, SIG_IGN); // a browser that ends is an error of write
  bool good = open_pipe(commands) && open_pipe(answers);
  if (good) {
    browser->to = commands[1];
    browser->from = answers[0];
    good = spawn(browser, program, words, commands, answers);
  }
  good = good && command(browser, "Target.createTarget", "\"url\":\"about:blank\"", &answer) &&
         copy_text(answer, "targetId", target, sizeof target);
  snprintf(params, sizeof params, "\"targetId\":\"%s\",\"flatten\":true", good ? target : "");
  good = good && command(browser, "Target.attachToTarget", params, &answer) &&
         copy_text(answer, "sessionId", browser->session, sizeof browser->session);
  snprintf(params, sizeof params, "\"width\":%d,\"height\":%d,\"deviceScaleFactor\":1,\"mobile\":false", width, height);
  good = good && command(browser, "Emulation.setDeviceMetricsOverride", params, &answer);
  if (good)
    return browser;
  snprintf(reason, size, "%s", *browser->reason ? browser->reason : "Chromium does not start");
  browser_stop(browser);
  return NULL;
}

bool browser_open(Browser *browser, const char *url) {
  char params[4096 + 64];
  const char *answer;
  snprintf(params, sizeof params, "\"url\":\"%s\"", url);
  return command(browser, "Page.navigate", params, &answer);
}

bool browser_evaluate(Browser *browser, const char *expression, char *text, size_t size) {
  char params[2048];
  const char *answer;
  snprintf(params, sizeof params, "\"expression\":\"String(%s)\",\"returnByValue\":true", expression);
  if (!command(browser, "Runtime.evaluate", params, &answer))
    return false;
  if (strstr(answer, "\"exceptionDetails\"")) {
    snprintf(browser->reason, sizeof browser->reason, "the page failed: %.400s", answer);
    return false;
  }
  return copy_text(answer, "value", text, size) || fail(browser, "the page does not answer");
}

/* ---- pictures ---- */

static int six_bits(char letter) {
  static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const char *at = letter ? strchr(letters, letter) : NULL;
  return at ? (int)(at - letters) : -1;
}

bool browser_picture(Browser *browser, const char *path, bool *full) {
  const char *answer;
  size_t length = 0;
  *full = false;
  if (!command(browser, "Page.captureScreenshot", "\"format\":\"png\"", &answer))
    return false;
  const char *data = find_text(answer, "data", &length);
  if (!data)
    return fail(browser, "Chromium gives no picture");
  *full = true;
  FILE *file = fopen(path, "wb");
  if (!file)
    return false;
  unsigned word = 0;
  int bits = 0;
  for (size_t i = 0; i < length && six_bits(data[i]) >= 0; i++) {
    word = word << 6 | (unsigned)six_bits(data[i]);
    bits += 6;
    if (bits >= 8)
      fputc((int)(word >> (bits -= 8) & 255), file);
  }
  bool good = !ferror(file);
  good = fclose(file) == 0 && good;
  *full = !good;
  return good;
}

const char *browser_reason(const Browser *browser) { return browser->reason; }

void browser_stop(Browser *browser) {
  if (!browser)
    return;
  if (browser->to >= 0)
    close(browser->to); // it ends when its pipe does
  if (browser->from >= 0)
    close(browser->from);
  if (browser->process > 0) {
    const struct timespec pause = {.tv_nsec = 50000000};
    for (int i = 0; i < 100 && waitpid(browser->process, NULL, WNOHANG) == 0; i++) {
      if (i == 40)
        kill(browser->process, SIGTERM);
      if (i == 80)
        kill(browser->process, SIGKILL);
      nanosleep(&pause, NULL);
    }
  }
  free(browser->received);
  free(browser);
}
