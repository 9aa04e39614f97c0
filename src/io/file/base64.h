/* Bytes as letters (base64, RFC 4648), written in pieces that need not be of full length. */
#ifndef ASP_IO_BASE64_H
#define ASP_IO_BASE64_H

#include <stddef.h>
#include <stdio.h>

typedef struct Base64 {
  FILE *file;
  unsigned char held[3]; /* bytes that do not fill a group of three yet */
  int count;
} Base64;

void asp_base64_write(Base64 *base64, const void *bytes, size_t length);
/* Writes what is held, filled up with '='. */
void asp_base64_end(Base64 *base64);

#endif
