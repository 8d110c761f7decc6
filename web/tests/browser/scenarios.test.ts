// The scenarios of the design that need a browser, each against the real service; set up through the API.
import type { Browser, Page, Request } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { account, call, checksAll, dealt, get, keyOf, listen, logIn, openMatch, origin, pair, playFirst, playOn, plays, sandbox, settled, stage, start, step, stop, type Match, type Seated } from "./support";

let browser: Browser;
beforeAll(async () => { browser = await start(); });
afterAll(async () => { await stop(browser); });

const seed = "5f".repeat(32);

describe("never illegal (3)", () => {
  it("the send button is on exactly for legal discards with a draw: random taps", async () => {
    const { username, match } = await sandbox();
    const { page, problems } = await openMatch(browser, username, match.match_id);
    const legal = (match.legal?.discards ?? []).map((cards) => [...cards].sort().join());
    for (let i = 0; i < (checksAll ? 200 : 80); i++) {
      const cards = page.locator("[data-hand] button");
      if (i % 5 === 4) await page.locator("[data-draw]").nth(i % 2 ? 0 : -1).click();
      else await cards.nth(Math.floor(Math.random() * (await cards.count()))).click({ position: { x: 12, y: 30 } });
      const { chosen, draw, on } = await page.evaluate(() => ({
        chosen: [...document.querySelectorAll<HTMLElement>("[data-hand] [aria-pressed=true]")].map((one) => one.dataset["card"] ?? "").sort().join(),
        draw: document.querySelectorAll("[data-draw][aria-pressed=true]").length,
        on: !document.querySelector<HTMLButtonElement>("[data-testid=send]")?.disabled,
      }));
      // With a discard but no draw the button leads to the draws; it sends nothing.
      expect(on).toBe(legal.includes(chosen));
      expect(draw).toBeLessThan(2);
    }
    expect(problems).toEqual([]);
  });
});

describe("no accident (4)", () => {
  it("a double tap sends once; a call needs two presses; Back keeps the selection", async () => {
    const { username, match } = await sandbox();
    const { page } = await openMatch(browser, username, match.match_id);
    await stage(page);
    const before = await page.locator("[data-hand] [aria-pressed=true]").getAttribute("data-card");
    await page.getByRole("link", { name: "Back" }).tap();
    await page.locator(".home").waitFor();
    await page.goBack();
    await page.locator("[data-hand] [aria-pressed=true]").waitFor();
    expect(await page.locator("[data-hand] [aria-pressed=true]").getAttribute("data-card")).toBe(before);
    const sent = plays(page);
    await page.getByTestId("send").dblclick();
    await settled(page);
    await page.waitForTimeout(500);
    expect(sent).toHaveLength(1);
    expect(keyOf(sent[0])).toMatch(/^[\w-]{16,64}$/);
  });
});

describe("no accident (4), with more to do", () => {
  it("the button for the next match takes no press at first; it leads there", async () => {
    const people: [Seated, Seated] = [await account("ada"), await account("bob")];
    const one = await dealt(() => true, {}, people);
    const two = await dealt(() => true, {}, people);
    const { page, problems } = await openMatch(browser, people[0].username, one.id);
    await stage(page);
    // The press of a thumb that is still there: at once when the button appears.
    await page.evaluate(() => {
      const seen = new MutationObserver(() => {
        const next = document.querySelector<HTMLElement>("[data-testid=next]");
        if (!next) return;
        seen.disconnect();
        next.click();
        document.body.dataset["pressed"] = location.pathname;
      });
      seen.observe(document.body, { subtree: true, childList: true });
    });
    await page.getByTestId("send").tap();
    await expect.poll(() => page.evaluate(() => document.body.dataset["pressed"])).toBe(`/match/${one.id}`);
    const next = page.getByTestId("next");
    expect(await next.textContent()).toContain(people[1].username);
    await expect.poll(async () => { await next.tap({ timeout: 2000 }).catch(() => undefined); return new URL(page.url()).pathname; }).toBe(`/match/${two.id}`);
    expect(problems).toEqual([]);
  });
  it("two presses at the place of the call do not call", async () => {
    const { turn, id, match } = await dealt(() => true, { call_limit_off: true });
    const { page, problems } = await openMatch(browser, turn.username, id);
    const calls: string[] = [];
    page.on("request", (request) => { if (request.url().endsWith("/calls")) calls.push(request.url()); });
    const first = await page.getByTestId("call").boundingBox();
    await page.getByTestId("call").tap();
    const second = await page.getByTestId("call-now").boundingBox();
    if (!first || !second) throw new Error("not there");
    // Where both lie, a double tap would call.
    const apart = first.x + first.width <= second.x || second.x + second.width <= first.x || first.y + first.height <= second.y || second.y + second.height <= first.y;
    expect(apart, `${JSON.stringify(first)} ${JSON.stringify(second)}`).toBe(true);
    await page.touchscreen.tap(first.x + first.width / 2, first.y + first.height / 2);
    await page.getByRole("dialog").waitFor({ state: "detached" });
    expect(calls).toEqual([]);
    expect((await get(turn.token, id)).version).toBe(match.version);
    await page.getByTestId("call").tap();
    await page.getByTestId("call-now").tap();
    await page.locator(".end h2").first().waitFor();
    expect(calls).toHaveLength(1);
    expect(problems).toEqual([]);
  });
});

