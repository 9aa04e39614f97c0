/* Pictures put together to a film by ffmpeg. */
#ifndef CLI_FILM_H
#define CLI_FILM_H

#include "command.h"

/* Pictures of a film in its folder, numbered from 0. */
#define FILM_PICTURES "%06d.png"

/* True for names that end with .mp4, .webm or .gif. */
bool is_film(const char *path);
/* The path of ffmpeg: $FFMPEG, or the one on the path; otherwise an exit code with a message that says what helps. */
int film_find(const Session *session, char *program, size_t size);
/* The pictures of `folder` into `output`, so many a second. Returns the exit code. */
int film_write(const Session *session, const char *program, const char *folder, int rate, const char *output);

#endif
