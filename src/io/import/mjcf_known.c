/* Elements and attributes of MJCF that are known and are not read: those that do not act on the motion, those that have
 * no meaning in rigid contact, and those that are not simulated. */
#include "io/import/mjcf.h"

typedef struct Known {
  const char *element, *attributes; /* "*": any element; attributes: NULL for the element, or words in blanks */
  AspImportKind kind;
  const char *reason;
} Known;

static const Known known[] = {
    {"visual", NULL, ASP_IMPORT_IRRELEVANT, "appearance"},
    {"statistic", NULL, ASP_IMPORT_IRRELEVANT, "appearance"},
    {"light", NULL, ASP_IMPORT_IRRELEVANT, "appearance"},
    {"camera", NULL, ASP_IMPORT_IRRELEVANT, "appearance"},
    {"texture", NULL, ASP_IMPORT_IRRELEVANT, "appearance"},
    {"material", NULL, ASP_IMPORT_IRRELEVANT, "appearance"},
    {"skin", NULL, ASP_IMPORT_IRRELEVANT, "appearance; skins are not drawn"},
    {"size", NULL, ASP_IMPORT_IRRELEVANT, "memory of MuJoCo"},
    {"custom", NULL, ASP_IMPORT_IRRELEVANT, "data of other programs"},
    {"key", NULL, ASP_IMPORT_IRRELEVANT, "a keyframe that was not asked for (--keyframe)"},
    {"composite", NULL, ASP_IMPORT_IGNORED, "not simulated"},
    {"flexcomp", NULL, ASP_IMPORT_IGNORED, "not simulated"},
    {"deformable", NULL, ASP_IMPORT_IGNORED, "not simulated"},
    {"plugin", NULL, ASP_IMPORT_IGNORED, "not simulated"},
    {"extension", NULL, ASP_IMPORT_IGNORED, "not simulated: plugins"},
    {"mesh", NULL, ASP_IMPORT_IRRELEVANT, "a mesh that no geom has"},
    {"hfield", NULL, ASP_IMPORT_IRRELEVANT, "a height field that no geom has"},
    {"*", " name class user group rgba material texcoord plugin ", ASP_IMPORT_IRRELEVANT, "names and appearance"},
    {"*", " solref solimp solreflimit solimplimit solreffriction solimpfriction solmix torquescale ",
     ASP_IMPORT_APPROXIMATED, "contacts, limits and constraints are rigid"},
    {"*", " noise cutoff delay nsample interval ", ASP_IMPORT_IRRELEVANT, "of sensors"},
    {"pair", " margin gap ", ASP_IMPORT_APPROXIMATED, "contact begins where the surfaces meet"},
    {"geom", " margin gap ", ASP_IMPORT_APPROXIMATED, "contact begins where the surfaces meet"},
    {"joint", " margin ", ASP_IMPORT_APPROXIMATED, "a limit acts where it is reached"},
    {"tendon", " width ", ASP_IMPORT_IRRELEVANT, "appearance"},
    {"fixed", " width margin ", ASP_IMPORT_IRRELEVANT, "appearance"},
    {"site", " size type fromto ", ASP_IMPORT_IRRELEVANT, "appearance"},
    {"mesh", " builtin params content_type smoothnormal maxhullvert normal face texcoord ", ASP_IMPORT_IRRELEVANT,
     "appearance, or reported with the geom"},
    {"geom", " shellinertia ", ASP_IMPORT_IGNORED, "not simulated"},
    {"geom", " fluidshape fluidcoef ", ASP_IMPORT_APPROXIMATED, "drag acts as on the body's inertia box"},
    {"spatial", " width margin ", ASP_IMPORT_IRRELEVANT, "appearance"},
    {"hfield", " content_type ", ASP_IMPORT_IRRELEVANT, "kind of the file"},
    {"option",
     " impratio tolerance ls_tolerance noslip_tolerance ccd_tolerance mpr_tolerance integrator cone jacobian "
     "solver iterations ls_iterations noslip_iterations ccd_iterations mpr_iterations sdf_iterations "
     "sdf_initpoints actuatorgroupdisable apirate o_margin o_solref o_solimp o_friction sleep_tolerance ",
     ASP_IMPORT_IRRELEVANT, "settings of MuJoCo's solver"},
    {"option", " magnetic ", ASP_IMPORT_IRRELEVANT, "for sensors"},
    {"flag",
     " warmstart refsafe sensor midphase nativeccd eulerdamp energy fwdinv invdiscrete multiccd island autoreset "
     "sleep ",
     ASP_IMPORT_IRRELEVANT, "settings of MuJoCo's solver"},
    {"flag", " equality frictionloss limit actuation spring damper ", ASP_IMPORT_IRRELEVANT,
     "of things that the model does not have"},
    {"flag", " clampctrl filterparent override ", ASP_IMPORT_IGNORED, "not simulated"},
    {"compiler",
     " texturedir strippath usethread discardvisual fusestatic alignfree saveinertial convexhull "
     "exactmeshinertia ",
     ASP_IMPORT_IRRELEVANT, "how MuJoCo builds its model"},
    {"compiler", " fitaabb ", ASP_IMPORT_IGNORED, "not simulated"},
    {"general", " dynprm actdim actlimited actrange actearly ", ASP_IMPORT_IRRELEVANT, "reported with the actuator"},
    {"body", " sleep ", ASP_IMPORT_IRRELEVANT, "how MuJoCo saves time"},
    {"joint", " actuatorgravcomp ", ASP_IMPORT_IGNORED, "not simulated"},
    {"freejoint", " align ", ASP_IMPORT_IRRELEVANT, "how MuJoCo builds its model"},
    {"mujoco", " model ", ASP_IMPORT_IRRELEVANT, "names"},
};

