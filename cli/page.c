/* The viewer's page in this program (see page.h). */
#include "page.h"

#include "viewer_page.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>

int session_page(const Session *session, const char **page, size_t *length) {
  *page = (const char *)viewer_page;
  *length = viewer_page_length;
  if (viewer_page_length)
    return EXIT_DONE;
  return session_fail(
      session, EXIT_USAGE,
      "this program was built without the viewer; ./quickstart builds it in (it needs node and npm), or "
      "npm install in the folder web/ and build again, or cmake -DASPERITY_VIEWER_PAGE=PAGE.html with a page "
      "built elsewhere");
}

int session_count(const Session *session, const char *flag, const char *text, long long low, long long high,
                  long long *value) {
  char *end = NULL;
  errno = 0;
  long long given = strtoll(text, &end, 10);
  if (end == text || *end || errno || given < low || given > high)
    return session_fail(session, EXIT_USAGE, "--%s %s: expected an integer from %lld to %lld", flag, text, low, high);
  *value = given;
  return EXIT_DONE;
}

int session_view_options(const Session *session, const char *every, const char *contacts, AspViewOptions *options) {
  *options = asp_view_default_options();
  long long value = 0;
  int code = every ? session_count(session, "every", every, 1, INT_MAX, &value) : EXIT_DONE;
  if (code == EXIT_DONE && every)
    options->every = (int)value;
  if (code == EXIT_DONE && contacts)
    code = session_count(session, "contacts", contacts, 0, 1000000000, &value);
  if (code == EXIT_DONE && contacts)
    options->contacts_max = value;
  return code;
}
