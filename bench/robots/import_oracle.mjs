// What MuJoCo makes of a model, as one line of JSON: bodies with their masses and poses, at qpos0 or at a keyframe.
//
//   node import_oracle.mjs PACKAGE/mujoco.js MODEL [KEYFRAME] [--at POSES.json]
//
// --at: coordinates of joints that are alone on their body are those of given poses, { NAME: [x, y, z, qw, qx, qy, qz] }, as far
// as a joint can have them; `open`: how far connect and weld constraints are apart there (m).
// PACKAGE: where `npm install @mujoco/mujoco` put it.
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { body_names, load_model } from "./oracle_model.mjs";

const at = process.argv.indexOf("--at"), poses = at > 0 ? JSON.parse(readFileSync(process.argv[at + 1], "utf8")) : null;
const words = at > 0 ? process.argv.slice(0, at) : process.argv;
const [path, file, key] = [resolve(words[2]), resolve(words[3]), words[4]];
const { mujoco, model, data } = await load_model(path, file, key);
const times = ([a, b, c, d], [e, f, g, h]) => [a * e - b * f - c * g - d * h, a * f + b * e + c * h - d * g, a * g - b * h + c * e + d * f, a * h + b * g - c * f + d * e];
const back = ([w, x, y, z]) => [w, -x, -y, -z];
const turned = (q, v) => times(times(q, [0, ...v]), back(q)).slice(1);
const names = body_names(model);
for (let i = 1; poses && i < model.nbody; i++) {
  const own = poses[names[i]], up = poses[names[model.body_parentid[i]]] ?? [0, 0, 0, 1, 0, 0, 0], j = model.body_jntadr[i];
  if (!own || model.body_jntnum[i] !== 1) continue;
  const rest = [...model.body_quat.slice(4 * i, 4 * i + 4)], q = times(back(rest), times(back(up.slice(3)), own.slice(3)));
  const axis = [...model.jnt_axis.slice(3 * j, 3 * j + 3)], start = model.jnt_qposadr[j];
  const between = turned(back(up.slice(3)), [0, 1, 2].map((k) => own[k] - up[k])).map((x, k) => x - model.body_pos[3 * i + k]);
  const dot = (v) => axis.reduce((sum, x, k) => sum + x * v[k], 0);
  if (model.jnt_type[j] === 0) data.qpos.set(own, start);
  else if (model.jnt_type[j] === 1) data.qpos.set(q, start);
  else if (model.jnt_type[j] === 2) data.qpos[start] = model.qpos0[start] + dot(turned(back(rest), between));
  else data.qpos[start] = model.qpos0[start] + Math.atan2(Math.sin(2 * Math.atan2(dot(q.slice(1)), q[0])), Math.cos(2 * Math.atan2(dot(q.slice(1)), q[0])));
}
mujoco.mj_kinematics(model, data);
mujoco.mj_comPos(model, data);
const list = (array, i, n) => [...array.slice(n * i, n * i + n)];
const bodies = [];
for (let i = 1; i < model.nbody; i++)
  bodies.push({
    name: names[i], parent: model.body_parentid[i], weld: model.body_mocapid[model.body_weldid[i]] >= 0 ? 0 : model.body_weldid[i], mass: model.body_mass[i],
    inertia: list(model.body_inertia, i, 3), position: list(data.xpos, i, 3), orientation: list(data.xquat, i, 4),
    centre: list(data.xipos, i, 3), axes: list(data.ximat, i, 9) });
let open = 0;
if (poses) {
  mujoco.mj_fwdPosition(model, data);
  for (let k = 0; k < data.ne; k++) open = Math.max(open, Math.abs(data.efc_pos[k]));
}
console.log(JSON.stringify({ nq: model.nq, nv: model.nv, bodies, open }));
