/* Which contacts a step has (contact_search.c), and the frames made of them. */
#ifndef ASP_WORLD_CONTACT_SEARCH_H
#define ASP_WORLD_CONTACT_SEARCH_H

#include "asperity/collide.h"
#include "base/archive.h"
#include "formulate/acceleration.h"
#include "scheme/scheme.h"
#include "world/step_view.h"
#include "world/warnings.h"

/* How a body is expected to move in the step, later how it did. */
typedef struct BodyWay {
  AspVec3 shift, turn; /* of the centre of mass, m; rotation vector, rad */
  double margin;       /* contacts are looked for this far from it, m */
  bool swept;          /* and all along the way */
  bool searched;       /* after the solve: it kept to where contacts were searched */
} BodyWay;

struct ContactSearch {
  AspCollision *collision;
  AspCollider *colliders;  /* one per shape of the model */
  BodyWay *way;            /* bodies */
  const AspContact *found; /* contacts of this step: the collision object's, or `kept` */
  AspContact *kept;        /* contacts of this step when more were found after a solve */
  AspContact *late;        /* those found after a solve */
  size_t kept_capacity, late_capacity;
  int late_count;
  AspBodyPair *untouched; /* pairs of bodies taken out by callers, beside those of the model */
  size_t untouched_capacity;
  int untouched_count;
};

/* Frames of the last step accepted, which the warm start reads, and of the one under way. */
typedef struct ContactFrames {
  AspContactFrame *list[2];
  size_t capacity[2];
  int now;            /* which of them is the latter */
  int kept;           /* how many the other has */
  double penetration; /* deepest overlap found at the start of the step, m */
  bool deep;          /* a contact of the step overlaps deeper than a step makes by itself */
} ContactFrames;

/* ---- the search ---- */

AspError asp_search_create(ContactSearch *search, const StepView *view);
void asp_search_destroy(AspContext *context, ContactSearch *search);
/* Contacts at the start of a step of length dt, into search->found. */
AspError asp_search_find(ContactSearch *search, const StepView *view, double dt, int *count);
/* The same up to a gap, without margin or sweep. */
AspError asp_search_find_within(ContactSearch *search, const StepView *view, double gap, int *count);
/* After a solve: contacts on the ways that bodies took against expectation, added to search->found. */
AspError asp_search_find_missed(ContactSearch *search, const StepView *view, const AspSchemeType *scheme, int *count,
                                bool *more);
/* After a step that closes gaps to touching: contacts that overlap at its end and were not in it, and further points of
 * closed pairs of fast bodies, added to search->found. *crossed: it led one of them through another shape. */
AspError asp_search_find_at_end(ContactSearch *search, const StepView *view, int *count, bool *more, bool *crossed);
/* After a step: does it turn a body into another one (turned.c)? count: contacts in search->found. */
bool asp_step_turns_deep(const StepView *view, int count);
/* The part of a step up to which bodies that turn stay apart that were so at its start, and overlap at its end by more
 * than a share of their size, though no contact carried; 1: there are none. carries: of the contacts in search->found.
 */
double asp_step_meets_early(const StepView *view, const bool *carries, int count, double share);
/* How far points of a body's bounded shapes come from one state to another at most, m. */
double asp_body_way(const StepView *view, const AspState *from, const AspState *to, int body);
/* Warn of bodies that are deep in each other at the start (initial_overlaps.c). */
AspError asp_overlaps_name(ContactSearch *search, const StepView *view, Warnings *warnings);
/* No contacts were found after a solve: an attempt begins. */
void asp_search_begin(ContactSearch *search);
bool asp_search_is_late(const ContactSearch *search, const AspContact *contact);
AspError asp_search_reserve(ContactSearch *search, const StepView *view, int contacts);

/* ---- a contact at another state (refine.c) ---- */

/* A contact found at one state, at another one: asked for again up to `reach` (m), else carried along with its
 * bodies. Returns how far a carried one is from the contacts of its pair, m (0: it was found again or is one of them
 * under another name; infinite: there is none, or that cannot be told). */
double asp_contact_follow(const StepView *view, const AspState *from, const AspState *to, double reach,
                          AspContact *contact);
AspPose asp_shape_pose_at(const StepView *view, const AspState *state, int shape);
AspCollider asp_collider_at(const StepView *view, const AspState *state, int shape);
/* A contact moved along with its bodies, its normal as it was. */
void asp_contact_carry(const StepView *view, const AspState *from, const AspState *to, AspContact *contact);
/* How round a contact's shape is where it touches, at the state that the contact was found at. */
AspRoundness asp_contact_roundness(const StepView *view, const AspState *state, const AspContact *contact,
                                   const AspContactFrame *frame, bool of_b);
/* Overlap that is corrected on the side where it came in, m. */
double asp_contact_safe_depth(const StepView *view, const AspContact *contact);
/* The work's frames moved to the middle of the step that begins at the present state. */
AspError asp_contacts_refine(const StepView *view, AspStepWork *work);
/* How the gaps of contacts that may be met in the step bend along the velocities (AspContactFrame.bend). */
AspError asp_contacts_foresee(const StepView *view, AspStepWork *work);

/* ---- frames (contact_frames.c) ---- */

/* A frame with its law and gap gets geometry and friction from a contact, which is seen at the given state. */
void asp_contact_place_frame(const StepView *view, const AspState *state, const AspContact *contact,
                             AspContactFrame *frame);
/* Is it deeper than overlaps that steps make? */
bool asp_frame_is_deep(const ContactGeometry *geometry, const AspContactFrame *frame);
/* Frames of contacts at the present state, with their laws, in frames->list[frames->now]. *lawless: one has none. */
AspError asp_frames_make(ContactFrames *frames, const StepView *view, const AspContact *contacts, int count,
                         bool *lawless);
/* Those of the step's work become the last ones. *kept: they, which stand until the step after the next. */
AspError asp_frames_keep(ContactFrames *frames, const StepView *view, const AspContactFrame **kept);
AspError asp_frames_reserve(ContactFrames *frames, AspContext *context, int contacts);
/* Those of the last step, written or read back. */
AspError asp_frames_archive(ContactFrames *frames, AspArchive *archive);
void asp_frames_destroy(AspContext *context, ContactFrames *frames);

#endif
