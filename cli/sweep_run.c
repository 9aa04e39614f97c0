/* The points of a study in child processes: see sweep.h. The program forks once for each point: what a point does to
 * its process (a crash, no memory, no end) is its row and nothing else. The children do not live longer than the
 * parent. */
#define _GNU_SOURCE
#include "sweep.h"

#include "interrupt.h"
#include "terminal.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

#define CORES_MAX  1024
#define LOOK_AGAIN 0.2 /* s between looks at points that other processes are at */

/* How a child ends. */
enum { CHILD_TAKEN = 0, CHILD_PASSED = 1, CHILD_STOPPED = 2, CHILD_BROKEN = 3 };

typedef struct Child {
  pid_t process;
  int64_t point;
  double deadline; /* clock_seconds(); INFINITY: none */
  bool late;       /* it was killed for that */
} Child;

typedef struct Pool {
  const Session *session;
  const Sweep *sweep;
  Child child[CORES_MAX];
  int running;
  bool *settled; /* per point of the range: has a row */
  int64_t count, done, failed;
  int broken; /* exit code of a failure that is no row */
  bool stopping;
  Progress progress;
} Pool;

/* ---- a child ---- */

static void limit_memory(double megabytes) {
  if (!(megabytes > 0))
    return;
  struct rlimit limit = {(rlim_t)(megabytes * 1048576), (rlim_t)(megabytes * 1048576)};
  setrlimit(RLIMIT_AS, &limit);
}

static int run_point(const Session *session, const Sweep *sweep, int64_t point, pid_t parent) {
  bool taken = false;
#ifdef __linux__
  prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
  if (getppid() != parent) // it died before that
    return CHILD_STOPPED;
  limit_memory(sweep->memory);
  AspError error = asp_study_run_point(sweep->study, sweep->folder, point, &taken);
  if (error == ASP_ERROR_INTERRUPTED)
    return CHILD_STOPPED;
  if (error == ASP_OK)
    return taken ? CHILD_TAKEN : CHILD_PASSED;
  fprintf(stderr, "asperity sweep: point %lld: %s\n", (long long)(point + 1), asp_context_message(session->context));
  return CHILD_BROKEN;
}

static bool start_child(Pool *pool, int64_t point) {
  pid_t parent = getpid();
  fflush(stdout);
  fflush(stderr);
  pid_t process = fork();
  if (process == 0)
    _exit(run_point(pool->session, pool->sweep, point, parent));
  if (process < 0)
    return false;
  double seconds = pool->sweep->seconds;
  pool->child[pool->running++] = (Child){process, point, seconds > 0 ? clock_seconds() + seconds : INFINITY, false};
  return true;
}

/* ---- the end of a child ---- */

static void note_settled(Pool *pool, int64_t point) {
  AspStudyRow row = {0};
  int64_t place = point - pool->sweep->first;
  if (pool->settled[place] || asp_study_row(pool->sweep->study, pool->sweep->folder, point, &row) != ASP_OK)
    return;
  if (row.state != ASP_ROW_OPEN) {
    pool->settled[place] = true;
    pool->done++;
    pool->failed += row.state == ASP_ROW_FAILED;
  }
  asp_study_row_destroy(pool->session->context, &row);
}

/* A row for a point whose process was killed. */
static void note_death(Pool *pool, const Child *child, int number) {
  char message[256];
  bool taken = false;
  if (child->late)
    snprintf(message, sizeof message, "took longer than %g s (--time-limit)", pool->sweep->seconds);
  else
    snprintf(message, sizeof message, "the process died: %s (signal %d)%s", strsignal(number), number,
             number == SIGKILL ? ", which the system sends when memory runs out" : "");
  AspError error =
      asp_study_fail_point(pool->sweep->study, pool->sweep->folder, child->point, 128 + number, message, &taken);
  if (error != ASP_OK)
    pool->broken = session_fail_error(pool->session, error);
}

static void end_child(Pool *pool, pid_t process, int status) {
  int i = 0;
  while (i < pool->running && pool->child[i].process != process)
    i++;
  if (i == pool->running)
    return;
  Child child = pool->child[i];
  pool->child[i] = pool->child[--pool->running];
  int code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  if (code == CHILD_BROKEN && !pool->broken)
    pool->broken = EXIT_FAILED;
  bool asked = pool->stopping || interrupt_signal();
  if (code < 0 && WIFSIGNALED(status) && !(asked && !child.late))
    note_death(pool, &child, WTERMSIG(status));
  note_settled(pool, child.point);
}

