// What the picture and the panels of a report show, and how one finds one's way in them.
import assert from "node:assert/strict";
import { test } from "node:test";
import { spawnSync } from "node:child_process";
import { ASPERITY, asperity, noFaults, open, pointsOfBodies, report, SOURCE, twoReports } from "./support.mjs";

const made = twoReports();

const state = (page) => page.evaluate(() => ({ picked: window.asperity.picked }));

const view = (page) => page.evaluate(() => window.asperity.picture.stage.view.says);

test("the first view frames the free bodies and what they rest on, a long belt too; one cannot lose them by zooming out", async () => {
  for (const path of [made.space, made.plane, report("../tests/data/belts")]) {
    const page = await open(made.browser, path);
    const seen = await page.evaluate(() => {
      const { run, picture } = window.asperity;
      window.asperity.seek((run.time[0] + run.end) / 2);
      const box = document.getElementById("canvas").getBoundingClientRect();
      const free = run.header.bodies.name.flatMap((_, body) => (run.bodyKind(body) === 1 ? [] : [window.asperity.screen(body)]));
      const { low, high } = picture.stage.extent;
      return { inside: free.filter(([x, y]) => x > box.left && x < box.right && y > box.top && y < box.bottom).length, free: free.length, low: low.toArray(), high: high.toArray() };
    });
    assert.equal(seen.inside, seen.free, `${path}: bodies outside the picture`);
    await page.evaluate(() => {
      for (let i = 0; i < 60; i++) document.getElementById("canvas").dispatchEvent(new WheelEvent("wheel", { deltaY: 1000, clientX: 300, clientY: 300 }));
      window.asperity.render();
    });
    const { zoom } = await view(page);
    assert.ok(zoom < 0.5 && zoom > 0.15, `${path}: zoom ${zoom}`);
    noFaults(page);
    await page.context().close();
  }
});

test("a double click looks at the body that is there, and following keeps it at its place in the picture", async () => {
  const page = await open(made.browser, made.space, { hash: "contacts=0&t=0" });
  const heavy = await page.evaluate(() => window.asperity.run.header.bodies.name.length - 1);
  const place = () => page.evaluate((body) => window.asperity.screen(body), heavy);
  await page.evaluate(() => (window.asperity.pick(1), window.asperity.focus()));
  assert.ok((await view(page)).zoom > 1.2, "a small ball is looked at from near");
  await page.keyboard.press("r");
  await page.evaluate(() => window.asperity.render());
  await page.mouse.dblclick(...(await place()));
  const box = await page.locator("#canvas").boundingBox();
  const [x, y] = await place();
  assert.ok(Math.hypot(x - box.x - box.width / 2, y - box.y - box.height / 2) < 3, "in the middle");
  await page.keyboard.press("o");
  await page.evaluate(() => window.asperity.seek(0.02));
  const [x1, y1] = await place();
  await page.evaluate(() => window.asperity.seek(0.3));
  const [x2, y2] = await place();
  assert.ok(Math.hypot(x2 - x1, y2 - y1) < 1.5, "followed");
  noFaults(page);
  await page.context().close();
});

test("above thirty contacts a pair has one arrow, its resultant; the legend's arrow is as long as its force says", async () => {
  const page = await open(made.browser, report("gallery/card-house", "--until", "0.05"), { hash: "t=0.04" });
  const seen = await page.evaluate(() => {
    const { run, frame, picture } = window.asperity;
    window.asperity.render();
    const bodies = run.section("contactBodies");
    const force = run.reals("contactForce");
    const pairs = new Map();
    let all = 0;
    for (let i = run.contactStart[frame]; i < run.contactStart[frame + 1]; i++, all++) {
      const sum = pairs.get(`${bodies[2 * i]} ${bodies[2 * i + 1]}`) ?? [0, 0, 0];
      for (let k = 0; k < 3; k++) sum[k] += force[3 * i + k];
      pairs.set(`${bodies[2 * i]} ${bodies[2 * i + 1]}`, sum);
    }
    const drawn = picture.contacts.shown.map(({ contact, force }) => ({ key: `${bodies[2 * contact]} ${bodies[2 * contact + 1]}`, size: force.length() }));
    const { unit, reference, scaleArrow } = picture.contacts;
    const { dataset } = document.querySelector("#legend .scale");
    return { all, pairs: [...pairs].map(([key, sum]) => ({ key, size: Math.hypot(...sum) })), drawn, wanted: ((scaleArrow.force / reference) * unit) / picture.stage.pixel, shown: [Number(dataset.force), Number(dataset.pixels)], force: scaleArrow.force };
  });
  assert.ok(seen.all > 30, `${seen.all} contacts`);
  assert.equal(seen.drawn.length, seen.pairs.length);
  for (const { key, size } of seen.pairs) assert.ok(Math.abs(seen.drawn.find((one) => one.key === key).size - size) < 1e-6 * (1 + size));
  assert.equal(seen.shown[0], seen.force);
  assert.ok(Math.abs(seen.shown[1] - seen.wanted) < 0.05 * seen.wanted, `${seen.shown[1]} px of ${seen.wanted}`);
  noFaults(page);
  await page.context().close();
});

