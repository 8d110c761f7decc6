// WebKit by W3C WebDriver: Debian's WebKitWebDriver, its browser on a screen of its own, and the few commands of the test.
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";

const driver = process.env["WEBKIT_DRIVER"] ?? "/usr/bin/WebKitWebDriver";
const element = "element-6066-11e4-a52e-4f735466cecf";
export type Element = Record<typeof element, string>;

const freePort = (): Promise<number> => new Promise((resolve) => {
  const server = createServer().listen(0, "127.0.0.1", () => {
    const address = server.address();
    server.close(() => { resolve(typeof address === "object" && address ? address.port : 0); });
  });
});
/** An X server without a screen; the number of its display. */
async function display(): Promise<{ process: ChildProcess; name: string }> {
  const process = spawn("Xvfb", ["-displayfd", "3", "-screen", "0", "800x1000x24", "-nolisten", "tcp"], { stdio: ["ignore", "ignore", "ignore", "pipe"] });
  const name = await new Promise<string>((resolve, reject) => {
    process.once("error", () => { reject(new Error("no Xvfb: install Debian's package xvfb")); });
    process.once("exit", () => { reject(new Error("Xvfb has ended")); });
    process.stdio[3]?.once("data", (number: Buffer) => { resolve(`:${String(number).trim()}`); });
  });
  return { process, name };
}

export class WebKit {
  /** What pages have printed, and what went wrong in them. */
  readonly said: string[] = [];
  private readonly processes: ChildProcess[] = [];
  private address = "";
  private session = "";

  async start(profile: string): Promise<void> {
    if (!existsSync(driver)) throw new Error("no WebKitWebDriver: install Debian's packages webkit2gtk-driver, gir1.2-webkit2-4.1 and python3-gi, or name one in WEBKIT_DRIVER");
    const screen = await display();
    const port = await freePort();
    const process_ = spawn(driver, [`--port=${port}`], {
      // Without an accelerated screen and a session bus.
      env: { ...process.env, DISPLAY: screen.name, GDK_BACKEND: "x11", NO_AT_BRIDGE: "1", LANG: "C.UTF-8", WEBKIT_DISABLE_COMPOSITING_MODE: "1", GSETTINGS_BACKEND: "memory" },
      stdio: ["ignore", "pipe", "pipe"],
    });
    for (const output of [process_.stdout, process_.stderr]) output.on("data", (text: Buffer) => { this.said.push(...String(text).split("\n").filter(Boolean)); });
    this.processes.push(process_, screen.process);
    this.address = `http://127.0.0.1:${port}`;
    for (let i = 0; i < 100; i++) {
      if ((await fetch(`${this.address}/status`).catch(() => null))?.ok) break;
      await new Promise((resolve) => { setTimeout(resolve, 100); });
    }
    const { sessionId } = await this.ask<{ sessionId: string }>("POST", "", {
      capabilities: { alwaysMatch: { "webkitgtk:browserOptions": { binary: join(import.meta.dirname, "browser.py"), args: [profile] } } },
    }, 60_000).catch((cause: unknown) => { throw new Error(`the browser does not start: ${this.said.join("\n")}`, { cause }); });
    this.session = `/${sessionId}`;
  }
  async stop(): Promise<void> {
    if (this.session) await this.ask("DELETE", "").catch(() => undefined);
    this.session = "";
    for (const one of this.processes.splice(0)) {
      const ended = new Promise((resolve) => { if (one.exitCode !== null || one.signalCode !== null) resolve(null); else one.once("exit", resolve); });
      one.kill();
      await ended;
    }
  }
  /** A command of the session; its value. */
  async ask<T = unknown>(method: string, path: string, body?: unknown, within = 120_000): Promise<T> {
    const response = await fetch(`${this.address}/session${this.session}${path}`, { method, signal: AbortSignal.timeout(within), ...(body === undefined ? {} : { body: JSON.stringify(body) }) });
    const { value } = (await response.json()) as { value: T & { error?: string; message?: string } };
    if (!response.ok) throw new Error(`${method} ${path}: ${value.error ?? ""} ${value.message ?? ""}`);
    return value;
  }
  go(url: string): Promise<unknown> { return this.ask("POST", "/url", { url }); }
  run<T>(script: string, ...args: unknown[]): Promise<T> { return this.ask<T>("POST", "/execute/sync", { script, args }); }
  /** Waits until the script's value is neither false nor null. */
  async until<T>(script: string, ...args: unknown[]): Promise<T> {
    for (const end = Date.now() + 20_000; ;) {
      const value = await this.run<T | null | false>(script, ...args);
      if (value !== null && value !== false && value !== undefined) return value;
      if (Date.now() > end) throw new Error(`never: ${script} ${JSON.stringify(args)}\n${await this.text()}`);
      await new Promise((resolve) => { setTimeout(resolve, 100); });
    }
  }
  text(): Promise<string> { return this.run<string>("return document.body.innerText"); }
  /** The first element of a selector that is there and not disabled, with a text or label that begins like this. */
  find(selector: string, start = ""): Promise<Element> {
    return this.until<Element>(`return [...document.querySelectorAll(arguments[0])].find((one) => !one.matches(":disabled")
      && (one.getAttribute("aria-label") ?? one.textContent ?? "").replace(/[\\u2066-\\u2069]/g, "").trim().startsWith(arguments[1])) ?? null`, selector, start);
  }
  async type(selector: string, text: string): Promise<void> { await this.ask("POST", `/element/${(await this.find(selector))[element]}/value`, { text }); }
  /** A press of the mouse, as far from the middle as `x` says. */
  async press(selector: string | Element, start = "", x = 0): Promise<void> {
    const on = typeof selector === "string" ? await this.find(selector, start) : selector;
    await this.run("arguments[0].scrollIntoView({ block: 'nearest' })", on);
    await this.ask("POST", "/actions", { actions: [{
      type: "pointer", id: "mouse", parameters: { pointerType: "mouse" },
      actions: [{ type: "pointerMove", duration: 0, x, y: 0, origin: on }, { type: "pointerDown", button: 0 }, { type: "pointerUp", button: 0 }],
    }] });
  }
}
