// The WebAssembly module against the native program: states after 100 steps and speed, one run, one thread.
//
//   node bench/wasm/compare.mjs PROGRAM asperity.wasm [--steps N] [--repeat R] [SCENE.json ...]      (default: scenes/gallery)
//
// PROGRAM is `asperity` of any build; that of the preset `portable` has the same kernels (scalar and SSE2 code, own dense
// kernels and ordering), so that only the C library's elementary functions differ. Times are processor time: of the
// program for all steps less for one, of the module for the steps; both by turns, R times (3), the least of each counts: what
// else the machine does makes times longer, never shorter. Speed: native over wasm.
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { gzipSync } from "node:zlib";
import { loadModule } from "../../web/tools/module.mjs";

const words = process.argv.slice(2);
const option = (name, usual) => {
  const at = words.indexOf(name);
  return at >= 0 ? Number(words.splice(at, 2)[1]) : usual;
};
const steps = option("--steps", 100);
const repeat = option("--repeat", 3);
const [program, wasm, ...given] = words;
const MOST = 4000; // steps that are timed
const source = new URL("../..", import.meta.url).pathname;
const gallery = join(source, "scenes/gallery");
const scenes = given.length ? given : readdirSync(gallery).filter((name) => name.endsWith(".json")).map((name) => join(gallery, name));
const { Engine } = await loadModule();
const engine = await Engine.create(readFileSync(wasm));

/** A run of the program: its summary, and the processor time of the whole process in s. */
function run(scene, until) {
  const words = ["run", "--quiet", "--json", "--threads", "1", "--until", String(until), "--out", "none", scene].map((word) => `'${word}'`);
  const done = spawnSync("bash", ["-c", `TIMEFORMAT=%U; time '${program}' ${words.join(" ")}`], { encoding: "utf8", maxBuffer: 1 << 30 });
  if (done.status > 1) throw new Error(done.stderr);
  return { about: JSON.parse(done.stdout), seconds: Number(done.stderr.trim().split("\n").at(-1)) };
}

/** Position, orientation and velocities of all bodies in one list. */
const listed = (about) => about.final.bodies.flatMap(({ position, orientation, velocity, angular_velocity }) => [...position, ...orientation, ...velocity, ...angular_velocity]);

/** The same of a frame of the module. */
function stateOf({ q, v }, plane) {
  const all = [];
  for (let b = 0; b < q.length / (plane ? 3 : 7); b++)
    if (plane) all.push(q[3 * b], q[3 * b + 1], 0, Math.cos(q[3 * b + 2] / 2), 0, 0, Math.sin(q[3 * b + 2] / 2), v[3 * b], v[3 * b + 1], 0, 0, 0, v[3 * b + 2]);
    else all.push(...q.slice(7 * b, 7 * b + 7), ...v.slice(6 * b, 6 * b + 6));
  return all;
}

/** The scene with another end. */
function ending(text, until) {
  const scene = JSON.parse(text);
  return JSON.stringify({ ...scene, run: { ...scene.run, until } });
}

console.log(`${"scene".padEnd(24)} ${"native ms".padStart(10)} ${"wasm ms".padStart(9)} ${"speed".padStart(6)} ${"difference".padStart(11)} ${"uncertified".padStart(12)}`);
for (const scene of scenes) {
  const world = engine.world();
  try {
    const text = readFileSync(scene, "utf8");
    world.load(text);
    const { dt } = world.description.run;
    world.load(ending(text, steps * dt)); // where the run ends has its part in where events are located
    world.step(steps);
    const mine = stateOf(world.frame(), world.description.dimension === 2);
    const whole = run(scene, steps * dt);
    // speed: over as many steps as take a second here, after the module was compiled
    const first = performance.now();
    let timed = 0;
    world.load(text);
    while (performance.now() - first < 1000 && timed < MOST) timed += world.step(10);
    let [seconds, native] = [Infinity, Infinity];
    for (let round = 0; round < repeat; round++) {
      world.load(ending(text, timed * dt));
      const before = process.cpuUsage().user;
      world.step(timed);
      seconds = Math.min(seconds, (process.cpuUsage().user - before) / 1e6);
      native = Math.min(native, Math.max(1e-3, run(scene, timed * dt).seconds - run(scene, dt).seconds));
    }
    const theirs = listed(whole.about);
    const worst = mine.reduce((most, x, i) => Math.max(most, Math.abs(x - theirs[i])), 0);
    const { uncertified } = world.info;
    console.log(
      `${basename(scene, ".json").padEnd(24)} ${((1000 * native) / timed).toFixed(3).padStart(10)} ${((1000 * seconds) / timed).toFixed(3).padStart(9)} ${(native / seconds).toFixed(2).padStart(6)} ${worst.toExponential(1).padStart(11)} ${`${uncertified} ${whole.about.steps_uncertified}`.padStart(12)}`,
    );
  } catch (error) {
    console.log(`${basename(scene, ".json").padEnd(24)} ${error.message}`);
  }
  world.destroy();
}
console.log(`asperity.wasm: ${(readFileSync(wasm).length / 1e6).toFixed(2)} MB, compressed ${(gzipSync(readFileSync(wasm), { level: 9 }).length / 1e6).toFixed(2)} MB`);
