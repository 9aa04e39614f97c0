/* Asperity io: scenes in, results out, problem files both ways. Uses the public headers only.
 *
 * Threads and ownership: base.h. Results, FCLIB and LCP files need an HDF5 that was built thread-safe (as Debian's and
 * Ubuntu's are) where contexts in different threads use them at the same time.
 */
#ifndef ASPERITY_IO_H
#define ASPERITY_IO_H

#include "asperity/world.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- scenes: schema/scene.schema.json ---- */

/* Every mistake of a scene, one line each: "file: /bodies/2/mass: -1 is not > 0 kg". */
typedef struct AspMistakes {
  int count;
  char **line;
} AspMistakes;

/* A named constant of a scene. */
typedef struct AspParameter {
  char *name, *unit, *description; /* "" where not given */
  double value, low, high;         /* -INFINITY, INFINITY: no range */
  bool set;                        /* its value comes from the settings, not from the file */
} AspParameter;

/* A file that a scene depends on: a table or a mesh. */
typedef struct AspSceneFile {
  char *path;    /* as the scene writes it */
  char hash[17]; /* of its bytes, FNV-1a of 64 bits in hexadecimal digits */
} AspSceneFile;

/* Values in place of those in the file: texts "NAME=VALUE", the value a number or an expression in parameters. */
typedef struct AspSettings {
  int count;
  const char *const *text; /* "output.bodies=NAME,NAME*": bodies whose motion results keep; robot models:
                               "import.keyframe=home" and the like set options of asp_import_read */
  int probe_count;
  const char *const *probe; /* probes besides those in the file: texts "NAME=EXPRESSION" */
} AspSettings;

/* A named output of a scene (docs/reference/scene.md#probes). */
typedef enum AspProbeKind {
  ASP_PROBE_EXPRESSION,
  ASP_PROBE_POINT,
  ASP_PROBE_DISTANCE,
  ASP_PROBE_ANGLE,
  ASP_PROBE_CONTACT
} AspProbeKind;
ASP_API const char *asp_probe_kind_name(AspProbeKind kind); /* [any thread, lent] */
typedef enum AspProbeQuantity { ASP_PROBE_POSITION, ASP_PROBE_VELOCITY, ASP_PROBE_ACCELERATION } AspProbeQuantity;
ASP_API const char *asp_probe_quantity_name(AspProbeQuantity quantity); /* [any thread, lent] */

typedef struct AspProbe {
  char *name, *unit;
  char *value; /* EXPRESSION: the expression; otherwise NULL */
  AspProbeKind kind;
  AspProbeQuantity quantity; /* POINT */
  int body_a, body_b;        /* bodies of the model; -1: none */
  AspVec3 point_a, point_b;  /* POINT, DISTANCE: in the frames of the centres of mass, m; ANGLE: axes of the bodies */
  double every;              /* s between samples; 0: with the frames */
} AspProbe;

/* Everything in it belongs to the scene. */
typedef struct AspScene {
  char *name;
  char *text; /* the file as it was read; kept in results */
  AspModel *model;
  AspVec3 *centre; /* per body of the model: its centre of mass in the frame in which the scene describes the body, m */
  bool *recorded;  /* per body: results keep its motion; NULL: of all bodies */
  bool *contact_given; /* per joint: the scene says whether its two bodies touch each other */
  AspHull **hull;      /* hull_count hulls of the model's shapes */
  int hull_count;
  AspHeightField **field; /* field_count height fields of the model's shapes */
  int field_count;
  AspRunOptions run;
  AspMistakes notes;       /* what is worth knowing: pieces of a decomposed mesh and their errors */
  AspMistakes warnings;    /* what was done otherwise than written: a mesh that is not convex */
  AspParameter *parameter; /* parameter_count, in the order of the file */
  int parameter_count;
  AspProbe *probe; /* probe_count */
  int probe_count;
  AspSceneFile *file; /* file_count */
  int file_count;
  const char *from; /* for results: "settled.h5 at t = 2 s", where the first state comes from; NULL: the scene. Lent */
} AspScene;

