/* The contact search of a model: a collision object that knows which of the model's bodies never touch. */
#include "formulate/formulate.h"

AspError asp_collision_of_model(AspContext *context, const AspModel *model, AspCollision **collision) {
  ASP_TRY(asp_collision_create(context, asp_model_dimension(model), collision));
  int count;
  const AspBodyPair *pair = asp_model_excluded(model, &count);
  int(*owners)[2] = asp_allocate(context, (size_t)count, sizeof *owners);
  AspError error = owners || count == 0 ? ASP_OK : ASP_ERROR_MEMORY;
  for (int i = 0; i < count && error == ASP_OK; i++) {
    owners[i][0] = pair[i].a;
    owners[i][1] = pair[i].b;
  }
  if (error == ASP_OK)
    error = asp_collision_exclude(*collision, (const int(*)[2])owners, count);
  asp_release(context, owners);
  if (error != ASP_OK) {
    asp_collision_destroy(*collision);
    *collision = NULL;
  }
  return error;
}