describe("offline (5)", () => {
  it("opens, takes a move, and sends it once when the app is opened online", async () => {
    const { username, token, match } = await sandbox();
    const { page, context } = await openMatch(browser, username, match.match_id);
    await page.waitForFunction(() => navigator.serviceWorker.controller !== null || navigator.serviceWorker.ready.then(() => true));
    await page.reload();
    await page.locator("[data-hand] button:enabled").first().waitFor();
    await page.waitForLoadState("networkidle", { timeout: 3000 }).catch(() => undefined);
    await context.setOffline(true);
    const offline = await context.newPage();
    const began = Date.now();
    await offline.goto(`${origin}/match/${match.match_id}`);
    await offline.locator("[data-hand] button:enabled").first().waitFor();
    expect(Date.now() - began).toBeLessThan(5000);
    const none = plays(offline);
    await stage(offline);
    await offline.getByTestId("send").tap();
    // The button, not the sentence: the narrator keeps that.
    await offline.getByRole("button", { name: "Take back" }).waitFor();
    expect(await offline.locator(".actions").textContent()).toContain("Saved. It will be sent");
    await offline.getByRole("button", { name: "Take back" }).tap();
    await offline.getByTestId("send").tap();
    // The button, not the sentence: the narrator keeps that.
    await offline.getByRole("button", { name: "Take back" }).waitFor();
    expect(await offline.locator(".actions").textContent()).toContain("Saved. It will be sent");
    expect(none).toHaveLength(0);
    await offline.close();
    await page.close();
    await context.setOffline(false);
    const later = await context.newPage();
    const sent = plays(later);
    await later.goto(`${origin}/`);
    await expect.poll(() => sent.length).toBe(1);
    const played = async (): Promise<number> => (await call<{ items: { type: string; username: string }[] }>(token, "GET", `/v1/matches/${match.match_id}/log?after=${match.version}`)).items.filter((entry) => entry.username === username && entry.type === "play").length;
    await expect.poll(played).toBe(1);
    await later.waitForTimeout(1500);
    expect(sent).toHaveLength(1);
    expect(await played()).toBe(1);
  });
});

