/* The viewer's page in this program, for report and view. */
#ifndef CLI_PAGE_H
#define CLI_PAGE_H

#include "command.h"

#include "asperity/io.h"

/* EXIT_DONE with the page, or, when the program was built without one, the exit code after saying how to get it. */
int session_page(const Session *session, const char **page, size_t *length);

/* The flags --every and --contacts of both commands. EXIT_DONE, or the code of the mistake it reported. */
int session_view_options(const Session *session, const char *every, const char *contacts, AspViewOptions *options);

#endif
