/* The page of studies, compiled in; a zero behind it. */
#ifndef ASP_IO_STUDY_PAGE_H
#define ASP_IO_STUDY_PAGE_H

#include <stddef.h>

extern const unsigned char study_page[];
extern const size_t study_page_length;

#endif
