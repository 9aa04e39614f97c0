/* Warm start: the reactions of the last step, found again by what their blocks mean: role and joint, or the contact's
 * pair of shapes and feature. Contacts come sorted, so that a merge of the two lists finds every old one. A reaction
 * is kept as a vector in world coordinates: the tangents of a frame jump where its normal is near an axis, and the
 * normal of two faces changes from one to the other.
 *
 * A second start: the reactions r that are expected at rest. A step that stops a velocity needs impulses for that,
 * which the next step must not repeat. Where r_(k-1) was used for n steps, during which the velocity v grew from zero,
 * and r_k stopped it,
 *
 *   M v = n H (r_(k-1) - r),   0 = M v + H (r_k - r)   =>   r = r_(k-1) + (r_k - r_(k-1)) / (n + 1)
 */
#include "world/warm_start.h"
#include "base/parallel.h"
#include "linalg/vec3.h"
#include "world/contact_search.h"
#include "world/tuning/world.h"

#include <math.h>

/* Blocks of joints are not sorted, but come in about the same order in every step: the search goes round from where the
 * last one ended. */
static int find_of_joint(const WarmStore *store, const AspBlockKey *key, int *at) {
  int count = store->contacts_from;
  for (int k = 0, i = *at < count ? *at : 0; k < count; k++, i = i + 1 < count ? i + 1 : 0)
    if (asp_block_key_compare(&store->key[i], key) == 0) {
      *at = i + 1;
      return i;
    }
  return -1;
}

/* Contacts are sorted in both lists: the search goes on from *at. */
static int find(const WarmStore *store, const AspBlockKey *key, int *at) {
  if (!asp_role_is_of_contact((AspBlockRole)key->role))
    return find_of_joint(store, key, at);
  *at = *at > store->contacts_from ? *at : store->contacts_from;
  int order = -1;
  while (*at < store->count && (order = asp_block_key_compare(&store->key[*at], key)) < 0)
    ++*at;
  return *at < store->count && order == 0 ? *at : -1;
}

int asp_warm_find(const WarmStart *warm, const AspBlockKey *key) {
  const WarmStore *store = &warm->store;
  int low = store->contacts_from, high = store->count;
  while (low < high) {
    int middle = low + (high - low) / 2;
    bool below = asp_block_key_compare(&store->key[middle], key) < 0;
    low = below ? middle + 1 : low;
    high = below ? high : middle;
  }
  return low < store->count && asp_block_key_compare(&store->key[low], key) == 0 ? low : -1;
}

/* The block has directions in space: three rows of a contact, of which r makes an impulse or a moment. */
static bool has_axes(AspBlockRole role, int rows) {
  return role >= ASP_ROLE_CONTACT && role != ASP_ROLE_SPINNING && rows == 3;
}

/* The directions of its rows, as long as r makes impulses of them; zero: the row is a load. */
static void find_axes(AspBlockRole role, const AspContactFrame *frame, AspVec3 axes[3]) {
  bool torque = role == ASP_ROLE_ROLLING;
  axes[0] = role == ASP_ROLE_CONTACT ? frame->normal : vec3(0, 0, 0); // the first row of the others is a load
  axes[1] = scale3(torque ? 1 : frame->stretch[0], frame->t1);
  axes[2] = scale3(torque ? 1 : frame->stretch[1], frame->t2);
}

/* The reaction r of an old block in the directions of a new one; its friction stays within mu of its normal force.
 * square: of the lengths of the new axes. */
static void turn_reaction(const AspVec3 old[3], const AspVec3 axes[3], const double square[3], double mu, double *r) {
  AspVec3 reaction = add3(scale3(r[0], old[0]), add3(scale3(r[1], old[1]), scale3(r[2], old[2])));
  if (square[0] > 0)
    r[0] = fmax(dot3(reaction, axes[0]), 0);
  r[1] = dot3(reaction, axes[1]) / square[1];
  r[2] = dot3(reaction, axes[2]) / square[2];
  double friction = sqrt(r[1] * r[1] + r[2] * r[2]), most = mu * r[0];
  for (int k = 1; friction > most && k < 3; k++)
    r[k] *= most / friction;
}

