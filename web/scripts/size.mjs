// Prints the size of the JavaScript that the browser loads first, compressed, and fails above a budget.
import { readFileSync, readdirSync } from "node:fs";
import { gzipSync } from "node:zlib";

/** First screens, by the name of their chunk. */
const budgets = { Home: 51 * 1024, MatchScreen: 62 * 1024 };
const dist = new URL("../dist/", import.meta.url);
const html = readFileSync(new URL("index.html", dist), "utf8");
const size = (name) => gzipSync(readFileSync(new URL(name, dist)), { level: 9 }).length;
const kb = (bytes) => `${(bytes / 1024).toFixed(1)} kB`;
const assets = readdirSync(new URL("assets/", dist)).map((name) => `assets/${name}`);
const sum = (names) => names.reduce((total, name) => total + size(name), 0);

const start = [...html.matchAll(/src="\/(assets\/[^"]+\.js)"/g)].map((found) => found[1]);
/** The entry with the chunk of a screen, and all that they import at once. */
function loaded(screen) {
  const first = assets.filter((name) => name.startsWith(`assets/${screen}-`) && name.endsWith(".js"));
  if (first.length !== 1) throw new Error(`${first.length} chunks of ${screen}`);
  const queue = [...start, ...first];
  const seen = new Set(queue);
  while (queue.length > 0) {
    const text = readFileSync(new URL(queue.pop(), dist), "utf8");
    for (const [, name] of text.matchAll(/(?:from|import)\s*"\.\/([^"]+\.js)"/g)) {
      const file = `assets/${name}`;
      if (!seen.has(file)) { seen.add(file); queue.push(file); }
    }
  }
  return [...seen].sort();
}

let over = false;
for (const [screen, budget] of Object.entries(budgets)) {
  const names = loaded(screen);
  for (const name of names) console.log(`${kb(size(name)).padStart(9)}  ${name}`);
  const total = sum(names);
  console.log(`${kb(total).padStart(9)}  JavaScript until ${screen} is there (budget ${kb(budget)})`);
  if (total > budget) { console.error("above the budget"); over = true; }
}
// The catalogue is data: it is loaded beside.
const of = (pattern) => kb(sum(assets.filter((name) => pattern.test(name))));
console.log(`catalogue ${of(/\/en-[^/]+\.json$/)}; JavaScript of all screens ${of(/\.js$/)}; CSS ${of(/\.css$/)}`);
if (over) process.exit(1);
