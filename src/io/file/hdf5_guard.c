/* A child process reads a file first (see hdf5_guard.h). What it found comes through a pipe as one byte; a child that
 * dies sends none. */
#define _GNU_SOURCE // RLIMIT_AS, pipe2
#include "io/file/hdf5_guard.h"
#include "base/file_mark.h"
#include "io/file/text_file.h"

#include <errno.h>
#include <fcntl.h>
#include <hdf5.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define LEAST_MEMORY   ((rlim_t)512 << 20) /* bytes above what the process has */
#define LEAST_SECONDS  10                  /* of processor time */
#define SLOWEST        ((off_t)20 << 20)   /* bytes a second: disks and filters are faster */
#define ELEMENTS       4096                /* read at once */
#define LARGEST        ((size_t)64 << 20)  /* bytes of one read */
#define VERDICT_BROKEN 'b'                 /* something cannot be opened */
#define VERDICT_LINKED 'l'                 /* other files would be read */
#define VERDICT_SOUND  's'

/* ---- in the child ---- */

static herr_t note_outside(hid_t group, const char *name, const H5L_info_t *info, void *linked) {
  (void)group;
  (void)name;
  *(bool *)linked = *(bool *)linked || info->type == H5L_TYPE_EXTERNAL;
  return 0;
}

static herr_t read_attribute(hid_t object, const char *name, const H5A_info_t *info, void *nothing) {
  (void)info;
  (void)nothing;
  hid_t attribute = H5Aopen(object, name, H5P_DEFAULT);
  if (attribute < 0)
    return -1;
  hid_t type = H5Aget_type(attribute), space = H5Aget_space(attribute);
  hssize_t count = H5Sget_simple_extent_npoints(space);
  size_t size = H5Tget_size(type);
  void *values = count > 0 && size > 0 && (size_t)count <= LARGEST / size ? calloc((size_t)count, size) : NULL;
  if (values && H5Aread(attribute, type, values) >= 0)
    H5Dvlen_reclaim(type, space, H5P_DEFAULT, values);
  free(values);
  H5Sclose(space);
  H5Tclose(type);
  H5Aclose(attribute);
  return 0;
}

/* Reading these is more than copying bytes out of the file. */
static bool is_involved(hid_t type, hid_t creation) {
  return H5Pget_nfilters(creation) > 0 || H5Tdetect_class(type, H5T_VLEN) > 0 || H5Tis_variable_str(type) > 0 ||
         H5Tdetect_class(type, H5T_REFERENCE) > 0 || H5Tget_class(type) == H5T_COMPOUND;
}

static void read_elements(hid_t dataset, hid_t type, hid_t space) {
  hsize_t extent[H5S_MAX_RANK], first[H5S_MAX_RANK] = {0}, count[H5S_MAX_RANK];
  int rank = H5Sget_simple_extent_dims(space, extent, NULL);
  size_t size = H5Tget_size(type), at_once = 1;
  if (rank < 0 || size == 0)
    return;
  for (int i = 0; i < rank; i++) { // whole rows where few, the first column otherwise
    count[i] = i == 0 || extent[i] > ELEMENTS / at_once ? 1 : extent[i];
    at_once *= (size_t)count[i];
  }
  if (at_once == 0 || size > LARGEST / at_once)
    return;
  void *values = calloc(at_once, size);
  hid_t memory = rank > 0 ? H5Screate_simple(rank, count, NULL) : H5Scopy(space);
  hsize_t rows = rank > 0 ? extent[0] : 1;
  for (; values && first[0] < rows; first[0]++) {
    if (rank > 0)
      H5Sselect_hyperslab(space, H5S_SELECT_SET, first, NULL, count, NULL);
    if (H5Dread(dataset, type, memory, space, H5P_DEFAULT, values) < 0)
      break;
    H5Dvlen_reclaim(type, memory, H5P_DEFAULT, values);
  }
  H5Sclose(memory);
  free(values);
}