test("a picked body keeps its colour and gets a rim", async () => {
  for (const quality of ["plain", "fast"]) {
    const page = await open(made.browser, made.space, { hash: `contacts=0&t=0&quality=${quality}` });
    const rim = () =>
      page.evaluate(() => {
        window.asperity.render();
        const copy = document.createElement("canvas");
        const canvas = document.getElementById("canvas");
        copy.width = canvas.width;
        copy.height = canvas.height;
        const context = copy.getContext("2d");
        context.drawImage(canvas, 0, 0);
        const { data } = context.getImageData(0, 0, copy.width, copy.height);
        let points = 0;
        for (let i = 0; i < data.length; i += 4) points += Number(data[i] > 245 && Math.abs(data[i + 1] - 197) < 14 && data[i + 2] < 90); // #ffc53d
        return points;
      });
    const none = await rim();
    await page.evaluate(() => window.asperity.pick(window.asperity.run.bodies - 1));
    assert.ok((await rim()) > none + 60, quality);
    noFaults(page);
    await page.context().close();
  }
});

test("at rest the picture gets finer: more shades at its edges, and the plain one comes back when something moves", async () => {
  const page = await open(made.browser, made.space, { hash: "contacts=0&t=0.1&quality=plain", width: 500, height: 400 });
  const { before, after, same } = await page.evaluate(() => {
    const canvas = document.getElementById("canvas");
    const shades = () => {
      const copy = document.createElement("canvas");
      [copy.width, copy.height] = [canvas.width, canvas.height];
      const context = copy.getContext("2d");
      context.drawImage(canvas, 0, 0);
      const { data } = context.getImageData(0, 0, copy.width, copy.height);
      const found = new Set();
      for (let i = 0; i < data.length; i += 4) found.add((data[i] << 16) | (data[i + 1] << 8) | data[i + 2]);
      return found.size;
    };
    const viewer = window.asperity;
    viewer.render();
    const plain = canvas.toDataURL();
    const before = shades();
    viewer.finish();
    const after = shades();
    viewer.seek(0.2);
    viewer.seek(0.1);
    viewer.render();
    return { before, after, same: canvas.toDataURL() === plain };
  });
  assert.ok(after > 1.2 * before, `${before} and ${after} shades`);
  assert.ok(same, "the plain picture comes back");
  noFaults(page);
  await page.context().close();
});

test("the tray plots any quantity of a body, a joint and the run with units on its axes, and is resized by keys", async () => {
  const page = await open(made.browser, made.plane, { hash: "plots=1&t=0", height: 800 });
  const height = () => page.locator("#tray").evaluate((tray) => tray.clientHeight);
  const first = await height();
  await page.locator("#tray-edge").focus();
  await page.keyboard.press("ArrowUp");
  assert.ok((await height()) > first + 10);
  assert.equal(await page.locator("#tray").evaluate((tray) => Math.round(tray.getBoundingClientRect().width)), 1100);
  await page.evaluate(() => window.asperity.pick(1));
  const own = page.locator('#tray .plot[id^="plot-body-"]');
  assert.equal(await own.count(), 1);
  const inView = await own.evaluate((plot) => plot.getBoundingClientRect().left >= 0 && plot.getBoundingClientRect().left < window.innerWidth);
  assert.ok(inView, "picking scrolls to the plot");
  const units = [];
  for (const quantity of ["position", "velocity", "spin"]) {
    await page.locator('#tray .plot[id^="plot-body-"] select').nth(1).selectOption(quantity);
    units.push(await page.evaluate((id) => document.querySelector(`#plot-body-${id} .u-wrap`) && window.asperity.tray.slots.find(({ subject }) => subject.kind === "body").plot.drawing.axes[1].label, quantity));
  }
  assert.deepEqual(units, ["m", "m/s", "rad/s"]);
  await page.locator("#add-plot").click();
  const last = page.locator("#tray .plot").last();
  const joint = await last.locator("select").first().evaluate((list) => [...list.options].find(({ textContent }) => textContent.startsWith("joint ")).value);
  await last.locator("select").first().selectOption(joint);
  assert.ok((await last.locator("select").nth(1).locator("option").allTextContents()).includes("coordinate"));
  noFaults(page);
  await page.context().close();
});

