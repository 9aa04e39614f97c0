// The page: replay, plots and certificate of one run. Data are in the page (a report) or come from `asperity view`.
//
// After the # of the address: t (s), theme=light|dark, the switches of switches.ts = 1|0, az, el (degrees), zoom, at=x,y,z (the
// point looked at), ui=0 (the picture alone), title=0, plots=1|0, tab (certificate, plots, bodies, display), pick (name of a
// body), speed, rest=0 (no finer picture at rest), quality=fine|plain|fast (default: what
// keeps pace). window.asperity is what tests and picture tools use: there when the whole run is unpacked.
import "./style.css";
import { PackedRun, whole } from "./data/decode";
import { firstTime } from "./data/first_time";
import { Pieces } from "./data/pieces";
import { load, follow } from "./live";
import { by, element } from "./panels/dom";
import { Viewer } from "./viewer";

const FIRST_PICTURE = "first picture"; // a mark of the browser's clock, for measurements

declare global {
  interface Window {
    asperity?: Viewer;
  }
}

function fail(reason: unknown): void {
  const text = reason instanceof Error ? reason.message : String(reason);
  by("app").replaceChildren(element("div", { id: "fault" }, element("h1", {}, "This run cannot be shown"), element("p", {}, text)));
}

/** After the browser had time to show what was drawn; a page that is not shown has no pictures to wait for. */
const pause = () => new Promise((wake) => (document.hidden ? setTimeout(wake) : requestAnimationFrame(() => setTimeout(wake))));

// A report: the picture as soon as its frame is unpacked, while the browser may still be reading; then the rest, a part at a time.
async function showReport(pieces: Pieces, wish: URLSearchParams): Promise<Viewer> {
  const packed = await PackedRun.open(pieces);
  const { run } = packed;
  const first = run.frameAt(firstTime(run, wish));
  while (!packed.complete && run.ready < first + 2) await packed.more();
  const other = Pieces.begun("asperity-other") ? await whole(new Pieces("asperity-other")) : null;
  const viewer = new Viewer(run, wish, other);
  viewer.render();
  performance.mark(FIRST_PICTURE);
  await pause();
  while (!packed.complete) {
    await packed.more();
    viewer.arrived();
  }
  return viewer;
}

async function start(): Promise<void> {
  const wish = new URLSearchParams(location.hash.slice(1));
  const pieces = new Pieces("asperity-data");
  const report = await pieces.exist();
  window.asperity = report ? await showReport(pieces, wish) : new Viewer(await load(), wish);
  if (!report) await follow(window.asperity);
}

start().catch(fail);
