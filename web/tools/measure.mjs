// How fast reports open and play in headless Chromium with software rendering:
//
//   node web/tools/measure.mjs REPORT.html [OTHER.html ...] [--rounds 1] [--size 1200x750] [--view "contacts=0"] [--seconds 5]
//
// Every round opens every report once, in turn, so that work of others on the machine meets all of them. Prints one line of JSON
// for each: bytes of the file; seconds from navigation to the first picture (first_*) and to the whole run (open_*); pictures per
// second while it plays; all also as processor time of the browser, which other work changes little; and what the page gave up to
// keep pace (memory_mb: the most that one process held). The browser is given time to settle before. Pages without the mark "first picture" show it when all is unpacked.
import { statSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { launch } from "./browser.mjs";
import { mostMemory, processorTime } from "./processor.mjs";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { size: { type: "string", default: "1200x750" }, view: { type: "string", default: "" }, seconds: { type: "string", default: "5" }, rounds: { type: "string", default: "1" } },
});
if (!positionals.length) {
  console.error("usage: measure.mjs REPORT.html [OTHER.html ...] [--rounds N] [--size WxH] [--view HASH] [--seconds S]");
  process.exit(2);
}
const [width, height] = values.size.split("x").map(Number);
const rounded = (value) => Number(value.toFixed(3));

/** When everything that was asked for is in the picture, s after navigation: one pixel is read, which waits for it. */
const pictureDone = (page) =>
  page.evaluate(() => {
    window.asperity?.render();
    document.getElementById("canvas").getContext("webgl2").readPixels(0, 0, 1, 1, WebGL2RenderingContext.RGBA, WebGL2RenderingContext.UNSIGNED_BYTE, new Uint8Array(4));
    return performance.now() / 1000;
  });

/** In the page: notes when the first picture has been drawn and given to the screen; reading a pixel waits for all that was asked for. */
function noteFirst() {
  const mark = performance.mark.bind(performance);
  const note = () => {
    document.getElementById("canvas").getContext("webgl2").readPixels(0, 0, 1, 1, WebGL2RenderingContext.RGBA, WebGL2RenderingContext.UNSIGNED_BYTE, new Uint8Array(4));
    window.firstPicture = performance.now() / 1000;
  };
  performance.mark = (name, ...more) => {
    if (name === "first picture") requestAnimationFrame(() => scheduler.postTask(note, { priority: "user-blocking" }));
    return mark(name, ...more);
  };
}

/** Pictures while it plays for so many seconds. */
const play = (page, seconds) =>
  page.evaluate(async (seconds) => {
    const viewer = window.asperity;
    viewer.setPlaying(true);
    let pictures = 0;
    const begin = performance.now();
    await new Promise((done) => {
      const count = () => {
        pictures++;
        if (performance.now() - begin < 1000 * seconds) requestAnimationFrame(count);
        else done();
      };
      requestAnimationFrame(count);
    });
    const passed = (performance.now() - begin) / 1000;
    return { bodies: viewer.run.bodies, frames: viewer.run.frames, pictures, pictures_per_s: Number((pictures / passed).toFixed(1)), level: document.getElementById("level").textContent };
  }, seconds);

/** A browser that was just started loads parts of itself for a second or more, which is not the page's time. */
async function settled() {
  for (let before = processorTime(), busy = 1; busy > 0.02; ) {
    await new Promise((wake) => setTimeout(wake, 500));
    const now = processorTime();
    [before, busy] = [now, now - before];
  }
}

async function measure(report) {
  const browser = await launch();
  const page = await browser.newPage({ viewport: { width, height } });
  await page.addInitScript(noteFirst);
  await settled();
  const idle = processorTime();
  await page.goto(`${pathToFileURL(resolve(report))}#${values.view}`, { waitUntil: "commit" });
  await page.waitForFunction(() => window.asperity || window.firstPicture, null, { timeout: 300000, polling: 20 });
  const first = (await page.evaluate(() => window.firstPicture)) ?? (await pictureDone(page));
  const shown = processorTime();
  await page.waitForFunction(() => window.asperity, null, { timeout: 300000, polling: 20 });
  const open = await pictureDone(page);
  const opened = processorTime();
  const measured = await play(page, Number(values.seconds));
  const played = processorTime();
  const memory = mostMemory();
  await browser.close();
  return {
    report,
    bytes: statSync(report).size,
    first_s: rounded(first),
    first_cpu_s: rounded(shown - idle),
    open_s: rounded(open),
    open_cpu_s: rounded(opened - idle),
    ...measured,
    cpu_s_per_picture: rounded((played - opened) / measured.pictures),
    memory_mb: memory,
  };
}

for (let round = 0; round < Number(values.rounds); round++) for (const report of positionals) console.log(JSON.stringify(await measure(report)));
