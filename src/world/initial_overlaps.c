/* Overlaps that the scene begins with, named before the first step: of every pair of bodies the deepest contact, where
 * it is deeper than steps make by themselves (asp_frame_is_deep). A scheme can only push such bodies apart, and where
 * to is arbitrary, so the scene is likely wrong. Depends on the contact search and the warnings. */
#include "linalg/vec3.h"
#include "world/contact_search.h"
#include "world/tuning/world.h"
#include "world/warnings.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* A pair of bodies and how deep they are in each other. */
typedef struct Overlap {
  int a, b;
  double depth, width; /* m: of the contact, of the thinner of its two shapes */
} Overlap;

static double thinner(const ContactGeometry *geometry, const AspContact *contact) {
  double a = geometry->shape_thickness[contact->collider_a], b = geometry->shape_thickness[contact->collider_b];
  return fmin(a > 0 ? a : INFINITY, b > 0 ? b : INFINITY);
}

static Overlap overlap_of(const ContactGeometry *geometry, const AspContact *contact) {
  int a = geometry->shape_body[contact->collider_a], b = geometry->shape_body[contact->collider_b];
  return (Overlap){a < b ? a : b, a < b ? b : a, -contact->gap, thinner(geometry, contact)};
}

/* By bodies, the deepest of each pair first. */
static int compare_pairs(const void *a, const void *b) {
  const Overlap *x = a, *y = b;
  int order = x->a != y->a ? (x->a > y->a) - (x->a < y->a) : (x->b > y->b) - (x->b < y->b);
  return order ? order : (x->depth < y->depth) - (x->depth > y->depth);
}

/* The deepest of every pair of bodies; how many there are. */
static int keep_deepest(Overlap *list, int count) {
  int kept = 0;
  qsort(list, (size_t)count, sizeof *list, compare_pairs);
  for (int i = 0; i < count; i++)
    if (kept == 0 || list[i].a != list[kept - 1].a || list[i].b != list[kept - 1].b)
      list[kept++] = list[i];
  return kept;
}

static AspError name(const StepView *view, const Overlap *overlap, Warnings *warnings, int more) {
  char rest[64] = "", share[64] = "";
  if (more > 0)
    snprintf(rest, sizeof rest, " (and %d more pairs of bodies overlap)", more);
  if (isfinite(overlap->width)) // exact: percent
    snprintf(share, sizeof share, ", %.3g %% of the thinner shape's width", 100 * overlap->depth / overlap->width);
  return asp_warn(
      warnings,
      "%s and %s overlap by %.4g m at the start%s: move them apart, or keep them from touching (exclude, or "
      "the shapes' contact, group and mask)%s",
      asp_model_body_name(view->model, overlap->a), asp_model_body_name(view->model, overlap->b), overlap->depth, share,
      rest);
}

AspError asp_overlaps_name(ContactSearch *search, const StepView *view, Warnings *warnings) {
  int count, overlaps = 0;
  ASP_TRY(asp_search_find_within(search, view, 0, &count));
  Overlap *list = ASP_TAKE(view->arena, Overlap, count);
  if (!list)
    return ASP_ERROR_MEMORY;
  for (int i = 0; i < count; i++) {
    const AspContact *contact = &search->found[i];
    AspContactFrame frame = {.body_a = view->geometry->shape_body[contact->collider_a],
                             .body_b = view->geometry->shape_body[contact->collider_b],
                             .gap = contact->gap};
    if (asp_frame_is_deep(view->geometry, &frame))
      list[overlaps++] = overlap_of(view->geometry, contact);
  }
  overlaps = keep_deepest(list, overlaps);
  for (int k = 0; k < overlaps && k < INITIAL_OVERLAPS_NAMED; k++) {
    int deepest = k;
    for (int i = k + 1; i < overlaps; i++)
      deepest = list[i].depth > list[deepest].depth ? i : deepest;
    Overlap overlap = list[deepest];
    list[deepest] = list[k];
    list[k] = overlap;
    ASP_TRY(name(view, &overlap, warnings, k + 1 == INITIAL_OVERLAPS_NAMED ? overlaps - k - 1 : 0));
  }
  asp_arena_reset(view->arena);
  return ASP_OK;
}
