/* The part of a result file that does not change while the run goes on: scene, options, bodies, shapes, joints. */
#include "io/result/files.h"
#include "io/result/layout.h"
#include "io/result/parameters.h"

#include <math.h>
#include <stdio.h>

#define COUNT(table) ((int)(sizeof(table) / sizeof((table)[0])))

/* ---- the model ---- */

/* Columns of one kind of element, filled from the model by one function. */
typedef void (*Fill)(const AspScene *scene, const AspModel *model, int index, void *row);

typedef struct ElementColumn {
  ResultColumn column;
  Fill fill;
} ElementColumn;

static void put3(double *row, AspVec3 a) {
  row[0] = a.x;
  row[1] = a.y;
  row[2] = a.z;
}

static void body_kind(const AspScene *scene, const AspModel *model, int index, void *row) {
  (void)scene;
  *(uint8_t *)row = (uint8_t)asp_model_body_kind(model, index);
}

static void body_mass(const AspScene *scene, const AspModel *model, int index, void *row) {
  (void)scene;
  *(double *)row = asp_model_body_mass(model, index);
}

static void body_inertia(const AspScene *scene, const AspModel *model, int index, void *row) {
  (void)scene;
  AspMat3 inertia = asp_model_body_inertia(model, index);
  memcpy(row, inertia.m, sizeof inertia.m);
}

static void body_centre(const AspScene *scene, const AspModel *model, int index, void *row) {
  (void)model;
  put3(row, scene && scene->centre ? scene->centre[index] : (AspVec3){0, 0, 0});
}

static const ElementColumn body_columns[] = {
    {{"/bodies/kind",
      "",
      "dynamic, fixed, kinematic or station of a beam; see the attribute names",
      RESULT_BYTE,
      0,
      {0}},
     body_kind},
    {{"/bodies/mass", "kg", "mass", RESULT_REAL, 0, {0}}, body_mass},
    {{"/bodies/inertia", "kg m^2", "about the centre of mass, body axes", RESULT_REAL, 2, {3, 3}}, body_inertia},
    {{"/bodies/centre", "m", "centre of mass in the frame in which the scene describes the body", RESULT_REAL, 1, {3}},
     body_centre},
};

/* Rows of /shapes: the shapes of the model, then its drawings. */
static int shape_rows(const AspModel *model) { return asp_model_shape_count(model) + asp_model_drawing_count(model); }

static const AspShapeAttachment *shape_row(const AspModel *model, int index, int *body) {
  int shapes = asp_model_shape_count(model);
  return index < shapes ? asp_model_shape(model, index, body) : asp_model_drawing(model, index - shapes, body);
}

static const AspShapeAttachment *shape_at(const AspModel *model, int index) { return shape_row(model, index, NULL); }

static void shape_body(const AspScene *scene, const AspModel *model, int index, void *row) {
  (void)scene;
  int body = 0;
  shape_row(model, index, &body);
  *(int32_t *)row = body;
}

static void shape_drawn(const AspScene *scene, const AspModel *model, int index, void *row) {
  (void)scene;
  *(uint8_t *)row = index >= asp_model_shape_count(model);
}

static void shape_kind(const AspScene *scene, const AspModel *model, int index, void *row) {
  (void)scene;
  *(uint8_t *)row = (uint8_t)shape_at(model, index)->shape.kind;
}

static void shape_radius(const AspScene *scene, const AspModel *model, int index, void *row) {
  (void)scene;
  *(double *)row = shape_at(model, index)->shape.radius;
}

static void shape_half_extents(const AspScene *scene, const AspModel *model, int index, void *row) {
  (void)scene;
  put3(row, shape_at(model, index)->shape.half_extents);
}

static void shape_position(const AspScene *scene, const AspModel *model, int index, void *row) {
  (void)scene;
  put3(row, shape_at(model, index)->pose.position);
}

static void shape_orientation(const AspScene *scene, const AspModel *model, int index, void *row) {
  (void)scene;
  AspQuat q = shape_at(model, index)->pose.orientation;
  double *at = row;
  at[0] = q.w;
  put3(at + 1, (AspVec3){q.x, q.y, q.z});
}

static void shape_material(const AspScene *scene, const AspModel *model, int index, void *row) {
  (void)scene;
  *(int32_t *)row = shape_at(model, index)->material;
}

static void shape_half_length(const AspScene *scene, const AspModel *model, int index, void *row) {
  (void)scene;
  *(double *)row = shape_at(model, index)->shape.half_length;
}

