/* An attempt that is put aside while others are made from the same state, and taken back where it is the better one:
 * without that it would have to be made again. What an attempt leaves is on the world's arena, which is exchanged, and
 * in the lists of contacts and frames; the scheme's memory is that of the start of the step as long as no attempt is
 * accepted (error_control.c). */
#include "world/world_data.h"

/* The arena and the list of frames that are in use, and the spare ones. */
static void exchange_rooms(AspWorld *world, KeptAttempt *kept) {
  ContactFrames *frames = &world->frames;
  AspArena arena = world->arena;
  AspContactFrame *list = frames->list[frames->now];
  size_t capacity = frames->capacity[frames->now];
  world->arena = kept->arena;
  kept->arena = arena;
  frames->list[frames->now] = kept->frames;
  kept->frames = list;
  frames->capacity[frames->now] = kept->frame_capacity;
  kept->frame_capacity = capacity;
}

AspError asp_attempt_put_aside(AspWorld *world, KeptName name) {
  KeptAttempt *kept = &world->clock.control->kept[name];
  int count = world->work.frame_count;
  AspContact *found = ASP_TAKE_UNCLEARED(&world->arena, AspContact, count);
  if (!found)
    return ASP_ERROR_MEMORY;
  for (int i = 0; i < count; i++)
    found[i] = world->search.found[i];
  asp_state_copy(world->model, &world->state, &kept->end);
  kept->found = found;
  kept->work = world->work;
  kept->last = world->warm.last;
  kept->rest = world->warm.rest;
  kept->match = world->warm.match;
  kept->key = world->warm.key;
  kept->penetration = world->frames.penetration;
  kept->deep = world->frames.deep;
  kept->alternatives = world->uniqueness.alternatives;
  kept->sharing = world->so_far.sharing.chosen;
  exchange_rooms(world, kept);
  return ASP_OK;
}

void asp_attempt_take_back(AspWorld *world, KeptName name) {
  ErrorControl *control = world->clock.control;
  KeptAttempt *kept = &control->kept[name];
  exchange_rooms(world, kept);
  asp_state_copy(world->model, &control->start, &world->before);
  asp_state_copy(world->model, &kept->end, &world->state);
  world->search.found = kept->found;
  world->work = kept->work;
  world->warm.last = kept->last; // what it keeps of the last step was not touched
  world->warm.rest = kept->rest;
  world->warm.match = kept->match;
  world->warm.key = kept->key;
  world->frames.penetration = kept->penetration;
  world->frames.deep = kept->deep;
  world->uniqueness.alternatives = kept->alternatives;
  world->so_far.sharing.chosen = kept->sharing;
}

AspError asp_attempts_reserve(AspWorld *world, int contacts) {
  ErrorControl *control = world->clock.control;
  size_t high_water = world->arena.high_water + (size_t)contacts * sizeof(AspContact);
  for (int k = 0; control && control->locating.on && k < ATTEMPTS_KEPT; k++) {
    KeptAttempt *kept = &control->kept[k];
    // as much as an arena has after its reset
    ASP_TRY(asp_arena_reserve(&kept->arena, high_water + high_water / 4));
    ASP_TRY(ASP_GROW(world->context, kept->frames, kept->frame_capacity, contacts));
  }
  return ASP_OK;
}
