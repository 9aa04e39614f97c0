/* Contact of SDFormat's shapes: a material for each surface that occurs. Of two coefficients of friction or restitution
 * the smaller one counts, as in ODE. A negative coefficient of friction has no limit there. A surface bounces from
 * `threshold` on, by default from 1e5 m/s: where that is out of reach it does not bounce. Contact resists spinning,
 * with the patch radius a, the coefficient c and the normal force N:
 *
 *   torque = 3 pi/16 a c N
 *
 * Source: sdformat.org, specification 1.9 (collision, surface); gazebosim.org, tutorial "Torsional friction".
 */
#include "io/import/sdf.h"

#include "base/constants.h"

#include <math.h>

#define FRICTION_MOST  100.0  /* what counts as without limit */
#define THRESHOLD_MOST 1000.0 /* m/s: nothing here meets as fast */

static bool is_false(const char *text) { return text && (*text == 'f' || *text == 'F' || *text == '0'); }

static double read_friction(Sdf *sdf, const XmlNode *friction) {
  const XmlNode *ode = friction ? asp_xml_child(friction, "ode") : NULL,
                *bullet = friction ? asp_xml_child(friction, "bullet") : NULL;
  double mu = ode ? asp_sdf_number(sdf, ode, "mu", 1) : bullet ? asp_sdf_number(sdf, bullet, "friction", 1) : 1;
  for (XmlNode *node = ode ? ode->child : NULL; node; node = node->next) {
    double second = mu;
    if (strcmp(node->name, "mu2") == 0 && asp_import_numbers(sdf->robot->import, node, node->text, &second, 1) == 1)
      node->used = second == mu; // the same in all directions
  }
  if (bullet && ode)
    asp_import_leave_out(sdf->robot->import, ASP_IMPORT_IRRELEVANT, bullet, "that of ode counts");
  return mu < 0 || mu > FRICTION_MOST ? FRICTION_MOST : mu;
}

static double read_spinning(Sdf *sdf, const XmlNode *friction) {
  const XmlNode *torsional = friction ? asp_xml_child(friction, "torsional") : NULL;
  if (!torsional)
    return 0;
  double by = asp_sdf_number(sdf, torsional, "coefficient", 1),
         radius = asp_sdf_number(sdf, torsional, "patch_radius", 0);
  if (!is_false(asp_sdf_text(torsional, "use_patch_radius")) && by >= 0 && radius >= 0)
    return 3 * ASP_PI / 16 * by * radius;
  if (by != 0)
    asp_import_note(sdf->robot->import, ASP_IMPORT_APPROXIMATED, torsional, "torsional",
                    "by surface_radius and depth: contacts are rigid and do not resist spinning");
  return 0;
}

static double read_restitution(Sdf *sdf, const XmlNode *surface) {
  const XmlNode *bounce = surface ? asp_xml_child(surface, "bounce") : NULL;
  if (!bounce)
    return 0;
  double e = asp_sdf_number(sdf, bounce, "restitution_coefficient", 0),
         threshold = asp_sdf_number(sdf, bounce, "threshold", 0);
  if (threshold > THRESHOLD_MOST)
    return 0;
  if (e > 0 && threshold > 0)
    asp_import_note(sdf->robot->import, ASP_IMPORT_APPROXIMATED, bounce,
                    "bounce threshold=", "it bounces at any speed");
  return fmin(fmax(e, 0), 1);
}

const char *asp_sdf_surface(Sdf *sdf, const XmlNode *collision) {
  const XmlNode *surface = asp_xml_child(collision, "surface"),
                *friction = surface ? asp_xml_child(surface, "friction") : NULL;
  SdfSurface own = {read_friction(sdf, friction), read_spinning(sdf, friction), read_restitution(sdf, surface)};
  int i = 0;
  while (i < sdf->surfaces && memcmp(&sdf->surface[i], &own, sizeof own) != 0)
    i++;
  if (i == SDF_SURFACES_MAX) {
    asp_import_note(sdf->robot->import, ASP_IMPORT_APPROXIMATED, collision, "surface",
                    "more than %d different ones: the first counts", SDF_SURFACES_MAX);
    i = 0;
  } else if (i == sdf->surfaces) {
    sdf->surface[sdf->surfaces++] = own;
  }
  return asp_import_text(sdf->robot->import, "surface%d", i);
}

void asp_sdf_write_surfaces(Sdf *sdf) {
  Import *import = sdf->robot->import;
  for (int i = 0; i < sdf->surfaces; i++)
    for (int k = i; k < sdf->surfaces; k++) {
      const SdfSurface *a = &sdf->surface[i], *b = &sdf->surface[k];
      cJSON *law = cJSON_CreateObject(), *pair = asp_json_add_array(law, "pair");
      asp_json_append(pair, cJSON_CreateString(asp_import_text(import, "surface%d", i)));
      asp_json_append(pair, cJSON_CreateString(asp_import_text(import, "surface%d", k)));
      asp_json_add_number(law, "friction", fmin(a->friction, b->friction));
      if (fmin(a->spinning, b->spinning) > 0)
        asp_json_add_number(law, "spinning", fmin(a->spinning, b->spinning));
      if (fmin(a->restitution, b->restitution) > 0)
        asp_json_add_number(law, "restitution", fmin(a->restitution, b->restitution));
      asp_json_append(asp_json_list(sdf->robot->scene, "materials"), law);
    }
}