/* The block of the store that means the same as block b, -1: none. */
static int find_block(const WarmStart *warm, const AspFormulation *formulation, int b, const AspBlockKey *key,
                      int *at) {
  const WarmStore *store = &warm->store;
  if (store->count == 0)
    return -1;
  int found = find(store, key, at), rows = formulation->offset[b + 1] - formulation->offset[b];
  return found >= 0 && store->offset[found + 1] - store->offset[found] == rows ? found : -1;
}

/* Block `found` of the store in the directions of block b: the last reaction, and the one expected at rest. Returns how
 * far the contact's point has moved. */
static AspVec3 recall(const WarmStart *warm, const AspFormulation *formulation, int b, int found, double *last,
                      double *rest) {
  const WarmStore *store = &warm->store;
  double scale = store->dt > 0 ? warm->view->work->dt / store->dt : 0;
  int count = formulation->offset[b + 1] - formulation->offset[b], from = store->offset[found];
  int span = store->age[found].span;
  for (int k = 0; k < count; k++) {
    last[k] = scale * store->r[from + k];
    rest[k] = scale * store->earlier[from + k];
    rest[k] = span > 0 ? rest[k] + (last[k] - rest[k]) / (span + 1) : last[k];
  }
  AspBlockRole role = formulation->tag[b].role;
  if (!has_axes(role, count))
    return vec3(0, 0, 0);
  const AspContactFrame *frame = &warm->view->work->frames[formulation->tag[b].index];
  const AspContactFrame *before = &store->frames[store->index[found]];
  AspVec3 axes[3], old[3];
  find_axes(role, frame, axes);
  find_axes(role, before, old);
  double square[3] = {dot3(axes[0], axes[0]), dot3(axes[1], axes[1]), dot3(axes[2], axes[2])};
  if (square[1] > 0 && square[2] > 0) {
    turn_reaction(old, axes, square, formulation->law[b].mu, last);
    turn_reaction(old, axes, square, formulation->law[b].mu, rest);
  }
  return sub3(frame->point, before->point);
}

/* The loaded contacts of one pair of bodies, seen along the normal of the first of them. */
typedef struct PairContacts {
  const AspContactFrame *frames;
  const AspFormulation *formulation;
  int first, end; /* blocks */
  AspVec3 normal, t1, t2, centre;
} PairContacts;

static AspVec3 arm_in_pair(const PairContacts *pair, int b) {
  return sub3(pair->frames[pair->formulation->tag[b].index].point, pair->centre);
}

/* False when fewer than three contacts are loaded. */
static bool find_centre(PairContacts *pair, const double *r) {
  int loaded = 0;
  AspVec3 sum = vec3(0, 0, 0);
  for (int b = pair->first; b < pair->end; b++)
    if (r[pair->formulation->offset[b]] > 0) {
      sum = add3(sum, arm_in_pair(pair, b));
      loaded++;
    }
  pair->centre = scale3(loaded > 0 ? 1.0 / loaded : 0, sum);
  return loaded >= 3;
}

/* Add `turn` n x arm, and along the normal slope . arm, to the force of each loaded contact. */
static void add_to_pair(const PairContacts *pair, AspVec3 slope, double turn, double *r) {
  for (int b = pair->first; b < pair->end; b++) {
    const AspContactFrame *frame = &pair->frames[pair->formulation->tag[b].index];
    double *of_block = &r[pair->formulation->offset[b]];
    AspVec3 arm = arm_in_pair(pair, b), across = scale3(turn, cross3(pair->normal, arm));
    if (!(of_block[0] > 0))
      continue;
    of_block[0] = fmax(of_block[0] + dot3(slope, arm), 0);
    of_block[1] += dot3(across, frame->t1) / frame->stretch[0];
    of_block[2] += dot3(across, frame->t2) / frame->stretch[1];
  }
}

/* Contacts of one pair whose points moved by `moved`: forces that keep their sum and their moments, the least change
 * that does. Crossings of edges that are nearly parallel run far when the bodies hardly move, and the same forces at
 * other points turn them: held for some steps, that grows by a factor in each. */