describe("what is on this device", () => {
  it("is said on Home: a saved move, and one that was not played, until that was seen in the match", async () => {
    const { username, token, match } = await sandbox();
    const { page, context, problems } = await openMatch(browser, username, match.match_id);
    await page.evaluate(() => navigator.serviceWorker.ready.then(() => undefined));
    await stage(page);
    const chosen = await page.locator("[data-hand] [aria-pressed=true]").getAttribute("data-card");
    await context.setOffline(true);
    await page.getByTestId("send").tap();
    await page.getByRole("button", { name: "Take back" }).waitFor();
    await page.getByRole("link", { name: "Back" }).tap();
    await page.locator(".home").getByText("Your move waits for the network.").waitFor();
    await page.close();
    // The same player plays another card on another device.
    const { legal, version } = await get(token, match.match_id);
    const cards = legal?.discards.find((one) => !one.includes(chosen ?? "")) ?? [];
    await call(token, "POST", `/v1/matches/${match.match_id}/plays`, { expected_version: version, cards, draw_from: "stock" });
    await context.setOffline(false);
    const later = await context.newPage();
    const sent = plays(later);
    await later.goto(origin);
    const line = later.locator(".home").getByText("The table has changed: your move was not played.");
    await line.waitFor();
    await later.reload();
    await line.waitFor();
    expect(sent).toHaveLength(1);
    await later.goto(`${origin}/match/${match.match_id}`);
    await later.getByText("The table has changed. Nothing was sent").first().waitFor();
    await later.getByRole("link", { name: "Back" }).tap();
    await later.locator(".home section").first().waitFor();
    expect(await line.count()).toBe(0);
    await later.reload();
    await later.locator(".home section").first().waitFor();
    expect(await line.count()).toBe(0);
    expect(problems).toEqual([]);
  });
});

describe("offline, a match that was seen", () => {
  it("shows the table and the last moves, also after it was opened again", async () => {
    const { turn, other, id } = await pair();
    const { page, context, problems } = await openMatch(browser, other.username, id);
    await page.evaluate(() => navigator.serviceWorker.ready.then(() => undefined));
    await playFirst(turn.token, id);
    const moves = page.getByRole("group", { name: "Since your last turn" }).getByRole("listitem");
    await moves.first().waitFor();
    const seen = await moves.allTextContents();
    expect(seen).toHaveLength(1);
    // Seen twice: the service has nothing new to tell.
    await page.reload();
    await page.locator("[data-hand] button:enabled").first().waitFor();
    expect(await moves.allTextContents()).toEqual(seen);
    await page.close();
    await context.setOffline(true);
    const offline = await context.newPage();
    await offline.goto(`${origin}/match/${id}`);
    await offline.getByText("The table as of").waitFor();
    expect(await offline.getByRole("group", { name: "Since your last turn" }).getByRole("listitem").allTextContents()).toEqual(seen);
    await offline.getByRole("button", { name: "Menu" }).tap();
    await offline.getByRole("dialog").getByRole("button", { name: "Log", exact: true }).tap();
    await offline.getByRole("dialog").getByRole("listitem").first().waitFor();
    expect(problems).toEqual([]);
  });
});

describe("lost answer (6)", () => {
  it("is asked for again with the same key and body; the move is played once", async () => {
    const { username, token, match } = await sandbox();
    const { page } = await logIn(browser, username);
    const said = await listen(page);
    await page.goto(`${origin}/match/${match.match_id}`);
    await page.locator("[data-hand] button").first().waitFor();
    let lost = 0;
    await page.route(/\/plays$/, async (route) => {
      if (lost++ > 0) { await route.continue(); return; }
      await route.fetch();
      await route.abort("connectionreset");
    });
    const sent = plays(page);
    const answers: (string | undefined)[] = [];
    page.on("response", (response) => { if (/\/plays$/.test(response.url())) answers.push(response.headers()["idempotency-replayed"]); });
    await stage(page);
    await page.getByTestId("send").tap();
    await page.getByText(/^Sent\./).first().waitFor();
    // It is on the screen until the move is sent again, which may be at once.
    expect((await said()).some((text) => text.includes("Checking whether your move arrived"))).toBe(true);
    expect(sent).toHaveLength(2);
    expect(keyOf(sent[1])).toBe(keyOf(sent[0]));
    expect(sent[1]?.postData()).toBe(sent[0]?.postData());
    expect(answers.at(-1)).toBeTruthy();
    const log = await call<{ items: { type: string; username: string }[] }>(token, "GET", `/v1/matches/${match.match_id}/log?after=${match.version}`);
    expect(log.items.filter((entry) => entry.username === username && entry.type === "play")).toHaveLength(1);
  });
});

