/* What a solver has learnt from the problems it solved, by which the next solve is made. Everything else that it keeps
 * is room, or follows from the problem. */
#ifndef ASP_SOLVER_ARCHIVE_H
#define ASP_SOLVER_ARCHIVE_H

#include "asperity/solver.h"
#include "base/archive.h"

AspError asp_solver_archive(AspArchive *archive, AspSolver *solver);
/* The same of a solver that is made when it is first needed, or is not there yet (NULL). */
AspError asp_solver_archive_late(AspArchive *archive, AspSolver **solver,
                                 AspError (*make)(void *user, AspSolver **solver), void *user);

#endif
