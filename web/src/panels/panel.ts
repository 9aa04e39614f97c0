// The panel beside the picture: certificate, bodies, display.
import { LOOKS } from "../colours";
import type { Viewer } from "../viewer";
import { BodyList } from "./body_list";
import { certificatePage } from "./certificate";
import { displayPage } from "./display";
import { buildTabs } from "./tabs";

export function buildPanel(viewer: Viewer): BodyList {
  const { run, picture, switches } = viewer;
  const { bodies, stage, contacts } = picture;
  const colour = (body: number) => (bodies.isFixed(body) ? LOOKS[viewer.theme].fixed : `#${bodies.colours[body].getHexString()}`);
  const list = new BodyList(run, bodies.visible, colour, { pick: (body) => viewer.pick(body), changed: () => viewer.redraw() });
  const setScale = (scale: number) => {
    contacts.scale = scale;
    viewer.showLegend();
    viewer.redraw();
  };
  const display = displayPage(switches, (name) => picture.offers(name), run.plane, {
    set: (name, on) => viewer.set(name, on),
    setScale,
    view: (az, el) => stage.resetCamera(az, el),
    chooseQuality: (quality) => viewer.chooseQuality(quality),
  });
  const certificate = certificatePage(run, (t) => viewer.goTo(t));
  buildTabs([["certificate", "Certificate", certificate], ["bodies", "Bodies", list.root], ["display", "Display", display]], (id) => viewer.openPage(id));
  return list;
}
