/* The event-driven scheme: smooth motion in given modes between events (docs/theory/event-driven.md).
 *
 *   event_driven_modes.c           at an instant: impacts, then the modes of contacts and joints
 *   event_driven_impulses.c        impacts, and impulses without collision
 *   event_driven_accelerations.c   the contact problem of accelerations
 *   event_driven_drift.c           joints and closed contacts hold again
 *   event_driven_motion.c          accelerations in the modes, and the values whose zeros are events
 *   event_driven_certify.c         the certificate of a step
 *   event_driven.c                 the loop over events within a step, and what to do when it does not get on
 */
#ifndef ASP_SCHEME_EVENT_DRIVEN_H
#define ASP_SCHEME_EVENT_DRIVEN_H

#include "formulate/acceleration.h"
#include "scheme/constrained_acceleration.h"
#include "scheme/smooth.h"
#include "scheme/step_totals.h"
#include "scheme/tuning/event_driven.h"

/* A closed contact in the present modes. */
typedef struct EventTrack {
  AspContact contact; /* at run->base */
  const AspPairLaw *law;
  AspContactHold hold;
  double
      reaction[3]; /* reactions that the contact problem had: where they are not unique, the motion stays near them */
  int parts;       /* of the shapes that touch (asp_contact_parts) at run->base */
  double left;     /* m, at the state last formulated: how far it is from a contact of these parts */
  bool watched;    /* it was one at run->base */
} EventTrack;

/* Roots of a track: its normal force, its friction or slip, that its slip has begun, that its face or edge ended. */
typedef enum EventTrackRoot {
  EVENT_TRACK_FORCE,
  EVENT_TRACK_FRICTION,
  EVENT_TRACK_BEGUN,
  EVENT_TRACK_END,
  EVENT_TRACK_ROOTS
} EventTrackRoot;

/* Roots of a joint: of its motor, of the friction that begins at each of its free rows, of its limits. */
enum {
  EVENT_ROOT_MOTOR,
  EVENT_ROOT_FRICTION,
  EVENT_ROOT_LOW = EVENT_ROOT_FRICTION + ASP_JOINT_FREE_ROWS,
  EVENT_ROOT_HIGH,
  EVENT_JOINT_ROOTS
};

/* A touching contact: without force, its gap not told from zero. */
typedef struct EventTouch {
  int collider_a, collider_b;
  uint32_t feature;
} EventTouch;

typedef struct EventRun {
  const AspSchemeHost *host;
  AspSolver *solver;       /* of the problems at instants */
  AspState start;          /* of the step */
  AspState base;           /* of the present smooth motion */
  double gap, speed;       /* m, m/s: less is none */
  double fastest;          /* velocity so far, m/s or rad/s */
  double strongest;        /* acceleration without reactions so far, at an instant's problem (its norm of q) */
  AspSmoothMotion *motion; /* under way in the present modes; NULL: modes must be found first */
  AspJudge *judge;
  AspCollider *colliders;
  EventTrack *track;
  EventTouch *touch;
  AspJointHold *joint;
  double *joint_reaction; /* TOTAL_SLOTS per joint, as EventTrack.reaction */
  StepTotals totals;
  double *offset, *further; /* further: now, and at the start of the last advance */
  int *direction, *fired;
  AspEvent *event;
  int tracks, touches, roots, rows, events;
  int largest;       /* rows of the largest island of constrained ones */
  int fired_touches; /* touches when `fired` was filled */
  size_t track_capacity, touch_capacity, root_capacity[3], further_capacity, event_capacity;
  double jam_threshold; /* of A over its value without friction: the next one to report */
  bool jam_watched;     /* A was positive when the smooth motion began */
  bool patient;         /* contacts at the edge of their cone are not made to slip */
  bool crowded;         /* more closed contacts than are treated */
  bool stiff;           /* the smooth motion under way is followed by BDF */
  bool jammed;          /* A has fallen to zero */
  bool named;           /* the fallback to time stepping was reported */
  bool full;            /* that the list of events is full was reported */
} EventRun;

/* ---- event_driven_motion.c ---- */

/* The blocks of the present modes at a state near run->base, on the arena. */
AspError asp_events_formulate(EventRun *run, const AspState *state, AspFormulation *formulation);
/* The reactions that dependent ones stay near, one per row of such a formulation, on the arena; NULL: out of memory. */
double *asp_events_last_reactions(const EventRun *run, const AspFormulation *formulation);
/* Smooth motion to time t at the latest; *moving: an event or t was reached. */
AspError asp_events_move(EventRun *run, double t, bool *moving);
void asp_events_end_motion(EventRun *run);
/* The motion under way, or none, written or read back. */
AspError asp_events_archive_motion(EventRun *run, AspArchive *archive);

/* ---- event_driven_modes.c ---- */

/* At the present state: impacts, then the modes; drift is corrected. *found = false: none that hold. */
AspError asp_events_find_modes(EventRun *run, bool *found);
AspError asp_events_add_track(EventRun *run, const EventTrack *track);
/* An event of this kind now; what is not known of it is NAN. */
AspEvent asp_event_of(const EventRun *run, AspEventKind kind, int joint, int body_a, int body_b);

/* ---- event_driven_impulses.c ---- */

/* The fastest approach of anything closed, m/s; 0: nothing collides. *event names it. */
double asp_events_fastest_approach(const EventRun *run, AspEvent *event);
/* The impact of all that is closed, noted as this event. */
AspError asp_events_collide(EventRun *run, AspEvent *event);
AspError asp_events_push(EventRun *run);

/* ---- event_driven_accelerations.c ---- */

/* Contacts at the present state. */
AspError asp_events_gather(EventRun *run);
/* The contact problem of accelerations into the work, r and u zero; slower than `speed` is rest. */
AspError asp_events_formulate_accelerations(EventRun *run, double speed);
/* Formulated and solved; *solved = false: no solution was found. */
AspError asp_events_solve_accelerations(EventRun *run, bool *solved);

/* ---- event_driven_drift.c ---- */

/* Joints and closed contacts hold again, in positions and velocities. */
AspError asp_events_correct_drift(EventRun *run);
/* Errors of all rows as lengths or speeds, on the arena (NULL: out of memory); *largest: of constrained ones, over
 * what counts as none. */
double *asp_events_row_errors(const EventRun *run, const AspFormulation *formulation, bool rate, double *largest);
/* J v at the present state. */
double asp_events_rate(const AspSchemeHost *host, const AspRow *row);

/* ---- event_driven_certify.c ---- */

/* The reactions of the present modes before the judge of the contact problem of accelerations; where an event falls on
 * the end of the step, those of the modes that begin there. *lasts: the present ones meet the tolerance, and joints and
 * closed contacts have not drifted. */
AspError asp_events_certify(EventRun *run, bool *lasts);

/* ---- event_driven.c ---- */

AspError asp_events_note(EventRun *run, AspEvent event);

#endif
