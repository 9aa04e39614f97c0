/* The guided hopper of Capobianco, Harsch, Eugster and Leine. The paper gives no parameters; these are those of the
 * authors' earlier public script: body 3 kg, rod 1.56 kg and 0.2 m, steel blade 0.2 x 0.03 x 0.003 m, foot 0.07 m above
 * the ground at rest, hip 0.035 m below the body's point. */
#ifndef CLI_HOPPER_H
#define CLI_HOPPER_H

#include "asperity/asperity.h"

typedef struct Hopper {
  AspModel *model;
  AspWorld *world;
  int main_body, rod, blade, foot;
} Hopper;

typedef struct HopperSetting {
  double mu;
  int elements;
  bool plain;     /* axial strain by displacements and two Gauss points, as in the authors' earlier script */
  double damping; /* of the blade's material, s */
  double dt, until;
} HopperSetting;

AspError hopper_open(AspContext *context, const HopperSetting *setting, Hopper *hopper);
void hopper_close(Hopper *hopper);
/* Percussions of the foot in the last step, N s. */
void hopper_percussion(const Hopper *hopper, double *normal, double *friction);

#endif
