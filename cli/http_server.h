/* The smallest safe server: HTTP/1.1 on 127.0.0.1, GET only, a fixed list of routes, nothing from the file system.
 *
 *   HttpServer *server = http_server_create(0, token, routes, count, user, &port);
 *   while (!interrupt_signal())
 *     http_server_run(server, 250);
 *   http_server_destroy(server);
 *
 * One thread, at most HTTP_CONNECTIONS at a time, requests of at most HTTP_REQUEST_BYTES, time limits for slow and
 * silent peers. Requests that name another host than 127.0.0.1 or localhost are refused, so that no web page can read
 * the data through a host name that resolves to this machine (DNS rebinding); and so are those without the token in
 * their address, "/TOKEN/...", so that no other user of this machine can read them. Every answer closes its connection.
 */
#ifndef CLI_HTTP_SERVER_H
#define CLI_HTTP_SERVER_H

#include <stdbool.h>
#include <stddef.h>

#define HTTP_CONNECTIONS   32
#define HTTP_REQUEST_BYTES 8192

/* What is sent; kept until the last connection is done with it, then released. */
typedef struct HttpBody {
  const char *type; /* "text/html; charset=utf-8" */
  const void *bytes;
  size_t length;
  int users; /* connections that are sending it, and its owner */
  void (*release)(struct HttpBody *body);
} HttpBody;

typedef struct HttpRoute {
  const char *path; /* "/": compared with what follows the token, as a whole; what follows a '?' left out */
  /* The status (200 or an error) with a body that the server counts as used; NULL stands for an empty text. */
  int (*answer)(void *user, HttpBody **body);
} HttpRoute;

typedef struct HttpServer HttpServer;

/* port 0: one that is free. NULL with errno set when it cannot listen. Token and routes are borrowed. */
HttpServer *http_server_create(int port, const char *token, const HttpRoute *routes, int route_count, void *user,
                               int *bound);
/* Serves for at most this long, then returns; at once after a signal. */
void http_server_run(HttpServer *server, int milliseconds);
void http_server_destroy(HttpServer *server);

/* One user less; released with the last. NULL is fine. */
void http_body_drop(HttpBody *body);

#endif
