/* The guided hopper, see hopper.h: the rod stands at alpha(t) from the vertical, the blade turned back by 2 alpha, so
 * that the foot stays below the hip. */
#include "hopper.h"
#include "constants.h"
#include "reproduce.h"

#include <math.h>

#define LENGTH 0.2 /* of rod and blade, m */
#define ALPHA  "(pi/3 - pi/30*(1 - cos(4*pi*t)))"
#define START  (PI / 3)        /* alpha(0) */
#define HIP    (0.07 + LENGTH) /* height, m: 0.07 + 2 LENGTH cos(START) */
#define OFFSET 0.035           /* of the hip below the body's point, m */

static AspError add_body(AspModel *model, const char *name, double mass, double inertia, AspVec3 position, int *body) {
  AspBodyDef def = asp_body_default();
  def.name = name;
  def.kind = mass > 0 ? ASP_BODY_DYNAMIC : ASP_BODY_FIXED;
  def.mass = mass;
  def.inertia.m[8] = inertia;
  def.pose.position = position;
  return asp_model_add_body(model, &def, body);
}

static AspError add_joint(AspModel *model, const char *name, AspJointKind kind, int body_a, int body_b, AspVec3 point,
                          const char *motion) {
  AspJointDef def = asp_joint_default();
  int joint;
  def.name = name;
  def.kind = kind;
  def.body_a = body_a;
  def.body_b = body_b;
  def.point = point;
  def.axis = (AspVec3){0, kind == ASP_JOINT_PRISMATIC, kind != ASP_JOINT_PRISMATIC};
  def.motion = motion;
  return asp_model_add_joint(model, &def, &joint);
}

static AspError attach(AspModel *model, int body, AspShapeKind kind, int material) {
  AspShapeAttachment attachment = {
      .shape = asp_shape_default(kind), .pose = {.orientation = {1, 0, 0, 0}}, .material = material};
  return asp_model_attach_shape(model, body, &attachment);
}

static AspError add_blade(AspModel *model, const HopperSetting *setting, AspVec3 knee, Hopper *hopper) {
  AspBeamDef def = asp_beam_default();
  double angle = -PI / 2 - START;
  def.name = "blade";
  def.elements = setting->elements;
  def.damping = setting->damping;
  if (setting->plain) {
    def.gauss_points = 2;
    def.axial_strain = ASP_AXIAL_STRAIN_PLAIN;
  }
  def.degree = 3;
  def.length = LENGTH;
  def.pose = (AspPose){knee, {cos(angle / 2), 0, 0, sin(angle / 2)}};
  asp_beam_set_rectangle(&def, 0.03, 0.003, 210e9, 0.3, 7850);
  TRY(asp_model_add_beam(model, &def, &hopper->blade));
  hopper->foot = asp_model_beam_station(model, hopper->blade, true);
  return ASP_OK;
}

static AspError build(AspModel *model, const HopperSetting *setting, Hopper *hopper) {
  int ground, steel;
  AspVec3 knee = {LENGTH * sin(START), HIP - LENGTH * cos(START), 0}, hip = {0, HIP, 0}, top = {0, HIP + OFFSET, 0};
  asp_model_set_gravity(model, (AspVec3){0, -9.81, 0});
  TRY(asp_model_material(model, "steel", &steel));
  TRY(asp_model_set_pair(model, steel, steel, &(AspPairLaw){.friction = setting->mu}));
  TRY(add_body(model, "ground", 0, 0, (AspVec3){0, 0, 0}, &ground));
  TRY(attach(model, ground, ASP_SHAPE_HALF_PLANE, steel));
  TRY(add_body(model, "main", 3, 0.01, top, &hopper->main_body));
  TRY(add_body(model, "rod", 1.56, 1.56 * LENGTH * LENGTH / 12, (AspVec3){0.5 * knee.x, 0.5 * (HIP + knee.y), 0},
               &hopper->rod));
  TRY(add_blade(model, setting, knee, hopper));
  TRY(attach(model, hopper->foot, ASP_SHAPE_POINT, steel));
  TRY(add_joint(model, "guide", ASP_JOINT_PRISMATIC, ground, hopper->main_body, top, NULL));
  TRY(add_joint(model, "hip", ASP_JOINT_REVOLUTE, hopper->main_body, hopper->rod, hip, ALPHA));
  TRY(add_joint(model, "knee", ASP_JOINT_REVOLUTE, hopper->rod, asp_model_beam_station(model, hopper->blade, false),
                knee, "-2*" ALPHA));
  return asp_model_finish(model);
}

AspError hopper_open(AspContext *context, const HopperSetting *setting, Hopper *hopper) {
  AspRunOptions options = asp_run_default_options();
  options.scheme = ASP_SCHEME_GENERALIZED_ALPHA;
  options.rho_inf = 0.5;
  options.dt = setting->dt;
  options.until = setting->until;
  *hopper = (Hopper){0};
  TRY(asp_model_create(context, 2, &hopper->model));
  TRY(build(hopper->model, setting, hopper));
  return asp_world_create(context, hopper->model, &options, &hopper->world);
}

void hopper_close(Hopper *hopper) {
  asp_world_destroy(hopper->world);
  asp_model_destroy(hopper->model);
  *hopper = (Hopper){0};
}

void hopper_percussion(const Hopper *hopper, double *normal, double *friction) {
  *normal = *friction = 0;
  for (int i = 0; i < asp_world_contact_count(hopper->world); i++) {
    *normal += asp_world_contacts(hopper->world)[i].impulse[0];
    *friction += asp_world_contacts(hopper->world)[i].impulse[1];
  }
}
