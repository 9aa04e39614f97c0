// The playground: scenes run in the page itself. Everything is in this file; nothing is fetched.
//
// After the # of the address: s= a shared scene (share.ts), course= a lesson, scene= a name of the list, run=1, theme=, tab=,
// quality=. window.playground is what tests use.
import "../src/style.css";
import "./play.css";
import { LiveWorld } from "../live/client";
import LiveWorker from "../live/worker?worker&inline";
import { by, element } from "../src/panels/dom";
import { Playground } from "./playground";
import { fromBase64 } from "./share";

declare global {
  interface Window {
    playground?: Playground;
  }
}

async function start(): Promise<void> {
  const packed = by("asperity-wasm").textContent!;
  const wasm = await new Response(new Blob([fromBase64(packed)]).stream().pipeThrough(new DecompressionStream("gzip"))).arrayBuffer();
  by("asperity-wasm").remove();
  const playground = new Playground(await LiveWorld.open(new LiveWorker(), wasm));
  await playground.start();
  window.playground = playground;
}

start().catch((reason: unknown) => {
  by("app").replaceChildren(element("div", { id: "fault" }, element("h1", {}, "The playground cannot start"), element("p", {}, reason instanceof Error ? reason.message : String(reason))));
});
