// The report as a user meets it: real results, a real browser.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { asperity, noFaults, open, pointsOfBodies, report, twoReports } from "./support.mjs";

const made = twoReports();

const state = (page) =>
  page.evaluate(() => {
    const { time, frame, playing, picked } = window.asperity;
    return { time, frame, playing, picked };
  });

test("a report in space and one in the plane load without faults and are not blank", async () => {
  for (const path of [made.space, made.plane]) {
    const page = await open(made.browser, path);
    assert.ok((await pointsOfBodies(page)) > 20, `${path} shows no bodies`);
    assert.match(await page.textContent("#verdict"), /steps certified/);
    noFaults(page);
    await page.context().close();
  }
});

test("a browser without WebGL is told so, and what to do", async () => {
  const context = await made.browser.newContext();
  const page = await context.newPage();
  await page.addInitScript(() => (HTMLCanvasElement.prototype.getContext = () => null));
  await page.goto(String(pathToFileURL(resolve(made.space))));
  await page.waitForSelector("#fault");
  assert.match(await page.textContent("#fault"), /no WebGL.*asperity convert/);
  await context.close();
});

test("a page whose data were damaged says so, and what to do", async () => {
  const text = readFileSync(made.plane, "latin1");
  const end = text.lastIndexOf("</script>", text.lastIndexOf('class="asperity-data"') + 5000000);
  const middle = end - 3000;
  writeFileSync("damaged.html", `${text.slice(0, middle)}${"A".repeat(40)}${text.slice(middle + 40)}`, "latin1");
  const page = await (await made.browser.newContext()).newPage();
  await page.goto(String(pathToFileURL(resolve("damaged.html"))));
  await page.waitForSelector("#fault");
  assert.match(await page.textContent("#fault"), /damaged or cut short.*asperity report/);
  await page.context().close();
});

test("a long run is shown before all of it is unpacked, and is whole in the end", async () => {
  const ball = (i) => ({ name: `ball ${i}`, mass: 1, position: [0, 0.3 * i, 0.1], velocity: [1 + (i % 5), 0, 0], shapes: [{ type: "sphere", radius: 0.1, material: "a" }] });
  const scene = {
    gravity: [0, 0, -10],
    materials: [{ pair: ["a", "a"], friction: 0.3 }],
    bodies: [{ name: "floor", fixed: true, shapes: [{ type: "half-space", material: "a" }] }, ...Array.from({ length: 500 }, (_, i) => ball(i))],
    run: { dt: 0.01, until: 4 },
  };
  writeFileSync("many.json", JSON.stringify(scene));
  asperity("run", "--quiet", "--out", "many.h5", "many.json");
  asperity("report", "--quiet", "many.h5", "-o", "many.html");
  const context = await made.browser.newContext({ viewport: { width: 1100, height: 760 } });
  const page = await context.newPage();
  // what the page holds when its first picture is there
  await page.addInitScript(() => {
    new PerformanceObserver((list) => list.getEntriesByName("first picture").forEach(() => (window.atFirst = { whole: Boolean(window.asperity), plots: document.querySelectorAll(".u-wrap").length }))).observe({ type: "mark", buffered: true });
  });
  await page.goto(`${pathToFileURL(resolve("many.html"))}#rest=0`);
  await page.waitForFunction(() => window.asperity && window.atFirst, null, { timeout: 60000 });
  const seen = await page.evaluate(() => {
    const { run } = window.asperity;
    const places = [0, run.frames >> 1, run.frames - 1].map((k) => run.coordinate(k, 5, 0));
    return { ...window.atFirst, ready: run.ready, frames: run.frames, part: run.header.part, places, later: document.querySelectorAll(".u-wrap").length };
  });
  assert.ok(seen.part < seen.frames && seen.ready === seen.frames);
  assert.deepEqual([seen.whole, seen.plots], [false, 0]);
  assert.ok(seen.later >= 3, "no plots in the end");
  // 5 m/s, sliding for 2 v / (7 mu g) = 0.476 s, then rolling at 5/7 of its speed
  const far = (t) => (t < 10 / 21 ? 5 * t - 1.5 * t * t : (5 * 10) / 21 - 1.5 * (10 / 21) ** 2 + (25 / 7) * (t - 10 / 21));
  [0, 2, 4].forEach((t, i) => assert.ok(Math.abs(seen.places[i] - far(t)) < 0.03, `at ${t} s: ${seen.places[i]}, not ${far(t)}`));
  // a time that is not unpacked yet when the page opens
  const late = await open(made.browser, "many.html", { hash: "t=3.5" });
  assert.ok(Math.abs((await state(late)).time - 3.5) < 1e-9);
  noFaults(late);
  await late.context().close();
  await context.close();
});

