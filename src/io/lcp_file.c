/* LCP files: HDF5 with /M (n x n, row-major) and /q (n), and /z (n) when an answer is kept with it. HDF5 prints its
 * error stack to stderr by default; that is switched off for the duration of a call and put back as it was. Depends on
 * HDF5 and the public headers.
 */
#include "asperity/io.h"
#include "base/base.h"

#include <errno.h>

#include <hdf5.h>
#include <math.h>

#define LARGEST_N 46000 /* n x n doubles stay below 2^31 entries */

typedef struct Quiet {
  H5E_auto2_t function;
  void *data;
} Quiet;

static Quiet silence(void) {
  Quiet old = {0};
  H5Eget_auto2(H5E_DEFAULT, &old.function, &old.data);
  H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
  return old;
}

static void restore(Quiet old) { H5Eset_auto2(H5E_DEFAULT, old.function, old.data); }

/* The extents of a dataset of real numbers with the given number of dimensions. */
static AspError open_dataset(AspContext *context, hid_t file, const char *name, int dimensions, hsize_t *extent,
                             hid_t *dataset) {
  if (H5Lexists(file, name, H5P_DEFAULT) <= 0 || (*dataset = H5Dopen2(file, name, H5P_DEFAULT)) < 0)
    return asp_fail(context, ASP_ERROR_INPUT, "/%s: no such dataset; an LCP file has /M (n x n) and /q (n)", name);
  AspError error = ASP_OK;
  hid_t space = H5Dget_space(*dataset), type = H5Dget_type(*dataset);
  H5T_class_t class = H5Tget_class(type);
  int found = H5Sget_simple_extent_ndims(space);
  if (class != H5T_FLOAT && class != H5T_INTEGER)
    error = asp_fail(context, ASP_ERROR_INPUT, "/%s: not a dataset of numbers", name);
  else if (found != dimensions)
    error = asp_fail(context, ASP_ERROR_INPUT, "/%s: %d dimensions, expected %d", name, found, dimensions);
  else
    H5Sget_simple_extent_dims(space, extent, NULL);
  H5Tclose(type);
  H5Sclose(space);
  if (error != ASP_OK)
    H5Dclose(*dataset);
  return error;
}

static AspError read_values(AspContext *context, hid_t dataset, const char *name, size_t count, double *values) {
  if (H5Dread(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) < 0)
    return asp_fail(context, ASP_ERROR_FILE, "/%s: cannot be read; the file is damaged", name);
  for (size_t i = 0; i < count; i++)
    if (!isfinite(values[i]))
      return asp_fail(context, ASP_ERROR_INPUT, "/%s: entry %zu is %g, not a finite number", name, i, values[i]);
  return ASP_OK;
}

static void transpose(int n, double *M) {
  size_t size = (size_t)n;
  for (size_t i = 0; i < size; i++)
    for (size_t j = 0; j < i; j++) {
      double swap = M[i * size + j];
      M[i * size + j] = M[j * size + i];
      M[j * size + i] = swap;
    }
}

static AspError read_file(AspContext *context, hid_t file, AspLcp *lcp) {
  hid_t M = -1, q = -1;
  hsize_t shape[2] = {0}, length = 0;
  ASP_TRY(open_dataset(context, file, "M", 2, shape, &M));
  AspError error;
  ASP_CHECK(open_dataset(context, file, "q", 1, &length, &q));
  if (shape[0] != shape[1] || shape[0] != length) {
    error = asp_fail(context, ASP_ERROR_INPUT, "/M is %llu x %llu and /q has %llu entries, expected n x n and n",
                     (unsigned long long)shape[0], (unsigned long long)shape[1], (unsigned long long)length);
    goto done;
  }
  if (length > LARGEST_N) {
    error = asp_fail(context, ASP_ERROR_INPUT, "/q: n = %llu is larger than %d", (unsigned long long)length, LARGEST_N);
    goto done;
  }
  ASP_CHECK(asp_lcp_create(context, (int)length, lcp));
  ASP_CHECK(read_values(context, M, "M", (size_t)(length * length), lcp->M));
  ASP_CHECK(read_values(context, q, "q", (size_t)length, lcp->q));
  transpose(lcp->n, lcp->M);
done:
  if (error != ASP_OK)
    asp_lcp_destroy(context, lcp);
  if (q >= 0)
    H5Dclose(q);
  H5Dclose(M);
  return error;
}

static AspError open_file(AspContext *context, const char *path, hid_t *file) {
  FILE *readable = fopen(path, "rb");
  if (!readable)
    return asp_fail(context, ASP_ERROR_FILE, "%s: %s", path, strerror(errno));
  fclose(readable);
  if (H5Fis_hdf5(path) <= 0)
    return asp_fail(context, ASP_ERROR_INPUT, "%s: not an HDF5 file", path);
  *file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
  if (*file < 0)
    return asp_fail(context, ASP_ERROR_INPUT, "%s: HDF5 cannot open it; the file is damaged", path);
  return ASP_OK;
}

AspError asp_lcp_read(AspContext *context, const char *path, AspLcp *lcp) {
  memset(lcp, 0, sizeof *lcp);
  Quiet quiet = silence();
  hid_t file = -1;
  AspError error = open_file(context, path, &file);
  if (error == ASP_OK) {
    error = read_file(context, file, lcp);
    if (error != ASP_OK)
      asp_fail_prefix(context, "%s: ", path);
    H5Fclose(file);
  }
  restore(quiet);
  return error;
}

static bool write_dataset(hid_t file, const char *name, int dimensions, int n, const double *values) {
  hsize_t extent[2] = {(hsize_t)n, (hsize_t)n};
  hid_t space = H5Screate_simple(dimensions, extent, NULL);
  hid_t dataset = H5Dcreate2(file, name, H5T_IEEE_F64LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  bool written =
      dataset >= 0 && (n == 0 || H5Dwrite(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
  if (dataset >= 0)
    written = H5Dclose(dataset) >= 0 && written;
  H5Sclose(space);
  return written;
}

AspError asp_lcp_write(AspContext *context, const char *path, const AspLcp *lcp, const double *z) {
  size_t n = (size_t)lcp->n;
  double *by_rows = asp_allocate(context, n * n, sizeof *by_rows);
  if (!by_rows)
    return ASP_ERROR_MEMORY;
  memcpy(by_rows, lcp->M, n * n * sizeof *by_rows);
  transpose(lcp->n, by_rows);
  Quiet quiet = silence();
  hid_t access = H5Pcreate(H5P_FILE_ACCESS);
  hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, access);
  bool written = file >= 0 && write_dataset(file, "M", 2, lcp->n, by_rows) &&
                 write_dataset(file, "q", 1, lcp->n, lcp->q) && (!z || write_dataset(file, "z", 1, lcp->n, z));
  if (file >= 0)
    written = H5Fclose(file) >= 0 && written;
  H5Pclose(access);
  restore(quiet);
  asp_release(context, by_rows);
  if (!written)
    return asp_fail(context, ASP_ERROR_FILE, "%s: cannot be written", path);
  return ASP_OK;
}
