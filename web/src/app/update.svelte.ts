// The service worker: registration, a newer version, and messages (a tap on a notice).
import { go } from "./router.svelte";
import { flushAll } from "../known/outbox.svelte";

let waiting: ServiceWorker | null = null;
let taken = false;
export const update = $state({ ready: false, take(): void { taken = true; waiting?.postMessage({ type: "take-over" }); } });

export async function registerWorker(): Promise<void> {
  if (!("serviceWorker" in navigator) || !import.meta.env.PROD) return;
  navigator.serviceWorker.addEventListener("message", (event: MessageEvent<{ type: string; path?: string }>) => {
    if (event.data.type === "open" && event.data.path) { go(event.data.path, { replace: location.pathname.startsWith("/match/") }); void flushAll(); }
  });
  navigator.serviceWorker.addEventListener("controllerchange", () => { if (taken) location.reload(); });
  try {
    const registration = await navigator.serviceWorker.register(workerUrl() as string);
    const check = (): void => {
      if (registration.waiting && navigator.serviceWorker.controller) { waiting = registration.waiting; update.ready = true; }
    };
    check();
    registration.addEventListener("updatefound", () => { registration.installing?.addEventListener("statechange", check); });
    document.addEventListener("visibilitychange", () => { if (!document.hidden) void registration.update().catch(() => undefined); });
  } catch { /* Without a worker everything but notices and the offline start works. */ }
}

interface Policy { createScriptURL(url: string): unknown }
interface TrustedTypes { createPolicy(name: string, rules: { createScriptURL(url: string): string }): Policy }
/** Under Trusted Types the worker's address needs a policy. It allows this one address. */
function workerUrl(): unknown {
  const types = (window as { trustedTypes?: TrustedTypes }).trustedTypes;
  const only = (url: string): string => { if (url !== "/sw.js") throw new TypeError(url); return url; };
  return types ? types.createPolicy("yaniv-worker", { createScriptURL: only }).createScriptURL("/sw.js") : "/sw.js";
}
