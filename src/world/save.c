/* A world's whole memory, written into a buffer and read back: the run goes on to the same bits as if it had not been
 * interrupted. Every part lists its own fields (asp_..._archive), once for both directions; here they are called in one
 * order, behind a header:
 *
 *   mark, version, size of the whole, checksum of what follows it
 *   sizes of the model and hash of its names, options of the run
 *
 * What is not kept is room, follows from model and options, or lives for one step. What is read back is checked whole
 * before the world is touched. */
#include "base/archive.h"
#include "model/own_state.h"
#include "model/tuning/model.h"
#include "solver/archive.h"
#include "world/world_data.h"

#include <stdio.h>

// exact: the name of the format, ASPWORLD, and its version, which grows when a part lists other fields
#define SAVE_MARK UINT64_C(0x444c524f57505341)
// exact: a version
#define SAVE_VERSION 5

typedef struct SaveHeader {
  uint64_t mark, version, size, checksum;
} SaveHeader;

static uint64_t checksum(const unsigned char *bytes, size_t size) {
  uint64_t sum = asp_hash_word(ASP_HASH_START, size), word;
  size_t at = 0;
  for (; at + sizeof word <= size; at += sizeof word) {
    memcpy(&word, bytes + at, sizeof word);
    sum = asp_hash_word(sum, word);
  }
  return asp_hash_bytes(sum, bytes + at, size - at);
}

/* ---- is it the same model and run? ---- */

static uint64_t hash_of_names(const AspModel *model) {
  uint64_t hash = ASP_HASH_START;
  for (int i = 0; i < asp_model_body_count(model); i++)
    hash = asp_hash_bytes(hash, asp_model_body_name(model, i), strlen(asp_model_body_name(model, i)) + 1);
  for (int i = 0; i < asp_model_joint_count(model); i++)
    hash = asp_hash_bytes(hash, asp_model_joint_name(model, i), strlen(asp_model_joint_name(model, i)) + 1);
  for (int i = 0; i < asp_model_input_count(model); i++)
    hash = asp_hash_bytes(hash, asp_model_input_name(model, i), strlen(asp_model_input_name(model, i)) + 1);
  return hash;
}

static AspError archive_model(const AspModel *model, AspArchive *archive) {
  const struct {
    const char *name;
    int64_t here;
  } sizes[] = {{"dimension", asp_model_dimension(model)},         {"bodies", asp_model_body_count(model)},
               {"joints", asp_model_joint_count(model)},          {"forces", asp_model_force_count(model)},
               {"shapes", asp_model_shape_count(model)},          {"materials", asp_model_material_count(model)},
               {"inputs", asp_model_input_count(model)},          {"coordinates", asp_model_q_size(model)},
               {"degrees of freedom", asp_model_dof_count(model)}};
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    int64_t there = sizes[i].here;
    ASP_ARCHIVE(archive, there);
    if (archive->error == ASP_OK && there != sizes[i].here)
      return asp_fail(archive->context, ASP_ERROR_INPUT, "saved with another model: %s %lld, here %lld", sizes[i].name,
                      (long long)there, (long long)sizes[i].here);
  }
  uint64_t here = hash_of_names(model), there = here;
  ASP_ARCHIVE(archive, there);
  if (archive->error == ASP_OK && there != here)
    return asp_fail(archive->context, ASP_ERROR_INPUT,
                    "saved with another model: names of bodies, joints or inputs differ");
  return archive->error;
}

/* Options that change no step that both runs make. */
static bool may_differ(const AspField *field) {
  return field->offset == offsetof(AspRunOptions, until) || field->offset == offsetof(AspRunOptions, threads) ||
         field->offset == offsetof(AspRunOptions, step_budget);
}

static double number_of(const AspField *field, const AspRunOptions *options) {
  const char *at = (const char *)options + field->offset;
  if (field->type == ASP_FIELD_REAL)
    return *(const double *)at;
  return field->type == ASP_FIELD_FLAG ? *(const bool *)at : *(const int *)at;
}

