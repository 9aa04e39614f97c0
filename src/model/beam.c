/* Flexible beams in the model: their definitions, their stations (cross-sections that look like bodies), and their part
 * of states, forces and energies. The mechanics is in flex/.
 *
 *   rectangle b x h, h along y:  A = b h,  I_z = b h^3/12,  I_y = h b^3/12,  shear 5/6 G A,
 *   J = l s^3 (1/3 - 0.21 s/l (1 - s^4/(12 l^4))) with the longer side l and the shorter s (Roark, 0.5 %)
 *   circle of radius r:  A = pi r^2,  I = pi r^4/4,  J = 2 I,  shear 9/10 G A
 *
 * Depends on check.c, flex.
 */
#include "model/model.h"

#include <stdio.h>

#define BEAM_COOKIE UINT32_C(0x4142454d)

_Static_assert(ASP_STATION_DOFS_MAX >= ASP_FLEX_SPAN, "a station's map has room for its section");
_Static_assert(ASP_FLEX_ELEMENTS_MAX >= ASP_BEAM_ELEMENTS_MAX, "room for every beam");

AspBeamDef asp_beam_default(void) {
  return (AspBeamDef){.cookie = BEAM_COOKIE, .elements = 4, .degree = 3, .pose = pose_identity()};
}

static void set_section(AspBeamDef *def, double area, const double I[2], double J, double shear, double youngs,
                        double poisson, double density) {
  double G = youngs / (2 * (1 + poisson));
  def->mass_per_length = density * area;
  def->axial_stiffness = youngs * area;
  def->torsional_stiffness = G * J;
  def->rotary_inertia[0] = density * (I[0] + I[1]);
  for (int i = 0; i < 2; i++) {
    def->bending_stiffness[i] = youngs * I[i];
    def->shear_stiffness[i] = shear * G * area;
    def->rotary_inertia[1 + i] = density * I[i];
  }
}

void asp_beam_set_rectangle(AspBeamDef *def, double width, double height, double youngs, double poisson,
                            double density) {
  double l = fmax(width, height), s = fmin(width, height), part = s / l;
  const double I[2] = {height * width * width * width / 12, width * height * height * height / 12};
  // exact: torsion of a rectangle
  double J = l * s * s * s * (1.0 / 3 - 0.21 * part * (1 - part * part * part * part / 12));
  // exact: shear of a rectangle
  set_section(def, width * height, I, J, 5.0 / 6, youngs, poisson, density);
}

void asp_beam_set_circle(AspBeamDef *def, double radius, double youngs, double poisson, double density) {
  double squared = radius * radius;
  const double I[2] = {ASP_PI * squared * squared / 4, ASP_PI * squared * squared / 4};
  // exact: shear of a circle
  set_section(def, ASP_PI * squared, I, 2 * I[0], 0.9, youngs, poisson, density);
}

void asp_beam_release(AspContext *context, ModelBeam *beam) { asp_flex_destroy(context, beam->flex); }

/* ---- definitions ---- */

/* Fewer points would miss some strains, which then have no elastic energy (zero-energy modes). */
static AspError check_quadrature(AspContext *context, const AspBeamDef *def) {
  bool plain = def->axial_strain == ASP_AXIAL_STRAIN_PLAIN;
  if (!plain && def->axial_strain != ASP_AXIAL_STRAIN_MIXED)
    return asp_fail(context, ASP_ERROR_INPUT, "axial_strain: %d is not a kind of strain", (int)def->axial_strain);
  if (plain && def->inextensible)
    return asp_fail(context, ASP_ERROR_INPUT, "axial_strain: an inextensible beam has none; remove one of the two");
  int functions = def->elements + def->degree - 1, least = plain ? def->degree - 1 : def->degree;
  while (least < 2 || (plain && least * def->elements < functions))
    least++;
  if (def->gauss_points != 0 && (def->gauss_points < least || def->gauss_points > ASP_FLEX_DEGREE_MAX + 1))
    return asp_fail(context, ASP_ERROR_INPUT, "gauss_points: %d is not in %d .. %d, which %s strain of degree %d needs",
                    def->gauss_points, least, ASP_FLEX_DEGREE_MAX + 1, plain ? "plain" : "mixed", def->degree);
  return ASP_OK;
}