describe("a lost answer to what is no move", () => {
  it("a match is created and started once, however often the button is tapped", async () => {
    const { username, token } = await account("ada");
    const { page } = await logIn(browser, username);
    const lose = new Map([["/v1/matches", 1], ["/start", 1]]);
    await page.route(/\/v1\/matches$|\/start$/, async (route) => {
      const path = [...lose.keys()].find((end) => new URL(route.request().url()).pathname.endsWith(end)) ?? "";
      const left = lose.get(path) ?? 0;
      if (route.request().method() !== "POST" || left === 0) { await route.continue(); return; }
      lose.set(path, left - 1);
      await route.fetch();
      await route.abort("connectionreset");
    });
    await page.goto(`${origin}/new?with=bots`);
    const create = page.locator(".reach .btn.main");
    for (let taps = 0; taps < 2; taps++) {
      await create.tap();
      await page.getByText("No connection to the service.").waitFor();
    }
    await create.tap();
    await page.locator("[data-hand] button").first().waitFor();
    expect([...lose.values()]).toEqual([0, 0]);
    const { turns, waiting, lobby } = await call<{ turns: unknown[]; waiting: unknown[]; lobby: unknown[] }>(token, "GET", "/v1/home");
    expect(turns.length + waiting.length + lobby.length).toBe(1);
  });
});

describe("conflict (7)", () => {
  it("another device plays before: the new table is shown, nothing is sent again", async () => {
    const { username, token, match } = await sandbox();
    const { page, context } = await logIn(browser, username);
    // No news come through: the conflict is found by sending.
    await context.route(/\/v1\/events/, (route) => route.abort());
    await page.goto(`${origin}/match/${match.match_id}`);
    await stage(page);
    await context.route(/\/v1\/matches\/[^/]+(\?|$)/, (route) => (route.request().method() === "GET" ? route.abort() : route.continue()));
    await playFirst(token, match.match_id);
    const sent = plays(page);
    await page.getByTestId("send").tap();
    await page.getByText("The table has changed").first().waitFor();
    await page.waitForTimeout(1500);
    expect(sent).toHaveLength(1);
  });
});

describe("conflict (7), what it leaves", () => {
  const apart = async (username: string, id: string): Promise<{ page: Page; said: () => Promise<string[]>; problems: string[] }> => {
    const { page, context, problems } = await logIn(browser, username);
    const said = await listen(page);
    // No news come through: the conflict is found by sending.
    await context.route(/\/v1\/events/, (route) => route.abort());
    await page.goto(`${origin}/match/${id}`);
    await stage(page);
    await context.route(/\/v1\/matches\/[^/]+(\?|$)/, (route) => (route.request().method() === "GET" ? route.abort() : route.continue()));
    return { page, said, problems };
  };
  const asserted = (page: Page): Promise<string> => page.locator("[aria-live=assertive]").innerText();
  const focused = (page: Page): Promise<boolean> => page.evaluate(() => document.activeElement?.closest("[data-hand]") !== null && document.activeElement?.closest("[data-hand]") !== undefined);
  it("a selection that is still legal is kept, and is sent by the next press", async () => {
    const { turn, other, id, match } = await dealt(() => true, { card_requests: true });
    const { page, problems } = await apart(turn.username, id);
    const chosen = await page.locator("[data-hand] [aria-pressed=true]").getAttribute("data-card");
    // On another device the same player answers a request: one more card, and still to play.
    const asked = await call<Match>(other.token, "POST", `/v1/matches/${id}/card-requests`, { expected_version: match.version, card: match.table?.pile[0] });
    await call(turn.token, "POST", `/v1/matches/${id}/card-request-answers`, { expected_version: asked.version, answer: "keep" });
    const sent = plays(page);
    await page.getByTestId("send").tap();
    await page.locator(".warn").getByText("The table has changed. Nothing was sent; your selection is kept where it fits.").waitFor();
    await expect.poll(() => asserted(page)).toContain("The table has changed. Nothing was sent");
    await expect.poll(() => focused(page)).toBe(true);
    expect(await page.locator("[data-hand] button").count()).toBe(6);
    expect(await page.locator("[data-hand] [aria-pressed=true]").getAttribute("data-card")).toBe(chosen);
    expect(await page.locator("[data-draw=stock]").getAttribute("aria-pressed")).toBe("true");
    await page.getByTestId("send").tap();
    await page.getByText(/^Sent\./).first().waitFor();
    expect(sent).toHaveLength(2);
    expect(keyOf(sent[1])).not.toBe(keyOf(sent[0]));
    const body = (request: Request | undefined): { cards: string[]; expected_version: number } => request?.postDataJSON() as { cards: string[]; expected_version: number };
    expect(body(sent[1]).cards).toEqual([chosen]);
    expect(body(sent[1]).expected_version).toBeGreaterThan(body(sent[0]).expected_version);
    expect(problems).toEqual([]);
  });
  it("another player asks for a card before: the question is shown, nothing is sent again", async () => {
    const { turn, other, id, match } = await dealt(() => true, { card_requests: true });
    const { page, said, problems } = await apart(turn.username, id);
    await call(other.token, "POST", `/v1/matches/${id}/card-requests`, { expected_version: match.version, card: match.table?.pile[0] });
    const sent = plays(page);
    await page.getByTestId("send").tap();
    await page.locator(".state").getByText(/asks for/).waitFor();
    await expect.poll(() => asserted(page)).toContain("The table has changed. Nothing was sent");
    await expect.poll(async () => (await said()).some((text) => /asks for .+ of (clubs|diamonds|hearts|spades)|asks for joker/.test(text))).toBe(true);
    await page.getByRole("button", { name: "Keep", exact: true }).tap();
    await page.getByTestId("confirm").tap();
    await page.locator(".state b").getByText("Your turn").waitFor();
    expect(sent).toHaveLength(1);
    expect((await get(turn.token, id)).your_turn).toBe(true);
    expect(problems).toEqual([]);
  });
});

