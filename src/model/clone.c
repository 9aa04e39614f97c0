/* A model once more, as it was before asp_model_finish: every definition with the numbers that adding made of it, and
 * texts, expressions, tables and beams of its own. What finishing makes (offsets, stiff elements, mass blocks) is not
 * copied: finishing the clone makes it again. Hulls and height fields stay borrowed.
 *
 * An element is entered without what it owns, then that is copied: a clone left half made can be destroyed. Depends on
 * all files of the layer that own something.
 */
#include "model/model.h"

static AspError copy_array(AspContext *context, void *to, size_t *capacity, const void *from, int count, size_t size) {
  ASP_TRY(asp_grow(context, to, capacity, (size_t)count, size));
  void *array; // copied as bytes: the caller's pointer has a type of its own
  memcpy(&array, to, sizeof array);
  if (count > 0)
    memcpy(array, from, (size_t)count * size);
  return ASP_OK;
}

static AspError copy_names(AspContext *context, NameList *to, const NameList *from) {
  for (int i = 0; i < from->count; i++)
    ASP_TRY(asp_names_add(context, to, from->name[i]));
  return ASP_OK;
}

/* The names in it mean the same in the clone, whose inputs and tables are there. *text: where a definition keeps it. */
static AspError copy_function(const AspModel *clone, const TimeFunction *from, TimeFunction *to, const char **text) {
  ASP_TRY(asp_time_function_make(clone, "clone", from->text, false, to));
  *text = to->text;
  return ASP_OK;
}

/* ---- inputs, tables, rules ---- */

static AspError copy_inputs(const AspModel *model, AspModel *clone) {
  AspContext *context = clone->context;
  int count = model->input_names.count;
  ASP_TRY(copy_names(context, &clone->input_names, &model->input_names));
  ASP_TRY(copy_array(context, &clone->input, &clone->input_capacity, model->input, count, sizeof *model->input));
  ASP_TRY(copy_array(context, &clone->range, &clone->range_capacity, model->range, count, sizeof *model->range));
  return copy_array(context, &clone->sensor, &clone->sensor_capacity, model->sensor, count, sizeof *model->sensor);
}

static AspError copy_tables(const AspModel *model, AspModel *clone) {
  AspContext *context = clone->context;
  ModelTables *to = &clone->tables;
  ASP_TRY(ASP_GROW(context, to->table, to->capacity, model->tables.names.count));
  for (int i = 0; i < model->tables.names.count; i++) { // a named one is NULL or there
    ASP_TRY(asp_names_add(context, &to->names, model->tables.names.name[i]));
    ASP_TRY(asp_table_copy(context, model->tables.table[i], &to->table[i]));
    to->table[i]->def.name = to->names.name[i];
  }
  return ASP_OK;
}

static AspError copy_event(const AspModel *clone, const ModelEvent *from, ModelEvent *to) {
  const char *text;
  *to = *from;
  to->when = (TimeFunction){NULL, NULL};
  to->set_count = 0;
  to->set = asp_allocate(clone->context, (size_t)from->set_count, sizeof *to->set);
  if (!to->set && from->set_count > 0)
    return ASP_ERROR_MEMORY;
  ASP_TRY(copy_function(clone, &from->when, &to->when, &text));
  for (; to->set_count < from->set_count; to->set_count++) {
    ModelEventSet *set = &to->set[to->set_count];
    set->input = from->set[to->set_count].input;
    ASP_TRY(copy_function(clone, &from->set[to->set_count].value, &set->value, &text));
  }
  return ASP_OK;
}

static AspError copy_stop(const AspModel *clone, const ModelStop *from, ModelStop *to) {
  const char *text;
  to->message = asp_copy_text(clone->context, from->message);
  return to->message ? copy_function(clone, &from->when, &to->when, &text) : ASP_ERROR_MEMORY;
}

static AspError copy_rules(const ModelRules *from, AspModel *clone) {
  AspContext *context = clone->context;
  ModelRules *to = &clone->rules;
  ASP_TRY(copy_names(context, &to->names, &from->names));
  ASP_TRY(ASP_GROW(context, to->event, to->event_capacity, from->event_count));
  ASP_TRY(ASP_GROW(context, to->stop, to->stop_capacity, from->stop_count));
  while (to->event_count < from->event_count) {
    int i = to->event_count++;
    ASP_TRY(copy_event(clone, &from->event[i], &to->event[i]));
  }
  while (to->stop_count < from->stop_count) {
    int i = to->stop_count++;
    ASP_TRY(copy_stop(clone, &from->stop[i], &to->stop[i]));
  }
  return ASP_OK;
}

/* ---- bodies, beams, joints, forces, shapes ---- */

static AspError copy_bodies(const AspModel *model, AspModel *clone) {
  ASP_TRY(copy_names(clone->context, &clone->body_names, &model->body_names));
  ASP_TRY(ASP_GROW(clone->context, clone->body, clone->body_capacity, model->body_count));
  while (clone->body_count < model->body_count) {
    int i = clone->body_count++;
    const ModelBody *from = &model->body[i];
    ModelBody *to = &clone->body[i];
    *to = (ModelBody){.dof = from->dof, .beam = from->beam, .def = from->def, .s = from->s};
    to->def.name = clone->body_names.name[i];
    for (int k = 0; k < 3; k++)
      ASP_TRY(copy_function(clone, &from->position[k], &to->position[k], &to->def.position_expression[k]));
    ASP_TRY(copy_function(clone, &from->rotation, &to->rotation, &to->def.rotation_expression));
  }
  return ASP_OK;
}