/* ---- all of them ---- */

static void show(Pool *pool) {
  char text[120], failed[40] = "";
  if (pool->failed)
    snprintf(failed, sizeof failed, ", %lld failed", (long long)pool->failed);
  snprintf(text, sizeof text, "%lld of %lld points%s", (long long)pool->done, (long long)pool->count, failed);
  progress_update(&pool->progress, (double)pool->done / (double)pool->count, text);
}

static void rest(double seconds) {
  struct timespec time = {(time_t)seconds, (long)(1e9 * (seconds - floor(seconds)))};
  nanosleep(&time, NULL);
}

static void kill_late(Pool *pool) {
  double now = clock_seconds();
  for (int i = 0; i < pool->running; i++)
    if (now > pool->child[i].deadline && !pool->child[i].late) {
      pool->child[i].late = true;
      kill(pool->child[i].process, SIGKILL);
    }
}

/* Wait for one child or a little while; ask all to end after an interruption. */
static void look(Pool *pool) {
  int status = 0;
  bool timed = pool->sweep->seconds > 0 || pool->progress.shown;
  pid_t process = waitpid(-1, &status, timed ? WNOHANG : 0);
  if (process > 0)
    end_child(pool, process, status);
  else if (timed)
    rest(0.002);
  kill_late(pool);
  if ((interrupt_signal() || pool->broken) && !pool->stopping) {
    pool->stopping = true;
    for (int i = 0; i < pool->running; i++)
      kill(pool->child[i].process, SIGTERM);
  }
  show(pool);
}

/* Where this process begins among others that take the same points: its rank in a job of MPI or Slurm. */
static int64_t first_place(int64_t count) {
  static const char *const names[][2] = {{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
                                         {"PMI_RANK", "PMI_SIZE"},
                                         {"MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_SIZE"},
                                         {"SLURM_PROCID", "SLURM_NTASKS"}};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    const char *rank = getenv(names[i][0]), *size = getenv(names[i][1]);
    long long r = rank ? atoll(rank) : -1, n = size ? atoll(size) : 0;
    if (r >= 0 && n > 0 && r < n)
      return (int64_t)((double)count * (double)r / (double)n);
  }
  return 0;
}

/* Every open point of the range once. */
static void pass(Pool *pool) {
  const Sweep *sweep = pool->sweep;
  int64_t begin = sweep->spread ? first_place(pool->count) : 0;
  for (int64_t k = 0; k < pool->count && !interrupt_signal() && !pool->broken; k++) {
    int64_t place = (begin + k) % pool->count;
    note_settled(pool, sweep->first + place);
    if (pool->settled[place])
      continue;
    while (pool->running >= sweep->cores && !interrupt_signal() && !pool->broken)
      look(pool);
    if (interrupt_signal() || pool->broken)
      break;
    while (!start_child(pool, sweep->first + place) && !pool->broken) {
      if (pool->running == 0)
        pool->broken = session_fail(pool->session, EXIT_FAILED, "no process can be started: %s", strerror(errno));
      else
        look(pool); // no room for another process now
    }
  }
  while (pool->running > 0)
    look(pool);
}

int sweep_run(const Session *session, const Sweep *sweep) {
  Pool *pool = calloc(1, sizeof *pool);
  int64_t count = sweep->last - sweep->first + 1;
  bool *settled = calloc((size_t)count, sizeof *settled);
  if (!pool || !settled) {
    free(pool);
    free(settled);
    return session_fail(session, EXIT_FAILED, "out of memory");
  }
  *pool = (Pool){.session = session, .sweep = sweep, .settled = settled, .count = count};
  pool->progress = progress_start(!session->quiet);
  interrupt_listen(session->context);
  do {
    pass(pool);
    if (sweep->wait && pool->done < count && !interrupt_signal() && !pool->broken)
      rest(LOOK_AGAIN);
  } while (sweep->wait && pool->done < count && !interrupt_signal() && !pool->broken);
  progress_finish(&pool->progress);
  int code = pool->broken ? pool->broken : interrupt_signal() ? 128 + interrupt_signal() : EXIT_DONE;
  if (code == 128 + interrupt_signal() && !session->quiet)
    fprintf(stderr, "stopped: %lld of %lld points have rows; the same command goes on with the others\n",
            (long long)pool->done, (long long)count);
  free(settled);
  free(pool);
  return code;
}
