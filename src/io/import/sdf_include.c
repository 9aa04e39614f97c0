/* <include> of SDFormat: the model of another file stands in its place, with the name, pose and `static` that the
 * include gives. `uri` names a file, or a folder with model.sdf, or with a model.config that names the file. Files are
 * searched as meshes are (files.c); what is not found is reported, as a world needs not all of its models. */
#include "io/import/sdf.h"

#include "io/file/text_file.h"

#include <stdlib.h>

#define INCLUDES_MAX 1000

static XmlNode *read_file(Import *import, const char *path) {
  char *text = NULL;
  size_t length = 0;
  XmlNode *root = NULL;
  import->error = asp_text_file_read(import->context, path, &text, &length);
  if (import->error == ASP_OK)
    import->error = asp_xml_parse(&import->arena, text, length, path, &root);
  asp_release(import->context, text);
  return import->error == ASP_OK ? root : NULL;
}

static bool ends_in(const char *text, const char *end) {
  size_t length = strlen(text), tail = strlen(end);
  return length >= tail && strcmp(text + length - tail, end) == 0;
}

/* The file that a folder's model.config names. */
static const char *named_by_config(Import *import, const char *folder, const char *uri) {
  const char *tried = "",
             *path = asp_import_find(import, folder, asp_import_text(import, "%s/model.config", uri), &tried);
  const XmlNode *root = path ? read_file(import, path) : NULL, *sdf = root ? asp_xml_child(root, "sdf") : NULL;
  return sdf ? asp_import_find(import, folder, asp_import_text(import, "%s/%s", uri, asp_sdf_trim(import, sdf->text)),
                               &tried)
             : NULL;
}

static const char *find_file(Import *import, const char *folder, const char *uri, const char **tried) {
  if (ends_in(uri, ".sdf") || ends_in(uri, ".xml"))
    return asp_import_find(import, folder, uri, tried);
  const char *path = asp_import_find(import, folder, asp_import_text(import, "%s/model.sdf", uri), tried);
  return path ? path : named_by_config(import, folder, uri);
}

/* A child of the include in place of the model's own of that name. */
static void take_child(XmlNode *include, XmlNode *model, const char *name) {
  XmlNode *given = asp_xml_child(include, name);
  if (!given)
    return;
  XmlNode *copy = given; // the include is gone from its list: its child moves
  for (XmlNode **at = &include->child; *at; at = &(*at)->next)
    if (*at == given) {
      *at = given->next;
      break;
    }
  for (XmlNode **at = &model->child; *at; at = &(*at)->next)
    if (strcmp((*at)->name, name) == 0) {
      *at = (*at)->next;
      break;
    }
  copy->next = model->child;
  copy->parent = model;
  model->child = copy;
}

/* merge: the parts of the model belong to the one that includes it, and may be named there. */
static void note_merged(Sdf *sdf, const XmlNode *include, const XmlNode *model) {
  const char *merge = asp_xml_attribute(include, "merge");
  SdfMerged *item =
      merge && (*merge == 't' || *merge == '1') ? asp_import_take(sdf->robot->import, 1, sizeof *item) : NULL;
  if (!item)
    return;
  *item = (SdfMerged){model, sdf->merged};
  sdf->merged = item;
}

static void rename_model(Import *import, const XmlNode *include, XmlNode *model) {
  const char *name = asp_sdf_text(include, "name");
  for (int i = 0; name && i < model->attributes; i++)
    if (strcmp(model->attribute[i].name, "name") == 0)
      model->attribute[i].value = asp_sdf_trim(import, name);
}

/* What nearly every world includes, and few come with: the plane z = 0 of Gazebo's collection. */
static XmlNode *ground(Import *import, const XmlNode *include) {
  static const char text[] =
      "<sdf version='1.9'><model name='ground_plane'><static>1</static><link name='link'><collision name='collision'>"
      "<geometry><plane/></geometry><surface><friction><ode><mu>100</mu></ode></friction></surface></collision></link>"
      "</model></sdf>";
  XmlNode *root = NULL;
  import->error = asp_xml_parse(&import->arena, text, sizeof text - 1, include->file, &root);
  if (root)
    asp_import_note(import, ASP_IMPORT_APPROXIMATED, include, "include",
                    "model://ground_plane was not found: the plane z = 0 is in its place");
  return root;
}

