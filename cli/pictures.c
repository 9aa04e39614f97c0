/* convert -o FILE.png, .mp4, .webm, .gif: the page of the result goes into a folder of its own, is opened in Chromium,
 * brought to the times asked for, and photographed (see pictures.h); a film's pictures stay in the folder and are put
 * together by ffmpeg (film.h). Whatever the result, nothing is loaded from elsewhere.
 */
#include "pictures.h"

#include "browser.h"
#include "film.h"
#include "interrupt.h"
#include "page.h"

#include <ctype.h>
#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define PATH_SIZE     4096
#define PIXELS_MAX    8192
#define FRAMES_MAX    100000
#define FRAMES_NORMAL 100
#define RATE_MAX      120
#define RATE_NORMAL   30
#define WAIT_SECONDS  120 /* for the page to be ready */

/* What is asked for, understood. */
typedef struct Order {
  const Session *session;
  const char *output;
  const char *digits; /* the pattern's %...d in `output`; NULL: one picture */
  int width;          /* of the number in a pattern: %04d: 4 */
  int picture_width, picture_height;
  bool film;
  int rate;   /* pictures a second of a film */
  int frames; /* 0: of a film, as many as the page would show at its own speed */
  char url[PATH_SIZE];
} Order;

bool is_picture(const char *path) {
  size_t length = strlen(path);
  return is_film(path) || (length > 4 && strcmp(path + length - 4, ".png") == 0);
}

/* ---- reading the order ---- */

static int read_pattern(Order *order) {
  const char *percent = strchr(order->output, '%');
  if (!percent)
    return EXIT_DONE;
  char *end = NULL;
  long width = strtol(percent + 1, &end, 10);
  if (!isdigit((unsigned char)percent[1]))
    width = 0, end = (char *)(uintptr_t)(percent + 1);
  if (*end != 'd' || width > 12 || strchr(end, '%'))
    return session_fail(order->session, EXIT_USAGE, "%s: the place of the number reads %%d or %%04d, once",
                        order->output);
  order->digits = percent;
  order->width = (int)width;
  return EXIT_DONE;
}

static int read_order(Order *order, const PictureOptions *options) {
  long long frames = order->film ? 0 : FRAMES_NORMAL, rate = RATE_NORMAL;
  char rest = 0;
  order->picture_width = 1200;
  order->picture_height = 750;
  if (options->size && (sscanf(options->size, "%dx%d%c", &order->picture_width, &order->picture_height, &rest) != 2 ||
                        order->picture_width < 16 || order->picture_height < 16 || order->picture_width > PIXELS_MAX ||
                        order->picture_height > PIXELS_MAX))
    return session_fail(order->session, EXIT_USAGE, "--size %s: expected 1200x750, each from 16 to %d", options->size,
                        PIXELS_MAX);
  int code = order->film ? EXIT_DONE : read_pattern(order);
  if (code == EXIT_DONE && options->frames)
    code = session_count(order->session, "frames", options->frames, 1, FRAMES_MAX, &frames);
  if (code == EXIT_DONE && options->rate)
    code = session_count(order->session, "fps", options->rate, 1, RATE_MAX, &rate);
  if (code == EXIT_DONE && options->rate && !order->film)
    return session_fail(order->session, EXIT_USAGE, "--fps applies to films only: -o FILE.mp4, .webm or .gif");
  if (code == EXIT_DONE && options->frames && !order->digits && !order->film)
    return session_fail(order->session, EXIT_USAGE,
                        "--frames needs a place for the number, -o frames/%%04d.png, or a film, -o FILE.mp4");
  order->frames = (int)frames;
  order->rate = (int)rate;
  return code;
}

/* Appends text to an address; what may not stand there as %20. */
static void append_escaped(char *url, size_t size, const char *text, const char *allowed) {
  size_t length = strlen(url);
  for (; *text && length + 4 < size; text++)
    if (isalnum((unsigned char)*text) || strchr(allowed, *text))
      url[length++] = *text, url[length] = '\0';
    else
      length += (size_t)snprintf(url + length, size - length, "%%%02X", (unsigned char)*text);
}

/* ---- the folder ---- */

static int remove_entry(const char *path, const struct stat *status, int kind, struct FTW *place) {
  (void)status;
  (void)kind;
  (void)place;
  return remove(path);
}

static bool make_folder(char *path, size_t size) {
  const char *base = getenv("TMPDIR");
  return (size_t)snprintf(path, size, "%s/asperity-XXXXXX", base && *base ? base : P_tmpdir) < size && mkdtemp(path);
}

/* ---- drawing ---- */

static int broken(const Order *order, const Browser *browser) {
  int number = interrupt_signal();
  return session_fail(order->session, number ? 128 + number : EXIT_FAILED, "no picture: %s", browser_reason(browser));
}

static int wait_for_page(const Order *order, Browser *browser) {
  char text[512] = "";
  for (int i = 0; i < 20 * WAIT_SECONDS; i++) {
    if (!browser_evaluate(browser, "window.asperity ? 'ready' : document.querySelector('#fault p')?.textContent ?? ''",
                          text, sizeof text))
      return broken(order, browser);
    if (strcmp(text, "ready") == 0)
      return EXIT_DONE;
    if (*text)
      break;
    nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL);
  }
  return session_fail(order->session, EXIT_FAILED, "no picture: the page %s%s", *text ? "says " : "is not ready", text);
}

