/* Inertias of MJCF bodies: given, or the sum over their geoms. */
#include "io/import/mjcf.h"

#include "linalg/small.h"
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

static void from_principal(const double moment[3], const double V[9], AspMat3 *inertia) {
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      double sum = 0;
      for (int k = 0; k < 3; k++)
        sum += V[3 * k + i] * moment[k] * V[3 * k + j];
      inertia->m[3 * i + j] = sum;
    }
}

/* Principal moments of at least this. */
static void raise_inertia(double least, AspMat3 *inertia) {
  double moment[3], V[9];
  if (!(least > 0))
    return;
  asp_small_principal(inertia->m, moment, V);
  for (int i = 0; i < 3; i++)
    moment[i] = fmax(moment[i], least);
  from_principal(moment, V, inertia);
}

/* balanceinertia: moments of which one is larger than the sum of the others all become their mean. */
static void balance(AspMat3 *inertia) {
  double A[3], V[9];
  asp_small_principal(inertia->m, A, V);
  if (A[0] + A[1] >= A[2] && A[0] + A[2] >= A[1] && A[1] + A[2] >= A[0])
    return;
  A[0] = A[1] = A[2] = (A[0] + A[1] + A[2]) / 3;
  from_principal(A, V, inertia);
}

void asp_mjcf_bound(Mjcf *mjcf, const MjcfScope *scope, const XmlNode *body, AspMassProperties *mass) {
  Import *import = mjcf->robot->import;
  const MjcfModel *model = scope->model;
  mass->mass = fmax(mass->mass, model->bound_mass);
  if (!(mass->mass > 0)) {
    *mass = (AspMassProperties){0};
    return;
  }
  raise_inertia(model->bound_inertia, &mass->inertia);
  if (asp_import_repair(import, mass))
    asp_import_note(import, ASP_IMPORT_APPROXIMATED, body, "inertia",
                    "not positive definite: eigenvalues that are too small were raised");
  if (model->balance_inertia)
    balance(&mass->inertia);
}