/* The model, ready to stand in the include's place; NULL: reported. */
static XmlNode *included(Sdf *sdf, XmlNode *include, const char *folder, const char **its_folder) {
  Import *import = sdf->robot->import;
  const char *tried = "", *uri = asp_sdf_trim(import, asp_sdf_text(include, "uri"));
  const char *path = *uri ? find_file(import, folder, uri, &tried) : NULL;
  if (import->error != ASP_OK)
    return NULL;
  bool plane = !path && ends_in(uri, "//ground_plane");
  if (!path && !plane) {
    sdf->missing++;
    bool scenery = ends_in(uri, "//sun");
    asp_import_leave_out(import, scenery ? ASP_IMPORT_IRRELEVANT : ASP_IMPORT_IGNORED, include,
                         scenery ? "a light"
                                 : asp_import_text(import, "'%s' was not found; tried: %s", uri, *tried ? tried : "-"));
    return NULL;
  }
  if (++sdf->includes > INCLUDES_MAX)
    asp_import_fail(import, include, "include: more than %d files; '%s' includes itself?", INCLUDES_MAX, uri);
  XmlNode *root = import->error != ASP_OK ? NULL
                  : plane                 ? ground(import, include)
                                          : read_file(import, path),
          *model = root ? asp_xml_child(root, "model") : NULL;
  const char *slash = plane ? NULL : strrchr(path, '/');
  *its_folder = slash ? asp_import_text(import, "%.*s", (int)(slash - path + 1), path) : "";
  if (root && !model)
    asp_import_leave_out(import, ASP_IMPORT_IGNORED, include, asp_import_text(import, "there is no model in %s", path));
  if (!model)
    return NULL;
  rename_model(import, include, model);
  take_child(include, model, "pose");
  take_child(include, model, "static");
  take_child(include, model, "placement_frame");
  note_merged(sdf, include, model);
  asp_sdf_note_version(sdf, root);
  for (const char *const *later = (const char *const[]){"plugin", "experimental:params", NULL}; *later; later++)
    if (asp_xml_child(include, *later))
      asp_import_note(import, ASP_IMPORT_IGNORED, include, asp_import_text(import, "include %s", *later),
                      "not simulated");
  return model;
}

void asp_sdf_note_version(Sdf *sdf, const XmlNode *root) {
  SdfFile *file = asp_import_take(sdf->robot->import, 1, sizeof *file);
  const char *version = asp_xml_attribute(root, "version");
  if (!file)
    return;
  char *end = NULL;
  long major = version ? strtol(version, &end, 10) : 0, minor = end && *end == '.' ? strtol(end + 1, NULL, 10) : 0;
  *file = (SdfFile){root->file, major == 1 && minor < 5, sdf->files}; // 1.10 is newer than 1.9
  sdf->files = file;
}

void asp_sdf_include(Sdf *sdf, XmlNode *node, const char *folder, int depth) {
  Import *import = sdf->robot->import;
  XmlNode *made = NULL, **end = &made, *last = NULL;
  if (depth > XML_DEPTH_MAX)
    asp_import_fail(import, node, "models within models, too deep");
  for (XmlNode *child = node->child; child && import->error == ASP_OK; child = child->next) {
    const char *its_folder = "";
    last = child;
    if (strcmp(child->name, "model") == 0 || strcmp(child->name, "world") == 0)
      asp_sdf_include(sdf, child, folder, depth + 1);
    if (strcmp(child->name, "include") != 0)
      continue;
    XmlNode *model = included(sdf, child, folder, &its_folder);
    if (!model)
      continue;
    child->used = true;
    asp_sdf_include(sdf, model, its_folder, depth + 1);
    model->parent = node;
    model->next = NULL;
    *end = model;
    end = &model->next;
  }
  if (!made || !last)
    return;
  last->next = made; // behind all others
  while (last->next)
    last = last->next;
  node->last = last;
}
