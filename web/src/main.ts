import { mount } from "svelte";
import App from "./app/App.svelte";
import { listen } from "./app/router.svelte";
import { registerWorker } from "./app/update.svelte";
import { preferred, speak } from "./i18n/index.svelte";
import { preload } from "./app/routes";
import { show } from "./known/device.svelte";
import { goLive } from "./known/live";
import { fetchEarly } from "./known/matches.svelte";
import { flushAll, watchNetwork } from "./known/outbox.svelte";
import { onAccount } from "./known/session.svelte";
import "./ui/base.css";

show();
// The screen and its match are fetched while the texts are.
void preload(location.pathname);
fetchEarly(location.pathname);
await speak(preferred()).catch(() => speak("en"));
listen();
const target = document.getElementById("app");
if (target) mount(App, { target });
requestAnimationFrame(show);
watchNetwork();
void flushAll();
goLive();
// Who has switched notices on here: told at each start, and after each log-in.
const keepPush = (): void => {
  if (typeof Notification !== "undefined" && Notification.permission === "granted") void import("./known/push").then((push) => push.keepPush()).catch(() => undefined);
};
void registerWorker(keepPush).then(keepPush);
onAccount((account) => { if (account) keepPush(); });