describe("clock (9)", () => {
  it("with a phone that is three hours wrong, the time left and the deadline are right to a minute", async () => {
    const { turn, id } = await pair({}, { time_control: { clock: "turn", turn_seconds: 5 * 3600 + 20 * 60 } });
    const seat = (await get(turn.token, id)).seats.find(({ username }) => username === turn.username);
    const deadline = Date.parse(seat?.deadline ?? "");
    for (const wrong of [3, -3]) {
      const { page, context } = await logIn(browser, turn.username);
      await context.addInitScript((hours) => { const real = Date.now.bind(Date); Date.now = () => real() + hours * 3600_000; }, wrong);
      await page.goto(`${origin}/match/${id}`);
      const shown = async (): Promise<number> => {
        const [, hours, minutes] = /(\d+) h (?:(\d+) min )?left/.exec((await page.locator(".state").textContent()) ?? "") ?? [];
        return Math.abs((Number(hours ?? NaN) * 60 + Number(minutes ?? 0)) - (deadline - Date.now()) / 60_000);
      };
      await expect.poll(shown).toBeLessThanOrEqual(1);
      const until = new Intl.DateTimeFormat("en-GB", { hour: "numeric", minute: "2-digit", timeZone: "Europe/Berlin" }).format(new Date(deadline));
      expect(await page.locator(".state").textContent()).toContain(until);
      await context.close();
    }
  });
  it("after a missed deadline the recap says that a safe turn was played", async () => {
    const { turn, other, id } = await pair();
    await call(turn.token, "POST", `/v1/matches/${id}/clock-advances`, { seconds: 72 * 3600 + 5 });
    await expect.poll(async () => (await get(other.token, id)).your_turn).toBe(true);
    const { page, problems } = await openMatch(browser, turn.username, id);
    await page.getByRole("group", { name: "Since your last turn" }).getByText(/^You ran out of time, so a safe turn was played: .+, drawn from the stock\.$/).waitFor();
    expect(problems).toEqual([]);
  });
  it("a wrong clock of the phone does not matter; after a missed deadline the recap says so", async () => {
    const { username, token, match } = await sandbox();
    const player = await logIn(browser, username);
    await player.context.addInitScript(() => { const real = Date.now.bind(Date); Date.now = () => real() + 3 * 3600_000; });
    await player.page.goto(`${origin}/match/${match.match_id}`);
    await player.page.locator("[data-hand] button").first().waitFor();
    await expect.poll(() => player.page.locator(".state").textContent()).toContain("3 days left");
    await call(token, "POST", `/v1/matches/${match.match_id}/clock-advances`, { seconds: 72 * 3600 + 5 });
    await player.page.getByRole("button", { name: "Menu" }).tap();
    await player.page.getByRole("button", { name: "Log" }).tap();
    await player.page.getByText("(time was up)").filter({ visible: true }).first().waitFor();
  });
});

