/* A model as JSON: what the page draws (names as in the data of the viewer, docs/reference/view-data.md) and what its
 * controls need. See live.h. */
#include "live.h"

#include <math.h>

static cJSON *vector(AspVec3 a) {
  const double values[] = {a.x, a.y, a.z};
  return cJSON_CreateDoubleArray(values, 3);
}

static cJSON *triple(cJSON *list, AspVec3 a) {
  cJSON_AddItemToArray(list, cJSON_CreateNumber(a.x));
  cJSON_AddItemToArray(list, cJSON_CreateNumber(a.y));
  cJSON_AddItemToArray(list, cJSON_CreateNumber(a.z));
  return list;
}

/* Corners of a drawn hull's triangles in threes; corners of a hull; points of a height field. */
static int add_vertices(cJSON *list, const AspShape *shape, bool drawn) {
  const AspHull *hull = shape->hull;
  const AspHeightField *field = shape->field;
  int count = 0;
  if (hull && drawn && shape->kind == ASP_SHAPE_CONVEX) {
    for (int f = 0; f < hull->face_count; f++)
      for (int i = hull->face_start[f] + 1; i + 1 < hull->face_start[f + 1]; i++, count += 3) {
        triple(list, hull->vertices[hull->face_vertex[hull->face_start[f]]]);
        triple(list, hull->vertices[hull->face_vertex[i]]);
        triple(list, hull->vertices[hull->face_vertex[i + 1]]);
      }
    return count;
  }
  for (; hull && count < hull->vertex_count; count++)
    triple(list, hull->vertices[count]);
  for (int i = 0; field && i < field->columns * field->rows; i++, count++)
    triple(list, (AspVec3){i % field->columns * field->dx, i / field->columns * field->dy, field->heights[i]});
  return count;
}

static void add_shapes(cJSON *all, const AspModel *model) {
  int shapes = asp_model_shape_count(model), drawings = asp_model_drawing_count(model), vertices = 0;
  cJSON *index = cJSON_AddArrayToObject(all, "shapeIndex"), *kind = cJSON_AddArrayToObject(all, "shapeKind"),
        *drawn = cJSON_AddArrayToObject(all, "shapeDrawn"), *size = cJSON_AddArrayToObject(all, "shapeSize"),
        *pose = cJSON_AddArrayToObject(all, "shapePose"), *points = cJSON_AddArrayToObject(all, "vertices");
  for (int i = 0; i < shapes + drawings; i++) {
    int body = 0;
    const AspShapeAttachment *it =
        i < shapes ? asp_model_shape(model, i, &body) : asp_model_drawing(model, i - shapes, &body);
    const AspShape *s = &it->shape;
    int count = add_vertices(points, s, i >= shapes);
    const int row[] = {
        body, it->material, vertices, count, s->field ? s->field->columns : 0, s->field ? s->field->rows : 0};
    const AspQuat q = it->pose.orientation;
    const double turn[] = {q.w, q.x, q.y, q.z};
    vertices += count;
    for (int k = 0; k < 6; k++)
      cJSON_AddItemToArray(index, cJSON_CreateNumber(row[k]));
    cJSON_AddItemToArray(kind, cJSON_CreateNumber(s->kind));
    cJSON_AddItemToArray(drawn, cJSON_CreateNumber(i >= shapes));
    cJSON_AddItemToArray(size, cJSON_CreateNumber(s->radius));
    cJSON_AddItemToArray(size, cJSON_CreateNumber(s->half_length));
    triple(size, s->half_extents);
    triple(pose, it->pose.position);
    for (int k = 0; k < 4; k++)
      cJSON_AddItemToArray(pose, cJSON_CreateNumber(turn[k]));
  }
  cJSON *kinds = cJSON_AddArrayToObject(all, "shapeKinds");
  for (int i = 0; i < ASP_SHAPE_COUNT; i++)
    cJSON_AddItemToArray(kinds, cJSON_CreateString(asp_shape_kind_name((AspShapeKind)i)));
}

static void add_bodies(cJSON *all, const AspModel *model) {
  cJSON *bodies = cJSON_AddObjectToObject(all, "bodies"), *names = cJSON_AddArrayToObject(bodies, "name"),
        *mass = cJSON_AddArrayToObject(bodies, "mass"), *kind = cJSON_AddArrayToObject(all, "bodyKind");
  for (int i = 0; i < asp_model_body_count(model); i++) {
    cJSON_AddItemToArray(names, cJSON_CreateString(asp_model_body_name(model, i)));
    cJSON_AddItemToArray(mass, cJSON_CreateNumber(asp_model_body_mass(model, i)));
    cJSON_AddItemToArray(kind, cJSON_CreateNumber(asp_model_body_kind(model, i)));
  }
}

static void add_joints(cJSON *all, const AspModel *model) {
  cJSON *joints = cJSON_AddArrayToObject(all, "joints");
  for (int i = 0; i < asp_model_joint_count(model); i++) {
    const AspJointDef *def = asp_model_joint_def(model, i);
    const int bodies[] = {def->body_a, def->body_b};
    cJSON *entry = cJSON_CreateObject();
    cJSON_AddItemToArray(joints, entry);
    cJSON_AddStringToObject(entry, "name", asp_model_joint_name(model, i));
    cJSON_AddStringToObject(entry, "kind", asp_joint_kind_name(def->kind));
    cJSON_AddItemToObject(entry, "bodies", cJSON_CreateIntArray(bodies, 2));
    cJSON_AddItemToObject(entry, "point", vector(def->point));
    cJSON_AddItemToObject(entry, "axis", vector(def->axis));
  }
}

