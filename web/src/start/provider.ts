// The way to the OpenID provider and back, which leaves the page.
import { known, t } from "../i18n/index.svelte";

/** What the fragment says if the player comes back without an identity; it goes from the address bar, with the query. */
export function providerError(): string {
  const reason = /^#oidc_error=(\w+)$/.exec(location.hash)?.[1];
  if (!reason) return "";
  history.replaceState(history.state, "", location.pathname);
  return known(`oidc.${reason}`, t("oidc.failed"));
}
/** The query of the way back from `ConfirmIdentity`. It goes from the address bar as well. */
export function isConfirmed(): boolean {
  if (location.hash || location.search !== "?confirmed=1") return false;
  history.replaceState(history.state, "", location.pathname);
  return true;
}

const key = "yaniv.to";
/** This tab leaves for the provider to log in. Keeps where the player wants to go then: the service does not take long paths along. */
export function keepTarget(path: string): void { try { sessionStorage.setItem(key, path); } catch { /* Home, then. */ } }
/** Where the player wanted to go when this tab left; null if it did not. */
export function keptTarget(): string | null { try { return sessionStorage.getItem(key); } catch { return null; } }
/** The player is logged in. */
export function dropTarget(): void { try { sessionStorage.removeItem(key); } catch { /* It was not kept. */ } }
