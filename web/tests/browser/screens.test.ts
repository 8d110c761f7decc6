// Every screen, and every sheet and folded part of one: axe finds nothing in light, dark, Hebrew and at 200 % text, and
// nothing is too wide; pictures for looking at (SCREENS=1).
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { index, picture, wanted } from "./pictures";
import { account, act, api, call, checksAll, device, get, logIn, origin, out, start, stop, type Match, type Seated } from "./support";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
let browser: Browser;
beforeAll(async () => { browser = await start(); });
afterAll(async () => { await stop(browser); });

const wait = (ms: number): Promise<void> => new Promise((resolve) => { setTimeout(resolve, ms); });

interface World { ada: Seated; ben: Seated; chloe: Seated; turn: string; call: string; waiting: string; over: string; room: string; code: string; challenge: string; answer: string; dealer: string }
let world: World;
/** The service has an OpenID provider. */
let provider = false;
let passkeys = false;

async function named(name: string): Promise<Seated> {
  const made = await account(name.toLowerCase());
  // Names of people are unique: a second run has to take another.
  for (const wish of [name, `${name} ${String.fromCharCode(65 + (Date.now() % 26))}.`, `${name} ${Date.now() % 1000}`]) {
    if (await call(made.token, "PATCH", "/v1/account", { display_name: wish }).then(() => true, () => false)) break;
  }
  return made;
}
/** A started match of people. */
async function table(people: Seated[], body: object = {}): Promise<string> {
  const [host, ...others] = people as [Seated, ...Seated[]];
  const made = await call<Match>(host.token, "POST", "/v1/matches", { size: people.length, rules: { preset: "yaniv" }, ...body });
  for (const other of others) await call(other.token, "POST", `/v1/join-codes/${made.join_code}/seats`, {});
  await call(host.token, "POST", `/v1/matches/${made.match_id}/start`);
  return made.match_id;
}
/** All play through the API, with or without calls, until it is enough, as the first of them sees it. */
async function drive(people: Seated[], id: string, enough: (match: Match) => boolean, calls = true): Promise<void> {
  for (let i = 0; i < 900; i++) {
    const seen = await get(people[0]?.token ?? "", id);
    if (enough(seen) || seen.status === "finished") return;
    const acting = people.find((one) => one.username === seen.seats[seen.table?.to_act[0] ?? 0]?.username);
    if (acting) await act(acting.token, await get(acting.token, id), calls);
  }
}

