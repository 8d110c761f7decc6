// WebKit, the nearest to Safari here: register, play a round against a bot, come back later with the same profile.
// Debian's packages webkit2gtk-driver, gir1.2-webkit2-4.1, python3-gi and xvfb. Service and client as in tests/browser/support.ts.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { fresh, origin, serve, stop } from "../browser/support";
import { type Element, WebKit } from "./driver";

const profile = mkdtempSync(join(tmpdir(), "yaniv-webkit-"));
const browser = new WebKit();
beforeAll(async () => { await serve(); await browser.start(profile); });
afterAll(async () => {
  await browser.stop();
  await stop(undefined);
  rmSync(profile, { recursive: true, force: true });
});
const over = "return /Round \\d+ is over/i.test(document.body.innerText)";

it("registers, plays a round against a bot, and comes back later", async () => {
  await browser.go(origin);
  console.log(await browser.run<string>("return navigator.userAgent"));
  await browser.press("a", "Register");
  const name = fresh("kit");
  await browser.type("input[autocomplete=username]", name);
  await browser.type("input[type=password]", "a long enough secret");
  await browser.press("form button", "Register");
  await browser.press(".home a", "Play the computer");
  await browser.press("button", "Play");
  await browser.find("[data-hand] button");
  const address = await browser.ask<string>("GET", "/url");

  let sent = 0;
  /** What there is to do now; null while others play. */
  const next = "return /Round \\d+ is over/i.test(document.body.innerText) ? 'over' : document.querySelector('[data-testid=call]') ? 'call' : document.querySelector('[data-testid=send]') && document.querySelector('[data-draw=stock]') && !document.querySelector('[data-hand] [aria-pressed=true]') ? 'play' : null";
  for (let now = ""; now !== "over" && sent < 60;) {
    now = await browser.until<string>(next);
    if (now === "call") {
      await browser.press("[data-testid=call]");
      await browser.press("[data-testid=call-now]");
      await browser.until(over);
    } else if (now === "play") {
      // The heaviest card; cards overlap, so it is pressed at its left.
      const card = await browser.run<Element>("const points = (one) => Number(/, (\\d+) point/.exec(one.getAttribute('aria-label'))?.[1] ?? 0); return [...document.querySelectorAll('[data-hand] button')].reduce((a, b) => points(b) > points(a) ? b : a)");
      await browser.press(card, "", -20);
      await browser.press("[data-draw=stock]");
      await browser.press("[data-testid=send]");
      await browser.until(`${over} || (!document.querySelector('[data-hand] [aria-pressed=true]') && !/Sending|Checking/.test(document.querySelector('.actions')?.textContent ?? ''))`);
      sent++;
    }
  }
  expect(sent).toBeGreaterThan(0);
  expect(sent).toBeLessThan(60);
  // A button that has just come takes no press.
  await browser.until("const on = [...document.querySelectorAll('button')].find((one) => one.textContent.includes('On to round 2')); on?.click(); return on === undefined");
  await browser.find("[data-hand] button");

  // Reloaded, and later in a browser that was closed: still logged in, the same table.
  await browser.ask("POST", "/refresh", {});
  await browser.find("[data-hand] button");
  await browser.stop();
  await browser.start(profile);
  await browser.go(origin);
  await browser.find(".home section");
  expect(await browser.run<string>("return document.querySelector('.me').textContent")).toContain(name);
  // The list as it was last seen comes first; the new one takes its place.
  await browser.until("return !document.querySelector('.home > .small.muted')");
  await browser.press(".home a", "Bot 1");
  await browser.find("[data-hand] button");
  expect(await browser.ask<string>("GET", "/url")).toBe(address);
  expect(await browser.text()).toMatch(/round 2/);
  // Two things that it does not know and may ignore; that they are there shows that errors are heard.
  const unknown = /Unrecognized Content-Security-Policy directive 'manifest-src'|Viewport argument key "interactive-widget" not recognized/;
  const errors = browser.said.filter((line) => /CONSOLE .*(ERROR|EXCEPTION)/i.test(line));
  expect(errors.filter((line) => unknown.test(line))).not.toEqual([]);
  expect(errors.filter((line) => !unknown.test(line))).toEqual([]);
});
