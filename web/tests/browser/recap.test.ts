// A player comes back: the moves since the last turn are shown on the table, one after the other, and can be skipped.
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { account, call, get, listen, openMatch, origin, playFirst, start, stop, type Match, type Seated } from "./support";

let browser: Browser;
beforeAll(async () => { browser = await start(); });
afterAll(async () => { await stop(browser); });

interface Replay { steps: { entry: { version: number; seat: number }; table?: { pile: string[]; stock_count: number } }[] }
/** Three people; each has played `turns` times, and the first of them is to act again. */
async function table(turns = 1): Promise<{ ada: Seated; id: string; piles: string[]; stocks: number[] }> {
  const people = [await account("ada"), await account("ben"), await account("chloe")];
  const [host, ...others] = people as [Seated, Seated, Seated];
  const made = await call<Match>(host.token, "POST", "/v1/matches", { size: 3, rules: { preset: "yaniv" }, sandbox: true });
  for (const other of others) await call(other.token, "POST", `/v1/join-codes/${made.join_code}/seats`, {});
  let match = await call<Match>(host.token, "POST", `/v1/matches/${made.match_id}/start`);
  const acting = (): Seated => {
    const found = people.find(({ username }) => username === match.seats[match.table?.to_act[0] ?? 0]?.username);
    if (!found) throw new Error("nobody is to act");
    return found;
  };
  const ada = acting();
  for (let i = 0; i < 3 * turns; i++) {
    await playFirst(acting().token, made.match_id);
    match = await get(host.token, made.match_id);
  }
  const { steps } = await call<Replay>(ada.token, "GET", `/v1/matches/${made.match_id}/rounds/1`);
  const last = steps.slice(-3);
  return { ada, id: made.match_id, piles: last.map((one) => one.table?.pile.join() ?? ""), stocks: last.map((one) => one.table?.stock_count ?? 0) };
}
const show = (page: Page) => page.getByRole("button", { name: "Show", exact: true });
/** What lies on the pile, by the names that a screen reader says; the cards of `codes` by theirs. */
const pile = (page: Page): Promise<string> => page.locator(".pile .slot").evaluateAll((all) => all.map((one) => (one.querySelector("button")?.getAttribute("aria-label") ?? one.querySelector(".hidden-text")?.textContent ?? "").replace(/^Take |,.*$/g, "")).join());
const ranks: Record<string, string> = { A: "ace", 2: "two", 3: "three", 4: "four", 5: "five", 6: "six", 7: "seven", 8: "eight", 9: "nine", T: "ten", J: "jack", Q: "queen", K: "king" };
const suits: Record<string, string> = { C: "clubs", D: "diamonds", H: "hearts", S: "spades" };
const named = (codes: string): string => codes.split(",").map((code) => (code === "XB" ? "joker, black" : code === "XR" ? "joker, red" : `${ranks[code[0] ?? ""] ?? ""} of ${suits[code[1] ?? ""] ?? ""}`).replace(/,.*$/, "")).join();
/** Every pile that is shown from now on, in their order. */
async function watch(page: Page): Promise<() => Promise<string[]>> {
  await page.evaluate(() => {
    const seen: string[] = [];
    (window as unknown as { piles: string[] }).piles = seen;
    const look = (): void => {
      const now = [...document.querySelectorAll(".pile .slot")].map((one) => (one.querySelector("button")?.getAttribute("aria-label") ?? one.querySelector(".hidden-text")?.textContent ?? "").replace(/^Take |,.*$/g, "")).join();
      if (seen.at(-1) !== now) seen.push(now);
    };
    look();
    new MutationObserver(look).observe(document.querySelector(".center") ?? document.body, { subtree: true, childList: true, attributes: true });
  });
  return () => page.evaluate(() => (window as unknown as { piles: string[] }).piles);
}

