/* A program that controls a world: a pole on a cart, kept upright by a force on the cart at 1 kHz.
 *
 * The scene is simulated by the library; the controller is ours. Before every step a callback reads the joints and
 * applies F = -(k1 x + k2 x' + k3 th + k4 th'). For small angles, with a = -m^2 l^2 g / D, b1 = (I + m l^2) / D,
 * c = (M + m) m g l / D, b2 = -m l / D and D = (M + m)(I + m l^2) - m^2 l^2,
 *
 *   x'' = a th + b1 F,   th'' = c th + b2 F,   poles: s^4 + (b1 k2 + b2 k4) s^3 + (b1 k1 + b2 k3 - c) s^2 + e k2 s + e k1
 *
 * with e = a b2 - c b1. So the gains follow from the poles that we want, and the angle is a sum of four exponentials,
 * which is printed beside what the simulation gives. */
#include <asperity/asperity.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double M = 1, m = 0.2, l = 0.5, g = 9.81, tilt = 1e-3; /* kg, kg, m, m/s^2, rad */
static const double pole[4] = {-2, -3, -4, -5};                     /* 1/s */

static const char *const scene_text =
    "{ \"dimension\": 2, \"gravity\": [0, -9.81],"
    "  \"bodies\": [ { \"name\": \"cart\", \"mass\": 1, \"inertia\": 1 },"
    "                { \"name\": \"pole\", \"mass\": 0.2, \"inertia\": 0.02, \"position\": [0, 0.5] } ],"
    "  \"joints\": [ { \"name\": \"rail\", \"type\": \"prismatic\", \"bodies\": [\"world\", \"cart\"], \"axis\": [1, "
    "0] },"
    "                { \"name\": \"pivot\", \"type\": \"revolute\", \"bodies\": [\"cart\", \"pole\"], \"point\": [0, "
    "0] } ],"
    "  \"run\": { \"dt\": 0.001, \"until\": 2 } }";

typedef struct Controller {
  double k[4];
  int cart, rail, pivot;
} Controller;

/* x, x', th, th'; the pole leans towards +x where its joint turns backwards. */
static void measure(const AspWorld *world, const Controller *controller, double z[4]) {
  const AspJointRecord *joints = asp_world_joints(world);
  z[0] = joints[controller->rail].coordinate;
  z[1] = joints[controller->rail].rate;
  z[2] = -joints[controller->pivot].coordinate;
  z[3] = -joints[controller->pivot].rate;
}

static AspError control(void *user, AspWorld *world) {
  const Controller *controller = user;
  double z[4], force = 0;
  measure(world, controller, z);
  for (int i = 0; i < 4; i++)
    force -= controller->k[i] * z[i];
  return asp_world_apply_wrench(world, controller->cart, &(AspWrench){.force = {force, 0, 0}}, NULL);
}

/* The gains that give these poles, and the four parts of th(t). */
static void design(Controller *controller, double part[4]) {
  double I = m * l * l / 2.5, J = I + m * l * l, D = (M + m) * J - m * m * l * l; /* 0.02 kg m^2 */
  double a = -m * m * l * l * g / D, b1 = J / D, c = (M + m) * m * g * l / D, b2 = -m * l / D, e = a * b2 - c * b1;
  double alpha[5] = {1, 0, 0, 0, 0}; /* of s^4, s^3, ... */
  for (int i = 0; i < 4; i++)
    for (int j = i + 1; j > 0; j--)
      alpha[j] -= pole[i] * alpha[j - 1];
  double *k = controller->k;
  k[0] = alpha[4] / e;
  k[1] = alpha[3] / e;
  k[2] = (alpha[2] + c - b1 * k[0]) / b2;
  k[3] = (alpha[1] - b1 * k[1]) / b2;
  /* th and its first three derivatives at the start */
  double F = -k[2] * tilt, x2 = a * tilt + b1 * F, th2 = c * tilt + b2 * F;
  double start[4] = {tilt, 0, th2, -b2 * (k[1] * x2 + k[3] * th2)};
  /* part[i] from sum part[i] pole[i]^j = start[j], by Lagrange's polynomials */
  for (int i = 0; i < 4; i++) {
    double q[4] = {1, 0, 0, 0}, below = 1, sum = 0;
    for (int j = 0, degree = 0; j < 4; j++) {
      if (j == i)
        continue;
      degree++;
      for (int d = degree; d > 0; d--)
        q[d] = q[d - 1] - pole[j] * q[d];
      q[0] *= -pole[j];
      below *= pole[i] - pole[j];
    }
    for (int d = 0; d < 4; d++)
      sum += q[d] * start[d];
    part[i] = sum / below;
  }
}

static int fail(AspContext *context, const char *what) {
  fprintf(stderr, "%s: %s\n", what, asp_context_message(context));
  return 1;
}

int main(void) {
  AspContext *context = asp_context_create(NULL);
  AspScene scene;
  AspWorld *world;
  AspStepInfo info;
  Controller controller;
  double part[4], worst = 0, z[4];
  if (asp_scene_parse(context, scene_text, strlen(scene_text), "cart", &scene, NULL) != ASP_OK ||
      asp_world_create(context, scene.model, &scene.run, &world) != ASP_OK)
    return fail(context, "scene");
  controller.cart = asp_model_find_body(scene.model, "cart");
  controller.rail = asp_model_find_joint(scene.model, "rail");
  controller.pivot = asp_model_find_joint(scene.model, "pivot");
  design(&controller, part);
  if (asp_world_set_joint(world, controller.pivot, -tilt, 0) != ASP_OK)
    return fail(context, "start");
  asp_world_set_callbacks(world, control, NULL, &controller);
  printf("force = -(%.3f x + %.3f x' + %.3f th + %.3f th')\n", controller.k[0], controller.k[1], controller.k[2],
         controller.k[3]);
  while (asp_world_state(world)->t < scene.run.until - 1e-9) {
    if (asp_world_step(world, &info) != ASP_OK)
      return fail(context, "step");
    double expected = 0;
    for (int i = 0; i < 4; i++)
      expected += part[i] * exp(pole[i] * info.t);
    measure(world, &controller, z);
    worst = fmax(worst, fabs(z[2] - expected));
    if (info.step % 250 == 0)
      printf("t = %.2f s: angle %+.4f mrad, closed form %+.4f mrad\n", info.t, 1e3 * z[2], 1e3 * expected);
  }
  printf("largest difference: %.2g of the tilt\n", worst / tilt);
  asp_world_destroy(world);
  asp_scene_destroy(context, &scene);
  asp_context_destroy(context);
  return 0;
}
