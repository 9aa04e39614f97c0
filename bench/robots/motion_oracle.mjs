// MuJoCo's accelerations at random states, or a free swing, as one line of JSON.
//
//   node motion_oracle.mjs PACKAGE/mujoco.js MODEL accelerations COUNT [KEYFRAME]
//   node motion_oracle.mjs PACKAGE/mujoco.js MODEL swing SECONDS [KEYFRAME]
//
// Contacts, limits, dry friction and equality constraints are off: those are soft in MuJoCo and rigid in scenes. A swing
// also has no damping, springs stay; it is integrated by Runge-Kutta of order 4 at 0.1 ms. Random numbers have a seed.
import { dirname, resolve } from "node:path";
import { body_names, load_model } from "./oracle_model.mjs";

const [path, file, what, amount, key] = [resolve(process.argv[2]), resolve(process.argv[3]), process.argv[4], +process.argv[5], process.argv[6]];
const { mujoco, model, data } = await load_model(path, file, key);

let seed = 12345;
const random = () => (seed = (seed * 1103515245 + 12345) % 2147483648) / 1073741824 - 1; // -1 to 1
const off = (...names) => { for (const name of names) model.opt.disableflags |= mujoco.mjtDisableBit[`mjDSBL_${name}`].value; };
off("EQUALITY", "FRICTIONLOSS", "LIMIT", "CONTACT");
const start = [...data.qpos];

function shake() {
  data.qpos.set(start);
  for (let j = 0; j < model.njnt; j++) {
    const at = model.jnt_qposadr[j], [low, high] = model.jnt_range.slice(2 * j, 2 * j + 2), type = model.jnt_type[j];
    if (type >= 2) {
      const half = low < high ? Math.min(0.45 * (high - low), type === 3 ? 1.2 : 0.3) : type === 3 ? 1.2 : 0.3;
      const middle = low < high ? Math.min(Math.max(start[at], low + half), high - half) : start[at];
      data.qpos[at] = middle + half * random();
    } else {
      const first = type === 0 ? at + 3 : at, q = [1, 0.4 * random(), 0.4 * random(), 0.4 * random()];
      const n = Math.hypot(...q);
      for (let k = 0; k < 4; k++) data.qpos[first + k] = q[k] / n;
    }
  }
}
function push(size) { for (let i = 0; i < model.nv; i++) data.qvel[i] = size * random(); }

const weighs = !(model.opt.disableflags & mujoco.mjtDisableBit.mjDSBL_GRAVITY.value);
const names = body_names(model), six = new mujoco.DoubleBuffer(6), FRAME = 2; // mjOBJ_XBODY
function bodies(accelerate) {
  const all = {};
  for (let i = 1; i < model.nbody; i++) {
    const name = names[i];
    mujoco.mj_objectVelocity(model, data, FRAME, i, six, 0);
    const v = [...six.GetView()];
    let a = null;
    if (accelerate) {
      mujoco.mj_objectAcceleration(model, data, FRAME, i, six, 0);
      a = [...six.GetView()];
      for (let k = 0; weighs && k < 3; k++) a[3 + k] += model.opt.gravity[k];
    }
    all[name] = { p: [...data.xpos.slice(3 * i, 3 * i + 3)], q: [...data.xquat.slice(4 * i, 4 * i + 4)], w: v.slice(0, 3), v: v.slice(3), a };
  }
  return all;
}
const actuators = [];
for (let i = 0; i < model.nu; i++) actuators.push(model.actuator(i).name);
const joints = [];
for (let j = 0; j < model.njnt; j++) joints.push(model.jnt(j).name);
const said = { actuators, joints, states: [] };

if (what === "accelerations") {
  for (let n = 0; n < amount; n++) {
    shake();
    push(1);
    for (let i = 0; i < model.nu; i++) {
      const [low, high] = model.actuator_ctrlrange.slice(2 * i, 2 * i + 2);
      data.ctrl[i] = low < high ? (low + high) / 2 + 0.6 * (high - low) * random() : random(); // outside, too
    }
    mujoco.mj_forward(model, data);
    mujoco.mj_rnePostConstraint(model, data);
    said.states.push({ ctrl: [...data.ctrl], bodies: bodies(true) });
  }
} else {
  off("ACTUATION");
  model.opt.integrator = 1;
  model.opt.timestep = 1e-4;
  model.dof_damping.fill(0);
  for (const extra of ["tendon_damping", "dof_dampingpoly"]) if (model[extra]) model[extra].fill(0);
  push(0.5);
  mujoco.mj_forward(model, data);
  said.states.push({ bodies: bodies(false) });
  for (let i = 0; i < Math.round(amount * 1e4); i++) mujoco.mj_step(model, data);
  mujoco.mj_forward(model, data);
  said.states.push({ bodies: bodies(false) });
}
console.log(JSON.stringify(said));
