// Web Push on this device: asked for from a tap only; sent to the service at each start and after each log-in of an account
// that has it switched on here. One subscription serves one account at a time: the service ends the channel of the one before.
import { Problem } from "../api/client";
import { createPushChannel, deleteChannel } from "../api/push";
import { serverFacts } from "../api/session";
import { language } from "../i18n/index.svelte";
import { device, set } from "./device.svelte";
import { installable } from "./install.svelte";
import { session, tellLanguage } from "./session.svelte";

export type PushState = "unsupported" | "install" | "denied" | "off" | "on";

export async function pushState(): Promise<PushState> {
  if (!("serviceWorker" in navigator) || !("PushManager" in window) || typeof Notification === "undefined") {
    return installable() === "hand" ? "install" : "unsupported";
  }
  if (Notification.permission === "denied") return "denied";
  const registration = await navigator.serviceWorker.getRegistration();
  const subscription = await registration?.pushManager.getSubscription();
  return Notification.permission === "granted" && subscription && wanted() ? "on" : "off";
}
/** The page that a notification opens. */
export const noticeLink = `${location.origin}/notices/{kind}/{id}`;
/** The account has switched notices on in this browser. */
const wanted = (): boolean => device.notices === null || channelHere() !== null;
/** The channel of this browser and account. */
export const channelHere = (): string | null => device.notices?.[session.account?.id ?? ""] ?? null;
function keepChannel(account: string, channel: string | null): void {
  const others = Object.entries(device.notices ?? {}).filter(([one]) => one !== account);
  set("notices", Object.fromEntries(channel ? [...others, [account, channel]] : others));
}

// One after the other: a channel that is being kept must not come back after it was switched off.
let last: Promise<unknown> = Promise.resolve();
function inTurn<T>(work: () => Promise<T>): Promise<T> {
  const mine = last.then(work, work);
  last = mine;
  return mine;
}

export async function subscribe(): Promise<PushState> {
  return (await Notification.requestPermission()) === "granted" ? inTurn(send) : pushState();
}
async function send(): Promise<PushState> {
  const { pushKey } = await serverFacts();
  const registration = await navigator.serviceWorker.ready;
  let subscription = await registration.pushManager.getSubscription();
  if (subscription && keyOf(subscription) !== pushKey) { await subscription.unsubscribe(); subscription = null; }
  subscription ??= await registration.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: pushKey });
  const account = session.account?.id ?? "";
  keepChannel(account, (await createPushChannel(subscription.toJSON(), noticeLink)).id);
  // The service writes the texts of notifications.
  await tellLanguage(language()).catch(() => undefined);
  return "on";
}
const keyOf = (subscription: PushSubscription): string => {
  const key = subscription.options.applicationServerKey;
  if (!key) return "";
  return btoa(String.fromCharCode(...new Uint8Array(key))).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
};
/** Here and at the service. */
export const unsubscribe = (): Promise<void> => inTurn(end);
async function end(): Promise<void> {
  const channel = channelHere();
  const registration = await navigator.serviceWorker.getRegistration();
  const subscription = await registration?.pushManager.getSubscription();
  // If the answer that named the newest channel was lost, the service names it again.
  if (!(channel && await ended(channel)) && subscription) await ended((await createPushChannel(subscription.toJSON(), noticeLink)).id);
  keepChannel(session.account?.id ?? "", null);
  await subscription?.unsubscribe();
}
/** Ends a channel; `false`: there is none. */
async function ended(channel: string): Promise<boolean> {
  try { await deleteChannel(channel); } catch (error) {
    if (error instanceof Problem && error.status === 404) return false;
    throw error;
  }
  return true;
}
/** Browsers change subscriptions, and the same endpoint is the same channel. */
export const keepPush = (): Promise<void> => inTurn(async () => {
  if (!session.account) return;
  if (channelHere() !== null || (await pushState()) === "on") await send().catch(() => undefined);
});
