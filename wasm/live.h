/* The WebAssembly module: one scene and one world behind a handle, called from JavaScript. Uses the public headers.
 *
 * Texts cross the border as UTF-8 in the module's memory. A call that returns an int returns an error code of base.h;
 * messages and JSON answers stand at live_text until the next call. Numbers are read in place: live_q, live_contacts and
 * the like point into the module's memory and stand until the next call that changes the world. docs/reference/web-api.md
 */
#ifndef ASP_WASM_LIVE_H
#define ASP_WASM_LIVE_H

#include "asperity/asperity.h"

#include <cjson/cJSON.h>

#define LIVE_EXPORT(name) __attribute__((export_name(#name)))

/* A spring between a point of a body and a point of the world, pulled by the pointer. */
typedef struct LivePull {
  int body;          /* -1: none */
  AspVec3 point;     /* in the frame of the body's centre of mass, m */
  AspVec3 target;    /* world, m */
  double stiffness;  /* N/m */
  double damping;    /* N s/m */
  double most;       /* largest force, N */
  AspVec3 force, at; /* of the last step: N; where it acted, world, m */
} LivePull;

typedef struct Live {
  AspContext *context;
  AspScene scene; /* model NULL: none is loaded */
  AspWorld *world;
  AspProbes *probes;
  AspStepInfo info; /* of the last step */
  LivePull pull;
  int64_t uncertified, unresolved; /* steps since the start */
  char *text;                      /* cJSON's allocator */
  double *numbers;                 /* room for what has to be laid out */
  size_t capacity;
  double about[48]; /* live_info */
} Live;

/* The JSON as the answer; the tree is freed. */
int live_answer(Live *live, cJSON *json);
/* The context's message as the answer. */
int live_failed(Live *live, AspError error);
/* Room for so many numbers; NULL: out of memory. */
double *live_room(Live *live, size_t count);

/* ---- exported: what they do stands with their definitions ---- */

/* module.c */
LIVE_EXPORT(live_allocate) void *live_allocate(size_t bytes);
LIVE_EXPORT(live_free) void live_free(void *block);
LIVE_EXPORT(live_text) const char *live_text(const Live *live);
LIVE_EXPORT(live_version) const char *live_version(void);
LIVE_EXPORT(live_create) Live *live_create(void);
LIVE_EXPORT(live_destroy) void live_destroy(Live *live);
LIVE_EXPORT(live_validate) int live_validate(Live *live, const char *text, size_t length, char *settings);
LIVE_EXPORT(live_load) int live_load(Live *live, const char *text, size_t length, char *settings, int keep);
LIVE_EXPORT(live_schema) int live_schema(Live *live);
LIVE_EXPORT(live_describe) int live_describe(Live *live);
LIVE_EXPORT(live_step) int live_step(Live *live, int count, double until, int *made);
LIVE_EXPORT(live_pull)
int live_pull(Live *live, int body, double px, double py, double pz, double tx, double ty, double tz, double stiffness,
              double damping, double most);
LIVE_EXPORT(live_pulled) const double *live_pulled(Live *live);
LIVE_EXPORT(live_set_input) int live_set_input(Live *live, const char *name, double value);

/* records.c */
LIVE_EXPORT(live_time) double live_time(const Live *live);
LIVE_EXPORT(live_q) const double *live_q(const Live *live);
LIVE_EXPORT(live_v) const double *live_v(const Live *live);
LIVE_EXPORT(live_q_size) int live_q_size(const Live *live);
LIVE_EXPORT(live_v_size) int live_v_size(const Live *live);
LIVE_EXPORT(live_hash) double live_hash(const Live *live, int high);
LIVE_EXPORT(live_contact_count) int live_contact_count(const Live *live);
LIVE_EXPORT(live_contacts) const double *live_contacts(Live *live);
LIVE_EXPORT(live_info) const double *live_info(Live *live);
LIVE_EXPORT(live_joints) const double *live_joints(Live *live);
LIVE_EXPORT(live_forces) const double *live_forces(Live *live);
LIVE_EXPORT(live_beam_points) const double *live_beam_points(Live *live);
LIVE_EXPORT(live_probe_count) int live_probe_count(const Live *live);
LIVE_EXPORT(live_probe_values) const double *live_probe_values(Live *live);
LIVE_EXPORT(live_verdict) int live_verdict(Live *live);

/* analysis.c */
LIVE_EXPORT(live_analyze) int live_analyze(Live *live, int level, double seconds);

/* ---- parts ---- */

cJSON *live_describe_model(const Live *live);

#endif
