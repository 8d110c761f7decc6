// Web Push on this device: asked for from a tap only; sent to the service at each start.
import { createPushChannel } from "../api/settings";
import { serverFacts } from "../api/session";
import { language } from "../i18n/index.svelte";
import { session, tellLanguage } from "./session.svelte";

export type PushState = "unsupported" | "install" | "denied" | "off" | "on";

export async function pushState(): Promise<PushState> {
  const ios = /iPhone|iPad/.test(navigator.userAgent);
  if (!("serviceWorker" in navigator) || !("PushManager" in window) || typeof Notification === "undefined") {
    return ios && !matchMedia("(display-mode: standalone)").matches ? "install" : "unsupported";
  }
  if (Notification.permission === "denied") return "denied";
  const registration = await navigator.serviceWorker.getRegistration();
  const subscription = await registration?.pushManager.getSubscription();
  return Notification.permission === "granted" && subscription ? "on" : "off";
}

export async function subscribe(): Promise<PushState> {
  if ((await Notification.requestPermission()) !== "granted") return pushState();
  const { pushKey } = await serverFacts();
  const registration = await navigator.serviceWorker.ready;
  let subscription = await registration.pushManager.getSubscription();
  if (subscription && keyOf(subscription) !== pushKey) { await subscription.unsubscribe(); subscription = null; }
  subscription ??= await registration.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: pushKey });
  await createPushChannel(subscription.toJSON(), `${location.origin}/notices/{kind}/{id}`);
  // The service writes the texts of notifications.
  await tellLanguage(language()).catch(() => undefined);
  return "on";
}
const keyOf = (subscription: PushSubscription): string => {
  const key = subscription.options.applicationServerKey;
  if (!key) return "";
  return btoa(String.fromCharCode(...new Uint8Array(key))).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
};
export async function unsubscribe(): Promise<void> {
  const registration = await navigator.serviceWorker.getRegistration();
  await (await registration?.pushManager.getSubscription())?.unsubscribe();
}
/** At each start: browsers change subscriptions, and the same endpoint is the same channel. */
export async function keepPush(): Promise<void> {
  if (!session.account || typeof Notification === "undefined" || Notification.permission !== "granted") return;
  if ((await pushState()) === "on") await subscribe().catch(() => undefined);
}
