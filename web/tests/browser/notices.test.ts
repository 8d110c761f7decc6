// Notices: push and a press on its notice, permission over days, the badge, the channel of a device. They need Chromium itself:
// a headless shell has none.
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { account, call, dealt, hasNotices, keyOf, listen, logIn, openMatch, origin, pair, playFirst, plays, sandbox, stage, start, step, stop, type Seated } from "./support";

let browser: Browser;
beforeAll(async () => { browser = await start(true); });
afterAll(async () => { await stop(browser); });

/** Sends a push of the service to the worker of a page's client; `press`: a press on the notice that is shown, in the worker. */
async function pushes(page: Page): Promise<{ push: (match: string, waiting: number, code?: string) => Promise<void>; press: (match: string) => Promise<void>; shown: () => Promise<string[]> }> {
  await page.evaluate(() => navigator.serviceWorker.ready.then(() => undefined));
  const cdp = await page.context().newCDPSession(page);
  let registrationId = "";
  cdp.on("ServiceWorker.workerRegistrationUpdated", ({ registrations }) => { registrationId = registrations.find((one) => one.scopeURL.startsWith(origin))?.registrationId ?? registrationId; });
  await cdp.send("ServiceWorker.enable");
  await expect.poll(() => registrationId).not.toBe("");
  const shown = (): Promise<string[]> => page.evaluate(async () => (await (await navigator.serviceWorker.ready).getNotifications()).map((one) => one.tag));
  return {
    shown,
    push: async (match, waiting, code = "your_turn") => {
      const notification = { title: "Your turn", body: "…", lang: "en", dir: "ltr", data: { delivery_id: crypto.randomUUID(), code, parameters: { match_id: match, opponents: ["bob"] } } };
      const data = JSON.stringify({ web_push: 8030, notification, app_badge: waiting });
      // On a busy machine Chromium may drop one while the worker starts; the tag makes several of them one notice.
      await expect.poll(async () => {
        await cdp.send("ServiceWorker.deliverPushMessage", { origin, registrationId, data });
        return shown();
      }, { interval: 2000 }).toContain(match);
    },
    press: async (match) => {
      const worker = page.context().serviceWorkers()[0];
      if (!worker) throw new Error("no worker");
      await worker.evaluate(async (tag) => {
        // The types of a worker are not those of a page.
        const scope = globalThis as unknown as { registration: ServiceWorkerRegistration; NotificationEvent: new (type: string, init: { notification: Notification }) => Event };
        const [notification] = await scope.registration.getNotifications({ tag });
        if (!notification) throw new Error("no notice");
        globalThis.dispatchEvent(new scope.NotificationEvent("notificationclick", { notification }));
      }, match);
    },
  };
}
/** The badge is written down, also over reloads. */
const badge = async (page: Page): Promise<() => Promise<string | null>> => {
  await page.context().addInitScript(() => {
    navigator.setAppBadge = (count) => { localStorage.setItem("badge", String(count)); return Promise.resolve(); };
    navigator.clearAppBadge = () => { localStorage.setItem("badge", "0"); return Promise.resolve(); };
  });
  return () => page.evaluate(() => localStorage.getItem("badge"));
};
/** What the page sees of being in front or not. */
const front = (page: Page, shown: boolean): Promise<void> => page.evaluate((shown) => {
  Object.defineProperty(document, "hidden", { configurable: true, get: () => !shown });
  Object.defineProperty(document, "visibilityState", { configurable: true, get: () => (shown ? "visible" : "hidden") });
  document.dispatchEvent(new Event("visibilitychange"));
}, shown);

