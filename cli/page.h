/* The viewer's page in this program, for report and view. */
#ifndef CLI_PAGE_H
#define CLI_PAGE_H

#include "command.h"

#include "asperity/io.h"

/* EXIT_DONE with the page, or, when the program was built without one, the exit code after saying how to get it. */
int session_page(const Session *session, const char **page, size_t *length);

/* The flags that say how much of a result is shown, for the table of a command; both variables receive texts. */
#define VIEW_OPTION_FLAGS(every, contacts)                                                                             \
  {"every", 0, "N", "every N-th stored frame (default: all, up to 4 million poses)", .text = &(every)}, {              \
    "contacts", 0, "N", "at most N contacts in all, the strongest of each frame (default 800000)", .text = &(contacts) \
  }

/* What both flags say. EXIT_DONE, or the code of the mistake it reported. */
int session_view_options(const Session *session, const char *every, const char *contacts, AspViewOptions *options);

/* An integer from low to high that a flag gives. EXIT_DONE, or the code of the mistake it reported. */
int session_count(const Session *session, const char *flag, const char *text, long long low, long long high,
                  long long *value);

#endif
