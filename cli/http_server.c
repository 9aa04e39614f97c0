/* The smallest safe server (see http_server.h). A connection goes through three states: a request is read until its
 * empty line, an answer is written, and what the peer still sends is read and dropped for a moment, because closing a
 * socket with unread bytes would cut the answer off. */
#include "http_server.h"

#include "http_request.h"
#include "terminal.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define READ_SECONDS  10.0 /* for a whole request */
#define WRITE_SECONDS 30.0 /* without progress */
#define DRAIN_SECONDS 1.0
#define HEAD_BYTES    512

typedef enum ConnectionState { CLOSED, READING, WRITING, DRAINING } ConnectionState;

typedef struct Connection {
  ConnectionState state;
  int socket;
  double deadline;
  char request[HTTP_REQUEST_BYTES + 1];
  size_t received;
  char head[HEAD_BYTES];
  size_t head_length, sent; /* sent: of head and body together */
  HttpBody *body;
} Connection;

struct HttpServer {
  int listener, port;
  const char *token;
  const HttpRoute *routes;
  int route_count;
  void *user;
  Connection connection[HTTP_CONNECTIONS];
};

void http_body_drop(HttpBody *body) {
  if (body && --body->users == 0 && body->release)
    body->release(body);
}

/* ---- answers ---- */

static const char *reason_of(int status) {
  switch (status) {
  case 200:
    return "OK";
  case 202:
    return "Accepted";
  case 400:
    return "Bad Request";
  case 403:
    return "Forbidden";
  case 404:
    return "Not Found";
  case 405:
    return "Method Not Allowed";
  case 431:
    return "Request Header Fields Too Large";
  default:
    return "Internal Server Error";
  }
}

static void start_answer(Connection *connection, int status, HttpBody *body) {
  int length = snprintf(connection->head, HEAD_BYTES,
                        "HTTP/1.1 %d %s\r\nContent-Type: %s\r\nContent-Length: %zu\r\n%sConnection: close\r\n"
                        "Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\nX-Frame-Options: DENY\r\n"
                        "Cross-Origin-Resource-Policy: same-origin\r\nReferrer-Policy: no-referrer\r\n\r\n",
                        status, reason_of(status), body ? body->type : "text/plain", body ? body->length : (size_t)0,
                        status == 405 ? "Allow: GET\r\n" : "");
  connection->head_length = (size_t)length;
  connection->sent = 0;
  connection->body = body;
  connection->state = WRITING;
  connection->deadline = clock_seconds() + WRITE_SECONDS;
}

/* ---- requests ---- */

static void answer_request(HttpServer *server, Connection *connection) {
  char *path = NULL;
  HttpBody *body = NULL;
  int status = http_request_read(connection->request, server->port, server->token, &path);
  for (int i = 0; status == 200 && i < server->route_count; i++)
    if (strcmp(path, server->routes[i].path) == 0) {
      status = server->routes[i].answer(server->user, &body);
      start_answer(connection, status, body);
      return;
    }
  start_answer(connection, status == 200 ? 404 : status, NULL);
}

/* ---- connections ---- */

static void close_connection(Connection *connection) {
  if (connection->state == CLOSED)
    return;
  close(connection->socket);
  http_body_drop(connection->body);
  connection->body = NULL;
  connection->state = CLOSED;
}

static bool would_block(void) { return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR; }

static void read_some(HttpServer *server, Connection *connection) {
  ssize_t got = recv(connection->socket, connection->request + connection->received,
                     HTTP_REQUEST_BYTES - connection->received, 0);
  if (got <= 0) {
    if (got == 0 || !would_block())
      close_connection(connection);
    return;
  }
  connection->received += (size_t)got;
  connection->request[connection->received] = '\0';
  if (strlen(connection->request) != connection->received) // a zero byte: no request has one
    start_answer(connection, 400, NULL);
  else if (strstr(connection->request, "\r\n\r\n"))
    answer_request(server, connection);
  else if (connection->received == HTTP_REQUEST_BYTES)
    start_answer(connection, 431, NULL);
}

