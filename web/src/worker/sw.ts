// The service worker: precache of the built files, notices, the badge. It never asks for a match (that counts as a look).
export {};
declare const self: ServiceWorkerGlobalScope;
declare const __PRECACHE__: string[];
declare const __VERSION__: string;

const cacheName = `yaniv-${__VERSION__}`;
const files = __PRECACHE__;

self.addEventListener("install", (event) => {
  event.waitUntil(caches.open(cacheName).then((cache) => cache.addAll(files.map((url) => new Request(url, { cache: "reload" })))));
});
self.addEventListener("activate", (event) => {
  event.waitUntil((async () => {
    for (const name of await caches.keys()) if (name.startsWith("yaniv-") && name !== cacheName) await caches.delete(name);
    await self.clients.claim();
  })());
});
self.addEventListener("message", (event) => {
  if ((event.data as { type?: string }).type === "take-over") void self.skipWaiting();
});

self.addEventListener("fetch", (event) => {
  const { request } = event;
  const url = new URL(request.url);
  // The API is the page's own business: it has its cache of views.
  if (request.method !== "GET" || url.origin !== location.origin || /^\/(v1|oidc|unsubscribe|\.well-known|docs|openapi|healthz|readyz|metrics)\b/.test(url.pathname)) return;
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
  await self.registration.showNotification(title, {
    body, lang, dir, tag: match_id ?? challenge_id ?? data.code ?? "", icon: "/icons/icon-192.png", badge: "/icons/badge-96.png", data,
  });
}

self.addEventListener("notificationclick", (event) => {
  event.notification.close();
  const { match_id, challenge_id } = ((event.notification.data ?? {}) as NonNullable<Notice["data"]>).parameters ?? {};
  const path = match_id ? `/match/${match_id}` : challenge_id ? `/challenge/${challenge_id}` : "/";
  event.waitUntil((async () => {
    const windows = await self.clients.matchAll({ type: "window" });
    const first = windows[0];
    if (!first) { await self.clients.openWindow(path); return; }
    await first.focus().catch(() => undefined);
    first.postMessage({ type: "open", path });
  })());
});
