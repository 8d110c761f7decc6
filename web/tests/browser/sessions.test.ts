// Answers that come when another account is logged in, or none: nothing of the one is kept for the other, or sent as the other.
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { account, logIn, openMatch, origin, pair, start, stop } from "./support";

let browser: Browser;
beforeAll(async () => { browser = await start(); });
afterAll(async () => { await stop(browser); });

it("a hand that comes after the log-out is not kept on the device", async () => {
  const { turn, id } = await pair();
  const { page, context, problems } = await openMatch(browser, turn.username, id);
  let release = (): void => undefined;
  let held = false;
  await context.route(new RegExp(`/v1/matches/${id}(\\?|$)`), async (route) => {
    const answer = await route.fetch();
    held = true;
    await new Promise<void>((resolve) => { release = resolve; });
    await route.fulfill({ response: answer });
  });
  await page.evaluate(() => { document.dispatchEvent(new Event("visibilitychange")); });
  await expect.poll(() => held).toBe(true);
  await page.evaluate(() => { history.pushState({}, "", "/settings/account"); dispatchEvent(new PopStateEvent("popstate")); });
  await page.getByRole("button", { name: "Log out" }).tap();
  await page.getByRole("dialog").getByRole("button", { name: "Log out" }).tap();
  await page.getByRole("button", { name: "Play as a guest" }).waitFor();
  const answered = page.waitForResponse(new RegExp(`/v1/matches/${id}`));
  release();
  await answered;
  await page.waitForTimeout(300);
  const left = await page.evaluate(() => new Promise<number[]>((resolve) => {
    const open = indexedDB.open("yaniv");
    open.onsuccess = () => {
      const names = [...open.result.objectStoreNames].filter((name) => name !== "settings");
      const counts = names.map((name) => open.result.transaction(name).objectStore(name).count());
      const end = (): void => { if (counts.every((one) => one.readyState === "done")) resolve(counts.map((one) => one.result)); };
      for (const one of counts) one.onsuccess = end;
    };
  }));
  expect(left.every((count) => count === 0), left.join()).toBe(true);
  expect(problems).toEqual([]);
  await context.close();
});

it("what was asked as one account is not sent as the one that another tab has logged in", async () => {
  const [ada, bob] = [await account("ada"), await account("bob")];
  const { page, context } = await logIn(browser, ada.username);
  let release = (): void => undefined;
  let held = 0;
  const tokens: string[] = [];
  await context.route(/\/v1\/account\/blocks|\/v1\/friends|\/v1\/blocks/, async (route) => {
    tokens.push(route.request().headers()["authorization"] ?? "");
    if (held++ > 0) { await route.continue(); return; }
    await new Promise<void>((resolve) => { release = resolve; });
    await route.fulfill({ status: 401, contentType: "application/problem+json", body: JSON.stringify({ type: "urn:yaniv:problem:invalid_token", code: "invalid_token", title: "", status: 401, detail: "", advice: "", fields: [], parameters: [] }) });
  });
  await page.evaluate(() => { history.pushState({}, "", "/people"); dispatchEvent(new PopStateEvent("popstate")); });
  await expect.poll(() => held).toBeGreaterThan(0);
  const first = tokens[0];
  // The other tab: out, and in as the other.
  const other = await context.newPage();
  await other.goto(`${origin}/settings/account`);
  await other.getByRole("button", { name: "Log out" }).tap();
  await other.getByRole("dialog").getByRole("button", { name: "Log out" }).tap();
  await other.goto(`${origin}/login`);
  await other.locator("input[autocomplete=username]").fill(bob.username);
  await other.locator("input[type=password]").fill("a long enough secret");
  await other.locator("form .btn.main").tap();
  await other.locator(".home").waitFor();
  const before = tokens.length;
  const answered = page.waitForResponse((response) => response.status() === 401);
  release();
  await answered;
  await page.waitForTimeout(500);
  expect(tokens.slice(before).filter((token) => token !== first)).toEqual([]);
  await context.close();
});
