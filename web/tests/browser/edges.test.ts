// Narrow and wide screens, and what a first press does: nothing scrolls sideways, and nothing happens in silence.
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { account, call, dealt, device, logIn, openMatch, origin, pair, plays, start, stop, type Match } from "./support";

let browser: Browser;
beforeAll(async () => { browser = await start(); });
afterAll(async () => { await stop(browser); });

const sideways = (page: Page): Promise<number> => page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);

it("the first screen does not scroll sideways at 320 px", async () => {
  const { page, context } = await device(browser, { viewport: { width: 320, height: 640 } });
  await page.goto(`${origin}/welcome`);
  await page.locator(".fan").waitFor();
  await page.waitForTimeout(700);
  expect(await sideways(page)).toBe(0);
  await context.close();
});

it("a table of many does not scroll sideways on wide screens", async () => {
  const { username, token } = await account("ada");
  for (const [size, width, height] of [[4, 1200, 800], [8, 1440, 900]] as const) {
    const made = await call<Match>(token, "POST", "/v1/matches", { size, rules: { preset: "yaniv", decks: 2 }, bots: Array.from({ length: size - 1 }, () => "medium") });
    await call(token, "POST", `/v1/matches/${made.match_id}/start`);
    const { page, context } = await openMatch(browser, username, made.match_id, { viewport: { width, height }, isMobile: false });
    await page.locator(".side, aside").first().waitFor({ state: "attached" });
    expect(await sideways(page), `${size} players`).toBe(0);
    await context.close();
  }
});

it("the first of many melds is in reach on wide screens", async () => {
  const { turn, id } = await dealt(({ legal }) => (legal?.discards.filter((cards) => cards.length > 1).length ?? 0) >= 4, { decks: 4, suits: 2, hand_size: 7 });
  const { page, context } = await openMatch(browser, turn.username, id, { viewport: { width: 720, height: 900 } });
  // As many again: what counts is that they are wider than their row.
  const hidden = await page.locator(".tools").evaluate((tools) => {
    const melds = tools.querySelector(".melds");
    const chip = melds?.querySelector(".chip");
    for (let i = 0; chip && melds && i < 12; i++) melds.append(chip.cloneNode(true));
    tools.scrollLeft = 0;
    return tools.getBoundingClientRect().left - (melds?.getBoundingClientRect().left ?? 0);
  });
  expect(hidden).toBeLessThanOrEqual(0);
  await context.close();
});

it("a press before a draw is chosen says what is missing", async () => {
  const { turn, id } = await pair();
  const { page, context, problems } = await openMatch(browser, turn.username, id);
  const sent = plays(page);
  await page.locator("[data-hand] button:enabled").last().tap();
  const send = page.getByTestId("send");
  await send.tap();
  await expect.poll(() => send.innerText()).toMatch(/^Now choose/);
  expect(await page.locator(".pulse [data-draw]").count()).toBeGreaterThan(1);
  expect(sent).toHaveLength(0);
  await page.locator("[data-draw=stock]").tap();
  expect(await send.innerText()).not.toMatch(/Now choose/);
  await send.tap();
  await page.getByText(/^Sent\./).first().waitFor();
  expect(problems).toEqual([]);
  await context.close();
});

it("a new match that cannot be made says so where the player looks", async () => {
  const { username } = await account("ada");
  const { page, context } = await logIn(browser, username);
  await page.goto(`${origin}/new`);
  const create = page.locator(".reach .btn.main");
  await create.waitFor();
  await context.route(/\/v1\/matches$/, (route) => route.abort("connectionrefused"));
  await create.tap();
  const said = page.locator("[role=alert]");
  await said.waitFor();
  const box = await said.boundingBox();
  expect(box && box.y >= 0 && box.y + box.height <= 844).toBe(true);
  await context.close();
});
