// A round from registering to its result, once by keyboard alone, once by what the accessibility tree says alone.
// What a screen reader would say by itself is recorded from the live regions.
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { device, fresh, listen, logIn, origin, pair, playFirst, start, stop } from "./support";

let browser: Browser;
beforeAll(async () => { browser = await start(); });
afterAll(async () => { await stop(browser); });

/** Points of a hand and its cards, as they are named. */
const pointsOf = (name: string): number => Number(/, (\d+) points?/.exec(name)?.[1] ?? 0);

/** What was announced in a round that has ended. */
function check(said: string[]): void {
  const has = (pattern: RegExp): void => { expect(said.filter((text) => pattern.test(text)), `${String(pattern)} in\n${said.join("\n")}`).not.toEqual([]); };
  has(/^(ace|two|three|four|five|six|seven|eight|nine|ten|jack|queen|king) of (clubs|diamonds|hearts|spades), selected\. Discard .+ of .+ · \d+ → draw$|^joker, (red|black), selected/);
  has(/^Discard .+, draw from stock$/);
  has(/^Sent\. You drew .+\. (Your turn|.+'s turn)\.$/);
  has(/^Bot 1, medium: .+, then (the stock|.+ from the pile)\. Your turn\.$/);
  has(/(“Yaniv!”|^Sent\.) .+ called Yaniv with \d+: (right\.|Asaf!).*('s|Your) turn\.$|^Sent\. You called/);
  // Cards are words, not signs.
  expect(said.filter((text) => /[♣♦♥♠★☆]/.test(text))).toEqual([]);
}

interface Focus { role: string; name: string; shown: boolean; where: string }
describe("titles of the document", () => {
  it("say what the screen is, in the language; a match's says whose turn it is", async () => {
    const { turn, other, id } = await pair();
    const { page, problems } = await logIn(browser, turn.username, { locale: "de-DE" });
    const title = async (): Promise<string> => (await page.title()).replace(/[\u2066-\u2069]/g, "");
    for (const [path, text] of [["/", "Partien · Yaniv"], ["/new", "Neue Partie · Yaniv"], ["/history", "Verlauf · Yaniv"], ["/settings/look", "Sprache und Aussehen · Yaniv"]] as const) {
      await page.goto(origin + path);
      await expect.poll(title).toBe(text);
    }
    await page.goto(`${origin}/match/${id}`);
    await expect.poll(title).toBe(`Du bist am Zug · ${other.username} · Yaniv`);
    await playFirst(turn.token, id);
    await expect.poll(title).toBe(`${other.username} ist am Zug · ${other.username} · Yaniv`);
    await page.getByRole("link", { name: "Zurück" }).tap();
    await expect.poll(title).toBe("Partien · Yaniv");
    expect(problems).toEqual([]);
  });
});

describe("keyboard alone", () => {
  it("registers, starts a match against a bot, and plays a round", async () => {
    const { page, problems } = await device(browser, { viewport: { width: 1280, height: 800 }, isMobile: false, hasTouch: false });
    const said = await listen(page);
    await page.goto(origin);
    await page.waitForTimeout(800);
    const at = (): Promise<Focus> => page.evaluate(() => {
      const one = document.activeElement as HTMLElement;
      const style = getComputedStyle(one);
      const labels = (one as HTMLInputElement).labels;
      const input = one.closest("label")?.querySelector<HTMLElement>("span") ?? one;
      const ring = (element: HTMLElement): boolean => { const { outlineStyle, outlineWidth } = getComputedStyle(element); return outlineStyle !== "none" && outlineWidth !== "0px"; };
      return {
        role: one === document.body ? "" : (one as HTMLInputElement).type === "radio" ? "radio" : one.tagName.toLowerCase(),
        name: (one.getAttribute("aria-label") ?? labels?.[0]?.textContent ?? one.textContent ?? "").replace(/[\u2066-\u2069\uFE0E]/g, "").replace(/\s+/g, " ").trim(),
        shown: style.outlineStyle !== "none" || ring(input) || ring(one.parentElement ?? one),
        where: one.outerHTML.slice(0, 120),
      };
    });
    const key = async (name: string): Promise<void> => { await page.keyboard.press(name); };
    /** Goes forward by Tab until something with this name has the focus; the focus is seen wherever it stops. */
    const to = async (name: RegExp, back = false): Promise<string> => {
      const seen: string[] = [];
      for (let i = 0; i < 90; i++) {
        const now = await at();
        seen.push(now.name.slice(0, 40));
        if (name.test(now.name) && now.role) {
          expect(now.shown, `the focus is seen: ${now.where}`).toBe(true);
          return now.name;
        }
        await key(back ? "Shift+Tab" : "Tab");
      }
      throw new Error(`${String(name)} is not reached: ${seen.join(" | ")}`);
    };
    await to(/^Register$/);
    await key("Enter");
    await to(/^Name/);
    await page.keyboard.type(fresh("key"));
    await to(/^Password/);
    await page.keyboard.type("a long enough secret");
    await key("Enter");
    await page.waitForURL(`${origin}/`);
    await page.getByText("No matches right now").waitFor();
    await to(/^Play the computer$/);
    await key("Enter");
    await page.waitForURL(/\/new/);
    await page.getByRole("button", { name: "Play", exact: true }).waitFor();
    await to(/^Play$/);
    await key("Enter");
    await page.waitForURL(/\/match\//);
    await page.locator("[data-hand] button").first().waitFor();

    const deadline = Date.now() + 150_000;
    let turns = 0;
    for (;;) {
      if (Date.now() > deadline) throw new Error(await page.locator("main").innerText());
      const state = await page.evaluate(() => (document.querySelector("[data-testid=call]") ? "call" : document.querySelector("[data-hand] button:enabled") ? "play" : /Round \d+ is over/.test(document.body.innerText) ? "over" : "wait"));
      if (state === "over") break;
      if (state === "wait") { await page.waitForTimeout(150); continue; }
      if (state === "call") {
        await to(/^Call Yaniv/);
        await key("Enter");
        await page.locator("dialog[open]").waitFor();
        // Esc leaves it, and the focus is where it was.
        if (turns % 2 === 0) {
          await key("Escape");
          await page.locator("dialog").waitFor({ state: "detached" });
          expect((await at()).name).toMatch(/^Call Yaniv/);
          await key("Enter");
          await page.locator("dialog[open]").waitFor();
        }
        await to(/^Call Yaniv/);
        await key("Enter");
        await page.getByText(/Round \d+ is over/).waitFor();
        break;
      }
      turns++;
      // The heaviest card: the arrows lead through the hand.
      const cards = await page.locator("[data-hand] button").evaluateAll((all) => all.map((one) => one.getAttribute("aria-label") ?? ""));
      const points = cards.map(pointsOf);
      await to(/^(?!Take).+, \d+ points?(, new)?$/);
      for (let i = 0; i < cards.length && pointsOf((await at()).name) < Math.max(...points); i++) await key("ArrowRight");
      await key("Space");
      await to(/^Draw from the stock/, true);
      await key("Space");
      await to(/^Discard/);
      await key("Enter");
      await page.waitForFunction(() => !/Sending|Checking/.test(document.querySelector(".actions")?.textContent ?? ""));
      await page.waitForTimeout(100);
      // The focus is not lost with the button that was pressed.
      await expect.poll(async () => (await at()).role, { message: "the focus after a move" }).not.toBe("");
    }
    // The result has the focus, or is reached by it: onwards.
    await page.waitForTimeout(700);
    await expect.poll(async () => (await at()).role, { message: "the focus after a round" }).not.toBe("");
    await to(/^On to round 2$/);
    // A button that appeared or changed takes no press for a moment: again, until it has done its work.
    await expect.poll(async () => {
      if ((await at()).name === "On to round 2") await key("Enter");
      return page.locator("[data-hand] button").first().isVisible();
    }, { interval: 700 }).toBe(true);
    if (process.env["SAID"]) console.log((await said()).join("\n"));
    check(await said());
    expect(problems).toEqual([]);
  });
});

describe("the accessibility tree alone", () => {
  it("registers, starts a match against a bot, and plays a round by roles and names", async () => {
    const { page, problems } = await device(browser);
    const said = await listen(page);
    await page.goto(origin);
    const press = async (role: "button" | "link" | "radio", name: string | RegExp): Promise<void> => { await page.getByRole(role, { name, exact: typeof name === "string" }).first().press(role === "radio" ? "Space" : "Enter"); };
    await press("link", "Register");
    await page.getByRole("textbox", { name: "Name" }).fill(fresh("ear"));
    await page.getByRole("textbox", { name: "Password" }).fill("a long enough secret");
    await press("button", "Register");
    await press("link", "New match");
    await press("radio", "Computer");
    await press("radio", "1 bot");
    await press("button", "Play");
    const hand = page.getByRole("group", { name: /^Your hand, \d+ cards?, \d+ points$/ });
    await hand.waitFor();
    const over = page.getByRole("heading", { name: /called Yaniv with \d+/ });
    const deadline = Date.now() + 150_000;
    const there = (role: "button" | "status", name?: string | RegExp): Promise<boolean> => page.getByRole(role, name === undefined ? {} : { name }).first().isVisible();
    while (!(await over.isVisible())) {
      if (Date.now() > deadline) throw new Error(await page.locator("main").ariaSnapshot());
      if (await there("button", /^Call Yaniv · \d+$/)) {
        await press("button", /^Call Yaniv · \d+$/);
        const sheet = page.getByRole("dialog", { name: /^Call Yaniv · \d+$/ });
        await sheet.getByText(/^If anybody has/).waitFor();
        await sheet.getByRole("button", { name: /^Call Yaniv/ }).press("Enter");
        await over.waitFor();
        break;
      }
      if (!(await there("button", /^Draw from the stock, \d+ cards?$/))) { await page.waitForTimeout(150); continue; }
      // The state says so as well.
      await page.getByRole("status").getByText("Your turn").waitFor();
      const sum = Number(/(\d+) points$/.exec(await hand.getAttribute("aria-label") ?? "")?.[1]);
      const cards = await hand.getByRole("button").all();
      const names = await Promise.all(cards.map((card) => card.getAttribute("aria-label").then(String)));
      expect(names.map(pointsOf).reduce((a, b) => a + b, 0)).toBe(sum);
      const best = names.map(pointsOf).indexOf(Math.max(...names.map(pointsOf)));
      await cards[best]?.press("Enter");
      await hand.getByRole("button", { pressed: true }).waitFor();
      await press("button", /^Draw from the stock/);
      await page.getByRole("button", { name: /^Draw from the stock/, pressed: true }).waitFor();
      await press("button", /^Discard .+, draw from stock$/);
      await page.getByRole("button", { name: /^Discard/ }).waitFor({ state: "detached" }).catch(() => undefined);
      await page.waitForTimeout(100);
    }
    // Who had what, in words.
    const rows = await page.getByRole("listitem").allTextContents();
    expect(rows.filter((row) => /\d+ points?.*\+\d+/.test(row))).toHaveLength(2);
    for (const row of await page.getByRole("listitem").all()) expect(await row.ariaSnapshot()).toMatch(/(ace|two|three|four|five|six|seven|eight|nine|ten|jack|queen|king) of|joker/);
    await page.waitForTimeout(700);
    // A button that appeared or changed takes no press for a moment: again, until it has done its work.
    await expect.poll(async () => {
      if (await there("button", "On to round 2")) await page.getByRole("button", { name: "On to round 2", exact: true }).press("Enter", { timeout: 2000 }).catch(() => undefined);
      return hand.isVisible();
    }, { interval: 700 }).toBe(true);
    if (process.env["SAID"]) console.log((await said()).join("\n"));
    check(await said());
    expect(problems).toEqual([]);
  });
});
