/* The model as a container: creation, names, materials and the laws of their pairs, shapes, and everything that reads
 * it back. Bodies, beams, joints and forces check and add themselves in their own files.
 *
 * Depends on base, linalg, shape.
 */
#include "model/compound.h"

#include <limits.h>
#include <stdio.h>

// exact: offsets of all elements fit an int
#define ELEMENTS_MAX (INT_MAX / 16) /* of one kind: every offset then fits an int */

AspError asp_model_create(AspContext *context, int dimension, AspModel **model) {
  *model = NULL;
  if (dimension != 2 && dimension != 3)
    return asp_fail(context, ASP_ERROR_ARGUMENT, "dimension: %d is not 2 or 3", dimension);
  AspModel *made = asp_allocate(context, 1, sizeof *made);
  if (!made)
    return ASP_ERROR_MEMORY;
  made->context = context;
  made->dimension = dimension;
  *model = made;
  return ASP_OK;
}

void asp_model_destroy(AspModel *model) {
  if (!model)
    return;
  AspContext *context = model->context;
  for (int i = 0; i < model->body_count; i++)
    asp_body_release(context, &model->body[i]);
  for (int i = 0; i < model->joint_count; i++)
    asp_joint_release(context, &model->joint[i]);
  for (int i = 0; i < model->force_count; i++)
    asp_force_release(context, &model->force[i]);
  for (int i = 0; i < model->beam_count; i++)
    asp_beam_release(context, &model->beam[i]);
  for (int i = 0; i < model->shape_count; i++)
    asp_surface_release(context, &model->shape[i]);
  asp_rules_release(model);
  asp_tables_release(model);
  NameList *names[] = {&model->body_names, &model->joint_names, &model->force_names,
                       &model->beam_names, &model->materials,   &model->input_names};
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
    asp_names_release(context, names[i]);
  void *arrays[] = {model->dof_of,
                    model->station_of,
                    model->mass.start,
                    model->mass.row,
                    model->mass.value,
                    model->body,
                    model->joint,
                    model->force,
                    model->shape,
                    model->pair,
                    model->stiff,
                    model->beam,
                    model->input,
                    model->excluded,
                    model->sensor,
                    model->range,
                    model->drawing,
                    model->timed,
                    model};
  for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++)
    asp_release(context, arrays[i]);
}

/* ---- what adding has in common ---- */

AspError asp_model_may_add(const AspModel *model, const char *what, bool cookie_right) {
  if (model->finished)
    return asp_fail(model->context, ASP_ERROR_ARGUMENT, "the model is finished; no %s can be added any more", what);
  if (!cookie_right)
    return asp_fail(model->context, ASP_ERROR_ARGUMENT,
                    "the %s's definition was not made by asp_%s_default(): its cookie is wrong", what, what);
  return ASP_OK;
}

void asp_model_label(char label[ASP_LABEL_BYTES], const char *kind, int index, const char *name) {
  if (name && *name)
    snprintf(label, ASP_LABEL_BYTES, "%.80s", name);
  else
    snprintf(label, ASP_LABEL_BYTES, "%s%d", kind, index);
}

AspError asp_model_check_body(const AspModel *model, const char *field, int body) {
  if (body >= 0 && body < model->body_count)
    return ASP_OK;
  return asp_fail(model->context, ASP_ERROR_ARGUMENT, "%s: %d is not a body of the model; it has %d", field, body,
                  model->body_count);
}

AspError asp_model_name_element(AspModel *model, NameList *names, const char *name, const char *label) {
  if (names->count >= ELEMENTS_MAX)
    return asp_fail(model->context, ASP_ERROR_ARGUMENT, "a model can hold at most %d elements of one kind",
                    ELEMENTS_MAX);
  return asp_names_add(model->context, names, name && *name ? name : label);
}

/* ---- materials ---- */

AspError asp_model_material(AspModel *model, const char *name, int *material) {
  if (!name || !*name)
    return asp_fail(model->context, ASP_ERROR_ARGUMENT, "a material needs a name");
  *material = asp_names_find(&model->materials, name);
  if (*material >= 0)
    return ASP_OK;
  ASP_TRY(asp_model_may_add(model, "material", true));
  ASP_TRY(asp_model_name_element(model, &model->materials, name, name));
  *material = model->materials.count - 1;
  return ASP_OK;
}

bool asp_model_inertia_is_real(const AspModel *model, int body) {
  return model->dimension == 2 || model->body[body].dof < 0 || asp_inertia_is_real(&model->body[body].def.inertia);
}

const char *const asp_impact_law_names[] = {"newton", "poisson", "sequential", NULL};