beforeAll(async () => {
  const [ada, ben, chloe, dana] = [await named("Ada"), await named("Ben"), await named("Chloe"), await named("Dana")];
  const us = [ada, ben, chloe];
  const over = await table(us, { rules: { preset: "yaniv", max_rounds: 5 } });
  await drive(us, over, () => false);
  for (let i = 0; i < 5; i++) await drive([ada, ben], await table([ada, ben], { rules: { preset: "yaniv", max_rounds: 2 } }), () => false);
  for (const [loser, winner] of [[ben, ada], [ada, ben], [chloe, ada], [dana, ada]] as const) {
    const id = await table([winner, loser], { rated: true });
    await call(loser.token, "POST", `/v1/matches/${id}/resignations`, { expected_version: (await get(loser.token, id)).version });
  }
  const turn = await table(us);
  // A meld that leaves a card in the hand.
  const meld = (match: Match): boolean => {
    const melds = match.your_turn === true ? (match.legal?.discards ?? []).filter((cards) => cards.length > 1) : [];
    return melds.length > 0 && melds.every((cards) => cards.length < (match.hand?.cards.length ?? 0));
  };
  // Everybody has played: there is something to tell.
  await drive(us, turn, (match) => (match.scores?.length ?? 0) > 1 && match.seats.every((seat) => (seat.turns ?? 0) > 0) && meld(match));
  const callable = await table([ada, dana]);
  await drive([ada, dana], callable, (match) => match.your_turn === true && match.legal?.call === true, false);
  const waiting = await table([ada, ben], { rules: { preset: "dhumbal" } });
  await drive([ada, ben], waiting, (match) => match.your_turn !== true && match.version > 8);
  const room = await call<Match>(ada.token, "POST", "/v1/matches", { rules: { preset: "kluft" }, size: 4 });
  await call(chloe.token, "POST", `/v1/join-codes/${room.join_code}/seats`, {});
  for (const friend of [ben, chloe]) {
    await call(ada.token, "PUT", `/v1/friends/${friend.username}`);
    await call(friend.token, "PUT", `/v1/friends/${ada.username}`);
  }
  await call(dana.token, "PUT", `/v1/friends/${ada.username}`);
  const challenge = await call<{ challenge_id: string }>(chloe.token, "POST", "/v1/challenges", { opponents: [ada.username], rules: { preset: "speedy" } });
  await call(ada.token, "POST", "/v1/tokens", { name: "my bot", scopes: ["read", "play"], expires_in_days: 90 });
  // A match where Ada has to answer a call of Ben, and one before the first turn where Ada is the dealer.
  const answer = await table([ada, ben], { rules: { preset: "kluft" } });
  for (let i = 0, answers = false; i < 900 && !answers; i++) {
    const seen = await get(ada.token, answer);
    answers = seen.legal?.answer_call === true;
    if (!answers) await (seen.your_turn ? act(ada.token, seen, false) : act(ben.token, await get(ben.token, answer)));
  }
  let dealer = "";
  for (let i = 0; i < 30 && !dealer; i++) {
    const id = await table([ada, ben], { seat_order: "random" });
    const seen = await get(ada.token, id);
    if (seen.seats[seen.table?.dealer ?? -1]?.username === ada.username) dealer = id;
    else await call(ben.token, "POST", `/v1/matches/${id}/resignations`, { expected_version: seen.version });
  }
  const eve = await named("Eve");
  await call(ada.token, "PUT", `/v1/blocks/${eve.username}`);
  await call(chloe.token, "POST", "/v1/matches", { rules: { preset: "yaniv" }, size: 3, visibility: "public" });
  const facts = await (await fetch(`${api}/v1/server`)).json() as { passkeys: boolean };
  provider = "oidc_provider" in facts;
  passkeys = facts.passkeys;
  // Where the service sends e-mail.
  await call(ada.token, "POST", "/v1/email-channels", { email: `${ada.username}@example.org`, current_password: "a long enough secret" }).catch(() => undefined);
  world = { ada, ben, chloe, turn, call: callable, waiting, over, room: room.match_id, code: room.join_code, challenge: challenge.challenge_id, answer, dealer };
}, 240_000);

