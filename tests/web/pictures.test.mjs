// Pictures drawn by the program itself, through Chromium: the right size, not blank, different where the run is.
import assert from "node:assert/strict";
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { before, test } from "node:test";
import { asperity, SOURCE } from "./support.mjs";

before(() => asperity("run", "--quiet", "--until", "0.2", "--out", "r.h5", `${SOURCE}/scenes/pyramid-of-balls.json`));

/** Width, height and bytes of a PNG file. */
function png(path) {
  const bytes = readFileSync(path);
  assert.equal(bytes.toString("latin1", 1, 4), "PNG", path);
  assert.equal(bytes.toString("latin1", bytes.length - 8, bytes.length - 4), "IEND", path);
  return { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20), bytes };
}

test("a poster has the size asked for and shows something", () => {
  asperity("convert", "--quiet", "r.h5", "-o", "r.png", "--size", "640x400", "--view", "t=0.1&theme=dark");
  const { width, height, bytes } = png("r.png");
  assert.deepEqual([width, height], [640, 400]);
  assert.ok(bytes.length > 20000, `${bytes.length} bytes: a blank picture`); // a gradient alone takes a tenth of that
});

test("frames cover the run", () => {
  const said = JSON.parse(asperity("convert", "--json", "r.h5", "-o", "film/%03d.png", "--frames", "3", "--size", "320x200"));
  assert.equal(said.pictures, 3);
  assert.deepEqual(readdirSync("film").sort(), ["000.png", "001.png", "002.png"]);
  const [first, second, third] = ["000", "001", "002"].map((name) => png(`film/${name}.png`).bytes);
  assert.ok(!first.equals(second) && !second.equals(third));
});

test("nothing is left in the folder for temporary files", () => {
  const own = { ...process.env };
  process.env.TMPDIR = process.cwd();
  asperity("convert", "--quiet", "r.h5", "-o", "again.png", "--size", "320x200");
  process.env = own;
  assert.ok(existsSync("again.png"));
  assert.deepEqual(readdirSync(".").filter((name) => name.startsWith("asperity-")), []);
});