/* Read a scene file, or a robot model as a scene (asp_import_read). On ASP_ERROR_INPUT (a mistake in the scene) and
 * ASP_ERROR_FILE (it cannot be read) the context's message is the first mistake and `mistakes` (may be NULL) has them
 * all. The scene is empty then.
 * [one thread, yours: asp_scene_destroy, yours: asp_mistakes_destroy] */
ASP_API AspError asp_scene_read(AspContext *context, const char *path, AspScene *scene, AspMistakes *mistakes);
/* The same from memory; `label` stands for the file name in messages.
 * [one thread, yours: asp_scene_destroy, yours: asp_mistakes_destroy] */
ASP_API AspError asp_scene_parse(AspContext *context, const char *text, size_t length, const char *label,
                                 AspScene *scene, AspMistakes *mistakes);
/* The same two with values of parameters; settings may be NULL.
 * [one thread, yours: asp_scene_destroy, yours: asp_mistakes_destroy] */
ASP_API AspError asp_scene_read_set(AspContext *context, const char *path, const AspSettings *settings, AspScene *scene,
                                    AspMistakes *mistakes);
/* [one thread, yours: asp_scene_destroy, yours: asp_mistakes_destroy] */
ASP_API AspError asp_scene_parse_set(AspContext *context, const char *text, size_t length, const char *label,
                                     const AspSettings *settings, AspScene *scene, AspMistakes *mistakes);
/* The scene's notes, and a line for each joint that does not say whether its bodies touch each other, while these have
 * shapes that could; with the depth of an overlap at the start. `label` stands for the file.
 * [one thread, yours: asp_mistakes_destroy] */
ASP_API AspError asp_scene_notes(AspContext *context, const AspScene *scene, const char *label, AspMistakes *notes);
ASP_API void asp_scene_destroy(AspContext *context, AspScene *scene);          /* [one thread, ends it] */
ASP_API void asp_mistakes_destroy(AspContext *context, AspMistakes *mistakes); /* [one thread, ends it] */

/* The JSON Schema (draft 2020-12) of scenes, as published in schema/; free it with asp_text_destroy.
 * [one thread, yours: asp_text_destroy] */
ASP_API AspError asp_scene_schema(AspContext *context, char **text);
ASP_API void asp_text_destroy(AspContext *context, char *text); /* [one thread, ends it] */

/* ---- robot models: docs/howto/bring-your-robot.md ---- */

/* What became of an element or attribute of a model. */
typedef enum AspImportKind {
  ASP_IMPORT_TRANSLATED,
  ASP_IMPORT_APPROXIMATED, /* something near it is simulated */
  ASP_IMPORT_IGNORED,      /* would change the motion, and is not simulated */
  ASP_IMPORT_IRRELEVANT    /* does not change the motion: colours, lights, cameras */
} AspImportKind;
#define ASP_IMPORT_KINDS 4
ASP_API const char *asp_import_kind_name(AspImportKind kind); /* [any thread, lent] */

typedef struct AspImportEntry {
  AspImportKind kind;
  char *what;   /* "joint", "limit effort=" */
  char *reason; /* "" for what was translated */
  int count;
  char *file; /* where it stands first; NULL: nowhere in particular */
  int line;
} AspImportEntry;

typedef struct AspImportReport {
  int count;
  AspImportEntry *entry;       /* count, in the order of the first */
  int total[ASP_IMPORT_KINDS]; /* sums of the counts */
} AspImportReport;