/* The path of picture i; its last folder is made when it is missing. */
static bool picture_path(const Order *order, int i, char *path, size_t size) {
  if (!order->digits)
    return (size_t)snprintf(path, size, "%s", order->output) < size;
  if ((size_t)snprintf(path, size, "%.*s%0*d%s", (int)(order->digits - order->output), order->output, order->width, i,
                       strchr(order->digits, 'd') + 1) >= size)
    return false;
  char *slash = strrchr(path, '/');
  if (slash && slash != path && i == 0) {
    *slash = '\0';
    mkdir(path, 0777); // where this fails, writing the first picture reports the reason
    *slash = '/';
  }
  return true;
}

/* As many pictures as the page would show of the whole run at the speed that it plays at. */
static int film_length(const Order *order, Browser *browser, int *frames) {
  char text[64] = "";
  if (!browser_evaluate(browser, "String((asperity.run.end - asperity.run.time[0]) / asperity.speed)", text,
                        sizeof text))
    return broken(order, browser);
  double wanted = strtod(text, NULL) * order->rate;
  *frames = wanted < 2 ? 2 : wanted > FRAMES_MAX ? FRAMES_MAX : (int)wanted;
  return EXIT_DONE;
}

static int draw(Order *order, Browser *browser, int *count) {
  bool many = order->digits || order->film;
  if (order->film && order->frames == 0) {
    int code = film_length(order, browser, &order->frames);
    if (code != EXIT_DONE)
      return code;
  }
  int total = many ? order->frames : 1;
  char path[PATH_SIZE], script[256], text[64];
  for (int i = 0; i < total; i++) {
    bool full = false;
    if (!picture_path(order, i, path, sizeof path))
      return session_fail(order->session, EXIT_USAGE, "%s: the name is too long", order->output);
    if (many)
      snprintf(script, sizeof script,
               "(({run}) => asperity.seek(run.time[0] + %.17g * (run.end - run.time[0])))(asperity)",
               total > 1 ? (double)i / (total - 1) : 0.0);
    else
      snprintf(script, sizeof script, "asperity.time");
    if (!browser_evaluate(browser, script, text, sizeof text) ||
        !browser_evaluate(browser, many ? "asperity.render()" : "asperity.finish()", text, sizeof text))
      return broken(order, browser);
    if (!browser_picture(browser, path, &full)) {
      if (!full)
        return broken(order, browser);
      return session_fail(order->session, exit_code_of_system(errno), "%s: %s", path, strerror(errno));
    }
    ++*count;
    if (interrupt_signal())
      return 128 + interrupt_signal();
  }
  return EXIT_DONE;
}

/* A film: its pictures into the folder, numbered, then ffmpeg. */
static int draw_film(Order *order, Browser *browser, const char *folder, int *count) {
  char program[PATH_SIZE], pattern[PATH_SIZE];
  const char *output = order->output;
  int code = film_find(order->session, program, sizeof program);
  if (code != EXIT_DONE)
    return code;
  snprintf(pattern, sizeof pattern, "%s/%s", folder, FILM_PICTURES);
  order->output = pattern;
  order->digits = strstr(pattern, FILM_PICTURES);
  order->width = 6;
  code = draw(order, browser, count);
  order->output = output;
  return code == EXIT_DONE ? film_write(order->session, program, folder, order->rate, output) : code;
}

static int draw_from(Order *order, const char *program, const char *folder, const PictureOptions *options, int *count) {
  char reason[512] = "out of memory";
  append_escaped(order->url, sizeof order->url, "file://", ":/");
  append_escaped(order->url, sizeof order->url, folder, "/-_.");
  append_escaped(order->url, sizeof order->url, "/page.html#", "/.#");
  append_escaped(order->url, sizeof order->url, options->view ? options->view : "", "=&+-_.%");
  append_escaped(order->url, sizeof order->url, options->panel ? "&quality=fine" : "&quality=fine&ui=0", "=&");
  append_escaped(order->url, sizeof order->url, "&rest=0", "=&"); // finer where it is asked for, not while one waits
  Browser *browser = browser_start(program, folder, order->picture_width, order->picture_height, reason, sizeof reason);
  if (!browser)
    return session_fail(order->session, EXIT_FAILED, "no picture: %s: %s", program, reason);
  int code = browser_open(browser, order->url) ? wait_for_page(order, browser) : broken(order, browser);
  if (code == EXIT_DONE)
    code = order->film ? draw_film(order, browser, folder, count) : draw(order, browser, count);
  browser_stop(browser);
  return code;
}

int pictures_write(const Session *session, const char *result, const char *output, const PictureOptions *options,
                   int *count) {
  Order order = {.session = session, .output = output, .film = is_film(output)};
  AspViewOptions view = asp_view_default_options();
  char program[PATH_SIZE], folder[PATH_SIZE - 64], page_path[PATH_SIZE];
  const char *page = NULL;
  size_t length = 0;
  int code = read_order(&order, options);
  if (code == EXIT_DONE)
    code = session_page(session, &page, &length);
  if (code != EXIT_DONE)
    return code;
  if (!browser_find(program, sizeof program))
    return session_fail(session, EXIT_USAGE,
                        "pictures are drawn by Chromium, and %s: install it (Debian: apt-get install chromium) or name "
                        "it in the variable CHROMIUM. Plots need none: -o FILE.svg",
                        getenv("CHROMIUM") ? "what the variable CHROMIUM names is no program"
                                           : "there is none on the path");
  if (order.film && (code = film_find(session, page_path, sizeof page_path)) != EXIT_DONE)
    return code;
  if (!make_folder(folder, sizeof folder))
    return session_fail(session, EXIT_FAILED, "%s: %s", folder, strerror(errno));
  interrupt_listen(session->context);
  snprintf(page_path, sizeof page_path, "%s/page.html", folder);
  AspError error = asp_report_write(session->context, result, &view, page, length, page_path);
  code = error == ASP_OK ? draw_from(&order, program, folder, options, count) : session_fail_error(session, error);
  nftw(folder, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
  return code;
}
