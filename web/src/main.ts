// The page: replay, plots and certificate of one run. Data are in the page (a report) or come from `asperity view`.
//
// After the # of the address: t (s), theme=light|dark, the switches of switches.ts = 1|0, az, el (degrees), zoom, at=x,y,z (the
// point looked at), ui=0 (the picture alone), title=0, plots=1|0, tab (certificate, plots, bodies, display), pick (name of a
// body), speed, rest=0 (no finer picture at rest), quality=fine|plain|fast (default: what
// keeps pace). window.asperity is what tests and picture tools use.
import "./style.css";
import { decode, embedded } from "./data/decode";
import { load, follow } from "./live";
import { by, element } from "./panels/dom";
import { Viewer } from "./viewer";

declare global {
  interface Window {
    asperity?: Viewer;
  }
}

function fail(reason: unknown): void {
  const text = reason instanceof Error ? reason.message : String(reason);
  by("app").replaceChildren(element("div", { id: "fault" }, element("h1", {}, "This run cannot be shown"), element("p", {}, text)));
}

async function start(): Promise<void> {
  const bytes = embedded("asperity-data");
  const beside = embedded("asperity-other");
  const run = bytes ? await decode(bytes) : await load();
  const viewer = new Viewer(run, new URLSearchParams(location.hash.slice(1)), beside ? await decode(beside) : null);
  window.asperity = viewer;
  if (!bytes) await follow(viewer);
}

start().catch(fail);
