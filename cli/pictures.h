/* Pictures and films of a run, drawn by the viewer's page in a headless Chromium. */
#ifndef CLI_PICTURES_H
#define CLI_PICTURES_H

#include "command.h"

typedef struct PictureOptions {
  const char *view;   /* what the page takes after its #; NULL: its defaults */
  const char *size;   /* "1200x750"; NULL: that */
  const char *frames; /* how many, of a pattern or a film; NULL: 100, of a film as many as the page would play */
  const char *rate;   /* pictures a second of a film; NULL: 30 */
  bool panel;         /* with panel and transport */
} PictureOptions;

/* True for names that end with .png, .mp4, .webm or .gif. */
bool is_picture(const char *path);

/* `output`: one picture, a pattern with one %d (%04d) for pictures over the whole run, or a film. Returns the exit
 * code; *count gets the number of pictures drawn. */
int pictures_write(const Session *session, const char *result, const char *output, const PictureOptions *options,
                   int *count);

#endif
