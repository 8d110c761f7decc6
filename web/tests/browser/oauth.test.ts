// A third-party app gets a token by OAuth 2.1 with the player's consent. The app is a client library of others (oauth4webapi) and
// a page of its own on a loopback address. Needs a service whose YANIV_PUBLIC_URL is the address of the client.
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import * as oauth from "oauth4webapi";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { api, call, device, logIn, origin, register, start, stop } from "./support";

const insecure = { [oauth.allowInsecureRequests]: true };
const client: oauth.Client = { client_id: "Table Watch" };
let browser: Browser, app: Server, redirect: string, service: oauth.AuthorizationServer;
beforeAll(async () => {
  browser = await start();
  app = createServer((_, response) => { response.setHeader("content-type", "text/html").end("<title>Table Watch</title><h1>Back</h1>"); });
  await new Promise<void>((resolve) => { app.listen(0, "127.0.0.1", resolve); });
  redirect = `http://127.0.0.1:${(app.address() as AddressInfo).port}/callback`;
  const issuer = new URL(origin);
  service = await oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, { algorithm: "oauth2", ...insecure }));
});
afterAll(async () => { app.close(); await stop(browser); });

interface Asked { link: string; verifier: string; state: string }
/** The link by which the app asks for access. */
async function ask(changes: Record<string, string> = {}): Promise<Asked> {
  const [verifier, state] = [oauth.generateRandomCodeVerifier(), oauth.generateRandomState()];
  const link = new URL(service.authorization_endpoint ?? "");
  const parameters = {
    response_type: "code", client_id: client.client_id, redirect_uri: redirect, scope: "read play", state,
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier), code_challenge_method: "S256", ...changes,
  };
  for (const [name, value] of Object.entries(parameters)) link.searchParams.set(name, value);
  return { link: link.href, verifier, state };
}
/** What the app does with the answer, which is the address that the page has gone to. */
async function token(page: Page, { verifier, state }: Asked): Promise<string> {
  await page.getByRole("heading", { name: "Back" }).waitFor();
  const answer = oauth.validateAuthResponse(service, client, new URL(page.url()), state);
  const response = await oauth.authorizationCodeGrantRequest(service, client, oauth.None(), answer, redirect, verifier, insecure);
  return (await oauth.processAuthorizationCodeResponse(service, client, response)).access_token;
}
const account = (bearer: string): Promise<{ username: string }> => call(bearer, "GET", "/v1/account");
const allow = (page: Page) => page.getByRole("button", { name: "Allow", exact: true });

describe("a third-party app", () => {
  it("gets a token from a player who logs in on the way, and loses it when the player removes the access", async () => {
    const { page: before, name } = await register(browser, "ada");
    await before.close();
    const { page, problems } = await device(browser);
    const asked = await ask();
    await page.goto(asked.link);
    await page.locator("input[autocomplete=username]").fill(name);
    await page.locator("input[type=password]").fill("a long enough secret");
    await page.locator("form .btn.main").tap();
    await page.getByText("A program on this device").filter({ hasText: "http://127.0.0.1" }).waitFor();
    await page.getByText("calls itself").filter({ hasText: "Table Watch" }).waitFor();
    // A tap that was meant for a page before this one does nothing.
    expect(await allow(page).isDisabled()).toBe(true);
    expect(await page.locator("li").allInnerTexts()).toEqual(["see your matches, your cards and your friends", "create and join matches, and play for you"]);
    await allow(page).tap();
    const given = await token(page, asked);
    expect((await account(given)).username).toBe(name);
    const match = await call<{ match_id: string }>(given, "POST", "/v1/matches", { size: 2 });
    expect(match.match_id).toBeTruthy();
    await expect(call(given, "GET", "/v1/sessions")).rejects.toThrow("insufficient_scope");

    await page.goto(`${origin}/more`);
    await page.getByRole("link", { name: "Apps with access" }).tap();
    await page.getByRole("heading", { name: "Table Watch" }).waitFor();
    await page.getByText("http://127.0.0.1", { exact: true }).waitFor();
    await page.getByRole("button", { name: "Remove access: Table Watch" }).tap();
    await page.getByText("Only your own devices have access to your account.").waitFor();
    await expect(account(given)).rejects.toThrow("401");
    expect(problems).toEqual([]);
  });

  it("gives its token back", async () => {
    const { page } = await register(browser, "bo");
    const asked = await ask({ scope: "read" });
    await page.goto(asked.link);
    await allow(page).tap();
    const given = await token(page, asked);
    await account(given);
    await oauth.processRevocationResponse(await oauth.revocationRequest(service, client, oauth.None(), given, insecure));
    await expect(account(given)).rejects.toThrow("401");
  });

  it("is asked about as it is shown, also if the address changes", async () => {
    const { page } = await register(browser, "dee");
    const [shown, other] = [await ask({ scope: "read" }), await ask({ scope: "read play account" })];
    await page.goto(shown.link);
    await allow(page).waitFor();
    await page.evaluate((search) => { history.replaceState(null, "", search); dispatchEvent(new PopStateEvent("popstate")); }, new URL(other.link).search);
    await allow(page).tap();
    const given = await token(page, shown);
    await expect(call(given, "POST", "/v1/matches", { size: 2 })).rejects.toThrow("insufficient_scope");
  });

  it("is told of a refusal by the player, and of nothing if its request is not allowed", async () => {
    const { page, name } = await register(browser, "cleo");
    const asked = await ask();
    await page.goto(asked.link);
    await page.getByRole("button", { name: "Deny" }).tap();
    await page.getByRole("heading", { name: "Back" }).waitFor();
    expect(() => oauth.validateAuthResponse(service, client, new URL(page.url()), asked.state)).toThrow(expect.objectContaining({ error: "access_denied" }));

    const again = (await logIn(browser, name)).page;
    for (const [changes, field] of [[{ redirect_uri: "http://app.example/" }, "redirect_uri"], [{ code_challenge_method: "plain" }, "code_challenge_method"], [{ scope: "all" }, "scope"], [{ redirect_uri: `${origin}/oauth/authorize?scope=account` }, "redirect_uri"]] as const) {
      await again.goto((await ask(changes)).link);
      await again.getByRole("alert").filter({ hasText: `${field}: must` }).waitFor();
      expect(await allow(again).count()).toBe(0);
      expect(new URL(again.url()).origin).toBe(origin);
    }
    // A parameter that comes twice.
    await again.goto(`${(await ask()).link}&scope=account`);
    await again.getByRole("alert").filter({ hasText: "scope: must" }).waitFor();
    expect(await call((await tokenOf(name)), "GET", "/v1/tokens")).toMatchObject({ items: [] });
  });
});

async function tokenOf(username: string): Promise<string> {
  const response = await fetch(`${api}/v1/sessions`, { method: "POST", headers: { "content-type": "application/json", connection: "close" }, body: JSON.stringify({ username, password: "a long enough secret" }) });
  return (await response.json() as { access_token: string }).access_token;
}