test("a mechanism without contacts has no plot of contacts; a pile has one", async () => {
  for (const [path, contacts] of [[report("four-bar", "--until", "0.1"), 0], [made.space, 1]]) {
    const page = await open(made.browser, path, { hash: "plots=1&t=0", height: 800 });
    await page.waitForSelector("#plot-energy canvas");
    assert.equal(await page.locator("#plot-contacts").count(), contacts, path);
    assert.equal(await page.locator('#plot-energy option[value="contacts"]').count(), contacts, path);
    await page.evaluate(() => window.asperity.pick(1));
    assert.equal(await page.locator('#tray .plot[id^="plot-body-"] option[value="load"]').count(), contacts, path);
    noFaults(page);
    await page.context().close();
  }
});

test("the certificate is three lines with the details folded, and opens where something asks for attention", async () => {
  const page = await open(made.browser, made.space);
  assert.deepEqual(await page.locator("#page-certificate .verdict").evaluateAll((lines) => lines.map(({ id }) => id)), ["verdict", "resolved", "worst"]);
  assert.match(await page.textContent("#worst"), /^✓?Worst: .* of /);
  assert.equal(await page.locator("#details").evaluate((details) => details.open), false);
  await page.context().close();
  const bad = await open(made.browser, report("bracket-falls", "--until", "0.5", "--most-energy", "1e-9"));
  assert.equal(await bad.locator("#details").evaluate((details) => details.open), true);
  assert.match(await bad.textContent("#worst"), /energy/);
  await bad.context().close();
});

test("a link leads back to time, view, switches and the picked body", async () => {
  const page = await open(made.browser, made.space, { hash: "t=0.21&az=-20&el=33&zoom=1.7" });
  await page.evaluate(() => window.asperity.pick(3));
  await page.keyboard.press("f");
  await page.click("#link");
  const hash = new URL(page.url()).hash.slice(1);
  const seen = await view(page);
  const other = await open(made.browser, made.space, { hash });
  const state = await other.evaluate(() => ({ time: window.asperity.time, picked: window.asperity.picked, cones: window.asperity.switches.cones }));
  assert.deepEqual(state, { time: 0.21, picked: 3, cones: true });
  const again = await view(other);
  for (const name of ["az", "el", "zoom"]) assert.ok(Math.abs(again[name] - seen[name]) < 1e-3 * (1 + Math.abs(seen[name])), `${name}: ${again[name]} ${seen[name]}`);
  noFaults(other);
});

test("an address that asks for nothing that can be shown leads to the default view", async () => {
  const page = await open(made.browser, made.space, { hash: "t=0.2" });
  const usual = await view(page);
  await page.context().close();
  for (const hash of ["t=0.2&zoom=0&az=x&el=&at=1,2", "t=0.2&zoom=-1&at=1e300,0,0", "t=0.2&zoom=far&at=NaN,0,0&pick=nobody&tab=none&speed=-1&quality=best"]) {
    const other = await open(made.browser, made.space, { hash });
    const seen = await view(other);
    for (const name of ["az", "el", "zoom"]) assert.ok(Math.abs(seen[name] - usual[name]) < 1e-9 * Math.abs(usual[name]), `${hash}: ${name} ${seen[name]}`);
    assert.deepEqual(seen.at, usual.at, hash);
    assert.ok((await pointsOfBodies(other)) > 20, `${hash} shows no bodies`);
    noFaults(other);
    await other.context().close();
  }
});

test("in the plane neither title nor legend lie over bodies, and few bodies are all in the first picture", async () => {
  const cradle = report("gallery/newtons-cradle", "--until", "1.2");
  for (const [width, height] of [[1200, 750], [390, 760]]) {
    const page = await open(made.browser, cradle, { hash: "t=0", width, height });
    const { low, high } = await page.evaluate(() => {
      const { view, extent } = window.asperity.picture.stage;
      return { low: view.screen(extent.low), high: view.screen(extent.high) };
    });
    const title = await page.locator("#title").boundingBox();
    const legend = await page.locator("#legend").boundingBox();
    assert.ok(high[1] > title.y + title.height && low[1] < legend.y + 4, `${width}: ${high[1]} to ${low[1]}`);
    const raised = await page.evaluate(() => window.asperity.screen(window.asperity.run.header.bodies.name.findIndex((_, body) => window.asperity.run.bodyKind(body) !== 1)));
    assert.ok(raised[0] > 8 && raised[0] < width - 8, `${width}: ball at ${raised}`);
    await page.context().close();
  }
});

