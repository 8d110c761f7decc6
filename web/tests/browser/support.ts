// A real Chromium against the built client and a real service. YANIV_WEB names where the client is served, for instance by
// the service itself; without it `vite preview` serves dist/ under its Content-Security-Policy. YANIV_API names the service,
// which must have YANIV_SANDBOXES=true. CHROMIUM names the browser, CHROMIUM_SHELL a headless
// shell for all tests but those of notices.
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { chromium, type Browser, type BrowserContext, type BrowserContextOptions, type Page, type Request } from "playwright-core";

const served = process.env["YANIV_WEB"]?.replace(/\/+$/, "");
export const api = process.env["YANIV_API"] ?? served ?? "http://127.0.0.1:8080";
const port = Number(process.env["WEB_PORT"] ?? 4173) + Number(process.env["VITEST_POOL_ID"] ?? 0);
export const origin = served ?? `http://localhost:${port}`;
export const out = join(import.meta.dirname, "out");

const full = process.env["CHROMIUM"] ?? ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find(existsSync);

/** If CHROMIUM itself is a headless shell (HEADLESS_SHELL), there are no notices: their tests are skipped. */
export const hasNotices = !process.env["HEADLESS_SHELL"];

export const presets = ["yaniv", "yaniv_wikipedia", "jhyap", "dhumbal", "dhumbal_jokers", "kluft", "speedy"];

/** All checks, not only those that each change needs (`.ci/run all`). */
export const checksAll = process.env["YANIV_CHECKS"] === "all";

/** The same fonts on every machine, those of the npm packages: wide ones, so that what fits fits with others, too. */
function fonts(): string {
  const file = join(out, "fonts.conf");
  const packages = ["dejavu-fonts-ttf/ttf", "@expo-google-fonts/noto-sans-devanagari"].map((name) => join(import.meta.dirname, "../../node_modules", name));
  writeFileSync(file, `<?xml version="1.0"?>\n<fontconfig>${packages.map((folder) => `<dir>${folder}</dir>`).join("")}<cachedir>${join(out, "fonts")}</cachedir></fontconfig>\n`);
  return file;
}

let server: ChildProcess | null = null;
/** Sees to it that service and client are there. */
export async function serve(): Promise<void> {
  const ready = await fetch(`${api}/readyz`).catch(() => null);
  if (!ready?.ok) throw new Error(`no service at ${api}: start one, and name it in YANIV_API`);
  mkdirSync(out, { recursive: true });
  if (!served) server = spawn("npx", ["vite", "preview", "--port", String(port), "--strictPort"], { cwd: join(import.meta.dirname, "../.."), env: { ...process.env, YANIV_API: api }, stdio: "ignore", detached: true });
  let there = false;
  for (let i = 0; i < 300 && !there; i++) {
    there = (await (await fetch(origin).catch(() => null))?.text())?.includes('id="app"') ?? false;
    if (!there) await new Promise((resolve) => { setTimeout(resolve, 200); });
  }
  if (!there) throw new Error(`no client at ${origin}: npm run build`);
}
/** Starts a headless shell, which needs less time, if there is one; for tests of notices Chromium itself. */
export async function start(notices = false, flags: string[] = []): Promise<Browser> {
  const executablePath = (notices ? undefined : process.env["CHROMIUM_SHELL"]) ?? full;
  if (!executablePath) throw new Error("no Chromium: install Debian's package chromium, or name one in CHROMIUM");
  await serve();
  return chromium.launch({
    executablePath, headless: false,
    // Pictures to look at (SCREENS=1) have the machine's own.
    env: { ...process.env, ...(process.env["SCREENS"] ? {} : { FONTCONFIG_FILE: fonts() }) },
    args: ["--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync", ...flags],
  });
}
export async function stop(browser: Browser | undefined): Promise<void> {
  await browser?.close();
  if (server?.pid && server.exitCode === null) process.kill(-server.pid);
}

export const phone: BrowserContextOptions = { viewport: { width: 390, height: 844 }, deviceScaleFactor: 2, hasTouch: true, isMobile: true, locale: "en-GB", timezoneId: "Europe/Berlin" };

