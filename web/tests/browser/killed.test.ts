// A match through the screen, while its service is killed three times (SIGKILL) and started again: with a move on
// its way, with its answer on the way back, and between two moves. Once the player's time runs out. Its record verifies.
// And a service that no longer serves the client: the worker of its pages ends.
// The service is the test's own: YANIV_BIN names the program. It has its own data and keeps its address.
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const program = process.env["YANIV_BIN"];
if (!program) console.log("NOT CHECKED: a service that is killed during a match: YANIV_BIN names no program");

const port = await new Promise<number>((resolve) => {
  const server = createServer().listen(0, "127.0.0.1", () => {
    const address = server.address();
    server.close(() => { resolve(typeof address === "object" && address ? address.port : 0); });
  });
});
const own = `http://127.0.0.1:${port}`;
// Before `support` reads them: this service, and the client from it where clients come from the service.
process.env["YANIV_API"] = own;
if (process.env["YANIV_WEB"]) process.env["YANIV_WEB"] = own;
const { account, call, logIn, openMatch, origin, playOn, sandbox, stage, start, step, stop } = await import("./support");

let data = "";
let service: ChildProcess | undefined;
let said = "";
const gone = (): Promise<unknown> => new Promise((resolve) => { if (!service || service.exitCode !== null || service.signalCode !== null) resolve(null); else service.once("exit", resolve); });
async function begin(more: NodeJS.ProcessEnv = {}): Promise<void> {
  // The service refuses names of variables that it does not know, and the tests have some of their own.
  const others = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(YANIV_|DATABASE_URL$)/.test(name)));
  const environment: NodeJS.ProcessEnv = { ...others, YANIV_LISTEN: `127.0.0.1:${port}`, YANIV_DATA_DIR: data, YANIV_SANDBOXES: "on", YANIV_RATE_LIMITS: "off", ...more };
  service = spawn(program ?? "", ["serve"], { stdio: ["ignore", "ignore", "pipe"], env: environment });
  service.stderr?.on("data", (text) => { said = `${said}${String(text)}`.slice(-2000); });
  for (let i = 0; i < 300 && service.exitCode === null; i++) {
    if ((await fetch(`${own}/readyz`).catch(() => null))?.ok) return;
    await new Promise((resolve) => { setTimeout(resolve, 200); });
  }
  throw new Error(`the service does not start: ${said}`);
}
async function kill(): Promise<void> {
  const ended = gone();
  service?.kill("SIGKILL");
  await ended;
}

let browser: Browser | undefined;
beforeAll(async () => {
  if (!program) return;
  data = mkdtempSync(join(tmpdir(), "yaniv-killed-"));
  // Its PostgreSQL runs as another user where the tests run as root.
  chmodSync(data, 0o711);
  await begin();
  browser = await start();
});
afterAll(async () => {
  if (!program) return;
  await stop(browser);
  // Its PostgreSQL survives a kill; the service that ends in order stops it.
  const ended = gone();
  service?.kill("SIGTERM");
  await ended;
  rmSync(data, { recursive: true, force: true });
});

interface Log { items: { version: number; type: string; username: string; automatic?: string }[] }
interface Table { status: string; version: number; your_turn?: boolean }