test("play advances, pause stops, the end loops", async () => {
  const page = await open(made.browser, made.space);
  await page.click("#play");
  await page.waitForFunction(() => window.asperity.time > 0.02);
  await page.click("#play");
  const { time, playing } = await state(page);
  assert.equal(playing, false);
  await page.waitForTimeout(200);
  assert.equal((await state(page)).time, time);
  await page.keyboard.press("End");
  await page.evaluate(() => window.asperity.seek(window.asperity.run.end - 1e-3));
  await page.keyboard.press("Space");
  await page.waitForFunction(() => window.asperity.time < 0.4);
  noFaults(page);
  await page.context().close();
});

test("scrubbing moves the bodies and the plots' cursors", async () => {
  const page = await open(made.browser, made.space, { hash: "t=0" });
  await page.click("#plots-toggle");
  const seen = () =>
    page.evaluate(() => ({
      cursors: [...document.querySelectorAll(".plot .now")].map((line) => [line.dataset.time, line.style.transform]),
      ball: window.asperity.screen(window.asperity.run.header.bodies.name.length - 1),
    }));
  const first = await seen();
  await page.locator("#scrub").evaluate((scrub) => {
    scrub.value = "0.37";
    scrub.dispatchEvent(new Event("input"));
  });
  const second = await seen();
  assert.ok(Math.abs((await state(page)).time - 0.37) < 1e-9);
  assert.ok(first.cursors.length >= 3);
  first.cursors.forEach(([time, place], i) => {
    assert.equal(time, "0");
    assert.equal(second.cursors[i][0], "0.37");
    assert.notEqual(second.cursors[i][1], place);
  });
  assert.notDeepEqual(first.ball, second.ball);
  noFaults(page);
  await page.context().close();
});

test("picking in the picture shows the body that is there, with its numbers", async () => {
  const page = await open(made.browser, made.space, { hash: "contacts=0&t=0" });
  const heavy = await page.evaluate(() => window.asperity.run.header.bodies.name.length - 1);
  const [x, y] = await page.evaluate((body) => window.asperity.screen(body), heavy);
  await page.mouse.click(x, y);
  assert.equal((await state(page)).picked, heavy);
  const name = await page.evaluate((body) => window.asperity.run.header.bodies.name[body], heavy);
  assert.equal(await page.textContent("#picked-name"), name);
  const shown = await page.textContent("#state dl");
  const z = await page.evaluate((body) => window.asperity.run.coordinate(0, body, 2), heavy);
  assert.ok(shown.includes(String(Number(z.toPrecision(5)))), `${shown} does not hold ${z}`);
  // by the element, not by its place: the list may still be scrolling to what was picked
  await page.locator(`#list .row[data-body="${heavy - 1}"]`).dispatchEvent("click");
  assert.equal((await state(page)).picked, heavy - 1);
  noFaults(page);
  await page.context().close();
});

test("the fast picture shows the same bodies: picked, hidden, and at one's own choice", async () => {
  for (const path of [made.space, made.plane]) {
    const page = await open(made.browser, path, { hash: "quality=fast&contacts=0&joints=0" });
    assert.ok((await pointsOfBodies(page)) > 20, `${path} shows no bodies`);
    await page.click("#tab-display");
    assert.match(await page.textContent("#level"), /fast: no shadows/);
    const last = await page.evaluate(() => window.asperity.run.bodies - 1);
    const [x, y] = await page.evaluate((body) => window.asperity.screen(body), last);
    await page.mouse.click(x, y);
    assert.equal((await state(page)).picked, last);
    const picture = () => page.evaluate(() => (window.asperity.render(), document.getElementById("canvas").toDataURL()));
    const whole = await picture();
    await page.keyboard.press("h");
    assert.ok((await picture()) !== whole, "a hidden body is still there");
    await page.click("#tab-display");
    await page.selectOption("#quality", "plain");
    assert.match(await page.textContent("#level"), /plain/);
    // a plane scene is a drawing: no shadows
    assert.equal(await page.evaluate(() => window.asperity.picture.stage.renderer.shadowMap.enabled), path === made.space);
    noFaults(page);
    await page.context().close();
  }
});

