/* One HTTP request as text (see http_request.h). */
#include "http_request.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

/* The value of a header field in `text`, up to the line's end; NULL: not there. Lines start after "\r\n". */
static const char *header_value(const char *text, const char *name) {
  size_t length = strlen(name);
  for (const char *line = strstr(text, "\r\n"); line; line = strstr(line, "\r\n")) {
    line += 2;
    if (strncasecmp(line, name, length) == 0 && line[length] == ':')
      return line + length + 1 + strspn(line + length + 1, " \t");
  }
  return NULL;
}

/* The request names this machine, not another host name that was made to resolve to it (DNS rebinding). */
static bool host_is_ours(const char *request, int port) {
  static const char *const names[] = {"127.0.0.1", "localhost"};
  const char *host = header_value(request, "Host");
  if (!host)
    return false;
  for (int i = 0; i < 2; i++) {
    char ours[64];
    int length = snprintf(ours, sizeof ours, "%s:%d", names[i], port);
    if (strncasecmp(host, ours, (size_t)length) == 0 && strchr(" \t\r", host[length]) != NULL)
      return true;
  }
  return false;
}

/* "GET /path?query HTTP/1.1": the path cut out in place; 200 or the status that refuses the request. */
static int read_request_line(char *request, char **path) {
  char *end = strstr(request, "\r\n");
  char *first = memchr(request, ' ', (size_t)(end - request));
  char *second = first ? memchr(first + 1, ' ', (size_t)(end - first - 1)) : NULL;
  if (!second || strncmp(second + 1, "HTTP/1.", 7) != 0 || end - second != 9)
    return 400;
  if (first - request != 3 || strncmp(request, "GET", 3) != 0)
    return 405;
  *second = '\0';
  *path = first + 1;
  (*path)[strcspn(*path, "?")] = '\0';
  return **path == '/' ? 200 : 400;
}

/* Whether the path begins with "/TOKEN/"; takes as long for a wrong token as for one that is nearly right. */
static bool token_is_ours(const char *path, const char *token) {
  size_t length = strlen(token);
  if (strlen(path) < length + 2)
    return false;
  unsigned difference = 0;
  for (size_t i = 0; i < length; i++)
    difference |= (unsigned)(path[1 + i] ^ token[i]);
  return !difference && path[length + 1] == '/';
}

int http_request_read(char *request, int port, const char *token, char **path) {
  bool ours = host_is_ours(request, port),
       has_content = header_value(request, "Content-Length") || header_value(request, "Transfer-Encoding");
  int status = read_request_line(request, path);
  if (status == 200 && !ours)
    status = 403;
  if (status == 200 && has_content)
    status = 400;
  if (status == 200 && !token_is_ours(*path, token))
    status = 403;
  if (status == 200)
    *path += 1 + strlen(token);
  return status;
}
