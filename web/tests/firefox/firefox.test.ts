// Firefox by WebDriver BiDi: register, play a round against a bot, come back later with the same profile.
// FIREFOX names the browser; Debian's firefox-esr is found by itself. Service and client as in tests/browser/support.ts.
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { launch, type Browser, type Page } from "puppeteer-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { fresh, origin, out, serve, stop } from "../browser/support";

const executablePath = process.env["FIREFOX"] ?? ["/usr/bin/firefox-esr", "/usr/bin/firefox"].find(existsSync);
const profile = mkdtempSync(join(tmpdir(), "yaniv-firefox-"));
let browser: Browser | undefined;
const open = async (): Promise<Browser> => {
  if (!executablePath) throw new Error("no Firefox: install Debian's package firefox-esr, or name one in FIREFOX");
  return launch({ browser: "firefox", executablePath, headless: true, userDataDir: profile, defaultViewport: { width: 390, height: 844 }, extraPrefsFirefox: { "intl.accept_languages": "en-GB" } });
};
beforeAll(async () => { await serve(); browser = await open(); });
afterAll(async () => {
  await browser?.close();
  await stop(undefined);
  rmSync(profile, { recursive: true, force: true });
});

const problems: string[] = [];
async function watched(): Promise<Page> {
  if (!browser) throw new Error("no browser");
  const page = await browser.newPage();
  page.on("pageerror", (error) => { problems.push(String(error)); });
  page.on("console", (message) => { if (message.type() === "error") problems.push(message.text()); });
  return page;
}
/** Presses the first element of a kind whose text or label begins like this. */
async function press(page: Page, kind: string, text: string): Promise<void> {
  const found = await page.waitForFunction((selector: string, start: string) =>
    [...document.querySelectorAll<HTMLElement>(selector)].find((one) => (one.getAttribute("aria-label") ?? one.textContent ?? "").replace(/[\u2066-\u2069]/g, "").trim().startsWith(start) && !one.matches(":disabled")), { timeout: 20_000 }, kind, text);
  const element = found.asElement();
  if (!element) throw new Error(`no ${kind} ${text}`);
  await (element as unknown as { click(): Promise<void> }).click();
}
const pause = (ms: number): Promise<void> => new Promise((resolve) => { setTimeout(resolve, ms); });
const there = (page: Page, selector: string): Promise<boolean> => page.$(selector).then((one) => one !== null);
const body = (page: Page): Promise<string> => page.evaluate(() => document.body.innerText);

it("registers, plays a round against a bot, and comes back later", async () => {
  let page = await watched();
  console.log(await browser?.version());
  await page.goto(origin);
  await press(page, "a", "Register");
  const name = fresh("fox");
  await page.waitForSelector("input[autocomplete=username]").then((field) => field?.type(name));
  await page.type("input[type=password]", "a long enough secret");
  await press(page, "form button", "Register");
  await press(page, ".home a", "Play the computer");
  await press(page, "button", "Play");
  await page.waitForSelector("[data-hand] button");
  const address = page.url();

  const deadline = Date.now() + 150_000;
  let sent = 0;
  while (!/Round \d+ is over/i.test(await body(page))) {
    if (Date.now() > deadline || sent > 60) { await page.screenshot({ path: `${out}/firefox.png` }); throw new Error(await body(page)); }
    if (await there(page, "[data-testid=call]")) {
      await page.click("[data-testid=call]");
      await page.waitForSelector("[data-testid=call-now]").then((button) => button?.click());
      await page.waitForFunction(() => /Round \d+ is over/i.test(document.body.innerText), { timeout: 20_000 });
    } else if (await there(page, "[data-testid=send]") && await there(page, "[data-draw=stock]")) {
      // The heaviest card; cards overlap, so it is pressed at its left.
      const cards = await page.$$("[data-hand] button");
      const points = await Promise.all(cards.map((card) => card.evaluate((one) => Number(/, (\d+) point/.exec(one.getAttribute("aria-label") ?? "")?.[1] ?? 0))));
      await cards[points.indexOf(Math.max(...points))]?.click({ offset: { x: 14, y: 30 } });
      await page.click("[data-draw=stock]");
      await page.click("[data-testid=send]");
      // A bot that answers at once may have had the last word already.
      await pause(300);
      await page.waitForFunction(() => !/Sending|Checking/.test(document.querySelector(".actions")?.textContent ?? ""), { timeout: 20_000 });
      sent++;
    }
    await pause(300);
  }
  expect(sent).toBeGreaterThan(0);
  await pause(800);
  await press(page, "button", "On to round 2");
  await page.waitForSelector("[data-hand] button");

  // Reloaded, and later in a browser that was closed: still logged in, the same table.
  await page.reload();
  await page.waitForSelector("[data-hand] button");
  await browser?.close();
  browser = await open();
  page = await watched();
  await page.goto(origin);
  await page.waitForSelector(".home section");
  expect(await page.$eval(".me", (one) => one.textContent)).toContain(name);
  await press(page, ".home a", "Bot 1");
  await page.waitForSelector("[data-hand] button");
  expect(page.url()).toBe(address);
  expect(await body(page)).toMatch(/round 2/);
  expect(problems).toEqual([]);
});
