/* The points of a study in child processes: see sweep.h. As many workers as cores take points from a counter in shared
 * memory; a worker ends after TURN seconds, and the program forks another one. A point that kills its process (a crash,
 * no memory, no end) is a failed row, and nothing else is lost: where a worker dies, the point at hand is known. With a
 * limit of memory a worker takes one point, so that no point pays for the one before. The workers do not live longer
 * than the parent. */
#define _GNU_SOURCE
#include "sweep.h"

#include "interrupt.h"
#include "terminal.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

#define CORES_MAX  1024
#define LOOK_AGAIN 0.2 /* s between looks at points that other processes are at */

#define TURN 0.5 /* s after which a worker ends: forks cost little then, and what points leave behind stays small */

/* How a worker ends. */
enum { CHILD_DONE = 0, CHILD_STOPPED = 2, CHILD_BROKEN = 3 };

/* What a worker tells while it works; in shared memory. */
typedef struct Desk {
  atomic_llong point;      /* at hand, from 0 on; -1: none */
  _Atomic double deadline; /* clock_seconds(); INFINITY: none */
} Desk;

typedef struct Shared {
  atomic_llong next; /* place of the next point that is not taken yet */
  atomic_llong done, failed;
  Desk desk[CORES_MAX];
  atomic_bool settled[]; /* per point of the range: has a row */
} Shared;

typedef struct Child {
  pid_t process; /* 0: the place is free */
  int64_t late;  /* it was killed because of this point; -1: it was not */
} Child;

typedef struct Pool {
  const Session *session;
  const Sweep *sweep;
  Child child[CORES_MAX]; /* by desk */
  int running;
  Shared *shared;
  int64_t count, begin;
  int broken; /* exit code of a failure that is no row */
  bool stopping;
  bool lost; /* a worker died with no point at hand, perhaps just before it took one: look for open points again */
  Progress progress;
} Pool;

/* ---- a child ---- */

static void limit_memory(double megabytes) {
  if (!(megabytes > 0))
    return;
  struct rlimit limit = {(rlim_t)(megabytes * 1048576), (rlim_t)(megabytes * 1048576)};
  setrlimit(RLIMIT_AS, &limit);
}

static void note_settled(const Pool *pool, int64_t point) {
  AspStudyRow row = {0};
  int64_t place = point - pool->sweep->first;
  if (pool->shared->settled[place] || asp_study_row(pool->sweep->study, pool->sweep->folder, point, &row) != ASP_OK)
    return;
  if (row.state != ASP_ROW_OPEN && !atomic_exchange(&pool->shared->settled[place], true)) {
    pool->shared->done++;
    pool->shared->failed += row.state == ASP_ROW_FAILED;
  }
  asp_study_row_destroy(pool->session->context, &row);
}

static int run_point(const Pool *pool, int64_t point) {
  bool taken = false;
  AspError error = asp_study_run_point(pool->sweep->study, pool->sweep->folder, point, &taken);
  if (error == ASP_ERROR_INTERRUPTED)
    return CHILD_STOPPED;
  if (error == ASP_OK) {
    note_settled(pool, point);
    return CHILD_DONE;
  }
  fprintf(stderr, "asperity sweep: point %lld: %s\n", (long long)(point + 1),
          asp_context_message(pool->session->context));
  return CHILD_BROKEN;
}

/* Points from the counter, until the turn is over or none is left. */
static int work(const Pool *pool, Desk *desk, pid_t parent) {
  const Sweep *sweep = pool->sweep;
  double began = clock_seconds();
  int code = CHILD_DONE;
#ifdef __linux__
  prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
  if (getppid() != parent) // it died before that
    return CHILD_STOPPED;
  limit_memory(sweep->memory);
  for (bool more = true; more && code == CHILD_DONE && !interrupt_signal();) {
    int64_t taken = pool->shared->next++;
    if (taken >= pool->count)
      break;
    int64_t place = (pool->begin + taken) % pool->count;
    if (pool->shared->settled[place])
      continue;
    desk->deadline = sweep->seconds > 0 ? clock_seconds() + sweep->seconds : INFINITY;
    desk->point = sweep->first + place;
    code = run_point(pool, sweep->first + place);
    desk->point = -1;
    more = !(sweep->memory > 0) && clock_seconds() - began < TURN;
  }
  return code;
}

static bool start_child(Pool *pool) {
  pid_t parent = getpid();
  int i = 0;
  while (pool->child[i].process != 0)
    i++;
  pool->shared->desk[i].point = -1;
  fflush(stdout);
  fflush(stderr);
  pid_t process = fork();
  if (process == 0)
    _exit(work(pool, &pool->shared->desk[i], parent));
  if (process < 0)
    return false;
  pool->child[i] = (Child){process, -1};
  pool->running++;
  return true;
}

/* ---- the end of a child ---- */

