/* Probes: named outputs of a scene. Read from the file into AspProbe; given to the model are the sensors that their
 * expressions use (parameters.c). What they measure is computed in probes.c. */
#include "io/scene/build.h"
#include "linalg/vec3.h"

static const char *probe_key(SceneProbeKey key) { return asp_scene_probe.keys[key].key; }

/* From the frame in which the scene describes the body to that of its centre of mass. */
static AspVec3 from_centre(const SceneBuild *build, const SceneValue *points, int index, int body) {
  const cJSON *node = points->node;
  if (node && points->key->type == SCENE_TWO_VECTORS)
    node = index ? node->child->next : node->child;
  return node ? sub3(asp_node_vector(node), build->centre[body]) : vec3(0, 0, 0);
}

static bool read_bodies(SceneBuild *build, const SceneValue *values, AspProbe *probe) {
  SceneReader *reader = &build->reader;
  const SceneValue *bodies = &values[PROBE_BODIES];
  probe->body_a = probe->body_b = -1;
  if (probe->kind == ASP_PROBE_CONTACT && (values[PROBE_BODY].node != NULL) == (bodies->node != NULL)) {
    asp_reader_mistake(reader, probe_key(PROBE_BODY), "give either body, for all its contacts, or bodies, for a pair");
    return false;
  }
  if (values[PROBE_BODY].node) {
    probe->body_a = asp_scene_find_body(build, probe_key(PROBE_BODY), asp_value_text(&values[PROBE_BODY]));
    return probe->body_a != SCENE_BROKEN;
  }
  if (!bodies->node)
    return probe->kind == ASP_PROBE_EXPRESSION;
  size_t mark = asp_reader_enter(reader, bodies->key->key);
  probe->body_a = asp_scene_find_body(build, "0", asp_value_name(bodies, 0));
  probe->body_b = asp_scene_find_body(build, "1", asp_value_name(bodies, 1));
  asp_reader_leave(reader, mark);
  return probe->body_a != SCENE_BROKEN && probe->body_b != SCENE_BROKEN;
}

static bool read_axes(SceneReader *reader, const SceneValue *axes, AspProbe *probe) {
  probe->point_a = probe->point_b = vec3(1, 0, 0);
  if (!axes->node)
    return true;
  probe->point_a = asp_node_vector(axes->node->child);
  probe->point_b = asp_node_vector(axes->node->child->next);
  if (norm3(probe->point_a) > 0 && norm3(probe->point_b) > 0)
    return true;
  asp_reader_mistake(reader, axes->key->key, "an axis has no length");
  return false;
}

static bool fill(SceneBuild *build, const SceneValue *values, AspProbe *probe) {
  SceneReader *reader = &build->reader;
  probe->kind = (AspProbeKind)asp_value_choice(&values[PROBE_TYPE]);
  probe->quantity = (AspProbeQuantity)asp_value_choice(&values[PROBE_QUANTITY]);
  probe->every = asp_value_number(&values[PROBE_EVERY]);
  if (!read_bodies(build, values, probe))
    return false;
  if (probe->kind == ASP_PROBE_POINT)
    probe->point_a = from_centre(build, &values[PROBE_POINT], 0, probe->body_a);
  if (probe->kind == ASP_PROBE_DISTANCE) {
    probe->point_a = from_centre(build, &values[PROBE_POINTS], 0, probe->body_a);
    probe->point_b = from_centre(build, &values[PROBE_POINTS], 1, probe->body_b);
  }
  return probe->kind != ASP_PROBE_ANGLE || read_axes(reader, &values[PROBE_AXES], probe);
}

static const char *unit_of(const AspProbe *probe, const char *given) {
  static const char *const of_point[] = {"m", "m/s", "m/s^2"};
  if (given)
    return given;
  return probe->kind == ASP_PROBE_POINT      ? of_point[probe->quantity]
         : probe->kind == ASP_PROBE_DISTANCE ? "m"
         : probe->kind == ASP_PROBE_ANGLE    ? "rad"
         : probe->kind == ASP_PROBE_CONTACT  ? "N, N m"
                                             : "";
}

void asp_scene_read_probe(SceneBuild *build, const cJSON *json, int place) {
  (void)place;
  SceneReader *reader = &build->reader;
  SceneValue values[PROBE_COUNT];
  if (!asp_reader_object(reader, &asp_scene_probe, json, values))
    return;
  AspProbe probe = {0};
  const char *name = asp_value_text(&values[PROBE_NAME]);
  if (!*name) {
    asp_reader_mistake(reader, probe_key(PROBE_NAME), "a probe needs a name");
    return;
  }
  for (int i = 0; i < build->probes; i++)
    if (strcmp(build->probe[i].name, name) == 0) {
      asp_reader_mistake(reader, probe_key(PROBE_NAME), "another probe is called %s", asp_reader_quote(reader, name));
      return;
    }
  if (!fill(build, values, &probe) ||
      !asp_reader_accept(reader, NULL,
                         ASP_GROW(reader->context, build->probe, build->probe_capacity, build->probes + 1)))
    return;
  const char *value = asp_value_expression(reader, &values[PROBE_VALUE], -1);
  probe.name = asp_copy_text(reader->context, name);
  probe.unit = asp_copy_text(reader->context, unit_of(&probe, asp_value_text(&values[PROBE_UNIT])));
  probe.value = value ? asp_copy_text(reader->context, value) : NULL;
  build->probe[build->probes++] = probe;
  if (!probe.name || !probe.unit || (value && !probe.value))
    asp_reader_accept(reader, NULL, ASP_ERROR_MEMORY);
}

void asp_scene_add_probes(SceneBuild *build) {
  const AspSettings *settings = build->settings;
  SceneReader *reader = &build->reader;
  for (int i = 0; settings && i < settings->probe_count; i++) {
    const char *text = settings->probe[i], *equals = strchr(text, '=');
    if (!equals) {
      asp_reader_mistake(reader, NULL, "probe %s: expected NAME=EXPRESSION", asp_reader_quote(reader, text));
      continue;
    }
    cJSON *json = cJSON_CreateObject();
    cJSON_AddStringToObject(json, probe_key(PROBE_NAME), asp_reader_text(reader, "%.*s", (int)(equals - text), text));
    if (cJSON_AddStringToObject(json, probe_key(PROBE_VALUE), equals + 1))
      asp_scene_read_probe(build, json, build->probes);
    else
      asp_reader_accept(reader, NULL, ASP_ERROR_MEMORY);
    cJSON_Delete(json);
  }
}
