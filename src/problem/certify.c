/* From what the judge computes to what holds exactly: E2 and E3 with a bound on their rounding, sharp enough to decide.
 *
 *   E2* <= E2 + E2_rounding,   E3* <= E3 + E3_rounding         stars: exact, for the stored M, H, f, w and r
 *
 * First the bounds of rounding.h, which cost about as much as a residual. Where the tolerance lies between the value
 * plus and minus its bound, the value is computed again in twice the precision (sharp_judge.c). What is not decided
 * then counts as not solved. Proofs: docs/theory/rounding.md.
 */
#include "problem/judge_state.h"

#include <math.h>

/* Largest distance of value = map / over from its exact one, where the map may be `map_error` off and the denominator
 * is at least `least` and at most `most`. */
static double spread(double value, const AspSharp *sharp, double share, double least, double most) {
  if (!(least > 0))
    return sharp->map + sharp->map_error > 0 ? INFINITY : 0;
  double high = (sharp->map * (1 + share) + sharp->map_error) * (1 + share) / least;
  double low = fmax(sharp->map * (1 - share) - sharp->map_error, 0) * (1 - share) / most;
  double rounding = fmax(high - value, value - low);
  return rounding >= 0 ? rounding : INFINITY;
}

/* E2 and E3 from ||F|| and ||q||, with their bounds and the floor of their denominators. */
static void bound(const AspJudge *judge, const AspTolerances *asked, const AspSharp *sharp, AspResidual *residual) {
  double share = asp_roundings(judge->problem->rows + ROUNDING_MAP) + 2 * judge->rounding.rho;
  double q = sharp->norm_q, rho = residual->rho, r = residual->norm_r;
  double floor = judge->rounding.floor / asked->residual;
  double least_q = fmax(q - sharp->norm_q_error, floor), most_q = fmax(q + sharp->norm_q_error, floor);
  residual->least_q = floor > q ? floor : 0;
  double data = rho * fmax(q, residual->least_q), law = fmax(r, data);
  residual->E2 = law > 0 ? sharp->map / law : sharp->map;
  residual->E3 = data > 0 ? sharp->map / data : sharp->map;
  residual->E2_rounding =
      spread(residual->E2, sharp, share, fmax(r, rho * least_q) * (1 - share), fmax(r, rho * most_q) * (1 + share));
  residual->E3_rounding = spread(residual->E3, sharp, share, rho * least_q * (1 - share), rho * most_q * (1 + share));
}

/* Is the exact verdict known? */
static bool is_decided(const AspTolerances *asked, const AspResidual *residual) {
  double high = fmax(residual->E2 + residual->E2_rounding, (residual->E3 + residual->E3_rounding) / ASP_INFLATION);
  double low = fmax(residual->E2 - residual->E2_rounding, (residual->E3 - residual->E3_rounding) / ASP_INFLATION);
  return high <= asked->residual || low > asked->residual;
}

AspError asp_judge_certify(AspJudge *judge, const AspTolerances *asked, const double *r, AspResidual *residual,
                           double *u, double *x) {
  ASP_TRY(asp_judge_residual(judge, r, residual, u, x));
  double began = asp_clock_seconds(), data = residual->rho * residual->norm_q;
  double law = fmax(residual->norm_r, data);
  AspResidual computed = *residual;
  asp_residual_floor(residual, residual->rounding / asked->residual);
  if (judge->problem->rows == 0 || !isfinite(residual->E2) || !(law > 0) ||
      asp_verdict_measure(asked, residual) > ROUNDING_HOPELESS * asked->residual)
    return ASP_OK;
  if (judge->problem->dofs > 0 && !judge->mass.is_blocks && judge->rounding.least < 0)
    ASP_TRY(asp_rounding_sparse(judge));
  AspSharp sharp = {.map = computed.E2 * law, .norm_q = computed.norm_q};
  sharp.map_error = asp_rounding_of_maps(judge, r);
  sharp.norm_q_error = asp_rounding_of_q(judge);
  AspResidual bounded = *residual;
  bound(judge, asked, &sharp, &bounded);
  if (!is_decided(asked, &bounded)) {
    judge->has_last = false;
    ASP_TRY(asp_judge_sharp(judge, r, &sharp));
    bound(judge, asked, &sharp, &bounded);
    residual->E2 = bounded.E2;
    residual->E3 = bounded.E3;
    residual->least_q = bounded.least_q;
  }
  residual->E2_rounding = bounded.E2_rounding;
  residual->E3_rounding = bounded.E3_rounding;
  judge->time += asp_clock_seconds() - began;
  return ASP_OK;
}