static AspError check_mesh(AspContext *context, int dimension, const AspBeamDef *def) {
  if (dimension == 2 && (def->degree < 2 || def->degree > ASP_FLEX_DEGREE_MAX))
    return asp_fail(context, ASP_ERROR_INPUT, "degree: %d is not in 2 .. %d", def->degree, ASP_FLEX_DEGREE_MAX);
  if (def->elements < 1 || def->elements > ASP_BEAM_ELEMENTS_MAX)
    return asp_fail(context, ASP_ERROR_INPUT, "elements: %d is not in 1 .. %d", def->elements, ASP_BEAM_ELEMENTS_MAX);
  return dimension == 2 ? check_quadrature(context, def) : ASP_OK;
}

static AspError check_stiffness(AspContext *context, int dimension, const AspBeamDef *def) {
  ASP_TRY(asp_check_positive(context, "mass_per_length", def->mass_per_length));
  ASP_TRY(asp_check_positive(context, "bending_stiffness[1]", def->bending_stiffness[1]));
  if (!def->inextensible || dimension == 3)
    ASP_TRY(asp_check_positive(context, "axial_stiffness", def->axial_stiffness));
  ASP_TRY(asp_check_not_negative(context, "damping", def->damping));
  if (dimension == 2)
    return ASP_OK;
  ASP_TRY(asp_check_positive(context, "bending_stiffness[0]", def->bending_stiffness[0]));
  ASP_TRY(asp_check_positive(context, "torsional_stiffness", def->torsional_stiffness));
  for (int i = 0; i < 2; i++)
    ASP_TRY(asp_check_positive(context, "shear_stiffness", def->shear_stiffness[i]));
  for (int i = 0; i < 3; i++)
    ASP_TRY(asp_check_positive(context, "rotary_inertia", def->rotary_inertia[i]));
  return ASP_OK;
}

static AspError check_beam(AspContext *context, int dimension, AspBeamDef *def) {
  ASP_TRY(check_mesh(context, dimension, def));
  ASP_TRY(asp_check_positive(context, "length", def->length));
  ASP_TRY(asp_check_number(context, "curvature", def->curvature));
  double turn = fabs(def->curvature) * def->length;
  if (turn > 0.5 * ASP_PI * def->elements)
    return asp_fail(
        context, ASP_ERROR_INPUT,
        "curvature: %.15g 1/m turns every one of the %d elements by %.3g rad; more elements are needed, or a "
        "smaller curvature (at most pi/2 each)",
        def->curvature, def->elements, turn / def->elements);
  ASP_TRY(asp_check_pose(context, dimension, &def->pose));
  ASP_TRY(asp_check_vector(context, "velocity", def->velocity));
  ASP_TRY(asp_check_in_plane(context, dimension, "velocity", def->velocity));
  ASP_TRY(asp_check_vector(context, "angular_velocity", def->angular_velocity));
  ASP_TRY(asp_check_about_z(context, dimension, "angular_velocity", def->angular_velocity));
  return check_stiffness(context, dimension, def);
}

AspError asp_beam_make_flex(AspContext *context, int dimension, const AspBeamDef *def, AspFlex **flex) {
  AspFlexDef bar = {.elements = def->elements,
                    .degree = def->degree,
                    .gauss = def->gauss_points,
                    .plain = def->axial_strain == ASP_AXIAL_STRAIN_PLAIN,
                    .inextensible = def->inextensible,
                    .length = def->length,
                    .curvature = def->curvature,
                    .mass_per_length = def->mass_per_length,
                    .axial = def->axial_stiffness,
                    .torsion = def->torsional_stiffness,
                    .damping = def->damping};
  memcpy(bar.shear, def->shear_stiffness, sizeof bar.shear);
  memcpy(bar.bending, def->bending_stiffness, sizeof bar.bending);
  memcpy(bar.inertia, def->rotary_inertia, sizeof bar.inertia);
  return dimension == 2 ? asp_flex_create_planar(context, &bar, flex) : asp_flex_create_spatial(context, &bar, flex);
}

