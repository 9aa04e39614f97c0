/* hostile_client PORT TOKEN COUNT SECRET: COUNT requests that no honest browser sends, to 127.0.0.1:PORT.
 *
 * Traversal in many spellings, long lines, bad methods, broken syntax, zero bytes, other hosts, bodies, noise, the
 * routes without the token, and sockets that send half a request and then nothing. Every answer must be an error of HTTP without the text SECRET; now
 * and then an honest request must still be answered with 200. Exit code 0 when all of it holds.
 */
#define _POSIX_C_SOURCE 200809L
#include <arpa/inet.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define REQUEST_MAX 70000
#define HALF_OPEN   64

static int port;
static const char *token;
static uint64_t random_state = 0x9e3779b97f4a7c15u;

static unsigned random_below(unsigned bound) {
  random_state = random_state * 6364136223846793005u + 1442695040888963407u;
  return (unsigned)(random_state >> 33) % bound;
}

static int connect_to_server(void) {
  int s = socket(AF_INET, SOCK_STREAM, 0);
  struct sockaddr_in address = {
      .sin_family = AF_INET, .sin_port = htons((uint16_t)port), .sin_addr = {htonl(INADDR_LOOPBACK)}};
  if (s < 0 || connect(s, (struct sockaddr *)&address, sizeof address) < 0) {
    perror("hostile_client: connect");
    exit(1);
  }
  return s;
}

static void send_all(int s, const char *bytes, size_t length) {
  while (length > 0) {
    ssize_t put = send(s, bytes, length, MSG_NOSIGNAL);
    if (put <= 0)
      return; // the server had enough
    bytes += put;
    length -= (size_t)put;
  }
}

/* What comes back within 5 s, up to size - 1 bytes; the rest is read and dropped. */
static size_t receive_all(int s, char *answer, size_t size) {
  size_t length = 0;
  char rest[4096];
  struct pollfd watched = {.fd = s, .events = POLLIN};
  while (poll(&watched, 1, 5000) > 0) {
    bool full = length + 1 >= size;
    ssize_t got = full ? recv(s, rest, sizeof rest, 0) : recv(s, answer + length, size - 1 - length, 0);
    if (got <= 0)
      break;
    length += full ? 0 : (size_t)got;
  }
  answer[length] = '\0';
  return length;
}

static const char *const targets[] = {"/../../../../etc/passwd",
                                      "/..%2f..%2f..%2fetc/passwd",
                                      "/%2e%2e/%2e%2e/etc/passwd",
                                      "//etc/passwd",
                                      "/..\\..\\secret.txt",
                                      "/secret.txt",
                                      "/./secret.txt",
                                      "/data/../secret.txt",
                                      "/data/",
                                      "/status/x",
                                      "/index.html",
                                      "file:///etc/passwd",
                                      "http://example.org/",
                                      "*",
                                      "secret.txt",
                                      "/data%00.html",
                                      "/.git/config",
                                      "/proc/self/environ",
                                      "/~root",
                                      "/?/../secret.txt/"};
static const char *const methods[] = {"POST", "PUT",   "DELETE", "HEAD", "OPTIONS", "TRACE",
                                      "get",  "PATCH", "G ET",   "GETT", "CONNECT", ""};
#define COUNT_OF(list) (sizeof(list) / sizeof(list)[0])

