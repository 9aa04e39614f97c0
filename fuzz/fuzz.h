/* What the harnesses share: a context that must be empty at the end, a folder for files, changes to a sound file.
 *
 * A harness is one file with LLVMFuzzerTestOneInput, which takes any bytes: it reads them as the program would, and
 * aborts where a promise is broken. libFuzzer calls it (preset `fuzz`), or fuzz/replay.c (all other builds).
 */
#ifndef FUZZ_H
#define FUZZ_H

#include "asperity/asperity.h"
#include "asperity/study.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

/* Aborts with the text. */
_Noreturn void fuzz_complain(const char *text);

/* A context whose long calls end after `calls` questions of its callback: the same work on any machine. */
AspContext *fuzz_context(long calls);
/* Aborts when something is left on it. */
void fuzz_context_end(AspContext *context);

/* An error must have a message of one line without control characters, and be bad input, not our own failure. */
void fuzz_check_error(const AspContext *context, AspError error);

/* A path inside a folder that lives as long as the process; valid until the eighth next call. */
const char *fuzz_path(const char *name);
/* Writes the file there. */
const char *fuzz_file(const char *name, const void *bytes, size_t size);
/* A whole file; aborts when it cannot be read. The caller frees it. */
uint8_t *fuzz_read(const char *path, size_t *size);

/* The bytes as a text: a copy that ends with zero. */
char *fuzz_text(const uint8_t *bytes, size_t size);

/* Formats with much structure: the input is a list of changes to a sound file, {place: 3 bytes, length: 1 byte, that
 * many bytes} each. Changes the copy in place; places beyond its end wrap around. */
void fuzz_patch(uint8_t *file, size_t file_size, const uint8_t *changes, size_t size);

#endif
