/* One HTTP request as text: what it asks for, or the status that refuses it. Knows no sockets. */
#ifndef CLI_HTTP_REQUEST_H
#define CLI_HTTP_REQUEST_H

/* `request` ends with the empty line and a zero; it is cut up in place. 200: *path is what follows "/TOKEN" of the
 * address, without its query. 403: another host than this machine at `port`, or another token. 400, 405: not a request
 * that is answered here. */
int http_request_read(char *request, int port, const char *token, char **path);

#endif
