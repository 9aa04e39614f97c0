/* One thread for the BLAS of the libraries that we are compared with; ours needs none. Does nothing where no OpenBLAS is
 * loaded. */
#ifndef ASP_BENCH_BLAS_THREADS_H
#define ASP_BENCH_BLAS_THREADS_H

extern void openblas_set_num_threads(int) __attribute__((weak));

static inline void blas_single_thread(void) {
  if (openblas_set_num_threads)
    openblas_set_num_threads(1);
}

#endif
