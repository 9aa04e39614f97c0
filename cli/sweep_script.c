/* Scripts that run a study on other engines: see sweep.h. All of them run `asperity sweep run` on ranges of points;
 * since a point that has a row is passed over, any of them may be started again, or while another one runs. */
#define _DEFAULT_SOURCE
#include "sweep.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PATH_SIZE  4096
#define TASKS_MOST 1000 /* Slurm's MaxArraySize is 1001 unless set */

typedef struct Script {
  FILE *file;
  const Sweep *sweep;
  char program[PATH_SIZE], study[PATH_SIZE], folder[PATH_SIZE];
  int64_t points, chunk, tasks;
} Script;

/* 'it'\''s' */
static void put_quoted(FILE *file, const char *text) {
  fputc('\'', file);
  for (; *text; text++)
    if (*text == '\'')
      fputs("'\\''", file);
    else
      fputc(*text, file);
  fputc('\'', file);
}

static void put_run(const Script *script, const char *rest) {
  put_quoted(script->file, script->program);
  fputs(" sweep run ", script->file);
  put_quoted(script->file, script->study);
  fputs(" --out ", script->file);
  put_quoted(script->file, script->folder);
  fprintf(script->file, " --quiet %s", rest);
}

static void put_range(const Script *script, const char *task) {
  fprintf(script->file, "first=$((%s * %lld + 1)) last=$((%s * %lld + %lld))\n", task, (long long)script->chunk, task,
          (long long)script->chunk, (long long)script->chunk);
  fprintf(script->file, "[ $last -le %lld ] || last=%lld\n", (long long)script->points, (long long)script->points);
}

static void write_slurm(const Script *script) {
  FILE *file = script->file;
  fprintf(
      file,
      "#!/bin/sh\n"
      "# An array job for Slurm: sbatch slurm.sh. Points with a row are passed over: after a failure submit it again.\n"
      "# Afterwards: asperity sweep collect STUDY.json\n"
      "#SBATCH --job-name=asperity-sweep\n"
      "#SBATCH --array=0-%lld\n"
      "#SBATCH --cpus-per-task=1\n"
      "#SBATCH --output=%s/log/%%A_%%a.txt\n"
      "#SBATCH --open-mode=append\n"
      "#SBATCH --requeue\n",
      (long long)(script->tasks - 1), script->folder);
  put_range(script, "SLURM_ARRAY_TASK_ID");
  put_run(script, "--points $first..$last --cores ${SLURM_CPUS_PER_TASK:-1}");
  fputs("\ncode=$?\n[ $code -ne 1 ] || code=0   # failed points are rows\nexit $code\n", file);
}

static void write_parallel(const Script *script) {
  FILE *file = script->file;
  fprintf(
      file,
      "#!/bin/sh\n"
      "# GNU parallel, here or on other machines: sh parallel.sh [-j 8] [--sshlogin ...]. Start it again to go on.\n"
      "seq 0 %lld | parallel --resume-failed --joblog ",
      (long long)(script->tasks - 1));
  char log[PATH_SIZE + 32];
  snprintf(log, sizeof log, "%s/parallel.log", script->folder);
  put_quoted(file, log);
  fputs(" \"$@\" sh ", file);
  char task[PATH_SIZE + 32];
  snprintf(task, sizeof task, "%s/task.sh", script->folder);
  put_quoted(file, task);
  fputs(" {}\n", file);
}

/* What GNU parallel calls: one range of points. */
static void write_task(const Script *script) {
  fputs("#!/bin/sh\n# One task of parallel.sh: a range of points.\n", script->file);
  put_range(script, "$1");
  put_run(script, "--points $first..$last --cores 1");
  fputs("\ncode=$?\n[ $code -ne 1 ] || code=0   # failed points are rows\nexit $code\n", script->file);
}

static void write_mpi(const Script *script) {
  FILE *file = script->file;
  fputs("#!/bin/sh\n"
        "# A task farm under mpirun: sh mpi.sh -n 64 [--hostfile ...]. Every rank takes points that no other is at; a\n"
        "# point that crashes is a row and does not end its rank. Start it again to go on.\n"
        "exec mpirun \"$@\" sh -c '",
        file);
  FILE *outer = file;
  char *text = NULL;
  size_t length = 0;
  Script inner = *script;
  inner.file = open_memstream(&text, &length);
  if (inner.file) {
    put_run(&inner, "--cores 1 --spread");
    fclose(inner.file);
    for (const char *c = text; *c; c++) // quoted once more for sh -c
      if (*c == '\'')
        fputs("'\\''", outer);
      else
        fputc(*c, outer);
    free(text);
  }
  fputs("; code=$?; [ $code -ne 1 ] || code=0; exit $code'\n", outer);
}

static bool own_path(char *path) {
  ssize_t length = readlink("/proc/self/exe", path, PATH_SIZE - 1);
  if (length <= 0)
    return snprintf(path, PATH_SIZE, "asperity") > 0;
  path[length] = '\0';
  return true;
}

static int write_file(const Session *session, Script *script, const char *name, void (*write)(const Script *script),
                      char *path) {
  if (snprintf(path, PATH_SIZE, "%s/%s", script->folder, name) >= PATH_SIZE)
    return session_fail(session, EXIT_USAGE, "%s: the name of the folder is too long", script->folder);
  script->file = fopen(path, "w");
  if (!script->file)
    return session_fail(session, EXIT_FAILED, "%s: %s", path, strerror(errno));
  write(script);
  bool failed = ferror(script->file) != 0;
  failed = fclose(script->file) != 0 || failed;
  chmod(path, 0777 & ~umask(umask(0)));
  return failed ? session_fail(session, EXIT_FAILED, "%s: cannot be written to its end", path) : EXIT_DONE;
}

static int64_t ceil_of(int64_t a, int64_t b) { return (a + b - 1) / b; }

int sweep_script(const Session *session, const Sweep *sweep, SweepEngine engine, int64_t chunk, char *path) {
  Script *script = calloc(1, sizeof *script);
  int code = EXIT_DONE;
  if (!script)
    return session_fail(session, EXIT_FAILED, "out of memory");
  script->sweep = sweep;
  script->points = asp_study_point_count(sweep->study);
  script->chunk = chunk > 0 ? chunk : ceil_of(script->points, TASKS_MOST);
  script->tasks = ceil_of(script->points, script->chunk);
  if (!own_path(script->program) || !realpath(sweep->path, script->study) || !realpath(sweep->folder, script->folder))
    code = session_fail(session, EXIT_FAILED, "%s: %s", sweep->folder, strerror(errno));
  if (code == EXIT_DONE && engine == ENGINE_SLURM) {
    char log[PATH_SIZE + 8];
    snprintf(log, sizeof log, "%s/log", script->folder);
    if (mkdir(log, 0777) != 0 && errno != EEXIST)
      code = session_fail(session, EXIT_FAILED, "%s: %s", log, strerror(errno));
    else
      code = write_file(session, script, "slurm.sh", write_slurm, path);
  }
  if (code == EXIT_DONE && engine == ENGINE_PARALLEL)
    code = write_file(session, script, "task.sh", write_task, path);
  if (code == EXIT_DONE && engine == ENGINE_PARALLEL)
    code = write_file(session, script, "parallel.sh", write_parallel, path);
  if (code == EXIT_DONE && engine == ENGINE_MPI)
    code = write_file(session, script, "mpi.sh", write_mpi, path);
  free(script);
  return code;
}