static void write_some(Connection *connection) {
  size_t body_length = connection->body ? connection->body->length : 0, total = connection->head_length + body_length;
  bool in_head = connection->sent < connection->head_length;
  const char *from = in_head ? connection->head + connection->sent
                             : (const char *)connection->body->bytes + (connection->sent - connection->head_length);
  size_t left = in_head ? connection->head_length - connection->sent : total - connection->sent;
  ssize_t put = send(connection->socket, from, left, MSG_NOSIGNAL);
  if (put < 0) {
    if (!would_block())
      close_connection(connection);
    return;
  }
  connection->sent += (size_t)put;
  connection->deadline = clock_seconds() + WRITE_SECONDS;
  if (connection->sent < total)
    return;
  shutdown(connection->socket, SHUT_WR);
  connection->state = DRAINING;
  connection->deadline = clock_seconds() + DRAIN_SECONDS;
}

static void drain_some(Connection *connection) {
  ssize_t got = recv(connection->socket, connection->request, HTTP_REQUEST_BYTES, 0);
  if (got == 0 || (got < 0 && !would_block()))
    close_connection(connection);
}

/* The one that has waited longest for its peer makes room for a new one. */
static Connection *free_connection(HttpServer *server) {
  Connection *oldest = NULL;
  for (int i = 0; i < HTTP_CONNECTIONS; i++) {
    Connection *connection = &server->connection[i];
    if (connection->state == CLOSED)
      return connection;
    if (connection->state != WRITING && (!oldest || connection->deadline < oldest->deadline))
      oldest = connection;
  }
  if (oldest)
    close_connection(oldest);
  return oldest;
}

static void accept_one(HttpServer *server) {
  int peer = accept(server->listener, NULL, NULL);
  if (peer < 0)
    return;
  Connection *connection = free_connection(server);
  if (!connection || fcntl(peer, F_SETFL, O_NONBLOCK) < 0 || fcntl(peer, F_SETFD, FD_CLOEXEC) < 0) {
    close(peer);
    return;
  }
  *connection = (Connection){.state = READING, .socket = peer, .deadline = clock_seconds() + READ_SECONDS};
}

/* ---- the server ---- */

HttpServer *http_server_create(int port, const char *token, const HttpRoute *routes, int route_count, void *user,
                               int *bound) {
  HttpServer *server = calloc(1, sizeof *server);
  int listener = socket(AF_INET, SOCK_STREAM, 0);
  struct sockaddr_in address = {
      .sin_family = AF_INET, .sin_port = htons((uint16_t)port), .sin_addr = {htonl(INADDR_LOOPBACK)}};
  socklen_t size = sizeof address;
  if (!server || listener < 0 || fcntl(listener, F_SETFL, O_NONBLOCK) < 0 || fcntl(listener, F_SETFD, FD_CLOEXEC) < 0 ||
      bind(listener, (struct sockaddr *)&address, sizeof address) < 0 || listen(listener, 64) < 0 ||
      getsockname(listener, (struct sockaddr *)&address, &size) < 0) {
    int reason = errno;
    if (listener >= 0)
      close(listener);
    free(server);
    errno = reason;
    return NULL;
  }
  *bound = server->port = ntohs(address.sin_port);
  server->listener = listener;
  server->token = token;
  server->routes = routes;
  server->route_count = route_count;
  server->user = user;
  return server;
}

void http_server_run(HttpServer *server, int milliseconds) {
  struct pollfd watched[HTTP_CONNECTIONS + 1] = {{.fd = server->listener, .events = POLLIN}};
  for (int i = 0; i < HTTP_CONNECTIONS; i++) {
    const Connection *connection = &server->connection[i];
    watched[i + 1] = (struct pollfd){.fd = connection->state == CLOSED ? -1 : connection->socket,
                                     .events = connection->state == WRITING ? POLLOUT : POLLIN};
  }
  if (poll(watched, HTTP_CONNECTIONS + 1, milliseconds) < 0)
    return;
  double now = clock_seconds();
  for (int i = 0; i < HTTP_CONNECTIONS; i++) {
    Connection *connection = &server->connection[i];
    bool ready = connection->state != CLOSED && watched[i + 1].revents != 0;
    if (ready && connection->state == READING)
      read_some(server, connection);
    else if (ready && connection->state == WRITING)
      write_some(connection);
    else if (ready && connection->state == DRAINING)
      drain_some(connection);
    if (connection->state != CLOSED && now > connection->deadline)
      close_connection(connection);
  }
  if (watched[0].revents)
    accept_one(server);
}

void http_server_destroy(HttpServer *server) {
  if (!server)
    return;
  for (int i = 0; i < HTTP_CONNECTIONS; i++)
    close_connection(&server->connection[i]);
  close(server->listener);
  free(server);
}