export interface Player { context: BrowserContext; page: Page; name: string; problems: string[] }
/** A new context; errors and violations of the Content-Security-Policy are collected. */
export async function device(browser: Browser, options: BrowserContextOptions = {}): Promise<{ context: BrowserContext; page: Page; problems: string[] }> {
  const context = await browser.newContext({ ...phone, ...options });
  context.setDefaultTimeout(60_000);
  const page = await context.newPage();
  const problems: string[] = [];
  page.on("pageerror", (error) => { problems.push(String(error)); });
  page.on("console", (message) => { if (message.type() === "error" && !/Failed to load resource/.test(message.text())) problems.push(message.text()); });
  return { context, page, problems };
}
/** A name that no other test has, also none that runs beside this one. */
export const fresh = (name: string): string => `${name}_${Math.random().toString(36).slice(2, 10)}`;

/** Registers through the screen. */
export async function register(browser: Browser, name: string, options: BrowserContextOptions = {}): Promise<Player> {
  const made = await device(browser, options);
  const username = fresh(name);
  await made.page.goto(`${origin}/register`);
  await made.page.locator("input[autocomplete=username]").fill(username);
  await made.page.locator("input[type=password]").fill("a long enough secret");
  await made.page.locator("form .btn.main").tap();
  await made.page.locator(".home").waitFor();
  return { ...made, name: username };
}

