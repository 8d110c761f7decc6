// Whole matches of all presets: two people, by the screen alone, and a bot. The screen checks the shuffles, the program
// (YANIV_BIN) verifies the records. Not part of `npm run browser`: it takes ten minutes.
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { device, fresh, origin, presets, register, start, step, stop } from "../browser/support";

const program = process.env["YANIV_BIN"];
const folder = mkdtempSync(join(tmpdir(), "yaniv-records-"));
let browser: Browser;
beforeAll(async () => { browser = await start(); });
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await stop(browser);
});

/** Creates a match of three seats, one of them for a bot; the code for its last seat. */
async function create(page: Page, preset: string): Promise<string> {
  await page.goto(`${origin}/new`);
  await page.locator("label.preset").filter({ has: page.locator(`[value="${preset}"]`) }).tap();
  await page.getByLabel("Table").selectOption("3");
  await page.getByLabel("Bots").selectOption("1");
  await page.getByRole("button", { name: "Create and invite" }).tap();
  return (await page.locator(".code").textContent())?.trim() ?? "";
}

it.concurrent.each(presets)("%s", async (preset) => {
  if (!program) throw new Error("YANIV_BIN names no program");
  const ada = await register(browser, "ada");
  const code = await create(ada.page, preset);
  const noa = await device(browser);
  await noa.page.goto(`${origin}/join/${code}`);
  await noa.page.getByLabel("Your name").fill(fresh("Noa"));
  await noa.page.getByRole("button", { name: "Take a seat as a guest" }).tap();
  await noa.page.getByText("3 of 3 seats").waitFor();
  await ada.page.getByRole("button", { name: "Start with 3 players" }).tap();

  const began = Date.now();
  let steps = 0;
  for (const pages = [ada.page, noa.page]; pages.length > 0;) {
    let waits = true;
    for (const page of [...pages]) {
      const did = await step(page);
      if (did === "over") pages.splice(pages.indexOf(page), 1);
      if (did === "acted") steps++;
      waits &&= did === "waits";
    }
    if (waits) await ada.page.waitForTimeout(200);
  }
  await ada.page.getByRole("button", { name: "Check the shuffles" }).tap();
  const rounds = await ada.page.getByText(/All shuffles hold: \d+ rounds/).textContent();
  const verified: string[] = [];
  for (const button of ["Download", "As text"]) {
    const saved = ada.page.waitForEvent("download");
    await ada.page.getByRole("button", { name: button, exact: true }).tap();
    const file = join(folder, `${preset}-${(await saved).suggestedFilename()}`);
    await (await saved).saveAs(file);
    verified.push((await promisify(execFile)(program, ["verify", file])).stdout.trim());
  }
  console.log(`${preset}: ${steps} steps of two people in ${Math.round((Date.now() - began) / 1000)} s; ${rounds ?? ""}; ${verified.join(", ")}`);
  expect([...ada.problems, ...noa.problems]).toEqual([]);
});
