// Web Push on this device: asked for from a tap only; sent to the service at each start.
import { createPushChannel } from "../api/settings";
import { serverFacts } from "../api/session";
import { t } from "../i18n/index.svelte";
import { shelf } from "./db";
import { session } from "./session.svelte";

const values = shelf<unknown>("kv");
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

/** Texts of notices in the player's language, for the worker. */
async function teach(): Promise<void> {
  await values.put("notices", {
    title: {
      your_turn: t("push.your_turn"), deadline_near: t("push.deadline_near"), nudged: t("push.nudged"), invited: t("push.invited"),
      round_over: t("push.round_over"), match_over: t("push.match_over"), test: t("push.test"),
    },
    with: t("push.with", { names: "@names@" }), until: t("push.until", { time: "@time@" }),
    language: document.documentElement.lang, dir: document.documentElement.dir,
  });
}

export async function subscribe(): Promise<PushState> {
  if ((await Notification.requestPermission()) !== "granted") return pushState();
  const { pushKey } = await serverFacts();
  const registration = await navigator.serviceWorker.ready;
  let subscription = await registration.pushManager.getSubscription();
  if (subscription && keyOf(subscription) !== pushKey) { await subscription.unsubscribe(); subscription = null; }
  subscription ??= await registration.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: pushKey });
  await createPushChannel(subscription.toJSON(), `${location.origin}/notices/{kind}/{id}`);
  await teach();
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