describe("phases (8)", () => {
  it("plays a Kluft match with challenges, over bots that expose or challenge", async () => {
    const { username, match } = await sandbox({ preset: "kluft", max_rounds: 2 });
    const { page, problems } = await openMatch(browser, username, match.match_id);
    await playOn(page);
    await page.getByText("The match is over").first().waitFor();
    expect(problems).toEqual([]);
  });
  it("plays with swaps, penalties of words, final turns and slam-downs", async () => {
    const { username, match } = await sandbox({ response: "final_turn", slam_down: "any", card_requests: true, over_limit: "swap", call_words: ["yan", "yaniv"], word_penalty: 30, max_rounds: 2 });
    const { page, problems } = await openMatch(browser, username, match.match_id);
    await playOn(page, async (one) => {
      const slam = one.getByRole("button", { name: /^Slam/ }).first();
      if (!(await slam.isVisible())) return step(one);
      // The offer ends when a bot acts.
      await slam.tap({ timeout: 3000 }).then(() => settled(one), () => undefined);
      return "acted";
    });
    await page.getByText("The match is over").first().waitFor();
    expect(problems).toEqual([]);
  });
  it("takes the seat back from a bot", async () => {
    const ada = await account("ada");
    const bob = await account("bob");
    const made = await call<Match>(ada.token, "POST", "/v1/matches", { size: 2, rules: { preset: "yaniv" }, sandbox: true, sandbox_seed: seed });
    await call(bob.token, "POST", `/v1/join-codes/${made.join_code}/seats`, {});
    await call(ada.token, "POST", `/v1/matches/${made.match_id}/start`);
    // Bob plays; Ada lets deadlines pass until a bot holds her seat. Then it is Bob's turn.
    for (let i = 0; i < 12; i++) {
      const his = await call<Match & { seats: { held_by_bot?: boolean }[] }>(bob.token, "GET", `/v1/matches/${made.match_id}`);
      if (his.seats[0]?.held_by_bot && his.your_turn) break;
      if (his.your_turn) await call(bob.token, "POST", `/v1/matches/${made.match_id}/plays`, { expected_version: his.version, cards: his.legal?.discards[0] ?? [], draw_from: "stock" });
      else await call(ada.token, "POST", `/v1/matches/${made.match_id}/clock-advances`, { seconds: 120 * 3600 + 5 });
      await new Promise((resolve) => { setTimeout(resolve, 1200); });
    }
    const { page } = await openMatch(browser, ada.username, made.match_id);
    await page.getByRole("button", { name: "Take my seat back" }).tap();
    await page.getByRole("button", { name: "Take my seat back" }).waitFor({ state: "detached" });
    await page.getByText(/^Sent\./).first().waitFor();
  });
});

describe("Hebrew (11)", () => {
  it("mirrors the page, not the cards", async () => {
    const { username, match } = await sandbox();
    const player = await logIn(browser, username, { locale: "he-IL" });
    await player.page.goto(`${origin}/match/${match.match_id}`);
    await player.page.locator("[data-hand] button").first().waitFor();
    expect(await player.page.evaluate(() => document.documentElement.dir)).toBe("rtl");
    const lefts = await player.page.locator("[data-hand] button").evaluateAll((all) => all.map((one) => one.getBoundingClientRect().left));
    expect(lefts).toEqual([...lefts].sort((a, b) => a - b));
    expect(await player.page.locator(".state b").textContent()).toBe("תורך");
  });
  it("ten players at 320 px: nothing overflows, every target has 44 px", async () => {
    const { token, username } = await account("ada");
    const made = await call<Match>(token, "POST", "/v1/matches", { size: 8, rules: { preset: "yaniv", decks: 2, hand_size: 7 }, sandbox: true, sandbox_seed: seed, bots: Array.from({ length: 7 }, () => "easy") });
    await call(token, "POST", `/v1/matches/${made.match_id}/start`);
    const { page } = await openMatch(browser, username, made.match_id, { viewport: { width: 320, height: 640 } });
    await page.waitForTimeout(1500);
    const found = await page.evaluate(() => ({
      wide: document.documentElement.scrollWidth - document.documentElement.clientWidth,
      small: [...document.querySelectorAll<HTMLElement>("button, a")].filter((one) => one.offsetParent && !one.closest("[data-hand]")).map((one) => ({ text: one.textContent?.trim().slice(0, 20), w: one.offsetWidth, h: one.offsetHeight })).filter((one) => one.w < 44 || one.h < 44),
    }));
    expect(found).toEqual({ wide: 0, small: [] });
  });
});

