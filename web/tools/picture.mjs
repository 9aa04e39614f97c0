// Pictures of a report, without a window:
//
//   node web/tools/picture.mjs REPORT.html OUT.png [--size 1200x750] [--view "t=1.5&az=-40&theme=dark"] [--ui]
//   node web/tools/picture.mjs REPORT.html FOLDER --frames 120 ...     FOLDER/0000.png ... over the whole run
//
// --view takes what the page takes after its # (web/src/main.ts). --ui keeps the panel.
import { mkdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { launch } from "./browser.mjs";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    size: { type: "string", default: "1200x750" },
    view: { type: "string", default: "" },
    frames: { type: "string" },
    scale: { type: "string", default: "1" },
    ui: { type: "boolean", default: false },
  },
});
const [report, out] = positionals;
if (!report || !out) {
  console.error("usage: picture.mjs REPORT.html OUT.png|FOLDER [--size WxH] [--view HASH] [--frames N] [--scale S] [--ui]");
  process.exit(2);
}
const [width, height] = values.size.split("x").map(Number);
const browser = await launch();
const page = await browser.newPage({ viewport: { width, height }, deviceScaleFactor: Number(values.scale) });
const problems = [];
page.on("pageerror", (error) => problems.push(error.message));
page.on("console", (message) => message.type() === "error" && problems.push(message.text()));
const hash = `${values.view}&quality=fine${values.ui ? "" : "&ui=0"}`; // the first of a kind counts
await page.goto(`${pathToFileURL(resolve(report))}#${hash}`);
await page.waitForFunction(() => window.asperity, null, { timeout: 60000 });

async function shoot(path) {
  await page.evaluate(() => window.asperity.render());
  await page.screenshot({ path, timeout: 120000 });
}

if (values.frames) {
  const count = Number(values.frames);
  mkdirSync(out, { recursive: true });
  for (let i = 0; i < count; i++) {
    await page.evaluate((part) => {
      const { run } = window.asperity;
      window.asperity.seek(run.time[0] + part * (run.end - run.time[0]));
    }, count > 1 ? i / (count - 1) : 0);
    await shoot(join(out, `${String(i).padStart(4, "0")}.png`));
  }
} else await shoot(out);
await browser.close();
for (const problem of problems) console.error(problem);
process.exit(problems.length ? 1 : 0);
