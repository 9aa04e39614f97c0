/* Checkpoints: see checkpoint.h. */
#include "checkpoint.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PATH_SIZE 4096
#define MARK      "ASPCHECK"
#define VERSION   4 /* grows when the file holds something else */

typedef struct Header {
  char mark[8];
  uint64_t version, size, checksum;
} Header;

/* Bytes that grow while they are written, or are read from the start. */
typedef struct Bytes {
  unsigned char *data;
  size_t size, at, room;
  bool reading, failed;
} Bytes;

static uint64_t hash_of(const unsigned char *bytes, size_t size) {
  uint64_t hash = UINT64_C(0xcbf29ce484222325); // FNV-1a
  for (size_t i = 0; i < size; i++)
    hash = (hash ^ bytes[i]) * UINT64_C(0x100000001b3);
  return hash;
}

static uint64_t hash_of_text(const char *text) { return hash_of((const unsigned char *)text, strlen(text)); }

/* "HASH PATH" in a line for each file that the scene depends on; NULL: out of memory. */
static char *list_files(const AspScene *scene) {
  size_t size = 1, at = 0;
  for (int i = 0; i < scene->file_count; i++)
    size += strlen(scene->file[i].hash) + strlen(scene->file[i].path) + 2;
  char *list = calloc(size, 1);
  for (int i = 0; list && i < scene->file_count; i++)
    at += (size_t)snprintf(list + at, size - at, "%s %s\n", scene->file[i].hash, scene->file[i].path);
  return list;
}

int checkpoint_check(const Session *session, const Checkpoint *checkpoint, const AspScene *scene) {
  if (hash_of_text(scene->text) != checkpoint->scene_hash)
    return session_fail(session, EXIT_USAGE,
                        "%s: the scene has changed since the run began; put it back, or start the run again",
                        checkpoint->scene);
  const char *then = checkpoint->files;
  for (int i = 0; i < scene->file_count; i++) { // the same text names the same files, in the same order
    const AspSceneFile *file = &scene->file[i];
    const char *end = strchr(then, '\n');
    size_t digits = strlen(file->hash);
    if (!end || strncmp(then, file->hash, digits) != 0)
      return session_fail(session, EXIT_USAGE,
                          "%s: the file, which the scene %s names, has changed since the run began; put it back, or "
                          "start the run again",
                          file->path, checkpoint->scene);
    then = end + 1;
  }
  return EXIT_DONE;
}

/* ---- one list of fields for both directions ---- */

static void bytes_of(Bytes *bytes, void *value, size_t size) {
  if (bytes->failed)
    return;
  if (bytes->reading) {
    bytes->failed = size > bytes->size - bytes->at;
    if (!bytes->failed)
      memcpy(value, bytes->data + bytes->at, size);
    bytes->at += bytes->failed ? 0 : size;
    return;
  }
  if (bytes->at + size > bytes->room) {
    size_t room = 2 * (bytes->at + size);
    unsigned char *data = realloc(bytes->data, room);
    bytes->failed = !data;
    if (!data)
      return;
    bytes->data = data;
    bytes->room = room;
  }
  memcpy(bytes->data + bytes->at, value, size);
  bytes->at += size;
}

static void text_of(Bytes *bytes, const char **text) {
  uint64_t length = bytes->reading ? 0 : strlen(*text) + 1;
  bytes_of(bytes, &length, sizeof length);
  if (!bytes->reading) {
    bytes_of(bytes, (char *)*text, (size_t)length);
    return;
  }
  bytes->failed =
      bytes->failed || length == 0 || length > bytes->size - bytes->at || bytes->data[bytes->at + length - 1] != '\0';
  *text = bytes->failed ? "" : (const char *)bytes->data + bytes->at;
  bytes->at += bytes->failed ? 0 : (size_t)length;
}