typedef struct AspImportOptions {
  uint32_t cookie;
  bool floating;              /* URDF: the root link is free; false: fixed to the world */
  const char *keyframe;       /* MJCF: the state to start from, by name or number; NULL: the model's own. Lent */
  bool anywhere;              /* files may lie outside the model's folders */
  const char *scene_folder;   /* from which the scene's paths are seen; NULL: the model's own folder. Lent */
  const char *const *package; /* package_count texts "NAME=FOLDER" for package:// and model://. Lent */
  int package_count;
  bool hold;                  /* actuators hold the robot as it starts: servos by their targets, motors as brakes */
  const char *const *control; /* control_count texts "INPUT=EXPRESSION" or "INPUT=FILE.csv:COLUMN". Lent */
  int control_count;
} AspImportOptions;

ASP_API AspImportOptions asp_import_default_options(void); /* [any thread] */

/* A robot model as a scene in JSON, which asp_scene_parse reads; free it with asp_text_destroy. The root element sets
 * the format. options and report may be NULL. ASP_ERROR_INPUT and ASP_ERROR_FILE: "FILE:LINE: ...".
 * [one thread, yours: asp_text_destroy, yours: asp_import_report_destroy] */
ASP_API AspError asp_import_read(AspContext *context, const char *path, const AspImportOptions *options, char **scene,
                                 AspImportReport *report);
ASP_API void asp_import_report_destroy(AspContext *context, AspImportReport *report); /* [one thread, ends it] */

/* The probes of a scene on a world: numbers in columns, "tip.x", "tip.y", one or more for each probe. Update once after
 * every step (accelerations are differences between updates). The scene must outlive them. */
typedef struct AspProbes AspProbes;
/* Of the present state at first. [one thread, yours: asp_probes_destroy] */
ASP_API AspError asp_probes_create(AspContext *context, const AspScene *scene, const AspWorld *world,
                                   AspProbes **probes);
ASP_API void asp_probes_update(AspProbes *probes, const AspWorld *world); /* [one thread] */
ASP_API void asp_probes_destroy(AspProbes *probes);                       /* [one thread, ends it] */
ASP_API int asp_probes_count(const AspProbes *probes);                    /* columns [many readers] */
ASP_API const char *asp_probes_name(const AspProbes *probes, int column); /* [many readers, lent] */
ASP_API const char *asp_probes_unit(const AspProbes *probes, int column); /* [many readers, lent] */
ASP_API double asp_probes_value(const AspProbes *probes, int column);     /* now [many readers] */
ASP_API double asp_probes_low(const AspProbes *probes, int column);       /* so far [many readers] */
ASP_API double asp_probes_high(const AspProbes *probes, int column);      /* [many readers] */
ASP_API double asp_probes_every(const AspProbes *probes, int column);     /* s between samples [many readers] */
/* What they remember (extremes; what accelerations are measured from), to go on with in another process, beside
 * asp_world_save and with the same rules. Bytes of other probes are refused. [one thread] */
ASP_API AspError asp_probes_save(AspProbes *probes, void *bytes, size_t room, size_t *size);
ASP_API AspError asp_probes_restore(AspProbes *probes, const void *bytes, size_t size); /* [one thread] */

/* ---- meshes: docs/howto/meshes.md ---- */

/* The convex hull of an STL, OBJ, COLLADA (.dae, in metres) or MuJoCo MSH file, its coordinates times `scale`.
 * `object`: only the part of that name (OBJ: o or g, ASCII STL: solid, COLLADA: geometry), NULL: all. `filled`: how
 * much of the hull the mesh fills (asp_hull_from_mesh). ASP_ERROR_FILE and ASP_ERROR_INPUT name the file and the line
 * or byte. [one thread, yours: asp_hull_destroy] */
ASP_API AspError asp_hull_read_mesh(AspContext *context, const char *path, const char *object, double scale,
                                    AspHull **hull, double *filled);

/* The same file cut into convex pieces (asp_mesh_decompose); `error` in m, after scaling.
 * [one thread, yours: asp_decomposition_destroy] */
ASP_API AspError asp_mesh_file_decompose(AspContext *context, const char *path, const char *object, double scale,
                                         double error, AspDecomposition *decomposition);

