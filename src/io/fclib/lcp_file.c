/* LCP files: HDF5 with /M (n x n, row-major) and /q (n), and /z (n) when an answer is kept with it. Depends on
 * hdf5_data.h, which has everything but matrices.
 */
#include "asperity/io.h"
#include "io/file/hdf5_data.h"

#include <math.h>

static void transpose(int n, double *M) {
  size_t size = (size_t)n;
  for (size_t i = 0; i < size; i++)
    for (size_t j = 0; j < i; j++) {
      double swap = M[i * size + j];
      M[i * size + j] = M[j * size + i];
      M[j * size + i] = swap;
    }
}

/* Numbers, n x n, and no larger than what the file stores. */
static AspError check_matrix(const AspH5File *file, hid_t dataset, int n) {
  hid_t type = H5Dget_type(dataset), space = H5Dget_space(dataset);
  H5T_class_t class = H5Tget_class(type);
  hsize_t extent[2] = {0};
  int rank = H5Sget_simple_extent_ndims(space);
  if (rank == 2)
    H5Sget_simple_extent_dims(space, extent, NULL);
  H5Tclose(type);
  H5Sclose(space);
  if (class != H5T_FLOAT && class != H5T_INTEGER)
    return asp_fail(file->context, ASP_ERROR_INPUT, "%s: /M does not hold real numbers", file->path);
  if (rank != 2)
    return asp_fail(file->context, ASP_ERROR_INPUT, "%s: /M has %d dimensions, expected 2", file->path, rank);
  if (extent[0] != (hsize_t)n || extent[1] != (hsize_t)n)
    return asp_fail(file->context, ASP_ERROR_INPUT, "%s: /M is %llu x %llu, expected %d x %d as /q has %d elements",
                    file->path, (unsigned long long)extent[0], (unsigned long long)extent[1], n, n, n);
  // a file that declares more than it stores is damaged; an honest one is at most compressed by deflate
  if ((double)n * (double)n > 2048 * (double)H5Dget_storage_size(dataset))
    return asp_fail(file->context, ASP_ERROR_INPUT, "%s: /M declares %d x %d elements, which the file does not store",
                    file->path, n, n);
  return ASP_OK;
}

static AspError read_matrix(const AspH5File *file, hid_t dataset, AspLcp *lcp) {
  size_t count = (size_t)lcp->n * (size_t)lcp->n;
  if (count && H5Dread(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, lcp->M) < 0)
    return asp_fail(file->context, ASP_ERROR_INPUT, "%s: /M cannot be read: the file is damaged", file->path);
  for (size_t i = 0; i < count; i++)
    if (!isfinite(lcp->M[i]))
      return asp_fail(file->context, ASP_ERROR_INPUT, "%s: /M: entry (%zu, %zu) is %g, expected a finite number",
                      file->path, i / (size_t)lcp->n, i % (size_t)lcp->n, lcp->M[i]);
  transpose(lcp->n, lcp->M);
  return ASP_OK;
}

static AspError read_lcp(const AspH5File *file, AspLcp *lcp) {
  size_t n = 0;
  if (asp_h5_has(file, "/certificate"))
    return asp_fail(file->context, ASP_ERROR_INPUT,
                    "%s: this is the result of a run, not a problem; an LCP has /M (n x n) and /q (n)", file->path);
  if (!asp_h5_has(file, "/M"))
    return asp_fail(file->context, ASP_ERROR_INPUT, "%s: dataset /M is missing: an LCP has /M (n x n) and /q (n)",
                    file->path);
  ASP_TRY(asp_h5_count(file, "/q", false, &n));
  hid_t matrix = H5Dopen2(file->id, "/M", H5P_DEFAULT);
  if (matrix < 0)
    return asp_fail(file->context, ASP_ERROR_INPUT, "%s: /M is not a readable dataset", file->path);
  AspError error;
  ASP_CHECK(check_matrix(file, matrix, (int)n)); // asp_h5_count keeps n within int
  ASP_CHECK(asp_lcp_create(file->context, (int)n, lcp));
  ASP_CHECK(read_matrix(file, matrix, lcp));
  ASP_CHECK(asp_h5_read_reals(file, "/q", n, lcp->q));
done:
  if (error != ASP_OK)
    asp_lcp_destroy(file->context, lcp);
  H5Dclose(matrix);
  return error;
}

AspError asp_lcp_read(AspContext *context, const char *path, AspLcp *lcp) {
  AspH5File file;
  memset(lcp, 0, sizeof *lcp);
  ASP_TRY(asp_h5_open(context, path, &file));
  AspError error = read_lcp(&file, lcp);
  AspError closed = asp_h5_close(&file);
  return error != ASP_OK ? error : closed;
}

static AspError write_matrix(const AspH5File *file, int n, const double *by_rows) {
  hsize_t extent[2] = {(hsize_t)n, (hsize_t)n};
  hid_t properties = H5Pcreate(H5P_DATASET_CREATE), space = H5Screate_simple(2, extent, NULL);
  H5Pset_obj_track_times(properties, false);
  hid_t dataset = H5Dcreate2(file->id, "/M", H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, properties, H5P_DEFAULT);
  bool good =
      dataset >= 0 && (n == 0 || H5Dwrite(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, by_rows) >= 0);
  if (dataset >= 0)
    good = H5Dclose(dataset) >= 0 && good;
  H5Sclose(space);
  H5Pclose(properties);
  return good ? ASP_OK : asp_fail(file->context, ASP_ERROR_FILE, "%s: /M cannot be written", file->path);
}

static AspError write_lcp(const AspH5File *file, const AspLcp *lcp, const double *by_rows, const double *z) {
  ASP_TRY(write_matrix(file, lcp->n, by_rows));
  ASP_TRY(asp_h5_write_reals(file, "/q", (size_t)lcp->n, lcp->q));
  return z ? asp_h5_write_reals(file, "/z", (size_t)lcp->n, z) : ASP_OK;
}

AspError asp_lcp_write(AspContext *context, const char *path, const AspLcp *lcp, const double *z) {
  AspH5File file = {0};
  size_t n = (size_t)lcp->n;
  double *by_rows = asp_allocate(context, n * n, sizeof *by_rows);
  if (!by_rows)
    return ASP_ERROR_MEMORY;
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < n; j++)
      by_rows[i * n + j] = lcp->M[j * n + i];
  AspError error = asp_h5_create(context, path, &file);
  if (error == ASP_OK)
    error = asp_h5_finish(&file, write_lcp(&file, lcp, by_rows, z));
  asp_release(context, by_rows);
  return error;
}