static void shape_grid(const AspScene *scene, const AspModel *model, int index, void *row) {
  (void)scene;
  const AspHeightField *field = shape_at(model, index)->shape.field;
  int32_t *at = row;
  at[0] = field ? field->columns : 0;
  at[1] = field ? field->rows : 0;
}

static const ElementColumn shape_columns[] = {
    {{"/shapes/body", "", "the body it belongs to", RESULT_INT, 0, {0}}, shape_body},
    {{"/shapes/kind", "", "see the attribute names", RESULT_BYTE, 0, {0}}, shape_kind},
    {{"/shapes/radius", "m", "of round shapes, else 0", RESULT_REAL, 0, {0}}, shape_radius},
    {{"/shapes/half_length", "m", "of capsules, cylinders and cones, else 0", RESULT_REAL, 0, {0}}, shape_half_length},
    {{"/shapes/grid", "", "columns and rows of height fields, else 0", RESULT_INT, 1, {2}}, shape_grid},
    {{"/shapes/half_extents", "m", "of boxes; radii of ellipsoids; else 0", RESULT_REAL, 1, {3}}, shape_half_extents},
    {{"/shapes/position", "m", "in the frame of the body's centre of mass", RESULT_REAL, 1, {3}}, shape_position},
    {{"/shapes/orientation", "1", "unit quaternion w, x, y, z, to the body's frame", RESULT_REAL, 1, {4}},
     shape_orientation},
    {{"/shapes/drawn", "", "1: drawn only, no contact and no mass", RESULT_BYTE, 0, {0}}, shape_drawn},
    {{"/shapes/material", "", "row of /materials/name", RESULT_INT, 0, {0}}, shape_material},
};

static void joint_kind(const AspScene *scene, const AspModel *model, int index, void *row) {
  (void)scene;
  *(uint8_t *)row = (uint8_t)asp_model_joint_kind(model, index);
}

static void joint_bodies(const AspScene *scene, const AspModel *model, int index, void *row) {
  (void)scene;
  const AspJointDef *def = asp_model_joint_def(model, index);
  int32_t *at = row;
  at[0] = def->body_a;
  at[1] = def->body_b;
}

static void joint_point(const AspScene *scene, const AspModel *model, int index, void *row) {
  (void)scene;
  put3(row, asp_model_joint_def(model, index)->point);
}

static void joint_axis(const AspScene *scene, const AspModel *model, int index, void *row) {
  (void)scene;
  put3(row, asp_model_joint_def(model, index)->axis);
}

static const ElementColumn joint_columns[] = {
    {{"/joints/kind", "", "see the attribute names", RESULT_BYTE, 0, {0}}, joint_kind},
    {{"/joints/body", "", "bodies A and B", RESULT_INT, 1, {2}}, joint_bodies},
    {{"/joints/point", "m", "world, at t = 0", RESULT_REAL, 1, {3}}, joint_point},
    {{"/joints/axis", "1", "world, at t = 0", RESULT_REAL, 1, {3}}, joint_axis},
};

static void force_kind(const AspScene *scene, const AspModel *model, int index, void *row) {
  (void)scene;
  *(uint8_t *)row = (uint8_t)asp_model_force_def(model, index)->kind;
}

static void force_bodies(const AspScene *scene, const AspModel *model, int index, void *row) {
  (void)scene;
  const AspForceDef *def = asp_model_force_def(model, index);
  ((int32_t *)row)[0] = def->body;
  ((int32_t *)row)[1] = def->kind == ASP_FORCE_SPRING ? def->body_b : -1;
}

static void force_points(const AspScene *scene, const AspModel *model, int index, void *row) {
  (void)scene;
  const AspForceDef *def = asp_model_force_def(model, index);
  put3(row, def->point);
  put3((double *)row + 3, def->point_b);
}

static const ElementColumn force_columns[] = {
    {{RESULT_FORCES "/kind", "", "see the attribute names", RESULT_BYTE, 0, {0}}, force_kind},
    {{RESULT_FORCES "/body", "", "bodies A and B; B of springs only, else -1", RESULT_INT, 1, {2}}, force_bodies},
    {{RESULT_FORCES "/point", "m", "on A and B, world, at t = 0", RESULT_REAL, 2, {2, 3}}, force_points},
};

/* One row has at most nine doubles. */
#define ROW_BYTES (9 * sizeof(double))

