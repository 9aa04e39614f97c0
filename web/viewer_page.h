/* The viewer's page as bytes, made by cmake/EmbedPage.cmake; length 0 when the program was built without it. */
#ifndef VIEWER_PAGE_H
#define VIEWER_PAGE_H

#include <stddef.h>

extern const unsigned char viewer_page[];
extern const size_t viewer_page_length;

#endif
