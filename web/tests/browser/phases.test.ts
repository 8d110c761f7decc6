// Every phase of a turn, played on the screen and seen by all at the table: what each reads, what is announced, and that
// the service took it. Buttons and texts are found by role and name, as assistive technology finds them.
// A sandbox with a seed deals the same cards each time: the seeds are chosen so that the phase comes.
import type { Browser, Locator, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { account, call, get, listen, logIn, openMatch, origin, pair, stage, start, stop, type Match } from "./support";

interface Person { username: string; token: string; page: Page; said: () => Promise<string[]>; problems: string[] }
interface LogEntry { type: string; seat?: number; call?: { outcome?: string; word?: string } }

let browser: Browser;
let ada: Person, bob: Person, cleo: Person;
beforeAll(async () => {
  browser = await start();
  [ada, bob, cleo] = await Promise.all(["ada", "bob", "cleo"].map(async (name) => {
    const { username, token } = await account(name);
    const { page, problems } = await logIn(browser, username);
    return { username, token, page, problems, said: await listen(page) };
  })) as [Person, Person, Person];
});
afterAll(async () => { await stop(browser); });

const off = { preset: "yaniv", call_limit_off: true };
/** A started match; seats are in the order of the people. */
async function table(people: Person[], rules: object, seed: number): Promise<string> {
  const [host, ...others] = people as [Person, ...Person[]];
  const made = await call<Match>(host.token, "POST", "/v1/matches", { size: people.length, rules, sandbox: true, sandbox_seed: seed.toString(16).padStart(64, "0") });
  for (const other of others) await call(other.token, "POST", `/v1/join-codes/${made.join_code}/seats`, {});
  await call(host.token, "POST", `/v1/matches/${made.match_id}/start`);
  return made.match_id;
}
/** All of them open the match. */
async function open(id: string, ...people: Person[]): Promise<void> {
  await Promise.all(people.map(async ({ page }) => {
    await page.goto(`${origin}/match/${id}`);
    await page.locator(".state").waitFor();
    await page.getByText("Loading the newest").waitFor({ state: "detached" });
  }));
}
/** Without the marks around names and after signs of cards, as it is read. */
const plain = (text: string | null): string => (text ?? "").replace(/[\u2066-\u2069\uFE0E]/g, "").replace(/\s+/g, " ").trim();
const reads = async (where: Locator, text: string | RegExp): Promise<void> => {
  const found = expect.poll(async () => plain(await where.first().textContent()));
  await (typeof text === "string" ? found.toBe(text) : found.toMatch(text));
};
/** A name, whatever marks are in it. */
const named = (name: string): RegExp => new RegExp(`^${[...name].map((char) => char.replace(/[.*+?^${}()|[\]\\]/, "\\$&")).join("[\u2066-\u2069\uFE0E]*")}[\u2066-\u2069\uFE0E]*$`);
const button = (page: Page | Locator, name: string | RegExp): Locator => page.getByRole("button", { name: typeof name === "string" ? named(name) : name });
const state = (one: Person, text: string | RegExp): Promise<void> => reads(one.page.getByRole("status").locator("b"), text);
const heard = async (one: Person, text: RegExp): Promise<void> => { await expect.poll(async () => (await one.said()).map(plain).filter((said) => text.test(said)), { message: String(text) }).not.toEqual([]); };
/** A button that asks first: the question is read, then answered with the same words. */
async function press({ page }: Person, name: string | RegExp, question: string | RegExp): Promise<void> {
  await button(page, name).tap();
  const sheet = page.getByRole("dialog");
  await reads(sheet.locator("p"), question);
  await button(sheet, name).tap();
  await sheet.waitFor({ state: "detached" });
}
const cards = ({ page }: Person): Promise<string[]> => page.locator("[data-hand] button").evaluateAll((all) => all.map((one) => (one as HTMLElement).dataset["card"] ?? ""));
const log = async (id: string): Promise<LogEntry[]> => (await call<{ items: LogEntry[] }>(ada.token, "GET", `/v1/matches/${id}/log`)).items.filter((entry) => !["joined", "started"].includes(entry.type));
const types = async (id: string): Promise<string[]> => (await log(id)).map((entry) => `${entry.seat ?? ""} ${entry.type}`);
const hand = async (one: Person, id: string): Promise<string[]> => (await get(one.token, id) as Match & { hand: { cards: string[] } }).hand.cards;
/** The result of a round: one line for each player, the caller's is marked. */
const rows = async ({ page }: Person): Promise<string[]> => (await page.locator("section.end ol").first().getByRole("listitem").allTextContents()).map(plain);
const over = async (one: Person, heading: string | RegExp): Promise<void> => { await reads(one.page.getByRole("heading", { level: 2 }), heading); };
const fine = (): void => { expect([...ada.problems, ...bob.problems, ...cleo.problems]).toEqual([]); };

describe("the limit for a call", () => {
  it("stands beside the sum of the hand, also while another player is to act; not where there is none", async () => {
    const { turn, other, id } = await pair({ call_limit: 7 });
    for (const { username } of [turn, other]) {
      const { page, context } = await openMatch(browser, username, id);
      await page.locator(".sum").getByText("Call at 7 or less").waitFor();
      await context.close();
    }
    const free = await pair({ call_limit_off: true });
    const { page } = await openMatch(browser, free.turn.username, free.id);
    await page.locator(".sum").getByText(/^Hand \d+$/).waitFor();
    expect(await page.getByText(/^Call at/).count()).toBe(0);
  });
});

describe("a call", () => {
  it("that is right: all hands, and on to the next round", async () => {
    // Ada 19, Bob 28.
    const id = await table([ada, bob], off, 0);
    await open(id, ada, bob);
    await state(ada, "Your turn");
    await state(bob, `${ada.username}'s turn`);
    expect(await button(bob.page, /^Call/).count()).toBe(0);
    await press(ada, "Call Yaniv · 19", "If anybody has 19 or fewer, you score 49.");
    await over(ada, "You called Yaniv with 19: right.");
    await over(bob, `${ada.username} called Yaniv with 19: right.`);
    await heard(ada, /^Sent\. You called Yaniv with 19: right\./);
    await heard(bob, new RegExp(`${ada.username}: “Yaniv!” ${ada.username} called Yaniv with 19: right\\.`));
    for (const [one, other, mine] of [[ada, bob, 0], [bob, ada, 1]] as const) {
      const lines = await rows(one);
      expect(lines[0]).toMatch(mine === 0 ? /^You ?called.*19 points ?\+0 ?0$/ : new RegExp(`^${other.username} ?called.*19 points ?\\+0 ?0$`));
      expect(lines[1]).toMatch(mine === 1 ? /^You.*28 points ?\+28 ?28$/ : new RegExp(`^${other.username}.*28 points ?\\+28 ?28$`));
    }
    await reads(ada.page.getByText(/starts round 2/), `${ada.username} starts round 2.`);
    // A button that appeared takes no press for a moment.
    await expect.poll(async () => { await button(ada.page, "On to round 2").tap({ timeout: 2000 }).catch(() => undefined); return ada.page.locator("[data-hand] button").count(); }).toBe(5);
    await state(ada, "Your turn");
    expect(await types(id)).toEqual(["0 call"]);
    expect((await get(ada.token, id)).scores).toMatchObject([{ scores: [0, 28], caller: 0 }]);
    fine();
  });

  it("that is wrong: Asaf, and a total that is hit exactly is replaced", async () => {
    // Ada 40, Bob 33.
    const id = await table([ada, bob], { ...off, reductions: [{ at: 70, to: 35 }] }, 6);
    await open(id, ada, bob);
    await press(ada, "Call Yaniv · 40", "If anybody has 40 or fewer, you score 70.");
    await over(ada, "You called Yaniv with 40: Asaf!");
    await over(bob, `${ada.username} called Yaniv with 40: Asaf!`);
    await reads(ada.page.locator(".by"), `Defeated by ${bob.username} (33).`);
    await reads(bob.page.locator(".by"), "You had 33.");
    await heard(bob, /called Yaniv with 40: Asaf! You had 33\./);
    const [first, second] = await rows(ada);
    expect(first).toMatch(/33 points ?\+33 ?33$/);
    expect(second).toMatch(/^You ?called.*40 points ?\+70 ?35 ?Hit exactly: the total is now 35\.$/);
    await expect.poll(async () => { await button(ada.page, "On to round 2").tap({ timeout: 2000 }).catch(() => undefined); return ada.page.locator("[data-hand] button").count(); }).toBe(5);
    await reads(ada.page.locator(".sum .own"), "total 35");
    expect((await get(ada.token, id)).scores).toMatchObject([{ scores: [70, 33], totals: [35, 33] }]);
    fine();
  });

  it("with the wrong word costs what the rules say", async () => {
    const id = await table([ada, bob], { ...off, call_words: ["yan", "yaniv"], word_penalty: 30 }, 0);
    await open(id, ada, bob);
    await button(ada.page, "Call Yan · 19").tap();
    const sheet = ada.page.getByRole("dialog");
    await sheet.getByText("30 points for every word but Yan.").waitFor();
    // By the keyboard: the sheet may still be on its way up.
    await sheet.getByRole("radio", { name: "Yaniv", exact: true }).press("Space");
    await sheet.getByRole("radio", { name: "Yaniv", exact: true, checked: true }).waitFor();
    await button(sheet, "Call Yaniv · 19").tap();
    await over(bob, `${ada.username} called Yan with 19: right.`);
    expect((await rows(bob))[0]).toMatch(/\+30 ?30 ?30 points for every word but Yan\.$/);
    expect((await log(id))[0]).toMatchObject({ type: "call", call: { word: "yaniv" } });
    fine();
  });

  it("gives each of the others one more turn, where the rules say so", async () => {
    const id = await table([ada, bob], { ...off, response: "final_turn" }, 0);
    await open(id, ada, bob);
    await press(ada, "Call Yaniv · 19", "If anybody has 19 or fewer, you score 49. After a call each of the others has one more turn.");
    await state(bob, `${ada.username} has called Yaniv. Your last turn.`);
    await heard(bob, /Your last turn\.$/);
    await state(ada, `${bob.username}'s turn`);
    expect(await button(bob.page, /^Call/).count()).toBe(0);
    await stage(bob.page);
    await bob.page.getByTestId("send").tap();
    await over(bob, new RegExp(`^${ada.username} called Yaniv with 19: `));
    await over(ada, /^You called Yaniv with 19: /);
    expect(await types(id)).toEqual(["0 call", "1 play"]);
    fine();
  });
});

describe("a call above the limit", () => {
  const limit = (rule: string): object => ({ preset: "yaniv", call_limit: 0, over_limit: rule });
  const says = "Your hand has 19 points, the limit is 0. Calling Yaniv above the limit";

  it("counts as wrong", async () => {
    const id = await table([ada, bob], limit("penalty"), 0);
    await open(id, ada, bob);
    await press(ada, "Call Yaniv · 19", `${says} counts as a wrong call.`);
    // No hand was lower: the call was wrong by the rule alone.
    await over(ada, "You called Yaniv with 19: not allowed.");
    await over(bob, `${ada.username} called Yaniv with 19: not allowed.`);
    expect((await rows(ada))[0]).toMatch(/\+49 ?49$/);
    fine();
  });

  it.each([["draw_three", "draw three cards and play on", 8], ["ignore", "nothing happens, play on", 5]] as const)("%s: the caller plays on, and cannot call again", async (rule, text, count) => {
    const id = await table([ada, bob], limit(rule), 0);
    await open(id, ada, bob);
    await press(ada, "Call Yaniv · 19", `${says}: ${text}.`);
    await state(ada, "You must play now");
    await heard(ada, /You must play now\.$/);
    await expect.poll(() => cards(ada)).toHaveLength(count);
    expect((await cards(ada)).sort()).toEqual((await hand(ada, id)).sort());
    expect(await button(ada.page, /^Call/).count()).toBe(0);
    await reads(bob.page.getByRole("group", { name: "Since your last turn" }).getByRole("listitem"), rule === "ignore" ? `${ada.username}: “Yaniv!” Above the limit.` : `${ada.username}: “Yaniv!” Above the limit: three more cards.`);
    await stage(ada.page);
    await ada.page.getByTestId("send").tap();
    await state(bob, "Your turn");
    expect(await types(id)).toEqual(["0 call", "0 play"]);
    fine();
  });

  it("puts the caller out of the match", async () => {
    const id = await table([ada, bob, cleo], limit("eliminate"), 0);
    await open(id, ada, bob);
    await press(ada, "Call Yaniv · 22", "Your hand has 22 points, the limit is 0. Calling Yaniv above the limit: out of the match.");
    await state(ada, "You are out");
    await heard(ada, /You are out\.$/);
    expect(await ada.page.locator("[data-hand] button").count()).toBe(0);
    await state(bob, "Your turn");
    await bob.page.getByRole("listitem", { name: new RegExp(`^${ada.username}, out, total 0$`) }).waitFor();
    await heard(bob, /: “Yaniv!” Above the limit: out\./);
    expect((await log(id))[0]?.call?.outcome).toBe("eliminated");
    fine();
  });

  it("offers the hand: one stays, one swaps, and the caller must play", async () => {
    const id = await table([ada, bob, cleo], limit("swap"), 0);
    const [hers, theirs] = [await hand(ada, id), await hand(cleo, id)];
    await open(id, ada, bob, cleo);
    await press(ada, "Call Yaniv · 22", "Your hand has 22 points, the limit is 0. Calling Yaniv above the limit: the others may swap hands with the caller.");
    await state(ada, "Waiting for 2 players");
    for (const one of [bob, cleo]) { await state(one, `${ada.username} offers the whole hand for yours`); await heard(one, /offers the whole hand for yours\.$/); }
    await press(bob, "Keep mine", "You keep your hand.");
    await state(bob, `${cleo.username}'s turn`);
    await press(cleo, "Swap", `Your whole hand goes to ${ada.username}, and theirs to you.`);
    await state(ada, "You must play now");
    await heard(ada, /: swapped hands\. You must play now\.$/);
    await expect.poll(async () => (await cards(ada)).sort()).toEqual(theirs.sort());
    await expect.poll(async () => (await cards(cleo)).sort()).toEqual(hers.sort());
    expect(await types(id)).toEqual(["0 call", "1 stay", "2 swap"]);
    await stage(ada.page);
    await ada.page.getByTestId("send").tap();
    await state(bob, "Your turn");
    fine();
  });
});

describe("a call that may be challenged", () => {
  const kluft = { preset: "kluft", call_limit_off: true };

  it("one exposes, and all see the hand; one challenges in vain", async () => {
    const id = await table([ada, bob, cleo], kluft, 0);
    const points = async (one: Person): Promise<number> => (await get(one.token, id) as Match & { hand: { points: number } }).hand.points;
    const [her, cleos] = [await points(ada), await points(cleo)];
    expect(her).toBeLessThan(cleos);
    await open(id, ada, bob, cleo);
    await press(ada, `Call Kluft · ${her}`, `Each of the others may challenge you. If one has fewer than ${her} points, or called first with as many, you score ${her + 15}.`);
    await state(ada, "Waiting for 2 players");
    for (const one of [bob, cleo]) { await state(one, `${ada.username} has called Kluft: expose or challenge?`); await heard(one, /expose or challenge\?$/); }
    await press(bob, "Expose", "Your hand is shown to all. You score your points.");
    await state(bob, `${cleo.username}'s turn`);
    await bob.page.getByRole("listitem", { name: new RegExp(`^${ada.username}, 5 cards, total 0, called$`) }).waitFor();
    // The round ends with the answers: nothing can be planned.
    expect(await button(bob.page, "Plan my turn").count()).toBe(0);
    // Cleo and Ada see Bob's cards.
    for (const one of [ada, cleo]) {
      const his = one.page.getByRole("listitem", { name: new RegExp(`^${bob.username}, `) });
      await expect.poll(async () => plain(await his.textContent()).match(/ of (clubs|diamonds|hearts|spades)|joker/g)).toHaveLength(5);
      await reads(one.page.getByRole("group", { name: "Since your last turn" }).getByRole("listitem").last(), `${bob.username}: exposed`);
    }
    await state(cleo, `${ada.username} has called Kluft: expose or challenge?`);
    await press(cleo, "Challenge", `You have ${cleos} points. If you are not the lowest, you score ${cleos + 15}.`);
    await over(ada, `You called Kluft with ${her}: right.`);
    await over(cleo, `${ada.username} called Kluft with ${her}: right.`);
    expect((await rows(cleo)).at(-1)).toMatch(new RegExp(`^You.*${cleos} points ?\\+${cleos + 15} ?${cleos + 15}$`));
    await heard(bob, /: challenge\. /);
    expect(await types(id)).toEqual(["0 call", "1 expose", "2 challenge"]);
    fine();
  });

  it("a challenger who has less wins", async () => {
    // Cleo starts with 40, Ada has 37, Bob 23.
    const id = await table([ada, bob, cleo], kluft, 1);
    await open(id, ada, bob, cleo);
    await button(cleo.page, "Call Kluft · 40").tap();
    await cleo.page.getByTestId("call-now").tap();
    await press(bob, "Challenge", "You have 23 points. If you are not the lowest, you score 38.");
    await state(bob, `${ada.username}'s turn`);
    await press(ada, "Expose", "Your hand is shown to all. You score your points.");
    await over(cleo, "You called Kluft with 40: beaten.");
    await over(bob, `${cleo.username} called Kluft with 40: beaten.`);
    await reads(cleo.page.locator(".by"), `Defeated by ${bob.username} (23).`);
    const [winner, , caller] = await rows(bob);
    expect(winner).toMatch(/^You.*23 points ?\+0 ?0$/);
    expect(caller).toMatch(/called.*40 points ?\+55 ?55$/);
    await heard(cleo, /: challenge\. /);
    expect(await types(id)).toEqual(["2 call", "1 challenge", "0 expose"]);
    fine();
  });
});

describe("a card that is asked for", () => {
  it("is given: it is in the asker's hand, and the turn goes on", async () => {
    const id = await table([ada, bob, cleo], { preset: "yaniv", card_requests: true }, 0);
    await open(id, ada, bob);
    await press(bob, /^Ask for .*10♣/, "If you get the ten of clubs, it goes to your hand. The player to act may keep it instead.");
    await state(ada, `${bob.username} asks for 10♣`);
    await heard(ada, /asks for ten of clubs/);
    expect(await ada.page.locator("[data-hand] button:enabled").count()).toBe(0);
    await press(ada, "Give", `The card goes to ${bob.username}.`);
    await state(ada, "Your turn");
    await expect.poll(() => cards(bob)).toContain("TC");
    await heard(bob, /: gave the card/);
    expect(await hand(bob, id)).toHaveLength(6);
    // It lies there no more.
    expect(await ada.page.locator("[data-draw=TC]").count()).toBe(0);
    await stage(ada.page);
    await ada.page.getByTestId("send").tap();
    await state(bob, "Your turn");
    expect(await types(id)).toEqual(["1 ask", "0 give", "0 play"]);
    fine();
  });
});

describe("a slam-down", () => {
  const rules = { preset: "yaniv", decks: 4, suits: 2, hand_size: 7, slam_down: "any" };
  /** Bob throws a run and draws a card that fits it. */
  async function run(seed: number, person: Person, chip: RegExp): Promise<string> {
    const id = await table([ada, bob], rules, seed);
    await open(id, ada, bob);
    const all = button(person.page, /^All \d+$/);
    if (await all.isVisible()) await all.tap();
    await person.page.getByRole("group", { name: "Sets and runs" }).getByRole("button", { name: chip }).first().tap();
    await person.page.locator("[data-draw=stock]").tap();
    return id;
  }
  const pile = async (id: string): Promise<string[]> => (await get(ada.token, id)).table?.pile ?? [];

  it.each([["low", ["XR", "6S", "7S", "XB"]], ["high", ["6S", "7S", "XB", "XR"]]] as const)("of a joker at the %s end of the run", async (end, lies) => {
    const id = await run(25, bob, /^six of spades seven of spades joker, black/);
    await bob.page.getByTestId("send").tap();
    const name = (where: string): RegExp => new RegExp(`^Slam .+ at the ${where} end$`);
    for (const where of ["low", "high"]) await button(bob.page, name(where)).waitFor();
    await heard(bob, /^Sent\. You drew joker, red\. You may slam joker, red down until somebody acts\./);
    await button(bob.page, name(end)).tap();
    await button(bob.page, name(end)).waitFor({ state: "detached" });
    await expect.poll(() => pile(id)).toEqual(lies);
    expect(await types(id)).toEqual(["1 play", "1 slam"]);
    await expect.poll(async () => (await cards(bob)).includes("XR")).toBe(false);
    // Ada reads it, and may take either end.
    await heard(ada, new RegExp(`${bob.username}: slams joker, red down\\. Your turn\\.$`));
    await expect.poll(() => ada.page.locator("[data-draw]").evaluateAll((all) => all.map((one) => (one as HTMLElement).dataset["draw"]))).toEqual(["stock", lies[0], lies[3]]);
    fine();
  });

  it("is offered until somebody acts", async () => {
    const id = await run(36, ada, /^jack of spades queen of spades king of spades/);
    await ada.page.getByTestId("send").tap();
    const slam = button(ada.page, /^Slam .+ down$/);
    await slam.waitFor();
    await state(bob, "Your turn");
    await stage(bob.page);
    await bob.page.getByTestId("send").tap();
    await slam.waitFor({ state: "detached" });
    expect(await types(id)).toEqual(["0 play", "1 play"]);
    fine();
  });

  it("goes with the play, where it was ticked before", async () => {
    const id = await run(36, ada, /^jack of spades queen of spades king of spades/);
    await ada.page.getByRole("checkbox", { name: "Slam it down if it fits" }).check();
    await ada.page.getByTestId("send").tap();
    await state(bob, "Your turn");
    expect(await types(id)).toEqual(["0 play", "0 slam"]);
    await heard(ada, /^Sent\. You drew .+ and slammed it down\./);
    expect(await cards(ada)).toHaveLength(4);
    fine();
  });
});

describe("a hand without cards", () => {
  it("passes while a call is too early", async () => {
    const id = await table([ada, bob], { preset: "yaniv", decks: 4, suits: 2, hand_size: 3, slam_down: "any", min_turns: 5 }, 15);
    let acting = ada;
    for (let turn = 0; turn < 9; turn++) {
      const seen = await get(ada.token, id);
      acting = seen.table?.to_act[0] === 0 ? ada : bob;
      const { legal, version } = await get(acting.token, id);
      const discards = legal?.discards ?? [];
      if (discards.length === 0) break;
      await call(acting.token, "POST", `/v1/matches/${id}/plays`, { expected_version: version, cards: discards.reduce((a, b) => (b.length > a.length ? b : a)), draw_from: "stock", slam_down: "if_fits" });
    }
    const waiting = acting === ada ? bob : ada;
    await open(id, ada, bob);
    await state(acting, "Your turn");
    await acting.page.getByRole("group", { name: "Your hand, 0 cards, 0 points" }).waitFor();
    expect(await button(acting.page, /^Call/).count()).toBe(0);
    await acting.page.getByText("You have no cards, and may not call yet.").waitFor();
    await button(acting.page, "Pass").tap();
    await state(waiting, "Your turn");
    await heard(waiting, new RegExp(`^${acting.username}: passed\\. Your turn\\.$`));
    await state(acting, `${waiting.username}'s turn`);
    expect((await types(id)).at(-1)).toMatch(/ pass$/);
    fine();
  });
});

describe("a player who has resigned", () => {
  it("sees the match go on: who is to play, the scores, and the rounds that end", async () => {
    const id = await table([ada, bob, cleo], off, 5);
    // Bob, who starts, calls: the second round is Cleo's.
    await call(bob.token, "POST", `/v1/matches/${id}/calls`, { expected_version: (await get(bob.token, id)).version });
    await open(id, ada);
    await button(ada.page, "Menu").tap();
    await button(ada.page.getByRole("dialog"), "Resign").tap();
    await ada.page.getByTestId("confirm").tap();
    await reads(ada.page.getByRole("status"), `You are out${cleo.username}'s turn`);
    expect(await ada.page.locator("[data-hand] button").count()).toBe(0);
    const scores = ada.page.getByRole("group", { name: "Scores" }).getByRole("row");
    const cells = async (row: number): Promise<string[]> => (await scores.nth(row).getByRole("cell").allTextContents()).map(plain);
    expect(await cells(1)).toEqual(["30 30", "68 68", "29 29"]);
    expect(await cells(2)).toEqual(["30", "68", "29"]);
    await call(cleo.token, "POST", `/v1/matches/${id}/calls`, { expected_version: (await get(cleo.token, id)).version });
    await over(ada, new RegExp(`^${cleo.username} called Yaniv with \\d+: `));
    expect(await rows(ada)).toHaveLength(2);
    await expect.poll(async () => { await button(ada.page, "On to round 3").tap({ timeout: 2000 }).catch(() => undefined); return scores.count(); }).toBe(4);
    expect((await cells(2))[0]).toBe("–");
    fine();
  });
});
