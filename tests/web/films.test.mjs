// Films of a run: drawn by Chromium, put together by ffmpeg. Without ffmpeg the error names it and what to do.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { before, test } from "node:test";
import { ASPERITY, asperity, SOURCE } from "./support.mjs";

before(() => asperity("run", "--quiet", "--until", "0.2", "--out", "r.h5", `${SOURCE}/scenes/pyramid-of-balls.json`));

const refused = (words, env = {}) => {
  const { status, stderr } = spawnSync(ASPERITY, words, { encoding: "utf8", env: { ...process.env, ...env } });
  assert.equal(status, 2, stderr);
  return stderr;
};

const hasFfmpeg = spawnSync(process.env.FFMPEG || "ffmpeg", ["-version"]).status === 0;

test("a film of each kind begins as its format does, and has as many pictures as asked", { skip: hasFfmpeg ? false : "ffmpeg is missing" }, () => {
  const begins = { mp4: (bytes) => bytes.toString("latin1", 4, 8) === "ftyp", webm: (bytes) => bytes.readUInt32BE(0) === 0x1a45dfa3, gif: (bytes) => bytes.toString("latin1", 0, 4) === "GIF8" };
  for (const [kind, good] of Object.entries(begins)) {
    const said = JSON.parse(asperity("convert", "--json", "r.h5", "-o", `film.${kind}`, "--frames", "3", "--fps", "5", "--size", "161x101"));
    assert.equal(said.pictures, 3);
    assert.ok(good(readFileSync(`film.${kind}`)), kind);
  }
});

test("without ffmpeg the error names it and the remedy, and nothing is drawn or left behind", () => {
  const said = refused(["convert", "r.h5", "-o", "none.mp4"], { FFMPEG: "/nonexistent", TMPDIR: process.cwd() });
  assert.match(said, /ffmpeg.*variable FFMPEG.*apt-get install ffmpeg.*frames\/%04d\.png/s);
  assert.ok(!existsSync("none.mp4"));
  assert.deepEqual(readdirSync(".").filter((name) => name.startsWith("asperity-")), []);
});

test("what does not go together is refused by name", () => {
  assert.match(refused(["convert", "r.h5", "-o", "r.png", "--fps", "10"]), /--fps applies to films only/);
  assert.match(refused(["convert", "r.h5", "-o", "film.mp4", "--fps", "0"]), /fps/);
  assert.match(refused(["convert", "r.h5", "-o", "r.csv", "--fps", "10"]), /pictures and films only/);
  assert.match(refused(["convert", "r.h5", "-o", "film.avi"]), /unknown file type; use .*\.mp4, \.webm or \.gif/);
});
