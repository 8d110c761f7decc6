// The service worker: precache of the built files, notices, the badge. It never asks for a match (that counts as a look).
export {};
declare const self: ServiceWorkerGlobalScope;
declare const __PRECACHE__: string[];
declare const __VERSION__: string;

const cacheName = `yaniv-${__VERSION__}`;
const files = __PRECACHE__;

self.addEventListener("install", (event) => { event.waitUntil(precache()); });
/** All files, or none: a portal's page in place of one would stay until the next release. */
async function precache(): Promise<void> {
  const cache = await caches.open(cacheName);
  await Promise.all(files.map(async (url) => {
    const file = await fetch(url, { cache: "reload", redirect: "error" });
    const page = (file.headers.get("content-type") ?? "").startsWith("text/html");
    const own = url === "/" ? page && (await file.clone().text()).includes('id="app"') : !page;
    if (!file.ok || !own) throw new Error(`not served: ${url}`);
    await cache.put(url, file);
  }));
}
self.addEventListener("activate", (event) => {
  event.waitUntil((async () => {
    for (const name of await caches.keys()) if (name.startsWith("yaniv-") && name !== cacheName) await caches.delete(name);
    await self.clients.claim();
  })());
});
self.addEventListener("message", (event) => {
  if ((event.data as { type?: string }).type === "take-over") void self.skipWaiting();
});

/** Paths at which the service shows pages of its own. */
const ofService = /^\/(v1|oidc|unsubscribe|\.well-known|docs|openapi|healthz|readyz|metrics)\b/;

self.addEventListener("fetch", (event) => {
  const { request } = event;
  const url = new URL(request.url);
  // The API is the page's own business: it has its cache of views.
  if (request.method !== "GET" || url.origin !== location.origin || ofService.test(url.pathname)) return;
  if (request.mode === "navigate") {
    event.respondWith(caches.match("/", { cacheName }).then((page) => page ?? fetch(request)));
  } else if (files.includes(url.pathname)) {
    event.respondWith(caches.match(url.pathname, { cacheName }).then((file) => file ?? fetch(request)));
  }
});

/** The texts are in the player's language already. */
interface Notice {
  title: string; body?: string; lang?: string; dir?: "ltr" | "rtl";
  data?: { delivery_id?: string; code?: string; parameters?: { match_id?: string; challenge_id?: string } };
}

self.addEventListener("push", (event) => {
  const message = (event.data?.json() ?? {}) as { notification?: Notice; app_badge?: number | string };
  event.waitUntil(Promise.all([show(message.notification), badge(message.app_badge)]));
});
async function badge(count: number | string | undefined): Promise<void> {
  const waiting = Number(count ?? NaN);
  const device = self.navigator as WorkerNavigator & { setAppBadge?: (count: number) => Promise<void> };
  if (Number.isFinite(waiting) && device.setAppBadge) await device.setAppBadge(waiting).catch(() => undefined);
}
async function show(notice: Notice | undefined): Promise<void> {
  if (!notice) { await self.registration.showNotification("Yaniv"); return; }
  const { title, body = "", lang = "", dir = "auto", data = {} } = notice;
  const { match_id, challenge_id } = data.parameters ?? {};
  const tag = match_id ?? challenge_id ?? data.code ?? "";
  // In place of the notice of the turn: a second sound, or nobody would be warned.
  const renotify = tag !== "" && ["deadline_near", "nudged"].includes(data.code ?? "");
  const options: NotificationOptions & { renotify: boolean } = { body, lang, dir, tag, renotify, icon: "/icons/icon-192.png", badge: "/icons/badge-96.png", data };
  await self.registration.showNotification(title, options);
}

/** Windows that show the client, and do not wait for an answer to an app. */
async function clientWindows(): Promise<WindowClient[]> {
  const windows = await self.clients.matchAll({ type: "window" });
  return windows.filter((one) => { const { pathname } = new URL(one.url); return !ofService.test(pathname) && !pathname.startsWith("/oauth"); });
}

/** The browser has changed the subscription. Only a page can tell the service; without one, the next start does. */
self.addEventListener("pushsubscriptionchange", (event) => {
  const { oldSubscription } = event as Event & { oldSubscription?: PushSubscription };
  (event as ExtendableEvent).waitUntil((async () => {
    if (oldSubscription) await self.registration.pushManager.subscribe(oldSubscription.options).catch(() => undefined);
    for (const one of await clientWindows()) one.postMessage({ type: "subscription" });
  })());
});

self.addEventListener("notificationclick", (event) => {
  event.notification.close();
  const { match_id, challenge_id } = ((event.notification.data ?? {}) as NonNullable<Notice["data"]>).parameters ?? {};
  const path = match_id ? `/match/${match_id}` : challenge_id ? `/challenge/${challenge_id}` : "/";
  event.waitUntil((async () => {
    const first = (await clientWindows())[0];
    if (!first) { await self.clients.openWindow(path); return; }
    await first.focus().catch(() => undefined);
    first.postMessage({ type: "open", path });
  })());
});
