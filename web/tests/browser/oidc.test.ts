// Log-in by an OpenID Connect provider: a newcomer registers, a player links an account, a log-in is cancelled, an account without a
// password is deleted. YANIV_OIDC=1 says that the service has the provider of tests/oidc/provider.mjs, and that its YANIV_PUBLIC_URL
// is the address of the client.
import type { Browser, BrowserContextOptions, Locator, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { api, device as plainDevice, fresh, logIn, origin, register, start, stop, type Player } from "./support";

const there = !!process.env["YANIV_OIDC"];
if (!there) console.log("NOT CHECKED: log-in by an OpenID provider: YANIV_OIDC is not set");

let browser: Browser;
/** Its name on the buttons. */
let provider: string;
beforeAll(async () => {
  browser = await start();
  if (there) provider = (await (await fetch(`${api}/v1/server`)).json() as { oidc_provider: string }).oidc_provider;
});
afterAll(async () => { await stop(browser); });

const secret = "a long enough secret";
type Device = Omit<Player, "name">;
/** The pages of the provider want fonts from elsewhere. */
async function offFonts<D extends Device>(made: D): Promise<D> {
  await made.context.route("https://fonts.googleapis.com/**", (route) => route.abort());
  return made;
}
const device = async (options: BrowserContextOptions = {}): Promise<Device> => offFonts(await plainDevice(browser, options));

const by = (page: Page): Locator => page.getByRole("link", { name: `Log in with ${provider}` });
/** Logs in on the page of the provider. */
async function atProvider(page: Page, subject: string): Promise<void> {
  await page.locator("input[name=login]").fill(subject);
  await page.locator("input[name=password]").fill("any");
  await page.getByRole("button", { name: "Sign-in" }).tap();
}
/** A newcomer, until a name is to be chosen. */
async function arrive(subject: string): Promise<Device> {
  const made = await device();
  await made.page.goto(`${origin}/login`);
  await by(made.page).tap();
  await atProvider(made.page, subject);
  await made.page.getByRole("heading", { name: "Choose a name" }).waitFor();
  return made;
}
/** An account without a password. */
async function newcomer(): Promise<Player> {
  const name = fresh("nora");
  const made = await arrive(name);
  await made.page.getByLabel("Name").fill(name);
  await made.page.getByRole("button", { name: "Register" }).tap();
  await made.page.locator(".home").waitFor();
  return { ...made, name };
}
const panel = (page: Page): Locator => page.locator("section").filter({ has: page.getByRole("heading", { name: `Log in with ${provider}` }) });
async function settings(page: Page): Promise<void> {
  await page.goto(`${origin}/settings/account`);
  // What comes late moves the buttons.
  await page.getByText("this device").waitFor();
  await panel(page).waitFor();
}
async function logOut(page: Page): Promise<void> {
  await settings(page);
  await page.getByRole("button", { name: "Log out" }).tap();
  await page.getByTestId("confirm").tap();
  await page.waitForURL(`${origin}/welcome`);
}
/** Where the service has asked for it: to the provider, which asks for the password, and back. */
async function confirm(page: Page, subject: string): Promise<void> {
  await page.getByRole("link", { name: `Confirm with ${provider}` }).tap();
  await atProvider(page, subject);
  await page.getByText("Confirmed. It holds for ten minutes.").waitFor();
  expect(new URL(page.url()).search).toBe("");
  await panel(page).waitFor();
}
async function link(page: Page, password = secret): Promise<void> {
  await panel(page).getByLabel("Your password").fill(password);
  await panel(page).getByRole("button", { name: `Link ${provider}` }).tap();
}
const linked = (page: Page): Promise<void> => panel(page).getByText("It is linked to your account.").waitFor();

describe.skipIf(!there)("an OpenID provider", () => {
  it("a newcomer registers by it and logs in again; sets a password, and unlinks it", async () => {
    const name = fresh("nora");
    const { page, problems } = await arrive(name);
    expect(page.url()).toBe(`${origin}/login/identity`);
    await page.reload();
    await page.getByLabel("Name").fill(name);
    let posts = 0;
    page.on("request", (request) => { if (request.url().endsWith("/v1/identity-accounts")) posts++; });
    await page.getByRole("button", { name: "Register" }).evaluate((button: HTMLElement) => { button.click(); button.click(); });
    await page.locator(".home").waitFor();
    expect(posts).toBe(1);
    expect(await page.locator(".me").innerText()).toBe(name);

    // The worker leaves the way to the provider to the service.
    await page.evaluate(() => navigator.serviceWorker.ready.then(() => undefined));
    await logOut(page);
    await page.goto(`${origin}/login`);
    // The player is still logged in at the provider: it asks nothing.
    await by(page).tap();
    await page.locator(".home").waitFor();
    expect(await page.locator(".me").innerText()).toBe(name);

    await settings(page);
    await linked(page);
    await panel(page).getByText("Set a password before you unlink it.").waitFor();
    expect(await panel(page).getByRole("button").count()).toBe(0);
    const set = async (): Promise<void> => {
      const form = page.locator("form").filter({ has: page.getByRole("heading", { name: "Set a password" }) });
      expect(await form.locator("input").count()).toBe(1);
      await form.getByLabel("New password").fill(secret);
      await form.getByRole("button", { name: "Save" }).tap();
    };
    await set();
    await confirm(page, name);
    await set();
    await page.getByText("Saved.").waitFor();
    await page.getByRole("heading", { name: "Change the password" }).waitFor();
    await panel(page).getByRole("button", { name: `Unlink ${provider}` }).tap();
    await page.getByTestId("confirm").tap();
    await panel(page).getByRole("link", { name: `Link ${provider}` }).waitFor();
    await logIn(browser, name);
    expect(problems).toEqual([]);
  });

  it("a player links it with the password, and logs in by it to where they wanted to go; nobody else can link the same", async () => {
    const { page, name, problems } = await offFonts(await register(browser, "lea"));
    await settings(page);
    await panel(page).getByRole("link", { name: `Link ${provider}` }).tap();
    await atProvider(page, name);
    await link(page, "quite another secret");
    await panel(page).getByText("That is not your password.").waitFor();
    await link(page);
    await linked(page);
    expect(page.url()).toBe(`${origin}/settings/account`);
    await logOut(page);
    // Longer than the service takes along.
    const wanted = `/oauth/authorize?response_type=code&state=${"s".repeat(300)}`;
    await page.goto(origin + wanted);
    await by(page).tap();
    await page.waitForURL(origin + wanted);
    await page.goto(origin);
    await page.locator(".home").waitFor();
    expect(await page.locator(".me").innerText()).toBe(name);

    const other = await offFonts(await register(browser, "max"));
    await settings(other.page);
    await panel(other.page).getByRole("link", { name: `Link ${provider}` }).tap();
    await atProvider(other.page, name);
    await link(other.page);
    await panel(other.page).getByText("Another account has this log-in.").waitFor();
    expect([...problems, ...other.problems]).toEqual([]);
  });

  it("a player who has an account links it on the way", async () => {
    const { name, context } = await register(browser, "ole");
    await context.close();
    const { page, problems } = await arrive(name);
    await page.getByRole("link", { name: "I have an account" }).tap();
    // The form before has a name, too.
    await page.getByRole("heading", { name: "Log in", exact: true }).waitFor();
    await page.locator("input[autocomplete=username]").fill(name);
    await page.locator("input[type=password]").fill(secret);
    await page.locator("form .btn.main").tap();
    await panel(page).waitFor();
    await link(page);
    await linked(page);
    expect(problems).toEqual([]);
  });

  it("the answer to the registration is lost: the next tap logs in", async () => {
    const name = fresh("pia");
    const { page, context } = await arrive(name);
    let lost = 0;
    await context.route("**/v1/identity-accounts", async (route, request) => {
      if (lost++ > 0) { await route.continue(); return; }
      // Not by the browser: it would keep the cookies of the answer.
      await fetch(`${api}/v1/identity-accounts`, { method: "POST", headers: { cookie: (await request.headerValue("cookie")) ?? "", "content-type": "application/json", origin, connection: "close" }, body: request.postData() });
      await route.abort();
    });
    await page.getByLabel("Name").fill(name);
    await page.getByRole("button", { name: "Register" }).tap();
    await page.getByText("No connection to the service.").waitFor();
    await page.getByRole("button", { name: "Register" }).tap();
    await page.locator(".home").waitFor();
    expect(await page.locator(".me").innerText()).toBe(name);
  });

  it("says so if the log-in is cancelled, or has begun elsewhere", async () => {
    const { page, problems } = await device();
    await page.goto(`${origin}/login`);
    await by(page).tap();
    await page.getByRole("link", { name: "Cancel" }).tap();
    await page.getByRole("alert").filter({ hasText: "The log-in was cancelled." }).waitFor();
    expect(page.url()).toBe(`${origin}/login/identity`);
    await by(page).tap();
    await page.locator("input[name=login]").waitFor();

    await page.goto(`${origin}/oidc/callback?code=a&state=b`);
    await page.getByRole("alert").filter({ hasText: "The log-in took too long, or began in another browser." }).waitFor();
    expect(page.url()).toBe(`${origin}/login`);

    const player = await offFonts(await register(browser, "kim"));
    await settings(player.page);
    await panel(player.page).getByRole("link", { name: `Link ${provider}` }).tap();
    await player.page.getByRole("link", { name: "Cancel" }).tap();
    await player.page.getByRole("alert").filter({ hasText: "The log-in was cancelled." }).waitFor();
    await panel(player.page).getByRole("link", { name: `Link ${provider}` }).waitFor();
    expect(player.page.url()).toBe(`${origin}/settings/account`);
    expect([...problems, ...player.problems]).toEqual([]);
  });

  it("an account without a password is deleted after a new log-in", async () => {
    const { page, name, problems } = await newcomer();
    await settings(page);
    const remove = async (): Promise<void> => {
      await page.getByRole("button", { name: "Delete account" }).tap();
      expect(await page.locator("dialog input").count()).toBe(0);
      await page.locator("dialog").getByRole("button", { name: "Delete account" }).tap();
    };
    await remove();
    // Cancelled: nothing is confirmed.
    await page.getByRole("link", { name: `Confirm with ${provider}` }).tap();
    await page.getByRole("link", { name: "Cancel" }).tap();
    await page.getByRole("alert").filter({ hasText: "The log-in was cancelled." }).waitFor();
    expect(await page.getByText("Confirmed.").count()).toBe(0);
    await panel(page).waitFor();
    await remove();
    await confirm(page, name);
    await remove();
    await page.waitForURL((url) => url.pathname === "/login");
    await by(page).tap();
    await page.getByRole("heading", { name: "Choose a name" }).waitFor();
    expect(problems).toEqual([]);
  });

  it.skipIf(!process.env["YANIV_MAILS"])("an account without a password gets an e-mail address after a new log-in", async () => {
    const { page, name, problems } = await newcomer();
    await page.goto(`${origin}/settings/notices`);
    const add = async (): Promise<void> => {
      await page.getByLabel("E-mail address").fill(`${name}@example.org`);
      expect(await page.getByLabel("Your password").count()).toBe(0);
      await page.getByRole("button", { name: "Send a code" }).tap();
    };
    await add();
    await page.getByRole("link", { name: `Confirm with ${provider}` }).tap();
    await atProvider(page, name);
    await page.getByText("Confirmed. It holds for ten minutes.").waitFor();
    await add();
    await page.getByText("A code was sent to").waitFor();
    expect(problems).toEqual([]);
  });

  it("the address of the way back, opened without having been at the provider", async () => {
    const { page, problems } = await device();
    await page.goto(`${origin}/login/identity`);
    // Login CSRF: only a tap logs in where this tab has not left for the provider.
    await page.getByRole("button", { name: `Log in with ${provider}` }).tap();
    await page.getByRole("alert").filter({ hasText: "This needs a new log-in with the provider." }).waitFor();
    await by(page).tap();
    await page.locator("input[name=login]").waitFor();
    expect(problems).toEqual([]);
  });
});
