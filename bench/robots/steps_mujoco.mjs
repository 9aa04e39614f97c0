// A model on the current release of MuJoCo, as its WebAssembly in node: the same line of JSON as steps_mujoco.
//
//   node steps_mujoco.mjs PACKAGE/mujoco.js MODEL.xml STEPS TAIL
//
// PACKAGE: where `npm install @mujoco/mujoco` put it. Times are those of WebAssembly, not of native code.
import { readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

const [path, file, steps, tail] = [process.argv[2], process.argv[3], +process.argv[4], +process.argv[5]];
const load = (await import(resolve(path))).default;
const mujoco = await load();
const model = mujoco.MjModel.from_xml_string(readFileSync(file, "utf8"));
const data = new mujoco.MjData(model);
const version = JSON.parse(readFileSync(join(dirname(resolve(path)), "package.json"))).version;

function energy() {
  mujoco.mj_forward(model, data);
  mujoco.mj_energyPos(model, data);
  mujoco.mj_energyVel(model, data);
  return data.energy[0] + data.energy[1];
}

function poses() {
  mujoco.mj_forward(model, data);
  const all = {};
  for (let i = 1; i < model.nbody; i++)
    all[model.body(i).name] = [...data.xpos.slice(3 * i, 3 * i + 3), ...data.xquat.slice(4 * i, 4 * i + 4)];
  return all;
}

const said = { version, energy: [energy()] };
const length = Math.max(1, Math.floor(steps / 50)), times = [];
let started = process.cpuUsage();
function note() {
  const now = process.cpuUsage();
  times.push((now.user + now.system - started.user - started.system) / length);
  started = now;
}
for (let i = 0; i < steps; i++) {
  if (i === steps - tail) said.tail = poses();
  if (i > 0 && i % length === 0) note();
  mujoco.mj_step(model, data);
}
note();
said.end = poses();
said.energy.push(energy());
times.sort((a, b) => a - b);
said.us = times[times.length >> 1];
said.mean = times.reduce((a, b) => a + b, 0) / times.length;
console.log(JSON.stringify(said));
process.exit(0);