/* Attributes that the readers know: in defaults they need not be used by any element. */
static const char *const in_defaults[][2] = {
    {"geom",
     " type pos quat axisangle euler xyaxes zaxis size fromto contype conaffinity condim friction priority mass "
     "density mesh hfield surfacevel fitscale "},
    {"joint", " type pos axis range limited ref springref stiffness damping armature frictionloss springdamper "
              "actuatorfrcrange actuatorfrclimited "},
    {"mesh", " scale inertia "},
    {"site", " pos quat axisangle euler xyaxes zaxis "},
    {"tendon", " range limited stiffness damping frictionloss armature springlength actuatorfrcrange "
               "actuatorfrclimited "},
    {"equality", " active "},
    {"pair", " friction condim "},
    {"motor", " gear ctrlrange ctrllimited forcerange forcelimited joint "},
    {"position", " kp kv dampratio timeconst inheritrange gear ctrlrange ctrllimited forcerange forcelimited joint "},
    {"velocity", " kv gear ctrlrange ctrllimited forcerange forcelimited joint "},
    {"general", " gaintype biastype dyntype gainprm biasprm gear ctrlrange ctrllimited forcerange forcelimited joint "},
};

static bool has_word(const char *words, const char *word) {
  size_t length = strlen(word);
  for (const char *at = strstr(words, word); at; at = strstr(at + 1, word))
    if (at[-1] == ' ' && at[length] == ' ')
      return true;
  return false;
}

static bool fits(const Known *row, const XmlNode *node) {
  return strcmp(row->element, "*") == 0 || strcmp(row->element, node->name) == 0;
}

static void set_attribute_aside(Import *import, const XmlNode *node, XmlAttribute *attribute, bool defaults) {
  for (size_t i = 0; i < sizeof in_defaults / sizeof *in_defaults; i++)
    if (defaults && strcmp(in_defaults[i][0], node->name) == 0 && has_word(in_defaults[i][1], attribute->name))
      attribute->used = true;
  for (size_t i = 0; i < sizeof known / sizeof *known && !attribute->used; i++)
    if (known[i].attributes && fits(&known[i], node) && has_word(known[i].attributes, attribute->name)) {
      attribute->used = true;
      if (!has_word(" name class ", attribute->name))
        asp_import_note(import, known[i].kind, node, asp_import_text(import, "%s %s=", node->name, attribute->name),
                        "%s", known[i].reason);
    }
}

static void set_aside(Import *import, XmlNode *node, bool defaults) {
  defaults = defaults || strcmp(node->name, "default") == 0;
  node->used = node->used || strcmp(node->name, "asset") == 0;
  if (node->reported)
    return;
  for (size_t i = 0; i < sizeof known / sizeof *known && !node->used; i++)
    if (!known[i].attributes && fits(&known[i], node)) {
      asp_import_leave_out(import, known[i].kind, node, known[i].reason);
      return;
    }
  // elements of defaults that no element of their class reads; what they hold is looked at all the same
  for (size_t i = 0; i < sizeof in_defaults / sizeof *in_defaults && defaults; i++)
    node->used = node->used || strcmp(in_defaults[i][0], node->name) == 0;
  for (int i = 0; node->used && i < node->attributes; i++)
    if (!node->attribute[i].used)
      set_attribute_aside(import, node, &node->attribute[i], defaults);
  for (XmlNode *child = node->child; node->used && child; child = child->next)
    set_aside(import, child, defaults);
}

void asp_mjcf_set_aside(Import *import, XmlNode *root) { set_aside(import, root, false); }
