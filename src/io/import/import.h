/* What the readers of robot models share: the state of one import, its report, values of attributes, files.
 *
 * A reader (urdf.c, ...) turns the tree of xml.h into a robot (robot.h): bodies, joints and shapes by the conventions
 * of all these formats. scene.c writes the robot as a scene, and the one scene reader makes a model of it. What a
 * reader does not look at is found afterwards by the marks of the tree and reported: nothing gets lost unsaid.
 * Failures are latched in `error`; the first one stays. Depends on base, linalg, shape, xml.h and the public header.
 */
#ifndef ASP_IO_IMPORT_IMPORT_H
#define ASP_IO_IMPORT_IMPORT_H

#include "asperity/io.h"
#include "io/import/xml.h"

typedef struct Import {
  AspContext *context;
  AspArena arena; /* everything that lives as long as the import */
  const char *path;
  const char *folder; /* of the model, ending in '/'; "" for the present one */
  const AspImportOptions *options;
  AspImportReport *report;
  size_t report_capacity;
  const char *lost;   /* "package://NAME" where the last search found no folder of it; NULL */
  char message[1200]; /* of the first failure; later calls may leave others in the context */
  AspError error;
} Import;

/* ---- failures and memory ---- */

/* "FILE:LINE: message" as ASP_ERROR_INPUT. */
void asp_import_fail(Import *import, const XmlNode *node, const char *format, ...) ASP_PRINTF(3, 4);
/* Zeroed; NULL latches the failure. */
void *asp_import_take(Import *import, size_t count, size_t size);
/* A text in the arena; "" where memory is out. */
const char *asp_import_text(Import *import, const char *format, ...) ASP_PRINTF(2, 3);

/* ---- report ---- */

/* Count something: `what` is the element or attribute ("joint/dynamics"), the reason a sentence. `node` may be NULL. */
void asp_import_note(Import *import, AspImportKind kind, const XmlNode *node, const char *what, const char *format, ...)
    ASP_PRINTF(5, 6);
/* The same for the whole element and all in it, which count as read. */
void asp_import_leave_out(Import *import, AspImportKind kind, const XmlNode *node, const char *reason);
/* At the end: elements that were read count as translated, all others as ignored. */
void asp_import_sweep(Import *import, const XmlNode *root);

/* ---- values ---- */

/* The numbers of a text, at most `most`; returns how many, -1 (noted as a failure) where one is no number. */
int asp_import_numbers(Import *import, const XmlNode *node, const char *text, double *numbers, int most);
/* A limit: beyond +-1e15, or "inf": none, +-INFINITY. `otherwise` where the text is NULL. */
double asp_import_bound(Import *import, const XmlNode *node, const char *text, double otherwise);
/* Of an attribute: exactly `count` numbers, otherwise a failure. False: not given, or failed. */
bool asp_import_vector(Import *import, const XmlNode *node, const char *name, double *numbers, int count);
double asp_import_number(Import *import, const XmlNode *node, const char *name, double otherwise);
/* The attribute, a failure where there is none ("" then). */
const char *asp_import_required(Import *import, const XmlNode *node, const char *name);
/* Turned about the fixed axes x, y, z in this order, rad. */
AspQuat asp_import_rpy(double roll, double pitch, double yaw);

/* ---- files ---- */

/* Where the file lies that a model names: relative to `folder`, as package://, model:// or file://. NULL where it is
 * not found or not allowed; *tried says what was tried. */
const char *asp_import_find(Import *import, const char *folder, const char *name, const char **tried);
/* The path as seen from the folder of the scene that is written. */
const char *asp_import_seen_from_scene(Import *import, const char *path);

/* ---- mass ---- */

/* An inertia that is not positive definite made so: eigenvalues that are too small are raised. True: it was changed. */
bool asp_import_repair(Import *import, AspMassProperties *mass);

/* ---- readers ---- */

typedef struct Robot Robot;
void asp_import_urdf(Import *import, XmlNode *root, Robot *robot);
void asp_import_mjcf(Import *import, XmlNode *root, Robot *robot);
void asp_import_sdf(Import *import, XmlNode *root, Robot *robot);

#endif