static void fields_of(Bytes *bytes, Checkpoint *checkpoint) {
  const char *scene = checkpoint->scene;
  uint64_t world_size = checkpoint->world_size, probes_size = checkpoint->probes_size;
  text_of(bytes, &scene);
  checkpoint->scene = (char *)scene;
  bytes_of(bytes, &checkpoint->scene_hash, sizeof checkpoint->scene_hash);
  text_of(bytes, &checkpoint->files);
  bytes_of(bytes, &checkpoint->settings.count, sizeof checkpoint->settings.count);
  bytes->failed = bytes->failed || checkpoint->settings.count < 0 || checkpoint->settings.count > FLAG_REPEATS_MAX;
  for (int i = 0; !bytes->failed && i < checkpoint->settings.count; i++)
    text_of(bytes, &checkpoint->settings.text[i]);
  bytes_of(bytes, &checkpoint->options, sizeof checkpoint->options);
  bytes_of(bytes, &checkpoint->mark, sizeof checkpoint->mark);
  bytes_of(bytes, &checkpoint->summary, sizeof checkpoint->summary);
  bytes_of(bytes, &world_size, sizeof world_size);
  bytes_of(bytes, &probes_size, sizeof probes_size);
  checkpoint->world_size = (size_t)world_size;
  checkpoint->probes_size = (size_t)probes_size;
}

/* What later code relies on (a run that its scene has stopped is not resumed). Addresses of the process that wrote it
 * mean nothing here. */
static bool summary_is_sound(SimulationSummary *summary) {
  unsigned char impossible; // a byte of a file may be no bool
  memcpy(&impossible, &summary->impossible, sizeof impossible);
  summary->probes = NULL;
  return impossible <= 1 && summary->dump_count >= 0 && summary->dump_count <= DUMPS_MAX && summary->stopped == -1 &&
         memchr(summary->from, '\0', sizeof summary->from) != NULL;
}

/* ---- files ---- */

static bool path_of(const char *result, const char *ending, char *path) {
  int written = snprintf(path, PATH_SIZE, "%s.checkpoint%s", result, ending);
  return written > 0 && written < PATH_SIZE;
}

static int fail_file(const Session *session, const char *path) {
  return session_fail(session, EXIT_FAILED, "%s: %s", path, errno ? strerror(errno) : "cannot be written");
}

static int write_file(const Session *session, const char *result, const Bytes *bytes) {
  char path[PATH_SIZE], part[PATH_SIZE];
  if (!path_of(result, "", path) || !path_of(result, ".part", part))
    return session_fail(session, EXIT_USAGE, "%s: the name of the result is too long", result);
  errno = 0;
  FILE *file = fopen(part, "wb");
  if (!file)
    return fail_file(session, part);
  bool good = fwrite(bytes->data, 1, bytes->at, file) == bytes->at;
  good = fclose(file) == 0 && good;
  return good && rename(part, path) == 0 ? EXIT_DONE : fail_file(session, part);
}

int checkpoint_write(const Session *session, const SimulationOutput *output, const AspScene *scene, AspWorld *world,
                     AspResultWriter *writer, const SimulationSummary *summary) {
  Header header = {.version = VERSION};
  Bytes bytes = {0};
  char *files = list_files(scene);
  Checkpoint checkpoint = {
      .scene = (char *)output->scene, .scene_hash = hash_of_text(scene->text), .files = files ? files : ""};
  if (output->settings)
    checkpoint.settings = *output->settings;
  checkpoint.options = *asp_world_options(world);
  checkpoint.summary = *summary;
  AspError error = asp_result_mark(writer, &checkpoint.mark);
  if (error == ASP_OK)
    error = asp_world_save(world, NULL, 0, &checkpoint.world_size);
  if (error == ASP_OK)
    error = asp_probes_save(summary->probes, NULL, 0, &checkpoint.probes_size);
  if (error != ASP_OK) {
    free(files);
    return session_fail(session, EXIT_FAILED, "%s", asp_context_message(session->context));
  }
  bytes_of(&bytes, &header, sizeof header);
  fields_of(&bytes, &checkpoint);
  bytes.failed = bytes.failed || !files;
  free(files);
  size_t size = checkpoint.world_size + checkpoint.probes_size;
  unsigned char *saved = malloc(size);
  if (saved && asp_world_save(world, saved, checkpoint.world_size, &checkpoint.world_size) == ASP_OK &&
      asp_probes_save(summary->probes, saved + checkpoint.world_size, checkpoint.probes_size,
                      &checkpoint.probes_size) == ASP_OK)
    bytes_of(&bytes, saved, size);
  bool failed = !saved || bytes.failed;
  free(saved);
  int code = EXIT_DONE;
  if (failed) {
    code = session_fail(session, EXIT_FAILED, "checkpoint: out of memory");
  } else {
    memcpy(header.mark, MARK, sizeof header.mark);
    header.size = bytes.at;
    header.checksum = hash_of(bytes.data + sizeof header, bytes.at - sizeof header);
    memcpy(bytes.data, &header, sizeof header);
    code = write_file(session, output->result, &bytes);
  }
  free(bytes.data);
  return code;
}

