// Where tokens live. For now: the refresh token in localStorage, the access token in memory only. Once the service
// sets an HttpOnly cookie for pages of its own origin, only this file and `session.svelte.ts` change.
import type { Account } from "../api/types";

export interface Kept { refresh: string; account: Account }
const key = "yaniv.session";
const deviceKey = "yaniv.device";

export function readKept(): Kept | null {
  try {
    const text = localStorage.getItem(key);
    return text ? (JSON.parse(text) as Kept) : null;
  } catch { return null; }
}
export function keep(kept: Kept | null): void {
  try {
    if (kept) localStorage.setItem(key, JSON.stringify(kept));
    else localStorage.removeItem(key);
  } catch { /* Storage is full or forbidden: the session lasts as long as the page. */ }
}
/** Whose data this device holds: it is kept while a session is lost, and cleared for another account. */
export function readOwner(): string | null { try { return localStorage.getItem("yaniv.owner"); } catch { return null; } }
export function keepOwner(id: string | null): void {
  try { if (id) localStorage.setItem("yaniv.owner", id); else localStorage.removeItem("yaniv.owner"); } catch { /* see above */ }
}
/** Shows at the next log-in that this device is known; it gives no access. */
export function readDevice(): string | null { try { return localStorage.getItem(deviceKey); } catch { return null; } }
export function keepDevice(token: string): void { try { localStorage.setItem(deviceKey, token); } catch { /* see above */ } }
export function onChangeElsewhere(changed: (kept: Kept | null) => void): void {
  addEventListener("storage", (event) => { if (event.key === key || event.key === null) changed(readKept()); });
}
