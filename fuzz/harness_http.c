/* A request to `asperity view`: read in place; a path that is answered lies inside the request. */
#include "fuzz.h"

#include "http_request.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  char *request = fuzz_text(bytes, size), *path = NULL;
  // what the server hands over: no zero bytes, an empty line
  if (strlen(request) == size && strstr(request, "\r\n\r\n")) {
    int status = http_request_read(request, 8080, "0123456789abcdef", &path);
    if (status != 200 && status != 400 && status != 403 && status != 405)
      fuzz_complain("an unknown status");
    if (status == 200 && (!path || path < request || path + strlen(path) > request + size || path[0] != '/'))
      fuzz_complain("a path outside of the request");
  }
  free(request);
  return 0;
}