describe.skipIf(!program)("a service that is killed", () => {
  it("comes back, and so does the client: each move was played once, none is lost, and the record verifies", async () => {
    if (!browser) throw new Error("no browser");
    const { username, token } = await account("ada");
    const made = await call<{ match_id: string }>(token, "POST", "/v1/matches", { size: 2, rules: { preset: "yaniv", max_rounds: 2 }, bots: ["easy"], sandbox: true, time_control: { clock: "turn", turn_seconds: 3600 } });
    await call(token, "POST", `/v1/matches/${made.match_id}/start`);
    const { page, context, problems } = await logIn(browser, username);
    const all = async (): Promise<Log["items"]> => {
      const items: Log["items"] = [];
      for (;;) {
        const page = await call<Log>(token, "GET", `/v1/matches/${made.match_id}/log?after=${items.at(-1)?.version ?? 0}`);
        if (page.items.length === 0) return items;
        items.push(...page.items);
      }
    };
    // What the player has sent, except what was refused by a version conflict: one body a key.
    const keys = new Map<string, string>();
    page.on("request", (request) => {
      if (request.method() !== "POST" || !request.url().includes(`/matches/${made.match_id}/`)) return;
      const sent = `${new URL(request.url()).pathname} ${request.postData() ?? ""}`;
      const key = request.headers()["idempotency-key"] ?? "";
      if ((keys.get(key) ?? sent) !== sent) problems.push(`another body with the key ${key}`);
      keys.set(key, sent);
    });
    const refused: string[] = [];
    page.on("response", (response) => {
      const key = response.request().headers()["idempotency-key"] ?? "";
      if (response.status() !== 409 || !keys.has(key)) return;
      void response.json().then(({ code }: { code: string }) => {
        if (code !== "version_conflict") return;
        refused.push(keys.get(key) ?? "");
        keys.delete(key);
      }, () => undefined);
    });
    const sent = (kind: string): number => [...keys.values()].filter((one) => one.split(" ")[0]?.endsWith(`/${kind}`)).length;
    const mine = async (kind: string): Promise<number> => (await all()).filter((entry) => entry.username === username && entry.type === kind && !entry.automatic).length;

    await page.goto(`${origin}/match/${made.match_id}`);
    const myTurn = async (): Promise<void> => {
      for (let i = 0; i < 100 && !(await page.getByTestId("send").isVisible()); i++) { await step(page).catch(() => "waits"); await page.waitForTimeout(200); }
      await page.getByTestId("send").waitFor();
    };
    const stageOne = async (): Promise<void> => {
      await page.locator("[data-hand] button:enabled").last().tap({ position: { x: 14, y: 30 } });
      await page.locator("[data-draw]").first().tap();
    };

    // The app is reloaded below while the service is down.
    await page.evaluate(() => navigator.serviceWorker.ready.then(() => undefined));

    // First: a move is on its way. The service gets it, and dies at once: it may be played or not.
    await myTurn();
    await stageOne();
    let reached = 0;
    await context.route(/\/plays$/, async (route) => {
      if (reached++ > 0) { await route.continue().catch(() => undefined); return; }
      const answer = route.fetch().catch(() => null);
      await new Promise((resolve) => { setTimeout(resolve, 4); });
      await kill();
      await answer;
      await route.abort("connectionreset");
    });
    await page.getByTestId("send").tap();
    await expect.poll(() => service?.signalCode).toBe("SIGKILL");
    await page.getByText(/Checking whether your move arrived|Saved. It will be sent/).first().waitFor();
    // While it is away the app is opened again: it shows what is known, and keeps the move.
    await page.reload();
    await page.locator("[data-hand] button").first().waitFor();
    await begin();
    await page.getByText(/^Sent\./).first().waitFor({ timeout: 60_000 });
    expect(reached).toBeGreaterThan(1);
    await context.unroute(/\/plays$/);
    expect(await mine("play")).toBe(sent("plays"));

    // Second: the service has played the move, and dies before the player hears of it.
    await myTurn();
    await stageOne();
    const before = await mine("play");
    let lost = 0;
    await context.route(/\/plays$/, async (route) => {
      if (lost++ > 0) { await route.continue().catch(() => undefined); return; }
      expect((await route.fetch()).status()).toBe(200);
      await kill();
      await route.abort("connectionreset");
    });
    await page.getByTestId("send").tap();
    await page.getByText(/Checking whether your move arrived/).first().waitFor();
    await begin();
    await page.getByText(/^Sent\./).first().waitFor({ timeout: 60_000 });
    await context.unroute(/\/plays$/);
    expect(await mine("play")).toBe(before + 1);

    // Third: between two moves, with nothing on its way. The move is made while the page has no connection.
    await myTurn();
    await kill();
    await page.waitForTimeout(3000);
    await stageOne();
    await page.getByTestId("send").tap();
    await page.waitForTimeout(1500);
    await begin();
    await page.getByText(/^Sent\./).first().waitFor({ timeout: 60_000 });

    // The player's time runs out: a safe turn is played.
    await myTurn();
    await call(token, "POST", `/v1/matches/${made.match_id}/clock-advances`, { seconds: 3605 });
    await expect.poll(async () => (await all()).some((entry) => entry.username === username && entry.automatic)).toBe(true);

    await playOn(page, (one) => step(one).catch(() => "waits" as const));
    expect((await call<Table>(token, "GET", `/v1/matches/${made.match_id}`)).status).toBe("finished");
    expect(await mine("play")).toBe(sent("plays"));
    expect(await mine("call")).toBe(sent("calls"));
    expect(sent("plays")).toBeGreaterThan(1);
    // The table may be out of date once after each of the three times that the service was away.
    if (refused.length > 0) console.log(`refused by a version conflict: ${refused.join(", ")}`);
    expect(refused.length).toBeLessThanOrEqual(3);
    await page.reload();
    await page.getByRole("button", { name: "Check the shuffles" }).tap();
    await page.getByText(/All shuffles hold/).waitFor();
    const saved = page.waitForEvent("download");
    await page.getByRole("button", { name: "Download", exact: true }).tap();
    const file = join(data, "record.json");
    await (await saved).saveAs(file);
    await promisify(execFile)(program ?? "", ["verify", file]);
    expect(problems).toEqual([]);
  });
});

// With `vite preview` the client does not come from the service.
describe.skipIf(!program || !process.env["YANIV_WEB"])("a service that no longer serves the client", () => {
  it("ends the worker: the open page says so and sends its move, the next one is the service's own", async () => {
    if (!browser) throw new Error("no browser");
    const { username, match } = await sandbox();
    const { page, context, problems } = await openMatch(browser, username, match.match_id);
    await page.evaluate(() => navigator.serviceWorker.ready.then(() => undefined));
    const bar = page.getByText("This app is no longer served here. It works until you close it.");
    await page.reload();
    await page.locator("[data-hand] button:enabled").first().waitFor();
    expect(await bar.count()).toBe(0);
    try {
      await kill();
      await begin({ YANIV_WEB_CLIENT: "off" });
      await page.reload();
      await bar.waitFor();
      await page.locator("[data-hand] button:enabled").first().waitFor();
      await stage(page);
      await page.getByTestId("send").tap();
      await page.getByText(/^Sent\./).first().waitFor();
      await page.close();
      const later = await context.newPage();
      const answer = await later.goto(origin);
      expect(answer?.status()).toBe(404);
      expect(answer?.fromServiceWorker()).toBe(false);
      expect(problems).toEqual([]);
    } finally {
      await kill();
      await begin();
    }
  });
});