static void keep_moments(PairContacts *pair, const AspVec3 *moved, double *r) {
  double xx = 0, xy = 0, yy = 0, mx = 0, my = 0, mz = 0;
  pair->centre = vec3(0, 0, 0);
  if (!find_centre(pair, r))
    return;
  for (int b = pair->first; b < pair->end; b++) {
    const AspContactFrame *frame = &pair->frames[pair->formulation->tag[b].index];
    const double *of_block = &r[pair->formulation->offset[b]];
    AspVec3 arm = arm_in_pair(pair, b);
    double x = dot3(arm, pair->t1), y = dot3(arm, pair->t2);
    if (!(of_block[0] > 0))
      continue;
    xx += x * x;
    xy += x * y;
    yy += y * y;
    mx += of_block[0] * dot3(moved[b], pair->t1);
    my += of_block[0] * dot3(moved[b], pair->t2);
    AspVec3 friction =
        add3(scale3(frame->stretch[0] * of_block[1], frame->t1), scale3(frame->stretch[1] * of_block[2], frame->t2));
    mz += dot3(cross3(moved[b], friction), pair->normal);
  }
  double determinant = xx * yy - xy * xy;
  if (!(determinant > WARM_START_FLAT * (xx + yy) * (xx + yy)))
    return;
  AspVec3 slope =
      add3(scale3((xy * my - yy * mx) / determinant, pair->t1), scale3((xy * mx - xx * my) / determinant, pair->t2));
  add_to_pair(pair, slope, -mz / (xx + yy), r);
}

/* What the last steps say about the present one: their reactions, and those expected at rest; zeros on entry. */
typedef struct Guess {
  const WarmStart *warm;
  const AspFormulation *formulation;
  int *match;       /* blocks: see match_blocks */
  AspBlockKey *key; /* the same */
  AspVec3 *moved;
  double *last, *rest;
} Guess;

/* Do two blocks belong to contacts of the same pair of shapes, b with three rows? */
static bool are_of_one_pair(const Guess *guess, int a, int b) {
  const AspBlockKey *first = &guess->key[a], *second = &guess->key[b];
  return second->role == ASP_ROLE_CONTACT && first->first == second->first && first->second == second->second &&
         guess->formulation->offset[b + 1] - guess->formulation->offset[b] == 3;
}

/* Is block b the first of its pair's? */
static bool begins_pair(const Guess *guess, int b) {
  const int *offset = guess->formulation->offset;
  return guess->key[b].role == ASP_ROLE_CONTACT && offset[b + 1] - offset[b] == 3 &&
         !(b > 0 && guess->key[b - 1].role == ASP_ROLE_CONTACT && offset[b] - offset[b - 1] == 3 &&
           are_of_one_pair(guess, b - 1, b));
}

/* Contacts of one pair, of which block b is the first: forces that keep their moments. */
static void settle_pair(const Guess *guess, int b) {
  const AspFormulation *formulation = guess->formulation;
  int end = b + 1;
  while (end < formulation->blocks && are_of_one_pair(guess, b, end))
    end++;
  if (end - b < 3)
    return;
  const AspContactFrame *frames = guess->warm->view->work->frames, *frame = &frames[formulation->tag[b].index];
  PairContacts pair = {.frames = frames,
                       .formulation = formulation,
                       .first = b,
                       .end = end,
                       .normal = frame->normal,
                       .t1 = frame->t1,
                       .t2 = frame->t2};
  keep_moments(&pair, guess->moved, guess->last);
  keep_moments(&pair, guess->moved, guess->rest);
}

static void recall_blocks(void *data, int from, int end) {
  const Guess *guess = data;
  for (int b = from; b < end; b++) {
    int found = guess->match[b], first = guess->formulation->offset[b];
    guess->moved[b] = found >= 0
                          ? recall(guess->warm, guess->formulation, b, found, guess->last + first, guess->rest + first)
                          : vec3(0, 0, 0);
  }
}

static void settle_pairs(void *data, int from, int end) {
  const Guess *guess = data;
  for (int b = from; b < end; b++)
    if (begins_pair(guess, b))
      settle_pair(guess, b);
}