typedef struct EndName {
  char text[ASP_LABEL_BYTES + 8];
} EndName;

static EndName end_name(const char *label, bool end) {
  EndName name;
  snprintf(name.text, sizeof name.text, "%s.%s", label, end ? "end" : "start");
  return name;
}

static AspError check_end_name(const AspModel *model, const char *label, bool end) {
  EndName name = end_name(label, end);
  if (asp_names_find(&model->body_names, name.text) < 0)
    return ASP_OK;
  return asp_fail(model->context, ASP_ERROR_INPUT, "the name '%s' of its %s is taken by a body", name.text,
                  end ? "end" : "start");
}

/* Forces and joints refer to bodies and beams by name: a name must be unique among both. */
static AspError check_beam_name(const AspModel *model, const char *label) {
  if (asp_names_find(&model->body_names, label) < 0)
    return ASP_OK;
  return asp_fail(model->context, ASP_ERROR_INPUT, "the name is taken by a body; a beam needs another one");
}

static AspError add_end(AspModel *model, int beam, const char *label, bool end) {
  EndName name = end_name(label, end);
  return asp_model_add_station(model, beam, name.text, end ? model->beam[beam].def.length : 0,
                               &model->beam[beam].station[end]);
}

AspError asp_model_add_beam(AspModel *model, const AspBeamDef *def, int *beam) {
  AspContext *context = model->context;
  ASP_TRY(asp_model_may_add(model, "beam", def->cookie == BEAM_COOKIE));
  char label[ASP_LABEL_BYTES];
  asp_model_label(label, "beam", model->beam_count, def->name);
  AspError error = ASP_OK;
  ModelBeam made = {.def = *def};
  ASP_CHECK(check_beam(context, model->dimension, &made.def));
  ASP_CHECK(check_beam_name(model, label));
  ASP_CHECK(check_end_name(model, label, false));
  ASP_CHECK(check_end_name(model, label, true));
  ASP_CHECK(asp_beam_make_flex(context, model->dimension, &made.def, &made.flex));
  ASP_CHECK(ASP_GROW(context, model->beam, model->beam_capacity, model->beam_count + 1));
  ASP_CHECK(asp_model_name_element(model, &model->beam_names, def->name, label));
  made.def.name = asp_model_beam_name(model, model->beam_count);
  model->beam[model->beam_count] = made;
  *beam = model->beam_count++;
  made.flex = NULL; // the model's from here on
  ASP_CHECK(add_end(model, *beam, label, false));
  ASP_CHECK(add_end(model, *beam, label, true));
done:
  if (error != ASP_OK) {
    asp_beam_release(context, &made);
    asp_fail_prefix(context, "beam '%s': ", label);
  }
  return error;
}

/* Pose and velocity of a cross-section at the start of the simulation. */
static AspError initial_section(AspModel *model, int beam, double s, AspFlexSection *section) {
  const ModelBeam *it = &model->beam[beam];
  double *q = asp_allocate(model->context, (size_t)asp_flex_q_size(it->flex), sizeof *q);
  double *v = asp_allocate(model->context, (size_t)asp_flex_dofs(it->flex), sizeof *v);
  bool made = q && v;
  if (made) {
    asp_flex_initial(it->flex, &it->def.pose, it->def.velocity, it->def.angular_velocity, q, v);
    asp_flex_section(it->flex, s, q, v, section);
  }
  asp_release(model->context, q);
  asp_release(model->context, v);
  return made ? ASP_OK : ASP_ERROR_MEMORY;
}

