// node web/tools/package.mjs asperity.wasm FOLDER: the module as a package in the manner of npm, with types.
import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";

const [wasm, folder] = process.argv.slice(2);
if (!folder) {
  console.error("usage: node web/tools/package.mjs asperity.wasm FOLDER");
  process.exit(2);
}
const web = new URL("..", import.meta.url).pathname;
const version = ["MAJOR", "MINOR", "PATCH"].map((part) => new RegExp(`ASP_VERSION_${part} (\\d+)`).exec(readFileSync(`${web}../include/asperity/version.h`, "utf8"))[1]).join(".");
rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });
for (const name of ["module", "client", "worker"])
  await build({ entryPoints: [`${web}live/${name}.ts`], outfile: `${folder}/${name}.js`, bundle: true, format: "esm", target: "es2022", minify: true, logLevel: "warning" });
execFileSync(process.execPath, [`${web}node_modules/typescript/bin/tsc`, `${web}live/module.ts`, `${web}live/client.ts`, "--declaration", "--emitDeclarationOnly", "--outDir", folder, "--target", "es2022", "--module", "esnext", "--moduleResolution", "bundler", "--lib", "es2023,dom", "--strict", "--skipLibCheck"], { stdio: "inherit" });
copyFileSync(wasm, `${folder}/asperity.wasm`);
copyFileSync(`${web}../LICENSE`, `${folder}/LICENSE`);
copyFileSync(`${web}live/README.md`, `${folder}/README.md`);
const entry = (name) => ({ types: `./${name}.d.ts`, default: `./${name}.js` });
const about = {
  name: "asperity",
  version,
  description: "Multibody dynamics with unilateral contact and exact Coulomb friction, in WebAssembly",
  license: "Apache-2.0",
  type: "module",
  exports: { ".": entry("module"), "./client": entry("client"), "./worker": "./worker.js", "./asperity.wasm": "./asperity.wasm" },
  files: ["*.js", "*.d.ts", "asperity.wasm", "LICENSE", "README.md"],
};
writeFileSync(`${folder}/package.json`, `${JSON.stringify(about, null, 2)}\n`);
const names = ["asperity.wasm", "module.js", "client.js", "worker.js"];
const packed = names.map((name) => gzipSync(readFileSync(`${folder}/${name}`), { level: 9 }).length);
names.forEach((name, i) => console.log(`${name.padEnd(16)} ${String(statSync(`${folder}/${name}`).size).padStart(9)} bytes, compressed ${String(packed[i]).padStart(8)}`));
console.log(`${"package".padEnd(16)} compressed ${(packed.reduce((a, b) => a + b) / 1e6).toFixed(2)} MB`);
