// What MuJoCo makes of a model, as one line of JSON: bodies with their masses and poses, at qpos0 or at a keyframe.
//
//   node import_oracle.mjs PACKAGE/mujoco.js MODEL [KEYFRAME]
//
// PACKAGE: where `npm install @mujoco/mujoco` put it.
import { resolve } from "node:path";
import { body_names, load_model } from "./oracle_model.mjs";

const [path, file, key] = [resolve(process.argv[2]), resolve(process.argv[3]), process.argv[4]];
const { mujoco, model, data } = await load_model(path, file, key);
mujoco.mj_kinematics(model, data);
mujoco.mj_comPos(model, data);
const list = (array, i, n) => [...array.slice(n * i, n * i + n)];
const bodies = [], names = body_names(model);
for (let i = 1; i < model.nbody; i++)
  bodies.push({
    name: names[i], parent: model.body_parentid[i], weld: model.body_mocapid[model.body_weldid[i]] >= 0 ? 0 : model.body_weldid[i], mass: model.body_mass[i],
    inertia: list(model.body_inertia, i, 3), position: list(data.xpos, i, 3), orientation: list(data.xquat, i, 4),
    centre: list(data.xipos, i, 3), axes: list(data.ximat, i, 9) });
console.log(JSON.stringify({ nq: model.nq, nv: model.nv, bodies }));
