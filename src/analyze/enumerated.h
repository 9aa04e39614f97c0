/* Which laws asp_analyze can enumerate. */
#ifndef ASP_ANALYZE_ENUMERATED_H
#define ASP_ANALYZE_ENUMERATED_H

#include "asperity/problem.h"

/* Not relaxed cones, and not balls: a set of directions on a sphere. */
static inline bool asp_law_is_enumerated(const AspLaw *law) {
  return !(law->kind == ASP_LAW_COULOMB && law->cone == ASP_CONE_RELAXED) &&
         !(law->kind == ASP_LAW_BALL && law->limit > 0);
}

#endif
