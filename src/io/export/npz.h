/* Arrays for NumPy: a .npz is a zip archive of .npy files (npz.c). Depends on base and zlib. */
#ifndef ASP_IO_EXPORT_NPZ_H
#define ASP_IO_EXPORT_NPZ_H

#include "base/base.h"

#include <stdio.h>

#define NPZ_ARRAYS_MAX 64
#define NPZ_RANK_MAX   3

typedef struct NpzEntry {
  char name[48];
  uint32_t crc;
  uint64_t size, at; /* bytes; where its header begins in the file */
} NpzEntry;

typedef struct NpzFile {
  AspContext *context;
  const char *path;
  FILE *file;
  NpzEntry entry[NPZ_ARRAYS_MAX];
  int count;
} NpzFile;

/* Begin an array: `type` as NumPy writes it ("<f8"), `rank` lengths. Its bytes follow by asp_npz_bytes, in C order. */
AspError asp_npz_begin(NpzFile *npz, const char *name, const char *type, int rank, const size_t *shape);
void asp_npz_bytes(NpzFile *npz, const void *bytes, size_t size);
AspError asp_npz_end(NpzFile *npz);
/* Texts as an array of fixed width ("<U12"); text(user, i) is UTF-8. */
AspError asp_npz_texts(NpzFile *npz, const char *name, int count, const char *(*text)(const void *user, int i),
                       const void *user);
/* The directory at the end of the archive. */
AspError asp_npz_finish(NpzFile *npz);

#endif
