// Build and development server. The service is at YANIV_API (default http://127.0.0.1:8080).
import { svelte } from "@sveltejs/vite-plugin-svelte";
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { defineConfig, type Plugin } from "vite";

const service = process.env["YANIV_API"] ?? "http://127.0.0.1:8080";
const target = { target: service, changeOrigin: false };
const proxy = Object.fromEntries(["/v1", "/unsubscribe", "/oauth/token", "/oauth/revoke", "/oidc", "/.well-known"].map((path) => [path, target]));

/** The policy that the page must work under, as the service sends it; also here, so the browser tests run under it. */
export const policy = readFileSync(join(import.meta.dirname, "content-security-policy.txt"), "utf8").trim();

/** Writes the list of built files into the service worker, which precaches them. */
function precache(): Plugin {
  return {
    name: "precache",
    apply: "build",
    enforce: "post",
    generateBundle(_, bundle) {
      const publicDir = join(import.meta.dirname, "public");
      const statics = readdirSync(publicDir, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name).slice(publicDir.length));
      const files = Object.keys(bundle).filter((name) => name !== "sw.js" && !name.endsWith(".html"));
      const hash = createHash("sha256");
      for (const name of Object.keys(bundle).filter((name) => name !== "sw.js")) {
        const part = bundle[name];
        hash.update(name).update(part?.type === "chunk" ? part.code : (part?.source ?? ""));
      }
      for (const name of statics) hash.update(readFileSync(join(publicDir, name)));
      const worker = bundle["sw.js"];
      if (worker?.type !== "chunk") throw new Error("no service worker in the bundle");
      if (worker.imports.length > 0) throw new Error("the service worker must not import chunks");
      const list = ["/", ...files.map((name) => `/${name}`), ...statics];
      worker.code = worker.code
        .replace("__PRECACHE__", JSON.stringify(list))
        .replace("__VERSION__", JSON.stringify(hash.digest("hex").slice(0, 16)));
    },
  };
}

export default defineConfig({
  // Short names of styles: they are in each element of the code.
  plugins: [svelte({ compilerOptions: { cssHash: ({ hash, css }) => `s${hash(css).slice(0, 5)}` } }), precache()],
  build: {
    // README, "Browsers".
    target: ["chrome111", "edge111", "firefox115", "safari16.4"],
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rollupOptions: {
      input: { main: "index.html", sw: "src/worker/sw.ts" },
      output: {
        // Few requests: what every screen needs is one file, the table another, its sheets a third.
        codeSplitting: {
          groups: [
            { name: "base", test: /node_modules|src\/(api\/(client|map|matches|people|session|inbox)|known\/(?!push)|i18n\/|app\/|ui\/(announce|cards|problem|resource|ticker|Icon|Loading|Title|TopBar|Suit|MiniCards)|table\/sentences)/ },
            { name: "home", test: /src\/(home\/(Home|MatchLine)|known\/push|api\/push)/ },
            { name: "table", test: /src\/(table\/(MatchScreen|TableScreen|CallSheet|Confirm|Hand|Piles|Players|Recap\.|RoundEnd|narrator|state)|ui\/(CardFace|CardBack|Lazy|Sheet))/ },
            { name: "sheets", test: /src\/(table\/(Menu|Plan|Retell|past|RulesList|ScoreTable|Side|rules-text)|api\/orders|ui\/FieldError)/ },
            { name: "friends", test: /src\/(api\/friends|people\/Report)/ },
            { name: "end", test: /src\/(table\/MatchEnd|played\/(Records|fairness|files)|api\/played|ui\/Lines)/ },
          ],
        },
        // Random characters do not compress, and the first screen has the names of all chunks.
        chunkFileNames: "assets/[name]-[hash:6].js",
        entryFileNames: (chunk) => (chunk.name === "sw" ? "sw.js" : "assets/[name]-[hash].js"),
      },
    },
  },
  server: { proxy },
  preview: { proxy, headers: { "Content-Security-Policy": policy } },
  test: { include: ["src/**/*.test.ts"], environment: "node" },
} as Parameters<typeof defineConfig>[0]);