static AspError write_elements(const AspH5File *file, const AspScene *scene, const AspModel *model,
                               const ElementColumn *columns, int count, int rows) {
  unsigned char *values = asp_allocate(file->context, (size_t)rows, ROW_BYTES);
  if (!values)
    return ASP_ERROR_MEMORY;
  AspError error = ASP_OK;
  for (int k = 0; k < count && error == ASP_OK; k++) {
    const ResultColumn *column = &columns[k].column;
    size_t stride = asp_result_row_bytes(column);
    for (int i = 0; i < rows; i++)
      columns[k].fill(scene, model, i, values + (size_t)i * stride);
    error = asp_result_array(file, column, (hsize_t)rows, values);
  }
  asp_release(file->context, values);
  return error;
}

/* ---- vertices of hulls, grid points of height fields ---- */

/* A hull that is drawn may be no hull: the corners of its triangles, in threes. */
static void put_triangles(const AspHull *hull, double *values) {
  for (int f = 0; f < hull->face_count; f++)
    for (int i = hull->face_start[f] + 1; i + 1 < hull->face_start[f + 1]; i++, values += 9) {
      put3(values, hull->vertices[hull->face_vertex[hull->face_start[f]]]);
      put3(values + 3, hull->vertices[hull->face_vertex[i]]);
      put3(values + 6, hull->vertices[hull->face_vertex[i + 1]]);
    }
}

static int vertex_count(const AspShape *shape, bool drawn) {
  if (drawn && shape->kind == ASP_SHAPE_CONVEX)
    return 3 * (shape->hull->face_start[shape->hull->face_count] - 2 * shape->hull->face_count);
  return shape->hull ? shape->hull->vertex_count : shape->field ? shape->field->columns * shape->field->rows : 0;
}

static void put_vertices(const AspShape *shape, bool drawn, double *values) {
  if (drawn && shape->kind == ASP_SHAPE_CONVEX) {
    put_triangles(shape->hull, values);
    return;
  }
  for (int i = 0; shape->hull && i < shape->hull->vertex_count; i++)
    put3(values + 3 * (size_t)i, shape->hull->vertices[i]);
  const AspHeightField *field = shape->field;
  for (int row = 0; field && row < field->rows; row++)
    for (int column = 0; column < field->columns; column++) {
      size_t i = (size_t)row * (size_t)field->columns + (size_t)column;
      put3(values + 3 * i, (AspVec3){column * field->dx, row * field->dy, field->heights[i]});
    }
}

/* A table of points, and for every shape where its own begin and how many they are. */
static AspError write_vertices(const AspH5File *file, const AspModel *model) {
  static const ResultColumn starts =
                                {"/shapes/vertex_start", "", "first row of /vertices/position", RESULT_LONG, 0, {0}},
                            counts = {"/shapes/vertex_count", "", "rows of /vertices/position", RESULT_INT, 0, {0}},
                            points = {"/vertices/position", "m", "in the frame of the shape", RESULT_REAL, 1, {3}};
  int shapes = shape_rows(model);
  AspArena scratch;
  asp_arena_init(&scratch, file->context);
  int64_t *start = ASP_TAKE(&scratch, int64_t, shapes), total = 0;
  int32_t *count = ASP_TAKE(&scratch, int32_t, shapes);
  AspError error = start && count ? ASP_OK : ASP_ERROR_MEMORY;
  for (int i = 0; i < shapes && error == ASP_OK; i++) {
    start[i] = total;
    count[i] = vertex_count(&shape_at(model, i)->shape, i >= asp_model_shape_count(model));
    total += count[i];
  }
  double *values = error == ASP_OK ? ASP_TAKE(&scratch, double, 3 * total) : NULL;
  ASP_CHECK(values ? ASP_OK : ASP_ERROR_MEMORY);
  for (int i = 0; i < shapes; i++)
    put_vertices(&shape_at(model, i)->shape, i >= asp_model_shape_count(model), values + 3 * start[i]);
  ASP_CHECK(asp_result_array(file, &starts, (hsize_t)shapes, start));
  ASP_CHECK(asp_result_array(file, &counts, (hsize_t)shapes, count));
  ASP_CHECK(asp_result_array(file, &points, (hsize_t)total, values));
done:
  asp_arena_free(&scratch);
  return error;
}

static const char *input_name(const void *model, int index) {
  return asp_model_input_name(model, asp_result_input(model, index));
}

