// E-mail: an address is added and confirmed, a forgotten password reset, a notification opens its match, and is unsubscribed
// from. The service has a mail server: YANIV_MAILS names the file of the messages that it has accepted, one of JSON in a line.
import { readFileSync } from "node:fs";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { call, device, logIn, origin, pair, playFirst, register, start, stop } from "./support";

const file = process.env["YANIV_MAILS"];
if (!file) console.log("NOT CHECKED: e-mail in the web client: YANIV_MAILS names no file");

let browser: Browser;
beforeAll(async () => { browser = await start(); });
afterAll(async () => { await stop(browser); });

interface Mail { to: string[]; headers: Record<string, string>; text: string }
/** What has arrived at an address. */
const mails = (address: string): Mail[] => readFileSync(file ?? "", "utf8").split("\n").filter((line) => line.startsWith("{"))
  .map((line) => JSON.parse(line) as Mail).filter((mail) => mail.to.includes(address));
/** A link of the newest message to an address, on the page's own origin, once there is one. */
async function link(address: string, of: RegExp): Promise<string> {
  const newest = (): string | undefined => mails(address).map((mail) => of.exec(mail.text)?.[0]).findLast((found) => found !== undefined);
  await expect.poll(newest).toBeTruthy();
  const { pathname, search, hash } = new URL(newest() ?? "");
  return origin + pathname + search + hash;
}
const [verification, reset, unsubscribe] = [/http\S+\/verify-email#\S+/, /http\S+\/reset-password#\S+/, /http\S+\/unsubscribe\/\S+/];

const section = (page: Page) => page.locator("section").filter({ has: page.getByRole("heading", { name: "E-mail", exact: true }) });
/** The section of the address itself, with its kinds. */
const channel = (page: Page, address: string) => page.locator("section").filter({ has: page.getByRole("heading", { name: address }) });
async function add(page: Page, address: string, password = "a long enough secret"): Promise<void> {
  await section(page).getByLabel("E-mail address").fill(address);
  await section(page).getByLabel("Your password").fill(password);
  await section(page).getByRole("button", { name: "Send a code" }).tap();
}
async function logOut(page: Page): Promise<void> {
  await page.goto(`${origin}/settings/account`);
  // The list of sessions moves the button.
  await page.getByText("this device").waitFor();
  await page.getByRole("button", { name: "Log out" }).tap();
  await page.getByTestId("confirm").tap();
  await page.waitForURL(`${origin}/welcome`);
}

describe.skipIf(!file)("e-mail", () => {
  it("an address is added and confirmed on another device; with it a forgotten password is reset", async () => {
    const { page, name, problems } = await register(browser, "ada");
    const address = `${name}@example.org`;
    await page.goto(`${origin}/settings/notices`);
    await add(page, address);
    await page.getByText("A code was sent to").filter({ hasText: address }).waitFor();
    await channel(page, address).getByText("not confirmed").waitFor();

    const other = await device(browser);
    let posted = 0;
    other.page.on("request", (request) => { if (request.url().endsWith("/v1/email-verifications")) posted++; });
    await other.page.goto(await link(address, verification));
    await other.page.getByLabel("Code of the e-mail").waitFor();
    expect(other.page.url()).toBe(`${origin}/verify-email`);
    await other.page.waitForLoadState("networkidle");
    expect(posted).toBe(0);
    await other.page.getByRole("button", { name: "Confirm the e-mail address" }).tap();
    await other.page.getByText("The address is confirmed.").waitFor();
    await page.reload();
    await channel(page, address).getByText("works").waitFor();
    expect(await page.getByText("A code was sent to").count()).toBe(0);

    await logOut(page);
    await page.goto(`${origin}/login`);
    await page.getByRole("link", { name: "Forgot your password?" }).tap();
    const ask = async (email: string): Promise<void> => {
      await page.getByLabel("E-mail address").fill(email);
      await page.getByRole("button", { name: "Send a code" }).tap();
      await page.getByText("If an account has this address, an e-mail with a code is on its way.").waitFor();
    };
    await ask(`nobody_${address}`);
    await ask(address);
    await page.getByRole("link", { name: "Enter a code" }).tap();
    const fill = async (code: string): Promise<void> => {
      if (code) await page.getByLabel("Code of the e-mail").fill(code);
      await page.getByLabel("New password").fill("quite another secret");
      await page.getByRole("button", { name: "Choose a new password" }).tap();
    };
    await fill("AAAAA-AAAAA-AAAAA");
    await page.getByText("This code is wrong, used or too old.").waitFor();
    // The screen is there already: only the fragment changes.
    await page.goto(await link(address, reset));
    await expect.poll(() => page.url()).toBe(`${origin}/reset-password`);
    await fill("");
    await page.locator(".home").waitFor();
    expect(await page.locator(".me").innerText()).toBe(name);

    await logOut(page);
    await page.goto(`${origin}/login`);
    const enter = async (password: string): Promise<void> => {
      await page.locator("input[autocomplete=username]").fill(name);
      await page.locator("input[type=password]").fill(password);
      await page.locator("form .btn.main").tap();
    };
    await enter("a long enough secret");
    await page.getByText("Unknown name or wrong password.").waitFor();
    await enter("quite another secret");
    await page.locator(".home").waitFor();
    expect([...problems, ...other.problems]).toEqual([]);
  });

  it("a notification opens its match; its other link, and the settings, end them", async () => {
    const { turn, other, id } = await pair();
    const { page, problems } = await logIn(browser, other.username);
    const address = `${other.username}@example.org`;
    await page.goto(`${origin}/settings/notices`);
    await add(page, address);
    await page.goto(await link(address, verification));
    await page.getByRole("button", { name: "Confirm the e-mail address" }).tap();
    await page.getByText("The address is confirmed.").waitFor();
    await page.goto(`${origin}/settings/notices`);
    await channel(page, address).getByLabel("my turn").check();
    const kinds = async (): Promise<string[] | undefined> => (await call<{ items: { kinds: string[] }[] }>(other.token, "GET", "/v1/channels")).items[0]?.kinds;
    await expect.poll(kinds).toContain("your_turn");
    await playFirst(turn.token, id);
    await page.goto(await link(address, /http\S+\/notices\/your_turn\/\S+/));
    await page.locator("[data-hand] button").first().waitFor();
    expect(new URL(page.url()).pathname).toBe(`/match/${id}`);

    // The page of that link is the service's own, also where the client has a worker.
    await page.evaluate(() => navigator.serviceWorker.ready.then(() => undefined));
    await page.goto(await link(address, unsubscribe));
    await page.getByRole("button", { name: "Unsubscribe" }).tap();
    await page.getByText("You get no more notifications by e-mail.").waitFor();
    expect(await kinds()).toEqual([]);
    await page.goto(`${origin}/settings/notices`);
    const mine = channel(page, address);
    await mine.getByLabel("once a day, what waits for me").check();
    await expect.poll(kinds).toEqual(["digest"]);
    await mine.getByRole("button", { name: "Remove" }).tap();
    await mine.waitFor({ state: "detached" });
    expect(problems).toEqual([]);
  });

  it("codes are few: it says how long to wait; a wrong password is told, a guest keeps the account first", async () => {
    const { page, name, problems } = await register(browser, "ada");
    const address = `${name}@example.org`;
    await page.goto(`${origin}/settings/notices`);
    await add(page, address, "not my password at all");
    await page.getByText("That is not your password.").waitFor();
    await add(page, address);
    await page.getByText("Sent.").waitFor();
    for (let i = 0; i < 3; i++) {
      await section(page).getByRole("button", { name: "Send again" }).tap();
      expect(await section(page).getByLabel("E-mail address").inputValue()).toBe(address);
      await page.keyboard.type("a long enough secret");
      await page.keyboard.press("Enter");
      await section(page).getByRole("button", { name: "Send a code" }).and(page.locator(":enabled")).waitFor();
    }
    await page.getByText(/Three codes were sent to this address\..* try again in (1 h|\d+ min)\./).waitFor();
    await expect.poll(() => mails(address).length).toBe(3);
    const code = /#(\S+)/.exec(mails(address)[2]?.text ?? "")?.[1] ?? "";
    // Typed as well as it can be remembered.
    await section(page).getByRole("link", { name: "Enter a code" }).tap();
    await page.getByLabel("Code of the e-mail").fill(code.toLowerCase().replaceAll("-", ""));
    await page.getByRole("button", { name: "Confirm the e-mail address" }).tap();
    await page.getByText("The address is confirmed.").waitFor();

    const guest = await device(browser);
    await guest.page.goto(origin);
    await guest.page.getByRole("button", { name: "Play as a guest" }).tap();
    await guest.page.locator(".home").waitFor();
    await guest.page.goto(`${origin}/settings/notices`);
    await section(guest.page).getByText("Keep your account first.").waitFor();
    expect(await section(guest.page).getByLabel("E-mail address").count()).toBe(0);
    expect([...problems, ...guest.problems]).toEqual([]);
  });
});
