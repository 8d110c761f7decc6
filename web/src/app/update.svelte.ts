// The service worker: registration, a newer version, the end of it, and messages (a tap on a notice).
import { isProblem } from "../api/client";
import { go } from "./router.svelte";
import { flushAll } from "../known/outbox.svelte";

let waiting: ServiceWorker | null = null;
/** `gone`: the service serves no client any more. */
export const update = $state({ ready: false, gone: false, take(): void { waiting?.postMessage({ type: "take-over" }); } });

/** `subscribed`: called when the browser has changed the push subscription. */
export async function registerWorker(subscribed: () => void): Promise<void> {
  if (!("serviceWorker" in navigator) || !import.meta.env.PROD) return;
  navigator.serviceWorker.addEventListener("message", (event: MessageEvent<{ type: string; path?: string }>) => {
    if (event.data.type === "open" && event.data.path) { go(event.data.path, { replace: location.pathname.startsWith("/match/") }); void flushAll(); }
    if (event.data.type === "subscription") subscribed();
  });
  // Another release has taken over, here or in another window: the files of this one are gone. Not the first worker of all.
  let had = navigator.serviceWorker.controller !== null;
  navigator.serviceWorker.addEventListener("controllerchange", () => { if (had) location.reload(); had = true; });
  try {
    const registration = await navigator.serviceWorker.register(workerUrl() as string);
    const check = (): void => {
      if (registration.waiting && navigator.serviceWorker.controller) { waiting = registration.waiting; update.ready = true; }
    };
    check();
    registration.addEventListener("updatefound", () => { registration.installing?.addEventListener("statechange", check); });
    const renew = (): void => { void registration.update().catch(() => leaveIfGone(registration)); };
    document.addEventListener("visibilitychange", () => { if (!document.hidden) renew(); });
    // A page from the cache: is the client still served?
    if (navigator.serviceWorker.controller) renew();
  } catch { /* Without a worker everything but notices and the offline start works. */ }
}

/**
 * Believed of the service alone: with the worker the push subscription goes. Without its file at the service a worker would show this client for ever. Then it goes: the open page works on, with the
 * files that the worker still gives it, and sends what is saved; the next one comes from the service.
 */
async function leaveIfGone(registration: ServiceWorkerRegistration): Promise<void> {
  const answer = await fetch(workerPath, { cache: "no-store" }).catch(() => null);
  if (!answer || ![404, 410].includes(answer.status) || !(await isProblem(answer))) return;
  await registration.unregister();
  update.gone = true;
}

const workerPath = "/sw.js";
interface Policy { createScriptURL(url: string): unknown }
interface TrustedTypes { createPolicy(name: string, rules: { createScriptURL(url: string): string }): Policy }
/** Under Trusted Types the worker's address needs a policy. It allows this one address. */
function workerUrl(): unknown {
  const types = (window as { trustedTypes?: TrustedTypes }).trustedTypes;
  const only = (url: string): string => { if (url !== workerPath) throw new TypeError(url); return url; };
  return types ? types.createPolicy("yaniv-worker", { createScriptURL: only }).createScriptURL(workerPath) : workerPath;
}
