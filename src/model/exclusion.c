/* Pairs of bodies that never touch: those that were excluded by name, and the two bodies of every joint that does not
 * ask for their contact. Shapes of one owner (a body, or all stations of a beam) never touch each other, so that pairs
 * are kept as pairs of owners. Pairs without shapes on both sides come last, hidden from readers: they count again in a
 * clone that gets the shapes.
 *
 * Depends on model.c.
 */
#include "model/model.h"

#include <stdlib.h>

int asp_model_body_owner(const AspModel *model, int body) {
  int beam = model->body[body].beam;
  return beam >= 0 ? model->beam[beam].station[0] : body;
}

static AspError add(AspModel *model, int body_a, int body_b) {
  int a = asp_model_body_owner(model, body_a), b = asp_model_body_owner(model, body_b);
  ASP_TRY(ASP_GROW(model->context, model->excluded, model->excluded_capacity, model->excluded_all + 1));
  model->excluded[model->excluded_all++] = (AspBodyPair){a < b ? a : b, a < b ? b : a};
  return ASP_OK;
}

AspError asp_model_exclude(AspModel *model, int body_a, int body_b) {
  ASP_TRY(asp_model_may_add(model, "exclusion", true));
  ASP_TRY(asp_model_check_body(model, "body_a", body_a));
  ASP_TRY(asp_model_check_body(model, "body_b", body_b));
  return add(model, body_a, body_b);
}

static int compare(const void *x, const void *y) {
  const AspBodyPair *p = x, *q = y;
  return p->a != q->a ? (p->a < q->a ? -1 : 1) : (p->b > q->b) - (p->b < q->b);
}

static void keep_each_once(AspModel *model) {
  AspBodyPair *pair = model->excluded;
  int kept = 0;
  if (model->excluded_all > 0)
    qsort(pair, (size_t)model->excluded_all, sizeof *pair, compare);
  for (int i = 0; i < model->excluded_all; i++)
    if (pair[i].a != pair[i].b && (kept == 0 || compare(&pair[kept - 1], &pair[i]) != 0))
      pair[kept++] = pair[i];
  model->excluded_all = kept;
}

/* Those with shapes stay sorted. */
static void put_touching_first(AspModel *model, const bool *has_shape) {
  AspBodyPair *pair = model->excluded;
  int first = 0;
  for (int i = 0; i < model->excluded_all; i++)
    if (has_shape[pair[i].a] && has_shape[pair[i].b]) {
      AspBodyPair moved = pair[first];
      pair[first++] = pair[i];
      pair[i] = moved;
    }
  model->excluded_count = first;
}

AspError asp_exclusions_finish(AspModel *model) {
  bool *has_shape = asp_allocate(model->context, (size_t)model->body_count, sizeof *has_shape);
  if (!has_shape)
    return ASP_ERROR_MEMORY;
  for (int i = 0; i < model->shape_count; i++)
    has_shape[asp_model_body_owner(model, model->shape[i].body)] = true;
  AspError error = ASP_OK;
  for (int i = 0; i < model->joint_count && error == ASP_OK; i++)
    if (!model->joint[i].def.contact && !asp_joint_is_sum(&model->joint[i].def) && model->joint[i].def.compound < 0)
      error = add(model, model->joint[i].def.body_a, model->joint[i].def.body_b);
  if (error == ASP_OK) {
    keep_each_once(model);
    put_touching_first(model, has_shape);
  }
  asp_release(model->context, has_shape);
  return error;
}

const AspBodyPair *asp_model_excluded(const AspModel *model, int *count) {
  *count = model->excluded_count;
  return model->excluded;
}

bool asp_model_is_excluded(const AspModel *model, int body_a, int body_b) {
  int a = asp_model_body_owner(model, body_a), b = asp_model_body_owner(model, body_b);
  AspBodyPair key = {a < b ? a : b, a < b ? b : a};
  return a == b || (model->excluded_count > 0 &&
                    bsearch(&key, model->excluded, (size_t)model->excluded_count, sizeof key, compare) != NULL);
}
