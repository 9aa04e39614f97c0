/* What drawings share. */
#ifndef ASP_IO_SVG_H
#define ASP_IO_SVG_H

#include <stdio.h>

/* Text of an SVG element: &, < and > escaped. */
void asp_svg_text(FILE *file, const char *text);

#endif
