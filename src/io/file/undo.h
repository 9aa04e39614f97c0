/* Undo log of a file that is changed in place, so that a program that dies in between leaves a file that can be put
 * back to how it was. Depends on base.
 *
 * A change is everything between two calls of `asp_undo_keep`. Before bytes of the file are overwritten their old
 * contents are appended to PATH.undo; when the change is whole the log is emptied. A program that dies during a change
 * leaves the log behind: `asp_undo_recover` writes the old bytes back, the last ones first, and cuts off what was new.
 * The log is locked (flock) while its writer lives: a file in use is left alone.
 *
 *   log    = head, record, record, ...
 *   head   = "asp-undo", length of the file before the change
 *   record = address, length, hash of both and of the bytes, the bytes
 *
 * Numbers have 64 bits in the order of the machine. A record that is cut off or whose hash is wrong is where the
 * program died: its bytes were not overwritten yet. What the system has taken survives the program; after a loss of
 * power the order in which it reached the disk is the file system's.
 */
#ifndef ASP_IO_UNDO_H
#define ASP_IO_UNDO_H

#include "base/base.h"

typedef struct AspUndo {
  char *path;      /* of the log */
  const char *of;  /* of the file; the caller's */
  int target;      /* open for reading and writing; the caller's */
  int log;         /* -1: not yet made */
  uint64_t length; /* of the file before the change */
  uint64_t used;   /* of the log */
  bool begun;      /* the log has a head */
  bool given_up;   /* this change is not logged */
} AspUndo;

/* Of the file `target`, which belongs at `of`: as long as it is not there (it is begun under another name) nothing is
 * logged. Nothing is written before the first change. False: out of memory. */
bool asp_undo_begin(AspUndo *undo, const char *of, int target, uint64_t length);
/* `count` bytes at `address` are going to be overwritten. Where the log cannot be written (a full disk) the change goes
 * on without it. */
void asp_undo_note(AspUndo *undo, uint64_t address, uint64_t count);
/* The change is whole: this is how the file is from now on, `length` long. */
void asp_undo_keep(AspUndo *undo, uint64_t length);
/* Removes the log. Safe on a zeroed one. */
void asp_undo_end(AspUndo *undo);

/* If the file's writer died during a change, the file as it was before. ASP_OK where there is nothing to do. */
AspError asp_undo_recover(AspContext *context, const char *path);
/* The file is going to be replaced: removes the log of the old one. */
void asp_undo_forget(const char *path);

#endif
