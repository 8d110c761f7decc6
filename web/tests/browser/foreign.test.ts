// What is between the page and the service answers in its place: nobody is logged out, no move is lost, nothing has to be
// tapped. MATCHES says how many whole matches are played so (`npm run foreign`: twenty, with figures).
import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { foreign, proxy, type Proxy } from "./proxy";
import { account, call, device, get, pair, playFirst, playOn, plays, stage, start, step, stop, type Match } from "./support";

let browser: Browser;
let between: Proxy;
beforeAll(async () => { browser = await start(); between = await proxy(); });
afterAll(async () => { await between.stop(); await stop(browser); });
afterEach(() => { between.instead = () => null; });

const kinds = Object.keys(foreign);
/** Each of these requests once gets each kind in turn: the round begins anew with every call. */
function eachOnce(path: RegExp): () => number {
  let next = 0;
  between.instead = (request) => (path.test(`${request.method} ${request.url}`) && next < kinds.length ? (kinds[next++] ?? null) : null);
  return () => next;
}

/** Logs in through the proxy. */
async function through(username: string): Promise<{ page: Page; problems: string[] }> {
  const { page, problems } = await device(browser);
  await page.goto(`${between.url}/login`);
  await page.locator("input[autocomplete=username]").fill(username);
  await page.locator("input[type=password]").fill("a long enough secret");
  await page.locator("form .btn.main").tap();
  await page.locator(".home").waitFor();
  return { page, problems };
}
/** What the browser itself says of such answers is no fault of the page. */
const ours = (problems: string[]): string[] => problems.filter((one) => !/portal\.example|redirect|ERR_|Fetch API cannot load|Content.Security.Policy/i.test(one));
const quickly = async (page: Page): Promise<void> => { await page.evaluate(() => { window.dispatchEvent(new Event("online")); }); };

async function match(luck: number): Promise<{ said: number; moves: number }> {
  const { username, token } = await account("ada");
  const made = await call<Match>(token, "POST", "/v1/matches", { size: 2, rules: { preset: "yaniv", max_rounds: 1 }, bots: ["easy"] });
  await call(token, "POST", `/v1/matches/${made.match_id}/start`);
  const { page, problems } = await through(username);
  const before = [...between.said.values()].reduce((a, b) => a + b, 0);
  const sent = plays(page);
  const bodies = new Map<string, string>();
  page.on("request", (request) => {
    const key = request.headers()["idempotency-key"];
    if (key && (bodies.get(key) ?? request.postData() ?? "") !== (request.postData() ?? "")) problems.push(`another body with the key ${key}`);
    if (key) bodies.set(key, request.postData() ?? "");
  });
  let turn = Math.floor(Math.random() * kinds.length);
  // The first request always, so that a short match has one as well.
  let first = true;
  between.instead = (request) => {
    if (!/^\/(v1\/|sw\.js)/.test(request.url ?? "") || (!first && Math.random() >= luck)) return null;
    first = false;
    return kinds[turn++ % kinds.length] ?? null;
  };
  await page.goto(`${between.url}/match/${made.match_id}`);
  page.setDefaultTimeout(30_000);
  // What waits for its next attempt need not wait here.
  const nudge = setInterval(() => { void quickly(page).catch(() => undefined); }, 700);
  try {
    await playOn(page, (one) => step(one).catch(() => "waits" as const));
  } finally { clearInterval(nudge); }
  between.instead = () => null;
  await page.reload();
  await page.getByRole("button", { name: "Check the shuffles" }).waitFor();
  expect(new URL(page.url()).pathname).toBe(`/match/${made.match_id}`);
  const over = await get(token, made.match_id);
  expect(over.status).toBe("finished");
  expect(ours(problems)).toEqual([]);
  await page.context().close();
  return { said: [...between.said.values()].reduce((a, b) => a + b, 0) - before, moves: new Set(sent.map((one) => one.headers()["idempotency-key"])).size };
}

