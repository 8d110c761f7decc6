import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { device, fresh, origin, out, register, start, step, stop } from "./support";

let browser: Browser;
beforeAll(async () => { browser = await start(); });
afterAll(async () => { await stop(browser); });

it("two people play a whole match through the screen: one invites, the other is a guest", async () => {
  const ada = await register(browser, "ada");
  await ada.page.getByRole("link", { name: "New match" }).first().tap();
  await ada.page.getByRole("radio", { name: /^Dhumbal Nepal, without/ }).check({ force: true });
  await ada.page.getByText("All options").tap();
  await ada.page.getByRole("group", { name: "Rounds at most" }).getByRole("checkbox").check({ force: true });
  await ada.page.getByRole("spinbutton", { name: "Rounds at most" }).fill("3");
  await ada.page.getByRole("spinbutton", { name: "Rounds at most" }).blur();
  await ada.page.getByRole("button", { name: "Create and invite" }).tap();
  const code = (await ada.page.locator(".code").textContent())?.trim() ?? "";
  await ada.page.screenshot({ path: `${out}/waiting-room.png` });

  const noa = await device(browser);
  const writes: string[] = [];
  // Whether the cookie has a session is asked; that writes nothing.
  noa.page.on("request", (request) => { if (request.method() !== "GET" && !request.url().endsWith("/sessions/refresh")) writes.push(request.url()); });
  await noa.page.goto(`${origin}/join/${code}`);
  await noa.page.getByText("1 of 2 seats").waitFor();
  expect(writes).toEqual([]);
  await noa.page.screenshot({ path: `${out}/join.png` });
  const began = Date.now();
  await noa.page.getByLabel("Your name").fill(fresh("Noa"));
  await noa.page.getByRole("button", { name: "Take a seat as a guest" }).tap();
  await noa.page.getByText("2 of 2 seats").waitFor();
  expect(Date.now() - began).toBeLessThan(10_000);
  // No script can read what keeps the guest logged in.
  const [cookie] = await noa.context.cookies(`${origin}/v1/sessions`);
  expect(cookie).toMatchObject({ name: "yaniv_refresh", httpOnly: true, sameSite: "Strict" });
  expect(await noa.page.evaluate(() => JSON.stringify(localStorage))).not.toContain(cookie?.value ?? "");
  await noa.page.reload();
  await noa.page.getByText("2 of 2 seats").waitFor();

  await ada.page.getByRole("button", { name: "Start with 2 players" }).tap();
  await ada.page.locator("[data-hand]").waitFor();
  await noa.page.locator("[data-hand]").waitFor();
  let shot = 0;
  for (const end = Date.now() + 400_000; Date.now() < end;) {
    const states = [await step(ada.page), await step(noa.page)];
    if (shot < 3 && states.includes("acted")) { await ada.page.screenshot({ path: `${out}/play-${shot++}.png` }); }
    if (states.every((state) => state === "over")) break;
    if (!states.includes("acted")) await ada.page.waitForTimeout(200);
  }
  await ada.page.screenshot({ path: `${out}/match-end.png`, fullPage: true });
  await ada.page.getByText(/wins|You have won|shared win/).first().waitFor();
  await ada.page.getByRole("button", { name: "Check the shuffles" }).tap();
  // Equal totals at the end of the last round bring another one.
  await ada.page.getByText(/All shuffles hold: [3-9] rounds/).waitFor();
  // A button that has just appeared takes no press: it could have been meant for the one before.
  await ada.page.waitForTimeout(700);
  await ada.page.getByRole("button", { name: "Rematch" }).tap();
  await ada.page.getByText("Rematch offered").waitFor();
  await noa.page.goto(`${origin}/`);
  await noa.page.getByText("A rematch").waitFor();
  expect(ada.problems).toEqual([]);
  expect(noa.problems).toEqual([]);
});
