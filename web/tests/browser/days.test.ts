// What matters over days: plans, resigning, accounts, challenges, pairing, time off, analysis, history, live without streams.
import { readFile } from "node:fs/promises";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { account, call, device, fresh, get, logIn, openMatch, origin, pair, playFirst, playOut, settled, stage, start, stop, unfold } from "./support";

let browser: Browser;
beforeAll(async () => { browser = await start(); });
afterAll(async () => { await stop(browser); });

interface LogEntry { type: string; username?: string; automatic?: string; play?: { cards: string[]; draw_from: string } }
const log = async (token: string, id: string): Promise<LogEntry[]> => (await call<{ items: LogEntry[] }>(token, "GET", `/v1/matches/${id}/log`)).items;
const menu = async (page: Page, item: string): Promise<void> => {
  await page.getByRole("button", { name: "Menu" }).tap();
  await page.getByRole("dialog").getByRole("button", { name: item, exact: true }).tap();
};

describe("a plan for the next turn", () => {
  it("is carried out as soon as the turn comes, and the log says so", async () => {
    const { turn, other, id } = await pair();
    const { page, problems } = await openMatch(browser, other.username, id);
    await page.getByRole("button", { name: "Plan my turn" }).tap();
    const sheet = page.getByRole("dialog");
    const card = sheet.locator(".cards button").last();
    const name = await card.getAttribute("aria-label");
    await card.tap();
    await sheet.getByLabel("And draw").selectOption("");
    await sheet.getByRole("button", { name: /^Add: / }).tap();
    await sheet.getByText(/^Discard .*, draw from stock$/).waitFor();
    await sheet.getByRole("button", { name: "Save the plan" }).tap();
    await sheet.waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Plan my turn" }).tap();
    await page.getByText("A plan waits for your turn.").waitFor();
    await page.keyboard.press("Escape");
    await playFirst(turn.token, id);
    await expect.poll(async () => (await log(turn.token, id)).find((entry) => entry.automatic === "standing_order")?.username).toBe(other.username);
    expect(name).toBeTruthy();
    await page.locator(".state b").getByText(/'s turn$/).waitFor();
    await menu(page, "Log");
    await page.getByRole("dialog").getByText("(planned)").first().waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Plan my turn" }).tap();
    await page.getByText("The last plan was carried out.").waitFor();
    expect(problems).toEqual([]);
  });

  it("that does not fit is void, and the turn is the player's own", async () => {
    const { turn, other, id } = await pair();
    const { page } = await openMatch(browser, other.username, id);
    await page.getByRole("button", { name: "Plan my turn" }).tap();
    const sheet = page.getByRole("dialog");
    await sheet.locator(".cards button").first().tap();
    // What lies there now is gone after the other's turn, if a card is put on it and it is taken.
    const pile = (await get(turn.token, id)).table?.pile[0] ?? "";
    await sheet.getByLabel("And draw").selectOption(pile);
    await sheet.getByRole("button", { name: "Save the plan" }).tap();
    await sheet.waitFor({ state: "detached" });
    const match = await get(turn.token, id);
    const cards = match.legal?.discards.find((one) => one.length === 1) ?? [];
    await call(turn.token, "POST", `/v1/matches/${id}/plays`, { expected_version: match.version, cards, draw_from: "pile", draw_card: pile });
    await page.locator(".state b").getByText("Your turn").waitFor();
    await expect.poll(async () => (await call<{ state: string }>(other.token, "GET", `/v1/matches/${id}/standing-orders`)).state).toBe("void");
    await stage(page);
  });
});

describe("leaving and staying", () => {
  it("resigns by the menu, after a question; the match is over for both", async () => {
    const { turn, other, id } = await pair();
    const { page, problems } = await openMatch(browser, other.username, id);
    const winner = await openMatch(browser, turn.username, id);
    await menu(page, "Resign");
    await page.getByText("This cannot be undone.").waitFor();
    await page.getByTestId("confirm").tap();
    await page.getByText("The match is over").first().waitFor();
    await winner.page.getByText("You have won").waitFor();
    expect((await get(turn.token, id)).status).toBe("finished");
    expect(problems).toEqual([]);
  });

  it("a rated match shows what it did to the rating", async () => {
    const { turn, other, id } = await pair({}, { sandbox: false, rated: true });
    const { page } = await openMatch(browser, turn.username, id);
    await call(other.token, "POST", `/v1/matches/${id}/resignations`, { expected_version: (await get(other.token, id)).version });
    await page.getByText("You have won").waitFor();
    await page.locator(".change .up").getByText(/^\+\d+$/).waitFor();
  });

  it("a guest keeps the account by a name and a password, and logs in with them elsewhere", async () => {
    const first = await device(browser);
    await first.page.goto(origin);
    await first.page.getByRole("button", { name: "Play as a guest" }).tap();
    await first.page.locator(".home").waitFor();
    await first.page.goto(`${origin}/settings/account`);
    const username = fresh("noa");
    const form = first.page.locator("form").filter({ hasText: "Keep your account" });
    await form.locator("input[autocomplete=username]").fill(username);
    await form.locator("input[type=password]").fill("a long enough secret");
    await form.getByRole("button", { name: "Keep my account" }).tap();
    await first.page.getByText("Saved.").waitFor();
    await first.page.getByText("Change the password").first().waitFor();
    const second = await logIn(browser, username);
    expect(await second.page.locator(".me").innerText()).toBe(username);
    expect([...first.problems, ...second.problems]).toEqual([]);
  });
});

describe("finding opponents", () => {
  it("a challenge is made, accepted and leads both to the started match", async () => {
    const bob = await account("bob");
    const ada = await account("ada");
    const mine = await logIn(browser, ada.username);
    await mine.page.goto(`${origin}/people/${bob.username}`);
    await mine.page.getByRole("link", { name: "Challenge" }).tap();
    await mine.page.getByRole("radio", { name: /^Yan(?!iv)/ }).check({ force: true });
    await mine.page.getByRole("button", { name: "Send the challenge" }).tap();
    await mine.page.getByText("no answer yet").waitFor();
    const his = await logIn(browser, bob.username);
    await his.page.getByRole("button", { name: "Accept" }).tap();
    await his.page.locator("[data-hand] button").first().waitFor();
    await mine.page.getByRole("link", { name: "To the match" }).tap();
    await mine.page.locator("[data-hand] button").first().waitFor();
    expect(new URL(mine.page.url()).pathname).toBe(new URL(his.page.url()).pathname);
    expect([...mine.problems, ...his.problems]).toEqual([]);
  });

  it("a declined challenge says so", async () => {
    const [ada, bob] = [await account("ada"), await account("bob")];
    const made = await call<{ challenge_id: string }>(ada.token, "POST", "/v1/challenges", { opponents: [bob.username] });
    const mine = await logIn(browser, ada.username);
    await mine.page.goto(`${origin}/challenge/${made.challenge_id}`);
    await mine.page.getByText("no answer yet").waitFor();
    const his = await logIn(browser, bob.username);
    await his.page.getByRole("button", { name: "Decline" }).tap();
    await mine.page.getByText("It was declined.").waitFor();
  });

  it("two players with the same wish are paired, also while one is offline", async () => {
    const rounds = String(20 + (Date.now() % 70));
    const want = async (name: string): Promise<Page> => {
      const { page } = await logIn(browser, (await account(name)).username);
      await page.goto(`${origin}/new?with=anyone`);
      await page.getByText("All options").tap();
      await page.getByRole("group", { name: "Rounds at most" }).getByRole("checkbox").check({ force: true });
      await page.getByRole("spinbutton", { name: "Rounds at most" }).fill(rounds);
      await page.getByRole("spinbutton", { name: "Rounds at most" }).blur();
      await page.locator(".reach .btn.main").tap();
      return page;
    };
    const first = await want("ada");
    await first.locator(".pairing").waitFor();
    const second = await want("bob");
    await second.locator("[data-hand] button").first().waitFor();
    await first.locator(".pairing").waitFor({ state: "detached" });
    await first.getByRole("link", { name: /bob_/ }).tap();
    await first.locator("[data-hand] button").first().waitFor();
  });

  it("a pairing that is no longer wanted is withdrawn", async () => {
    const ada = await account("ada");
    await call(ada.token, "POST", "/v1/pairings", { size: 5, rules: { preset: "kluft", max_rounds: 99 } });
    const { page } = await logIn(browser, ada.username);
    await page.locator(".pairing").getByRole("button", { name: "Withdraw" }).tap();
    await page.locator(".pairing").waitFor({ state: "detached" });
  });
});

describe("time off", () => {
  it("quiet hours and a vacation are set and taken back", async () => {
    const ada = await account("ada");
    const { page, problems } = await logIn(browser, ada.username, { timezoneId: "Asia/Kathmandu" });
    await page.goto(`${origin}/settings/time`);
    const [quiet, vacation] = [page.locator("section").filter({ hasText: "Quiet hours" }), page.locator("section").filter({ hasText: "Vacation" })];
    await quiet.getByRole("checkbox").check();
    await quiet.getByLabel("From", { exact: true }).fill("08:00");
    await quiet.getByLabel("To").fill("07:00");
    await quiet.getByRole("button", { name: "Save" }).tap();
    await quiet.locator(".error").first().waitFor();
    await quiet.getByLabel("From", { exact: true }).fill("23:00");
    await quiet.getByRole("button", { name: "Save" }).tap();
    await page.getByText("Saved.").waitFor();
    const calendar = await call<{ quiet_hours?: { from_time: string; time_zone: string } }>(ada.token, "GET", "/v1/account/calendar");
    expect(calendar.quiet_hours).toMatchObject({ from_time: "23:00", to_time: "07:00" });
    expect(calendar.quiet_hours?.time_zone).toMatch(/Kathmandu|Katmandu/);
    const day = (later: number): string => new Date(Date.now() + later * 86_400_000).toISOString().slice(0, 10);
    await vacation.getByLabel("From").fill(day(3));
    await vacation.getByLabel("To").fill(day(5));
    await vacation.getByRole("button", { name: "Announce" }).tap();
    await vacation.getByRole("button", { name: "Withdraw" }).waitFor();
    await vacation.getByText(/: 2[567] days left/).first().waitFor();
    await vacation.getByRole("button", { name: "Withdraw" }).tap();
    await vacation.getByRole("button", { name: "Withdraw" }).waitFor({ state: "detached" });
    await quiet.getByRole("checkbox").uncheck();
    await quiet.getByRole("button", { name: "Save" }).tap();
    await expect.poll(async () => (await call<{ quiet_hours?: object }>(ada.token, "GET", "/v1/account/calendar")).quiet_hours).toBeUndefined();
    expect(problems).toEqual([]);
  });

  it("a player on vacation is shown as such at the table, with the day when they are back", async () => {
    const { turn, other, id } = await pair();
    const day = (later: number): string => new Date(Date.now() + later * 86_400_000).toISOString().slice(0, 10);
    await call(turn.token, "POST", "/v1/account/vacations", { first_day: day(2), last_day: day(4), time_zone: "UTC" });
    const { page, problems } = await logIn(browser, other.username, { timezoneId: "UTC" });
    // A vacation begins an hour after it was announced at the earliest: the test does not wait for that.
    let asked = 0;
    await page.route(/\/v1\/profiles\?/, async (route) => {
      asked++;
      const response = await route.fetch();
      const body = (await response.json()) as { items: { username: string; on_vacation_until?: string }[] };
      for (const item of body.items) if (item.username === turn.username) item.on_vacation_until = "2031-03-14";
      await route.fulfill({ response, json: body });
    });
    await page.goto(`${origin}/match/${id}`);
    await page.getByRole("listitem", { name: new RegExp(`^${turn.username}, .*On vacation, back on 15 Mar(ch)? 2031`) }).waitFor();
    await page.getByText("On vacation, back on 15 Mar 2031").filter({ visible: true }).waitFor();
    expect(asked).toBe(1);
    // While no clock is stopped, no profile is requested.
    const plain = await pair();
    await page.unrouteAll();
    const mine = await logIn(browser, plain.other.username);
    mine.page.on("request", (request) => { if (request.url().includes("/v1/profiles?")) asked++; });
    await mine.page.goto(`${origin}/match/${plain.id}`);
    await mine.page.getByRole("button", { name: "Plan my turn" }).waitFor();
    await mine.page.waitForLoadState("networkidle", { timeout: 3000 }).catch(() => undefined);
    expect(asked).toBe(1);
    expect([...problems, ...mine.problems]).toEqual([]);
  });

  it("a clock that stands never shows as no time left", async () => {
    const { turn, id } = await pair();
    const now = new Date();
    const at = (hours: number): string => `${String((now.getUTCHours() + 24 + hours) % 24).padStart(2, "0")}:00`;
    await call(turn.token, "PUT", "/v1/account/quiet-hours", { from_time: at(-1), to_time: at(5), time_zone: "UTC" });
    // Quiet hours count from the next turn on: one turn each.
    const { seats } = await get(turn.token, id);
    const other = seats.find((seat) => seat.username !== turn.username)?.username ?? "";
    await playFirst(turn.token, id);
    const his = await openMatch(browser, other, id);
    await stage(his.page);
    await his.page.getByTestId("send").tap();
    await settled(his.page);
    const { page } = await openMatch(browser, turn.username, id);
    await page.locator(".state b").getByText("Your turn").waitFor();
    const state = await page.locator(".state").innerText();
    expect(state).toMatch(/stands|left/);
    expect(state).not.toMatch(/\b0 (seconds|min)\b/);
  });
});

describe("what was played", () => {
  it("the analysis says what each decision cost", async () => {
    const { username, token } = await account("ada");
    const id = await playOut(token, { rules: { preset: "yaniv", max_rounds: 1 } });
    const { page, problems } = await logIn(browser, username);
    await page.goto(`${origin}/match/${id}/replay/1`);
    await page.getByRole("button", { name: "Analyse this round" }).tap();
    await page.getByText("Estimates of a bot").waitFor();
    const last = Number(await page.getByRole("slider").getAttribute("max"));
    let judged = 0;
    for (let i = 0; i < last; i++) {
      await page.getByRole("button", { name: "One step on" }).or(page.locator(".buttons .btn").last()).first().tap();
      if (await page.locator(".judged").isVisible()) judged++;
    }
    expect(judged).toBeGreaterThan(0);
    // A round without a mistake has none.
    const decisive = page.locator(".decisive button").first();
    if (await decisive.isVisible()) {
      await decisive.tap();
      await page.locator(".judged").getByText(/ ± .* worse than the best move/).waitFor();
    }
    expect(problems).toEqual([]);
  });

  it("the history is filtered, and the address keeps the filter", async () => {
    const { username, token } = await account("ada");
    await playOut(token, { rules: { preset: "jhyap", max_rounds: 1 } });
    const bob = await account("bob");
    const made = await call<{ match_id: string; join_code: string }>(token, "POST", "/v1/matches", { size: 2, rules: { preset: "speedy" } });
    await call(bob.token, "POST", `/v1/join-codes/${made.join_code}/seats`, {});
    await call(token, "POST", `/v1/matches/${made.match_id}/start`);
    const { page, problems } = await logIn(browser, username);
    await page.goto(`${origin}/history`);
    const lines = page.locator("ul.panel li");
    await expect.poll(() => lines.count()).toBe(2);
    await page.getByText("More filters").tap();
    await page.getByLabel("Rules").selectOption("custom");
    await expect.poll(() => lines.count()).toBe(1);
    await page.reload();
    await page.getByText("More filters (1)").waitFor();
    await expect.poll(() => lines.count()).toBe(1);
    await page.getByLabel("Against").selectOption("false");
    await page.getByText("No matches here yet.").waitFor();
    await page.getByRole("button", { name: "Clear all filters" }).tap();
    await expect.poll(() => lines.count()).toBe(2);
    await page.getByLabel("With (name)").fill(bob.username);
    await page.getByLabel("With (name)").press("Enter");
    await expect.poll(() => lines.count()).toBe(1);
    await page.getByLabel("State").selectOption("finished");
    await page.getByText("No matches here yet.").waitFor();
    await page.getByLabel("State").selectOption("");
    await page.getByLabel("To", { exact: true }).fill("2020-01-01");
    await page.getByText("No matches here yet.").waitFor();
    await page.getByRole("button", { name: "Clear all filters" }).tap();
    await page.getByLabel("From").fill(new Date(Date.now() - 86_400_000).toISOString().slice(0, 10));
    await expect.poll(() => lines.count()).toBe(2);
    expect(problems).toEqual([]);
  });
});

describe("files to keep", () => {
  const saved = async (page: Page, button: string): Promise<{ name: string; text: string }> => {
    const file = page.waitForEvent("download");
    await page.getByRole("button", { name: button, exact: true }).tap();
    const download = await file;
    return { name: download.suggestedFilename(), text: await readFile(await download.path(), "utf8") };
  };
  it("the record of a match, as JSON and as text", async () => {
    const { username, token } = await account("ada");
    const id = await playOut(token, { rules: { preset: "yaniv", max_rounds: 1 } });
    const { page, problems } = await logIn(browser, username);
    await page.goto(`${origin}/match/${id}`);
    const json = await saved(page, "Download");
    expect(json.name).toBe(`yaniv-${id}.json`);
    expect((JSON.parse(json.text) as { format: string }).format).toBe("yaniv-record/1");
    const text = await saved(page, "As text");
    expect(text.name).toBe(`yaniv-${id}.txt`);
    expect(text.text).toMatch(/^yaniv-text\/1/);
    expect(problems).toEqual([]);
  });
  it("everything of the account; what breaks off is no file", async () => {
    const { username, token } = await account("ada");
    const id = await playOut(token, { rules: { preset: "yaniv", max_rounds: 1 } });
    const { page, problems } = await logIn(browser, username);
    await page.goto(`${origin}/settings/account`);
    const { name, text } = await saved(page, "Download");
    expect(name).toBe("yaniv-export.json");
    const whole = JSON.parse(text) as { format: string; account: { username: string }; matches: { match: { match_id: string } }[] };
    expect(whole.format).toBe("yaniv-export/1");
    expect(whole.account.username).toBe(username);
    expect(whole.matches.map((one) => one.match.match_id)).toEqual([id]);
    await page.route("**/v1/account/export", (route) => route.abort("connectionreset"));
    await page.getByRole("button", { name: "Download", exact: true }).tap();
    await page.getByRole("alert").waitFor();
    expect(problems).toEqual([]);
  });
});

describe("installing", () => {
  it("is offered in the settings where the browser offers it, once; on iOS a text says how", async () => {
    const ada = await account("ada");
    const { page, problems } = await logIn(browser, ada.username);
    await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "More" }).tap();
    await page.getByRole("link", { name: "Account" }).waitFor();
    const row = page.getByRole("button", { name: "Install the app" });
    expect(await row.count()).toBe(0);
    const offered = await page.evaluate(() => {
      const offer = Object.assign(new Event("beforeinstallprompt", { cancelable: true }), { prompt: () => { document.body.dataset["prompted"] = "yes"; return Promise.resolve(); } });
      dispatchEvent(offer);
      return offer.defaultPrevented;
    });
    expect(offered).toBe(true);
    await row.tap();
    expect(await page.evaluate(() => document.body.dataset["prompted"])).toBe("yes");
    await row.waitFor({ state: "detached" });
    const phone = await logIn(browser, ada.username, { userAgent: "Mozilla/5.0 (iPhone; CPU iPhone OS 18_4 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.4 Mobile/15E148 Safari/604.1" });
    await phone.page.goto(`${origin}/more`);
    await phone.page.getByText("Share → Add to Home Screen").waitFor();
    expect([...problems, ...phone.problems]).toEqual([]);
  });
});