describe.skipIf(!hasNotices)("a pair, four taps (2)", () => {
  it("the notice leads to the match as it is now, in the same window; meld, draw, send", async () => {
    const people: [Seated, Seated] = [await account("ada"), await account("bob")];
    const { id, match } = await dealt(({ legal }) => legal?.discards.some((cards) => cards.length > 1) ?? false, {}, people);
    const other = await dealt(() => true, {}, people);
    const { page, context, problems } = await logIn(browser, people[0].username);
    const said = await listen(page);
    const waiting = await badge(page);
    await context.grantPermissions(["notifications"], { origin });
    await page.goto(`${origin}/match/${id}`);
    await page.locator("[data-hand] button").first().waitFor();
    await page.goto(origin);
    await page.locator(".home").waitFor();
    const { push, press, shown } = await pushes(page);
    await push(id, 2);
    const length = await page.evaluate(() => history.length);
    // The newest table is on its way: what is known is shown, and no button is on.
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => { release = resolve; });
    await page.route(new RegExp(`/v1/matches/${id}(\\?|$)`), async (route) => { await held; await route.continue(); });
    await press(id);
    await page.getByRole("button", { name: "Loading the newest…" }).waitFor();
    expect(await page.locator("[data-hand] button:enabled, [data-draw]:enabled").count()).toBe(0);
    release();
    await page.locator("[data-hand] button:enabled").first().waitFor();
    expect(new URL(page.url()).pathname).toBe(`/match/${id}`);
    expect(context.pages()).toHaveLength(1);
    expect(await page.evaluate(() => history.length)).toBe(length + 1);
    await expect.poll(shown).toEqual([]);
    // From a match to another by a notice: the entry is replaced.
    await push(other.id, 2);
    await press(other.id);
    await page.waitForURL(`${origin}/match/${other.id}`);
    await push(id, 2);
    await press(id);
    await page.waitForURL(`${origin}/match/${id}`);
    expect(await page.evaluate(() => history.length)).toBe(length + 1);
    await page.locator("[data-hand] button:enabled").first().waitFor();

    const sent = plays(page);
    await page.locator(".melds .chip").first().tap();
    await page.locator("[data-draw=stock]").tap();
    await page.getByTestId("send").tap();
    await expect.poll(async () => (await said()).some((text) => /^Sent\. You drew .+ of (clubs|diamonds|hearts|spades)\.|^Sent\. You drew joker/.test(text))).toBe(true);
    expect(sent).toHaveLength(1);
    expect(keyOf(sent[0])).toMatch(/^[\w-]{16,64}$/);
    const body = sent[0]?.postDataJSON() as { cards: string[]; expected_version: number };
    expect(body.expected_version).toBe(match.version);
    expect(body.cards.length).toBeGreaterThan(1);
    const { turn_count } = await call<{ turn_count: number }>(people[0].token, "GET", "/v1/home");
    expect(turn_count).toBe(1);
    await expect.poll(waiting).toBe("1");
    expect(problems).toEqual([]);
  });
});

