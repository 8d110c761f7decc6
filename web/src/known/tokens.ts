// Where tokens live: the access token in memory only; the refresh token in an HttpOnly cookie or, if the service has
// another origin than the page, in localStorage.
import type { Account } from "../api/types";

/** `refresh` is null where a cookie has it. */
export interface Kept { refresh: string | null; account: Account }
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