describe("live", () => {
  it("where streams do not get through, the long poll brings the news", async () => {
    const { turn, other, id } = await pair();
    const { page, context } = await logIn(browser, other.username);
    let polls = 0;
    page.on("request", (request) => { if (request.url().includes("wait=25")) polls++; });
    await context.route(/\/v1\/events\/stream/, (route) => route.abort());
    await page.goto(`${origin}/match/${id}`);
    await page.locator("[data-hand] button").first().waitFor();
    await expect.poll(() => polls).toBeGreaterThan(0);
    await playFirst(turn.token, id);
    await page.locator(".state b").getByText("Your turn").waitFor({ timeout: 20_000 });
  });

  it("a stream that is buffered by a proxy is given up as well", async () => {
    const { turn, other, id } = await pair();
    const { page, context } = await logIn(browser, other.username);
    let polls = 0;
    page.on("request", (request) => { if (request.url().includes("wait=25")) polls++; });
    await context.route(/\/v1\/events\/stream/, (route) => route.fulfill({ status: 200, contentType: "text/event-stream", body: "" }));
    await page.goto(`${origin}/match/${id}`);
    await page.locator("[data-hand] button").first().waitFor();
    await expect.poll(() => polls).toBeGreaterThan(0);
    await playFirst(turn.token, id);
    await page.locator(".state b").getByText("Your turn").waitFor({ timeout: 20_000 });
  });
});