describe.skipIf(!hasNotices)("notices (12), over days", () => {
  it("after “Not now” it is not asked again for seven days; where notices are blocked it is never asked, and the settings say how", async () => {
    const { turn, id } = await dealt(() => true);
    const { page, context, problems } = await logIn(browser, turn.username);
    // The permission is undecided, whatever the default of the browser; each permission prompt is counted.
    const permission = (state: string): Promise<unknown> => context.addInitScript((state) => {
      Object.defineProperty(Notification, "permission", { configurable: true, get: () => state });
      Notification.requestPermission = () => { localStorage.setItem("prompts", "1"); return Promise.resolve(state as NotificationPermission); };
    }, state);
    await permission("default");
    await page.goto(`${origin}/match/${id}`);
    await stage(page);
    await page.getByTestId("send").tap();
    await page.getByText(/^Sent\./).first().waitFor();
    await page.getByRole("link", { name: "Back" }).tap();
    const question = page.getByText("Shall we tell you when it is your turn?");
    await page.getByRole("button", { name: "Not now" }).tap();
    const later = async (days: number): Promise<void> => {
      await page.evaluate((days) => {
        const look = JSON.parse(localStorage.getItem("yaniv.look") ?? "{}") as { askedNotices: number };
        localStorage.setItem("yaniv.look", JSON.stringify({ ...look, askedNotices: look.askedNotices - days * 86_400_000 }));
      }, days);
      await page.reload();
      await page.locator(".home section").first().waitFor();
      await page.evaluate(() => navigator.serviceWorker.ready.then(() => undefined));
    };
    await later(6);
    expect(await question.count()).toBe(0);
    await later(2);
    await question.waitFor();
    expect(await page.evaluate(() => localStorage.getItem("prompts"))).toBeNull();
    await permission("denied");
    await later(9);
    expect(await question.count()).toBe(0);
    await page.goto(`${origin}/settings/notices`);
    await page.getByText("The browser blocks notices. Allow them in its settings for this site.").waitFor();
    expect(await page.getByRole("button", { name: "Switch on" }).count()).toBe(0);
    expect(await page.evaluate(() => localStorage.getItem("prompts"))).toBeNull();
    expect(problems).toEqual([]);
  });

  it("a hidden page does not look at the match; it does when it comes to the front", async () => {
    const { turn, other, id } = await pair();
    const { page } = await openMatch(browser, other.username, id);
    const looks: string[] = [];
    page.on("request", (request) => { if (new RegExp(`/v1/matches/${id}(\\?|$)`).test(request.url())) looks.push(request.url()); });
    await page.locator(".state b").getByText(/'s turn$/).waitFor();
    await front(page, false);
    looks.length = 0;
    await playFirst(turn.token, id);
    // Another tab of the same browser hears of it: by then the hidden one would have, too.
    const second = await page.context().newPage();
    await second.goto(origin);
    await second.getByText("Waiting for you · 1").waitFor();
    expect(looks).toEqual([]);
    await front(page, true);
    await page.locator(".state b").getByText("Your turn").waitFor();
    expect(looks.length).toBeGreaterThan(0);
  });

  it("what was played on another device is no notice any more, and the badge is right at the next start", async () => {
    const { turn, id } = await dealt(() => true);
    const { page, context, problems } = await logIn(browser, turn.username);
    const waiting = await badge(page);
    await context.grantPermissions(["notifications"], { origin });
    await page.goto(origin);
    await page.locator(".home section").first().waitFor();
    await expect.poll(waiting).toBe("1");
    const { push, shown } = await pushes(page);
    await push(id, 1);
    // The app is closed on this device; the turn is played on another.
    await page.goto("about:blank");
    await playFirst(turn.token, id);
    await page.goto(origin);
    await page.locator(".home section").first().waitFor();
    await expect.poll(shown).toEqual([]);
    await expect.poll(waiting).toBe("0");
    expect(problems).toEqual([]);
  });
});

describe.skipIf(!hasNotices)("notices (2, 12)", () => {
  it("that of the deadline makes a sound of its own, and a press opens a window where only a page of the service is there", async () => {
    const { username, match } = await sandbox();
    const { page, context } = await openMatch(browser, username, match.match_id);
    await context.grantPermissions(["notifications"], { origin });
    const { push, press } = await pushes(page);
    const again = (): Promise<boolean[]> => page.evaluate(async () => (await (await navigator.serviceWorker.ready).getNotifications()).map((one) => (one as Notification & { renotify: boolean }).renotify));
    await push(match.match_id, 1);
    expect(await again()).toEqual([false]);
    await push(match.match_id, 1, "deadline_near");
    await expect.poll(again).toEqual([true]);
    const [worker] = context.serviceWorkers();
    await worker?.evaluate(() => {
      const scope = globalThis as unknown as { clients: { openWindow: (path: string) => Promise<null> }; opened: string };
      scope.opened = "";
      scope.clients.openWindow = (path) => { scope.opened = path; return Promise.resolve(null); };
    });
    const opened = (): Promise<string | undefined> => Promise.resolve(worker?.evaluate(() => (globalThis as unknown as { opened: string }).opened));
    await page.goto(`${origin}/unsubscribe/of-a-mail`);
    await press(match.match_id);
    await expect.poll(opened).toBe(`/match/${match.match_id}`);
    expect(new URL(page.url()).pathname).toBe("/unsubscribe/of-a-mail");
  });
  it("a push shows a notice in the player's language, a tap leads to the match in the same window", async () => {
    const { username, match } = await sandbox();
    const { page, context } = await openMatch(browser, username, match.match_id);
    await context.grantPermissions(["notifications"], { origin });
    await page.goto(`${origin}/`);
    await page.evaluate(() => navigator.serviceWorker.ready.then(() => undefined));
    const cdp = await context.newCDPSession(page);
    let registrationId = "";
    cdp.on("ServiceWorker.workerRegistrationUpdated", ({ registrations }) => { registrationId = registrations.find((one) => one.scopeURL.startsWith(origin))?.registrationId ?? registrationId; });
    await cdp.send("ServiceWorker.enable");
    await expect.poll(() => registrationId).not.toBe("");
    const looks: string[] = [];
    page.on("request", (request) => { if (new RegExp(`/v1/matches/${match.match_id}(\\?|$)`).test(request.url())) looks.push(request.url()); });
    // Chromium loses a message now and then, if the machine is busy. Two with one tag are one notice.
    const push = () => cdp.send("ServiceWorker.deliverPushMessage", { origin, registrationId, data: JSON.stringify({ web_push: 8030, notification: { title: "Du bist dran", body: "…", lang: "de", dir: "ltr", data: { delivery_id: crypto.randomUUID(), code: "your_turn", parameters: { match_id: match.match_id, opponents: ["bob"] } } }, app_badge: 1 }) });
    await expect.poll(async () => {
      await push();
      return page.evaluate(async () => (await (await navigator.serviceWorker.ready).getNotifications()).map((one) => `${one.lang} ${one.title}`));
    }, { interval: 2000 }).toEqual(["de Du bist dran"]);
    expect(looks).toEqual([]);
    const length = await page.evaluate(() => history.length);
    // Chromium has no way to press a notice from a test: the worker's message stands for it.
    await page.evaluate((path) => { navigator.serviceWorker.dispatchEvent(new MessageEvent("message", { data: { type: "open", path } })); }, `/match/${match.match_id}`);
    await page.locator("[data-hand] button").first().waitFor();
    expect(await page.evaluate(() => history.length)).toBeLessThanOrEqual(length + 1);
  });
  it("does not ask for permission before the first own move", async () => {
    const { username, match } = await sandbox();
    const player = await logIn(browser, username);
    await expect(player.page.getByText("Shall we tell you").count()).resolves.toBe(0);
    await player.page.goto(`${origin}/match/${match.match_id}`);
    await player.page.locator("[data-hand] button").first().waitFor();
    await step(player.page);
    await player.page.getByText(/^Sent\./).first().waitFor();
    await player.page.getByRole("link", { name: "Back" }).tap();
    await player.page.getByText("Shall we tell you").waitFor();
    await player.page.getByRole("button", { name: "Not now" }).tap();
    await player.page.reload();
    await player.page.locator(".home").waitFor();
    await player.page.waitForTimeout(500);
    expect(await player.page.getByText("Shall we tell you").count()).toBe(0);
  });
});
describe.skipIf(!hasNotices)("notices on this device", () => {
  it("belong to the account that switched them on: not to the next one here, again after its log-in; off is off at the service too", async () => {
    const { username, token } = await sandbox();
    const bob = await account("bob");
    const endpoint = `https://push.example.org/send/${username}`;
    const keys = { p256dh: "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4", auth: "BTBZMqHH6r4Tts7J_aSIgg" };
    const { page, context, problems } = await logIn(browser, username);
    await context.grantPermissions(["notifications"], { origin });
    await context.addInitScript(({ endpoint, keys }) => {
      const data = {
        endpoint, options: { applicationServerKey: null },
        unsubscribe: () => { localStorage.removeItem("given"); return Promise.resolve(true); },
        toJSON: () => ({ endpoint, keys }),
      } as unknown as PushSubscription;
      PushManager.prototype.subscribe = () => { localStorage.setItem("given", "1"); return Promise.resolve(data); };
      PushManager.prototype.getSubscription = () => Promise.resolve(localStorage.getItem("given") ? data : null);
      // The badge, over reloads.
      navigator.setAppBadge = (count) => { localStorage.setItem("badge", String(count)); return Promise.resolve(); };
      navigator.clearAppBadge = () => { localStorage.setItem("badge", "none"); return Promise.resolve(); };
    }, { endpoint, keys });
    const channels = async (of: string): Promise<number> => (await call<{ items: unknown[] }>(of, "GET", "/v1/channels")).items.length;
    const badge = (): Promise<string | null> => page.evaluate(() => localStorage.getItem("badge"));
    const here = page.locator("section").filter({ hasText: "This device" });
    const logOut = async (): Promise<void> => {
      await page.goto(`${origin}/settings/account`);
      await page.getByRole("button", { name: "Log out" }).tap();
      await page.getByTestId("confirm").tap();
      await page.waitForURL(`${origin}/welcome`);
    };
    const back = async (name: string): Promise<void> => {
      await page.goto(`${origin}/login`);
      await page.locator("input[autocomplete=username]").fill(name);
      await page.locator("input[type=password]").fill("a long enough secret");
      await page.locator("form .btn.main").tap();
      await page.locator(".home").waitFor();
    };
    await page.reload();
    await expect.poll(badge).toBe("1");
    await page.goto(`${origin}/settings/notices`);
    await here.getByRole("button", { name: "Switch on" }).tap();
    await here.getByRole("button", { name: "Switch off" }).waitFor();
    expect(await channels(token)).toBe(1);
    await logOut();
    expect(await badge()).toBe("none");
    expect(await channels(token)).toBe(0);
    await back(bob.username);
    await page.goto(`${origin}/settings/notices`);
    await here.getByRole("button", { name: "Switch on" }).waitFor();
    expect(await channels(bob.token)).toBe(0);
    await logOut();
    await back(username);
    await expect.poll(() => channels(token)).toBe(1);
    // Each start sends the channel again; here it is on its way while the player switches it off.
    await page.route("**/v1/push-channels", async (route) => {
      await new Promise((done) => setTimeout(done, 1500));
      await route.continue();
    });
    const sent = page.waitForRequest("**/v1/push-channels");
    const answered = page.waitForResponse("**/v1/push-channels");
    await page.goto(`${origin}/settings/notices`);
    await sent;
    await here.getByRole("button", { name: "Switch off" }).tap();
    await answered;
    await here.getByRole("button", { name: "Switch on" }).waitFor();
    expect(await channels(token)).toBe(0);
    await page.unroute("**/v1/push-channels");
    // The device knows an older channel, as if the answer that names the newest had been lost.
    await here.getByRole("button", { name: "Switch on" }).tap();
    await here.getByRole("button", { name: "Switch off" }).waitFor();
    const [known] = (await call<{ items: { channel_id: string }[] }>(token, "GET", "/v1/channels")).items;
    await call(token, "DELETE", `/v1/channels/${known?.channel_id ?? ""}`);
    await call(token, "POST", "/v1/push-channels", { endpoint, ...keys, link: `${origin}/notices/{kind}/{id}` });
    expect(await channels(token)).toBe(1);
    await here.getByRole("button", { name: "Switch off" }).tap();
    await here.getByRole("button", { name: "Switch on" }).waitFor();
    expect(await channels(token)).toBe(0);
    expect(problems).toEqual([]);
  });

  it("are switched on by a real subscription's data, chosen by kind, and switched off", async () => {
    const { username } = await sandbox();
    const { page, context, problems } = await logIn(browser, username);
    await context.grantPermissions(["notifications"], { origin });
    // No push service can be reached from a test: the subscription is what such a service would give.
    await context.addInitScript(() => {
      let given: object | null = null;
      const data = {
        endpoint: "https://push.example.org/send/abc", options: { applicationServerKey: null },
        unsubscribe: () => { given = null; return Promise.resolve(true); },
        toJSON: () => ({ endpoint: "https://push.example.org/send/abc", keys: { p256dh: "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4", auth: "BTBZMqHH6r4Tts7J_aSIgg" } }),
      };
      PushManager.prototype.subscribe = () => { given = data; return Promise.resolve(data as unknown as PushSubscription); };
      PushManager.prototype.getSubscription = () => Promise.resolve(given as unknown as PushSubscription | null);
    });
    await page.goto(`${origin}/settings/notices`);
    await page.evaluate(() => navigator.serviceWorker.ready.then(() => undefined));
    await page.getByRole("button", { name: "Switch on" }).or(page.locator("section").first().locator(".btn.main")).first().tap();
    const channel = page.locator("section").filter({ hasText: "push.example.org" }).or(page.locator("section").filter({ has: page.getByRole("button", { name: "Remove" }) })).first();
    await channel.waitFor();
    const kind = channel.getByRole("checkbox").last();
    const before = await kind.isChecked();
    await kind.tap();
    await expect.poll(() => channel.getByRole("checkbox").last().isChecked()).toBe(!before);
    await channel.getByRole("button", { name: "Remove" }).tap();
    await channel.waitFor({ state: "detached" });
    expect(problems).toEqual([]);
  });
});