test("the more contacts there are, the shorter their arrows: those of a tower stay within it", async () => {
  const page = await open(made.browser, report("gallery/kapla-tower", "--until", "0.05"), { hash: "t=0.04" });
  const { highest, above, count } = await page.evaluate(() => {
    const { contacts, stage } = window.asperity.picture;
    const { low, high } = stage.extent;
    const ends = contacts.shown.map(({ at, force }) => at.z + (force.z / force.length()) * contacts.unit * Math.min(3, force.length() / contacts.reference));
    return { highest: Math.max(...ends) - high.z, above: 0.15 * (high.z - low.z), count: ends.length };
  });
  assert.ok(count > 50 && highest < above, `${highest} m above the tower`);
  await page.context().close();
});

test("the first picture shows forces and a large play button, which goes when the run plays", async () => {
  const page = await open(made.browser, made.space);
  assert.ok(await page.isVisible("#start"));
  assert.ok((await page.evaluate(() => window.asperity.picture.contacts.count)) > 0);
  await page.click("#start");
  await page.waitForFunction(() => window.asperity.playing);
  assert.ok(!(await page.isVisible("#start")));
  noFaults(page);
  await page.context().close();
});

test("every control has a name for screen readers, and tabs are reached by arrow keys", async () => {
  const page = await open(made.browser, made.space, { hash: "plots=1" });
  const nameless = await page.evaluate(() =>
    [...document.querySelectorAll("button, select, input, canvas[tabindex], [role=separator]")]
      .filter((one) => !(one.getAttribute("aria-label") || one.textContent.trim() || one.closest("label")?.textContent.trim()))
      .map((one) => one.outerHTML.slice(0, 80)),
  );
  assert.deepEqual(nameless, []);
  await page.locator("#tab-certificate").focus();
  await page.keyboard.press("ArrowRight");
  assert.ok(await page.isVisible("#page-bodies"));
  await page.locator("#list").focus();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowDown");
  assert.equal((await state(page)).picked, 1);
  noFaults(page);
  await page.context().close();
});

test("a second run is drawn as a ghost at the same time, and can be switched off", async () => {
  asperity("run", "--quiet", "--until", "0.5", "--dt", "0.02", "--out", "coarse.h5", `${SOURCE}/scenes/pyramid-of-balls.json`);
  asperity("report", "--quiet", "pyramid-of-balls.h5", "--beside", "coarse.h5", "-o", "both.html");
  const page = await open(made.browser, "both.html", { hash: "t=0.3&contacts=0&quality=plain" });
  const picture = () => page.evaluate(() => (window.asperity.render(), document.getElementById("canvas").toDataURL()));
  const whole = await picture();
  await page.keyboard.press("b");
  assert.ok((await picture()) !== whole, "no other run is seen");
  const told = spawnSync(ASPERITY, ["report", "pyramid-of-balls.h5", "--beside", "none.h5", "-o", "x.html"], { encoding: "utf8" });
  assert.equal(told.status, 2);
  assert.match(told.stderr, /none\.h5/);
  noFaults(page);
  await page.context().close();
});

test("in the plane a beam is a bar with an outline; the balls of its stations are within it, or shown as contact shapes", async () => {
  const page = await open(made.browser, report("gallery/diving-board", "--until", "0.01"), { hash: "t=0" });
  const balls = () => page.evaluate(() => {
    const { picture, run } = window.asperity;
    const stations = new Set(run.beams.flatMap(({ bodies }) => bodies));
    return [...stations].filter((body) => [...picture.bodies.forms.values()].some(({ placed }) => placed.some((one) => one.body === body))).length;
  });
  assert.equal(await balls(), 0);
  const outline = await page.evaluate(() => {
    const box = window.asperity.picture.beams.tubes[0].outline.geometry;
    box.computeBoundingBox();
    return box.boundingBox.max.x - box.boundingBox.min.x;
  });
  assert.ok(Math.abs(outline - (await page.evaluate(() => window.asperity.picture.stage.extent.high.x - window.asperity.picture.stage.extent.low.x))) < 0.1 * outline, `${outline}`);
  await page.keyboard.press("s");
  assert.ok((await balls()) > 5);
  noFaults(page);
  for (const scene of ["arch", "parts-feeder"]) { // bodies of points alone: nothing of them is within a tube
    const other = await open(made.browser, report(`gallery/${scene}`, "--until", "0.02"), { hash: "t=0&contacts=0" });
    const [shown, bodies] = await other.evaluate(() => [window.asperity.picture.bodies.forms.size, window.asperity.run.section("shapeKind").length]);
    assert.ok(shown > 2 && (await pointsOfBodies(other)) > 100, `${scene}: ${shown} forms of ${bodies} shapes`);
  }
});

