/* asperity-mpi run: see run.h. Every rank reads the scene and goes through the same steps; rank 0 prints and writes. */
#define _POSIX_C_SOURCE 200809L
#include "run.h"

#include "asperity-mpi.h"
#include "command.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define LOST_SECONDS 10 /* a rank that failed waits this long for the others to fail, too */

/* What a rank besides 0 says is kept until it is known that rank 0 does not say it. */
typedef struct Voice {
  FILE *kept; /* NULL: rank 0 */
  int stderr_before;
} Voice;

static Voice hush(int rank) {
  Voice voice = {.stderr_before = -1};
  if (rank == 0)
    return voice;
  voice.kept = tmpfile();
  fflush(stderr);
  voice.stderr_before = dup(STDERR_FILENO);
  if (voice.kept)
    dup2(fileno(voice.kept), STDERR_FILENO);
  if (!freopen("/dev/null", "w", stdout))
    fclose(stdout);
  return voice;
}

/* Back on stderr; `tell`: with what was kept. */
static void speak(Voice *voice, int rank, bool tell) {
  if (!voice->kept)
    return;
  fflush(stderr);
  dup2(voice->stderr_before, STDERR_FILENO);
  close(voice->stderr_before);
  rewind(voice->kept);
  char line[4096];
  while (tell && fgets(line, sizeof line, voice->kept))
    fprintf(stderr, "rank %d: %s", rank, line);
  fclose(voice->kept);
  voice->kept = NULL;
}

/* All ranks arrive here. One that failed alone, while the others wait for it in the middle of a step, ends them. */
static void meet(int code, int rank, Voice *voice) {
  MPI_Request request;
  int arrived = 0;
  MPI_Ibarrier(MPI_COMM_WORLD, &request);
  for (int tick = 0; code >= EXIT_USAGE && !arrived && tick < 100 * LOST_SECONDS; tick++) {
    MPI_Test(&request, &arrived, MPI_STATUS_IGNORE);
    if (!arrived)
      nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
  }
  if (code >= EXIT_USAGE && !arrived) {
    speak(voice, rank, true);
    fprintf(stderr, "asperity-mpi: rank %d ended alone, with exit code %d: all are ended\n", rank, code);
    MPI_Abort(MPI_COMM_WORLD, code);
  }
  if (!arrived)
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

int run_command(int count, char **words) {
  AspMpiRanks *ranks = asp_mpi_ranks_create(MPI_COMM_WORLD);
  Session session = {.command = &command_run, .context = asp_context_create(NULL)};
  if (!ranks || !session.context)
    MPI_Abort(MPI_COMM_WORLD, EXIT_FAILED);
  session.ranks = asp_mpi_ranks_shared(ranks);
  int rank = session.ranks->rank;
  asp_context_set_ranks(session.context, session.ranks);
  Voice voice = hush(rank);
  int code = session.command->run(&session, count, words), most = code, lead = code;
  fflush(stdout);
  meet(code, rank, &voice);
  MPI_Allreduce(&code, &most, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  MPI_Bcast(&lead, 1, MPI_INT, 0, MPI_COMM_WORLD);
  speak(&voice, rank, code >= EXIT_USAGE && code != lead);
  asp_context_destroy(session.context);
  asp_mpi_ranks_destroy(ranks);
  return most;
}