static void input_initial(const AspScene *scene, const AspModel *model, int index, void *row) {
  (void)scene;
  *(double *)row = asp_model_inputs(model)[asp_result_input(model, index)].set.value;
}

static AspError write_inputs(const AspH5File *file, const AspModel *model) {
  static const ElementColumn initial = {{RESULT_INPUT_INITIAL, "1", "as the scene has them", RESULT_REAL, 0, {0}},
                                        input_initial};
  int count = asp_result_input_count(model);
  if (count == 0)
    return ASP_OK;
  ASP_TRY(asp_h5_make_group(file, "/inputs"));
  ASP_TRY(asp_result_texts(file, RESULT_INPUT_NAME, "what the rows of value are", count, input_name, model));
  return write_elements(file, NULL, model, &initial, 1, count);
}

/* Which shapes have moving surfaces; how they move is in the frames. */
static AspError write_surfaces(const AspH5File *file, const AspModel *model, const AspState *state) {
  static const ResultColumn column = {
      RESULT_SURFACES "/shape", "", "rows of /shapes whose surfaces move", RESULT_INT, 0, {0}};
  int count = asp_model_surface_count(model), found = 0;
  if (count == 0)
    return ASP_OK;
  int32_t *shape = asp_allocate(file->context, (size_t)count, sizeof *shape);
  if (!shape)
    return ASP_ERROR_MEMORY;
  AspVec3 velocity, spin;
  for (int i = 0; i < asp_model_shape_count(model); i++)
    if (asp_shape_surface_motion(model, state, i, &velocity, &spin))
      shape[found++] = i;
  AspError error = asp_h5_make_group(file, RESULT_SURFACES);
  if (error == ASP_OK)
    error = asp_result_array(file, &column, (hsize_t)found, shape);
  asp_release(file->context, shape);
  return error;
}

/* ---- names ---- */

static const char *body_name(const void *model, int index) { return asp_model_body_name(model, index); }
static const char *joint_name(const void *model, int index) { return asp_model_joint_name(model, index); }
static const char *force_name(const void *model, int index) { return asp_model_force_name(model, index); }
static const char *material_name(const void *model, int index) { return asp_model_material_name(model, index); }

static const char *body_kind_name(int kind) {
  static const char *const names[] = {[ASP_BODY_DYNAMIC] = "dynamic",
                                      [ASP_BODY_FIXED] = "fixed",
                                      [ASP_BODY_KINEMATIC] = "kinematic",
                                      [ASP_BODY_STATION] = "station"};
  return names[kind];
}
static const char *shape_kind_name(int kind) { return asp_shape_kind_name((AspShapeKind)kind); }
static const char *joint_kind_name(int kind) { return asp_joint_kind_name((AspJointKind)kind); }
static const char *force_kind_name(int kind) { return asp_force_kind_name((AspForceKind)kind); }
static const char *status_name(int status) { return asp_status_name((AspStatus)status); }
static const char *method_name(int method) { return asp_method_name((AspMethod)method); }
static const char *mode_name(int mode) { return asp_contact_mode_name((AspContactMode)mode); }

/* What the numbers of a dataset stand for: "0 open, 1 stick, 2 slide". */
static AspError write_names(const AspH5File *file, const char *path, int count, const char *(*name)(int)) {
  char text[512] = "";
  size_t length = 0;
  for (int i = 0; i < count && length < sizeof text; i++)
    length += (size_t)snprintf(text + length, sizeof text - length, "%s%d %s", i ? ", " : "", i, name(i));
  return asp_result_text_attribute(file, path, "names", text);
}

AspError asp_result_name_numbers(const AspH5File *file) {
  ASP_TRY(write_names(file, asp_result_contact_columns[CONTACT_MODE].path, ASP_MODE_SLIDE + 1, mode_name));
  ASP_TRY(write_names(file, asp_result_step_columns[STEP_STATUS].path, ASP_STATUS_COUNT, status_name));
  return write_names(file, asp_result_step_columns[STEP_METHOD].path, ASP_METHOD_COUNT, method_name);
}

static const char *beam_name(const void *model, int index) { return asp_model_beam_name(model, index); }

static void beam_length(const AspScene *scene, const AspModel *model, int index, void *row) {
  (void)scene;
  *(double *)row = asp_model_beam_def(model, index)->length;
}