/* ---- results: one HDF5 file per run, docs/reference/results.md ---- */

typedef struct AspResultWriter AspResultWriter;

/* Writes the model's description and the initial state. An existing file at `path` is replaced only once the new one is
 * whole enough to read; devices and folders are refused. `scene` gives name, text and frames of bodies; NULL for a
 * model built by a program. [one thread, yours: asp_result_close] */
ASP_API AspError asp_result_create(AspContext *context, const char *path, const AspScene *scene, const AspWorld *world,
                                   AspResultWriter **writer);
/* Certificate and energies of the step just done; state, contacts and joints when `output_every` asks for them. A full
 * disk is ASP_ERROR_STORAGE; what came before it stays readable. [one thread] */
ASP_API AspError asp_result_append(AspResultWriter *writer, const AspWorld *world, const AspStepInfo *info);
/* What was appended so far is readable after a crash. Called by append now and then. [one thread] */
ASP_API AspError asp_result_flush(AspResultWriter *writer);
/* Writes the last state if it is not there yet and the warnings, closes the file, frees the writer (may be NULL).
 * [one thread, ends it] */
ASP_API AspError asp_result_close(AspResultWriter *writer, const AspWorld *world);

/* The probes that it writes, for reading: asp_result_append updates them. They belong to the caller from now on, who
 * keeps them until the writer is closed. NULL: they were taken before. [one thread, yours: asp_probes_destroy] */
ASP_API AspProbes *asp_result_take_probes(AspResultWriter *writer);

/* Where a writer stands in its file. */
#define ASP_RESULT_TABLES 5
typedef struct AspResultMark {
  int64_t rows[ASP_RESULT_TABLES]; /* frames, contacts, steps, energies, probes */
  int64_t step, framed;            /* last step appended, last one with a frame */
  double step_time;                /* s */
} AspResultMark;
/* Flush, and say where the file stands. [one thread] */
ASP_API AspError asp_result_mark(AspResultWriter *writer, AspResultMark *mark);
/* Go on writing a file from a mark, after the program that began it ended or died; rows behind the mark are written
 * again. `world` is one of the same model at that step, `scene` as it was at the beginning. A file that does not fit is
 * refused by name.
 * [one thread, yours: asp_result_close] */
ASP_API AspError asp_result_resume(AspContext *context, const char *path, const AspScene *scene, const AspWorld *world,
                                   const AspResultMark *mark, AspResultWriter **writer);

/* The state of the last frame at or before `at` (s; INFINITY: the last one) into a state of a model, which may be
 * another: time, bodies, beams and joints by name. Free bodies that the result does not have stay as they are;
 * *matched: how many it has, at least one. Kinematic bodies follow from their expressions (asp_world_set_state), and
 * inputs stay. [one thread] */
ASP_API AspError asp_result_state(AspContext *context, const char *path, double at, const AspModel *model,
                                  AspState *state, int *matched);

/* How far a result has come: frames that can be read, and whether its run has ended. [one thread] */
ASP_API AspError asp_result_progress(AspContext *context, const char *path, int64_t *frames, bool *complete);

/* Frames of a result as CSV: time, then position, orientation, velocity, angular velocity of every body (units in the
 * header line). [one thread] */
ASP_API AspError asp_result_export_csv(AspContext *context, const char *result_path, const char *csv_path);
/* The same of one part: "bodies" (as above), "joints", "contacts", "probes", "energies". [one thread] */
ASP_API AspError asp_result_export_part(AspContext *context, const char *result_path, const char *part,
                                        const char *csv_path);
/* One part as NumPy arrays in a .npz file: "bodies" (name, time, step, q, v), "joints", "contacts" (start and count
 * by frame), "probes" (name, unit, time, value), "energies" (row k is that of step k). [one thread] */
ASP_API AspError asp_result_export_npz(AspContext *context, const char *result_path, const char *part,
                                       const char *npz_path);
