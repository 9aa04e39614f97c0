// A headless Chromium for tests and pictures: the system's, rendering in software, allowed to reach nothing.
import { existsSync } from "node:fs";
import { chromium } from "playwright-core";

const CANDIDATES = [process.env.CHROMIUM, "/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

export const browserPath = () => CANDIDATES.find((path) => path && existsSync(path));

export function launch() {
  return chromium.launch({
    executablePath: browserPath(),
    args: [
      "--no-sandbox",
      "--disable-gpu",
      "--enable-unsafe-swiftshader",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
      "--hide-scrollbars",
    ],
  });
}
