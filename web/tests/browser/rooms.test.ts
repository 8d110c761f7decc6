import jsQR from "jsqr";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { Browser, Locator } from "playwright-core";
import { account, call, device, fresh, get, logIn, origin, out, pair, register, start, stop } from "./support";

let browser: Browser;
beforeAll(async () => { browser = await start(); });
afterAll(async () => { await stop(browser); });

it("a guest continues on another device, by a code", async () => {
  const first = await device(browser);
  await first.page.goto(origin);
  await first.page.getByRole("button", { name: "Play as a guest" }).tap();
  await first.page.locator(".home").waitFor();
  const name = await first.page.locator(".me").innerText();
  await first.page.goto(`${origin}/settings/account`);
  await first.page.getByRole("button", { name: "Show a code" }).tap();
  const code = (await first.page.locator(".code").innerText()).trim();
  await first.page.getByText(/Valid once, for another 1 min|Valid once, for another 2 min/).waitFor();

  const second = await device(browser);
  await second.page.goto(`${origin}/login`);
  await second.page.getByRole("link", { name: "Enter a code" }).tap();
  await second.page.getByLabel("Code").fill("AAAAA-AAAAA-AAAAA");
  await second.page.locator("form .btn.main").tap();
  await second.page.getByText(/Get a new one on the other device/).waitFor();
  await second.page.getByLabel("Code").fill(code.toLowerCase());
  await second.page.locator("form .btn.main").tap();
  await second.page.locator(".home").waitFor();
  expect(await second.page.locator(".me").innerText()).toBe(name);
  expect([...first.problems, ...second.problems]).toEqual([]);
});

it("the code of a match is typed as people type it; a name that is refused says why, and makes no guest", async () => {
  const { token } = await account("ada");
  const { join_code: code } = await call<{ join_code: string }>(token, "POST", "/v1/matches", { size: 2 });
  const typed = `${code.slice(0, 4)}-${code.slice(4)}`;
  const { page } = await device(browser);
  const guests: number[] = [];
  page.on("response", (response) => { if (response.url().endsWith("/v1/guests")) guests.push(response.status()); });
  await page.goto(`${origin}/join/${typed}).`);
  await page.getByText("1 of 2 seats").waitFor();
  await page.goto(origin);
  await page.getByRole("link", { name: "Enter a code" }).tap();
  await page.getByLabel("Code").fill(typed.toLowerCase());
  await page.locator("form .btn.main").tap();
  await page.getByText("1 of 2 seats").waitFor();
  await page.getByLabel("Your name").fill("Noa 😀");
  await page.getByRole("button", { name: "Take a seat as a guest" }).tap();
  await page.getByText("Only letters, digits, spaces").waitFor();
  expect(guests).toEqual([422]);
  await page.getByLabel("Your name").fill(fresh("Noa"));
  await page.getByRole("button", { name: "Take a seat as a guest" }).tap();
  await page.getByText("2 of 2 seats").waitFor();
  expect(guests).toEqual([422, 201]);
});

it("a guest has a name from the start, and a session that is over leads to a new one", async () => {
  const { context, page } = await device(browser);
  await page.goto(origin);
  const name = fresh("Pia");
  await page.getByLabel("Your name").fill(name);
  await page.getByRole("button", { name: "Play as a guest" }).tap();
  await page.locator(".me", { hasText: name }).waitFor();
  await context.clearCookies();
  await page.goto(`${origin}/history`);
  await page.getByText("a guest begins anew").waitFor();
  await page.getByRole("link", { name: "Play as a guest" }).tap();
  await page.getByRole("button", { name: "Play as a guest" }).waitFor();
});

it("a full table waits for its host on Home, and starts there; its guest can start, too", async () => {
  const { username, token } = await account("ada");
  const { join_code: code } = await call<{ join_code: string }>(token, "POST", "/v1/matches", { size: 2 });
  const host = await logIn(browser, username);
  await host.page.getByText("Nothing waits for you.").waitFor();
  const guest = await device(browser);
  await guest.page.goto(`${origin}/join/${code}`);
  await guest.page.getByLabel("Your name").fill(fresh("Noa"));
  await guest.page.getByRole("button", { name: "Take a seat as a guest" }).tap();
  await guest.page.getByText("All are here: you can start.").waitFor();
  expect(await guest.page.getByRole("button", { name: "Start with 2 players" }).isEnabled()).toBe(true);
  expect(await guest.page.locator(".code").count()).toBe(0);
  await host.page.getByText("Waiting for you · 1").waitFor();
  expect(await host.page.getByText("Not started yet").count()).toBe(0);
  await host.page.getByRole("button", { name: "Start with 2 players" }).tap();
  for (const { page } of [host, guest]) await page.locator("[data-hand]").waitFor();
});

it("after a match, Home does not say that there was none", async () => {
  const { turn, other, id } = await pair();
  const { version } = await get(turn.token, id);
  await call(turn.token, "POST", `/v1/matches/${id}/resignations`, { expected_version: version });
  const { page } = await logIn(browser, other.username);
  await page.getByText("Finished").waitFor();
  expect(await page.getByText("No matches right now").count()).toBe(0);
});

