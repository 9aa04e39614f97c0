// Two versions of the viewer side by side: the same runs in the same views, on a desk and on a phone, light and dark.
//
//   node docs/images/draw-comparison.mjs BEFORE AFTER OUT [SCENE ...]
//
// BEFORE is a folder as AFTER is, or - for the pictures before as they are in the montages of OUT.
// BEFORE and AFTER are folders with reports NAME.html of the same results (asperity report NAME.h5 -o FOLDER/NAME.html, by programs of the two
// versions); OUT gets desk-light.jpg, desk-dark.jpg, phone-light.jpg, phone-dark.jpg. Needs chromium and montage (imagemagick).
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { launch } from "../../web/tools/browser.mjs";

const [before, after, out, ...given] = process.argv.slice(2);
if (!out) {
  console.error("usage: draw-comparison.mjs BEFORE AFTER OUT [SCENE ...]");
  process.exit(2);
}
const scenes = given.length ? given : readdirSync(after).filter((name) => name.endsWith(".html")).map((name) => name.slice(0, -5));
const SCREENS = { desk: { width: 1200, height: 750 }, phone: { width: 390, height: 760 } };
const work = mkdtempSync(join(tmpdir(), "asperity-comparison-"));
mkdirSync(out, { recursive: true });
const browser = await launch();
const MONTAGES = [["desk", 4, [252, 158]], ["phone", 8, [126, 245]]];
if (before === "-") cutBefore();
for (const scene of scenes)
  for (const [version, folder] of [["before", before], ["after", after]].filter(([, folder]) => folder !== "-"))
    for (const [screen, viewport] of Object.entries(SCREENS)) {
      const page = await browser.newPage({ viewport });
      await page.goto(`${pathToFileURL(resolve(folder, `${scene}.html`))}#theme=light`);
      await page.waitForFunction(() => window.asperity, null, { timeout: 120000 });
      for (const theme of ["light", "dark"]) {
        await page.evaluate((theme) => {
          window.asperity.setTheme(theme);
          (window.asperity.finish ?? window.asperity.render).call(window.asperity);
        }, theme);
        await page.screenshot({ path: join(work, `${screen}-${theme}-${scene}-${version}.png`) });
      }
      await page.close();
    }
await browser.close();
for (const [screen, columns, [width, height]] of MONTAGES)
  for (const theme of ["light", "dark"]) {
    const pictures = scenes.flatMap((scene) => ["before", "after"].map((version) => ["-label", `${scene}, ${version}`, join(work, `${screen}-${theme}-${scene}-${version}.png`)]));
    execFileSync("montage", [...pictures.flat(), "-tile", `${columns}x`, "-geometry", `${width}x${height}+3+3`, "-font", "DejaVu-Sans", "-pointsize", "10", "-strip", "-sampling-factor", "4:2:0", "-quality", "52", join(out, `${screen}-${theme}.jpg`)]);
  }
rmSync(work, { recursive: true });

/** Every second picture of the montages that are there: the same scenes in the same order. */
function cutBefore() {
  for (const [screen, columns, [width, height]] of MONTAGES)
    for (const theme of ["light", "dark"]) {
      const montage = join(out, `${screen}-${theme}.jpg`);
      const [wide, high] = execFileSync("identify", ["-format", "%w %h", montage], { encoding: "utf8" }).split(" ").map(Number);
      const [across, down] = [wide / columns, high / Math.ceil((2 * scenes.length) / columns)]; // of a cell
      scenes.forEach((scene, i) => {
        const x = Math.round(((2 * i) % columns) * across + (across - width) / 2);
        const y = Math.round(Math.floor((2 * i) / columns) * down) + 3;
        execFileSync("convert", [montage, "-crop", `${width}x${height}+${x}+${y}`, "+repage", join(work, `${screen}-${theme}-${scene}-before.png`)]);
      });
    }
}
