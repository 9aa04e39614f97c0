/* Numbers in text files: with a decimal point in every locale. Depends on base. */
#ifndef ASP_IO_TEXT_NUMBER_H
#define ASP_IO_TEXT_NUMBER_H

#include "base/base.h"

/* [+-]digits[.digits][e[+-]digits] and nothing else; false: it is no number. May be infinite: too large. */
bool asp_text_number(const char *text, int length, double *number);
/* A word for a message: printable, not longer than 32 characters. */
const char *asp_text_show(const char *text, int length, char buffer[40]);

#endif
