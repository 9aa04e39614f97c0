/* Meshes that MuJoCo builds itself, from their parameters (mesh builtin=, params=), with the functions
 * c(w, m) = sign(cos w) |cos w|^m and s(w, m) = sign(sin w) |sin w|^m
 *
 *   supersphere  n e_1 e_2:     (c(a, e_2) c(b, e_1), c(a, e_2) s(b, e_1), s(a, e_2))
 *   supertorus   n r e_1 e_2:   ((1 + r c(a, e_1)) c(b, e_2), (1 + r c(a, e_1)) s(b, e_2), r s(a, e_1))
 *   cone         n r:           n-gons of radius 1 at z = -1 and of radius r at z = 1
 *
 * a: n steps of a full turn, of a supersphere from -pi/2 to pi/2; b: n steps of a full turn. */
#include "base/elementary.h"
#include "io/import/mjcf.h"

#include "base/constants.h"
#include "io/mesh/mesh_file.h"
#include "linalg/vec3.h"

#define STEPS_MAX 512

static double power_of(double x, double exponent) { return copysign(asp_pow(fabs(x), exponent), x); }
static double c(double w, double m) {
  return power_of(fabs(asp_cos(w)) < 1e-12 ? 0 : asp_cos(w), m);
} // exact: of rounding
static double s(double w, double m) { return power_of(fabs(asp_sin(w)) < 1e-12 ? 0 : asp_sin(w), m); }

/* Two triangles between rows of points, each closed: a, a + 1 of the lower row and b, b + 1 of the upper. */
static AspError add_strip(AspMesh *mesh, int low, int high, int n) {
  for (int j = 0; j < n; j++) {
    int k = (j + 1) % n;
    ASP_TRY(asp_mesh_add_triangle(mesh, low + j, low + k, high + j));
    ASP_TRY(asp_mesh_add_triangle(mesh, low + k, high + k, high + j));
  }
  return ASP_OK;
}

static AspError add_fan(AspMesh *mesh, int tip, int row, int n, bool up) {
  for (int j = 0; j < n; j++) {
    int k = (j + 1) % n;
    ASP_TRY(asp_mesh_add_triangle(mesh, tip, row + (up ? j : k), row + (up ? k : j)));
  }
  return ASP_OK;
}

static AspError make_supersphere(AspMesh *mesh, int n, const double *p) {
  ASP_TRY(asp_mesh_add_point(mesh, vec3(0, 0, -1)));
  for (int i = 1; i < n; i++)
    for (int j = 0; j < n; j++) {
      double a = ASP_PI * ((double)i / n - 0.5), b = 2 * ASP_PI * j / n, across = c(a, p[1]);
      ASP_TRY(asp_mesh_add_point(mesh, vec3(across * c(b, p[0]), across * s(b, p[0]), s(a, p[1]))));
    }
  ASP_TRY(asp_mesh_add_point(mesh, vec3(0, 0, 1)));
  ASP_TRY(add_fan(mesh, 0, 1, n, false));
  for (int i = 0; i + 2 < n; i++)
    ASP_TRY(add_strip(mesh, 1 + i * n, 1 + (i + 1) * n, n));
  return add_fan(mesh, mesh->points - 1, mesh->points - 1 - n, n, true);
}

static AspError make_supertorus(AspMesh *mesh, int n, const double *p) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      double a = 2 * ASP_PI * i / n, b = 2 * ASP_PI * j / n, out = 1 + p[0] * c(a, p[1]);
      ASP_TRY(asp_mesh_add_point(mesh, vec3(out * c(b, p[2]), out * s(b, p[2]), p[0] * s(a, p[1]))));
    }
  for (int i = 0; i < n; i++)
    ASP_TRY(add_strip(mesh, i * n, (i + 1) % n * n, n));
  return ASP_OK;
}

static AspError make_cone(AspMesh *mesh, int n, const double *p) {
  for (int top = 0; top < 2; top++)
    for (int j = 0; j < n; j++) {
      double b = 2 * ASP_PI * j / n, r = top ? p[0] : 1;
      ASP_TRY(asp_mesh_add_point(mesh, vec3(r * asp_cos(b), r * asp_sin(b), top ? 1 : -1)));
    }
  ASP_TRY(asp_mesh_add_point(mesh, vec3(0, 0, -1)));
  ASP_TRY(asp_mesh_add_point(mesh, vec3(0, 0, 1)));
  ASP_TRY(add_fan(mesh, 2 * n, 0, n, false));
  ASP_TRY(add_strip(mesh, 0, n, n));
  return add_fan(mesh, 2 * n + 1, n, n, true);
}

static const struct {
  const char *name;
  int params, least; /* numbers, steps at least */
  AspError (*make)(AspMesh *mesh, int n, const double *p);
} kinds[] = {{"supersphere", 3, 3, make_supersphere}, {"supertorus", 4, 3, make_supertorus}, {"cone", 2, 3, make_cone}};

bool asp_mjcf_builtin(Mjcf *mjcf, const XmlNode *asset, const char *kind, AspVec3 scale, AspMesh *mesh) {
  Import *import = mjcf->robot->import;
  size_t k = 0, count = sizeof kinds / sizeof *kinds;
  while (k < count && strcmp(kinds[k].name, kind) != 0)
    k++;
  if (k == count) {
    asp_import_fail(import, asset,
                    "mesh: builtin '%s' is not built here, so the mass and the shape of its geoms are not known; save "
                    "the mesh as a file, or use geoms of other types",
                    kind);
    return false;
  }
  double p[4] = {0};
  const char *text = asp_import_required(import, asset, "params");
  int given = text ? asp_import_numbers(import, asset, text, p, 4) : 0;
  bool fits =
      given == kinds[k].params && p[0] >= kinds[k].least && p[0] <= STEPS_MAX && p[1] >= 0 && p[2] >= 0 && p[3] >= 0;
  if (import->error == ASP_OK && !fits)
    asp_import_fail(import, asset, "mesh: params '%s': a %s has %d numbers, the first from %d to %d, the others >= 0",
                    text, kind, kinds[k].params, kinds[k].least, STEPS_MAX);
  if (import->error != ASP_OK)
    return false;
  *mesh = (AspMesh){.context = import->context};
  AspError error = kinds[k].make(mesh, (int)p[0], p + 1);
  for (int i = 0; i < mesh->points; i++)
    mesh->point[i] = vec3(scale.x * mesh->point[i].x, scale.y * mesh->point[i].y, scale.z * mesh->point[i].z);
  if (error != ASP_OK) {
    import->error = error;
    asp_mesh_free(mesh);
  }
  return error == ASP_OK;
}
