/* Inertias that no body can have. The eigenvalues of an inertia are positive; files in the wild have zeros, wrong signs
 * and products that are too large. Eigenvalues below a small part of the largest one (or of what a millimetre gives)
 * are raised to it, along the same axes:
 *
 *   A -> V max(D - e, 0) V^T + e,     A = V D V^T, e the least eigenvalue allowed
 */
#include "io/import/import.h"

#include "linalg/dense.h"
#include "linalg/small.h"

#include <math.h>

#define INERTIA_RATIO 1e-6 /* least eigenvalue of a repaired inertia, of the largest */
#define GYRATION      1e-3 /* m: least radius of gyration of a body whose inertia is repaired */

bool asp_import_repair(Import *import, AspMassProperties *mass) {
  double A[9], value[3];
  memcpy(A, mass->inertia.m, sizeof A);
  if (asp_dense_symmetric_eigenvalues(&import->arena, 3, A, value) != ASP_OK) {
    import->error = import->error == ASP_OK ? ASP_ERROR_MEMORY : import->error;
    return false;
  }
  if (value[0] > 0)
    return false;
  double least = fmax(INERTIA_RATIO * value[2], mass->mass * GYRATION * GYRATION);
  memcpy(A, mass->inertia.m, sizeof A);
  for (int i = 0; i < 3; i++)
    A[4 * i] -= least;
  asp_small_clamp(3, A);
  for (int i = 0; i < 3; i++)
    A[4 * i] += least;
  memcpy(mass->inertia.m, A, sizeof A);
  return true;
}