describe("words and cards between players", () => {
  it("the dealer dedicates the turned-up card; the others read it", async () => {
    const { turn, other, id } = await pair();
    const match = await get(turn.token, id);
    const dealer = match.seats[match.table?.dealer ?? 0]?.username === turn.username ? turn : other;
    const reader = dealer === turn ? other : turn;
    const { page } = await openMatch(browser, dealer.username, id);
    await menu(page, "A few words");
    await page.getByRole("dialog").getByLabel("A few words").last().fill("<b>Good luck</b> & שלום");
    await page.getByRole("button", { name: "Write it down" }).tap();
    await page.getByText("<b>Good luck</b> & שלום").first().waitFor();
    const his = await openMatch(browser, reader.username, id);
    await his.page.getByText("<b>Good luck</b> & שלום").first().waitFor();
  });

  it("a card is asked for, and kept", async () => {
    const { turn, other, id } = await pair({ card_requests: true });
    // With card requests in the rules, a player who is not to act may ask for the turned-up card.
    const { page } = await openMatch(browser, other.username, id);
    await page.getByRole("button", { name: /^Ask for/ }).first().tap();
    await page.getByTestId("confirm").tap();
    const acting = await openMatch(browser, turn.username, id);
    await acting.page.getByText(/asks for/).first().waitFor();
    await acting.page.getByRole("button", { name: "Keep", exact: true }).tap();
    await acting.page.getByTestId("confirm").tap();
    await settled(acting.page);
    await acting.page.locator(".state b").getByText("Your turn").waitFor();
  });
});

