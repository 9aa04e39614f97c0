// A model in MuJoCo's WebAssembly, at qpos0 or a keyframe. Pictures that it names need not be there, nor meshes of bodies
// whose inertia is given. Joints start within their limits, as scenes ask.
import { existsSync, readFileSync, readdirSync, statSync } from "node:fs";
import { dirname, join } from "node:path";

const absent = (text, folder) => text.replace(/<mesh[^>]*?file="([^"]*)"[^>]*?\/>/g, (t, name) => {
  const below = /meshdir="([^"]*)"/.exec(text)?.[1] ?? "";
  const title = /name="([^"]*)"/.exec(t)?.[1] ?? name.replace(/.*\//, "").replace(/\.[^.]*$/, "");
  const there = existsSync(join(folder, below, name)) || existsSync(join(folder, "assets", name));
  return there ? t : `<mesh name="${title}" vertex="0 0 0 1 0 0 0 1 0 0 0 1"/>`;
});
const plain = (text) => text.replace(/<texture[^>]*?file="[^"]*"[^>]*?\/>/g, (t) => {
  const name = /name="([^"]*)"/.exec(t)?.[1] ?? /file="(?:[^"]*\/)?([^"/]*?)\.[^".]*"/.exec(t)[1];
  return `<texture name="${name}" type="2d" builtin="flat" width="8" height="8"/>`;
});
function copy(mujoco, folder, depth) {
  mujoco.FS.mkdirTree(folder);
  for (const name of readdirSync(folder)) {
    const from = join(folder, name);
    if (statSync(from).isDirectory()) depth > 0 && copy(mujoco, from, depth - 1);
    else if (/\.(xml|urdf)$/.test(name)) mujoco.FS.writeFile(from, absent(plain(readFileSync(from, "utf8")), folder));
    else if (/\.(stl|obj|msh)$/i.test(name)) mujoco.FS.writeFile(from, readFileSync(from));
  }
}
/* Names of bodies as scenes have them: those without one are body1, body2, ... */
export function body_names(model) {
  const names = ["world"];
  for (let i = 1, unnamed = 0; i < model.nbody; i++) names.push(model.body(i).name || `body${++unnamed}`);
  return names;
}
export async function load_model(path, file, key) {
  const mujoco = await (await import(path)).default({ print: () => {}, printErr: () => {} });
  copy(mujoco, dirname(file), 3);
  mujoco.FS.chdir(dirname(file));
  const model = mujoco.MjModel.from_xml_path(file);
  const data = new mujoco.MjData(model);
  if (key !== undefined) {
    for (let k = 0; k < model.nkey; k++)
      if (model.key(k).name === key) data.qpos.set(model.key_qpos.slice(k * model.nq, (k + 1) * model.nq));
  }
  for (let j = 0; j < model.njnt; j++)
    if (model.jnt_range[2 * j] < model.jnt_range[2 * j + 1] && model.jnt_type[j] >= 2) {
      const at = model.jnt_qposadr[j], [low, high] = model.jnt_range.slice(2 * j, 2 * j + 2);
      data.qpos[at] = Math.min(Math.max(data.qpos[at], low), high);
    }
  return { mujoco, model, data };
}