test("a page that cannot keep pace draws less, says so, and draws everything again when it stands still", async () => {
  const page = await open(made.browser, made.space);
  await page.evaluate(() => {
    window.asperity.picture.stage.beforePicture = () => {
      for (const begin = performance.now(); performance.now() - begin < 60; );
    };
    window.asperity.setPlaying(true);
  });
  await page.waitForFunction(() => window.asperity.level === 4, null, { timeout: 60000 });
  const pixels = () => page.evaluate(() => document.getElementById("canvas").width / document.getElementById("canvas").clientWidth);
  assert.ok(Math.abs((await pixels()) - 0.5) < 0.01);
  assert.match(await page.textContent("#level"), /50 % resolution/);
  await page.keyboard.press("Space");
  assert.ok(Math.abs((await pixels()) - 1) < 0.01);
  noFaults(page);
  await page.context().close();
});

test("beams are drawn as tubes along their centrelines", async () => {
  const path = report("../tests/data/rods");
  for (const quality of ["plain", "fast"]) {
    const page = await open(made.browser, path, { hash: `quality=${quality}&t=0.1` });
    const picture = () => page.evaluate(() => (window.asperity.render(), document.getElementById("canvas").toDataURL()));
    const whole = await picture();
    const [corner, end] = await page.evaluate(() => {
      const { picture: { beams }, run, frame } = window.asperity;
      const position = beams.root.children[0].geometry.getAttribute("position");
      const last = position.count - 1; // the middle of the end
      const body = run.header.bodies.name.indexOf("rod.end");
      return [[position.getX(last), position.getY(last), position.getZ(last)], [0, 1, 2].map((i) => run.coordinate(frame, body, i))];
    });
    corner.forEach((x, i) => assert.ok(Math.abs(x - end[i]) < 1e-4, `${corner} is not at ${end}`));
    await page.evaluate(() => (window.asperity.picture.beams.root.visible = false));
    assert.ok((await picture()) !== whole, "no beam is seen");
    noFaults(page);
    await page.context().close();
  }
});

test("surfaces that move are drawn with chevrons that travel along them", async () => {
  const path = report("../tests/data/belts");
  const page = await open(made.browser, path, { hash: "quality=plain&contacts=0&t=0.5" });
  const picture = () => page.evaluate(() => (window.asperity.render(), document.getElementById("canvas").toDataURL()));
  const whole = await picture();
  // chevrons as [position, direction, size] by surface
  const chevrons = (t) =>
    page.evaluate((t) => {
      const viewer = window.asperity;
      viewer.seek(t);
      const { belts } = viewer.picture;
      const [mesh] = belts.root.children;
      return belts.belts.map(({ first, spots }) =>
        spots.map((_, i) => {
          const m = mesh.instanceMatrix.array.slice(16 * (first + i), 16 * (first + i) + 16);
          const size = Math.hypot(m[0], m[1], m[2]);
          return { at: [m[12], m[13], m[14]], along: size ? [m[0] / size, m[1] / size, m[2] / size] : null };
        }),
      );
    }, t);
  const [belt, roller, table] = await chevrons(0.5);
  assert.ok(belt.length > 40 && roller.length > 40 && table.length > 40);
  const shown = belt.filter(({ along }) => along);
  assert.ok(shown.length > 20);
  for (const { along } of shown) assert.ok(along[0] > 0.99, `the belt goes along x, not ${along}`);
  for (const { at, along } of table) if (along && at[2] > -0.001) assert.ok(along[0] * -(at[1] + 0.8) + along[1] * at[0] > 0.9 * Math.hypot(at[0], at[1] + 0.8), "round z");
  for (const { at, along } of roller) if (along) assert.ok(along[0] * (at[2] + 0.1) - along[2] * at[0] > 0, "round y");
  const [later] = await chevrons(0.51); // 1 m/s: 1 cm farther, or back at the start of its way
  assert.ok(shown.some(({ at }) => later.some((other) => Math.abs(other.at[0] - at[0] - 0.01) < 1e-4 && Math.hypot(other.at[1] - at[1], other.at[2] - at[2]) < 1e-4)));
  const [still] = await chevrons(0.1);
  assert.ok(still.every(({ along }) => !along), "the belt stands still at first");
  await page.evaluate(() => window.asperity.seek(0.5));
  await page.evaluate(() => (window.asperity.picture.belts.root.visible = false));
  assert.ok((await picture()) !== whole, "no chevron is seen");
  noFaults(page);
  await page.context().close();
});

