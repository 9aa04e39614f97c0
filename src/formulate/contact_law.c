/* What the pair of materials of a contact does: its coefficients, and which of them leave Coulomb's law with one
 * constant (docs/theory/friction-laws.md).
 *
 *   mu(s) = mu_k + (mu_s - mu_k) exp(-(s / s_0)^p)      static friction over the slip speed s, Stribeck
 *   moment about the normal <= (spinning + mu 2/3 R) N   patch of radius R
 *
 * Depends on the model's pair laws. */
#include "base/elementary.h"
#include "formulate/formulate.h"
#include "linalg/vec3.h"

#include <math.h>

const char *asp_pair_law_beyond_coulomb(const AspPairLaw *law, bool constant) {
  if (!law)
    return NULL;
  if (law->static_friction > law->friction)
    return law->stribeck_speed > 0 ? "stribeck_speed" : "static_friction";
  if (law->contact_radius > 0)
    return "contact_radius";
  if (constant)
    return NULL;
  return law->friction_across > 0 ? "friction_across"
         : law->rolling > 0       ? "rolling"
         : law->spinning > 0      ? "spinning"
                                  : NULL;
}

const char *asp_pair_law_beyond_friction(const AspPairLaw *law) {
  return !law                      ? NULL
         : law->rolling > 0        ? "rolling"
         : law->spinning > 0       ? "spinning"
         : law->contact_radius > 0 ? "contact_radius"
                                   : NULL;
}

bool asp_pair_law_is_patch(const AspPairLaw *law) { return law->contact_radius > 0 && law->friction > 0; }

bool asp_pair_law_varies(const AspPairLaw *law) {
  return law->static_friction > law->friction || asp_pair_law_is_patch(law);
}

double asp_friction_coefficient(const AspPairLaw *law, double slip) {
  double extra = law->static_friction - law->friction;
  if (!(extra > 0))
    return law->friction;
  if (!(law->stribeck_speed > 0))
    return slip > 0 ? law->friction : law->static_friction;
  double exponent = law->stribeck_exponent > 0 ? law->stribeck_exponent : 1;
  return law->friction + extra * asp_exp(-asp_pow(slip / law->stribeck_speed, exponent));
}

double asp_patch_lever(const AspPairLaw *law) { return 2.0 / 3 * law->contact_radius; }

double asp_spinning_length(const AspPairLaw *law) { return law->spinning + law->friction * asp_patch_lever(law); }

void asp_contact_frame_apply_law(const AspModel *model, const AspState *state, int shape_a, AspContactFrame *frame) {
  const AspPairLaw *law = frame->law;
  if (!law)
    return;
  frame->mu = law->friction;
  frame->restitution = law->restitution;
  frame->tangential_restitution = law->tangential_restitution;
  if (!(law->friction_across > 0))
    return;
  bool in_a = asp_model_shape(model, shape_a, NULL)->material == law->direction_material;
  AspPose pose = asp_state_pose(model, state, in_a ? frame->body_a : frame->body_b);
  asp_contact_frame_align(frame, quat_rotate(pose.orientation, law->direction));
}
