// The cache of matches: views by match and version, and the lists of Home. Kept on the device, shown at once, fetched after.
import * as api from "../api/matches";
import { NoAnswer, now, Problem } from "../api/client";
import { expectSettings, keepSettingsIn } from "../api/match-settings";
import { SvelteMap } from "svelte/reactivity";
import type { Entry, HomeLists, Match } from "../api/types";
import { shelf } from "./db";
import { tellNames } from "./names.svelte";
import { replaces } from "./newer";
import { closeNoticesBut } from "./notices";
import { onAccount, session } from "./session.svelte";

export const views = new SvelteMap<string, Match>();

const empty = (): HomeLists => ({
  turns: [], turnCount: 0, waiting: [], waitingCount: 0, lobby: [], lobbyCount: 0, finished: [],
  challenges: [], challengeCount: 0, pairings: [], friendRequests: 0, at: 0, etag: null,
});
export const home = $state<{ lists: HomeLists; loaded: boolean; fresh: boolean; error: unknown }>({ lists: empty(), loaded: false, fresh: false, error: null });
/** Whether the last request got an answer: what "offline" means here. */
export const network = $state({ reached: true });

const kept = shelf<Match>("views");
const values = shelf<unknown>("kv");
keepSettingsIn(shelf("settings"));

onAccount(() => {
  views.clear();
  home.lists = empty();
  home.loaded = home.fresh = false;
  home.error = null;
  showBadge();
});

/** Takes over a view, unless a newer one is known. What the service says only once is kept from the view before. */
export function learn(fetched: Match): Match {
  // The answer came after the log-out.
  if (!session.account) return fetched;
  const known = views.get(fetched.id);
  if (known && !replaces(fetched, known)) return known;
  const match = { ...fetched, lastRound: fetched.lastRound ?? known?.lastRound ?? null, commitment: fetched.commitment ?? known?.commitment ?? null };
  views.set(match.id, match);
  tellNames(match.seats);
  if (match.mySeat !== null) void kept.put(match.id, match);
  const { lists } = home;
  const line = lists.turns.findIndex((turn) => turn.id === match.id);
  // A full table waits for its start.
  if (line >= 0 && !match.myTurn && (match.status !== "waiting" || match.seats.length < match.size)) {
    lists.turns.splice(line, 1);
    lists.turnCount--;
    // No longer as it was sent: the next answer has to be a whole one.
    lists.etag = null;
    showBadge();
  }
  return match;
}

export async function remembered(id: string): Promise<Match | null> {
  const known = views.get(id) ?? (await kept.get(id));
  if (known && !views.has(id)) { views.set(id, known); tellNames(known.seats); }
  return known ?? null;
}

/** What happened in a match, as far as it was seen here: up to the version of the view that is kept. */
export async function rememberedLog(id: string, version: number): Promise<Entry[]> {
  return (((await values.get(`log.${id}`)) ?? []) as Entry[]).filter((entry) => entry.version <= version);
}
export function keepLog(id: string, log: Entry[]): void { void values.put(`log.${id}`, log); }

/** The match is no longer mine. */
export function forget(id: string): void { views.delete(id); void kept.drop(id); void values.drop(`log.${id}`); void shelf("rejected").drop(id); }

let lost: (error: unknown) => void = () => undefined;
/** Called when the service was not reached: to try again. */
export function onLost(listener: (error: unknown) => void): void { lost = listener; }
/** Notes whether the service was reached, and passes the error on. */
export async function reaching<R>(request: Promise<R>): Promise<R> {
  try {
    const result = await request;
    network.reached = true;
    return result;
  } catch (caught) {
    // A body in which nothing is where it should be is not of the service.
    const error = caught instanceof TypeError ? new NoAnswer("another body", { cause: caught }) : caught;
    if (error instanceof NoAnswer) { network.reached = false; lost(error); }
    else if (error instanceof Problem) network.reached = true;
    throw error;
  }
}

let early: { id: string; match: Promise<Match> } | null = null;
/** The match that the app is opened with is asked for while its screen is loaded. */
export function fetchEarly(path: string): void {
  const id = /^\/match\/([^/]+)$/.exec(path)?.[1];
  if (!id || !session.account) return;
  const match = remembered(id).then((known) => {
    if (!known) expectSettings(id);
    return fetchMatch(id, known?.version);
  });
  match.catch(() => undefined);
  early = { id, match };
}
/** Fetches a match. Counts as a look: only for the match that the player sees. */
export async function fetchMatch(id: string, since?: number): Promise<Match> {
  if (early?.id === id) {
    const { match } = early;
    early = null;
    return match;
  }
  try {
    return learn(await reaching(api.getMatch(id, since)));
  } catch (error) {
    if (error instanceof Problem && error.code === "match_not_found") forget(id);
    throw error;
  }
}

export async function loadHome(): Promise<void> {
  if (home.loaded) return;
  const before = (await values.get("home")) as HomeLists | undefined;
  for (const match of await kept.all()) if (!views.has(match.id)) views.set(match.id, match);
  if (before && !home.loaded) { home.lists = before; home.loaded = true; nameAll(before); }
}
function nameAll(lists: HomeLists): void {
  for (const match of [...lists.turns, ...lists.waiting, ...lists.lobby, ...lists.finished]) tellNames(match.seats);
  for (const challenge of lists.challenges) tellNames(challenge.members);
}

let refreshing: Promise<void> | null = null;
let next: Promise<void> | null = null;
/** What is under way may have been asked for too early: then once more. */
export function refreshHome(): Promise<void> {
  if (refreshing) {
    next ??= refreshing.then(() => { next = null; return refreshHome(); });
    return next;
  }
  refreshing = refreshNow().finally(() => { refreshing = null; });
  return refreshing;
}
async function refreshNow(): Promise<void> {
  if (!session.account) return;
  const owner = session.account.id;
  try {
    const lists = await reaching(api.getHome(home.loaded ? home.lists.etag : null));
    if (session.account?.id !== owner) return;
    if (lists) { home.lists = lists; nameAll(lists); } else home.lists.at = now();
    home.loaded = home.fresh = true;
    home.error = null;
    showBadge();
    const { turns, turnCount } = home.lists;
    if (turns.length === turnCount) closeNoticesBut(turns.map((turn) => turn.id));
    void values.put("home", home.lists);
  } catch (error) {
    home.fresh = false;
    home.error = error;
  }
}
export function showBadge(): void {
  const count = home.lists.turnCount;
  if ("setAppBadge" in navigator) void (count > 0 ? navigator.setAppBadge(count) : navigator.clearAppBadge()).catch(() => undefined);
}