describe("Hebrew (11), what is read", () => {
  it("seven cards show their index; signs of cards stay in order within the sentence; two has its own form; nothing is cut off", async () => {
    const { turn, id } = await dealt(() => true, { hand_size: 7, decks: 2 });
    const { page, problems } = await logIn(browser, turn.username, { locale: "he-IL" });
    await page.goto(`${origin}/match/${id}`);
    await page.locator("[data-hand] button:enabled").first().waitFor();
    const order = "A23456789TJQKX";
    const cards = await page.locator("[data-hand] button").evaluateAll((all: HTMLElement[]) => all.map((one) => one.dataset["card"] ?? ""));
    expect(cards).toHaveLength(7);
    expect(cards.map((card) => order.indexOf(card[0] ?? ""))).toEqual(cards.map((card) => order.indexOf(card[0] ?? "")).sort((a, b) => a - b));
    // The index is at the top left: nothing lies over it.
    const covered = await page.locator("[data-hand] button").evaluateAll((all) => all.filter((one) => {
      const box = one.getBoundingClientRect();
      return !one.contains(document.elementFromPoint(box.left + 12, box.top + 16));
    }).length);
    expect(covered).toBe(0);
    await page.locator("[data-hand] button").last().tap({ position: { x: 14, y: 30 } });
    await page.locator("[data-draw]").last().tap();
    // "Discard 9♣, take 8♠": from right to left, but each rank left of its suit, and the first card right of the second.
    const signs = await page.getByTestId("send").evaluate((button) => {
      const text = button.firstChild as Text;
      const at = (place: number): number => { const range = document.createRange(); range.setStart(text, place); range.setEnd(text, place + 1); return range.getBoundingClientRect().left; };
      return [...text.data.matchAll(/([2-9AJQK]|10)([♣♦♥♠])/g)].map((found) => ({ rank: at(found.index), suit: at(found.index + (found[1]?.length ?? 1)) }));
    });
    for (const { rank, suit } of signs) expect(rank).toBeLessThan(suit);
    if (signs.length === 2) expect(signs[0]?.rank).toBeGreaterThan(signs[1]?.rank ?? Infinity);
    const cut = (): Promise<string[]> => page.evaluate(() => [...document.querySelectorAll<HTMLElement>("main button, main p, main h1, main span, nav a span")]
      .filter((one) => one.offsetParent && !one.closest(".hidden-text, [data-hand], svg") && getComputedStyle(one).overflowX !== "visible" && one.scrollWidth > one.clientWidth + 1).map((one) => one.textContent?.slice(0, 60) ?? ""));
    expect(await cut()).toEqual([]);
    await page.goto(`${origin}/new`);
    await page.locator("option").filter({ hasText: "שני שחקנים" }).first().waitFor({ state: "attached" });
    expect(await cut()).toEqual([]);
    expect(problems).toEqual([]);
  });
  it("ten players with seven cards at 320 px: nothing lies over anything else", async () => {
    const { token, username } = await account("ada");
    const made = await call<Match>(token, "POST", "/v1/matches", { size: 10, rules: { preset: "yaniv", decks: 3, hand_size: 7 }, sandbox: true, sandbox_seed: seed, bots: Array.from({ length: 9 }, () => "easy") });
    await call(token, "POST", `/v1/matches/${made.match_id}/start`);
    await expect.poll(async () => (await get(token, made.match_id)).your_turn).toBe(true);
    const { page, problems } = await openMatch(browser, username, made.match_id, { viewport: { width: 320, height: 640 }, locale: "he-IL" });
    await page.locator("[data-hand] button:enabled").first().waitFor();
    const found = await page.evaluate(() => {
      const boxes = [...document.querySelectorAll<HTMLElement>(".felt li[aria-label], [data-draw], .felt .state, .tools .chip")].filter((one) => one.offsetParent).map((one) => ({ name: one.getAttribute("aria-label") ?? one.textContent ?? "", box: one.getBoundingClientRect() }));
      const over = boxes.flatMap((a, i) => boxes.slice(i + 1).filter((b) => a.box.left < b.box.right - 1 && b.box.left < a.box.right - 1 && a.box.top < b.box.bottom - 1 && b.box.top < a.box.bottom - 1).map((b) => `${a.name} / ${b.name}`));
      // Of a card at least what a thumb needs is free.
      const hand = [...document.querySelectorAll<HTMLElement>("[data-hand] button")].map((one) => one.getBoundingClientRect());
      const narrow = hand.filter((box, i) => { const next = hand[i + 1]; return (next && next.top === box.top ? next.left - box.left : box.width) < 44; }).length;
      return { players: document.querySelectorAll(".felt li[aria-label]").length, cards: hand.length, over, narrow, wide: document.documentElement.scrollWidth - document.documentElement.clientWidth };
    });
    expect(found).toEqual({ players: 9, cards: found.cards, over: [], narrow: 0, wide: 0 });
    expect(found.cards).toBeGreaterThanOrEqual(6);
    expect(problems).toEqual([]);
  });
});