static const char *print_number(const AspField *field, double number, char text[ASP_LABEL_BYTES]) {
  if (field->type == ASP_FIELD_CHOICE && number >= field->low && number <= field->high)
    return field->choices[(int)number];
  snprintf(text, ASP_LABEL_BYTES, "%.15g", number);
  return text;
}

static AspError archive_options(const AspRunOptions *options, AspArchive *archive) {
  const AspField *fields = asp_run_fields();
  for (int i = 0; i < asp_run_field_count(); i++) {
    char text[2][ASP_LABEL_BYTES];
    double here = number_of(&fields[i], options), there = here;
    ASP_ARCHIVE(archive, there);
    if (archive->error == ASP_OK && !may_differ(&fields[i]) && here != there)
      return asp_fail(archive->context, ASP_ERROR_INPUT, "saved with the option %s %s, here it is %s", fields[i].key,
                      print_number(&fields[i], there, text[0]), print_number(&fields[i], here, text[1]));
  }
  return archive->error;
}

/* ---- the parts ---- */

static AspError make_stronger(void *user, AspSolver **solver) {
  (void)solver; // the world's own
  return asp_world_need_stronger(user);
}

static AspError archive_solvers(AspWorld *world, AspArchive *archive) {
  WorldSolvers *solvers = &world->solvers;
  ASP_TRY(asp_solver_archive(archive, solvers->chosen));
  if (solvers->projector)
    ASP_TRY(asp_solver_archive(archive, solvers->projector));
  if (solvers->sharp)
    ASP_TRY(asp_solver_archive(archive, solvers->sharp));
  return asp_solver_archive_late(archive, &solvers->stronger, make_stronger, world);
}

static AspError archive_clock(AspWorld *world, AspArchive *archive) {
  StepClock *clock = &world->clock;
  ASP_ARCHIVE(archive, clock->step);
  ASP_ARCHIVE(archive, clock->grid);
  ASP_ARCHIVE(archive, clock->grid_dt);
  ASP_ARCHIVE(archive, clock->grid_rest);
  ASP_ARCHIVE(archive, clock->rules);
  ASP_ARCHIVE(archive, clock->off_grid);
  return asp_control_archive(world, archive);
}

static AspError archive_so_far(AspWorld *world, AspArchive *archive) {
  RunSoFar *so_far = &world->so_far;
  ASP_ARCHIVE(archive, so_far->consistent);
  ASP_ARCHIVE(archive, so_far->normal_most);
  ASP_ARCHIVE(archive, so_far->drives.known);
  ASP_ARCHIVE(archive, so_far->drives.any);
  ASP_ARCHIVE(archive, so_far->drives.again);
  ASP_ARCHIVE(archive, so_far->drives.pause);
  return asp_sharing_archive(&so_far->sharing, archive, world->choice.make_solver, world->choice.world);
}

/* Pairs that callers took out; the search is told where they differ from those it has. */
static AspError archive_filters(AspWorld *world, AspArchive *archive) {
  ContactSearch *search = &world->search;
  uint64_t before =
      asp_hash_bytes(ASP_HASH_START, search->untouched, sizeof *search->untouched * (size_t)search->untouched_count);
  ASP_ARCHIVE_LIST(archive, search->untouched, search->untouched_capacity, search->untouched_count);
  uint64_t after =
      asp_hash_bytes(ASP_HASH_START, search->untouched, sizeof *search->untouched * (size_t)search->untouched_count);
  return archive->error == ASP_OK && before != after ? asp_world_apply_filters(world) : archive->error;
}

AspError asp_world_archive(AspWorld *world, AspArchive *archive) {
  if (archive->reading)
    asp_world_prepare_work(world, world->options.dt);
  asp_state_archive(archive, world->model, &world->state);
  asp_state_archive(archive, world->model, &world->before);
  ASP_TRY(archive_clock(world, archive));
  ASP_TRY(asp_frames_archive(&world->frames, archive));
  ASP_TRY(asp_warm_archive(&world->warm, archive, world->frames.list[1 - world->frames.now]));
  ASP_TRY(asp_uniqueness_archive(&world->uniqueness, archive));
  ASP_TRY(asp_watch_archive(&world->watch, archive));
  ASP_TRY(asp_records_archive(&world->records, &world->arena, world->model, archive));
  ASP_TRY(asp_balance_archive(&world->balance, archive));
  ASP_TRY(asp_resolution_archive(&world->resolution, world->model, archive));
  ASP_TRY(asp_warnings_archive(&world->warnings, archive));
  ASP_TRY(archive_so_far(world, archive));
  ASP_TRY(archive_filters(world, archive));
  asp_archive_text(archive, &world->so_far.callers.stop_reason);
  ASP_TRY(archive_solvers(world, archive));
  if (world->scheme->archive)
    ASP_TRY(world->scheme->archive(&world->host, world->scheme_run, archive));
  return archive->error;
}

