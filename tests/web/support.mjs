// What the tests of the page share: results made by the program, a page that reports every fault.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { resolve } from "node:path";
import { after, afterEach, before } from "node:test";
import { pathToFileURL } from "node:url";
import { launch } from "../../web/tools/browser.mjs";

export const { ASPERITY, SOURCE } = process.env;

/** Runs the program; 1 (a step missed its tolerance) counts as done. */
export function asperity(...words) {
  const done = spawnSync(ASPERITY, words, { encoding: "utf8" });
  assert.ok(done.status === 0 || done.status === 1, `asperity ${words.join(" ")}: ${done.status} ${done.stderr}`);
  return done.stdout;
}

/** The scene simulated and its report made, here; returns the report's path. */
export function report(scene, ...flags) {
  const name = scene.split("/").pop();
  asperity("run", "--quiet", "--out", `${name}.h5`, ...flags, `${SOURCE}/scenes/${scene}.json`);
  asperity("report", "--quiet", `${name}.h5`, "-o", `${name}.html`);
  return `${name}.html`;
}

/** For a file of tests: a browser, and short reports of a scene in space and of one in the plane, made before its first test. */
export function twoReports() {
  const made = {};
  before(async () => {
    made.browser = await launch();
    made.space = report("pyramid-of-balls", "--until", "0.5");
    made.plane = report("slider-crank", "--until", "0.5");
  });
  afterEach(() => Promise.all(made.browser.contexts().map((context) => context.close()))); // a page that is open goes on drawing
  after(() => made.browser?.close());
  return made;
}

/** A page of the report. Faults: console errors, exceptions, and requests for anything but the file itself. */
export async function open(browser, path, { hash = "", width = 1100, height = 700, ...options } = {}) {
  const context = await browser.newContext({ viewport: { width, height }, ...options });
  const page = await context.newPage();
  const address = path.startsWith("http") ? path : String(pathToFileURL(resolve(path)));
  page.faults = [];
  page.on("pageerror", (error) => page.faults.push(error.message));
  page.on("console", (message) => message.type() === "error" && page.faults.push(message.text()));
  page.on("request", (request) => {
    const url = request.url();
    const own = url.startsWith(address) || url.startsWith("data:") || url.startsWith("blob:");
    if (!own) page.faults.push(`request to ${url}`);
  });
  await page.goto(`${address}#rest=0&${hash}`); // the finer picture at rest would cost every test its time
  await page.waitForFunction(() => window.asperity, null, { timeout: 60000 });
  return page;
}

export const noFaults = (page) => assert.deepEqual(page.faults, []);

/** How many points of a coarse grid (80 x 60) change when the bodies are taken out of the picture. */
export const pointsOfBodies = (page) =>
  page.evaluate(() => {
    const { bodies } = window.asperity.picture;
    const look = (visible) => {
      bodies.root.visible = visible;
      window.asperity.render();
      const copy = document.createElement("canvas");
      copy.width = 80;
      copy.height = 60;
      const context = copy.getContext("2d");
      context.drawImage(document.getElementById("canvas"), 0, 0, 80, 60);
      return context.getImageData(0, 0, 80, 60).data;
    };
    const without = look(false);
    const whole = look(true);
    let points = 0;
    for (let i = 0; i < whole.length; i += 4) if ([0, 1, 2].some((k) => Math.abs(whole[i + k] - without[i + k]) > 8)) points++;
    return points;
  });

export { launch };
