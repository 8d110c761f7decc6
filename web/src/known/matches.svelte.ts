// The cache of matches: views by match and version, and the lists of Home. Kept on the device, shown at once, fetched after.
import * as api from "../api/matches";
import * as people from "../api/people";
import { NoAnswer, now, Problem } from "../api/client";
import { SvelteMap } from "svelte/reactivity";
import type { Challenge, Match, Pairing, Summary } from "../api/types";
import { shelf } from "./db";
import { learnNames } from "./names.svelte";
import { onAccount, session } from "./session.svelte";

export const views = new SvelteMap<string, Match>();

interface Lists { turns: Summary[]; running: Summary[]; waiting: Summary[]; finished: Summary[]; challenges: Challenge[]; pairings: Pairing[]; at: number }
const empty = (): Lists => ({ turns: [], running: [], waiting: [], finished: [], challenges: [], pairings: [], at: 0 });
export const home = $state<{ lists: Lists; loaded: boolean; fresh: boolean; error: unknown }>({ lists: empty(), loaded: false, fresh: false, error: null });
/** Whether the last request got an answer: what "offline" means here. */
export const network = $state({ reached: true });

const kept = shelf<Match>("views");
const values = shelf<unknown>("kv");

onAccount(() => {
  views.clear();
  home.lists = empty();
  home.loaded = home.fresh = false;
  home.error = null;
});

/** Takes over a view, unless a newer one is known. */
export function learn(match: Match): Match {
  const known = views.get(match.id);
  if (known && known.version > match.version) {
    // A lower version than before: an old answer, unless the service was restored from a backup, which reloads show.
    if (known.seenAt >= match.seenAt) return known;
  }
  views.set(match.id, match);
  learnNames(match.seats.map((seat) => seat.username));
  if (match.mySeat !== null) void kept.put(match.id, match);
  const line = home.lists.turns.findIndex((turn) => turn.id === match.id);
  if (line >= 0 && !match.myTurn) { home.lists.turns.splice(line, 1); showBadge(); }
  return match;
}

export async function remembered(id: string): Promise<Match | null> {
  const known = views.get(id) ?? (await kept.get(id));
  if (known && !views.has(id)) { views.set(id, known); learnNames(known.seats.map((seat) => seat.username)); }
  return known ?? null;
}

/** Notes whether the service was reached, and passes the error on. */
export async function reaching<R>(request: Promise<R>): Promise<R> {
  try {
    const result = await request;
    network.reached = true;
    return result;
  } catch (error) {
    if (error instanceof NoAnswer) network.reached = false;
    else if (error instanceof Problem) network.reached = true;
    throw error;
  }
}

/** Fetches a match. Counts as a look: only for the match that the player sees. */
export async function fetchMatch(id: string, since?: number): Promise<Match> {
  try {
    return learn(await reaching(api.getMatch(id, since)));
  } catch (error) {
    if (error instanceof Problem && error.code === "match_not_found") { views.delete(id); void kept.drop(id); }
    throw error;
  }
}

export async function loadHome(): Promise<void> {
  if (home.loaded) return;
  const before = (await values.get("home")) as Lists | undefined;
  for (const match of await kept.all()) if (!views.has(match.id)) views.set(match.id, match);
  if (before && !home.loaded) { home.lists = before; home.loaded = true; learnNames(everybody(before)); }
}
const everybody = (lists: Lists): string[] => [
  ...[...lists.turns, ...lists.running, ...lists.waiting, ...lists.finished].flatMap((match) => match.seats.map((seat) => seat.username)),
  ...lists.challenges.flatMap((challenge) => challenge.members.map((member) => member.username)),
];

let refreshing: Promise<void> | null = null;
export function refreshHome(): Promise<void> {
  refreshing ??= refreshNow().finally(() => { refreshing = null; });
  return refreshing;
}
async function refreshNow(): Promise<void> {
  if (!session.account) return;
  try {
    const [turns, running, waiting, finished, challenges, pairings] = await reaching(Promise.all([
      api.listTurns(), api.listMatches("running"), api.listMatches("waiting"), api.listMatches("finished", 5),
      people.listChallenges(), people.listPairings(),
    ]));
    home.lists = { turns: turns.items, running, waiting, finished, challenges, pairings, at: now() };
    home.loaded = home.fresh = true;
    home.error = null;
    learnNames(everybody(home.lists));
    showBadge();
    void values.put("home", home.lists);
  } catch (error) {
    home.fresh = false;
    home.error = error;
  }
}
/** Only what waits for me: after a move, and for the Next button. */
export async function refreshTurns(): Promise<void> {
  try {
    home.lists.turns = (await reaching(api.listTurns())).items;
    showBadge();
    void values.put("home", home.lists);
  } catch { /* The list stays as it was. */ }
}
export function showBadge(): void {
  const count = home.lists.turns.length;
  if ("setAppBadge" in navigator) void (count > 0 ? navigator.setAppBadge(count) : navigator.clearAppBadge()).catch(() => undefined);
}
