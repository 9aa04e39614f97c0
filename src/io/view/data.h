/* A result as the viewer wants it: parts of data.c. Depends on the model of the result and the stream. */
#ifndef ASP_IO_VIEW_DATA_H
#define ASP_IO_VIEW_DATA_H

#include "io/result/model.h"
#include "io/view/stream.h"

/* What is being put together. */
typedef struct ViewPacker {
  const ResultFile *result;
  const ResultModel *model;
  const AspViewOptions *options;
  cJSON *header;
  ViewStream stream;
  int64_t every;        /* stored frames: every, 2 every, ..., and the last */
  int64_t frames;       /* how many are kept */
  int64_t part;         /* frames in a part of the sections that come in parts */
  int64_t first_part;   /* frames in the first of them: as many as the first picture needs */
  double *time;         /* frames */
  double *dt;           /* frames: length of the step that ends there, s; 0 for the initial state */
  double position_step; /* positions are multiples of it, m */
} ViewPacker;

/* The row of /frames that the k-th kept frame is. */
int64_t asp_view_frame_row(const ViewPacker *packer, int64_t kept);

/* The nearest multiple of a step, within what 32 bits hold; 0 for what is no number. */
int32_t asp_view_quantise(double value, double step);

/* Where the part that begins at a frame ends. */
int64_t asp_view_part_end(const ViewPacker *packer, int64_t first);
/* A section with `width` numbers of every kept frame, in parts. */
AspError asp_view_add_frames(ViewPacker *packer, const char *name, ViewType type, size_t width, int order, double scale,
                             const void *values);
/* Where things are over the run, at few times (places.c). q: the kept frames' poses as integers. */
AspError asp_view_pack_places(ViewPacker *packer, AspArena *scratch, const int32_t *q);
AspError asp_view_pack_beams(ViewPacker *packer, AspArena *scratch);
/* `width` numbers of each kept frame, as floats; whole, or in parts. */
AspError asp_view_pack_vectors(ViewPacker *packer, AspArena *scratch, const char *path, const char *name, size_t width,
                               bool parts);
/* Forces, torques and springs (forces.c). */
AspError asp_view_pack_forces(ViewPacker *packer, AspArena *scratch);
/* Belts and rollers (surfaces.c). */
AspError asp_view_pack_surfaces(ViewPacker *packer, AspArena *scratch);
AspError asp_view_pack_contacts(ViewPacker *packer);
AspError asp_view_pack_certificate(ViewPacker *packer);
/* Which steps are not resolved, and the measures (resolution.c). */
AspError asp_view_pack_resolution(ViewPacker *packer);

#endif
