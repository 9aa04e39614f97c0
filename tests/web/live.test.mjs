// `asperity view` while the run is still writing: the page follows, and ends complete.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { once } from "node:events";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { ASPERITY, launch, noFaults, open, SOURCE } from "./support.mjs";

test("the page follows a run that goes on and shows its end", async () => {
  const run = spawn(ASPERITY, ["run", "--quiet", "--until", "2", "--out", "live.h5", `${SOURCE}/scenes/pyramid-of-balls.json`]);
  const ended = once(run, "exit");
  while (!existsSync("live.h5")) await sleep(20);
  run.kill("SIGSTOP"); // it has begun and cannot have ended: whatever the page shows first is less than the whole
  const server = spawn(ASPERITY, ["view", "--json", "live.h5"]);
  const browser = await launch();
  try {
    const [line] = await once(server.stdout, "data");
    const page = await open(browser, JSON.parse(line).url);
    const first = await page.evaluate(() => window.asperity.run.header);
    assert.equal(first.complete, false);
    run.kill("SIGCONT");
    const [code] = await ended;
    assert.equal(code, 0);
    await page.waitForFunction(() => window.asperity.run.header.complete, null, { timeout: 60000 });
    const last = await page.evaluate(() => [window.asperity.run.header.framesStored, window.asperity.run.end]);
    assert.equal(last[0], 401);
    assert.ok(Math.abs(last[1] - 2) < 1e-6 && first.framesStored < 401);
    noFaults(page);
  } finally {
    run.kill("SIGKILL");
    await browser.close();
    server.kill("SIGTERM");
    await once(server, "exit");
  }
  assert.equal(server.exitCode, 0);
});