/* For ParaView: RUN.pvd, which lists RUN/bodies_0000.vtp and RUN/contacts_0000.vtp of every frame. [one thread] */
ASP_API AspError asp_result_export_vtk(AspContext *context, const char *result_path, const char *pvd_path);
/* A glTF 2.0 animation in one binary file. [one thread] */
ASP_API AspError asp_result_export_gltf(AspContext *context, const char *result_path, const char *glb_path);
/* Energies, residual of every step against its tolerance and contacts over time as one SVG drawing. [one thread] */
ASP_API AspError asp_result_export_svg(AspContext *context, const char *result_path, const char *svg_path);

/* ---- results for the eye: the viewer's data, one-file reports, plots ---- */

/* How much of a result the viewer gets. The data state what was left out, and the viewer shows it. */
typedef struct AspViewOptions {
  uint32_t cookie;
  int every;            /* every n-th stored frame; 0: as many as keep bodies x frames below 4 million */
  int64_t contacts_max; /* over all frames; beyond it only the strongest of each frame are kept */
  const char *beside;   /* reports: another result of the same dimension, drawn as a ghost; NULL: none */
} AspViewOptions;

ASP_API AspViewOptions asp_view_default_options(void); /* [any thread] */

/* The data of docs/reference/view-data.md: poses and velocities quantised (steps are in the header), contacts, joints,
 * energies, certificate. The caller frees *bytes with asp_view_data_destroy. options may be NULL.
 * [one thread, yours: asp_view_data_destroy] */
ASP_API AspError asp_view_data(AspContext *context, const char *result_path, const AspViewOptions *options,
                               unsigned char **bytes, size_t *length);
ASP_API void asp_view_data_destroy(AspContext *context, unsigned char *bytes); /* [one thread, ends it] */

#define ASP_PAGE_SLOT "<!--asperity-data-->"
/* One self-contained HTML file: the viewer's page with the data in the place that it marks with ASP_PAGE_SLOT.
 * [one thread] */
ASP_API AspError asp_report_write(AspContext *context, const char *result_path, const AspViewOptions *options,
                                  const char *page, size_t page_length, const char *html_path);

/* One property of a file: a text, a number with its unit, or a yes or no. */
typedef enum AspFactKind { ASP_FACT_TEXT, ASP_FACT_NUMBER, ASP_FACT_FLAG } AspFactKind;
ASP_API const char *asp_fact_kind_name(AspFactKind kind); /* [any thread, lent] */
typedef struct AspFact {
  const char *key; /* "steps_uncertified" */
  AspFactKind kind;
  const char *text; /* TEXT */
  double number;    /* NUMBER; FLAG: 0 or 1 */
  const char *unit; /* NUMBER, "" for pure numbers */
} AspFact;

/* What is in a file, fact by fact through `tell`: scene (with these settings, may be NULL), result, FCLIB problem or
 * LCP. [one thread] */
ASP_API AspError asp_file_info(AspContext *context, const char *path, const AspSettings *settings,
                               void (*tell)(void *user, const AspFact *fact), void *user);

/* ---- LCP files: /M (row-major n x n) and /q ---- */

/* [one thread, yours: asp_lcp_destroy] */
ASP_API AspError asp_lcp_read(AspContext *context, const char *path, AspLcp *lcp);
/* [one thread] */
ASP_API AspError asp_lcp_write(AspContext *context, const char *path, const AspLcp *lcp, const double *z);

/* ---- FCLIB problem files (HDF5): docs/reference/fclib.md ---- */

/* What the arrays p and i of a matrix stored as triplets (nz >= 0) mean: writers in the wild disagree. */
typedef enum AspTripletOrder {
  ASP_TRIPLET_P_IS_ROW,   /* p: rows, i: columns; what FCLIB's own header says */
  ASP_TRIPLET_P_IS_COLUMN /* p: columns, i: rows; CSparse's convention, written by others */
} AspTripletOrder;
ASP_API const char *asp_triplet_order_name(AspTripletOrder order); /* [any thread, lent] */

