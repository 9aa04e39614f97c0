// web/live/module.ts for node: bundled into a file of its own, and imported.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";

export async function loadModule() {
  const folder = mkdtempSync(join(tmpdir(), "asperity-"));
  const outfile = join(folder, "module.mjs");
  await build({ entryPoints: [new URL("../live/module.ts", import.meta.url).pathname], outfile, bundle: true, format: "esm", logLevel: "warning" });
  const loaded = await import(pathToFileURL(outfile));
  rmSync(folder, { recursive: true });
  return loaded;
}
