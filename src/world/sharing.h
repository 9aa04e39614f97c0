/* How redundant contacts share their load where that changes the motion (sharing.c). */
#ifndef ASP_WORLD_SHARING_H
#define ASP_WORLD_SHARING_H

#include "asperity/solver.h"
#include "base/archive.h"
#include "solver/saddle.h"
#include "world/step_view.h"

typedef struct LoadSharing {
  AspSolver *solver; /* of the compliant problems; NULL until the first of them */
  AspJudge *judge;
  AspSaddle *saddle; /* of the joints' rows, by which closed normals are compared; NULL until the first of them */
  int chosen;        /* of the step under way, as AspStepInfo.load_sharing */
} LoadSharing;

/* Replace the reactions of islands whose closed contacts are redundant and slide by the limit of equal compliances.
 * make_solver: makes sharing->solver when it is needed. */
AspError asp_loads_share(LoadSharing *sharing, const StepView *view, AspStepWork *work,
                         AspError (*make_solver)(void *user, AspSolver **solver), void *user);
/* Memory for the islands of the work's problem, whatever they do. */
AspError asp_sharing_reserve(LoadSharing *sharing, const StepView *view, AspStepWork *work,
                             AspError (*make_solver)(void *user, AspSolver **solver), void *user);
/* What it learnt, written or read back; make_solver as above. */
AspError asp_sharing_archive(LoadSharing *sharing, AspArchive *archive,
                             AspError (*make_solver)(void *user, AspSolver **solver), void *user);
void asp_sharing_destroy(LoadSharing *sharing);

#endif
