// One page with everything in it: the script and the styles inline, the licences of what is bundled in a comment on top.
// Two pages: index.html (the viewer) and, with ASPERITY_WASM naming asperity.wasm, playground.html, which holds that too.
import { readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { defineConfig } from "vite";

const bundled = ["three", "uplot"];
const wasm = process.env.ASPERITY_WASM;

function licences() {
  return bundled
    .map((name) => {
      const folder = new URL(`node_modules/${name}/`, import.meta.url);
      const { version } = JSON.parse(readFileSync(new URL("package.json", folder), "utf8"));
      return `${name} ${version}\n\n${readFileSync(new URL("LICENSE", folder), "utf8").trim()}`;
    })
    .join("\n\n")
    .replaceAll("--", "- -"); // no comment may hold two dashes
}

function onePage() {
  return {
    name: "one-page",
    enforce: "post",
    generateBundle(_options, bundle) {
      const page = Object.values(bundle).find(({ fileName }) => fileName.endsWith(".html"));
      for (const [name, part] of Object.entries(bundle)) {
        if (part === page) continue;
        if (part.type === "chunk") {
          const code = part.code.replaceAll("</script", "<\\/script");
          page.source = page.source.replace(new RegExp(`<script[^>]*src="[^"]*${name}"[^>]*></script>`), "");
          // async: a report is drawn while the browser still reads the data that follow
          page.source = page.source.replace("<!--script-->", () => `<script type="module" async>${code}</script>`);
        } else {
          page.source = page.source.replace(new RegExp(`<link[^>]*href="[^"]*${name}"[^>]*>`), () => `<style>${part.source}</style>`);
        }
        delete bundle[name];
      }
      if (wasm) page.source = page.source.replace('id="asperity-wasm">', () => `id="asperity-wasm">${gzipSync(readFileSync(wasm), { level: 9 }).toString("base64")}`);
      page.source = page.source.replace("<head>", () => `<head>\n<!-- This page contains:\n\n${licences()}\n-->`);
    },
  };
}

export default defineConfig({
  base: "./",
  worker: { format: "iife" },
  build: { target: "es2022", assetsInlineLimit: 1 << 20, cssCodeSplit: false, modulePreload: false, chunkSizeWarningLimit: 4096, rollupOptions: { input: wasm ? "playground.html" : "index.html" } },
  plugins: [onePage()],
});
