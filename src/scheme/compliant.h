/* What the world adds to compliant contact: a start of its own, and unknowns that it integrates along. */
#ifndef ASP_SCHEME_COMPLIANT_H
#define ASP_SCHEME_COMPLIANT_H

#include "asperity/compliant.h"
#include "base/archive.h"
#include "formulate/formulate.h"

/* One evaluation of the equation. */
typedef struct AspCompliantMoment {
  const AspState *state;
  const AspFormulation *formulation; /* blocks of the joints */
  const double *r;                   /* their reactions: forces */
  AspContactFrame *frames;           /* of the contacts that touch, their forces in `impulse` */
  int count;
} AspCompliantMoment;

typedef struct AspCompliantObserver {
  void *user;
  int further; /* unknowns */
  AspError (*rates)(void *user, const AspCompliantMoment *moment, double *rates);
} AspCompliantObserver;

/* Go on from this state; what the observer integrates starts at zero. */
AspError asp_compliant_begin(AspCompliant *compliant, const AspState *state, const AspCompliantObserver *observer);
/* All that it remembers, the motion under way too, written or read back; the observer is the one it began with. */
AspError asp_compliant_archive(AspCompliant *compliant, const AspCompliantObserver *observer, AspArchive *archive);
/* Local error of the last advance as the integrator estimates it, relative to what its tolerances allow: the largest of
 * the last steps before contacts came or went, and of the very last. */
double asp_compliant_error(const AspCompliant *compliant);
/* The observer's unknowns, where the last advance ended. */
const double *asp_compliant_observed(const AspCompliant *compliant);
/* Frame of a contact (as asp_compliant_contacts numbers them) and its geometry, where it was seen last. */
const AspContactFrame *asp_compliant_frame(const AspCompliant *compliant, int contact, AspContact *geometry);

#endif
