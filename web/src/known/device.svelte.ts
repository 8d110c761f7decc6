// Settings of this device: look, language, shortcuts. In localStorage, so that they are there before the first frame.

export interface Device {
  theme: "auto" | "light" | "dark";
  suits: "classic" | "four" | "safe";
  language: string | null;
  shortcuts: boolean;
  corner: boolean;
  askedNotices: number;
  ownMoves: number;
  /** Channels of this browser, by account: who has switched notices on here. null: before that was kept. */
  notices: Record<string, string> | null;
}
const key = "yaniv.look";
const defaults: Device = { theme: "auto", suits: "four", language: null, shortcuts: false, corner: false, askedNotices: 0, ownMoves: 0, notices: null };
function read(): Device {
  try { return { ...defaults, ...(JSON.parse(localStorage.getItem(key) ?? "{}") as Partial<Device>) }; } catch { return { ...defaults }; }
}
export const device = $state<Device>(read());

export function set<K extends keyof Device>(name: K, value: Device[K]): void {
  device[name] = value;
  try { localStorage.setItem(key, JSON.stringify(device)); } catch { /* Lasts as long as the page. */ }
  show();
}
export function show(): void {
  const root = document.documentElement;
  root.dataset["theme"] = device.theme;
  root.dataset["suits"] = device.suits;
  // Large text (a browser's setting): what is fixed to the edges would leave no room.
  if (parseFloat(getComputedStyle(root).fontSize) >= 24) root.dataset["big"] = "";
}