static herr_t walk_dataset(hid_t dataset, bool *linked) {
  hid_t type = H5Dget_type(dataset), space = H5Dget_space(dataset), creation = H5Dget_create_plist(dataset);
  bool whole = type >= 0 && space >= 0 && creation >= 0;
  if (whole) {
    hsize_t chunks = 0;
    *linked = *linked || H5Pget_external_count(creation) > 0 || H5Pget_layout(creation) == H5D_VIRTUAL;
    H5Dget_storage_size(dataset);
    if (!*linked && H5Pget_layout(creation) == H5D_CHUNKED)
      whole = H5Dget_num_chunks(dataset, space, &chunks) >= 0; // goes through the index
    if (whole && !*linked && is_involved(type, creation))
      read_elements(dataset, type, space);
  }
  H5Pclose(creation);
  H5Sclose(space);
  H5Tclose(type);
  return whole ? 0 : -1;
}

static herr_t walk_object(hid_t root, const char *name, void *linked) {
  hid_t object = H5Oopen(root, name, H5P_DEFAULT);
  hsize_t at = 0;
  if (object < 0)
    return -1;
  herr_t status = H5Aiterate2(object, H5_INDEX_NAME, H5_ITER_NATIVE, &at, read_attribute, NULL);
  if (status >= 0 && H5Iget_type(object) == H5I_DATASET)
    status = walk_dataset(object, linked);
  H5Oclose(object);
  return status;
}

#if H5_VERSION_GE(1, 12, 0)
static herr_t visit_object(hid_t root, const char *name, const H5O_info2_t *info, void *linked) {
  (void)info;
  return walk_object(root, name, linked);
}
#define VISIT(root, linked) H5Ovisit3(root, H5_INDEX_NAME, H5_ITER_NATIVE, visit_object, linked, H5O_INFO_BASIC)
#else
static herr_t visit_object(hid_t root, const char *name, const H5O_info_t *info, void *linked) {
  (void)info;
  return walk_object(root, name, linked);
}
#define VISIT(root, linked) H5Ovisit1(root, H5_INDEX_NAME, H5_ITER_NATIVE, visit_object, linked)
#endif

static char walk_file(const char *path) {
  bool linked = false;
  H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
  hid_t access = H5Pcreate(H5P_FILE_ACCESS);
  H5Pset_file_locking(access, false, true);
  hid_t file = H5Fopen(path, H5F_ACC_RDONLY, access);
  if (file < 0)
    return VERDICT_BROKEN;
  if (H5Lvisit(file, H5_INDEX_NAME, H5_ITER_NATIVE, note_outside, &linked) < 0)
    return VERDICT_BROKEN;
  if (linked)
    return VERDICT_LINKED;
  if (VISIT(file, &linked) < 0 || H5Fclose(file) < 0)
    return VERDICT_BROKEN;
  return linked ? VERDICT_LINKED : VERDICT_SOUND;
}

/* As much memory as the process has and some more, no core file, signals as at the start of a program. */
static void set_limits(off_t size) {
  static const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGINT, SIGTERM, SIGALRM, SIGXCPU};
  for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
    signal(signals[i], SIG_DFL);
  long pages = 0;
  FILE *statm = fopen("/proc/self/statm", "r");
  if (statm && fscanf(statm, "%ld", &pages) == 1) {
    rlim_t room = (rlim_t)pages * (rlim_t)sysconf(_SC_PAGESIZE) + LEAST_MEMORY + 4 * (rlim_t)size;
    setrlimit(RLIMIT_AS, &(struct rlimit){room, room});
  }
  if (statm)
    fclose(statm);
  rlim_t seconds = LEAST_SECONDS + (rlim_t)(size / SLOWEST);
  setrlimit(RLIMIT_CPU, &(struct rlimit){seconds, seconds});
  setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
  alarm(6 * (unsigned)seconds); // a file system that never answers
}

static void be_child(const char *path, off_t size, int verdict_end) {
  int nowhere = open("/dev/null", O_WRONLY); // the C library may have last words
  dup2(nowhere, STDERR_FILENO);
  set_limits(size);
  char verdict = walk_file(path);
  _exit(write(verdict_end, &verdict, 1) == 1 ? 0 : 1);
}