interface Screen { name: string; path: string; before?: (page: Page) => Promise<void> }
const press = (test: string) => async (page: Page): Promise<void> => { await page.getByTestId(test).click(); await page.locator("dialog").waitFor(); };
const menu = (nth: number) => async (page: Page): Promise<void> => { await page.locator(".bar button.icon").click(); await page.locator("dialog li").nth(nth).locator("button, a").click(); await wait(150); };
const stageMeld = async (page: Page): Promise<void> => {
  await page.locator(".melds .chip").first().click();
  await page.locator("[data-draw]").last().click();
};
const screens = (): Screen[] => [
  { name: "home", path: "/" }, { name: "turn", path: `/match/${world.turn}` }, { name: "staged", path: `/match/${world.turn}`, before: stageMeld },
  { name: "rules", path: `/match/${world.turn}`, before: menu(1) }, { name: "scores", path: `/match/${world.turn}`, before: menu(0) },
  { name: "call", path: `/match/${world.call}`, before: press("call") },
  { name: "waiting", path: `/match/${world.waiting}` }, { name: "plan", path: `/match/${world.waiting}`, before: async (page) => { await page.locator(".quietrow .btn").first().click(); await page.locator("dialog .cards button").last().click(); } },
  { name: "room", path: `/match/${world.room}` }, { name: "over", path: `/match/${world.over}` },
  { name: "replay", path: `/match/${world.over}/replay/1`, before: async (page) => { for (let i = 0; i < 3; i++) await page.locator(".buttons .btn").last().click(); await page.locator(".replay > .btn").click(); await page.locator(".judged").waitFor(); } },
  { name: "new", path: "/new" }, { name: "find", path: "/find" }, { name: "challenge", path: `/challenge/${world.challenge}` }, { name: "people", path: "/people" },
  { name: "profile", path: `/people/${world.ben.username}` }, { name: "history", path: "/history" }, { name: "statistics", path: `/statistics/${world.ada.username}` },
  { name: "ratings", path: "/ratings" }, { name: "more", path: "/more" }, { name: "notices", path: "/settings/notices" }, { name: "time", path: "/settings/time" },
  { name: "account", path: "/settings/account" }, { name: "look", path: "/settings/look" }, { name: "apps", path: "/settings/apps" },
  { name: "authorize", path: `/oauth/authorize?${new URLSearchParams({ response_type: "code", client_id: "Table Watch", redirect_uri: "https://app.example/callback", scope: "read play", code_challenge: "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM", code_challenge_method: "S256" }).toString()}`, before: async (page) => { await page.locator("button.main:enabled").waitFor(); } },
  { name: "forgot", path: "/forgot-password" }, { name: "reset", path: "/reset-password" }, { name: "verify", path: "/verify-email" },
];

/** Sheets and folded parts, by the screen that they are part of. */
const click = (selector: string, nth = 0) => async (page: Page): Promise<void> => { await page.locator(selector).nth(nth).click(); await settle(page); };
const choose = (selector: string) => async (page: Page): Promise<void> => { await page.locator(selector).first().evaluate((one: HTMLElement) => { one.click(); }); await settle(page); };
const sheets = (): Screen[] => [
  { name: "recap", path: `/match/${world.turn}`, before: async (page) => { await page.locator("[data-recap]").click(); await page.locator(".recap-player p").waitFor(); await page.locator(".recap-player button:enabled").first().click(); } },
  { name: "menu", path: `/match/${world.turn}`, before: click(".bar button.icon") },
  { name: "log", path: `/match/${world.turn}`, before: menu(2) }, { name: "resign", path: `/match/${world.turn}`, before: menu(-1) },
  { name: "dedication", path: `/match/${world.dealer}`, before: menu(-2) },
  { name: "answer", path: `/match/${world.answer}` }, { name: "expose", path: `/match/${world.answer}`, before: click(".actions .btn") }, { name: "to-challenge", path: `/match/${world.answer}`, before: click(".actions .btn", 1) },
  { name: "qr", path: `/match/${world.room}`, before: click(".invite .btn") }, { name: "room-rules", path: `/match/${world.room}`, before: click(".facts .btn") }, { name: "remove", path: `/match/${world.room}`, before: click(".seats .out") },
  { name: "checked", path: `/match/${world.over}`, before: async (page) => { await page.locator(".plot summary").click(); await page.locator(".end > section:last-child .btn").last().click(); await page.locator(".end [role=status]").waitFor(); } },
  { name: "new-rules", path: "/new", before: click("fieldset .btn.quiet") }, { name: "new-friends", path: "/new", before: choose("input[value=friends]") }, { name: "new-computer", path: "/new", before: choose("input[value=computer]") },
  { name: "custom-time", path: "/new", before: async (page) => { await choose("input[value=custom]")(page); await page.locator("select").last().waitFor(); await page.evaluate(() => { scrollTo(0, document.documentElement.scrollHeight); }); } },
  { name: "options", path: "/new", before: click("details summary") },
  { name: "challenge-rules", path: `/challenge/${world.challenge}`, before: click("details summary") },
  { name: "filters", path: "/history", before: click("details summary") },
  { name: "quiet", path: "/settings/notices", before: async (page) => { await page.locator("section:last-of-type input[type=checkbox]").check({ force: true }); } }, { name: "quiet-hours", path: "/settings/time", before: choose("input[type=checkbox]") },
  { name: "transfer", path: "/settings/account", before: async (page) => { await page.locator("section:not(.passkeys) button.btn").first().click(); await page.locator("section .code").waitFor(); } },
  { name: "log-out", path: "/settings/account", before: click(".page > .btn") }, { name: "delete", path: "/settings/account", before: click(".page > .btn.danger") },
  ...(passkeys ? [{ name: "account-passkey", path: "/settings/account", before: async (page: Page) => { await page.locator(".passkeys button").last().click(); await page.locator(".passkeys form").waitFor(); } }] : []),
  ...(provider ? [{ name: "account-link", path: "/settings/account?link=1", before: async (page: Page) => { await page.locator("section form").waitFor(); } }, { name: "passwordless", path: "/settings/account", before: passwordless }] : []),
];
/** The answers are those for an account without a password, which needs a new log-in at the provider. */
async function passwordless(page: Page): Promise<void> {
  await page.route("**/v1/sessions/refresh", async (route) => {
    const response = await route.fetch();
    const body = await response.json() as { account: object };
    await route.fulfill({ response, json: { ...body, account: { ...body.account, passwordless: true, identity_linked: true } } });
  });
  await refuse(page, "**/v1/account/change-password", 403, "identity_required");
  await page.reload();
  await page.locator("section [role=status]:not(.wait)").waitFor();
  await page.locator("input[autocomplete=new-password]").fill("a long enough secret");
  await page.locator("form", { has: page.locator("input[autocomplete=new-password]") }).locator("button").click();
  await page.locator("[role=alert] .btn").waitFor();
  await page.unrouteAll();
}
const refuse = (page: Page, url: string, status: number, code: string): Promise<unknown> => page.route(url, (route) => route.fulfill({ status, contentType: "application/problem+json", json: { type: `urn:yaniv:problem:${code}`, title: "", status, code, detail: "" } }));

