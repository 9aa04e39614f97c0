/* asperity view: the page of a result, served on this machine; follows a run that is still going on. */
#include "arguments.h"
#include "http_server.h"
#include "interrupt.h"
#include "json.h"
#include "page.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TOKEN_DIGITS 32 /* 128 random bits */

/* What is served. Data are packed again when the result has grown. */
typedef struct View {
  const Session *session;
  const char *result;
  AspViewOptions options;
  HttpBody page;
  HttpBody *data; /* NULL: not yet */
  int64_t frames; /* of the result when `data` was packed */
  bool complete;
} View;

/* ---- bodies ---- */

typedef struct PackedData {
  HttpBody body;
  AspContext *context;
} PackedData;

static void release_packed(HttpBody *body) {
  PackedData *packed = (PackedData *)body;
  asp_view_data_destroy(packed->context, (unsigned char *)(uintptr_t)body->bytes);
  free(packed);
}

static void release_text(HttpBody *body) { free(body); }

/* A body with a copy of the text behind it; NULL when out of memory. */
static HttpBody *text_body(const char *type, const char *text) {
  size_t length = strlen(text);
  HttpBody *body = malloc(sizeof *body + length + 1);
  if (!body)
    return NULL;
  char *copy = (char *)(body + 1);
  memcpy(copy, text, length + 1);
  *body = (HttpBody){.type = type, .bytes = copy, .length = length, .users = 1, .release = release_text};
  return body;
}

/* 202: the result is being written at this moment, or was removed; the page asks again (a browser would list 503 as a
   fault of the page). */
static int not_ready(const View *view, HttpBody **body) {
  *body = text_body("text/plain; charset=utf-8", asp_context_message(view->session->context));
  return 202;
}

/* ---- routes ---- */

static int answer_page(void *user, HttpBody **body) {
  View *view = user;
  view->page.users++;
  *body = &view->page;
  return 200;
}

static int answer_status(void *user, HttpBody **body) {
  View *view = user;
  int64_t frames = 0;
  bool complete = false;
  if (asp_result_progress(view->session->context, view->result, &frames, &complete) != ASP_OK)
    return not_ready(view, body);
  char text[96];
  snprintf(text, sizeof text, "{\"frames\": %lld, \"complete\": %s}\n", (long long)frames, complete ? "true" : "false");
  *body = text_body("application/json", text);
  return *body ? 200 : 500;
}

static AspError pack(View *view) {
  AspContext *context = view->session->context;
  int64_t frames = 0;
  bool complete = false;
  AspError error = asp_result_progress(context, view->result, &frames, &complete);
  if (error != ASP_OK || (view->data && view->frames == frames && view->complete == complete))
    return error;
  unsigned char *bytes = NULL;
  size_t length = 0;
  error = asp_view_data(context, view->result, &view->options, &bytes, &length);
  PackedData *packed = error == ASP_OK ? malloc(sizeof *packed) : NULL;
  if (!packed) {
    asp_view_data_destroy(context, bytes);
    return error == ASP_OK ? ASP_ERROR_MEMORY : error;
  }
  *packed = (PackedData){.body = {.type = "application/octet-stream",
                                  .bytes = bytes,
                                  .length = length,
                                  .users = 1,
                                  .release = release_packed},
                         .context = context};
  http_body_drop(view->data);
  view->data = &packed->body;
  view->frames = frames;
  view->complete = complete;
  return ASP_OK;
}

static int answer_data(void *user, HttpBody **body) {
  View *view = user;
  if (pack(view) != ASP_OK)
    return not_ready(view, body);
  view->data->users++;
  *body = view->data;
  return 200;
}

static const HttpRoute routes[] = {{"/", answer_page}, {"/data", answer_data}, {"/status", answer_status}};

/* ---- the command ---- */

/* Whoever does not know the address cannot see the result: other users of this machine, for one. */
static bool make_token(char token[TOKEN_DIGITS + 1]) {
  unsigned char bytes[TOKEN_DIGITS / 2];
  FILE *random = fopen("/dev/urandom", "rb");
  bool good = random && fread(bytes, 1, sizeof bytes, random) == sizeof bytes;
  if (random)
    fclose(random);
  for (int i = 0; good && i < TOKEN_DIGITS / 2; i++)
    snprintf(token + 2 * i, 3, "%02x", bytes[i]);
  return good;
}

static void announce(const Session *session, const char *result, int port, const char *token) {
  char url[64 + TOKEN_DIGITS];
  snprintf(url, sizeof url, "http://127.0.0.1:%d/%s/", port, token);
  if (session->json) {
    Json json = json_start(stdout);
    json_text(&json, "file", result);
    json_text(&json, "url", url);
    json_integer(&json, "port", port);
    json_finish(&json);
  } else {
    printf("%s: %s (Ctrl-C ends)\n", result, url);
  }
  fflush(stdout);
}

static int serve(View *view, int port) {
  const Session *session = view->session;
  int bound = 0;
  char token[TOKEN_DIGITS + 1] = "";
  if (!make_token(token))
    return session_fail(session, EXIT_FAILED, "/dev/urandom: cannot be read: %s", strerror(errno));
  HttpServer *server = http_server_create(port, token, routes, sizeof routes / sizeof *routes, view, &bound);
  if (!server)
    return session_fail(session, port ? EXIT_USAGE : EXIT_FAILED, "port %d of 127.0.0.1: %s", port, strerror(errno));
  interrupt_listen(session->context);
  announce(session, view->result, bound, token);
  while (!interrupt_signal())
    http_server_run(server, 250);
  http_server_destroy(server);
  http_body_drop(view->data);
  return EXIT_DONE;
}

static int view(Session *session, int count, char **words) {
  const char *port_text = NULL, *every = NULL, *contacts = NULL, *page = NULL;
  const Flag flags[] = {{"port", 'p', "N", "port to listen on (default: one that is free)", .text = &port_text},
                        VIEW_OPTION_FLAGS(every, contacts)};
  Arguments arguments = {.flags = flags, .flag_count = 3, .least = 1, .most = 1};
  View view = {.session = session};
  int code = EXIT_DONE;
  long long port = 0;
  size_t length = 0;
  if (!arguments_read(&arguments, session, count, words, &code))
    return code;
  view.result = arguments.words[0];
  code = session_view_options(session, every, contacts, &view.options);
  if (code == EXIT_DONE && port_text)
    code = session_count(session, "port", port_text, 1, 65535, &port);
  if (code == EXIT_DONE)
    code = session_page(session, &page, &length);
  if (code != EXIT_DONE)
    return code;
  AspError error = asp_result_progress(session->context, view.result, &view.frames, &view.complete);
  if (error != ASP_OK)
    return session_fail_result(session, error, view.result);
  view.page = (HttpBody){.type = "text/html; charset=utf-8", .bytes = page, .length = length, .users = 1};
  return serve(&view, (int)port);
}

const Command command_view = {
    .name = "view",
    .arguments = "RESULT.h5",
    .summary = "serve the page of `report` on this machine, also while the run is going on",
    .details =
        "Serves the page of `asperity report` on 127.0.0.1, where only this machine can reach it, and prints its\n"
        "address. The address holds a random token, new with every start: without it, other users of this machine\n"
        "see nothing. While the run is still writing the result, the page follows it. Ctrl-C ends.",
    .examples = "  asperity view sphere-slides-then-rolls.h5\n"
                "  asperity view sphere-slides-then-rolls.h5 --port 8080",
    .run = view,
};