/* A row for a point whose process was killed. */
static void note_death(Pool *pool, int64_t point, bool late, int number) {
  char message[256];
  bool taken = false;
  if (late)
    snprintf(message, sizeof message, "took longer than %g s (--time-limit)", pool->sweep->seconds);
  else
    snprintf(message, sizeof message, "the process died: %s (signal %d)%s", strsignal(number), number,
             number == SIGKILL ? ", which the system sends when memory runs out" : "");
  AspError error = asp_study_fail_point(pool->sweep->study, pool->sweep->folder, point, 128 + number, message, &taken);
  if (error != ASP_OK)
    pool->broken = session_fail_error(pool->session, error);
  note_settled(pool, point);
}

static void end_child(Pool *pool, pid_t process, int status) {
  int i = 0;
  while (i < CORES_MAX && pool->child[i].process != process)
    i++;
  if (i == CORES_MAX)
    return;
  Child child = pool->child[i];
  pool->child[i].process = 0;
  pool->running--;
  if (WIFEXITED(status) && WEXITSTATUS(status) == CHILD_BROKEN && !pool->broken)
    pool->broken = EXIT_FAILED;
  if (!WIFSIGNALED(status))
    return;
  int64_t point = pool->shared->desk[i].point;
  bool late = child.late >= 0 && child.late == point, asked = pool->stopping || interrupt_signal();
  if (point >= 0 && (late || (child.late < 0 && !asked)))
    note_death(pool, point, late, WTERMSIG(status));
  else
    pool->lost = true; // or it went on to another point just before it was killed for the last one
}

/* ---- all of them ---- */

static void show(Pool *pool) {
  char text[120], failed[40] = "";
  if (pool->shared->failed)
    snprintf(failed, sizeof failed, ", %lld failed", pool->shared->failed);
  snprintf(text, sizeof text, "%lld of %lld points%s", pool->shared->done, (long long)pool->count, failed);
  progress_update(&pool->progress, (double)pool->shared->done / (double)pool->count, text);
}

static void rest(double seconds) {
  struct timespec time = {(time_t)seconds, (long)(1e9 * (seconds - floor(seconds)))};
  nanosleep(&time, NULL);
}

static void kill_late(Pool *pool) {
  double now = clock_seconds();
  for (int i = 0; i < CORES_MAX; i++) {
    const Desk *desk = &pool->shared->desk[i];
    int64_t point = desk->point;
    if (pool->child[i].process != 0 && pool->child[i].late < 0 && point >= 0 && now > desk->deadline &&
        point == desk->point) { // still the point of that deadline
      pool->child[i].late = point;
      kill(pool->child[i].process, SIGKILL);
    }
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
    for (int i = 0; i < CORES_MAX; i++)
      if (pool->child[i].process != 0)
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

static bool is_ended(const Pool *pool) { return interrupt_signal() || pool->broken; }

/* Every open point of the range once. */
static void pass(Pool *pool) {
  pool->shared->next = 0;
  pool->lost = false;
  while (!is_ended(pool) && (pool->running > 0 || pool->shared->next < pool->count)) {
    while (pool->running < pool->sweep->cores && pool->shared->next < pool->count && !is_ended(pool))
      if (!start_child(pool)) {
        if (pool->running == 0)
          pool->broken = session_fail(pool->session, EXIT_FAILED, "no process can be started: %s", strerror(errno));
        break; // no room for another process now
      }
    if (pool->running > 0)
      look(pool);
  }
  while (pool->running > 0)
    look(pool);
  for (int64_t place = 0; place < pool->count; place++)
    note_settled(pool, pool->sweep->first + place); // of workers that died between a row and their note of it
}

static Shared *share_memory(size_t room) {
  void *memory = mmap(NULL, room, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  return memory == MAP_FAILED ? NULL : memory;
}

int sweep_run(const Session *session, const Sweep *sweep) {
  int64_t count = sweep->last - sweep->first + 1;
  size_t room = sizeof(Shared) + (size_t)count * sizeof(atomic_bool);
  Pool *pool = calloc(1, sizeof *pool);
  Shared *shared = share_memory(room);
  if (!pool || !shared) {
    free(pool);
    return session_fail(session, EXIT_FAILED, "out of memory");
  }
  *pool = (Pool){.session = session, .sweep = sweep, .shared = shared, .count = count};
  pool->begin = sweep->spread ? first_place(count) : 0;
  pool->progress = progress_start(!session->quiet);
  interrupt_listen(session->context);
  do {
    pass(pool);
    if (!pool->lost && sweep->wait && shared->done < count && !is_ended(pool))
      rest(LOOK_AGAIN);
  } while ((pool->lost || sweep->wait) && shared->done < count && !is_ended(pool));
  progress_finish(&pool->progress);
  int code = pool->broken ? pool->broken : interrupt_signal() ? 128 + interrupt_signal() : EXIT_DONE;
  if (code == 128 + interrupt_signal() && !session->quiet)
    fprintf(stderr, "stopped: %lld of %lld points have rows; the same command goes on with the others\n", shared->done,
            (long long)count);
  munmap(shared, room);
  free(pool);
  return code;
}
