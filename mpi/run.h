/* asperity-mpi run: the command run of the program asperity on all ranks, which share its work. */
#ifndef ASPERITY_MPI_RUN_H
#define ASPERITY_MPI_RUN_H

/* words: what follows "run". Returns the exit code, the same on all ranks. */
int run_command(int count, char **words);

#endif