/** A request of a test itself. With a connection of its own: while a test decodes a picture, the service may close one that is idle. */
async function request<T>(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<T> {
  const response = await fetch(api + path, {
    method, headers: { connection: "close", "content-type": "application/json", ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
  return (response.status === 204 ? undefined : await response.json()) as T;
}
/** The same through the API, for what is not the point of a test. */
export async function call<T>(token: string, method: string, path: string, body?: unknown): Promise<T> {
  return request(method, path, body, { authorization: `Bearer ${token}`, "idempotency-key": crypto.randomUUID() });
}
export async function account(name: string): Promise<{ username: string; token: string }> {
  const username = fresh(name);
  const made = await request<{ access_token: string }>("POST", "/v1/accounts", { username, password: "a long enough secret" });
  return { username, token: made.access_token };
}
export async function logIn(browser: Browser, username: string, options: BrowserContextOptions = {}): Promise<Player> {
  const made = await device(browser, options);
  await made.page.goto(`${origin}/login`);
  await made.page.locator("input[autocomplete=username]").fill(username);
  await made.page.locator("input[type=password]").fill("a long enough secret");
  await made.page.locator("form .btn.main").tap();
  await made.page.locator(".home").waitFor();
  return { ...made, name: username };
}

/** The plays that a page sends from now on. */
export function plays(page: Page): Request[] {
  const found: Request[] = [];
  page.on("request", (request) => { if (request.method() === "POST" && /\/plays$/.test(request.url())) found.push(request); });
  return found;
}
export const keyOf = (request: Request | undefined): string => request?.headers()["idempotency-key"] ?? "";

/** Plays one action through the screen, if there is one: calls where it may, otherwise the heaviest meld or card and the stock. */
export async function step(page: Page): Promise<"acted" | "waits" | "over"> {
  if (await page.locator(".end h2").nth(1).or(page.getByText("The match is over")).first().isVisible().catch(() => false)) return "over";
  const on = page.getByRole("button", { name: /^On to round/ });
  if (await on.isVisible()) { await page.waitForTimeout(650); await on.tap({ timeout: 3000 }).catch(() => undefined); return "acted"; }
  const call = page.getByTestId("call");
  if (await call.isVisible()) { await call.tap(); await page.getByTestId("call-now").tap(); await settled(page); return "acted"; }
  for (const name of ["Expose", "Keep mine", "Keep"]) {
    const button = page.getByRole("button", { name, exact: true });
    if (await button.isVisible()) { await button.tap(); await page.getByTestId("confirm").tap(); await settled(page); return "acted"; }
  }
  const pass = page.getByRole("button", { name: "Pass", exact: true });
  if (await pass.isVisible()) { await pass.tap(); await settled(page); return "acted"; }
  const send = page.getByTestId("send");
  if (!(await send.isVisible())) return "waits";
  // What an earlier step has staged would be taken back by a second tap.
  const clear = page.getByRole("button", { name: "Clear the selection" }).and(page.locator(":enabled"));
  if (await clear.isVisible()) await clear.tap();
  const meld = page.locator(".melds .chip").first();
  if (await meld.isVisible()) await meld.tap();
  else await heaviest(page);
  const draw = page.locator("[data-draw]").first();
  if (await draw.isVisible()) await draw.tap();
  await send.tap();
  await settled(page);
  return "acted";
}
async function heaviest(page: Page): Promise<void> {
  const cards = page.locator("[data-hand] button:enabled");
  const codes = await cards.evaluateAll((all) => all.map((one) => (one as HTMLElement).dataset["card"] ?? ""));
  const worth = (code: string): number => (code.startsWith("X") ? 0 : "TJQK".includes(code[0] ?? "") ? 10 : code[0] === "A" ? 1 : Number(code[0]));
  const best = codes.indexOf(codes.reduce((a, b) => (worth(b) > worth(a) ? b : a)));
  // Cards overlap: the visible part is at the left.
  await cards.nth(best).tap({ position: { x: 14, y: 30 } });
}
export async function settled(page: Page): Promise<void> {
  await page.waitForFunction(() => !/Sending|Checking/.test(document.querySelector(".actions")?.textContent ?? ""));
  await page.waitForTimeout(150);
}
/** Plays through the screen until the match is over; `act`: how. */
export async function playOn(page: Page, act: (page: Page) => Promise<"acted" | "waits" | "over"> = step): Promise<void> {
  for (const end = Date.now() + 400_000; Date.now() < end;) {
    const did = await act(page);
    if (did === "over") return;
    if (did === "waits") await page.waitForTimeout(250);
  }
  throw new Error(`it does not end: ${await page.locator("main").innerText()}`);
}

export interface Match {
  match_id: string; version: number; join_code: string; status: string; your_turn?: boolean; seats: { seat: number; username: string; deadline?: string; held_by_bot?: boolean; out?: boolean; turns?: number }[];
  legal?: { discards: string[][]; draws: { draw_from: string; draw_card?: string }[]; call?: boolean; answer_call?: boolean }; last_round?: unknown; scores?: unknown[]; hand?: { cards: string[] }; table?: { round: number; pile: string[]; to_act: number[]; dealer: number };
}
export const get = (token: string, id: string): Promise<Match> => call<Match>(token, "GET", `/v1/matches/${id}`);
/** A sandbox with a bot, started, with the player to act first. */
export async function sandbox(rules: object = {}): Promise<{ username: string; token: string; match: Match }> {
  const { username, token } = await account("ada");
  for (let i = 0; i < 12; i++) {
    const made = await call<Match>(token, "POST", "/v1/matches", { size: 2, rules: { preset: "yaniv", ...rules }, sandbox: true, sandbox_seed: i.toString(16).padStart(2, "0").repeat(32), bots: ["easy"] });
    let match = await call<Match>(token, "POST", `/v1/matches/${made.match_id}/start`);
    for (let wait = 0; wait < 300 && !match.your_turn; wait++) { await new Promise((resolve) => { setTimeout(resolve, 200); }); match = await get(token, made.match_id); }
    if (match.your_turn) return { username, token, match };
  }
  throw new Error("never my turn");
}
/** Two people at a table: `turn` is to act, `other` waits. */
export async function pair(rules: object = {}, options: object = {}): Promise<{ turn: Seated; other: Seated; id: string }> {
  const [ada, bob] = [await account("ada"), await account("bob")];
  const made = await call<Match>(ada.token, "POST", "/v1/matches", { size: 2, rules: { preset: "yaniv", ...rules }, sandbox: true, ...options });
  await call(bob.token, "POST", `/v1/join-codes/${made.join_code}/seats`, {});
  const match = await call<Match>(ada.token, "POST", `/v1/matches/${made.match_id}/start`);
  return match.your_turn ? { turn: ada, other: bob, id: made.match_id } : { turn: bob, other: ada, id: made.match_id };
}
/** Two people at a table, with cards that are as wanted for the one to act. */
export async function dealt(wanted: (match: Match) => boolean, rules: object = {}, people?: [Seated, Seated]): Promise<{ turn: Seated; other: Seated; id: string; match: Match }> {
  const [ada, bob] = people ?? [await account("ada"), await account("bob")];
  for (let i = 1; i < 60; i++) {
    const made = await call<Match>(ada.token, "POST", "/v1/matches", { size: 2, rules: { preset: "yaniv", ...rules }, sandbox: true, sandbox_seed: i.toString(16).padStart(64, "0") });
    await call(bob.token, "POST", `/v1/join-codes/${made.join_code}/seats`, {});
    const match = await call<Match>(ada.token, "POST", `/v1/matches/${made.match_id}/start`);
    const [turn, other] = match.your_turn ? [ada, bob] : [bob, ada];
    const seen = await get(turn.token, made.match_id);
    if ((!people || turn === ada) && wanted(seen)) return { turn, other, id: made.match_id, match: seen };
    // The table goes away: it would be on Home.
    await call(ada.token, "POST", `/v1/matches/${made.match_id}/resignations`, { expected_version: match.version });
  }
  throw new Error("never such cards");
}
export interface Seated { username: string; token: string }
/** A turn through the API: the first legal discard, and the stock. */
export async function playFirst(token: string, id: string): Promise<void> {
  const match = await get(token, id);
  await call(token, "POST", `/v1/matches/${id}/plays`, { expected_version: match.version, cards: match.legal?.discards[0] ?? [], draw_from: "stock" });
}
export async function openMatch(browser: Browser, username: string, id: string, options: BrowserContextOptions = {}): Promise<Player> {
  const player = await logIn(browser, username, options);
  await player.page.goto(`${origin}/match/${id}`);
  await player.page.locator("[data-hand] button").first().waitFor();
  return player;
}
/** Opens a folded part. What comes late can move it away from under a tap, or draw it anew. */
export async function unfold(page: Page, title: string): Promise<void> {
  const part = page.locator("details", { has: page.locator("summary", { hasText: title }) });
  for (const end = Date.now() + 60_000; Date.now() < end && (await part.getAttribute("open")) === null;) {
    await part.locator("summary").tap();
    await page.waitForTimeout(300);
  }
}
/** Stages the last card with the stock; does not send. */
export async function stage(page: Page): Promise<void> {
  await page.locator("[data-hand] button:enabled").last().tap();
  await page.locator("[data-draw=stock]").tap();
  await page.getByTestId("send").and(page.locator(":enabled")).waitFor();
}

/** What there is to do, through the API: a call where there may be one (unless `calls` is false), otherwise the largest discard. */
export async function act(token: string, match: Match, calls = true): Promise<boolean> {
  const legal = match.your_turn ? match.legal : undefined;
  const at = { expected_version: match.version };
  if (legal?.call && calls) await call(token, "POST", `/v1/matches/${match.match_id}/calls`, at);
  else if (legal && legal.discards.length > 0) {
    const cards = legal.discards.reduce((a, b) => (b.length > a.length ? b : a));
    await call(token, "POST", `/v1/matches/${match.match_id}/plays`, { ...at, cards, ...(legal.draws[0] ?? { draw_from: "stock" }) });
  } else return false;
  return true;
}
/** A match against a bot, played to its end through the API. */
export async function playOut(token: string, body: object): Promise<string> {
  const made = await call<Match>(token, "POST", "/v1/matches", { size: 2, bots: ["easy"], ...body });
  await call(token, "POST", `/v1/matches/${made.match_id}/start`);
  for (let i = 0; i < 900; i++) {
    const match = await get(token, made.match_id);
    if (match.status === "finished") return made.match_id;
    if (!(await act(token, match))) await new Promise((resolve) => { setTimeout(resolve, 60); });
  }
  throw new Error("it does not end");
}

/** Records what is announced: each text that a live region gets, besides what is there at the start. */
export async function listen(page: Page): Promise<() => Promise<string[]>> {
  await page.addInitScript(() => {
    const said: string[] = [];
    (window as unknown as { said: string[] }).said = said;
    const begin = (): void => {
      new MutationObserver((changes) => {
        for (const change of changes) {
          const at = change.target instanceof Element ? change.target : change.target.parentElement;
          const region = at?.closest("[aria-live]:not([aria-live=off])") ?? (change.addedNodes[0] instanceof Element ? change.addedNodes[0].closest("[role=alert]") : null);
          const text = region?.textContent?.replace(/[\u00A0\u2066-\u2069\uFE0E]/g, "").trim();
          if (text && said.at(-1) !== text) said.push(text);
        }
      }).observe(document.documentElement, { subtree: true, childList: true, characterData: true });
    };
    if (document.documentElement) begin(); else document.addEventListener("DOMContentLoaded", begin);
  });
  return () => page.evaluate(() => (window as unknown as { said: string[] }).said);
}
