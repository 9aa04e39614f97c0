// The playground in Chromium: steps and pictures a second, with rendering (without a graphics card: by the processor).
//
//   asperity playground -o play.html && node bench/wasm/page.mjs play.html
//
// Speed 4, so that the clock does not hold it back; the step's own time in the worker beside it.
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { launch } from "../../web/tools/browser.mjs";

/** So many balls that fall into a tray. */
function pile(count) {
  const bodies = [{ name: "tray", fixed: true, shapes: [{ type: "half-space", material: "tray" }] }];
  for (const [x, y, sx, sy] of [[0.55, 0, 0.1, 1.2], [-0.55, 0, 0.1, 1.2], [0, 0.55, 1.2, 0.1], [0, -0.55, 1.2, 0.1]]) bodies[0].shapes.push({ type: "box", size: [sx, sy, 0.4], position: [x, y, 0.2], material: "tray" });
  for (let i = 0; i < count; i++)
    bodies.push({ name: `ball ${i}`, position: [-0.4 + 0.16 * (i % 6) + 0.01 * (i % 7), -0.4 + 0.16 * (Math.floor(i / 6) % 6) + 0.01 * (i % 5), 0.1 + 0.14 * Math.floor(i / 36)], shapes: [{ type: "sphere", radius: 0.06, density: 1000, material: "ball" }] });
  return JSON.stringify({ name: `pile of ${count} balls`, gravity: [0, 0, -9.81], materials: [{ pair: ["ball", "*"], friction: 0.4 }], bodies, run: { dt: 0.005, until: 100 } });
}

const page = process.argv[2] ?? "play.html";
const browser = await launch();
const scenes = [["card house", null], ["pile of 200 balls", pile(200)]];
for (const [name, text] of scenes) {
  const tab = await (await browser.newContext({ viewport: { width: 1100, height: 700 } })).newPage();
  await tab.goto(`${pathToFileURL(resolve(page))}#scene=gallery/card-house`);
  await tab.waitForFunction(() => window.playground, null, { timeout: 120000 });
  const measured = await tab.evaluate(async (scene) => {
    const { playground } = window;
    if (scene) await playground.open(scene, {});
    const speed = document.getElementById("speed");
    speed.value = "4";
    speed.dispatchEvent(new Event("change"));
    playground.setRunning(true);
    await new Promise((wake) => setTimeout(wake, 4000)); // compiled, and the picture's quality chosen
    let pictures = 0;
    let inSteps = 0;
    let watching = true;
    const count = () => {
      pictures++;
      const { seconds } = playground.frame.info;
      inSteps += Object.values(seconds).reduce((sum, part) => sum + part, 0);
      if (watching) requestAnimationFrame(count);
    };
    requestAnimationFrame(count);
    const before = playground.steps;
    const from = performance.now();
    await new Promise((wake) => setTimeout(wake, 8000));
    watching = false;
    const passed = (performance.now() - from) / 1000;
    const { info } = playground.frame;
    return { steps: (playground.steps - before) / passed, pictures: pictures / passed, ms: (1000 * inSteps) / pictures, contacts: info.contacts, uncertified: info.uncertified, t: info.t };
  }, text);
  console.log(`${name.padEnd(20)} ${measured.steps.toFixed(1)} steps/s, ${measured.pictures.toFixed(1)} pictures/s, ${measured.ms.toFixed(1)} ms a step, ${measured.contacts} contacts, ${measured.uncertified} not certified, t = ${measured.t.toFixed(2)} s`);
}
await browser.close();
