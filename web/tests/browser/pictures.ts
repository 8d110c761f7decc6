// Small pictures for docs/screens, each under a limit of bytes, and their index.
import { mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";

const folder = join(import.meta.dirname, "../../../docs/screens");
const limit = 40_000;
export const wanted = process.env["SCREENS"] !== undefined;

/** Screens by the groups of the index. */
const groups: Record<string, { title: string; screens: string[] }> = {
  light: {
    title: "Phone, light", screens: ["welcome", "join", "home", "turn", "staged", "call", "waiting", "plan", "round-end", "over", "room", "new", "challenge", "replay", "rules", "recap",
      "people", "profile", "history", "statistics", "ratings", "notices", "time", "account", "look", "authorize", "apps", "forgot"],
  },
  dark: { title: "Phone, dark", screens: ["home", "staged", "waiting", "round-end", "over", "replay", "statistics", "authorize"] },
  hebrew: { title: "Phone, Hebrew", screens: ["home", "staged", "round-end", "over", "new", "authorize"] },
  wide: { title: "Wide", screens: ["home", "staged", "over", "new"] },
  "wide-dark": { title: "Wide, dark", screens: ["home", "staged", "over", "new", "replay", "statistics"] },
};

export async function picture(page: Page, group: string, name: string): Promise<void> {
  if (!wanted || !groups[group]?.screens.includes(name)) return;
  mkdirSync(folder, { recursive: true });
  const session = await page.context().newCDPSession(page);
  const { width, height } = page.viewportSize() ?? { width: 390, height: 844 };
  const scale = group.startsWith("wide") ? 1.2 : 1.6;
  for (let quality = 85; quality > 10; quality -= 10) {
    const { data } = await session.send("Page.captureScreenshot", { format: "webp", quality, clip: { x: 0, y: 0, width, height, scale }, captureBeyondViewport: false });
    const bytes = Buffer.from(data, "base64");
    if (bytes.length > limit) continue;
    writeFileSync(join(folder, `${group}-${name}.webp`), bytes);
    return;
  }
  throw new Error(`${group}-${name} does not fit into ${limit} bytes`);
}

/** What is there no longer goes; the index names what there is. */
export function index(): void {
  if (!wanted) return;
  const known = new Set(Object.entries(groups).flatMap(([group, { screens }]) => screens.map((name) => `${group}-${name}.webp`)));
  for (const file of readdirSync(folder)) if (file.endsWith(".webp") && !known.has(file)) rmSync(join(folder, file));
  const there = readdirSync(folder).filter((file) => file.endsWith(".webp"));
  const total = there.reduce((sum, file) => sum + statSync(join(folder, file)).size, 0);
  if (total > 1_800_000) throw new Error(`${total} bytes of pictures`);
  const parts = Object.entries(groups).map(([group, { title, screens }]) => {
    const shown = screens.filter((name) => there.includes(`${group}-${name}.webp`));
    return `## ${title}\n\n${shown.map((name) => `<img src="${group}-${name}.webp" width="${group.startsWith("wide") ? 640 : 240}" alt="${title}: ${name.replace("-", " ")}">`).join("\n")}\n`;
  });
  writeFileSync(join(folder, "README.md"), `# Screens of the web client\n\nTaken by \`npm run screens\` in \`web/\`, from the built client in a real Chromium against a real service.\n\n${parts.join("\n")}`);
}