async function judge(page: Page, name: string): Promise<string[]> {
  await page.evaluate(axe);
  const result = await page.evaluate(async () => {
    const run = (window as unknown as { axe: { run(options: object): Promise<{ violations: { id: string; nodes: { html: string; failureSummary?: string }[] }[] }> } }).axe;
    return (await run.run({ resultTypes: ["violations"] })).violations.map((one) => `${one.id}: ${one.nodes.slice(0, 3).map((node) => `${node.html.slice(0, 160)} ${node.failureSummary?.slice(0, 220) ?? ""}`).join(" | ")}`);
  });
  return result.map((text) => `${name}: ${text}`);
}
const pending = new Map<Page, Set<unknown>>();
function watch(page: Page): void {
  const open = new Set<unknown>();
  pending.set(page, open);
  page.on("request", (request) => { if (!/\/stream|wait=25/.test(request.url())) open.add(request); });
  page.on("requestfinished", (request) => open.delete(request));
  page.on("requestfailed", (request) => open.delete(request));
  page.on("framenavigated", () => { open.clear(); });
}
/** Streams never end: what counts are the other requests. */
async function settle(page: Page): Promise<void> {
  for (let still = 0; still < 5; still = pending.get(page)?.size ? 0 : still + 1) await wait(80);
}
async function look(page: Page, variant: string, { name, path, before }: Screen, titles = new Map<string, string>()): Promise<string[]> {
  await page.goto(origin + path);
  await page.locator("main h1:visible, main h2:visible, main .state:visible").first().waitFor();
  await settle(page);
  await before?.(page);
  if (before) await wait(200);
  await picture(page, variant, name);
  if (wanted) await page.screenshot({ path: `${out}/${variant}-${name}.png` });
  const found = await judge(page, name);
  titles.set(path, await page.title());
  const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  return wide > 0 ? [...found, `${name}: ${wide} px too wide`] : found;
}
/** Sheets take as long as screens: without pictures, only these variants have them. */
const withSheets = new Set(["light", "dark", "hebrew", "text200", "german"]);
async function through(variant: string, options: BrowserContextOptions, prepare?: (page: Page) => Promise<void>): Promise<void> {
  const settings = { bypassCSP: true, reducedMotion: "reduce" as const, ...options };
  const mine = await logIn(browser, world.ada.username, settings);
  await prepare?.(mine.page);
  watch(mine.page);
  const found: string[] = [];
  const titles = new Map<string, string>();
  for (const screen of screens()) found.push(...await look(mine.page, variant, screen, titles));
  for (const sheet of wanted || withSheets.has(variant) ? sheets() : []) found.push(...await look(mine.page, variant, sheet));
  expect([...titles.values()].sort(), "each screen has a title of its own").toEqual([...new Set(titles.values())].sort());
  // A round that ends while one is away: another player's eyes, so that Home of the first stays as it is.
  const his = await logIn(browser, world.ben.username, settings);
  await prepare?.(his.page);
  watch(his.page);
  const people = [world.ben, world.chloe];
  const id = await table(people);
  await his.page.goto(`${origin}/match/${id}`);
  await his.page.locator("[data-hand] button").first().waitFor();
  await drive(people, id, (match) => (match.scores?.length ?? 0) > 0);
  found.push(...await look(his.page, variant, { name: "round-end", path: `/match/${id}` }));
  expect(found).toEqual([]);
  expect([...mine.problems, ...his.problems]).toEqual([]);
  await mine.context.close();
  await his.context.close();
}