describe("moderation", () => {
  it("a player is reported from the profile", async () => {
    const [ada, bob] = [await account("ada"), await account("bob")];
    const mine = await logIn(browser, ada.username);
    await mine.page.goto(`${origin}/people/${bob.username}`);
    await mine.page.getByRole("button", { name: "Report" }).tap();
    await mine.page.getByLabel("Why").selectOption("cheating");
    await mine.page.getByLabel("What a moderator should know").fill("  In every   match. ");
    await mine.page.getByRole("button", { name: "Send the report" }).tap();
    await mine.page.getByText("Thank you. A moderator will look at it.").waitFor();
    const { items } = await call<{ items: { username: string; reason: string; comment: string }[] }>(ada.token, "GET", "/v1/reports");
    expect(items.map((one) => [one.username, one.reason, one.comment])).toEqual([[bob.username, "cheating", "In every match."]]);
    expect(mine.problems).toEqual([]);
  });

  it("what a player did in a round is reported from its replay", async () => {
    const { turn, other, id } = await pair();
    const { table, seats } = await get(turn.token, id);
    const [dealer, reader] = seats[table?.dealer ?? 0]?.username === turn.username ? [turn, other] : [other, turn];
    await call(dealer.token, "POST", `/v1/matches/${id}/dedications`, { text: "for nobody" });
    const { page, problems } = await logIn(browser, reader.username);
    for (const reason of ["offensive_text", "collusion"]) {
      await page.goto(`${origin}/match/${id}/replay/1`);
      await unfold(page, "Report");
      await page.locator("details").getByRole("button", { name: dealer.username }).tap();
      await page.getByLabel("Why").selectOption(reason);
      await page.getByRole("button", { name: "Send the report" }).tap();
      await page.getByText("Thank you. A moderator will look at it.").waitFor();
    }
    const { items } = await call<{ items: { username: string; about: string; seen_text: string; match_id: string }[] }>(reader.token, "GET", "/v1/reports");
    expect(items.map((one) => [one.username, one.about, one.match_id]).sort()).toEqual([[dealer.username, "dedication", id], [dealer.username, "match", id]]);
    expect(problems).toEqual([]);
  });
});