const char *asp_impact_law_name(AspImpactLaw law) {
  return (unsigned)law <= ASP_IMPACT_SEQUENTIAL ? asp_impact_law_names[law] : "unknown";
}

const char *asp_body_kind_name(AspBodyKind kind) {
  static const char *const names[] = {"dynamic", "fixed", "kinematic", "station"};
  return ASP_NAME_OF(names, kind);
}

const char *asp_force_kind_name(AspForceKind kind) {
  static const char *const names[] = {"force", "torque", "spring", "drag"};
  return ASP_NAME_OF(names, kind);
}

const char *asp_path_kind_name(AspPathKind kind) {
  static const char *const names[] = {"point", "sphere", "cylinder"};
  return ASP_NAME_OF(names, kind);
}

const char *asp_axial_strain_name(AspAxialStrain strain) {
  static const char *const names[] = {"mixed", "plain"};
  return ASP_NAME_OF(names, strain);
}

AspPairLaw asp_pair_law_default(void) { return (AspPairLaw){0}; }

int asp_model_material_count(const AspModel *model) { return model->materials.count; }
const char *asp_model_material_name(const AspModel *model, int material) { return model->materials.name[material]; }

/* Position of the pair (low, high), or where it belongs. */
static int pair_position(const AspModel *model, int low, int high) {
  int first = 0, end = model->pair_count;
  while (first < end) {
    int middle = first + (end - first) / 2;
    const ModelPair *pair = &model->pair[middle];
    if (pair->low < low || (pair->low == low && pair->high < high))
      first = middle + 1;
    else
      end = middle;
  }
  return first;
}

static bool pair_is(const AspModel *model, int position, int low, int high) {
  return position < model->pair_count && model->pair[position].low == low && model->pair[position].high == high;
}

static AspError check_stribeck(AspContext *context, const AspPairLaw *law) {
  ASP_TRY(asp_check_not_negative(context, "static_friction", law->static_friction));
  ASP_TRY(asp_check_not_negative(context, "stribeck_speed", law->stribeck_speed));
  ASP_TRY(asp_check_not_negative(context, "stribeck_exponent", law->stribeck_exponent));
  if (law->static_friction > 0 && law->static_friction < law->friction)
    return asp_fail(context, ASP_ERROR_INPUT, "static_friction: %.15g is below friction = %.15g, that of sliding",
                    law->static_friction, law->friction);
  if (law->stribeck_speed > 0 && !(law->static_friction > 0))
    return asp_fail(context, ASP_ERROR_INPUT, "stribeck_speed: %.15g m/s needs a static_friction to fall off from",
                    law->stribeck_speed);
  return ASP_OK;
}

/* The direction comes out of unit length. */
static AspError check_ellipse(AspContext *context, int dimension, AspPairLaw *law) {
  ASP_TRY(asp_check_not_negative(context, "friction_across", law->friction_across));
  if (!(law->friction_across > 0))
    return ASP_OK;
  if (dimension == 2)
    return asp_fail(context, ASP_ERROR_INPUT, "friction_across: %.15g, but in the plane there is one direction",
                    law->friction_across);
  if (!(law->friction > 0))
    return asp_fail(context, ASP_ERROR_INPUT, "friction: %.15g, must be > 0 where friction_across is", law->friction);
  return asp_check_direction(context, "direction", &law->direction);
}

static AspError check_pair_law(AspContext *context, int dimension, AspPairLaw *law) {
  ASP_TRY(asp_check_not_negative(context, "friction", law->friction));
  ASP_TRY(asp_check_fraction(context, "restitution", law->restitution));
  ASP_TRY(asp_check_fraction(context, "tangential_restitution", law->tangential_restitution));
  ASP_TRY(check_stribeck(context, law));
  ASP_TRY(check_ellipse(context, dimension, law));
  ASP_TRY(asp_check_not_negative(context, "rolling", law->rolling));
  ASP_TRY(asp_check_not_negative(context, "spinning", law->spinning));
  ASP_TRY(asp_check_not_negative(context, "contact_radius", law->contact_radius));
  if (dimension == 2 && (law->spinning > 0 || law->contact_radius > 0))
    return asp_fail(context, ASP_ERROR_INPUT, "%s: %.15g m, but in the plane nothing spins about the normal",
                    law->spinning > 0 ? "spinning" : "contact_radius", fmax(law->spinning, law->contact_radius));
  return ASP_OK;
}

