// Does MuJoCo's model stand when its motors hold the keyframe? Height of the first free body over 5 s, one line each 0.5 s.
//
//   node stand_oracle.mjs PACKAGE/mujoco.js MODEL KEYFRAME KP KD
//
// Every motor gives KP (q0 - q) - KD q' on its joint (N m/rad, N m s/rad), within its control range.
import { resolve } from "node:path";
import { load_model } from "./oracle_model.mjs";

const [path, file, key, kp, kd] = [resolve(process.argv[2]), resolve(process.argv[3]), process.argv[4], +process.argv[5], +process.argv[6]];
const { mujoco, model, data } = await load_model(path, file, key);
const motors = [];
for (let i = 0; i < model.nu; i++) {
  const joint = model.actuator_trnid[2 * i], at = model.jnt_qposadr[joint];
  motors.push({ at, dof: model.jnt_dofadr[joint], gear: model.actuator_gear[6 * i], start: data.qpos[at], range: model.actuator_ctrlrange.slice(2 * i, 2 * i + 2) });
}
mujoco.mj_forward(model, data);
const every = Math.round(0.5 / model.opt.timestep);
for (let k = 0; k <= 10 * every; k++) {
  if (k % every === 0) console.log(`${data.time.toFixed(2)} s: z ${data.qpos[2].toFixed(3)} m, x ${data.qpos[0].toFixed(3)} m`);
  motors.forEach((m, i) => {
    const u = (kp * (m.start - data.qpos[m.at]) - kd * data.qvel[m.dof]) / m.gear;
    data.ctrl[i] = Math.min(Math.max(u, m.range[0]), m.range[1]);
  });
  mujoco.mj_step(model, data);
}