test("springs, applied forces and motors are drawn where they act", async () => {
  const page = await open(made.browser, report("stick-slip-on-belt", "--until", "0.2"), { hash: "t=0.1&quality=plain&contacts=0" });
  const seen = await page.evaluate(() => {
    const { picture, run } = window.asperity;
    const [{ mesh }] = picture.elements.springs;
    const position = mesh.geometry.getAttribute("position");
    const last = [position.getX(position.count - 1), position.getY(position.count - 1)];
    return { kinds: run.header.forces.map(({ kind }) => kind), corners: position.count, last };
  });
  assert.deepEqual(seen.kinds, ["spring"]);
  assert.ok(seen.corners > 100, "a zigzag");
  const picture = () => page.evaluate(() => (window.asperity.render(), document.getElementById("canvas").toDataURL()));
  const whole = await picture();
  await page.keyboard.press("e");
  assert.ok((await picture()) !== whole, "no spring is seen");
  noFaults(page);
  await page.context().close();
  const clamp = await open(made.browser, report("toggle-clamp"), { hash: "t=0.05&quality=plain" });
  const force = await clamp.evaluate(() => {
    const { run, frame, picture } = window.asperity;
    window.asperity.render();
    return { value: [...run.reals("elementForce").slice(3 * frame, 3 * frame + 3)], arrows: picture.elements.arrows.count };
  });
  assert.ok(Math.hypot(...force.value) > 0 && force.arrows === 1);
  noFaults(clamp);
  await clamp.context().close();
});

test("ui=0 leaves the picture alone, at the width of a desk and of a phone", async () => {
  for (const width of [1100, 500]) {
    const page = await open(made.browser, made.space, { hash: "ui=0&title=0&quality=plain", width, height: 400 });
    assert.deepEqual(await page.locator("#canvas").boundingBox(), { x: 0, y: 0, width, height: 400 });
    for (const id of ["panel", "transport", "start", "tray-place"]) assert.equal(await page.locator(`#${id}`).isVisible(), false, id);
    noFaults(page);
    await page.context().close();
  }
});

test("a residual that is zero in steps of the run does not stop its plot", async () => {
  const page = await open(made.browser, report("bullet-hits-plate"), { hash: "plots=1&quality=plain" });
  assert.ok(await page.evaluate(() => window.asperity.run.reals("stepResidual").some((value) => value === 0)), "it flies, without a contact");
  await page.waitForSelector("#plot-residual canvas");
  noFaults(page);
  await page.context().close();
});

test("the finer picture draws balls as balls where they are discs, and no squares around them", async () => {
  const page = await open(made.browser, made.space, { hash: "t=0&contacts=0&quality=fast" });
  const darker = await page.evaluate(() => {
    const { asperity } = window;
    const gl = document.getElementById("canvas").getContext("webgl2");
    const [width, height] = [gl.drawingBufferWidth, gl.drawingBufferHeight];
    const read = () => {
      const pixels = new Uint8Array(4 * width * height);
      gl.readPixels(0, 0, width, height, gl.RGBA, gl.UNSIGNED_BYTE, pixels);
      return pixels;
    };
    asperity.render();
    const plain = read();
    asperity.finish();
    const fine = read();
    // the ball on top: the upper corners of the square around it are empty
    const [x, y] = asperity.screen(asperity.run.header.bodies.name.indexOf("ball 14"));
    const { radius } = asperity.picture.bodies.swarm.crowds.map(({ reach }) => ({ radius: reach[0] })).at(0);
    const r = radius / asperity.picture.stage.pixel;
    let most = 0;
    for (let dx = r; dx < 1.3 * r; dx++)
      for (let dy = r; dy < 1.3 * r; dy++)
        for (const side of [-1, 1]) {
          const at = 4 * (Math.round(x + side * dx) + width * (height - 1 - Math.round(y - dy)));
          most = Math.max(most, plain[at] - fine[at]);
        }
    return { most, r };
  });
  assert.ok(darker.r > 8 && darker.most < 12, JSON.stringify(darker));
  noFaults(page);
  await page.context().close();
});
