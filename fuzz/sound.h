/* Sound files that harnesses change: made once per process by the library itself. */
#ifndef FUZZ_SOUND_H
#define FUZZ_SOUND_H

#include "fuzz.h"

/* A scene of two bodies, a joint and a probe. */
extern const char sound_scene[];
/* Its result after three steps; the bytes belong to the process. */
const uint8_t *sound_result(size_t *size);
/* A contact problem of two blocks with a solution, in FCLIB's layout. */
const uint8_t *sound_fclib(size_t *size);
const uint8_t *sound_lcp(size_t *size);

#endif