AspError asp_model_add_station(AspModel *model, int beam, const char *name, double s, int *body) {
  AspContext *context = model->context;
  ASP_TRY(asp_model_may_add(model, "station", true));
  if (beam < 0 || beam >= model->beam_count)
    return asp_fail(context, ASP_ERROR_ARGUMENT, "beam: %d is not a beam of the model; it has %d", beam,
                    model->beam_count);
  const ModelBeam *it = &model->beam[beam];
  char label[ASP_LABEL_BYTES];
  asp_model_label(label, "station", model->body_count, name);
  if (!(s >= 0 && s <= it->def.length))
    return asp_fail(context, ASP_ERROR_INPUT,
                    "station '%s': %.15g m is not on the beam, which reaches from 0 to %.15g m", label, s,
                    it->def.length);
  AspFlexSection section;
  ASP_TRY(initial_section(model, beam, s, &section));
  ModelBody made = {.def = asp_body_default(), .dof = -1, .beam = beam, .s = s};
  made.def.kind = ASP_BODY_STATION;
  made.def.pose = section.pose;
  made.def.velocity = section.velocity;
  made.def.angular_velocity = section.spin;
  ASP_TRY(ASP_GROW(context, model->body, model->body_capacity, model->body_count + 1));
  AspError error = asp_model_name_element(model, &model->body_names, name, label);
  if (error != ASP_OK) {
    asp_fail_prefix(context, "station '%s': ", label);
    return error;
  }
  made.def.name = asp_model_body_name(model, model->body_count);
  model->body[model->body_count] = made;
  *body = model->body_count++;
  return ASP_OK;
}

/* ---- reading ---- */

int asp_model_beam_count(const AspModel *model) { return model->beam_count; }
const char *asp_model_beam_name(const AspModel *model, int beam) { return model->beam_names.name[beam]; }
int asp_model_find_beam(const AspModel *model, const char *name) { return asp_names_find(&model->beam_names, name); }
const AspBeamDef *asp_model_beam_def(const AspModel *model, int beam) { return &model->beam[beam].def; }
int asp_model_beam_station(const AspModel *model, int beam, bool end) { return model->beam[beam].station[end]; }

double asp_model_beam_mass(const AspModel *model, int beam) {
  return model->beam[beam].def.mass_per_length * model->beam[beam].def.length;
}

int asp_model_beam_q(const AspModel *model, int beam, int *count) {
  if (count)
    *count = asp_flex_q_size(model->beam[beam].flex);
  return model->beam[beam].q_at;
}

int asp_model_beam_v(const AspModel *model, int beam, int *count) {
  if (count)
    *count = asp_flex_dofs(model->beam[beam].flex);
  return model->beam[beam].v_at;
}

int asp_model_beam_dof(const AspModel *model, int beam, int *count) {
  if (count)
    *count = asp_flex_dofs(model->beam[beam].flex);
  return model->beam[beam].dof;
}

/* ---- states ---- */

void asp_beams_place(AspModel *model) {
  model->q_size = asp_body_positions(model->dimension) * model->body_count;
  model->v_size = asp_model_velocities(model) * model->body_count;
  for (int i = 0; i < model->beam_count; i++) {
    ModelBeam *beam = &model->beam[i];
    beam->q_at = model->q_size;
    beam->v_at = model->v_size;
    beam->dof = model->dofs;
    model->q_size += asp_flex_q_size(beam->flex);
    model->v_size += asp_flex_dofs(beam->flex);
    model->dofs += asp_flex_dofs(beam->flex);
  }
}

void asp_beams_initial(const AspModel *model, AspState *state) {
  for (int i = 0; i < model->beam_count; i++) {
    const ModelBeam *beam = &model->beam[i];
    asp_flex_initial(beam->flex, &beam->def.pose, beam->def.velocity, beam->def.angular_velocity, state->q + beam->q_at,
                     state->v + beam->v_at);
  }
}

void asp_beams_move(const AspModel *model, AspState *state, const double *velocity, double dt) {
  for (int i = 0; i < model->beam_count; i++) {
    const ModelBeam *beam = &model->beam[i];
    asp_flex_move(beam->flex, state->q + beam->q_at, velocity + beam->v_at, dt);
  }
}

