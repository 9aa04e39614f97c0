// asperity.wasm in node: it computes what the program computes, and says what is wrong.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { before, test } from "node:test";
import { gzipSync } from "node:zlib";
import { loadModule } from "../../web/tools/module.mjs";
import { ASPERITY, SOURCE } from "./support.mjs";

const scene = (name) => readFileSync(`${SOURCE}/scenes/${name}.json`, "utf8");
let engine;
let AsperityError;

before(async () => {
  const module = await loadModule();
  AsperityError = module.AsperityError;
  engine = await module.Engine.create(readFileSync(process.env.WASM));
});

/** Positions of all bodies after 100 steps, by the module and by the program. */
function bothAfter100(name) {
  const world = engine.world();
  const whole = JSON.parse(scene(name));
  world.load(JSON.stringify(whole));
  const until = 100 * world.description.run.dt;
  world.load(JSON.stringify({ ...whole, run: { ...whole.run, until } }));
  assert.equal(world.step(100), 100);
  const { q, info } = world.frame();
  const width = world.description.dimension === 2 ? 3 : 7;
  const done = spawnSync(ASPERITY, ["run", "--quiet", "--json", "--threads", "1", "--until", String(until), "--out", "none", `${SOURCE}/scenes/${name}.json`], { encoding: "utf8" });
  assert.ok(done.status <= 1, done.stderr);
  const bodies = JSON.parse(done.stdout).final.bodies;
  const pairs = bodies.flatMap(({ position }, body) => position.slice(0, width === 3 ? 2 : 3).map((x, i) => [q[width * body + i], x]));
  world.destroy();
  return { pairs, info };
}

// what scenes amplify differs: 1e-6 m where solves end at a residual of 1e-8, 1e-11 m where they end at rounding
for (const [name, most] of [
  ["gallery/arch", 1e-6],
  ["gallery/billiard-break", 1e-12],
  ["gallery/diving-board", 1e-9],
  ["gallery/gripper", 1e-9],
  ["gallery/ladder", 1e-12],
  ["gallery/newtons-cradle", 1e-12],
  ["gallery/parts-feeder", 1e-12],
  ["gallery/tippe-top", 1e-9],
])
  test(`the module ends ${name} where the program does`, () => {
    const { pairs, info } = bothAfter100(name);
    for (const [mine, theirs] of pairs) assert.ok(Math.abs(mine - theirs) <= most, `${mine} and ${theirs}`);
    assert.equal(info.uncertified, 0);
  });

test("the module is below 3 MB compressed", () => assert.ok(gzipSync(readFileSync(process.env.WASM)).length < 3e6));

test("mistakes of a scene are those of validate", () => {
  const broken = scene("block-on-slope-26").replace('"mass"', '"weight"');
  const world = engine.world();
  const { mistakes } = world.validate(broken);
  assert.match(mistakes.join("\n"), /\/bodies\/\d+\/weight/);
  assert.throws(() => world.load(broken), AsperityError);
  assert.match(world.validate("{").mistakes[0], /line 1, column 2/);
  world.destroy();
});

test("schemes that need CVODE are refused by name", () => {
  const world = engine.world();
  const driven = JSON.parse(scene("block-on-slope-26"));
  driven.run = { dt: 0.01, until: 1, scheme: "event-driven" };
  assert.throws(() => {
    world.load(JSON.stringify(driven));
    world.step(1);
  }, /CVODE.*moreau-jean/s);
  world.destroy();
});

test("a parameter set, a pull and an input change the motion", () => {
  const floor = { name: "floor", fixed: true, shapes: [{ type: "half-space", material: "floor" }] };
  const box = { name: "box", mass: 1, position: [0, 0, 0.1], shapes: [{ type: "box", size: [0.2, 0.2, 0.2], material: "box" }] };
  const text = JSON.stringify({
    gravity: [0, 0, -10],
    parameters: { mu: { value: 0.5, range: [0, 2] } },
    inputs: [{ name: "push", value: 0 }],
    materials: [{ pair: ["box", "floor"], friction: "mu" }],
    bodies: [floor, box],
    forces: [{ type: "force", body: "box", force: ["push", 0, 0] }],
  });
  const world = engine.world();
  world.load(text);
  assert.deepEqual(world.description.parameters.map(({ name, value, high }) => [name, value, high]), [["mu", 0.5, 2]]);
  const speed = () => world.v[6];
  const pull = (most) => ({ body: 1, point: [0, 0, 0], target: [10, 0, 0.1], stiffness: 100, damping: 0, most });
  world.pull(pull(4));
  world.step(20);
  assert.ok(Math.abs(speed()) < 1e-6, "4 N do not move 1 kg at mu = 0.5");
  world.pull(pull(7));
  world.step(10); // 0.1 s at 2 m/s^2
  assert.ok(Math.abs(speed() - 0.2) < 1e-6, String(speed()));
  world.pull(null);
  world.load(text, { mu: 0 }, true); // goes on, without friction
  const before = speed();
  assert.ok(Math.abs(before - 0.2) < 1e-6);
  world.step(10);
  assert.ok(Math.abs(speed() - before) < 1e-6);
  world.setInput("push", 3);
  world.step(10);
  assert.ok(Math.abs(speed() - before - 0.3) < 1e-6);
  assert.throws(() => world.setInput("pull", 1), /no input/);
  assert.throws(() => world.pull({ ...pull(1), body: 0 }), /cannot be pulled/);
  world.destroy();
});

test("analyze lists the solutions of Painlevé's rod", () => {
  const world = engine.world();
  world.load(scene("painleve-three-solutions"));
  for (const [level, count] of [["acceleration", 2], ["impulse", 2], ["step", 3]]) {
    const found = world.analyze(level);
    assert.equal(found.solutions.length, count, level);
    assert.ok(found.complete);
  }
  // A = 1/m + (a_N^2 - mu a_N a_T) / J of the sliding tip at 60 degrees: 1 + 3 (1/4 - 1.5 sin 60 cos 60) < 0
  assert.ok(Math.abs(world.analyze().A[0] - (1 + 3 * (0.25 - (1.5 * Math.sqrt(3)) / 4))) < 1e-12);
  world.load(scene("painleve-no-solution"));
  const none = world.analyze();
  assert.ok(!none.exists && none.provedNone);
  world.destroy();
});
