/* Grey pictures in PNG, for height fields: 8 bits of the red or grey channel, as MuJoCo takes them. Chunks IHDR, PLTE,
 * IDAT (one zlib stream), filters 0 to 4 of the lines; not interlaced ones. Source: W3C, PNG (third edition).
 */
#include "io/import/mjcf.h"

#include <stdlib.h>
#include <zlib.h>

typedef struct Picture {
  uint32_t width, height;
  int depth, colour; /* bits of a sample; type of colour */
  uint8_t palette[256];
  const uint8_t *data; /* all IDAT chunks */
  size_t length;
} Picture;

static uint32_t number_at(const uint8_t *byte) {
  return (uint32_t)byte[0] << 24 | (uint32_t)byte[1] << 16 | (uint32_t)byte[2] << 8 | byte[3];
}

static int channels_of(int colour) { return colour == 2 ? 3 : colour == 4 ? 2 : colour == 6 ? 4 : 1; }

/* False: not a picture of this kind. */
static bool read_header(const uint8_t *byte, Picture *picture) {
  picture->width = number_at(byte);
  picture->height = number_at(byte + 4);
  picture->depth = byte[8];
  picture->colour = byte[9];
  int d = picture->depth, c = picture->colour;
  bool depths = c == 0   ? d == 1 || d == 2 || d == 4 || d == 8 || d == 16
                : c == 3 ? d == 1 || d == 2 || d == 4 || d == 8
                         : (c == 2 || c == 4 || c == 6) && (d == 8 || d == 16);
  return depths && byte[10] == 0 && byte[11] == 0 && byte[12] == 0 && picture->width >= 2 && picture->height >= 2 &&
         picture->width <= MJCF_GRID_MAX && picture->height <= MJCF_GRID_MAX;
}

/* All chunks; the data of IDAT are moved together to the front of the text. */
static bool read_chunks(uint8_t *text, size_t length, Picture *picture) {
  static const uint8_t mark[8] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
  bool headed = false;
  if (length < sizeof mark || memcmp(text, mark, sizeof mark) != 0)
    return false;
  for (size_t at = sizeof mark; length - at >= 12;) {
    size_t size = number_at(text + at);
    uint8_t *kind = text + at + 4, *body = text + at + 8;
    if (size > length - at - 12)
      return false;
    if (memcmp(kind, "IHDR", 4) == 0 && !(headed = size == 13 && read_header(body, picture)))
      return false;
    if (memcmp(kind, "PLTE", 4) == 0)
      for (size_t i = 0; i < size / 3 && i < 256; i++)
        picture->palette[i] = body[3 * i];
    if (memcmp(kind, "IDAT", 4) == 0) {
      memmove(text + picture->length, body, size);
      picture->length += size;
    }
    if (memcmp(kind, "IEND", 4) == 0)
      break;
    at += size + 12;
  }
  picture->data = text;
  return headed && picture->length > 0;
}

static int nearest(int left, int up, int corner) {
  int from_left = abs(up - corner), from_up = abs(left - corner), from_corner = abs(left + up - 2 * corner);
  return from_left <= from_up && from_left <= from_corner ? left : from_up <= from_corner ? up : corner;
}

/* A line as it was before its filter; `step`: bytes of a pixel. */
static bool unfilter(int filter, const uint8_t *above, size_t bytes, size_t step, uint8_t *line) {
  for (size_t i = 0; i < bytes; i++) {
    int left = i >= step ? line[i - step] : 0, up = above ? above[i] : 0,
        corner = above && i >= step ? above[i - step] : 0;
    int guess = filter == 1   ? left
                : filter == 2 ? up
                : filter == 3 ? (left + up) / 2
                : filter == 4 ? nearest(left, up, corner)
                              : 0;
    line[i] = (uint8_t)(line[i] + guess);
  }
  return filter <= 4;
}

static double sample(const Picture *picture, const uint8_t *line, uint32_t column) {
  if (picture->depth >= 8)
    line += (size_t)column * (size_t)(channels_of(picture->colour) * picture->depth / 8);
  else
    line += (size_t)column * (size_t)picture->depth / 8;
  if (picture->depth >= 8)
    return picture->colour == 3 ? picture->palette[*line] : *line; // of 16 bits the upper ones
  int per_byte = 8 / picture->depth, place = per_byte - 1 - (int)(column % (uint32_t)per_byte),
      most = (1 << picture->depth) - 1, value = *line >> (place * picture->depth) & most;
  return picture->colour == 3 ? picture->palette[value] : 255.0 * value / most;
}

/* Rows of ascending y: the last line of the picture is the first row. */
static bool read_lines(Import *import, const Picture *picture, MjcfGrid *grid) {
  size_t bits = (size_t)picture->width * (size_t)(channels_of(picture->colour) * picture->depth),
         bytes = (bits + 7) / 8, step = (size_t)(channels_of(picture->colour) * picture->depth + 7) / 8;
  uLongf length = (uLongf)((bytes + 1) * picture->height), wanted = length;
  uint8_t *lines = asp_import_take(import, length, 1), *above = NULL;
  if (!lines || !asp_mjcf_take_grid(import, (int)picture->height, (int)picture->width, grid) ||
      uncompress(lines, &length, picture->data, (uLong)picture->length) != Z_OK || length != wanted)
    return false;
  for (uint32_t r = 0; r < picture->height; r++) {
    uint8_t *line = lines + (bytes + 1) * r;
    if (!unfilter(line[0], above, bytes, step, line + 1))
      return false;
    above = line + 1;
    for (uint32_t c = 0; c < picture->width; c++)
      grid->height[(size_t)(picture->height - 1 - r) * picture->width + c] = sample(picture, above, c);
  }
  return true;
}

bool asp_mjcf_png(Import *import, char *text, size_t length, MjcfGrid *grid) {
  Picture picture = {0};
  return read_chunks((uint8_t *)text, length, &picture) && read_lines(import, &picture, grid);
}