test("hiding a body changes the picture", async () => {
  const page = await open(made.browser, made.space, { hash: "contacts=0" });
  const picture = () => page.evaluate(() => (window.asperity.render(), document.getElementById("canvas").toDataURL()));
  const whole = await picture();
  const last = await page.evaluate(() => window.asperity.run.bodies - 1);
  await page.click("#tab-bodies");
  await page.locator(`#list .row[data-body="${last}"] input`).uncheck();
  assert.ok((await picture()) !== whole, "the picture stays as it is"); // not notEqual: pictures are long
  await page.locator(`#list .row[data-body="${last}"] input`).check();
  assert.ok((await picture()) === whole, "the picture does not come back");
  await page.context().close();
});

test("every key does what the list of keys says", async () => {
  const page = await open(made.browser, made.space, { hash: "t=0" });
  const press = async (key) => {
    await page.keyboard.press(key);
    return state(page);
  };
  assert.equal((await press("ArrowRight")).frame, 1);
  assert.equal((await press("Shift+ArrowRight")).frame, 11);
  assert.equal((await press("ArrowLeft")).frame, 10);
  assert.equal((await press("Home")).frame, 0);
  assert.equal((await press("End")).frame, 100);
  assert.equal((await press("Space")).playing, true);
  assert.equal((await press("Space")).playing, false);
  const value = (name) => page.evaluate((key) => window.asperity.switches[key], name);
  for (const [key, name] of Object.entries({ c: "contacts", f: "cones", t: "trails", g: "ghost", o: "follow" })) {
    const was = await value(name);
    await page.keyboard.press(key);
    assert.equal(await value(name), !was, key);
  }
  const theme = await page.evaluate(() => document.documentElement.dataset.theme);
  await page.keyboard.press("d");
  assert.notEqual(await page.evaluate(() => document.documentElement.dataset.theme), theme);
  const speed = await page.evaluate(() => window.asperity.speed);
  await page.keyboard.press("+");
  assert.ok((await page.evaluate(() => window.asperity.speed)) > speed);
  await page.keyboard.press("3");
  assert.ok(await page.isVisible("#page-bodies"));
  const tray = await page.isVisible("#tray");
  await page.keyboard.press("2");
  assert.equal(await page.isVisible("#tray"), !tray);
  assert.equal((await press("n")).picked, 0);
  assert.equal((await press("n")).picked, 1);
  assert.equal((await press("Shift+N")).picked, 0);
  assert.equal((await press("Escape")).picked, -1);
  await page.keyboard.press("?");
  assert.ok(await page.isVisible("#keys"));
  noFaults(page);
  await page.context().close();
});

test("contacts can be picked and their force is plotted; plots are saved as PNG, SVG and CSV", async () => {
  const page = await open(made.browser, made.space, { hash: "t=0.005&plots=1" });
  const bodies = await page.evaluate(() => {
    const { run, frame } = window.asperity;
    const first = run.contactStart[frame];
    const pair = run.section("contactBodies").slice(2 * first, 2 * first + 2);
    window.asperity.pickPair(pair[0], pair[1]);
    return [...pair];
  });
  assert.equal(await page.locator("#plot-pair canvas").count(), 1);
  const names = await page.evaluate((pair) => pair.map((body) => window.asperity.run.header.bodies.name[body]), bodies);
  assert.equal(await page.locator("#plot-pair select").first().evaluate((list) => list.selectedOptions[0].textContent), names.join(" and "));
  const starts = { PNG: "\x89PNG", SVG: "<svg", CSV: '"time [s]","kinetic [J]"' };
  for (const [format, start] of Object.entries(starts)) {
    const waiting = page.waitForEvent("download");
    await page.click("#plot-energy .save summary");
    await page.click(`#plot-energy header button:has-text("${format}")`);
    const text = readFileSync(await (await waiting).path(), "latin1");
    assert.ok(text.startsWith(start), format);
  }
  noFaults(page);
  await page.context().close();
});