afterAll(index);
// One variant finds what a change breaks nearly always: long words on a narrow screen, with all sheets.
const variant = checksAll || wanted ? it.concurrent : it.skip;
it.concurrent("German at 320 px", () => through("german", { locale: "de-DE", viewport: { width: 320, height: 640 } }));
variant("light", () => through("light", {}));
variant("dark", () => through("dark", { colorScheme: "dark" }));
variant("Hebrew", () => through("hebrew", { locale: "he-IL" }));
variant("200 % text", () => through("text200", {}, async (page) => { await page.context().addInitScript(() => { addEventListener("DOMContentLoaded", () => { document.documentElement.style.fontSize = "200%"; }); }); }));
variant("320 px", () => through("small", { viewport: { width: 320, height: 568 } }));
variant("landscape", () => through("landscape", { viewport: { width: 844, height: 390 } }));
variant("forced colours", () => through("forced", { forcedColors: "active" }));
variant("wide", () => through("wide", { viewport: { width: 1280, height: 800 }, isMobile: false }));
variant("wide and dark", () => through("wide-dark", { viewport: { width: 1280, height: 800 }, isMobile: false, colorScheme: "dark" }));
variant("Nepali", () => through("nepali", { locale: "ne-NP" }));
it("a phone on its side: the piles, the hand and the button are in sight together", async () => {
  const { page, context } = await logIn(browser, world.ada.username, { viewport: { width: 844, height: 390 } });
  for (const [id, button] of [[world.turn, "[data-testid=send]"], [world.call, "[data-testid=call]"]] as const) {
    await page.goto(`${origin}/match/${id}`);
    await page.locator("[data-hand] button:enabled").first().waitFor();
    if (id === world.turn) await stageMeld(page);
    const below = async (): Promise<string[]> => page.evaluate((button) => [...document.querySelectorAll<HTMLElement>(`[data-hand] button, [data-draw], .state, .sum, ${button}`)]
      .filter((one) => one.getBoundingClientRect().bottom > innerHeight || one.getBoundingClientRect().top < 0).map((one) => one.outerHTML.slice(0, 80)), button);
    await expect.poll(below).toEqual([]);
  }
  await context.close();
});
it("forced colours: edges tell what is chosen, where one is, and who is to play", async () => {
  const mine = await logIn(browser, world.ada.username, { forcedColors: "active" });
  const edge = (page: Page, selector: string): Promise<string> => page.locator(selector).first().evaluate((one) => {
    const { outlineStyle, outlineWidth, outlineColor, borderTopWidth } = getComputedStyle(one);
    return `${outlineStyle} ${outlineWidth} ${outlineColor} ${borderTopWidth}`;
  });
  await mine.page.goto(`${origin}/match/${world.turn}`);
  await stageMeld(mine.page);
  // The focus has an edge of its own.
  await mine.page.locator("main").evaluate((main) => { (document.activeElement as HTMLElement).blur(); main.focus(); });
  for (const [chosen, other] of [["[data-hand] [aria-pressed=true]", "[data-hand] [aria-pressed=false]"], ["[data-draw][aria-pressed=true]", "[data-draw][aria-pressed=false]"]] as const) {
    expect(await edge(mine.page, chosen), chosen).not.toBe(await edge(mine.page, other));
    expect(await edge(mine.page, chosen), chosen).toMatch(/^solid [34]px/);
  }
  await mine.page.goto(origin);
  expect(await edge(mine.page, "nav a[aria-current]")).not.toBe(await edge(mine.page, "nav a:not([aria-current])"));
  const his = await logIn(browser, world.ben.username, { forcedColors: "active" });
  await his.page.goto(`${origin}/match/${world.turn}`);
  await his.page.locator("li.acting").waitFor();
  expect(await edge(his.page, "li.acting")).not.toBe(await edge(his.page, ".felt ul li:not(.acting)"));
  await mine.context.close();
  await his.context.close();
});
/** What a stranger sees, and a guest. */
async function strangers(variant: string, options: BrowserContextOptions): Promise<void> {
  const { page, context, problems } = await device(browser, { bypassCSP: true, reducedMotion: "reduce", ...options });
  watch(page);
  const found: string[] = [];
  const look = async (name: string): Promise<void> => {
    await settle(page);
    await picture(page, variant, name);
    if (wanted) await page.screenshot({ path: `${out}/${variant}-${name}.png` });
    found.push(...await judge(page, name));
  };
  const table = await call<Match>(world.chloe.token, "POST", "/v1/matches", { rules: { preset: "yaniv" }, size: 3 });
  for (const [name, path] of [["welcome", "/"], ["login", "/login"], ["code", "/login/code"], ["register", "/register"], ["join", `/join/${table.join_code}`]] as const) {
    await page.goto(origin + path);
    await page.locator("main h1").first().waitFor();
    await look(name);
  }
  await page.locator(".facts .inline").click();
  await look("join-rules");
  await page.keyboard.press("Escape");
  if (provider) {
    const from = page.url();
    await page.goto(`${origin}/login/identity`);
    await page.locator("button.btn.main").click();
    await page.locator("[role=alert] + .btn").waitFor();
    await look("identity");
    await refuse(page, "**/v1/identity-sessions", 404, "identity_unknown");
    await page.reload();
    await page.locator("button.btn.main").click();
    await page.locator("form").waitFor();
    await look("identity-unknown");
    await page.goto(from);
  }
  await page.locator("input[autocomplete=nickname]").fill(`Noa ${crypto.randomUUID().slice(0, 8)}`);
  await page.locator("form .btn.main").click();
  await page.locator(".room").waitFor();
  await look("guest-room");
  await page.goto(`${origin}/settings/account`);
  await page.locator("form.mark").waitFor();
  await look("guest-account");
  await page.locator(".page > .btn").first().click();
  await page.locator("dialog").waitFor();
  await look("guest-log-out");
  expect(found).toEqual([]);
  expect(problems).toEqual([]);
  await context.close();
}
variant("strangers, light", () => strangers("light", {}));
variant("strangers, dark", () => strangers("dark", { colorScheme: "dark" }));
it.concurrent("strangers, Hebrew", () => strangers("hebrew", { locale: "he-IL" }));
variant("strangers, German at 320 px", () => strangers("german", { locale: "de-DE", viewport: { width: 320, height: 640 } }));