/* Where the search for block b begins: of a contact at the first of the store whose key is not below its own. */
static int first_of_store(const WarmStart *warm, const AspFormulation *formulation, int b) {
  const WarmStore *store = &warm->store;
  AspBlockKey key = asp_block_key(&formulation->tag[b], warm->view->search->found);
  int low = store->contacts_from, high = store->count;
  if (!asp_role_is_of_contact(formulation->tag[b].role))
    return b;
  while (low < high) {
    int middle = low + (high - low) / 2;
    if (asp_block_key_compare(&store->key[middle], &key) < 0)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

static void match_rounds(void *data, int from, int end) {
  const Guess *guess = data;
  int at = first_of_store(guess->warm, guess->formulation, from);
  for (int b = from; b < end; b++) {
    guess->key[b] = asp_block_key(&guess->formulation->tag[b], guess->warm->view->search->found);
    guess->match[b] = find_block(guess->warm, guess->formulation, b, &guess->key[b], &at);
  }
}

/* What each block means, and the block of the store that means the same, on the arena. */
static AspError match_blocks(WarmStart *warm, const AspFormulation *formulation, int **match, AspBlockKey **key) {
  *match = ASP_TAKE_UNCLEARED(warm->view->arena, int, formulation->blocks);
  *key = ASP_TAKE_UNCLEARED(warm->view->arena, AspBlockKey, formulation->blocks);
  if (!*match || !*key)
    return ASP_ERROR_MEMORY;
  Guess guess = {.warm = warm, .formulation = formulation, .match = *match, .key = *key};
  asp_parallel_for(warm->view->context, formulation->blocks, WARM_START_GRAIN, match_rounds, &guess);
  return ASP_OK;
}

static AspError expect_matched(WarmStart *warm, const AspFormulation *formulation, int *match, AspBlockKey *key,
                               double *r, double *other) {
  AspVec3 *moved = ASP_TAKE_UNCLEARED(warm->view->arena, AspVec3, formulation->blocks);
  if (!moved)
    return ASP_ERROR_MEMORY;
  Guess guess = {
      .warm = warm, .formulation = formulation, .match = match, .key = key, .moved = moved, .last = r, .rest = other};
  if (warm->store.count > 0) {
    asp_parallel_for(warm->view->context, formulation->blocks, WARM_START_GRAIN, recall_blocks, &guess);
    asp_parallel_for(warm->view->context, formulation->blocks, WARM_START_GRAIN, settle_pairs, &guess);
  }
  return ASP_OK;
}

AspError asp_warm_expect(WarmStart *warm, const AspFormulation *formulation, double *r, double *other) {
  int *match;
  AspBlockKey *key;
  ASP_TRY(match_blocks(warm, formulation, &match, &key));
  return expect_matched(warm, formulation, match, key, r, other);
}

AspError asp_warm_guess(void *user, const AspFormulation *formulation, double *r, double *other) {
  WarmStart *warm = user;
  ASP_TRY(match_blocks(warm, formulation, &warm->match, &warm->key));
  ASP_TRY(expect_matched(warm, formulation, warm->match, warm->key, r, other));
  warm->last = ASP_TAKE_UNCLEARED(warm->view->arena, double, formulation->rows);
  warm->rest = other;
  if (!warm->last)
    return ASP_ERROR_MEMORY;
  memcpy(warm->last, r, (size_t)formulation->rows * sizeof *r);
  return ASP_OK;
}

/* How long the present reaction of a block has been the same as what the step was given; that of a new block into
 * `last`. */
static WarmAge follow_age(const WarmStart *warm, int b) {
  const AspFormulation *formulation = &warm->view->work->formulation;
  int found = warm->match[b], first = formulation->offset[b];
  size_t bytes = (size_t)(formulation->offset[b + 1] - first) * sizeof *warm->rest;
  WarmAge age = {1, 0};
  if (found < 0) {
    memcpy(warm->last + first, warm->view->work->r + first, bytes);
    return age;
  }
  const WarmAge *before = &warm->store.age[found];
  if (memcmp(warm->view->work->r + first, warm->rest + first, bytes) != 0)
    age.span = before->held;
  else if (before->span == 0)
    age.held = before->held + 1;
  return age;
}

/* The first block of a contact; all of them are joints': their number. */
static int first_contact(const AspFormulation *formulation) {
  int b = 0;
  while (b < formulation->blocks && !asp_role_is_of_contact(formulation->tag[b].role))
    b++;
  return b;
}

/* What is kept of a step, blocks. */
typedef struct Keeping {
  WarmStart *warm;
  WarmAge *age;
} Keeping;

static void follow_ages(void *data, int from, int end) {
  const Keeping *keeping = data;
  for (int b = from; b < end; b++)
    keeping->age[b] = follow_age(keeping->warm, b);
}

static void keep_blocks(void *data, int from, int end) {
  const Keeping *keeping = data;
  const WarmStart *warm = keeping->warm;
  const AspFormulation *formulation = &warm->view->work->formulation;
  const WarmStore *store = &warm->store;
  for (int b = from; b < end; b++) {
    int first = formulation->offset[b];
    size_t bytes = (size_t)(formulation->offset[b + 1] - first) * sizeof *store->r;
    store->key[b] = warm->key[b];
    store->offset[b + 1] = formulation->offset[b + 1];
    store->index[b] = formulation->tag[b].index;
    store->age[b] = keeping->age[b];
    if (bytes == 0)
      continue;
    memcpy(store->r + first, warm->view->work->r + first, bytes);
    memcpy(store->earlier + first, warm->last + first, bytes);
  }
}

AspError asp_warm_store(WarmStart *warm, const AspContactFrame *frames) {
  const AspFormulation *formulation = &warm->view->work->formulation;
  WarmStore *store = &warm->store;
  size_t blocks = (size_t)formulation->blocks, rows = (size_t)formulation->rows;
  WarmAge *age = ASP_TAKE_UNCLEARED(warm->view->arena, WarmAge, blocks);
  if (!age)
    return ASP_ERROR_MEMORY;
  if (!warm->last) { // the step was a cold start
    double *r = ASP_TAKE(warm->view->arena, double, rows), *other = ASP_TAKE(warm->view->arena, double, rows);
    if (!r || !other)
      return ASP_ERROR_MEMORY;
    ASP_TRY(asp_warm_guess(warm, formulation, r, other));
  }
  Keeping keeping = {warm, age};
  asp_parallel_for(warm->view->context, formulation->blocks, WARM_START_GRAIN, follow_ages, &keeping);
  ASP_TRY(asp_warm_reserve(warm, formulation->blocks, formulation->rows));
  store->count = formulation->blocks;
  store->contacts_from = first_contact(formulation);
  store->dt = warm->view->work->dt;
  store->offset[0] = 0;
  asp_parallel_for(warm->view->context, formulation->blocks, WARM_START_GRAIN, keep_blocks, &keeping);
  store->frames = frames;
  return ASP_OK;
}

AspError asp_warm_reserve(WarmStart *warm, int blocks, int rows) {
  WarmStore *store = &warm->store;
  AspContext *context = warm->view->context;
  ASP_TRY(ASP_GROW(context, store->key, store->key_capacity, blocks));
  ASP_TRY(ASP_GROW(context, store->offset, store->offset_capacity, blocks + 1));
  ASP_TRY(ASP_GROW(context, store->r, store->r_capacity, rows));
  ASP_TRY(ASP_GROW(context, store->earlier, store->earlier_capacity, rows));
  ASP_TRY(ASP_GROW(context, store->index, store->index_capacity, blocks));
  return ASP_GROW(context, store->age, store->age_capacity, blocks);
}

void asp_warm_forget(WarmStart *warm) { warm->last = warm->rest = NULL; }

void asp_warm_destroy(AspContext *context, WarmStart *warm) {
  WarmStore *store = &warm->store;
  void *blocks[] = {store->key, store->offset, store->r, store->earlier, store->index, store->age};
  for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
    asp_release(context, blocks[i]);
}

AspError asp_warm_archive(WarmStart *warm, AspArchive *archive, const AspContactFrame *frames) {
  WarmStore *store = &warm->store;
  int rows = store->count > 0 ? store->offset[store->count] : 0, ends = store->count > 0 ? store->count + 1 : 0;
  ASP_ARCHIVE(archive, store->contacts_from);
  ASP_ARCHIVE(archive, store->dt);
  ASP_ARCHIVE_LIST(archive, store->key, store->key_capacity, store->count);
  ASP_ARCHIVE_LIST(archive, store->offset, store->offset_capacity, ends);
  ASP_ARCHIVE_LIST(archive, store->r, store->r_capacity, rows);
  ASP_ARCHIVE_LIST(archive, store->earlier, store->earlier_capacity, rows);
  ASP_ARCHIVE_LIST(archive, store->index, store->index_capacity, store->count);
  ASP_ARCHIVE_LIST(archive, store->age, store->age_capacity, store->count);
  store->frames = frames;
  if (archive->reading)
    asp_warm_forget(warm);
  return archive->error;
}
