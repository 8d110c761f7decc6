// A whole match over a network that loses requests and answers at random: what was sent is played once, and the record verifies.
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { account, call, logIn, origin, playOn, start, step, stop, type Match } from "./support";

let browser: Browser;
beforeAll(async () => { browser = await start(); });
afterAll(async () => { await stop(browser); });

it("a match is played to its end over a bad network", async () => {
  const { username, token } = await account("ada");
  const made = await call<Match>(token, "POST", "/v1/matches", { size: 2, rules: { preset: "yaniv", max_rounds: 2 }, bots: ["easy"] });
  await call(token, "POST", `/v1/matches/${made.match_id}/start`);
  const { page, context, problems } = await logIn(browser, username);
  const keys = new Map<string, string>();
  let lost = 0;
  await context.route(/\/v1\//, async (route) => {
    const request = route.request();
    const key = request.headers()["idempotency-key"];
    // The same key always comes with the same body.
    if (key) {
      if ((keys.get(key) ?? request.postData() ?? "") !== (request.postData() ?? "")) problems.push(`another body with the key ${key}`);
      keys.set(key, request.postData() ?? "");
    }
    const luck = Math.random();
    if (luck < 0.1) { lost++; await route.abort("connectionrefused").catch(() => undefined); }
    else if (luck < 0.2 && request.method() === "POST") { lost++; await route.fetch().catch(() => undefined); await route.abort("connectionreset").catch(() => undefined); }
    else await route.continue().catch(() => undefined);
  });
  await page.goto(`${origin}/match/${made.match_id}`);
  page.setDefaultTimeout(30_000);
  await playOn(page, (one) => step(one).catch(() => "waits" as const));
  await context.unroute(/\/v1\//);
  expect(lost).toBeGreaterThan(0);
  await page.reload();
  await page.getByRole("button", { name: "Check the shuffles" }).tap();
  await page.getByText(/All shuffles hold/).waitFor();
  expect(problems).toEqual([]);
});
