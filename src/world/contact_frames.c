/* Frames of contacts with their laws, and what is kept of them from step to step. */
#include "base/parallel.h"
#include "linalg/vec3.h"
#include "world/contact_search.h"
#include "world/tuning/world.h"

#include <math.h>
#include <stdatomic.h>

/* The law of two materials; NULL: none is given. */
typedef struct KnownLaw {
  int a, b;
  const AspPairLaw *law;
} KnownLaw;

/* The law between the shapes of a contact; most have the materials of the one before. */
static const AspPairLaw *contact_law(const StepView *view, const AspContact *contact, KnownLaw *known) {
  int a = view->geometry->shape_material[contact->collider_a], b = view->geometry->shape_material[contact->collider_b];
  if (a != known->a || b != known->b)
    *known = (KnownLaw){a, b, asp_model_pair(view->model, a, b)};
  return known->law;
}

void asp_contact_place_frame(const StepView *view, const AspState *state, const AspContact *contact,
                             AspContactFrame *frame) {
  int a = view->geometry->shape_body[contact->collider_a], b = view->geometry->shape_body[contact->collider_b];
  double gap = frame->gap, depth = frame->depth, bend = frame->bend, merged = frame->merged;
  bool barrier = frame->barrier, met = frame->met, later = frame->later;
  const AspPairLaw *law = frame->law;
  AspVec3 point =
      asp_contact_point(contact->point_a, contact->point_b, view->geometry->body_free[a], view->geometry->body_free[b]);
  asp_contact_frame_place(asp_model_dimension(view->model), contact->normal, point,
                          asp_body_position(view->model, state, a), asp_body_position(view->model, state, b), frame);
  frame->body_a = a;
  frame->body_b = b;
  frame->gap = gap;
  frame->depth = depth;
  frame->bend = bend;
  frame->barrier = barrier;
  frame->met = met;
  frame->later = later;
  frame->merged = merged;
  frame->law = law;
  asp_contact_frame_apply_law(view->model, state, contact->collider_a, frame);
  asp_contact_frame_carry(view->model, state, contact->collider_a, contact->collider_b, frame);
}

/* Contacts that get frames; their largest overlap, and whether one has no law or is deep. */
typedef struct Framing {
  const StepView *view;
  const AspContact *contacts;
  AspContactFrame *frames;
  _Atomic double penetration;
  atomic_bool lawless, deep;
} Framing;

/* Is it deeper than overlaps that steps make? */
bool asp_frame_is_deep(const ContactGeometry *geometry, const AspContactFrame *frame) {
  double a = geometry->body_radius[frame->body_a], b = geometry->body_radius[frame->body_b];
  double reach = a > 0 && (a < b || !(b > 0)) ? a : b;
  return -frame->gap > PIPELINE_DEEP * reach && reach > 0;
}

static void note_frames(Framing *framing, double penetration, bool lawless, bool deep) {
  double known = atomic_load_explicit(&framing->penetration, memory_order_relaxed);
  while (penetration > known && !atomic_compare_exchange_weak(&framing->penetration, &known, penetration))
    ;
  if (lawless)
    atomic_store_explicit(&framing->lawless, true, memory_order_relaxed);
  if (deep)
    atomic_store_explicit(&framing->deep, true, memory_order_relaxed);
}

static void frame_contacts(void *data, int from, int end) {
  Framing *framing = data;
  double penetration = 0;
  bool lawless = false, deep = false;
  KnownLaw known = {-1, -1, NULL};
  for (int i = from; i < end; i++) {
    const AspContact *contact = &framing->contacts[i];
    AspContactFrame *frame = &framing->frames[i];
    frame->law = contact_law(framing->view, contact, &known);
    frame->gap = contact->gap;
    frame->depth = asp_contact_safe_depth(framing->view, contact);
    frame->barrier = asp_search_is_late(framing->view->search, contact);
    frame->met = frame->later = false;
    frame->merged = frame->bend = 0; // the room has the frames of an earlier step
    asp_contact_place_frame(framing->view, framing->view->state, contact, frame);
    penetration = -frame->gap > penetration ? -frame->gap : penetration;
    lawless = lawless || !frame->law;
    deep = deep || asp_frame_is_deep(framing->view->geometry, frame);
  }
  note_frames(framing, penetration, lawless, deep);
}

static AspError reserve(ContactFrames *frames, AspContext *context, int which, int contacts) {
  return ASP_GROW(context, frames->list[which], frames->capacity[which], contacts);
}

AspError asp_frames_make(ContactFrames *frames, const StepView *view, const AspContact *contacts, int count,
                         bool *lawless) {
  ASP_TRY(reserve(frames, view->context, frames->now, count));
  Framing framing = {.view = view, .contacts = contacts, .frames = frames->list[frames->now]};
  asp_parallel_for(view->context, count, PIPELINE_GRAIN, frame_contacts, &framing);
  frames->penetration = framing.penetration > frames->penetration ? framing.penetration : frames->penetration;
  frames->deep = framing.deep;
  *lawless = framing.lawless;
  return ASP_OK;
}

AspError asp_frames_keep(ContactFrames *frames, const StepView *view, const AspContactFrame **kept) {
  int now = frames->now, count = view->work->frame_count;
  if (count > 0 && view->work->frames != frames->list[now]) { // made otherwise than by asp_frames_make
    ASP_TRY(reserve(frames, view->context, now, count));
    memcpy(frames->list[now], view->work->frames, (size_t)count * sizeof *view->work->frames);
  }
  *kept = frames->list[now];
  frames->now = 1 - now;
  frames->kept = count;
  return ASP_OK;
}

AspError asp_frames_reserve(ContactFrames *frames, AspContext *context, int contacts) {
  ASP_TRY(reserve(frames, context, 0, contacts));
  return reserve(frames, context, 1, contacts);
}

void asp_frames_destroy(AspContext *context, ContactFrames *frames) {
  asp_release(context, frames->list[0]);
  asp_release(context, frames->list[1]);
}

AspError asp_frames_archive(ContactFrames *frames, AspArchive *archive) {
  ASP_ARCHIVE(archive, frames->now);
  ASP_ARCHIVE(archive, frames->penetration);
  ASP_ARCHIVE(archive, frames->deep);
  frames->now = frames->now != 0;
  int last = 1 - frames->now;
  ASP_ARCHIVE_LIST(archive, frames->list[last], frames->capacity[last], frames->kept);
  for (int i = 0; archive->reading && archive->error == ASP_OK && i < frames->kept; i++)
    frames->list[last][i].law = NULL; // of frames of the last step geometry alone is read
  return archive->error;
}
