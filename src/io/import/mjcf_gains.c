/* What an actuator of MJCF gives: force = gain u + b0 + b1 l + b2 l'. All kinds share one set of defaults, so a class
 * may have <general> and an element of it be <position>: the defaults are read from the outermost class in, then the
 * element, and each sets what its kind sets:
 *
 *   motor     gain 1, no bias                     position  gain kp, b1 = -kp, b2 = -kv where kv is given
 *   velocity  gain kv, b2 = -kv, no more          cylinder  gain area, b0 b1 b2 as given
 *   general   gaintype, gainprm, biastype, biasprm, dyntype as given
 *
 * Source: mujoco.readthedocs.io, XML reference, "actuator".
 */
#include "io/import/mjcf.h"

#include "base/constants.h"

typedef struct State {
  Import *import;
  const char *gain_type, *bias_type, *dynamics;
  double gain[10], bias[10], ratio, lag;
} State;

static double number(const State *state, const XmlNode *node, const char *name, double otherwise) {
  return asp_import_number(state->import, node, name, otherwise);
}

static void read_general(State *state, const XmlNode *node) {
  const char *text;
  if ((text = asp_xml_attribute(node, "gaintype")))
    state->gain_type = text;
  if ((text = asp_xml_attribute(node, "biastype")))
    state->bias_type = text;
  if ((text = asp_xml_attribute(node, "dyntype")))
    state->dynamics = text;
  if ((text = asp_xml_attribute(node, "gainprm")))
    asp_import_numbers(state->import, node, text, state->gain, 10);
  if ((text = asp_xml_attribute(node, "biasprm"))) {
    asp_import_numbers(state->import, node, text, state->bias, 10);
    state->ratio = 0;
  }
}

static void reset(State *state, const char *bias_type, double gain) {
  *state = (State){.import = state->import, .gain_type = "fixed", .bias_type = bias_type, .dynamics = "none"};
  state->gain[0] = gain;
}

static void read_position(State *state, const XmlNode *node) {
  double kp = number(state, node, "kp", state->gain[0]), kv = number(state, node, "kv", -1),
         ratio = number(state, node, "dampratio", 0), lag = number(state, node, "timeconst", -1);
  state->gain_type = "fixed";
  state->bias_type = "affine";
  state->gain[0] = kp;
  state->bias[1] = -kp;
  if (kv >= 0)
    state->bias[2] = -kv;
  state->ratio = ratio > 0 ? ratio : kv >= 0 ? 0 : state->ratio;
  if (lag >= 0) {
    state->lag = lag;
    state->dynamics = lag > 0 ? "filterexact" : "none";
  }
}

/* A pneumatic or hydraulic cylinder: its area is the gain. */
static void read_cylinder(State *state, const XmlNode *node) {
  double area = number(state, node, "area", state->gain[0]), across = number(state, node, "diameter", 0);
  const char *bias = asp_xml_attribute(node, "bias");
  state->gain_type = "fixed";
  state->bias_type = "affine";
  state->gain[0] = across > 0 ? ASP_PI * across * across / 4 : area;
  if (bias)
    asp_import_numbers(state->import, node, bias, state->bias, 3);
  state->lag = number(state, node, "timeconst", state->lag > 0 ? state->lag : 1);
  state->dynamics = "filter";
}

static void read(const XmlNode *node, void *out) {
  State *state = out;
  const char *kind = node->name;
  if (strcmp(kind, "general") == 0) {
    read_general(state, node);
  } else if (strcmp(kind, "motor") == 0) {
    reset(state, "none", 1);
  } else if (strcmp(kind, "position") == 0) {
    read_position(state, node);
  } else if (strcmp(kind, "velocity") == 0) {
    double kv = number(state, node, "kv", state->gain[0]);
    reset(state, "affine", kv);
    state->bias[2] = -kv;
  } else if (strcmp(kind, "cylinder") == 0) {
    read_cylinder(state, node);
  } else { // its gain is not one that scenes have
    state->gain_type = kind;
  }
}

bool asp_mjcf_gains(Mjcf *mjcf, const MjcfScope *scope, const XmlNode *node, MjcfGains *gains) {
  State state = {.import = mjcf->robot->import, .gain_type = "fixed", .bias_type = "none", .gain = {1}};
  asp_mjcf_each_default(asp_mjcf_class(mjcf, scope, node), "actuator", read, &state);
  read(node, &state);
  *gains = (MjcfGains){.gain = state.gain[0], .ratio = state.ratio, .lag = state.lag, .dynamics = state.dynamics};
  bool biased = strcmp(state.bias_type, "affine") == 0;
  if (biased)
    memcpy(gains->bias, state.bias, sizeof gains->bias);
  return (strcmp(state.gain_type, "fixed") == 0 ||
          (strcmp(state.gain_type, "affine") == 0 && state.gain[1] == 0 && state.gain[2] == 0)) &&
         (biased || strcmp(state.bias_type, "none") == 0);
}