static void beam_ends(const AspScene *scene, const AspModel *model, int index, void *row) {
  (void)scene;
  for (int end = 0; end < 2; end++)
    ((int32_t *)row)[end] = asp_model_beam_station(model, index, end);
}

/* Where its coordinates begin in a row of /beams/q, and how many there are. */
static void beam_coordinates(const AspScene *scene, const AspModel *model, int index, void *row) {
  (void)scene;
  int count, first = asp_model_beam_q(model, index, &count);
  ((int32_t *)row)[0] = first - asp_model_beam_q(model, 0, NULL);
  ((int32_t *)row)[1] = count;
}

static void beam_velocities(const AspScene *scene, const AspModel *model, int index, void *row) {
  (void)scene;
  int count, first = asp_model_beam_v(model, index, &count);
  ((int32_t *)row)[0] = first - asp_model_beam_v(model, 0, NULL);
  ((int32_t *)row)[1] = count;
}

/* Radius of the round section with these stiffnesses, E I / E A = r^2 / 4; a hundredth of the length where E A is not
 * given. Drawings need one, mechanics does not. */
static void beam_radius(const AspScene *scene, const AspModel *model, int index, void *row) {
  (void)scene;
  const AspBeamDef *def = asp_model_beam_def(model, index);
  double radius = 2 * sqrt(def->bending_stiffness[asp_model_dimension(model) == 2] / def->axial_stiffness);
  *(double *)row = def->axial_stiffness > 0 && radius < 0.05 * def->length ? radius : 0.01 * def->length;
}

static void body_beam(const AspScene *scene, const AspModel *model, int index, void *row) {
  (void)scene;
  *(int32_t *)row = asp_model_station_beam(model, index, NULL);
}

static const ElementColumn station_column = {
    {"/bodies/beam", "", "the beam whose cross-section it is, -1: none", RESULT_INT, 0, {0}}, body_beam};

static const ElementColumn beam_columns[] = {
    {{"/beams/radius", "m", "of the round section with its stiffness, for drawings", RESULT_REAL, 0, {0}}, beam_radius},
    {{"/beams/length", "m", "unstressed", RESULT_REAL, 0, {0}}, beam_length},
    {{"/beams/ends", "", "the bodies that are its start and its end", RESULT_INT, 1, {2}}, beam_ends},
    {{"/beams/q_range", "", "first of its coordinates in a row of q, and how many", RESULT_INT, 1, {2}},
     beam_coordinates},
    {{"/beams/v_range", "", "first of its velocities in a row of v, and how many", RESULT_INT, 1, {2}},
     beam_velocities},
};

static AspError write_beams(const AspH5File *file, const AspScene *scene, const AspModel *model) {
  int beams = asp_model_beam_count(model);
  if (beams == 0)
    return ASP_OK;
  ASP_TRY(asp_result_texts(file, "/beams/name", "names of the beams", beams, beam_name, model));
  ASP_TRY(write_elements(file, scene, model, beam_columns, COUNT(beam_columns), beams));
  return write_elements(file, scene, model, &station_column, 1, asp_model_body_count(model));
}

static AspError write_forces(const AspH5File *file, const AspScene *scene, const AspModel *model) {
  int forces = asp_model_force_count(model);
  if (forces == 0)
    return ASP_OK;
  ASP_TRY(asp_h5_make_group(file, RESULT_FORCES));
  ASP_TRY(asp_result_texts(file, RESULT_FORCES "/name", "names of forces, torques, springs and drags", forces,
                           force_name, model));
  ASP_TRY(write_elements(file, scene, model, force_columns, COUNT(force_columns), forces));
  return write_names(file, force_columns[0].column.path, ASP_FORCE_DRAG + 1, force_kind_name);
}

static AspError write_model(const AspH5File *file, const AspScene *scene, const AspModel *model) {
  int bodies = asp_model_body_count(model), joints = asp_model_joint_count(model);
  ASP_TRY(asp_result_texts(file, "/bodies/name", "names of the bodies", bodies, body_name, model));
  ASP_TRY(write_elements(file, scene, model, body_columns, COUNT(body_columns), bodies));
  ASP_TRY(write_names(file, body_columns[0].column.path, ASP_BODY_STATION + 1, body_kind_name));
  ASP_TRY(write_elements(file, scene, model, shape_columns, COUNT(shape_columns), shape_rows(model)));
  ASP_TRY(write_names(file, shape_columns[1].column.path, ASP_SHAPE_COUNT, shape_kind_name));
  ASP_TRY(write_vertices(file, model));
  ASP_TRY(write_beams(file, scene, model));
  ASP_TRY(write_forces(file, scene, model));
  ASP_TRY(asp_result_texts(file, "/materials/name", "names of the materials", asp_model_material_count(model),
                           material_name, model));
  ASP_TRY(asp_result_texts(file, "/joints/name", "names of the joints", joints, joint_name, model));
  ASP_TRY(write_elements(file, scene, model, joint_columns, COUNT(joint_columns), joints));
  return write_names(file, joint_columns[0].column.path, ASP_JOINT_COUNT, joint_kind_name);
}