AspError asp_world_keep(AspWorld *world, AspContext *owner, bool rewinds, WorldBytes *saved) {
  for (;;) {
    AspArchive archive = {
        .context = world->context, .rewinds = rewinds, .bytes = saved->bytes, .size = saved->capacity};
    ASP_TRY(asp_world_archive(world, &archive));
    saved->size = archive.at;
    if (archive.at <= saved->capacity)
      return ASP_OK;
    asp_context_lock(owner);
    AspError error = ASP_GROW(owner, saved->bytes, saved->capacity, archive.at);
    asp_context_unlock(owner);
    ASP_TRY(error);
  }
}

AspError asp_world_put_back(AspWorld *world, bool rewinds, const WorldBytes *saved) {
  AspArchive archive = {.context = world->context,
                        .reading = true,
                        .rewinds = rewinds,
                        .bytes = saved->bytes, // only read
                        .size = saved->size};
  return asp_world_archive(world, &archive);
}

static AspError archive_all(AspWorld *world, AspArchive *archive) {
  ASP_TRY(archive_model(world->model, archive));
  ASP_TRY(archive_options(&world->options, archive));
  return asp_world_archive(world, archive);
}

AspError asp_world_save(AspWorld *world, void *bytes, size_t room, size_t *size) {
  SaveHeader header = {SAVE_MARK, SAVE_VERSION, 0, 0};
  AspArchive archive = {.context = world->context, .bytes = bytes, .size = bytes ? room : 0, .at = sizeof header};
  *size = 0;
  ASP_TRY(archive_all(world, &archive));
  *size = archive.at;
  if (!bytes || archive.at > room)
    return bytes ? asp_fail(world->context, ASP_ERROR_ARGUMENT,
                            "the saved world needs %zu bytes, there is room for %zu", archive.at, room)
                 : ASP_OK;
  header.size = archive.at;
  header.checksum = checksum((unsigned char *)bytes + sizeof header, archive.at - sizeof header);
  memcpy(bytes, &header, sizeof header);
  return ASP_OK;
}

static AspError check_header(AspContext *context, const unsigned char *bytes, size_t size) {
  SaveHeader header = {0};
  if (size >= sizeof header)
    memcpy(&header, bytes, sizeof header);
  if (header.mark != SAVE_MARK)
    return asp_fail(context, ASP_ERROR_INPUT, "this is not a saved world");
  if (header.version != SAVE_VERSION)
    return asp_fail(context, ASP_ERROR_UNSUPPORTED,
                    "the world was saved in version %llu of the format; this library "
                    "reads version %d: run the scene again from its start",
                    (unsigned long long)header.version, SAVE_VERSION);
  if (header.size != size)
    return asp_fail(context, ASP_ERROR_INPUT, "the saved world is damaged: %zu bytes in place of %llu", size,
                    (unsigned long long)header.size);
  if (header.checksum != checksum(bytes + sizeof header, size - sizeof header))
    return asp_fail(context, ASP_ERROR_INPUT, "the saved world is damaged: its checksum is wrong");
  return ASP_OK;
}

AspError asp_world_restore(AspWorld *world, const void *bytes, size_t size) {
  AspArchive archive = {.context = world->context,
                        .reading = true,
                        .bytes = (unsigned char *)bytes, // only read
                        .size = size,
                        .at = sizeof(SaveHeader)};
  ASP_TRY(check_header(world->context, bytes, size));
  ASP_TRY(archive_model(world->model, &archive));
  ASP_TRY(archive_options(&world->options, &archive));
  return asp_world_archive(world, &archive);
}
