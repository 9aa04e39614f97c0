// The playground in a browser: it runs scenes without a network, sliders and pulls act, mistakes stand at their lines.
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { after, afterEach, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { asperity, launch, noFaults, SOURCE } from "./support.mjs";

let browser;
before(async () => {
  asperity("playground", "--quiet", "-o", "play.html");
  browser = await launch();
});
afterEach(() => Promise.all(browser.contexts().map((context) => context.close()))); // a page that is open goes on drawing
after(() => browser?.close());

/** The page from its file, with every fault and every request beyond it noted. */
async function play(hash, path = "play.html") {
  const context = await browser.newContext({ viewport: { width: 900, height: 600 } });
  const page = await context.newPage();
  const address = String(pathToFileURL(resolve(path)));
  page.faults = [];
  page.on("pageerror", (error) => page.faults.push(error.message));
  page.on("console", (message) => message.type() === "error" && page.faults.push(message.text()));
  page.on("request", (request) => {
    const url = request.url();
    if (!url.startsWith(address) && !url.startsWith("blob:") && !url.startsWith("data:")) page.faults.push(`request to ${url}`);
  });
  await page.goto(`${address}#quality=fast&${hash}`);
  await page.waitForFunction(() => window.playground || document.getElementById("fault"), null, { timeout: 120000 });
  assert.equal(await page.locator("#fault").count(), 0, await page.locator("body").innerText());
  return page;
}

/** So many steps, not by the clock. */
const steps = (page, count) =>
  page.evaluate(async (most) => {
    for (let made = 0; made < most; made = window.playground.steps) await window.playground.advance(Infinity, most - made);
    return window.playground.frame;
  }, count);

const setSlider = async (page, key, value) => {
  const box = page.locator(`[data-number="${key}"]`);
  await box.fill(String(value));
  await box.dispatchEvent("change");
  await page.waitForFunction(() => window.playground.settled());
};

test("the page opens from a file, runs the card house and shows its certificate; no request leaves it", async () => {
  const page = await play("scene=gallery/card-house");
  const frame = await steps(page, 12);
  assert.ok(frame.info.certified && frame.info.contacts > 20);
  await page.locator("#tab-certificate").click();
  await page.waitForSelector("#page-certificate #verdict");
  assert.match(await page.locator("#page-certificate #verdict").innerText(), /All 12 steps certified/);
  await page.locator("#tab-plots").click();
  await page.waitForSelector("#plot-energy canvas");
  await page.locator("#play").click();
  await page.waitForFunction(() => window.playground.steps > 14, null, { timeout: 120000 });
  await page.locator("#play").click();
  await page.locator("#reset").click();
  await page.waitForFunction(() => window.playground.frame.t === 0);
  noFaults(page);
});

test("the pile of 200 balls runs with its pictures, certified to the tolerance that the page names", async () => {
  const page = await play("course=pile");
  const before = await page.evaluate(() => window.playground.frame.q[7 * 200 + 2]);
  const frame = await steps(page, 60);
  assert.equal(frame.info.uncertified, 0);
  assert.ok(frame.info.contacts > 200 && frame.q[7 * 200 + 2] < before - 0.1, "the uppermost ball has fallen");
  await page.locator("#play").click();
  await page.waitForFunction(() => window.playground.steps > 63, null, { timeout: 120000 });
  await page.locator("#play").click();
  await page.waitForFunction(() => window.playground.settled() && !window.playground.busy);
  assert.ok(await page.evaluate(() => window.playground.view.shown > 0), "the picture follows");
  assert.match(await page.locator("#certified").innerText(), /^certified to 1e-4, residual/);
  await setSlider(page, "tolerance", 1e-6); // steps before were certified to 1e-4 only, and that is still what is said
  await page.locator("#step").click();
  await page.waitForFunction(() => window.playground.settled() && !window.playground.busy);
  assert.ok((await page.evaluate(() => window.playground.frame.info.residual)) <= 1e-6);
  assert.match(await page.locator("#certified").innerText(), /^certified to 1e-4, residual/);
  noFaults(page);
});

test("the slider of mu makes the block slip at tan(angle) = mu", async () => {
  const page = await play("course=slope");
  const speed = async () => (await steps(page, 20)).v[6];
  await setSlider(page, "parameter:angle", 26.5);
  assert.ok(Math.abs(await speed()) < 1e-6, "0.5 > tan 26.5");
  await page.evaluate(() => (window.playground.steps = 0));
  await setSlider(page, "parameter:mu", 0.49); // tan 26.5 = 0.4986: goes on from where it is, and slips
  const expected = 9.81 * (Math.sin((26.5 * Math.PI) / 180) - 0.49 * Math.cos((26.5 * Math.PI) / 180)) * 0.2;
  assert.ok(Math.abs((await speed()) - expected) < 1e-6);
  noFaults(page);
});

test("pulling with the pointer moves a body", async () => {
  const page = await play("course=slope");
  await setSlider(page, "parameter:angle", 0);
  const [x, y] = await page.evaluate(() => {
    window.playground.view.render();
    return window.playground.view.screen(1);
  });
  await page.mouse.move(x, y);
  await page.mouse.down();
  await page.mouse.move(x + 120, y, { steps: 3 });
  const before = await page.evaluate(() => window.playground.frame.q[7]);
  const frame = await steps(page, 40);
  await page.mouse.up();
  assert.ok(Math.hypot(frame.q[7] - before, frame.q[8]) > 0.01, `${frame.q[7]}, ${frame.q[8]}`);
  assert.ok(frame.info.certified);
  const pulled = Math.hypot(...frame.pull.slice(0, 3));
  assert.ok(pulled > 0 && pulled <= 20 * 9.81 + 1e-6, "the spring has a limit");
  noFaults(page);
});

test("the editor shows a mistake at its line, and completes keys from the schema", async () => {
  const page = await play("course=slope&tab=editor");
  const text = await page.locator("#editor").inputValue();
  const line = text.split("\n").findIndex((one) => one.includes('"name": "block"')) + 1;
  await page.locator("#editor").fill(text.replace('"mass": 1', '"mass": -1'));
  await page.waitForSelector(".message.wrong");
  assert.equal(await page.locator(".message.wrong").getAttribute("data-line"), String(line));
  assert.match(await page.locator(".message.wrong").innerText(), /mass: -1/);
  assert.equal(await page.locator(".gutter .wrong").getAttribute("data-line"), String(line));
  await page.locator("#editor").fill('{"gravity": [0, 0, -9.81],\n "mat');
  await page.waitForSelector(".choices li");
  assert.match(await page.locator(".choices li").first().innerText(), /materials/);
  await page.locator("#editor").press("Enter");
  assert.match(await page.locator("#editor").inputValue(), /"materials": $/);
  await page.waitForSelector('.message.wrong[data-line="2"]');
  noFaults(page);
});

test("a link restores scene and sliders", async () => {
  const page = await play("course=slope");
  await setSlider(page, "parameter:mu", 0.77);
  const link = await page.evaluate(() => window.playground.link());
  const other = await play(link.split("#")[1]);
  assert.equal(await other.evaluate(() => window.playground.about.parameters.find(({ name }) => name === "mu").value), 0.77);
  assert.equal(await other.locator('[data-number="parameter:mu"]').inputValue(), "0.77");
  assert.equal(await other.evaluate(() => window.playground.lesson.id), "slope");
  noFaults(other);
});

test("the list shows the scene that is loaded; without contacts there is no plot of them", async () => {
  const page = await play("tab=plots");
  const chosen = () => page.evaluate(() => document.getElementById("scenes").selectedOptions[0].textContent);
  const plots = () => page.evaluate(() => [...document.querySelectorAll("#page-plots .plot")].filter((plot) => plot.checkVisibility()).map(({ id }) => id));
  assert.deepEqual([await page.locator("#scenes").inputValue(), await chosen()], ["scene:gallery/card-house", await page.locator("#title h1").innerText()]);
  await steps(page, 3);
  await page.waitForFunction(() => document.getElementById("plot-contacts")?.checkVisibility()); // within a quarter of a second
  await page.evaluate(() => (location.hash = "scene=four-bar"));
  await page.waitForFunction(() => document.getElementById("scenes").value === "scene:four-bar" && window.playground.settled() && window.playground.frame.t === 0);
  await steps(page, 3);
  assert.deepEqual((await plots()).filter((id) => /energy|contacts|residual/.test(id)), ["plot-energy", "plot-residual"]);
  await page.locator("#tab-editor").click();
  const text = await page.locator("#editor").inputValue();
  await page.locator("#editor").fill(text.replace(/"name": "[^"]*"/, '"name": "mine"'));
  await page.waitForFunction(() => document.getElementById("scenes").value === "" && window.playground.about.name === "mine");
  assert.equal(await chosen(), "mine");
  await page.evaluate(() => {
    const list = document.getElementById("scenes");
    list.value = "scene:four-bar"; // the same again, as it is in the list
    list.dispatchEvent(new Event("change"));
  });
  await page.waitForFunction(() => document.getElementById("scenes").value === "scene:four-bar" && window.playground.about.name !== "mine");
  assert.equal(await page.locator("#editor").inputValue(), text);
  noFaults(page);
});

test("what the page says of Painlevé's rod is what analyze proves", async () => {
  const page = await play("course=painleve");
  const said = () => page.evaluate(() => [...document.querySelectorAll(".analysis")].map((one) => [one.dataset.level, Number(one.dataset.count), one.querySelector("h3").textContent]));
  const A = () => page.evaluate(() => Number(document.querySelector('.analysis[data-level="acceleration"] [data-a]').dataset.a));
  await page.waitForSelector('.analysis[data-level="impulse"]');
  assert.deepEqual((await said())[0].slice(0, 2), ["acceleration", 0]);
  assert.match((await said())[0][2], /proved/);
  const phi = Math.PI / 3;
  assert.ok(Math.abs((await A()) - (1 + 3 * (Math.cos(phi) ** 2 - 1.5 * Math.sin(phi) * Math.cos(phi)))) < 1e-12);
  await setSlider(page, "parameter:omega", 5); // b = -g + l omega^2 sin(phi) > 0: two motions
  assert.equal((await said())[0][1], 2);
  await setSlider(page, "parameter:mu", 0.5); // A > 0: exactly one
  assert.ok((await A()) > 0);
  assert.equal((await said())[0][1], 1);
  noFaults(page);
});

test("Painlevé's rod at several positions of the sliders: the page lists the solutions that `asperity analyze` lists", async () => {
  const page = await play("course=painleve");
  const places = [
    { phi: 60, mu: 1.5, omega: 0 }, // A < 0, b < 0: none
    { phi: 60, mu: 1.5, omega: 5 }, // A < 0, b > 0: two
    { phi: 30, mu: 1.5, omega: 0 }, // A > 0, b < 0: one, sliding
    { phi: 30, mu: 0.4, omega: 5 }, // A > 0, b < 0 still
    { phi: 80, mu: 2.6, omega: -4 },
    { phi: 75, mu: 0, omega: 5 }, // A > 0, b > 0: one, open
  ];
  const seen = new Set();
  for (const place of places) {
    for (const [name, value] of Object.entries(place)) await setSlider(page, `parameter:${name}`, value);
    for (const level of ["acceleration", "impulse"]) {
      const sets = Object.entries(place).flatMap(([name, value]) => ["--set", `${name}=${value}`]);
      const proved = JSON.parse(asperity("analyze", `${SOURCE}/scenes/course/painleve.json`, "--level", level, "--json", ...sets));
      await page.waitForSelector(`.analysis[data-level="${level}"]`);
      const said = await page.evaluate((level) => {
        const box = document.querySelector(`.analysis[data-level="${level}"]`);
        return { count: Number(box.dataset.count), title: box.querySelector("h3").textContent, a: Number(box.querySelector("[data-a]")?.dataset.a), solutions: [...box.querySelectorAll("table")].map((one) => [...one.querySelectorAll("td")].slice(1, 3).map((cell) => cell.textContent)) };
      }, level);
      const where = `${level} at ${JSON.stringify(place)}`;
      assert.ok(proved.complete, where);
      assert.equal(said.count, proved.solutions.length, where);
      assert.deepEqual(said.solutions.map(([mode]) => mode), proved.solutions.map(({ modes }) => modes[0]), where);
      proved.solutions.forEach(({ r }, i) => assert.ok(Math.abs(Number(said.solutions[i][1]) - r[0][0]) <= 1e-3 * Math.abs(r[0][0]) + 1e-12, `${where}: ${said.solutions[i]}`));
      if (proved.solutions.length === 0) assert.match(said.title, /proved/, where);
      const equations = proved.certificate.normal_equations;
      if (equations && Number.isFinite(said.a)) assert.ok(Math.abs(said.a - equations.A[0][0]) < 1e-12, where);
      if (level === "acceleration") seen.add(`${said.count} ${proved.solutions.map(({ modes }) => modes[0]).join()}`);
    }
  }
  assert.ok(["0 ", "1 open", "1 slide"].every((kind) => seen.has(kind)) && [...seen].some((kind) => kind.startsWith("2 ")), [...seen].join("; "));
  noFaults(page);
});

test("the hour on Painlevé's rod: what each task sets and its answer claims is what `asperity analyze` proves", async () => {
  const page = await play("course=painleve");
  const tasks = page.locator("ol.tasks li");
  const count = await tasks.count();
  assert.ok(count >= 6);
  const proofs = (settings, level) => JSON.parse(asperity("analyze", `${SOURCE}/scenes/course/painleve.json`, "--level", level, "--json", ...settings.flatMap((one) => ["--set", one])));
  for (let i = 0; i < count; i++) {
    const task = tasks.nth(i);
    await task.locator(".set").click();
    await page.waitForFunction(() => window.playground.settled());
    const settings = (await task.locator(".set").getAttribute("title")).split(", ").map((one) => one.replaceAll(" ", ""));
    const proved = ["acceleration", "impulse"].map((level) => proofs(settings, level));
    assert.deepEqual(await page.evaluate(() => [...document.querySelectorAll(".analysis")].map((one) => Number(one.dataset.count))), proved.map(({ solutions }) => solutions.length), settings.join());
    assert.equal(await page.locator("#task b").innerText(), await task.locator("b").innerText());
    const answer = await task.locator("details p").textContent();
    const forces = proved.flatMap(({ solutions }, level) => solutions.map(({ r }) => ({ value: r[0][0], unit: ["N", "N s"][level] })));
    for (const [, number, unit] of answer.matchAll(/([0-9.]+) (N s|N)\b/g)) assert.ok(forces.some((one) => one.unit === unit && Math.abs(one.value - number) < 2e-3 * number), `${number} ${unit} at ${settings}`);
    for (const [, from, to] of answer.matchAll(/between ([0-9.]+)° and ([0-9.]+)°/g))
      for (const [phi, solutions] of [[Number(from) - 0.1, 1], [Number(from) + 0.1, 0], [Number(to) - 0.1, 0], [Number(to) + 0.1, 1]]) assert.equal(proofs([...settings.slice(1), `phi=${phi}`], "acceleration").solutions.length, solutions, `phi ${phi}`);
  }
  await tasks.nth(2).locator(".set").click(); // no solution: the next step has the impulse of the list
  await page.waitForFunction(() => window.playground.settled() && window.playground.frame.info.step === 0);
  const frame = await steps(page, 1);
  assert.ok(frame.info.certified && frame.info.impulse && Math.abs(frame.info.kinetic - 0.28) < 0.01, `${frame.info.kinetic}`);
  noFaults(page);
});

test("a call for steps without any time makes one all the same: none made means the end of a run", async () => {
  const page = await play("course=slope");
  const made = await page.evaluate(async () => (await window.playground.world.advance(Infinity, 5, -1)).made);
  assert.equal(made, 1);
  noFaults(page);
});

test("a scene given to the command comes first, and texts in it cannot break the page", async () => {
  const { writeFileSync, readFileSync } = await import("node:fs");
  const scene = JSON.parse(readFileSync(`${SOURCE}/scenes/course/slope.json`, "utf8"));
  writeFileSync("own.json", JSON.stringify({ ...scene, name: "</script><!-- mine" }));
  asperity("playground", "--quiet", "own.json", "-o", "own.html");
  assert.ok(existsSync("own.html"));
  const page = await play("", "own.html");
  assert.equal(await page.locator("#title h1").innerText(), "</script><!-- mine");
  noFaults(page);
});

test("a slider can be dragged through, in a lesson that begins anew with every move, too", async () => {
  const page = await play("course=painleve");
  const box = await page.locator('[data-slider="parameter:mu"]').boundingBox();
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  await page.mouse.down();
  for (const part of [0.6, 0.7, 0.8, 0.9, 1]) {
    await page.mouse.move(box.x + box.width * part, box.y + box.height / 2);
    await page.waitForFunction(() => window.playground.settled());
  }
  await page.mouse.up();
  await page.waitForFunction(() => window.playground.settled());
  assert.equal(await page.evaluate(() => window.playground.about.parameters.find(({ name }) => name === "mu").value), 3);
  await page.locator('[data-slider="parameter:mu"]').press("Home");
  await page.waitForFunction(() => window.playground.settled());
  assert.equal(await page.evaluate(() => document.activeElement.dataset.slider), "parameter:mu");
  noFaults(page);
});

test("a value that is refused goes back; what is edited counts before what a slider said", async () => {
  const page = await play("course=slope");
  const shown = (key) => page.locator(`[data-number="${key}"]`).inputValue();
  for (const [key, value] of [["dt", 0], ["dt", ""], ["dt", -1], ["parameter:mu", -1], ["parameter:mu", 1e300], ["tolerance", 0], ["pull", -3]]) {
    const before = await shown(key);
    await setSlider(page, key, value);
    await page.waitForFunction(([key, before]) => document.querySelector(`[data-number="${key}"]`).value === before, [key, before]);
  }
  assert.deepEqual(await page.evaluate(() => window.playground.values), {});
  await setSlider(page, "parameter:mu", 0.7);
  await setSlider(page, "parameter:angle", 30);
  await page.locator("#tab-editor").click();
  const text = await page.locator("#editor").inputValue();
  await page.locator("#editor").fill(text.replaceAll(/"mu"/g, '"nu"'));
  await page.waitForFunction(() => window.playground.about.parameters.some(({ name }) => name === "nu"));
  assert.deepEqual(await page.evaluate(() => window.playground.values), { "parameter:angle": 30 });
  noFaults(page);
});

test("a page that begins with a broken scene shows its mistake, and runs once it is mended", async () => {
  const page = await play("course=slope");
  const text = await page.locator("#editor").inputValue();
  await page.locator("#editor").evaluate((area, broken) => (area.value = broken), text.slice(0, 200));
  const link = await page.evaluate(() => window.playground.link());
  const other = await play(link.split("#")[1]);
  assert.equal(await other.locator(".message.wrong").getAttribute("data-line"), "4");
  assert.ok(await other.locator("#editor").isVisible());
  for (const id of ["play", "theme", "contacts", "tab-plots", "tab-certificate", "tab-editor", "play"]) await other.locator(`#${id}`).click();
  await other.locator("#editor").fill(text);
  await other.waitForFunction(() => window.playground.about.name === "block on a slope" && window.playground.settled());
  await other.locator("#step").click();
  await other.keyboard.press("s"); // keys act after a button was clicked, too
  await other.waitForFunction(() => window.playground.steps === 2 && window.playground.view.shown === 2);
  noFaults(other);
});

test("a text of a hundred thousand lines does not stop the page; a force that begins at zero is drawn", async () => {
  const page = await play("scene=table-pushed&tab=editor");
  await steps(page, 5);
  await page.locator("#editor").evaluate((area) => {
    area.value = "{\n".repeat(100000);
    area.dispatchEvent(new Event("input"));
  });
  await page.waitForSelector(".message.wrong");
  assert.ok((await page.locator(".gutter div").count()) < 100);
  noFaults(page); // three.js reports arrows that are not numbers
});

const canvasBox = (page) => page.locator("#canvas").boundingBox();
const bodyAt = (page, body) => page.evaluate((body) => (window.playground.view.render(), window.playground.view.screen(body)), body);

test("bodies that leave the picture are followed, until the user turns it", async () => {
  const page = await play("course=slope");
  await setSlider(page, "parameter:angle", 45);
  await steps(page, 200); // 2 s at mu 0.5: 7 m down the slope
  const frame = await page.evaluate(() => (window.playground.view.show(window.playground.run.frames - 1), window.playground.frame));
  assert.ok(frame.q[7] > 5, `${frame.q[7]}`);
  const box = await canvasBox(page);
  for (let round = 0; round < 3; round++) await page.evaluate(() => window.playground.view.show(window.playground.view.shown));
  const [x, y] = await bodyAt(page, 1);
  assert.ok(x > box.x && x < box.x + box.width && y > box.y && y < box.y + box.height, `${x}, ${y}`);
  await page.locator("#canvas").focus();
  await page.keyboard.press(","); // the camera is the user's now
  await page.evaluate(() => (window.playground.steps = 0));
  await steps(page, 200);
  await page.evaluate(() => window.playground.view.show(window.playground.run.frames - 1));
  const [left] = await bodyAt(page, 1);
  assert.ok(left < box.x || left > box.x + box.width, `${left}`);
  await page.keyboard.press("v");
  for (let round = 0; round < 3; round++) await page.evaluate(() => window.playground.view.show(window.playground.view.shown));
  const [back] = await bodyAt(page, 1);
  assert.ok(back > box.x && back < box.x + box.width, `${back}`);
  noFaults(page);
});

test("in the lesson of the slope gravity is downwards in the picture", async () => {
  const page = await play("course=slope");
  for (const angle of [20, 40]) {
    await setSlider(page, "parameter:angle", angle);
    const [up, expected] = await page.evaluate((angle) => {
      const { camera } = window.playground.view.stage;
      return [camera.up.toArray(), [-Math.sin((angle * Math.PI) / 180), 0, Math.cos((angle * Math.PI) / 180)]];
    }, angle);
    up.forEach((value, i) => assert.ok(Math.abs(value - expected[i]) < 1e-9, `${up}`));
  }
  noFaults(page);
});

test("four directions turn the puck aside, the exact cone does not; the path before stays", async () => {
  const page = await play("course=cone");
  const heading = async () => {
    const { q } = await steps(page, 50);
    return (Math.atan2(q[8], q[7]) * 180) / Math.PI;
  };
  assert.ok(Math.abs((await heading()) - 20) > 1);
  await page.evaluate(() => window.playground.view.show(window.playground.run.frames - 1));
  assert.equal(await page.locator("[data-choice=directions]").inputValue(), "4");
  await page.locator("[data-choice=directions]").selectOption("0");
  await page.waitForFunction(() => window.playground.settled() && window.playground.frame.t === 0);
  assert.equal(await page.evaluate(() => window.playground.about.run.exact), true);
  assert.ok(Math.abs((await heading()) - 20) < 1e-6);
  assert.ok(await page.evaluate(() => window.playground.view.shows.before[0].length > 0), "paths of the run before");
  const link = await page.evaluate(() => window.playground.link());
  const other = await play(link.split("#")[1]);
  assert.equal(await other.evaluate(() => window.playground.about.run.exact), true);
  noFaults(page);
});

test("four legs: the list gives each leg the interval that `asperity analyze` proves", async () => {
  const page = await play("course=four-legs");
  await page.waitForSelector('.analysis[data-level="acceleration"] table');
  const proved = JSON.parse(asperity("analyze", `${SOURCE}/scenes/course/four-legs.json`, "--level", "acceleration", "--json"));
  assert.ok(proved.complete && proved.solutions.length === 1);
  const said = await page.evaluate(() => [...document.querySelectorAll(".analysis tr")].slice(1).map((row) => row.lastElementChild.textContent.split(" … ").map(Number)));
  assert.equal(said.length, 4);
  const loads = [9.81, 73.575, 0, 63.765]; // near legs carry 10 g / 4 + 5 g (0.5 + x) / 2 in the mean; the corner opposite may carry nothing
  said.forEach(([low, high], leg) => {
    assert.ok(Math.abs(low - loads[leg < 2 ? 0 : 2]) < 0.05 && Math.abs(high - loads[leg < 2 ? 1 : 3]) < 0.05, `${said[leg]}`);
  });
  noFaults(page);
});

test("the certificate is three lines with the details folded", async () => {
  const page = await play("scene=gallery/woodpecker");
  await steps(page, 20);
  await page.locator("#tab-certificate").click();
  await page.waitForSelector("#certificate #worst");
  assert.deepEqual(await page.locator("#certificate .verdict").evaluateAll((lines) => lines.map(({ id }) => id)), ["verdict", "resolved", "worst"]);
  assert.match(await page.locator("#worst").innerText(), /Worst: .* of /);
  assert.equal(await page.locator("#details").evaluate((details) => details.open), false);
  await page.locator("#details summary").click();
  await page.locator("#step").click();
  await page.waitForFunction(() => window.playground.settled() && !window.playground.busy);
  assert.equal(await page.locator("#details").evaluate((details) => details.open), true, "stays as the user left it");
  noFaults(page);
});

test("any body or joint can be plotted, by keys alone; tabs are reached by arrow keys", async () => {
  const page = await play("scene=four-bar");
  await page.locator("#tab-scene").focus();
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowRight");
  assert.ok(await page.locator("#page-plots").isVisible());
  await steps(page, 5);
  const chosen = () => page.evaluate(() => document.getElementById("subject").selectedOptions[0].textContent);
  const first = await chosen();
  await page.keyboard.press("n");
  assert.notEqual(await chosen(), first);
  await page.locator("#subject").selectOption({ label: await page.evaluate(() => [...document.getElementById("subject").options].map((one) => one.textContent).find((text) => /^joint /.test(text))) });
  await page.locator("#quantity").selectOption("force");
  await page.waitForSelector("#plot-chosen canvas");
  const force = await page.evaluate(() => window.playground.run.reals("jointForce").slice(-3));
  assert.ok(Object.values(force).some((value) => value !== 0));
  assert.equal(await page.locator("#plot-chosen .note").innerText(), "", "nothing is rounded here");
  await page.locator("#tab-scene").focus();
  await page.keyboard.press("?");
  assert.match(await page.locator("#keys").innerText(), /one step/);
  noFaults(page);
});

test("on a phone every control can be reached, and numbers fit their fields", async () => {
  const page = await play("course=billiards");
  await page.setViewportSize({ width: 390, height: 844 });
  for (const id of ["play", "step", "reset", "share", "theme", "speed", "contacts", "export"]) {
    await page.locator(`#${id}`).scrollIntoViewIfNeeded();
    const box = await page.locator(`#${id}`).boundingBox();
    assert.ok(box && box.width >= 28 && box.x >= 0 && box.x + box.width <= 390, `${id}: ${JSON.stringify(box)}`);
  }
  assert.equal(await page.evaluate(() => document.scrollingElement.scrollWidth), 390);
  assert.deepEqual(await page.evaluate(() => [...document.querySelectorAll(".slider .number")].filter((one) => one.scrollWidth > one.clientWidth).map((one) => one.value)), []);
  await page.setViewportSize({ width: 840, height: 600 }); // a small window of a desk
  for (const id of ["play", "theme", "help", "scenes"]) {
    const box = await page.locator(`#${id}`).boundingBox();
    assert.ok(box.x >= 0 && box.x + box.width <= 840, `${id}: ${JSON.stringify(box)}`);
  }
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.waitForFunction(() => document.getElementById("export").closest("#transport"));
  const panel = await page.locator("#panel").boundingBox();
  const last = await page.locator("#tab-certificate").boundingBox();
  assert.ok(last.x + last.width <= panel.x + panel.width, "tabs fit the panel");
  noFaults(page);
});

test("every control of the playground has a name for screen readers", async () => {
  const page = await play("course=stick-slip");
  const nameless = await page.evaluate(() =>
    [...document.querySelectorAll("button, select, input, textarea, canvas[tabindex]")]
      .filter((one) => !(one.getAttribute("aria-label") || one.textContent.trim() || one.closest("label")?.textContent.trim()))
      .map((one) => one.outerHTML.slice(0, 80)),
  );
  assert.deepEqual(nameless, []);
  noFaults(page);
});
