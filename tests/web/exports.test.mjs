// Exports read back by others: VTK's reader, the glTF validator of the Khronos group.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { before, test } from "node:test";
import { asperity, SOURCE } from "./support.mjs";

const validator = createRequire(`${SOURCE}/web/package.json`)("gltf-validator");
const scenes = ["sphere-slides-then-rolls", "pyramid-of-balls", "slider-crank", "hammer-hits-box", "gallery/arch", "gallery/gripper", "gallery/diving-board", "../tests/data/rods"];
const nameOf = (scene) => scene.split("/").pop();

before(() => {
  for (const scene of scenes)
    asperity("run", "--quiet", "--until", scene.startsWith("sphere") ? "0.6" : "0.1", "--out", `${nameOf(scene)}.h5`, `${SOURCE}/scenes/${scene}.json`);
});

test("every .glb is valid glTF", async () => {
  for (const scene of scenes) {
    const name = nameOf(scene);
    asperity("convert", "--quiet", `${name}.h5`, "-o", `${name}.glb`);
    const { issues, info } = await validator.validateBytes(new Uint8Array(readFileSync(`${name}.glb`)));
    const bad = issues.messages.filter(({ severity }) => severity <= 1); // errors and warnings
    assert.deepEqual(bad, [], name);
    assert.equal(info.animationCount, 1, name);
    assert.ok(scene === "slider-crank" || info.totalTriangleCount > 0, name);
  }
});

test("a ball's glTF animation ends where theory says", () => {
  const bytes = readFileSync("sphere-slides-then-rolls.glb");
  const length = bytes.readUInt32LE(12);
  const gltf = JSON.parse(bytes.subarray(20, 20 + length));
  const [animation] = gltf.animations;
  const channel = animation.channels.find(({ target }) => target.path === "translation");
  const accessor = gltf.accessors[animation.samplers[channel.sampler].output];
  const view = gltf.bufferViews[accessor.bufferView];
  const last = 20 + length + 8 + view.byteOffset + 12 * (accessor.count - 1);
  assert.equal(accessor.count, 6);
  assert.ok(Math.abs(bytes.readFloatLE(last) - 0.909527) < 1e-5 && Math.abs(bytes.readFloatLE(last + 8) - 1) < 1e-6);
});

test("VTK reads every frame, and the forces carry the ball", (t) => {
  const python = "/usr/bin/python3";
  if (spawnSync(python, ["-c", "import vtkmodules.vtkIOXML"]).status !== 0) return t.skip("python3-vtk9 is missing");
  for (const scene of scenes) {
    const name = nameOf(scene);
    asperity("convert", "--quiet", `${name}.h5`, "-o", `${name}.pvd`);
    const found = spawnSync(python, [`${SOURCE}/tests/web/read_vtk.py`, `${name}.pvd`], { encoding: "utf8", maxBuffer: 1 << 28 });
    assert.equal(found.status, 0, `${name}: ${found.stderr}`);
    assert.equal(found.stderr, "", name);
    const frames = JSON.parse(found.stdout);
    assert.ok(frames.length > 1 && frames.every(({ polys, points, verts, forces }) => polys >= 0 && points >= 0 && verts === forces.length), name);
    assert.ok(name !== "rods" || frames.every(({ lines }) => lines === 2), name);
    if (!scene.startsWith("sphere")) continue;
    const last = frames[5];
    assert.ok(Math.abs(last.time - 0.6) < 1e-9);
    const [, , , , low, high] = last.bounds; // a ball of radius 1 on the floor, turned, in facets
    assert.ok(Math.abs((low + high) / 2 - 1) < 1e-5 && high - low > 1.95 && high - low < 2.00001);
    assert.ok(Math.abs(last.forces[0][2] - 9.81) < 1e-6);
    assert.ok(Math.abs(last.velocity[0] - 10 / 7) < 1e-5);
  }
});

test("SVG plots are drawn without a browser", () => {
  asperity("convert", "--quiet", "pyramid-of-balls.h5", "-o", "plots.svg");
  const svg = readFileSync("plots.svg", "utf8");
  assert.match(svg, /^<svg [^]*<\/svg>\n$/);
  for (const text of ["energy [J]", "residual E2 of every step", "tolerance", "contacts in the problem"]) assert.ok(svg.includes(text), text);
  assert.equal(svg.match(/<path/g).length, 7);
  assert.ok(!/nan|inf/i.test(svg.replaceAll("<path fill=\"none\"", "")));
});
