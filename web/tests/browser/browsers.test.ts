// Browsers that lack something, or refuse it: a turn is played in each. Which browsers there are: ../../README.md.
import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { proxy } from "./proxy";
import { account, call, device, fresh, get, logIn, origin, pair, plays, stage, start, stop, type Match } from "./support";

let browser: Browser;
beforeAll(async () => { browser = await start(false, ["--host-resolver-rules=MAP yaniv.lan localhost"]); });
afterAll(async () => { await stop(browser); });

/** A page in which this was run before anything else. */
async function without(change: string, username: string): Promise<{ page: Page; context: BrowserContext; problems: string[] }> {
  const { page, context, problems } = await device(browser);
  await page.addInitScript(change);
  await page.goto(`${origin}/login`);
  await page.locator("input[autocomplete=username]").fill(username);
  await page.locator("input[type=password]").fill("a long enough secret");
  await page.locator("form .btn.main").tap();
  await page.locator(".home").waitFor();
  return { page, context, problems };
}
/** Stages a card and sends it: it is played once, and the screen says so. */
async function turn(page: Page): Promise<void> {
  const sent = plays(page);
  await page.locator("[data-hand] button:enabled").first().waitFor();
  await stage(page);
  await page.getByTestId("send").tap();
  await page.getByText(/^Sent\./).first().waitFor();
  expect(sent).toHaveLength(1);
}

const gone = (path: string): string => `{ const at = ${path.split(".").slice(0, -1).join(".")}; delete at.${path.split(".").at(-1)}; if (${path} !== undefined) Object.defineProperty(at, "${path.split(".").at(-1)}", { value: undefined, configurable: true }); }`;
const absent = [
  "AbortSignal.any", "Response.json", "crypto.randomUUID", "window.structuredClone", "window.BroadcastChannel", "window.indexedDB", "window.PushManager", "window.Notification",
  "Navigator.prototype.locks", "Navigator.prototype.storage", "Navigator.prototype.serviceWorker", "Navigator.prototype.setAppBadge", "Navigator.prototype.clipboard",
  "Intl.Segmenter", "Intl.DurationFormat", "Intl.DisplayNames", "Intl.RelativeTimeFormat",
];
const refused: Record<string, string> = {
  "locks": `LockManager.prototype.request = () => Promise.reject(new DOMException("blocked", "SecurityError"));`,
  "the database": `IDBFactory.prototype.open = () => { throw new DOMException("blocked", "SecurityError"); };`,
  "room in the database": `IDBObjectStore.prototype.put = () => { throw new DOMException("full", "QuotaExceededError"); };`,
  "any answer of the database": `IDBFactory.prototype.open = () => ({});`,
  "storage that scripts can write": `Storage.prototype.getItem = Storage.prototype.setItem = () => { throw new DOMException("blocked", "SecurityError"); };`,
};

describe.concurrent("a turn is played in a browser", () => {
  for (const [what, change] of [...absent.map((path) => [`without ${path}`, gone(path)]), ...Object.entries(refused).map(([name, text]) => [`that refuses ${name}`, text])] as [string, string][]) {
    it(what, async () => {
      const { turn: seat, id } = await pair();
      const { page, context, problems } = await without(change, seat.username);
      // Within the page: where nothing can be kept, a new one would ask for a log-in.
      await page.locator(`a[href="/match/${id}"]`).first().tap();
      await turn(page);
      expect((await get(seat.token, id)).your_turn ?? false).toBe(false);
      expect(problems).toEqual([]);
      await context.close();
    });
  }

  it("that closes the database under the open page", async () => {
    const { turn: seat, id } = await pair();
    const { page, context, problems } = await logIn(browser, seat.username);
    await page.goto(`${origin}/match/${id}`);
    await page.locator("[data-hand] button:enabled").first().waitFor();
    const cdp = await context.newCDPSession(page);
    await cdp.send("Storage.clearDataForOrigin", { origin, storageTypes: "indexeddb" });
    await turn(page);
    expect(problems).toEqual([]);
    await context.close();
  });

  it("at an address without HTTPS, which is said", async () => {
    const between = await proxy();
    const { page, context, problems } = await device(browser);
    await page.goto(between.url.replace("localhost", "yaniv.lan"));
    expect(await page.evaluate(() => isSecureContext)).toBe(false);
    await page.getByText(/no HTTPS/).waitFor();
    await page.getByRole("button", { name: "Play as a guest" }).tap();
    await page.locator(".home").waitFor();
    await page.locator('a[href="/new"]').first().tap();
    await page.getByTestId("create").or(page.getByRole("button", { name: "Create and invite" })).first().tap();
    const code = (await page.locator(".code bdi").innerText()).trim();
    const bob = await account(fresh("bob").slice(0, 11));
    await call(bob.token, "POST", `/v1/join-codes/${code}/seats`, {});
    await page.getByRole("button", { name: /^Start/ }).tap();
    await page.locator("[data-hand] button").first().waitFor();
    const id = new URL(page.url()).pathname.split("/")[2] ?? "";
    const seen = await get(bob.token, id) as Match;
    if (seen.your_turn) await call(bob.token, "POST", `/v1/matches/${id}/plays`, { expected_version: seen.version, cards: seen.legal?.discards[0] ?? [], draw_from: "stock" });
    await turn(page);
    expect(problems).toEqual([]);
    await context.close();
    await between.stop();
  });
});
