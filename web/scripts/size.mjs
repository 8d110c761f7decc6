// Prints the size of what the browser loads at start, compressed, and fails above the budget.
import { readFileSync, readdirSync } from "node:fs";
import { gzipSync } from "node:zlib";

const budget = 60 * 1024;
const dist = new URL("../dist/", import.meta.url);
const html = readFileSync(new URL("index.html", dist), "utf8");
const size = (name) => gzipSync(readFileSync(new URL(name, dist)), { level: 9 }).length;
const kb = (bytes) => `${(bytes / 1024).toFixed(1)} kB`;

const start = [...html.matchAll(/(?:src|href)="\/(assets\/[^"]+\.(?:js|css))"/g)].map((found) => found[1]);
// The first screen (Home) is loaded by the entry: it counts as well. The catalogue is data; it is printed beside.
const assets = readdirSync(new URL("assets/", dist)).map((name) => `assets/${name}`);
const first = assets.filter((name) => /\/Home-[^/]+\.js$/.test(name));
const queue = [...new Set([...start, ...first])].filter((name) => name.endsWith(".js"));
const seen = new Set(queue);
while (queue.length > 0) {
  const text = readFileSync(new URL(queue.pop(), dist), "utf8");
  for (const [, name] of text.matchAll(/(?:from|import)\s*"\.\/([^"]+\.js)"/g)) {
    const file = `assets/${name}`;
    if (!seen.has(file)) { seen.add(file); queue.push(file); }
  }
}
let total = 0;
for (const name of [...seen].sort()) {
  const bytes = size(name);
  total += bytes;
  console.log(`${kb(bytes).padStart(9)}  ${name}`);
}
const css = assets.filter((name) => name.endsWith(".css")).reduce((sum, name) => sum + size(name), 0);
const texts = assets.filter((name) => /\/en-[^/]+\.json$/.test(name)).reduce((sum, name) => sum + size(name), 0);
const all = assets.filter((name) => name.endsWith(".js")).reduce((sum, name) => sum + size(name), 0);
console.log(`${kb(total).padStart(9)}  JavaScript at start (budget ${kb(budget)}); catalogue ${kb(texts)}; all screens ${kb(all)}; CSS ${kb(css)}`);
if (total > budget) { console.error("above the budget"); process.exit(1); }
