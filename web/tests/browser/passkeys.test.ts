// Passkeys: added on the account screen, good for a log-in, removed. The authenticator is Chromium's virtual one. YANIV_PASSKEYS=1 says
// that the tests come by the service's YANIV_PUBLIC_URL, and that it is http://localhost or https.
import type { Browser, CDPSession, Locator, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { origin, register, start, stop, type Player } from "./support";

const there = !!process.env["YANIV_PASSKEYS"];
if (!there) console.log("NOT CHECKED: passkeys: YANIV_PASSKEYS is not set");

let browser: Browser;
beforeAll(async () => { browser = await start(); });
afterAll(async () => { await stop(browser); });

const secret = "a long enough secret";
/** A device that asks for a fingerprint, and gets the right one. */
async function authenticator(page: Page): Promise<{ cdp: CDPSession; authenticatorId: string }> {
  const cdp = await page.context().newCDPSession(page);
  await cdp.send("WebAuthn.enable");
  const { authenticatorId } = await cdp.send("WebAuthn.addVirtualAuthenticator", {
    options: { protocol: "ctap2", transport: "internal", hasResidentKey: true, hasUserVerification: true, isUserVerified: true, automaticPresenceSimulation: true },
  });
  return { cdp, authenticatorId };
}
const panel = (page: Page): Locator => page.locator(".passkeys");
async function settings(page: Page): Promise<void> {
  await page.goto(`${origin}/settings/account`);
  // What comes late moves the buttons.
  await page.getByText("this device").waitFor();
  await panel(page).getByRole("button", { name: "Add a passkey" }).waitFor();
}
async function add(page: Page, name: string, password = secret): Promise<void> {
  await panel(page).getByRole("button", { name: "Add a passkey" }).tap();
  await panel(page).getByLabel("Name of the passkey").fill(name);
  await panel(page).getByLabel("Your password").fill(password);
  await panel(page).getByRole("button", { name: "Add a passkey" }).tap();
}
async function logOut(page: Page): Promise<void> {
  await settings(page);
  await page.getByRole("button", { name: "Log out" }).tap();
  await page.getByTestId("confirm").tap();
  await page.waitForURL(`${origin}/welcome`);
}
async function logIn(page: Page): Promise<void> {
  await page.goto(`${origin}/login`);
  await page.getByRole("button", { name: "Log in with a passkey" }).tap();
}
async function roundTrip({ page, name, problems }: Player): Promise<void> {
  await settings(page);
  await add(page, "My phone", "not my password");
  await panel(page).getByText("That is not your password.").waitFor();
  await panel(page).getByLabel("Your password").fill(secret);
  await panel(page).getByRole("button", { name: "Add a passkey" }).tap();
  await panel(page).getByText("The passkey is added.").waitFor();
  await panel(page).getByText("My phone").waitFor();
  await logOut(page);
  await logIn(page);
  await page.locator(".home").waitFor();
  expect(await page.locator(".me").innerText()).toBe(name);
  await settings(page);
  await panel(page).getByText("last used on").waitFor();
  expect(problems).toEqual([]);
}

describe.skipIf(!there)("passkeys", () => {
  it("a player adds one, logs in with it, and removes it", async () => {
    const player = await register(browser, "paula");
    const { page } = player;
    const { cdp, authenticatorId } = await authenticator(page);
    await roundTrip(player);
    // The device has one already.
    await add(page, "Again");
    await panel(page).getByText("This device has a passkey for this account already.").waitFor();
    await page.reload();
    await panel(page).getByRole("button", { name: "Remove the passkey My phone" }).tap();
    await page.getByTestId("confirm").tap();
    await panel(page).getByText("My phone").waitFor({ state: "detached" });
    await logOut(page);
    // The device still has its half.
    await logIn(page);
    await page.getByText("This passkey was removed here.").waitFor();
    // The finger is the wrong one.
    await cdp.send("WebAuthn.setUserVerified", { authenticatorId, isUserVerified: false });
    await logIn(page);
    await page.getByText("The device gave no passkey.").waitFor();
    await player.context.close();
  });

  it("the same in a browser that cannot read and write the JSON of the API", async () => {
    const player = await register(browser, "olga");
    await player.context.addInitScript(() => {
      const statics = PublicKeyCredential as unknown as Record<string, unknown>;
      delete statics["parseCreationOptionsFromJSON"];
      delete statics["parseRequestOptionsFromJSON"];
    });
    await authenticator(player.page);
    await roundTrip(player);
    await player.context.close();
  });

  it("a browser without passkeys shows none", async () => {
    const { page, context } = await register(browser, "nina");
    await context.addInitScript(() => { delete (window as unknown as Record<string, unknown>)["PublicKeyCredential"]; });
    await page.goto(`${origin}/settings/account`);
    await page.getByText("this device").waitFor();
    expect(await panel(page).count()).toBe(0);
    await context.clearCookies();
    await page.goto(`${origin}/login`);
    await page.locator("input[type=password]").waitFor();
    expect(await page.getByRole("button", { name: "Log in with a passkey" }).count()).toBe(0);
    await context.close();
  });
});