static unsigned char *read_whole(const char *path, size_t *size) {
  FILE *file = fopen(path, "rb");
  unsigned char *data = NULL;
  long length = -1;
  if (file && fseek(file, 0, SEEK_END) == 0)
    length = ftell(file);
  if (length >= 0 && fseek(file, 0, SEEK_SET) == 0)
    data = malloc((size_t)length + 1);
  if (data && fread(data, 1, (size_t)length, file) != (size_t)length) {
    free(data);
    data = NULL;
  }
  if (file)
    fclose(file);
  *size = data ? (size_t)length : 0;
  return data;
}

/* NULL: the file is whole; otherwise what is wrong. */
static const char *look_at(const Bytes *bytes) {
  Header header = {0};
  if (bytes->size >= sizeof header)
    memcpy(&header, bytes->data, sizeof header);
  if (memcmp(header.mark, MARK, sizeof header.mark) != 0)
    return "this is not a checkpoint";
  if (header.version != VERSION)
    return "the checkpoint is of another version of the program: start the run again";
  if (header.size != bytes->size ||
      header.checksum != hash_of(bytes->data + sizeof header, bytes->size - sizeof header))
    return "the checkpoint is damaged: start the run again";
  return NULL;
}

int checkpoint_read(const Session *session, const char *result, Checkpoint *checkpoint) {
  char path[PATH_SIZE];
  Bytes bytes = {.reading = true, .at = sizeof(Header)};
  *checkpoint = (Checkpoint){0};
  if (!path_of(result, "", path))
    return session_fail(session, EXIT_USAGE, "%s: the name of the result is too long", result);
  if (access(path, F_OK) != 0)
    return session_fail(session, EXIT_USAGE,
                        "%s: there is no %s beside it: the run has ended, or it is no result of run", result, path);
  bytes.data = checkpoint->file = read_whole(path, &bytes.size);
  if (!bytes.data)
    return session_fail(session, EXIT_USAGE, "%s: cannot be read", path);
  const char *wrong = look_at(&bytes);
  if (!wrong) {
    fields_of(&bytes, checkpoint);
    size_t left = bytes.size - bytes.at;
    checkpoint->world = bytes.data + bytes.at;
    if (bytes.failed || !summary_is_sound(&checkpoint->summary) || checkpoint->world_size > left ||
        checkpoint->probes_size != left - checkpoint->world_size)
      wrong = "the checkpoint is of another version of the program: start the run again";
    else
      checkpoint->probes = checkpoint->world + checkpoint->world_size;
  }
  if (wrong)
    checkpoint_free(checkpoint);
  return wrong ? session_fail(session, EXIT_USAGE, "%s: %s", path, wrong) : EXIT_DONE;
}

void checkpoint_free(Checkpoint *checkpoint) {
  free(checkpoint->file);
  *checkpoint = (Checkpoint){0};
}

void checkpoint_remove(const char *result) {
  char path[PATH_SIZE];
  if (path_of(result, "", path))
    remove(path);
}
