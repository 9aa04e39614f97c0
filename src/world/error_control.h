/* Steps of varying length that keep to an asked accuracy (option `accuracy`): what is kept from step to step. */
#ifndef ASP_WORLD_ERROR_CONTROL_H
#define ASP_WORLD_ERROR_CONTROL_H

#include "asperity/collide.h"
#include "asperity/world.h"
#include "scheme/block_key.h"
#include "scheme/step.h"

/* Events that are located by halving steps (locate.c, option `locate`). */
typedef struct StepLocating {
  bool on;
  double *acceleration[2]; /* v_size each: of the last step and the one before, m/s^2, rad/s^2 */
  double length[2];        /* s: of these two */
  double change, share;    /* of the last step that was compared with its halves: what called for it, what came out */
  double few;              /* share of them that a model of this size may spend; larger ones have more events */
  double credit;           /* solves that may be spent on comparing */
  int cuts;                /* of the step so far (locate_cuts.c) */
  bool tentative;          /* attempts are trials: most of them are about to be made again, shorter */
  bool firm;               /* they are not: one of the step was not confirmed */
  int ago;                 /* steps since then, up to LOCATE_KNOWN; that: not of use */
} StepLocating;

/* Attempts that are kept while others are made (kept_attempt.c). */
typedef enum KeptName { ATTEMPT_WHOLE, ATTEMPT_HALF, ATTEMPTS_KEPT } KeptName;
typedef struct KeptAttempt {
  AspArena arena;          /* all that it left; else the room of the next one that is put aside */
  AspContactFrame *frames; /* the same */
  size_t frame_capacity;
  AspState end;
  AspStepWork work;
  double *last, *rest; /* what the warm start said in it (warm_start.h) */
  int *match;
  AspBlockKey *key;
  const AspContact *found; /* on the arena */
  double penetration;
  bool deep;
  int alternatives, sharing;
} KeptAttempt;

typedef struct ErrorControl {
  AspAccuracy told;      /* what the reader of the run gets */
  AspState start;        /* of the step */
  AspState coarse, fine; /* ends of trials with steps of a length and of half of it */
  void *memory;          /* the scheme's, at the start of the step; NULL: it keeps none */
  double *path;          /* bodies: length of the way so far, m */
  double *difference;    /* 5 v_size: room for a difference of velocities, and to take out of it what goes on */
  int short_steps;       /* since a step of full length was tried */
  double length;         /* s: of the next step, if the grid of times allows */
  double smooth, events; /* shares of the asked accuracy that are left for smooth motion, and for events */
  double acceleration;   /* of the body that was accelerated most in the last step, m/s^2 */
  StepLocating locating;
  KeptAttempt kept[ATTEMPTS_KEPT];
  bool event;  /* the last step took from the latter */
  bool struck; /* so did one since a step of full length was tried: short steps may be longer behind events only */
} ErrorControl;

#endif
