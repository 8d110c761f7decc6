// The outbox of this device: IndexedDB, Web Locks, the real service, and the timer that sends again.
import { act, newKey } from "../api/matches";
import { isFinal, NoAnswer, NotSent, now, Problem, refusal } from "../api/client";
import { SvelteMap } from "svelte/reactivity";
import type { Action } from "../api/types";
import { shelf } from "./db";
import { locked } from "./lock";
import { learn } from "./matches.svelte";
import { Outbox, pause, phaseOf, type Attempt, type Phase, type Rejected, type Saved } from "./outbox-core";
import { onAccount, session } from "./session.svelte";

/** What has become of the action of each match, for the screens. */
export const phases = new SvelteMap<string, Phase>();
const saved = shelf<Saved>("outbox");
const rejected = shelf<Rejected>("rejected");
const attempts = new Map<string, number>();
const timers = new Map<string, ReturnType<typeof setTimeout>>();
const tabs = typeof BroadcastChannel === "undefined" ? null : new BroadcastChannel("yaniv.outbox");

async function send(item: Saved): Promise<Attempt> {
  try {
    const match = await act(item.matchId, item.version, item.action, item.key);
    learn(match);
    return { is: "done", match };
  } catch (error) {
    if (error instanceof Problem && error.code === "version_conflict" && error.match) {
      learn(error.match);
      return { is: "conflict" };
    }
    if (error instanceof Problem && error.code === "no_session") return { is: "again", arrived: false, after: null };
    if (error instanceof Problem && isFinal(error)) return { is: "refused", error: refusal(error) };
    if (error instanceof Problem) return { is: "again", arrived: error.status >= 500 || error.status === 408, after: error.retryAfter };
    return { is: "again", arrived: !(error instanceof NotSent), after: error instanceof NoAnswer ? error.retryAfter : null };
  }
}

const outbox = new Outbox({
  shelf: saved,
  rejected,
  send,
  offline: () => !navigator.onLine,
  lock: locked,
  newKey,
  now,
  show(matchId, phase) {
    if (phase) phases.set(matchId, phase);
    else phases.delete(matchId);
    tabs?.postMessage({ matchId, state: phase?.state ?? null });
  },
});
tabs?.addEventListener("message", (event: MessageEvent<{ matchId: string; state: string | null }>) => {
  // Another tab sends: show what is kept, and take its result from the cache of views.
  void reload(event.data.matchId, event.data.state);
});
async function reload(matchId: string, state: string | null): Promise<void> {
  const item = await saved.get(matchId);
  if (item && (state === "sending" || state === "saved" || state === "checking")) phases.set(matchId, { state, item });
  else phases.delete(matchId);
}

export async function submit(matchId: string, version: number, action: Action): Promise<void> {
  attempts.delete(matchId);
  try {
    await outbox.submit(matchId, version, action);
  } catch {
    // Nothing that may fail on the way is known. If there is something, it is said.
    phases.set(matchId, { state: "refused", error: refusal(new Problem(0, "not_sent", "")) });
  }
  // Saved data is worth keeping once there is any.
  void navigator.storage?.persist?.().catch(() => false);
  await schedule(matchId, null);
}

/** Sends what is saved for a match; afterwards the timer, as long as it is not answered. */
export async function again(matchId: string): Promise<void> {
  clearTimeout(timers.get(matchId));
  if (session.account) await schedule(matchId, await outbox.flush(matchId));
}
async function schedule(matchId: string, wait: number | null): Promise<void> {
  clearTimeout(timers.get(matchId));
  if (!(await saved.get(matchId))) { attempts.delete(matchId); return; }
  const count = attempts.get(matchId) ?? 0;
  attempts.set(matchId, count + 1);
  timers.set(matchId, setTimeout(() => { if (!document.hidden) void again(matchId); }, Math.max(wait ?? 0, pause(count))));
}

/** Sends everything that is saved, and shows what was not played: at start, when the network or the page comes back. */
export async function flushAll(): Promise<void> {
  for (const item of await rejected.all()) if (!phases.has(item.matchId)) phases.set(item.matchId, phaseOf(item));
  for (const item of await saved.all()) {
    attempts.delete(item.matchId);
    if (!phases.has(item.matchId)) phases.set(item.matchId, { state: item.tried ? "checking" : "saved", item });
    void again(item.matchId);
  }
}
export const takeBack = (matchId: string): Promise<boolean> => outbox.takeBack(matchId);
/** The screen of the match has shown what came of the action. What was not played is kept until the page is seen. */
export function settle(matchId: string): void {
  const state = phases.get(matchId)?.state;
  if (state !== "sent" && state !== "conflict" && state !== "refused") return;
  phases.delete(matchId);
  if (state === "sent") return;
  if (document.hidden) { document.addEventListener("visibilitychange", () => { void seen(matchId); }, { once: true }); return; }
  void seen(matchId);
}
async function seen(matchId: string): Promise<void> {
  await rejected.drop(matchId);
  tabs?.postMessage({ matchId, state: null });
}

// Another account has other moves; the same one goes on.
onAccount((account) => {
  phases.clear();
  if (account) void flushAll();
});

export function watchNetwork(): void {
  addEventListener("online", () => { void flushAll(); });
  addEventListener("pageshow", () => { void flushAll(); });
  document.addEventListener("visibilitychange", () => { if (!document.hidden) void flushAll(); });
}