/* A hostile request; its length. `broken`: may be answered by closing alone. */
static size_t make_request(char *out, unsigned kind, bool *broken) {
  int length = 0;
  *broken = false;
  switch (kind) {
  case 0: { // the last target is honest but for its query; with the token, and without
    unsigned with = random_below(2);
    length = snprintf(out, REQUEST_MAX, "GET %s%s%s HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n\r\n", with ? "/" : "",
                      with ? token : "", targets[random_below(COUNT_OF(targets) - 1)], port);
    break;
  }
  case 1:
    length = snprintf(out, REQUEST_MAX, "%s / HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n\r\n",
                      methods[random_below(COUNT_OF(methods))], port);
    break;
  case 2: // a long line, sometimes without an end
    length = snprintf(out, REQUEST_MAX, "GET /");
    memset(out + length, 'a', 60000);
    length += 60000;
    if (random_below(2))
      length += snprintf(out + length, (size_t)(REQUEST_MAX - length), " HTTP/1.1\r\n\r\n");
    break;
  case 3:
    length = snprintf(out, REQUEST_MAX, "GET /%s/ HTTP/1.1\r\nHost: evil.example:%d\r\n\r\n", token, port);
    break;
  case 4:
    length = snprintf(out, REQUEST_MAX, "GET /%s/ HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nContent-Length: 99999999\r\n\r\n%s",
                      token, port, "body");
    break;
  case 5: // noise, with zero bytes
    length = 1 + (int)random_below(2000);
    for (int i = 0; i < length; i++)
      out[i] = (char)random_below(256);
    memcpy(out + length, "\r\n\r\n", 4);
    length += 4;
    break;
  case 6:
    length = snprintf(out, REQUEST_MAX, "GET /%s/ HTTP/9.9\r\nHost: 127.0.0.1:%d\r\n\r\n", token, port);
    break;
  case 7: // many headers
    length = snprintf(out, REQUEST_MAX, "GET / HTTP/1.1\r\n");
    while (length < 20000)
      length += snprintf(out + length, (size_t)(REQUEST_MAX - length), "X-%u: y\r\n", random_below(1000000));
    length += snprintf(out + length, (size_t)(REQUEST_MAX - length), "\r\n");
    break;
  default: // half a request, then goodbye
    length = snprintf(out, REQUEST_MAX, "GET / HT");
    *broken = true;
  }
  return (size_t)length;
}

static void complain(const char *what, const char *request, const char *answer) {
  fprintf(stderr, "hostile_client: %s\nrequest: %.200s\nanswer: %.300s\n", what, request, answer);
  exit(1);
}

static void ask_honestly(void) {
  char request[256], answer[512];
  snprintf(request, sizeof request, "GET /%s/status?x=1 HTTP/1.1\r\nHost: localhost:%d\r\n\r\n", token, port);
  int s = connect_to_server();
  send_all(s, request, strlen(request));
  receive_all(s, answer, sizeof answer);
  if (strncmp(answer, "HTTP/1.1 200 OK\r\n", 17) != 0 || !strstr(answer, "\"frames\": "))
    complain("an honest request was not answered", request, answer);
  close(s);
}

/* The routes themselves, with no token, one that is too short and one that is nearly right. */
static void ask_without_token(void) {
  static const char *const routes[] = {"/", "/data", "/status"};
  for (unsigned i = 0; i < 3 * COUNT_OF(routes); i++) {
    char request[256], answer[512] = "", other[64] = "";
    if (i % 3)
      snprintf(other, sizeof other, "/%.*s%s", (int)strlen(token) - 1, token,
               i % 3 == 1                        ? ""
               : token[strlen(token) - 1] == 'x' ? "y"
                                                 : "x");
    snprintf(request, sizeof request, "GET %s%s HTTP/1.1\r\nHost: localhost:%d\r\n\r\n", other, routes[i / 3], port);
    int s = connect_to_server();
    send_all(s, request, strlen(request));
    receive_all(s, answer, sizeof answer);
    if (strncmp(answer, "HTTP/1.1 403", 12) != 0)
      complain("answered without the token", request, answer);
    close(s);
  }
}

int main(int count, char **words) {
  if (count != 5)
    return 2;
  port = atoi(words[1]);
  token = words[2];
  ask_without_token();
  int requests = atoi(words[3]), half_open[HALF_OPEN] = {0};
  char *request = malloc(REQUEST_MAX + 16), answer[4096];
  if (!request)
    return 1;
  for (int i = 0; i < requests; i++) {
    bool broken = false;
    size_t length = make_request(request, random_below(9), &broken);
    int s = connect_to_server();
    send_all(s, request, length);
    if (broken) { // stays open, without another word, until its place is needed
      int *place = &half_open[i % HALF_OPEN];
      if (*place)
        close(*place);
      *place = s;
      continue;
    }
    if (random_below(20) == 0)
      shutdown(s, SHUT_WR);
    size_t got = receive_all(s, answer, sizeof answer);
    close(s);
    if (strstr(answer, words[4]) || strstr(answer, "root:"))
      complain("a file got out", request, answer);
    if (got > 0 && strncmp(answer, "HTTP/1.1 4", 10) != 0)
      complain("a hostile request was not refused", request, answer);
    if (i % 50 == 0)
      ask_honestly();
  }
  for (int i = 0; i < HALF_OPEN; i++)
    if (half_open[i])
      close(half_open[i]);
  ask_honestly();
  free(request);
  return 0;
}