typedef struct AspFclibOptions {
  uint32_t cookie;
  AspTripletOrder triplet; /* ASP_TRIPLET_P_IS_ROW */
} AspFclibOptions;

/* A solution or a guess in the problem's own order of rows. NULL where the file has (or shall get) none. */
typedef struct AspFclibPoint {
  double *r; /* rows; equality rows hold FCLIB's l */
  double *u; /* rows; FCLIB keeps no u of equality rows: read as 0 */
  double *x; /* dofs; FCLIB's v */
} AspFclibPoint;

/* What a file holds beside the problem. Reading allocates, asp_fclib_extra_destroy frees; writing borrows. A zeroed
 * struct is empty. */
typedef struct AspFclibExtra {
  char *title, *description, *math_info; /* NULL: absent */
  AspFclibPoint solution;                /* solution.r == NULL: absent */
  int guess_count;
  AspFclibPoint *guess; /* guess_count */
} AspFclibExtra;

ASP_API AspFclibOptions asp_fclib_default_options(void); /* [any thread] */

/* Read a local or global problem, 2D or 3D, with or without equality constraints, matrices as compressed columns (nz =
 * -1), compressed rows (-2) or triplets (>= 0). Contacts become COULOMB blocks; equality constraints (global G, b;
 * local V, R, s) follow as EQUALITY blocks of one row each. Unsorted entries are sorted, duplicates summed. Whatever is
 * wrong is ASP_ERROR_INPUT with file and dataset in the message. options and extra may be NULL.
 * [one thread, yours: asp_problem_destroy, yours: asp_fclib_extra_destroy] */
ASP_API AspError asp_fclib_read(AspContext *context, const char *path, const AspFclibOptions *options,
                                AspContactProblem *problem, AspFclibExtra *extra);
ASP_API void asp_fclib_extra_destroy(AspContext *context, AspFclibExtra *extra); /* [one thread, ends it] */

/* Write a problem so that it reads back identically: in FCLIB's layout where FCLIB can say it (exact COULOMB and
 * EQUALITY blocks), with a group /asperity that keeps our order of blocks where it differs; otherwise in /asperity
 * alone, so that no other reader sees a different problem. The global form is written when there is one, else the local
 * one. `path` is replaced only by a whole file. extra may be NULL; a solution or guess without u or x is written
 * without. [one thread] */
ASP_API AspError asp_fclib_write(AspContext *context, const char *path, const AspContactProblem *problem,
                                 const AspFclibExtra *extra);

/* True when the file is HDF5 and holds a contact problem that asp_fclib_read would try to read. [one thread] */
ASP_API bool asp_fclib_recognise(AspContext *context, const char *path);

/* ---- performance profiles: methods compared over a set of problems (Dolan and More 2002) ---- */

/* The profile of a method at a ratio is the fraction of all problems that it solves within that multiple of the best
 * method's time on the same problem. Plain data, borrowed for one call. */
typedef struct AspProfile {
  int methods, problems;
  const char *const *name; /* methods */
  const double *time;      /* s, time[method * problems + problem]; NaN, infinite or negative: not solved */
  double shift;            /* s, added to every time before ratios are taken: what is too short to matter */
} AspProfile;

/* The method's profile at `ratio` >= 1. [any thread] */
ASP_API double asp_profile_value(const AspProfile *profile, int method, double ratio);
/* A table as text lines through `print`: per method the problems solved and the profile at ratios 1 to 100.
 * [any thread] */
ASP_API void asp_profile_print(const AspProfile *profile, void (*print)(void *user, const char *line), void *user);
/* The curves over a logarithmic axis of ratios as a self-contained SVG file. [one thread] */
ASP_API AspError asp_profile_write_svg(AspContext *context, const char *path, const char *title,
                                       const AspProfile *profile);

#ifdef __cplusplus
}
#endif
#endif