it("shows the moves since my turn on the table, one after the other, then the table as it is", async () => {
  const { ada, id, piles } = await table(2);
  const { page, problems } = await openMatch(browser, ada.username, id);
  await expect.poll(() => page.locator(".recap li").count()).toBe(2);
  const shown = await watch(page);
  const now = named(piles[2] ?? "");
  await show(page).tap();
  // It ends by itself.
  await expect.poll(async () => (await shown()).length).toBeGreaterThan(3);
  await show(page).waitFor();
  expect(await shown()).toEqual([now, ...piles.map(named)]);
  expect(await page.locator("[data-draw]").count()).toBeGreaterThan(1);
  expect(problems).toEqual([]);
});
it("is skipped by its button, by Escape, by a card and by a newer move", async () => {
  const { ada, id, piles } = await table();
  const { page, problems } = await openMatch(browser, ada.username, id);
  const [left, , now] = piles.map(named);
  // Time stands still: nothing goes on by itself.
  await page.clock.install();
  await page.clock.pauseAt(Date.now() + 3000);
  const begin = async (): Promise<void> => {
    await show(page).tap();
    await expect.poll(() => pile(page)).toBe(left);
    // What can be drawn is on the table of now only.
    expect(await page.locator("[data-draw]").count()).toBe(0);
  };
  await begin();
  await page.getByRole("button", { name: "Skip" }).tap();
  expect(await pile(page)).toBe(now);
  expect(await show(page).evaluate((one) => one === document.activeElement)).toBe(true);
  await begin();
  await page.keyboard.press("Escape");
  expect(await pile(page)).toBe(now);
  await begin();
  await page.locator("[data-hand] button").last().tap();
  expect(await pile(page)).toBe(now);
  expect(await page.locator("[data-hand] [aria-pressed=true]").count()).toBe(1);
  await begin();
  await playFirst(ada.token, id);
  await page.locator(".recap-player").waitFor({ state: "detached" });
  expect([left, now]).not.toContain(await pile(page));
  expect(await show(page).count()).toBe(0);
  expect(problems).toEqual([]);
});
it("with reduced motion it is stepped through by keyboard, and each step is announced", async () => {
  const { ada, id, piles, stocks } = await table();
  const { page, problems } = await openMatch(browser, ada.username, id, { reducedMotion: "reduce" });
  const heard = await listen(page);
  await page.clock.install();
  await page.goto(`${origin}/match/${id}`);
  await show(page).waitFor();
  await show(page).press("Enter");
  const skip = page.getByRole("button", { name: "Skip" });
  await skip.waitFor();
  expect(await skip.evaluate((one) => one === document.activeElement)).toBe(true);
  await expect.poll(() => pile(page)).toBe(named(piles[0] ?? ""));
  await page.clock.runFor(30_000);
  expect(await pile(page)).toBe(named(piles[0] ?? ""));
  const group = page.getByRole("group", { name: "Since your last turn" });
  for (const i of [1, 2]) {
    const before = (await heard()).length;
    await page.keyboard.press("Shift+Tab");
    if (i === 1) await page.keyboard.press("Enter"); else await page.getByRole("button", { name: "Step forward" }).press("Enter");
    await expect.poll(() => pile(page)).toBe(named(piles[i] ?? ""));
    expect(await page.locator(".center .caption").first().textContent()).toContain(String(stocks[i]));
    await expect.poll(async () => (await heard()).length).toBeGreaterThan(before);
    expect((await heard()).at(-1)).toMatch(/^(ben|chloe|ada)_\w+: .+ of .+, then the stock$|^\w+: joker/);
    expect(await group.locator("p").innerText()).toMatch(/then the stock/);
  }
  // At its end there is nothing left to skip.
  await page.getByRole("button", { name: "To the table" }).press("Enter");
  await show(page).waitFor();
  expect(await show(page).evaluate((one) => one === document.activeElement)).toBe(true);
  expect(problems).toEqual([]);
});
it("says all moves at once to a screen reader where they run by themselves", async () => {
  const { ada, id } = await table();
  const { page } = await openMatch(browser, ada.username, id);
  const heard = await listen(page);
  await page.reload();
  await show(page).tap();
  await expect.poll(async () => (await heard()).filter((text) => /then the stock\. .+then the stock\.$/.test(text)).length).toBe(1);
});
it("is not offered where the moves cannot be fetched", async () => {
  const { ada, id } = await table();
  const { page, context } = await openMatch(browser, ada.username, id);
  await page.evaluate(() => navigator.serviceWorker.ready.then(() => undefined));
  await show(page).waitFor();
  // What it shows offline is on the disk.
  await expect.poll(() => page.evaluate((key) => new Promise<number>((resolve) => {
    const opening = indexedDB.open("yaniv");
    opening.onsuccess = () => {
      const kept = opening.result.transaction("kv").objectStore("kv").get(key) as IDBRequest<unknown[] | undefined>;
      kept.onsuccess = () => { opening.result.close(); resolve(kept.result?.length ?? 0); };
    };
  }), `log.${id}`)).toBeGreaterThan(1);
  await context.setOffline(true);
  await page.reload();
  await page.getByText(/^Offline\. The table/).waitFor();
  await expect.poll(() => page.locator(".recap li").count()).toBe(2);
  expect(await show(page).count()).toBe(0);
});
it("runs from right to left in Hebrew, the cards from left to right", async () => {
  const { ada, id, piles } = await table();
  const { page } = await openMatch(browser, ada.username, id, { locale: "he-IL", reducedMotion: "reduce" });
  await page.getByRole("button", { name: "הצגה", exact: true }).tap();
  const forward = page.getByRole("button", { name: "צעד קדימה" });
  const back = page.getByRole("button", { name: "צעד אחורה" });
  expect((await forward.boundingBox())?.x ?? 0).toBeLessThan((await back.boundingBox())?.x ?? 0);
  for (let i = 1; i < piles.length; i++) await forward.tap();
  expect(await forward.isDisabled()).toBe(true);
  await page.getByRole("button", { name: "לשולחן", exact: true }).tap();
  await page.locator("[data-draw]").first().waitFor();
});