/** What a camera reads in a part of the screen. */
async function scanned(part: Locator): Promise<string | null> {
  const picture = (await part.screenshot()).toString("base64");
  const blank = await browser.newPage();
  const { dark, width, height } = await blank.evaluate(async (base64) => {
    const image = await createImageBitmap(await (await fetch(`data:image/png;base64,${base64}`)).blob());
    const context = new OffscreenCanvas(image.width, image.height).getContext("2d");
    context?.drawImage(image, 0, 0);
    const pixels = context?.getImageData(0, 0, image.width, image.height).data ?? new Uint8ClampedArray();
    let dark = "";
    for (let i = 0; i < pixels.length; i += 4) dark += (pixels[i] ?? 0) < 128 ? "1" : "0";
    return { dark, width: image.width, height: image.height };
  }, picture);
  await blank.close();
  return jsQR(Uint8ClampedArray.from([...dark].flatMap((one) => (one === "1" ? [0, 0, 0, 255] : [255, 255, 255, 255]))), width, height)?.data ?? null;
}

it.each(["light", "dark"] as const)("the QR code leads to the table, in %s colours", async (colorScheme) => {
  const { username, token } = await account("ada");
  const made = await call<{ match_id: string; join_code: string }>(token, "POST", "/v1/matches", { size: 2 });
  const { page, problems } = await logIn(browser, username, { colorScheme });
  await page.goto(`${origin}/match/${made.match_id}`);
  await page.getByRole("button", { name: "QR code" }).tap();
  const code = page.getByRole("dialog").getByRole("img", { name: "QR code" });
  await code.waitFor();
  await expect.poll(() => scanned(code)).toBe(`${origin}/join/${made.join_code}`);
  expect(problems).toEqual([]);
});

it("the host makes rules of all kinds, and removes a player", async () => {
  const ada = await register(browser, "ada");
  await ada.page.goto(`${origin}/new`);
  await ada.page.getByText("All options").tap();
  const group = (name: string) => ada.page.getByRole("group", { name, exact: true });
  await group("Packs").getByRole("spinbutton").fill("2");
  await group("Suits").getByRole("combobox").selectOption("2");
  await group("Call with at most").getByRole("checkbox").uncheck({ force: true });
  await group("Words of a call, the right one first").getByRole("textbox").last().fill("jhyap");
  await group("Words of a call, the right one first").getByRole("textbox").last().blur();
  await group("Wrong word costs").getByRole("spinbutton").fill("7");
  await group("Points of the cards").getByLabel("ace").fill("3");
  await group("Totals that are replaced").getByRole("button", { name: "Remove" }).last().tap();
  await group("Bonus for right calls").getByRole("checkbox").check({ force: true });
  await ada.page.screenshot({ path: `${out}/options.png`, fullPage: true });
  await ada.page.getByRole("button", { name: "Create and invite" }).tap();
  const code = (await ada.page.locator(".code").innerText()).trim();
  await ada.page.getByRole("button", { name: "Read the rules" }).tap();
  for (const text of ["Hearts and spades only", "any number of points", "cost 7 points", "Ace 3,", "becomes 50", "Every 1. right call"]) await ada.page.getByText(text).first().waitFor();
  expect(await ada.page.getByText("becomes 100").count()).toBe(0);
  await ada.page.keyboard.press("Escape");

  const bob = await account("bob");
  await call(bob.token, "POST", `/v1/join-codes/${code}/seats`, {});
  await ada.page.getByRole("button", { name: `Remove ${bob.username}` }).tap();
  await ada.page.getByTestId("confirm").tap();
  await ada.page.getByText("1 of 2 seats").waitFor();
  await expect(call(bob.token, "POST", `/v1/join-codes/${code}/seats`, {})).rejects.toThrow("removed_by_host");
  expect(ada.problems).toEqual([]);
});
it("the host sets a time control of their own", async () => {
  const ada = await account("ada");
  const { page, problems } = await logIn(browser, ada.username);
  const settings = async (): Promise<object> => {
    await page.getByRole("button", { name: "Create and invite" }).tap();
    await page.locator(".code").waitFor();
    const { time_control: made } = await call<{ time_control: object }>(ada.token, "GET", `/v1/matches/${page.url().split("/").at(-1) ?? ""}/settings`);
    await page.goto(`${origin}/new`);
    await page.getByRole("radio", { name: "Custom", exact: true }).check({ force: true });
    return made;
  };
  await page.goto(`${origin}/new`);
  await page.getByRole("radio", { name: "Custom", exact: true }).check({ force: true });
  await page.getByLabel("At the start").selectOption({ label: "7 days" });
  await page.getByLabel("More each turn").selectOption({ label: "8 h" });
  // A bank holds at least what it begins with.
  expect(await page.getByRole("combobox", { name: "At most", exact: true }).locator("option").first().innerText()).toBe("7 days");
  await page.getByRole("combobox", { name: "At most", exact: true }).selectOption({ label: "14 days" });
  await page.getByRole("checkbox", { name: "Vacation" }).uncheck();
  await page.getByLabel("Missed deadlines in a row").selectOption("5");
  await page.getByLabel("After them").selectOption({ label: "Not in time 5 times in a row: out." });
  await page.getByText("7 days at the start, and 8 h more with each turn. Not in time 5 times in a row: out.").waitFor();
  const day = 86_400;
  expect(await settings()).toEqual({ clock: "bank", bank_seconds: 7 * day, gain_seconds: 8 * 3600, cap_seconds: 14 * day, vacation: false, quiet_hours: true, misses: 5, then: "out" });
  await page.getByRole("radio", { name: "Same each turn" }).check({ force: true });
  await page.getByLabel("For each turn").selectOption({ label: "1 min" });
  expect(await settings()).toEqual({ clock: "turn", turn_seconds: 60, vacation: true, quiet_hours: true, misses: 3, then: "bot" });
  expect(problems).toEqual([]);
});