AspError asp_model_set_pair(AspModel *model, int material_a, int material_b, const AspPairLaw *law) {
  ASP_TRY(asp_model_may_add(model, "pair of materials", true));
  int low = material_a < material_b ? material_a : material_b, high = material_a + material_b - low;
  if (low < 0 || high >= model->materials.count)
    return asp_fail(model->context, ASP_ERROR_ARGUMENT, "material: %d is not a material of the model; it has %d",
                    low < 0 ? low : high, model->materials.count);
  AspPairLaw checked = *law;
  checked.direction_material = material_a;
  AspError error = check_pair_law(model->context, model->dimension, &checked);
  if (error != ASP_OK) {
    asp_fail_prefix(model->context, "materials '%.80s' and '%.80s': ", model->materials.name[material_a],
                    model->materials.name[material_b]);
    return error;
  }
  int position = pair_position(model, low, high);
  if (!pair_is(model, position, low, high)) {
    ASP_TRY(ASP_GROW(model->context, model->pair, model->pair_capacity, model->pair_count + 1));
    memmove(&model->pair[position + 1], &model->pair[position],
            (size_t)(model->pair_count - position) * sizeof *model->pair);
    model->pair_count++;
  }
  model->pair[position] = (ModelPair){low, high, checked};
  return ASP_OK;
}

const AspPairLaw *asp_model_pair(const AspModel *model, int material_a, int material_b) {
  int low = material_a < material_b ? material_a : material_b, high = material_a + material_b - low;
  int position = pair_position(model, low, high);
  return pair_is(model, position, low, high) ? &model->pair[position].law : NULL;
}

/* ---- shapes ---- */

static AspError check_attachment(const AspModel *model, AspShapeAttachment *attachment) {
  ASP_TRY(asp_shape_validate(model->context, &attachment->shape, model->dimension));
  ASP_TRY(asp_check_pose(model->context, model->dimension, &attachment->pose));
  if (attachment->material < 0 || attachment->material >= model->materials.count)
    return asp_fail(model->context, ASP_ERROR_ARGUMENT, "material: %d is not a material of the model; it has %d",
                    attachment->material, model->materials.count);
  if (model->shape_count + model->drawing_count >= ELEMENTS_MAX)
    return asp_fail(model->context, ASP_ERROR_ARGUMENT, "a model can hold at most %d shapes", ELEMENTS_MAX);
  return ASP_OK;
}

AspError asp_model_attach_shape(AspModel *model, int body, const AspShapeAttachment *attachment) {
  ASP_TRY(asp_model_may_add(model, "shape", true));
  ASP_TRY(asp_model_check_body(model, "body", body));
  ModelShape shape = {*attachment, body, NULL};
  if (!shape.attachment.group && !shape.attachment.mask)
    shape.attachment.group = shape.attachment.mask = UINT32_MAX;
  AspError error = check_attachment(model, &shape.attachment);
  if (error == ASP_OK && model->dimension == 3 && shape.attachment.shape.hull &&
      !shape.attachment.shape.hull->edge_count)
    error = asp_fail(model->context, ASP_ERROR_ARGUMENT, "hull: triangles to be drawn, not a hull");
  if (error == ASP_OK)
    error = asp_surface_make(model, &shape);
  if (error == ASP_OK)
    error = ASP_GROW(model->context, model->shape, model->shape_capacity, model->shape_count + 1);
  if (error != ASP_OK) {
    asp_surface_release(model->context, &shape);
    asp_fail_prefix(model->context, "body '%.80s': shape: ", asp_model_body_name(model, body));
    return error;
  }
  model->surface_count += shape.surface != NULL;
  model->shape[model->shape_count++] = shape;
  return ASP_OK;
}

AspError asp_model_add_drawing(AspModel *model, int body, const AspShapeAttachment *drawing) {
  ASP_TRY(asp_model_may_add(model, "drawing", true));
  ASP_TRY(asp_model_check_body(model, "body", body));
  ModelShape shape = {{.shape = drawing->shape, .pose = drawing->pose, .material = drawing->material}, body, NULL};
  AspError error = check_attachment(model, &shape.attachment);
  if (error == ASP_OK)
    error = ASP_GROW(model->context, model->drawing, model->drawing_capacity, model->drawing_count + 1);
  if (error != ASP_OK) {
    asp_fail_prefix(model->context, "body '%.80s': drawing: ", asp_model_body_name(model, body));
    return error;
  }
  model->drawing[model->drawing_count++] = shape;
  return ASP_OK;
}

/* ---- finishing ---- */

static AspError list_stiff(AspModel *model, StiffElement element) {
  int count = model->stiff_count + model->servo_count;
  ASP_TRY(ASP_GROW(model->context, model->stiff, model->stiff_capacity, count + 1));
  model->stiff[count] = element;
  *(element.servo ? &model->servo_count : &model->stiff_count) += 1;
  return ASP_OK;
}