test("a narrow window shows picture, transport and panel, and nothing is cut off", async () => {
  const page = await open(made.browser, made.space, { width: 360, height: 740, hasTouch: true });
  for (const id of ["canvas", "play", "back", "forward", "scrub", "speed", "clock", "legend", "tab-certificate", "tab-display", "verdict"]) {
    const box = await page.locator(`#${id}`).boundingBox();
    assert.ok(box && box.x >= 0 && box.x + box.width <= 360.5, `${id}: ${JSON.stringify(box)}`);
  }
  const { width, height } = await page.locator("#canvas").boundingBox();
  assert.ok(width >= 350 && height >= 240);
  assert.equal(await page.locator("#legend").evaluate((legend) => legend.open), false, "the legend is folded");
  assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 360);
  await page.tap("#play");
  await page.waitForFunction(() => window.asperity.time > 0.01);
  noFaults(page);
  await page.context().close();
});

test("unresolved steps show a badge, the measures that are exceeded, and marks on the time line", async () => {
  const good = await open(made.browser, report("sphere-slides-then-rolls"));
  assert.match(await good.textContent("#resolved"), /All steps resolved/);
  assert.equal(await good.textContent("#resolution"), "resolved");
  assert.equal(await good.locator("#marks .unresolved").count(), 0);
  noFaults(good);
  await good.context().close();
  const page = await open(made.browser, report("bracket-falls", "--until", "0.5", "--most-energy", "1e-9"));
  assert.match(await page.textContent("#verdict"), /steps certified/);
  assert.match(await page.textContent("#resolved"), /of 100 steps are not resolved/);
  assert.match(await page.textContent("#resolution"), /steps not resolved/);
  assert.match(await page.locator("table.measures tr.exceeded").first().textContent(), /energy/);
  assert.match(await page.locator("table.measures tr.remedy").first().textContent(), /What helps: shorter steps/);
  const { unresolved, unresolvedTimes } = await page.evaluate(() => window.asperity.run.header.resolution);
  assert.equal(await page.locator("#marks .unresolved").count(), unresolvedTimes.length);
  assert.ok(unresolved > 0 && unresolved >= unresolvedTimes.length);
  noFaults(page);
  await page.context().close();
});

test("steps that missed and warnings lead to their time", async () => {
  const path = report("bracket-falls", "--until", "0.5", "--tol-contact", "1e-18");
  const page = await open(made.browser, path);
  assert.match(await page.textContent("#verdict"), /missed the tolerance/);
  const counted = await page.locator("#page-certificate dl.counts").first().textContent();
  const values = await page.evaluate(() => window.asperity.run.header.certificate.counts[0]);
  assert.equal(values.name, "attempts"); // each step that misses is tried again
  assert.equal(values.values.reduce((sum, { steps }) => sum + steps, 0), await page.evaluate(() => window.asperity.run.header.certificate.steps));
  assert.ok(counted.includes(`${values.values[0].steps} of `));
  assert.match(await page.textContent("#page-certificate [data-count=alternatives]"), /not decided\d+ of 100 steps/);
  const jump = page.locator("#page-certificate .jump[data-time]").last();
  const time = Number(await jump.getAttribute("data-time"));
  await jump.click();
  assert.ok(Math.abs((await state(page)).time - time) < 1e-9);
  noFaults(page);
  await page.context().close();
});

test("what was found about steps is listed and leads to its time", async () => {
  const page = await open(made.browser, report("painleve-slides-into-paradox", "--watch", "true"));
  const entry = page.locator("#page-certificate [data-finding]").first();
  const key = await entry.getAttribute("data-finding");
  const { steps, times } = await page.evaluate((name) => window.asperity.run.header.findings[name], key);
  assert.ok(steps > 0 && (await entry.textContent()).startsWith(`${steps.toLocaleString("en")} step`));
  await entry.locator(".jump").first().click();
  assert.ok(Math.abs((await state(page)).time - times[0]) < 1e-9);
  noFaults(page);
  await page.context().close();
});
