/* The playground's page as bytes, made by cmake/EmbedPage.cmake; length 0 when the program was built without it. */
#ifndef PLAYGROUND_PAGE_H
#define PLAYGROUND_PAGE_H

#include <stddef.h>

extern const unsigned char playground_page[];
extern const size_t playground_page_length;

#endif
