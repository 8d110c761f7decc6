// One round of each preset, against bots, through the screen alone.
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { account, call, logIn, origin, playOn, presets, start, stop } from "./support";

let browser: Browser;
beforeAll(async () => { browser = await start(); });
afterAll(async () => { await stop(browser); });

it.each(presets)("%s", async (preset) => {
  const { username, token } = await account("ada");
  const made = await call<{ match_id: string }>(token, "POST", "/v1/matches", { size: 3, rules: { preset, max_rounds: 1 }, bots: ["easy", "hard"] });
  await call(token, "POST", `/v1/matches/${made.match_id}/start`);
  const { page, problems } = await logIn(browser, username);
  await page.goto(`${origin}/match/${made.match_id}`);
  await page.locator("[data-hand] button, .end h2").first().waitFor();
  await playOn(page);
  await page.getByRole("button", { name: "Check the shuffles" }).tap();
  await page.getByText(/All shuffles hold/).waitFor();
  expect(problems).toEqual([]);
});