describe("answers that are not of the service", () => {
  const matches = Number(process.env["MATCHES"] ?? 1);
  it(`${matches} matches, one answer in six a foreign one`, async () => {
    for (let number = 1; number <= matches; number++) {
      const began = Date.now();
      const { said, moves } = await match(1 / 6);
      expect(said).toBeGreaterThan(0);
      console.log(`match ${number}: ${moves} moves, ${said} foreign answers, ${((Date.now() - began) / 1000).toFixed(1)} s`);
    }
    console.log([...between.said].map(([kind, times]) => `${String(times).padStart(5)}  ${kind}`).join("\n"));
  });

  it("a session goes on after every kind of them to its renewal", async () => {
    const { username } = await account("ada");
    const { page } = await through(username);
    for (const kind of kinds) {
      let once = true;
      between.instead = (request) => { const now = once && request.url === "/v1/sessions/refresh"; if (now) once = false; return now ? kind : null; };
      await page.reload();
      await page.locator(".home section, .home .empty, .home h1").first().waitFor();
      await expect.poll(() => once, { message: kind }).toBe(false);
      expect(new URL(page.url()).pathname, kind).toBe("/");
      expect(await page.evaluate(() => localStorage.getItem("yaniv.session")), kind).not.toBeNull();
    }
    await page.context().close();
  });

  it("a move is sent until the service itself has answered", async () => {
    const { turn, other, id } = await pair();
    const { page } = await through(turn.username);
    await page.goto(`${between.url}/match/${id}`);
    const sent = plays(page);
    await page.locator("[data-hand] button:enabled").first().waitFor();
    await stage(page);
    const done = eachOnce(/^POST .*\/plays$/);
    await page.getByTestId("send").tap();
    await expect.poll(async () => { await quickly(page); return done(); }, { interval: 150 }).toBe(kinds.length);
    await page.getByText(/^Sent\./).first().waitFor();
    expect(new Set(sent.map((one) => one.headers()["idempotency-key"])).size).toBe(1);
    expect((await get(turn.token, id)).your_turn ?? false).toBe(false);
    // The inbox as well: the page hears of the other's move by itself.
    const heard = eachOnce(/^GET \/v1\/events/);
    await page.reload();
    await expect.poll(async () => { await quickly(page); return heard(); }, { interval: 150 }).toBe(kinds.length);
    await playFirst(other.token, id);
    await page.getByText("Your turn").first().waitFor();
    await page.context().close();
  });

  it("the client is not given up for a page of somebody else", async () => {
    const { username } = await account("ada");
    const { page } = await through(username);
    await page.evaluate(() => navigator.serviceWorker.ready.then(() => undefined));
    await page.reload();
    between.instead = (request) => (/^\/(v1|sw\.js)/.test(request.url ?? "") ? "404 while a container restarts" : null);
    await page.reload();
    await page.evaluate(() => { document.dispatchEvent(new Event("visibilitychange")); });
    await expect.poll(() => between.said.get("404 while a container restarts") ?? 0).toBeGreaterThan(3);
    await page.waitForTimeout(500);
    between.instead = () => null;
    expect(await page.evaluate(async () => (await navigator.serviceWorker.getRegistration()) !== undefined)).toBe(true);
    expect(await page.getByText("no longer served").count()).toBe(0);
    await quickly(page);
    await page.locator(".home section, .home .empty, .home h1").first().waitFor();
    await page.context().close();
  });

  it("a page in place of a file is not kept by the worker", async () => {
    const { page } = await device(browser);
    between.instead = (request) => (/^\/(assets|icons)\//.test(request.url ?? "") && request.headers["sec-fetch-dest"] === "empty" && request.headers["cache-control"] === "no-cache" ? "a portal's page" : null);
    const before = between.said.get("a portal's page") ?? 0;
    await page.goto(`${between.url}/welcome`);
    await expect.poll(() => between.said.get("a portal's page") ?? 0).toBeGreaterThan(before);
    await expect.poll(() => page.evaluate(async () => { const one = await navigator.serviceWorker.getRegistration(); return (one?.active ?? one?.waiting ?? one?.installing ?? null) === null; })).toBe(true);
    await page.context().close();
  });

  it("a new release that one window takes is taken by all", async () => {
    const { page } = await device(browser);
    await page.goto(`${between.url}/welcome`);
    await page.evaluate(() => navigator.serviceWorker.ready.then(() => undefined));
    await page.reload();
    const second = await page.context().newPage();
    await second.goto(`${between.url}/welcome`);
    await second.evaluate(() => { (window as { old?: boolean }).old = true; });
    between.release = "another release";
    await page.evaluate(() => { document.dispatchEvent(new Event("visibilitychange")); });
    await page.locator(".bar.new button").tap();
    await expect.poll(() => second.evaluate(() => (window as { old?: boolean }).old ?? false).catch(() => true)).toBe(false);
    await second.getByRole("button", { name: "Play as a guest" }).waitFor();
    expect(await second.locator(".bar.new").count()).toBe(0);
    between.release = "";
    await page.context().close();
  });

  it("a guest whose storage was cleared goes on by the cookie, also by the button for a new one", async () => {
    const { page } = await device(browser);
    await page.goto(`${between.url}/welcome`);
    await page.getByRole("button", { name: "Play as a guest" }).tap();
    await page.locator(".home").waitFor();
    const who = (): Promise<string> => page.evaluate(() => (JSON.parse(localStorage.getItem("yaniv.session") ?? "{}") as { account?: { id: string } }).account?.id ?? "");
    const guest = await who();
    await page.evaluate(() => { localStorage.clear(); });
    await page.reload();
    await page.locator(".home").waitFor();
    expect(await who()).toBe(guest);
    // Cleared again, and the service is not reached at the start.
    await page.evaluate(() => { localStorage.clear(); });
    let away = true;
    between.instead = () => null;
    between.instead = (request) => (away && (request.url ?? "").startsWith("/v1/") ? "403 of a firewall" : null);
    await page.reload();
    const button = page.getByRole("button", { name: "Play as a guest" });
    await button.waitFor();
    await button.and(page.locator(":enabled")).tap();
    await page.locator("[role=alert]").waitFor();
    away = false;
    await button.tap();
    await page.locator(".home").waitFor();
    expect(await who()).toBe(guest);
    await page.context().close();
  });
});
