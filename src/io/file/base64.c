/* Bytes as letters: three bytes become four letters of six bits each (RFC 4648, section 4). */
#include "io/file/base64.h"

static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

static void put_group(char four[4], const unsigned char three[3]) {
  unsigned word = (unsigned)three[0] << 16 | (unsigned)three[1] << 8 | (unsigned)three[2];
  four[0] = letters[word >> 18];
  four[1] = letters[word >> 12 & 63];
  four[2] = letters[word >> 6 & 63];
  four[3] = letters[word & 63];
}

void asp_base64_write(Base64 *base64, const void *bytes, size_t length) {
  const unsigned char *next = bytes, *end = next + length;
  char line[4 * 1024];
  size_t used = 0;
  while (next < end) {
    base64->held[base64->count++] = *next++;
    if (base64->count < 3)
      continue;
    put_group(line + used, base64->held);
    base64->count = 0;
    used += 4;
    if (used == sizeof line) {
      fwrite(line, 1, used, base64->file);
      used = 0;
    }
  }
  if (used > 0)
    fwrite(line, 1, used, base64->file);
}

void asp_base64_end(Base64 *base64) {
  if (base64->count == 0)
    return;
  char four[4];
  for (int i = base64->count; i < 3; i++)
    base64->held[i] = 0;
  put_group(four, base64->held);
  for (int i = base64->count; i < 3; i++)
    four[i + 1] = '=';
  fwrite(four, 1, sizeof four, base64->file);
  base64->count = 0;
}
