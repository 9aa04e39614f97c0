/* Arrays for NumPy. A .npy file is a magic string, the length of a header, the header (a Python dictionary with type
 * and shape) and the numbers; a .npz is a zip archive of such files, here without compression
 * (numpy.lib.format, version 1.0; PKWARE APPNOTE 6.3: local headers, data, central directory, end record). Sizes and
 * checksums are known only behind the data, so each local header is written again then. Archives end at 4 GB: what is
 * larger is refused. There are no time stamps: equal results give equal files.
 */
#define _POSIX_C_SOURCE 200809L
#include "io/export/npz.h"

#include <zlib.h>

#define LOCAL_MARK   UINT32_C(0x04034b50)
#define CENTRAL_MARK UINT32_C(0x02014b50)
#define END_MARK     UINT32_C(0x06054b50)
#define ZIP_VERSION  20
#define ZIP_DATE     0x21 /* 1980-01-01, the first there is */
#define ZIP_MAX      UINT64_C(0xffffffff)
#define HEADER_SIZE  192 /* of a .npy, with its magic string: a multiple of 64 */
#define PREFIX       10  /* magic string, version, length of the header */

typedef struct Little {
  unsigned char bytes[64];
  size_t size;
} Little;

static void put(Little *out, uint64_t value, int bytes) {
  for (int i = 0; i < bytes; i++)
    out->bytes[out->size++] = (unsigned char)(value >> (8 * i));
}

/* The fields that the local header and the directory share, from the version on. */
static void put_entry(Little *out, const NpzEntry *entry) {
  put(out, ZIP_VERSION, 2);
  put(out, 0, 2); // no flags
  put(out, 0, 2); // stored
  put(out, 0, 2);
  put(out, ZIP_DATE, 2);
  put(out, entry->crc, 4);
  put(out, entry->size, 4);
  put(out, entry->size, 4);
  put(out, strlen(entry->name), 2);
  put(out, 0, 2); // no extra field
}

static void write_local(NpzFile *npz, const NpzEntry *entry) {
  Little out = {.size = 0};
  put(&out, LOCAL_MARK, 4);
  put_entry(&out, entry);
  fwrite(out.bytes, 1, out.size, npz->file);
  fputs(entry->name, npz->file);
}

void asp_npz_bytes(NpzFile *npz, const void *bytes, size_t size) {
  NpzEntry *entry = &npz->entry[npz->count - 1];
  fwrite(bytes, 1, size, npz->file);
  entry->size += size;
  for (const unsigned char *at = bytes; size > 0;) {
    uInt part = size < (1u << 30) ? (uInt)size : 1u << 30;
    entry->crc = (uint32_t)crc32(entry->crc, at, part);
    at += part;
    size -= part;
  }
}

AspError asp_npz_begin(NpzFile *npz, const char *name, const char *type, int rank, const size_t *shape) {
  char header[HEADER_SIZE], lengths[96] = "";
  size_t at = 0;
  if (npz->count == NPZ_ARRAYS_MAX)
    return asp_fail(npz->context, ASP_ERROR_INPUT, "%s: more than %d arrays", npz->path, NPZ_ARRAYS_MAX);
  for (int i = 0; i < rank; i++)
    at += (size_t)snprintf(lengths + at, sizeof lengths - at, "%zu,", shape[i]);
  NpzEntry *entry = &npz->entry[npz->count++];
  *entry = (NpzEntry){.at = (uint64_t)ftell(npz->file)};
  snprintf(entry->name, sizeof entry->name, "%.40s.npy", name);
  write_local(npz, entry);
  memset(header, ' ', sizeof header);
  memcpy(header, "\x93NUMPY\x01\x00", 8);
  header[8] = (char)(HEADER_SIZE - PREFIX);
  header[9] = 0;
  int length = snprintf(header + PREFIX, sizeof header - PREFIX,
                        "{'descr': '%s', 'fortran_order': False, 'shape': (%s), }", type, lengths);
  header[PREFIX + length] = ' ';
  header[HEADER_SIZE - 1] = '\n';
  asp_npz_bytes(npz, header, sizeof header);
  return ASP_OK;
}

AspError asp_npz_end(NpzFile *npz) {
  const NpzEntry *entry = &npz->entry[npz->count - 1];
  long end = ftell(npz->file);
  if (end < 0 || (uint64_t)end > ZIP_MAX)
    return asp_fail(npz->context, ASP_ERROR_INPUT, "%s: larger than 4 GB, the limit; write fewer frames (output_every)",
                    npz->path);
  if (fseek(npz->file, (long)entry->at, SEEK_SET) == 0) {
    write_local(npz, entry);
    fseek(npz->file, end, SEEK_SET);
  }
  return ASP_OK;
}

AspError asp_npz_finish(NpzFile *npz) {
  long start = ftell(npz->file);
  for (int i = 0; i < npz->count; i++) {
    Little out = {.size = 0};
    put(&out, CENTRAL_MARK, 4);
    put(&out, ZIP_VERSION, 2);
    put_entry(&out, &npz->entry[i]);
    put(&out, 0, 2); // comment, disk, attributes
    put(&out, 0, 2);
    put(&out, 0, 2);
    put(&out, 0, 4);
    put(&out, npz->entry[i].at, 4);
    fwrite(out.bytes, 1, out.size, npz->file);
    fputs(npz->entry[i].name, npz->file);
  }
  Little out = {.size = 0};
  put(&out, END_MARK, 4);
  put(&out, 0, 4);
  put(&out, (uint64_t)npz->count, 2);
  put(&out, (uint64_t)npz->count, 2);
  put(&out, (uint64_t)(ftell(npz->file) - start), 4);
  put(&out, (uint64_t)start, 4);
  put(&out, 0, 2);
  fwrite(out.bytes, 1, out.size, npz->file);
  return ASP_OK;
}

/* ---- texts ---- */

/* The next character of UTF-8; bytes that are none count as themselves. */
static uint32_t next_character(const unsigned char **at) {
  const unsigned char *c = *at;
  int more = c[0] >= 0xF0 ? 3 : c[0] >= 0xE0 ? 2 : c[0] >= 0xC0 ? 1 : 0;
  uint32_t value = more ? c[0] & (0x3Fu >> more) : c[0];
  for (int i = 1; i <= more; i++) {
    if ((c[i] & 0xC0) != 0x80) {
      *at = c + 1;
      return c[0];
    }
    value = value << 6 | (c[i] & 0x3F);
  }
  *at = c + 1 + more;
  return value;
}

AspError asp_npz_texts(NpzFile *npz, const char *name, int count, const char *(*text)(const void *user, int i),
                       const void *user) {
  size_t longest = 1, shape = (size_t)count;
  for (int i = 0; i < count; i++) {
    const unsigned char *at = (const unsigned char *)text(user, i);
    size_t length = 0;
    for (; *at; length++)
      next_character(&at);
    longest = length > longest ? length : longest;
  }
  char type[24];
  snprintf(type, sizeof type, "<U%zu", longest);
  ASP_TRY(asp_npz_begin(npz, name, type, 1, &shape));
  for (int i = 0; i < count; i++) {
    const unsigned char *at = (const unsigned char *)text(user, i);
    for (size_t k = 0; k < longest; k++) {
      Little out = {.size = 0};
      put(&out, *at ? next_character(&at) : 0, 4);
      asp_npz_bytes(npz, out.bytes, out.size);
    }
  }
  return asp_npz_end(npz);
}
