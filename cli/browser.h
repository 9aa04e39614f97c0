/* A headless Chromium that draws pictures: opens one page, runs scripts in it, takes pictures of it. Driven through its
 * debugging protocol over two pipes (JSON messages that end with a zero byte): no port is opened, no other program is
 * needed.
 */
#ifndef CLI_BROWSER_H
#define CLI_BROWSER_H

#include <stdbool.h>
#include <stddef.h>

typedef struct Browser Browser;

/* The path of a program: what the variable names, or the first of the names (NULL at their end) on the path; false:
 * none. */
bool program_find(const char *variable, const char *const *names, char *path, size_t size);

/* The path of a Chromium: $CHROMIUM, or the first of the usual names on the path; false: none. */
bool browser_find(char *path, size_t size);

/* Starts it, with all it writes in `folder`; a window of width x height. NULL with a reason in browser_reason's style
 * when it does not start. */
Browser *browser_start(const char *program, const char *folder, int width, int height, char *reason, size_t size);
/* False, from all below: it ended, took too long or was interrupted; browser_reason says which. */
bool browser_open(Browser *browser, const char *url);
/* The text that `expression` gives, at most size - 1 bytes of it. No double quotes, backslashes or lines in it. */
bool browser_evaluate(Browser *browser, const char *expression, char *text, size_t size);
/* A picture of the window as a PNG file. `full`: the page is fine but the file is not, errno says why. */
bool browser_picture(Browser *browser, const char *path, bool *full);
const char *browser_reason(const Browser *browser);
void browser_stop(Browser *browser);

#endif
