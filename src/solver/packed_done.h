/* Takes away what packed_sweep.h was given. */
#undef KERNEL
#undef REAL
#undef BATCH
#undef BODY
#undef TINY
#undef WIDE
#undef WIDTH
#undef LOAD
#undef STORE
#undef SPREAD
#undef SELECT
#undef SQRT
#undef LINES
#undef PUT_LINES
