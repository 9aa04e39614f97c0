/* Contact of URDF's links. The format has none; files say it for other programs:
 *
 *   <gazebo reference="LINK"><mu1>0.8</mu1></gazebo>
 *   <link><contact><lateral_friction value="0.8"/><restitution value="0.1"/></contact></link>    Bullet
 *
 * Each pair of numbers that occurs is a material. Of two coefficients the smaller one counts, as in Gazebo (Bullet
 * multiplies them); towards what the file says nothing of, the link's own. Where nothing is said, 0.5 is assumed.
 */
#include "io/import/urdf.h"

#include <math.h>

/* A number as text or as the attribute `value`. */
static double value_of(Import *import, const XmlNode *node, double otherwise) {
  const char *text = asp_xml_attribute(node, "value");
  double number = otherwise;
  asp_import_numbers(import, node, text ? text : node->text, &number, 1);
  return number;
}

static void set_aside(Import *import, const XmlNode *node) {
  static const struct {
    const char *name, *reason;
    AspImportKind kind;
  } known[] = {{"kp", "contacts are rigid", ASP_IMPORT_APPROXIMATED},
               {"kd", "contacts are rigid", ASP_IMPORT_APPROXIMATED},
               {"stiffness", "contacts are rigid", ASP_IMPORT_APPROXIMATED},
               {"damping", "contacts are rigid", ASP_IMPORT_APPROXIMATED},
               {"contact_cfm", "contacts are rigid", ASP_IMPORT_APPROXIMATED},
               {"contact_erp", "contacts are rigid", ASP_IMPORT_APPROXIMATED},
               {"minDepth", "contacts are rigid", ASP_IMPORT_APPROXIMATED},
               {"maxVel", "contacts are rigid", ASP_IMPORT_APPROXIMATED},
               {"maxContacts", "settings of another program", ASP_IMPORT_IRRELEVANT},
               {"fdir1", "friction is the same in all directions", ASP_IMPORT_APPROXIMATED},
               {"mu2", "the first coefficient counts in all directions", ASP_IMPORT_APPROXIMATED},
               {"material", "appearance", ASP_IMPORT_IRRELEVANT}};
  for (const XmlNode *child = node->child; child; child = child->next) {
    size_t i = 0;
    while (i < sizeof known / sizeof *known && strcmp(known[i].name, child->name) != 0)
      i++;
    if (child->used || child->reported)
      continue;
    if (i < sizeof known / sizeof *known)
      asp_import_leave_out(import, known[i].kind, child, known[i].reason);
    else
      asp_import_leave_out(import, ASP_IMPORT_IGNORED, child, "settings of another program");
  }
}

static void read_gazebo(Urdf *urdf, const char *link, UrdfSurface *own) {
  Import *import = urdf->robot->import;
  const UrdfIndex *index = &urdf->gazebo;
  for (int at = asp_urdf_find(index, link); at < index->count && strcmp(index->item[at].name, link) == 0; at++) {
    XmlNode *node = index->item[at].node;
    const XmlNode *first = asp_xml_child(node, "mu1"), *second = first ? asp_xml_child(node, "mu2") : NULL;
    if (!first)
      continue;
    own->friction = value_of(import, first, 1);
    if (second && value_of(import, second, own->friction) != own->friction)
      asp_import_note(import, ASP_IMPORT_APPROXIMATED, second, "mu2", "the first coefficient counts in all directions");
    node->used = true;
    set_aside(import, node);
  }
}

const char *asp_urdf_surface(Urdf *urdf, const XmlNode *link) {
  Import *import = urdf->robot->import;
  const XmlNode *contact = asp_xml_child(link, "contact"),
                *friction = contact ? asp_xml_child(contact, "lateral_friction") : NULL,
                *restitution = contact ? asp_xml_child(contact, "restitution") : NULL;
  UrdfSurface own = {-1, 0};
  if (friction)
    own.friction = value_of(import, friction, ASP_URDF_FRICTION);
  if (restitution)
    own.restitution = fmin(fmax(value_of(import, restitution, 0), 0), 1);
  if (contact)
    set_aside(import, contact);
  read_gazebo(urdf, asp_import_required(import, link, "name"), &own);
  if (own.friction < 0 && own.restitution == 0)
    return NULL;
  own.friction = own.friction < 0 ? ASP_URDF_FRICTION : fmin(own.friction, 100); // Gazebo's 1e6: it does not slide
  int i = 0;
  while (i < urdf->surfaces &&
         (urdf->surface[i].friction != own.friction || urdf->surface[i].restitution != own.restitution))
    i++;
  if (i == URDF_SURFACES_MAX) {
    asp_import_note(import, ASP_IMPORT_APPROXIMATED, link, "contact", "more than %d different ones: the first counts",
                    URDF_SURFACES_MAX);
    i = 0;
  } else if (i == urdf->surfaces) {
    urdf->surface[urdf->surfaces++] = own;
  }
  return asp_import_text(import, "surface%d", i);
}

/* k: -1: whatever else there is. */
static void write_law(Urdf *urdf, int i, int k) {
  const UrdfSurface none = {ASP_URDF_FRICTION, 0}, *a = i < 0 ? &none : &urdf->surface[i],
                    *b = k < 0 ? a : &urdf->surface[k];
  Import *import = urdf->robot->import;
  cJSON *law = cJSON_CreateObject(), *pair = asp_json_add_array(law, "pair");
  asp_json_append(pair, cJSON_CreateString(i < 0 ? "*" : asp_import_text(import, "surface%d", i)));
  asp_json_append(pair, cJSON_CreateString(k < 0 ? "*" : asp_import_text(import, "surface%d", k)));
  asp_json_add_number(law, "friction", fmin(a->friction, b->friction));
  if (k >= 0 && fmin(a->restitution, b->restitution) > 0)
    asp_json_add_number(law, "restitution", fmin(a->restitution, b->restitution));
  asp_json_append(asp_json_list(urdf->robot->scene, "materials"), law);
}

void asp_urdf_write_surfaces(Urdf *urdf) {
  write_law(urdf, -1, -1);
  for (int i = 0; i < urdf->surfaces; i++)
    for (int k = -1; k < urdf->surfaces; k++)
      if (k < 0 || k >= i)
        write_law(urdf, i, k);
  asp_import_note(urdf->robot->import, ASP_IMPORT_APPROXIMATED, urdf->root, "friction",
                  urdf->surfaces
                      ? "%g is assumed where neither mu1 nor lateral_friction says it; of two the smaller counts"
                      : "URDF has none between bodies: %g is assumed",
                  ASP_URDF_FRICTION);
}
