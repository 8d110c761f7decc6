import { matchPath, type Route } from "./router.svelte";
import type { Component } from "svelte";

type Loaded = { default: Component<Record<string, string>> };
const screen = (load: () => Promise<unknown>): (() => Promise<Loaded>) => load as () => Promise<Loaded>;

/** `open`: shown without a session. `tab`: which tab is lit. */
export const routes: Route[] = [
  { path: "/", load: screen(() => import("../home/Home.svelte")), tab: "home" },
  { path: "/welcome", load: screen(() => import("../start/Welcome.svelte")), open: true },
  { path: "/login", load: screen(() => import("../start/LogIn.svelte")), open: true },
  { path: "/login/code", load: screen(() => import("../start/EnterCode.svelte")), open: true },
  { path: "/login/identity", load: screen(() => import("../start/IdentityLogIn.svelte")), open: true },
  { path: "/forgot-password", load: screen(() => import("../start/ForgotPassword.svelte")), open: true },
  { path: "/reset-password", load: screen(() => import("../start/ResetPassword.svelte")), open: true },
  { path: "/verify-email", load: screen(() => import("../start/VerifyEmail.svelte")), open: true },
  { path: "/oauth/authorize", load: screen(() => import("../start/Authorize.svelte")) },
  { path: "/register", load: screen(() => import("../start/LogIn.svelte")), open: true },
  { path: "/join/:code", load: screen(() => import("../start/Join.svelte")), open: true },
  { path: "/new", load: screen(() => import("../start/NewMatch.svelte")), tab: "home" },
  { path: "/find", load: screen(() => import("../start/Find.svelte")), tab: "home" },
  { path: "/challenge/:id", load: screen(() => import("../people/ChallengeScreen.svelte")), tab: "home" },
  { path: "/match/:id", load: screen(() => import("../table/MatchScreen.svelte")) },
  { path: "/match/:id/replay", load: screen(() => import("../played/ReplayScreen.svelte")) },
  { path: "/match/:id/replay/:round", load: screen(() => import("../played/ReplayScreen.svelte")) },
  { path: "/people", load: screen(() => import("../people/People.svelte")), tab: "people" },
  { path: "/people/:name", load: screen(() => import("../people/ProfileScreen.svelte")), tab: "people" },
  { path: "/history", load: screen(() => import("../played/History.svelte")), tab: "history" },
  { path: "/statistics/:name", load: screen(() => import("../played/StatisticsScreen.svelte")), tab: "history" },
  { path: "/ratings", load: screen(() => import("../played/Ratings.svelte")), tab: "history" },
  { path: "/more", load: screen(() => import("../settings/More.svelte")), tab: "more" },
  { path: "/settings/notices", load: screen(() => import("../settings/Notices.svelte")), tab: "more" },
  { path: "/settings/time", load: screen(() => import("../settings/TimeSettings.svelte")), tab: "more" },
  { path: "/settings/account", load: screen(() => import("../settings/AccountSettings.svelte")), tab: "more" },
  { path: "/settings/apps", load: screen(() => import("../settings/Apps.svelte")), tab: "more" },
  { path: "/settings/look", load: screen(() => import("../settings/Look.svelte")), tab: "more" },
];

/** Fetches the code of a path's screen ahead of time. */
export async function preload(path: string): Promise<void> {
  await routes.find((route) => matchPath(route.path, path))?.load().catch(() => undefined);
}