AspFlexSection asp_station_section(const AspModel *model, const AspState *state, int body) {
  const ModelBeam *beam = &model->beam[model->body[body].beam];
  AspFlexSection section;
  asp_flex_section(beam->flex, model->body[body].s, state->q + beam->q_at, state->v + beam->v_at, &section);
  return section;
}

AspPose asp_state_beam_pose(const AspModel *model, const AspState *state, int beam, double s) {
  const ModelBeam *it = &model->beam[beam];
  AspFlexSection section;
  asp_flex_section(it->flex, s, state->q + it->q_at, state->v + it->v_at, &section);
  return section.pose;
}

/* ---- mechanics ---- */

void asp_station_map(const AspModel *model, const AspState *state, int body, AspStationMap *map) {
  AspFlexSection section = asp_station_section(model, state, body);
  map->dof = model->beam[model->body[body].beam].dof + section.first;
  map->count = section.count;
  memcpy(map->T, section.T, (size_t)(asp_model_velocities(model) * section.count) * sizeof *map->T);
}

void asp_station_push(const AspModel *model, const AspState *state, int body, AspVec3 force, AspVec3 torque,
                      double *h) {
  AspStationMap map;
  int n = asp_model_velocities(model);
  const double space[6] = {force.x, force.y, force.z, torque.x, torque.y, torque.z};
  const double plane[3] = {force.x, force.y, torque.z}, *wrench = n == 6 ? space : plane;
  asp_station_map(model, state, body, &map);
  for (int k = 0; k < map.count; k++)
    for (int i = 0; i < n; i++)
      h[map.dof + k] += map.T[n * k + i] * wrench[i];
}

void asp_beams_add_loads(const AspModel *model, const AspState *state, double *h) {
  for (int i = 0; i < model->beam_count; i++) {
    const ModelBeam *beam = &model->beam[i];
    asp_flex_add_load(beam->flex, state->q + beam->q_at, state->v + beam->v_at, model->gravity, h + beam->dof);
  }
}

void asp_beams_add_forces(const AspModel *model, const AspState *state, double *h) {
  for (int i = 0; i < model->beam_count; i++) {
    const ModelBeam *beam = &model->beam[i];
    asp_flex_add_force(beam->flex, state->q + beam->q_at, state->v + beam->v_at, h + beam->dof);
  }
}

AspFlexEnergy asp_beam_energy(const AspModel *model, const AspState *state, const double *velocity, int beam) {
  const ModelBeam *it = &model->beam[beam];
  return asp_flex_energy(it->flex, state->q + it->q_at, velocity + it->v_at, model->gravity);
}

double asp_beam_kinetic(const AspModel *model, const AspState *state, const double *velocity, int beam) {
  return asp_beam_energy(model, state, velocity, beam).kinetic;
}

AspVec3 asp_beam_centre(const AspModel *model, const AspState *state, int beam) {
  return asp_beam_energy(model, state, state->v, beam).centre;
}

void asp_beam_resultant(const AspModel *model, const AspState *state, int beam, const double *h, AspVec3 *force,
                        AspVec3 *moment) {
  const ModelBeam *it = &model->beam[beam];
  const double *q = state->q + it->q_at;
  bool plane = model->dimension == 2;
  *force = *moment = vec3(0, 0, 0);
  for (int i = 0, j = 0; i < asp_flex_dofs(it->flex); i += plane ? 2 : 6, j += plane ? 2 : 7) {
    AspVec3 F = vec3(h[i], h[i + 1], plane ? 0 : h[i + 2]), x = vec3(q[j], q[j + 1], plane ? 0 : q[j + 2]);
    AspVec3 turn = plane ? vec3(0, 0, 0) : vec3(h[i + 3], h[i + 4], h[i + 5]);
    *force = add3(*force, F);
    *moment = add3(*moment, add3(cross3(x, F), turn));
  }
}
