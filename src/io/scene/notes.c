/* Notes on a scene that reads without mistakes: what the reader noted, and joints that leave it to the default whether
 * their bodies touch each other, where the bodies have shapes that could. */
#include "asperity/collide.h"
#include "asperity/io.h"
#include "base/base.h"
#include "linalg/vec3.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

static AspCollider collider_of(const AspModel *model, int shape, int *body) {
  const AspShapeAttachment *attachment = asp_model_shape(model, shape, body);
  AspPose pose = asp_model_body_pose(model, *body);
  return (AspCollider){.shape = &attachment->shape,
                       .pose = pose_multiply(&pose, &attachment->pose),
                       .group = attachment->group,
                       .mask = attachment->mask};
}

/* Can the shapes of two owners touch, but for the exclusion? depth: of the deepest overlap at the start, m; negative:
 * there is none. */
static bool could_touch(const AspModel *model, int owner_a, int owner_b, double *depth) {
  bool could = false;
  *depth = -1;
  for (int i = 0; i < asp_model_shape_count(model); i++) {
    int body_a, body_b;
    AspCollider a = collider_of(model, i, &body_a);
    if (asp_model_body_owner(model, body_a) != owner_a)
      continue;
    for (int j = 0; j < asp_model_shape_count(model); j++) {
      AspCollider b = collider_of(model, j, &body_b);
      if (asp_model_body_owner(model, body_b) != owner_b || !(a.group & b.mask) || !(b.group & a.mask))
        continue;
      could = true;
      AspContact contacts[ASP_MANIFOLD_MAX];
      int count = asp_collide_pair(asp_model_dimension(model), &a, &b, 0, contacts);
      for (int k = 0; k < count; k++)
        *depth = fmax(*depth, -contacts[k].gap);
    }
  }
  return could;
}

static AspError add(AspContext *context, AspMistakes *notes, const char *format, ...) ASP_PRINTF(3, 4);
static AspError add(AspContext *context, AspMistakes *notes, const char *format, ...) {
  char text[1024];
  va_list list;
  va_start(list, format);
  vsnprintf(text, sizeof text, format, list);
  va_end(list);
  char *line = asp_copy_text(context, text);
  if (!line)
    return ASP_ERROR_MEMORY;
  notes->line[notes->count++] = line;
  return ASP_OK;
}

static AspError note_joint(AspContext *context, const AspModel *model, const char *label, int joint, double depth,
                           AspMistakes *notes) {
  const AspJointDef *def = asp_model_joint_def(model, joint);
  char place[64] = "which could meet";
  if (depth >= 0)
    snprintf(place, sizeof place, "which overlap by %.4g m at the start", depth);
  return add(
      context, notes,
      "%s: /joints/%d ('%.80s'): '%.80s' and '%.80s' do not touch each other, as a joint connects them; they have "
      "shapes %s. Write \"contact\": true to let them touch, or false to confirm",
      label, joint, asp_model_joint_name(model, joint), asp_model_body_name(model, def->body_a),
      asp_model_body_name(model, def->body_b), place);
}

AspError asp_scene_notes(AspContext *context, const AspScene *scene, const char *label, AspMistakes *notes) {
  *notes = (AspMistakes){0};
  int joints = asp_model_joint_count(scene->model);
  size_t most = (size_t)joints + (size_t)scene->notes.count;
  notes->line = asp_allocate(context, most, sizeof *notes->line);
  AspError error = notes->line || most == 0 ? ASP_OK : ASP_ERROR_MEMORY;
  for (int i = 0; i < scene->notes.count && error == ASP_OK; i++)
    error = add(context, notes, "%s", scene->notes.line[i]);
  for (int i = 0; i < joints && error == ASP_OK; i++) {
    const AspJointDef *def = asp_model_joint_def(scene->model, i);
    double depth;
    if (!scene->contact_given[i] && could_touch(scene->model, asp_model_body_owner(scene->model, def->body_a),
                                                asp_model_body_owner(scene->model, def->body_b), &depth))
      error = note_joint(context, scene->model, label, i, depth, notes);
  }
  if (error != ASP_OK)
    asp_mistakes_destroy(context, notes);
  return error;
}