AspError asp_model_finish(AspModel *model) {
  if (model->finished)
    return ASP_OK;
  ASP_TRY(asp_check_in_plane(model->context, model->dimension, "gravity", model->gravity));
  model->stiff_count = model->servo_count = 0;
  for (int i = 0; i < model->force_count; i++) {
    const AspForceDef *def = &model->force[i].def;
    bool acts = def->kind == ASP_FORCE_SPRING ? def->stiffness > 0 || def->damping > 0
                                              : def->kind == ASP_FORCE_DRAG && (def->density > 0 || def->viscosity > 0);
    if (acts)
      ASP_TRY(list_stiff(model, (StiffElement){false, false, i}));
  }
  for (int i = 0; i < model->joint_count; i++) {
    const AspJointDef *def = &model->joint[i].def;
    if (def->stiffness > 0 || def->damping > 0)
      ASP_TRY(list_stiff(model, (StiffElement){true, false, i}));
  }
  for (int i = 0; i < model->joint_count; i++)
    if (model->joint[i].def.has_servo)
      ASP_TRY(list_stiff(model, (StiffElement){true, true, i}));
  ASP_TRY(asp_compounds_finish(model));
  ASP_TRY(asp_exclusions_finish(model));
  ASP_TRY(asp_sensors_resolve(model));
  ASP_TRY(asp_bodies_place(model));
  asp_beams_place(model);
  ASP_TRY(asp_timed_list(model));
  model->finished = true;
  return ASP_OK;
}

/* ---- reading ---- */

void asp_model_set_gravity(AspModel *model, AspVec3 gravity) { model->gravity = gravity; }
AspVec3 asp_model_gravity(const AspModel *model) { return model->gravity; }
int asp_model_dimension(const AspModel *model) { return model->dimension; }
int asp_model_body_count(const AspModel *model) { return model->body_count; }
int asp_model_joint_count(const AspModel *model) { return model->joint_count; }
int asp_model_force_count(const AspModel *model) { return model->force_count; }
int asp_model_shape_count(const AspModel *model) { return model->shape_count; }
int asp_model_dof_count(const AspModel *model) { return model->dofs; }
int asp_model_q_size(const AspModel *model) { return model->q_size; }
int asp_model_v_size(const AspModel *model) { return model->v_size; }
int asp_model_stiff_count(const AspModel *model) { return model->stiff_count; }
int asp_model_servo_count(const AspModel *model) { return model->servo_count; }
const char *asp_model_body_name(const AspModel *model, int body) { return model->body_names.name[body]; }
const char *asp_model_joint_name(const AspModel *model, int joint) { return model->joint_names.name[joint]; }
const char *asp_model_force_name(const AspModel *model, int force) { return model->force_names.name[force]; }
int asp_model_find_body(const AspModel *model, const char *name) { return asp_names_find(&model->body_names, name); }
int asp_model_find_joint(const AspModel *model, const char *name) { return asp_names_find(&model->joint_names, name); }
AspBodyKind asp_model_body_kind(const AspModel *model, int body) { return model->body[body].def.kind; }
bool asp_model_has_kinematic(const AspModel *model) { return model->has_kinematic; }
AspPose asp_model_body_pose(const AspModel *model, int body) {
  return asp_body_defined_motion(model->dimension, &model->body[body], 0, model->input).pose;
}
double asp_model_body_mass(const AspModel *model, int body) { return model->body[body].def.mass; }
AspMat3 asp_model_body_inertia(const AspModel *model, int body) { return model->body[body].def.inertia; }
int asp_model_body_dof(const AspModel *model, int body) { return model->body[body].dof; }
bool asp_model_body_is_free(const AspModel *model, int body) { return asp_body_is_free(&model->body[body]); }
int asp_model_station_beam(const AspModel *model, int body, double *s) {
  if (s)
    *s = model->body[body].s;
  return model->body[body].beam;
}
AspJointKind asp_model_joint_kind(const AspModel *model, int joint) { return model->joint[joint].def.kind; }
const AspJointDef *asp_model_joint_def(const AspModel *model, int joint) { return &model->joint[joint].def; }
const AspForceDef *asp_model_force_def(const AspModel *model, int force) { return &model->force[force].def; }

int asp_model_drawing_count(const AspModel *model) { return model->drawing_count; }

const AspShapeAttachment *asp_model_drawing(const AspModel *model, int drawing, int *body) {
  if (body)
    *body = model->drawing[drawing].body;
  return &model->drawing[drawing].attachment;
}

const AspShapeAttachment *asp_model_shape(const AspModel *model, int shape, int *body) {
  if (body)
    *body = model->shape[shape].body;
  return &model->shape[shape].attachment;
}
