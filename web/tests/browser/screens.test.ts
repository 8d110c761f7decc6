// Every screen: axe finds nothing in light, dark, Hebrew and at 200 % text; pictures for looking at (SCREENS=1).
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { account, call, device, get, logIn, origin, out, playUntil, start, stop, type Match } from "./support";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
let browser: Browser;
beforeAll(async () => { browser = await start(); });
afterAll(async () => { await stop(browser); });

const wait = (ms: number): Promise<void> => new Promise((resolve) => { setTimeout(resolve, ms); });

interface World { username: string; token: string; friend: string; running: string; turn: string; over: string; room: string; code: string; roundEnd: string; challenge: string }
let world: World;
beforeAll(async () => {
  const ada = await account("ada");
  const bob = await account("bob");
  await call(ada.token, "PATCH", "/v1/account", { display_name: `Ada ${Date.now() % 1000}` }).catch(() => undefined);
  const make = async (body: object): Promise<string> => {
    const made = await call<Match>(ada.token, "POST", "/v1/matches", { rules: { preset: "yaniv" }, bots: ["easy"], size: 2, ...body });
    if ((body as { bots?: string[] }).bots?.length !== 0) await call(ada.token, "POST", `/v1/matches/${made.match_id}/start`);
    return made.match_id;
  };
  const over = await make({ rules: { preset: "yaniv", max_rounds: 3 }, bots: ["easy", "medium"], size: 3 });
  await playUntil(ada.token, over, (match) => match.status === "finished");
  const roundEnd = await make({});
  const turn = await make({ bots: ["easy", "hard"], size: 3, rules: { preset: "jhyap" } });
  await playUntil(ada.token, turn, (match) => match.your_turn === true && (match.legal?.discards.some((cards) => cards.length > 1) ?? false));
  // A match that waits for another person.
  const running = await call<Match>(ada.token, "POST", "/v1/matches", { rules: { preset: "dhumbal" }, size: 2 });
  await call(bob.token, "POST", `/v1/join-codes/${running.join_code}/seats`, {});
  await call(ada.token, "POST", `/v1/matches/${running.match_id}/start`);
  const mine = await get(ada.token, running.match_id);
  if (mine.your_turn) await call(ada.token, "POST", `/v1/matches/${running.match_id}/plays`, { expected_version: mine.version, cards: mine.legal?.discards[0] ?? [], draw_from: "stock" });
  const room = await call<Match>(ada.token, "POST", "/v1/matches", { rules: { preset: "kluft" }, size: 4 });
  await call(ada.token, "PUT", `/v1/friends/${bob.username}`).catch(() => undefined);
  await call(bob.token, "PUT", `/v1/friends/${ada.username}`).catch(() => undefined);
  const challenge = await call<{ challenge_id: string }>(bob.token, "POST", "/v1/challenges", { opponents: [ada.username], rules: { preset: "speedy" } });
  world = { ...ada, friend: bob.username, running: running.match_id, turn, over, room: room.match_id, code: room.join_code, roundEnd, challenge: challenge.challenge_id };
}, 120_000);

const screens = (): [string, string][] => [
  ["home", "/"], ["turn", `/match/${world.turn}`], ["waiting", `/match/${world.running}`], ["room", `/match/${world.room}`], ["over", `/match/${world.over}`],
  ["replay", `/match/${world.over}/replay/1`], ["new", "/new"], ["find", "/find"], ["challenge", `/challenge/${world.challenge}`], ["people", "/people"],
  ["profile", `/people/${world.friend}`], ["history", "/history"], ["statistics", `/statistics/${world.username}`], ["ratings", "/ratings"], ["more", "/more"],
  ["notices", "/settings/notices"], ["time", "/settings/time"], ["account", "/settings/account"], ["look", "/settings/look"],
];

async function judge(page: Page, name: string): Promise<string[]> {
  await page.evaluate(axe);
  const result = await page.evaluate(async () => {
    const run = (window as unknown as { axe: { run(options: object): Promise<{ violations: { id: string; nodes: { html: string; failureSummary?: string }[] }[] }> } }).axe;
    return (await run.run({ resultTypes: ["violations"] })).violations.map((one) => `${one.id}: ${one.nodes.slice(0, 3).map((node) => `${node.html.slice(0, 160)} ${node.failureSummary?.slice(0, 220) ?? ""}`).join(" | ")}`);
  });
  return result.map((text) => `${name}: ${text}`);
}
async function through(variant: string, options: BrowserContextOptions, prepare?: (page: Page) => Promise<void>): Promise<void> {
  const { page, problems } = await logIn(browser, world.username, { bypassCSP: true, reducedMotion: "reduce", ...options });
  await prepare?.(page);
  const found: string[] = [];
  for (const [name, path] of screens()) {
    await page.goto(origin + path);
    await page.waitForLoadState("networkidle", { timeout: 2500 }).catch(() => undefined);
    await page.locator("main h1:visible, main h2:visible, main .state:visible").first().waitFor();
    await wait(350);
    if (name === "turn" && variant !== "text200") {
      await page.locator(".melds .chip").first().click().catch(() => undefined);
      await page.locator("[data-draw]").last().click().catch(() => undefined);
      await wait(200);
    }
    if (name === "replay") { for (let i = 0; i < 3; i++) await page.locator(".buttons .btn").last().click(); }
    if (process.env["SCREENS"]) await page.screenshot({ path: `${out}/${variant}-${name}.png`, fullPage: !["turn", "waiting"].includes(name) });
    found.push(...await judge(page, name));
    const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
    if (wide > 0) found.push(`${name}: ${wide} px too wide`);
  }
  expect(found).toEqual([]);
  expect(problems).toEqual([]);
  await page.context().close();
}

it("light", () => through("light", {}));
it("dark", () => through("dark", { colorScheme: "dark" }));
it("Hebrew", () => through("hebrew", { locale: "he-IL" }));
it("200 % text", () => through("text200", {}, async (page) => { await page.context().addInitScript(() => { addEventListener("DOMContentLoaded", () => { document.documentElement.style.fontSize = "200%"; }); }); }));
it("320 px", () => through("small", { viewport: { width: 320, height: 568 } }));
it("wide", () => through("wide", { viewport: { width: 1280, height: 800 }, isMobile: false }));
it("German at 320 px", () => through("german", { locale: "de-DE", viewport: { width: 320, height: 640 } }));
it("Nepali", () => through("nepali", { locale: "ne-NP" }));
it("without a session", async () => {
  const { page } = await device(browser, { bypassCSP: true, reducedMotion: "reduce" });
  const found: string[] = [];
  for (const [name, path] of [["welcome", "/"], ["login", "/login"], ["code", "/login/code"], ["register", "/register"], ["join", `/join/${world.code}`]] as const) {
    await page.goto(origin + path);
    await page.locator("main h1").first().waitFor();
    await wait(300);
    if (process.env["SCREENS"]) await page.screenshot({ path: `${out}/light-${name}.png` });
    found.push(...await judge(page, name));
  }
  expect(found).toEqual([]);
});