static void add_forces(cJSON *all, const AspModel *model) {
  cJSON *forces = cJSON_AddArrayToObject(all, "forces");
  for (int i = 0; i < asp_model_force_count(model); i++) {
    const AspForceDef *def = asp_model_force_def(model, i);
    const int bodies[] = {def->body, def->kind == ASP_FORCE_SPRING ? def->body_b : -1};
    cJSON *entry = cJSON_CreateObject(), *points;
    cJSON_AddItemToArray(forces, entry);
    cJSON_AddStringToObject(entry, "name", asp_model_force_name(model, i));
    cJSON_AddStringToObject(entry, "kind", asp_force_kind_name(def->kind));
    cJSON_AddItemToObject(entry, "bodies", cJSON_CreateIntArray(bodies, 2));
    points = cJSON_AddArrayToObject(entry, "points");
    cJSON_AddItemToArray(points, vector(def->point));
    cJSON_AddItemToArray(points, vector(def->point_b));
  }
}

/* The radius of a round section that bends as this one does: E I / E A = r^2 / 4. */
static double beam_radius(const AspBeamDef *def) {
  return def->axial_stiffness > 0 ? 2 * sqrt(def->bending_stiffness[1] / def->axial_stiffness) : 0.01 * def->length;
}

static void add_beams(cJSON *all, const AspModel *model) {
  cJSON *beams = cJSON_AddArrayToObject(all, "beams");
  for (int i = 0; i < asp_model_beam_count(model); i++) {
    cJSON *entry = cJSON_CreateObject();
    cJSON_AddItemToArray(beams, entry);
    cJSON_AddStringToObject(entry, "name", asp_model_beam_name(model, i));
    cJSON_AddNumberToObject(entry, "points", 33);
    cJSON_AddNumberToObject(entry, "radius", beam_radius(asp_model_beam_def(model, i)));
    cJSON *stations = cJSON_AddArrayToObject(entry, "bodies");
    for (int body = 0; body < asp_model_body_count(model); body++) {
      double s;
      if (asp_model_body_kind(model, body) == ASP_BODY_STATION && asp_model_station_beam(model, body, &s) == i)
        cJSON_AddItemToArray(stations, cJSON_CreateNumber(body));
    }
  }
}

static void add_parameters(cJSON *all, const AspScene *scene) {
  cJSON *list = cJSON_AddArrayToObject(all, "parameters");
  for (int i = 0; i < scene->parameter_count; i++) {
    const AspParameter *it = &scene->parameter[i];
    cJSON *entry = cJSON_CreateObject();
    cJSON_AddItemToArray(list, entry);
    cJSON_AddStringToObject(entry, "name", it->name);
    cJSON_AddStringToObject(entry, "unit", it->unit);
    cJSON_AddStringToObject(entry, "text", it->description);
    cJSON_AddNumberToObject(entry, "value", it->value);
    cJSON_AddNumberToObject(entry, "low", it->low); // null: no bound
    cJSON_AddNumberToObject(entry, "high", it->high);
    cJSON_AddBoolToObject(entry, "set", it->set);
  }
}

static void add_inputs(cJSON *all, const AspModel *model) {
  cJSON *list = cJSON_AddArrayToObject(all, "inputs");
  for (int i = 0; i < asp_model_input_count(model); i++) {
    if (asp_model_is_sensor(model, i))
      continue;
    cJSON *entry = cJSON_CreateObject();
    cJSON_AddItemToArray(list, entry);
    cJSON_AddStringToObject(entry, "name", asp_model_input_name(model, i));
    cJSON_AddNumberToObject(entry, "value", asp_model_input_value(model, i));
  }
}

static void add_probes(cJSON *all, const AspProbes *probes) {
  cJSON *list = cJSON_AddArrayToObject(all, "probes");
  for (int i = 0; probes && i < asp_probes_count(probes); i++) {
    cJSON *entry = cJSON_CreateObject();
    cJSON_AddItemToArray(list, entry);
    cJSON_AddStringToObject(entry, "name", asp_probes_name(probes, i));
    cJSON_AddStringToObject(entry, "unit", asp_probes_unit(probes, i));
  }
}

cJSON *live_describe_model(const Live *live) {
  const AspModel *model = live->scene.model;
  if (!model)
    return cJSON_CreateNull();
  const AspRunOptions *run = &live->scene.run;
  cJSON *all = cJSON_CreateObject(), *options = cJSON_AddObjectToObject(all, "run");
  cJSON_AddStringToObject(all, "name", live->scene.name);
  cJSON_AddStringToObject(all, "program", asp_version());
  cJSON_AddNumberToObject(all, "dimension", asp_model_dimension(model));
  cJSON_AddItemToObject(all, "gravity", vector(asp_model_gravity(model)));
  cJSON_AddStringToObject(options, "scheme", asp_scheme_name(run->scheme));
  cJSON_AddNumberToObject(options, "dt", run->dt);
  cJSON_AddNumberToObject(options, "until", run->until);
  cJSON_AddNumberToObject(options, "tolerance", run->tolerance);
  cJSON_AddBoolToObject(options, "exact", run->cone == ASP_CONE_EXACT);
  add_bodies(all, model);
  add_joints(all, model);
  add_beams(all, model);
  add_forces(all, model);
  add_shapes(all, model);
  cJSON *materials = cJSON_AddArrayToObject(all, "materials");
  for (int i = 0; i < asp_model_material_count(model); i++)
    cJSON_AddItemToArray(materials, cJSON_CreateString(asp_model_material_name(model, i)));
  add_parameters(all, &live->scene);
  add_inputs(all, model);
  add_probes(all, live->probes);
  return all;
}
