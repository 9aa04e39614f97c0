/* Inertias of MJCF bodies: given, or the sum over their geoms. */
#include "io/import/mjcf.h"

#include "linalg/vec3.h"

void asp_mjcf_inertial(Mjcf *mjcf, const MjcfScope *scope, const XmlNode *node, AspPose frame,
                       AspMassProperties *mass) {
  Import *import = mjcf->robot->import;
  AspPose pose = asp_mjcf_pose(mjcf, scope, node, NULL);
  double m = asp_import_number(import, node, "mass", 0), I[6] = {0};
  if (!asp_import_vector(import, node, "fullinertia", I, 6))
    asp_import_vector(import, node, "diaginertia", I, 3);
  pose = pose_multiply(&frame, &pose);
  AspMassProperties own = {m, {0, 0, 0}, {{I[0], I[3], I[4], I[3], I[1], I[5], I[4], I[5], I[2]}}};
  *mass = asp_mass_transform(&own, &pose);
}

void asp_mjcf_bound(Mjcf *mjcf, const MjcfScope *scope, const XmlNode *body, AspMassProperties *mass) {
  Import *import = mjcf->robot->import;
  const MjcfModel *model = scope->model;
  double least = model->bound_inertia;
  if (mass->mass > 0 && mass->mass < model->bound_mass)
    mass->mass = model->bound_mass;
  if (!(mass->mass > 0)) {
    *mass = (AspMassProperties){0};
    return;
  }
  if (asp_import_repair(import, mass))
    asp_import_note(import, ASP_IMPORT_APPROXIMATED, body, "inertia",
                    "not positive definite: eigenvalues that are too small were raised");
  if (least > 0 && mass->inertia.m[0] + mass->inertia.m[4] + mass->inertia.m[8] < 3 * least)
    mass->inertia = mat3_diagonal(least, least, least);
  if (model->balance_inertia)
    asp_import_note(import, ASP_IMPORT_APPROXIMATED, body,
                    "compiler balanceinertia=", "inertias are taken as they are");
}