/* ---- scene and run ---- */

static AspError write_run(const AspH5File *file, const AspRunOptions *run) {
  int count = asp_run_field_count();
  const AspField *fields = asp_run_fields();
  for (int i = 0; i < count; i++) {
    char value[64], text[96];
    asp_field_print(&fields[i], run, value, sizeof value);
    snprintf(text, sizeof text, "%s%s%s", value, *fields[i].unit ? " " : "", fields[i].unit);
    ASP_TRY(asp_result_text_attribute(file, "/scene/run", fields[i].key, text));
  }
  return ASP_OK;
}

static AspError write_scene(const AspH5File *file, const AspScene *scene, const AspModel *model) {
  AspVec3 g = asp_model_gravity(model);
  double dimension = asp_model_dimension(model), gravity[3] = {g.x, g.y, g.z};
  ASP_TRY(asp_result_text_attribute(file, "/scene", "name", scene && scene->name ? scene->name : ""));
  ASP_TRY(asp_result_number_attribute(file, "/scene", "dimension", 1, &dimension));
  ASP_TRY(asp_result_number_attribute(file, "/scene", "gravity", 3, gravity));
  if (scene && scene->from)
    ASP_TRY(asp_result_text_attribute(file, "/scene", "from", scene->from));
  if (scene && scene->text)
    ASP_TRY(asp_result_text(file, "/scene/text", "the scene file", scene->text));
  return ASP_OK;
}

static const char *measure_name(const void *user, int index) {
  return user ? NULL : asp_measure_name((AspMeasure)index);
}
static const char *measure_text(const void *user, int index) {
  return user ? NULL : asp_measure_text((AspMeasure)index);
}
static const char *measure_remedy(const void *user, int index) {
  return user ? NULL : asp_measure_remedy((AspMeasure)index);
}

static AspError write_measures(const AspH5File *file) {
  ASP_TRY(asp_result_texts(file, "/resolution/name", "names of the measures", ASP_MEASURE_COUNT, measure_name, NULL));
  ASP_TRY(asp_result_texts(file, "/resolution/text", "what they measure", ASP_MEASURE_COUNT, measure_text, NULL));
  return asp_result_texts(file, "/resolution/remedy", "what to do where one is exceeded", ASP_MEASURE_COUNT,
                          measure_remedy, NULL);
}

AspError asp_result_describe(const AspH5File *file, const AspScene *scene, const AspWorld *world) {
  static const char *const groups[] = {"/scene",     "/scene/run", "/bodies",    "/shapes",   "/vertices",
                                       "/materials", "/joints",    "/frames",    "/contacts", "/certificate",
                                       "/energy",    "/momentum",  "/resolution"};
  const AspModel *model = asp_world_model(world);
  double version = RESULT_FORMAT_VERSION;
  ASP_TRY(asp_result_text_attribute(file, "/", "format", RESULT_FORMAT));
  ASP_TRY(asp_result_number_attribute(file, "/", "format_version", 1, &version));
  ASP_TRY(asp_result_text_attribute(file, "/", "asperity_version", asp_version()));
  for (int i = 0; i < COUNT(groups); i++)
    ASP_TRY(asp_h5_make_group(file, groups[i]));
  if (asp_model_beam_count(model) > 0)
    ASP_TRY(asp_h5_make_group(file, "/beams"));
  ASP_TRY(write_inputs(file, model));
  ASP_TRY(write_surfaces(file, model, asp_world_state(world)));
  ASP_TRY(write_scene(file, scene, model));
  ASP_TRY(write_run(file, asp_world_options(world)));
  ASP_TRY(asp_result_parameters_write(file, scene));
  ASP_TRY(asp_result_files_write(file, scene));
  ASP_TRY(write_measures(file));
  return write_model(file, scene, model);
}