/* ---- in the process that asks ---- */

typedef struct Check {
  const char *path;
  off_t size;
  int ends[2]; /* of the pipe */
  pid_t child;
  bool tried;
} Check;

/* Inside a callback of HDF5 this thread holds its lock, so that no other one can have it when the child begins. */
static herr_t begin_child(hid_t list, const char *name, void *user) {
  Check *check = user;
  (void)list;
  (void)name;
  check->tried = true;
  check->child = fork();
  if (check->child == 0)
    be_child(check->path, check->size, check->ends[1]);
  return 1; // no further property
}

static char wait_for_verdict(const Check *check, int *status) {
  char verdict = 0;
  ssize_t got;
  do
    got = read(check->ends[0], &verdict, 1);
  while (got < 0 && errno == EINTR);
  while (waitpid(check->child, status, 0) < 0 && errno == EINTR)
    ;
  return got == 1 ? verdict : 0;
}

static AspError judge(AspContext *context, const char *path, char verdict, int status) {
  switch (verdict) {
  case VERDICT_SOUND:
    return ASP_OK;
  case VERDICT_BROKEN:
    return asp_fail(context, ASP_ERROR_INPUT, "%s: HDF5 file is truncated or damaged", path);
  case VERDICT_LINKED:
    return asp_fail(context, ASP_ERROR_INPUT,
                    "%s: takes data from other files, which is not followed; copy them into it "
                    "(h5repack, h5copy)",
                    path);
  }
  int number = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  if (number == SIGINT || number == SIGTERM)
    return asp_fail(context, ASP_ERROR_INTERRUPTED, "%s: interrupted while it was checked", path);
  if (number == SIGXCPU || number == SIGALRM || number == SIGKILL)
    return asp_fail(context, ASP_ERROR_INPUT, "%s: HDF5 file is damaged: reading it does not come to an end", path);
  return asp_fail(context, ASP_ERROR_INPUT, "%s: HDF5 file is damaged: the HDF5 library crashes on it (signal %d)",
                  path, number);
}

static AspFileMark mark_of(const struct stat *about) {
  return (AspFileMark){(uint64_t)about->st_dev, (uint64_t)about->st_ino, (int64_t)about->st_size,
                       (int64_t)about->st_mtim.tv_sec, (int64_t)about->st_mtim.tv_nsec};
}

static bool is_same(const AspFileMark *a, const AspFileMark *b) {
  return a->device == b->device && a->number == b->number && a->size == b->size && a->seconds == b->seconds &&
         a->nanoseconds == b->nanoseconds;
}

AspError asp_h5_guard(AspContext *context, const char *path) {
  struct stat about;
  Check check = {.path = path, .child = -1};
  if (stat(path, &about) != 0)
    return asp_fail(context, asp_file_error(errno), "%s: cannot be opened: %s", path, strerror(errno));
  const AspFileMark mark = mark_of(&about);
  if (is_same(&mark, asp_context_checked(context)))
    return ASP_OK;
  if (pipe2(check.ends, O_CLOEXEC) != 0)
    return asp_fail(context, ASP_ERROR_MEMORY, "%s: cannot be checked in a process of its own: %s", path,
                    strerror(errno));
  check.size = about.st_size;
  int first = 0, status = 0;
  H5Piterate(H5P_FILE_ACCESS_DEFAULT, &first, begin_child, &check);
  int reason = errno;
  close(check.ends[1]);
  AspError error;
  if (check.child < 0)
    error = asp_fail(context, ASP_ERROR_MEMORY, "%s: cannot be checked in a process of its own: %s", path,
                     check.tried ? strerror(reason) : "HDF5 does not start");
  else {
    char verdict = wait_for_verdict(&check, &status);
    error = judge(context, path, verdict, status);
    if (error == ASP_OK)
      *asp_context_checked(context) = mark;
  }
  close(check.ends[0]);
  return error;
}
