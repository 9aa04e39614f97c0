// The playground in Chromium: steps and pictures a second, with rendering (without a graphics card: by the processor).
//
//   asperity playground -o play.html && node bench/wasm/page.mjs play.html [OTHER.html ...]
//
// From the start, with falling and settling; speed 4, so that the clock does not hold it back. Processor time
// says what other work on the machine leaves alone: of the worker for a step, of everything else for a picture.
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { launch } from "../../web/tools/browser.mjs";
import { processorTime, threadTime } from "../../web/tools/processor.mjs";

const pages = process.argv.length > 2 ? process.argv.slice(2) : ["play.html"];
const browser = await launch();
for (const [name, wish, page] of [["card house", "scene=gallery/card-house"], ["pile of 200 balls", "course=pile"]].flatMap((one) => pages.map((page) => [...one, page]))) {
  const tab = await (await browser.newContext({ viewport: { width: 1100, height: 700 } })).newPage();
  await tab.goto(`${pathToFileURL(resolve(page))}#${wish}`);
  await tab.waitForFunction(() => window.playground, null, { timeout: 120000 });
  const began = [processorTime(), threadTime("DedicatedWorker")];
  const measured = await tab.evaluate(async () => {
    const { playground } = window;
    const speed = document.getElementById("speed");
    speed.value = "4";
    speed.dispatchEvent(new Event("change"));
    playground.setRunning(true);
    const before = playground.pictures;
    const rates = []; // of each second
    const from = performance.now();
    for (let second = 0; second < 12; second++) {
      const [steps, at] = [playground.steps, performance.now()];
      await new Promise((wake) => setTimeout(wake, 1000));
      rates.push((1000 * (playground.steps - steps)) / (performance.now() - at));
    }
    const pictures = playground.pictures - before;
    const passed = (performance.now() - from) / 1000;
    const { contacts, uncertified, t } = playground.frame.info;
    return { mean: playground.steps / passed, least: Math.min(...rates.slice(1)), pictures: pictures / passed, contacts, uncertified, t, tolerance: playground.tolerance, steps: playground.steps, drawn: pictures };
  });
  const inSteps = threadTime("DedicatedWorker") - began[1];
  const inPictures = processorTime() - began[0] - inSteps;
  await tab.context().close();
  const { mean, least, pictures, contacts, uncertified, t, tolerance } = measured;
  console.log(`${pages.length > 1 ? `${page}: ` : ""}${name.padEnd(18)} ${mean.toFixed(0)} steps/s, ${least.toFixed(0)} in the slowest second after the first, ${pictures.toFixed(1)} pictures/s, tolerance ${tolerance}, ${contacts} contacts, ${uncertified} steps not certified, t = ${t.toFixed(2)} s; processor time ${((1000 * inSteps) / measured.steps).toFixed(1)} ms a step, ${((1000 * inPictures) / measured.drawn).toFixed(0)} ms a picture`);
}
await browser.close();
