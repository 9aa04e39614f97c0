// Hashes of the state after 100 steps, the module's beside those of the native portable build:
//
//   cmake --preset portable -DASPERITY_BENCH=ON && cmake --build --preset portable --target bench_wasm_states
//   node bench/wasm/bits.mjs build/portable/bench/wasm/bench_wasm_states asperity.wasm [SCENE.json ...]
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { loadModule } from "../../web/tools/module.mjs";

const [program, wasm, ...given] = process.argv.slice(2);
const gallery = new URL("../../scenes/gallery", import.meta.url).pathname;
const scenes = given.length ? given : readdirSync(gallery).filter((name) => name.endsWith(".json")).map((name) => join(gallery, name));
const { Engine } = await loadModule();
const engine = await Engine.create(readFileSync(wasm));
let equal = 0;
for (const scene of scenes) {
  const world = engine.world();
  world.load(readFileSync(scene, "utf8"));
  world.step(100);
  const native = spawnSync(program, [scene, "100"], { encoding: "utf8" }).stdout.trim();
  equal += native === world.hash;
  console.log(`${basename(scene, ".json").padEnd(24)} ${native} ${world.hash} ${native === world.hash ? "equal" : "differ"}`);
  world.destroy();
}
console.log(`${equal} of ${scenes.length} equal in every bit`);