describe("keyboard alone (10)", () => {
  it("plays a turn from Home without a pointer", async () => {
    const { username } = await sandbox();
    const { page } = await logIn(browser, username);
    await page.getByRole("link", { name: /Bot/ }).first().focus();
    await page.keyboard.press("Enter");
    await page.locator("[data-hand] button:enabled").first().focus();
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("Space");
    await page.locator("[data-draw=stock]").focus();
    await page.keyboard.press("Space");
    expect(await page.locator("#narrator").textContent()).toContain("draw from stock");
    await page.getByTestId("send").focus();
    await page.keyboard.press("Enter");
    await page.getByText(/^Sent\./).first().waitFor();
  });
  it("shortcuts do nothing unless they are switched on", async () => {
    const { username, match } = await sandbox();
    const { page } = await openMatch(browser, username, match.match_id);
    await page.keyboard.press("1");
    expect(await page.locator("[data-hand] [aria-pressed=true]").count()).toBe(0);
    await page.goto(`${origin}/settings/look`);
    await page.getByRole("checkbox", { name: /Keyboard shortcuts/ }).check();
    await page.goto(`${origin}/match/${match.match_id}`);
    await page.locator("[data-hand] button:enabled").first().waitFor();
    await page.keyboard.press("1");
    await page.keyboard.press("s");
    await page.keyboard.press("Enter");
    await page.getByText(/^Sent\./).first().waitFor();
  });
});

describe("two tabs", () => {
  it("both send the same staged turn at once: it is played once", async () => {
    const { username, token, match } = await sandbox();
    const { page, context } = await openMatch(browser, username, match.match_id);
    const other = await context.newPage();
    await other.goto(`${origin}/match/${match.match_id}`);
    await other.locator("[data-hand] button:enabled").first().waitFor();
    await stage(other);
    await page.bringToFront();
    await stage(page);
    const press = (tab: Page): Promise<void> => tab.evaluate(() => { document.querySelector<HTMLButtonElement>("[data-testid=send]")?.click(); });
    await Promise.all([press(page), press(other)]);
    const played = async (): Promise<number> => (await call<{ items: { type: string; username: string }[] }>(token, "GET", `/v1/matches/${match.match_id}/log?after=${match.version}`)).items.filter((entry) => entry.username === username && entry.type === "play").length;
    await expect.poll(played).toBe(1);
    await page.waitForTimeout(2500);
    expect(await played()).toBe(1);
  });
});

describe("a pair by push and link", () => {
  it("the address of a notice leads to the match as it is now", async () => {
    const { username, match } = await sandbox();
    const { page } = await logIn(browser, username);
    await page.goto(`${origin}/notices/your_turn/${match.match_id}`);
    await page.locator("[data-hand] button").first().waitFor();
    expect(new URL(page.url()).pathname).toBe(`/match/${match.match_id}`);
  });
});