static AspError copy_beams(const AspModel *model, AspModel *clone) {
  ASP_TRY(copy_names(clone->context, &clone->beam_names, &model->beam_names));
  ASP_TRY(ASP_GROW(clone->context, clone->beam, clone->beam_capacity, model->beam_count));
  while (clone->beam_count < model->beam_count) {
    int i = clone->beam_count++;
    ModelBeam *to = &clone->beam[i];
    *to = (ModelBeam){.def = model->beam[i].def};
    to->def.name = clone->beam_names.name[i];
    memcpy(to->station, model->beam[i].station, sizeof to->station);
    ASP_TRY(asp_beam_make_flex(clone->context, clone->dimension, &to->def, &to->flex));
  }
  return ASP_OK;
}

static AspError copy_joint(const AspModel *clone, const ModelJoint *from, ModelJoint *to) {
  AspJointDef *def = &to->def;
  *to = *from;
  to->motor = to->motion = to->effort = to->target = to->target_velocity = to->load = (TimeFunction){NULL, NULL};
  ASP_TRY(copy_function(clone, &from->load, &to->load, &def->effort));
  ASP_TRY(copy_function(clone, &from->motor, &to->motor, &def->motor_velocity));
  ASP_TRY(copy_function(clone, &from->motion, &to->motion, &def->motion));
  ASP_TRY(copy_function(clone, &from->effort, &to->effort, &def->motor_effort_expression));
  ASP_TRY(copy_function(clone, &from->target, &to->target, &def->servo_target));
  return copy_function(clone, &from->target_velocity, &to->target_velocity, &def->servo_velocity);
}

static AspError copy_joints(const AspModel *model, AspModel *clone) {
  ASP_TRY(copy_names(clone->context, &clone->joint_names, &model->joint_names));
  ASP_TRY(ASP_GROW(clone->context, clone->joint, clone->joint_capacity, model->joint_count));
  while (clone->joint_count < model->joint_count) {
    int i = clone->joint_count++;
    ASP_TRY(copy_joint(clone, &model->joint[i], &clone->joint[i]));
    clone->joint[i].def.name = clone->joint_names.name[i];
  }
  return ASP_OK;
}

static AspError copy_forces(const AspModel *model, AspModel *clone) {
  ASP_TRY(copy_names(clone->context, &clone->force_names, &model->force_names));
  ASP_TRY(ASP_GROW(clone->context, clone->force, clone->force_capacity, model->force_count));
  while (clone->force_count < model->force_count) {
    int i = clone->force_count++;
    const ModelForce *from = &model->force[i];
    ModelForce *to = &clone->force[i];
    *to = (ModelForce){.def = from->def, .local = from->local, .local_b = from->local_b};
    to->def.name = clone->force_names.name[i];
    for (int k = 0; k < 3; k++)
      ASP_TRY(copy_function(clone, &from->component[k], &to->component[k], &to->def.component[k]));
  }
  return ASP_OK;
}

static AspError copy_shapes(const AspModel *model, AspModel *clone) {
  AspContext *context = clone->context;
  ASP_TRY(copy_names(context, &clone->materials, &model->materials));
  ASP_TRY(
      copy_array(context, &clone->pair, &clone->pair_capacity, model->pair, model->pair_count, sizeof *model->pair));
  clone->pair_count = model->pair_count;
  ASP_TRY(ASP_GROW(context, clone->shape, clone->shape_capacity, model->shape_count));
  while (clone->shape_count < model->shape_count) {
    int i = clone->shape_count++;
    clone->shape[i] = model->shape[i];
    clone->shape[i].surface = NULL;
    ASP_TRY(asp_surface_make(clone, &clone->shape[i]));
  }
  clone->surface_count = model->surface_count;
  ASP_TRY(copy_array(context, &clone->drawing, &clone->drawing_capacity, model->drawing, model->drawing_count,
                     sizeof *model->drawing));
  clone->drawing_count = model->drawing_count;
  return ASP_OK;
}

static AspError copy_exclusions(const AspModel *model, AspModel *clone) {
  ASP_TRY(copy_array(clone->context, &clone->excluded, &clone->excluded_capacity, model->excluded, model->excluded_all,
                     sizeof *model->excluded));
  clone->excluded_all = model->excluded_all;
  return ASP_OK;
}

AspError asp_model_clone(AspContext *context, const AspModel *model, AspModel **clone) {
  *clone = NULL;
  if (!model)
    return asp_fail(context, ASP_ERROR_ARGUMENT, "model: NULL cannot be cloned");
  AspModel *made;
  ASP_TRY(asp_model_create(context, model->dimension, &made));
  made->gravity = model->gravity;
  made->has_kinematic = model->has_kinematic;
  made->dofs = model->finished && model->beam_count > 0 ? model->beam[0].dof : model->dofs;
  AspError error = ASP_OK;
  ASP_CHECK(copy_inputs(model, made));
  ASP_CHECK(copy_tables(model, made));
  ASP_CHECK(copy_bodies(model, made));
  ASP_CHECK(copy_beams(model, made));
  ASP_CHECK(copy_joints(model, made));
  ASP_CHECK(copy_forces(model, made));
  ASP_CHECK(copy_shapes(model, made));
  ASP_CHECK(copy_exclusions(model, made));
  ASP_CHECK(copy_rules(&model->rules, made));
  *clone = made;
done:
  if (error != ASP_OK)
    asp_model_destroy(made);
  return error;
}
