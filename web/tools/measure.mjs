// How fast a report opens and plays in headless Chromium with software rendering:
//
//   node web/tools/measure.mjs REPORT.html [--size 1200x750] [--view "contacts=0"] [--seconds 5]
//
// Prints one line of JSON: bytes of the file, seconds from navigation to the first picture and pictures per second while
// it plays, both also as processor time of the browser (which other work on the machine does not change), and what the page
// gave up to keep pace (memory_mb: the most that the page's process held). No other Chromium may run meanwhile (processor.mjs).
import { statSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { launch } from "./browser.mjs";
import { mostMemory, processorTime } from "./processor.mjs";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { size: { type: "string", default: "1200x750" }, view: { type: "string", default: "" }, seconds: { type: "string", default: "5" } },
});
const [report] = positionals;
if (!report) {
  console.error("usage: measure.mjs REPORT.html [--size WxH] [--view HASH] [--seconds S]");
  process.exit(2);
}
const [width, height] = values.size.split("x").map(Number);
const browser = await launch();
const page = await browser.newPage({ viewport: { width, height } });
const idle = processorTime();
await page.goto(`${pathToFileURL(resolve(report))}#${values.view}`);
await page.waitForFunction(() => window.asperity, null, { timeout: 300000, polling: 20 });
const open = await page.evaluate(() => {
  window.asperity.render();
  (window.asperity.picture ?? window.asperity).stage.renderer.getContext().finish(); // pages before the redesign have no picture
  return performance.now() / 1000;
});
const opened = processorTime();
const measured = await page.evaluate(async (seconds) => {
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
  return {
    bodies: viewer.run.bodies,
    frames: viewer.run.frames,
    pictures,
    pictures_per_s: Number((pictures / passed).toFixed(1)),
    level: document.getElementById("level").textContent,
  };
}, Number(values.seconds));
const played = processorTime();
const memory = mostMemory();
await browser.close();
const rounded = (value) => Number(value.toFixed(3));
console.log(
  JSON.stringify({
    bytes: statSync(report).size,
    open_s: rounded(open),
    open_cpu_s: rounded(opened - idle),
    ...measured,
    cpu_s_per_picture: rounded((played - opened) / measured.pictures),
    memory_mb: memory,
  }),
);
