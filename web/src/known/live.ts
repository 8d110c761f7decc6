// Hears of changes while the page is visible: one inbox stream for all matches, the long poll where streams fail.
import { streamEvents, inboxNow, pollInbox, type News } from "../api/inbox";
import { isFinal, Problem } from "../api/client";
import { fetchMatch, home, network, onLost, refreshHome, views } from "./matches.svelte";
import { phases } from "./outbox.svelte";
import { onAccount, session } from "./session.svelte";

let stop: AbortController | null = null;
let shown: string | null = null;
let homeTimer: ReturnType<typeof setTimeout> | null = null;

/** The match on the screen: only this one is fetched, as a fetch counts as a look. */
export function showMatch(id: string | null): void { shown = id; }

function fetchShown(item: News): void {
  if (!item.matchId || item.matchId !== shown || document.hidden) return;
  // The answer to a move that is on its way has the table in it.
  if (phases.get(shown)?.state === "sending") { setTimeout(() => { fetchShown(item); }, 200); return; }
  const known = views.get(shown);
  if (!known || item.version === null || item.version > known.version) void fetchMatch(shown, known?.version).catch(missed);
}
function heard(item: News): void {
  fetchShown(item);
  homeTimer ??= setTimeout(() => { homeTimer = null; if (!document.hidden) void refreshHome().then(() => { if (!home.fresh) missed(home.error); }); }, 400);
}

let misses = 0;
let missTimer: ReturnType<typeof setTimeout> | null = null;
/** News came, but what they are about could not be fetched: again after 1, 2, 4 … 30 seconds. */
function missed(error: unknown): void {
  if (isFinal(error) || !session.account) return;
  missTimer ??= setTimeout(() => { missTimer = null; if (!document.hidden) void catchUp(); }, Math.min(30_000, 1000 * 2 ** Math.min(misses++, 5)));
}

/** Everything that is shown is fetched again: the page has come back, or the network. */
export async function catchUp(): Promise<void> {
  let whole = true;
  const failed = (error: unknown): void => { whole = false; missed(error); };
  await Promise.all([
    refreshHome().then(() => { if (!home.fresh) failed(home.error); }),
    shown ? fetchMatch(shown, views.get(shown)?.version).catch(failed) : undefined,
  ]);
  if (whole) misses = 0;
}

async function listen(signal: AbortSignal): Promise<void> {
  let failures = 0;
  let cursor: string | null = null;
  const ended = (): boolean => signal.aborted;
  while (!ended()) {
    try {
      if (cursor === null) { cursor = await inboxNow(signal); await catchUp(); }
      if (failures >= 2) {
        // Streams do not get through (a proxy that buffers): poll, and try a stream again later.
        for (let polls = 0; polls < 10 && !ended(); polls++) {
          const page: { items: News[]; cursor: string } = await pollInbox(cursor, signal);
          cursor = page.cursor;
          network.reached = true;
          page.items.forEach(heard);
        }
        failures = 1;
      } else {
        const begun = Date.now();
        const reason: string = await streamEvents(cursor, signal, (item, at) => { cursor = at; network.reached = true; heard(item); });
        if (reason === "cut" && Date.now() - begun < 5_000) failures++;
        else failures = 0;
      }
    } catch (error) {
      if (ended()) return;
      if (error instanceof Problem && (error.status === 401 || error.status === 403)) return;
      // A cursor that is refused is given up.
      if (isFinal(error)) cursor = null;
      if (!(error instanceof Problem)) network.reached = navigator.onLine && network.reached;
      failures++;
      await new Promise((resolve) => { setTimeout(resolve, Math.min(30_000, 1000 * 2 ** Math.min(failures, 5)) * (0.7 + Math.random() * 0.6)); });
      if (failures > 1 && !ended()) await catchUp().catch(() => undefined);
    }
  }
}

function restart(): void {
  stop?.abort();
  stop = null;
  if (document.hidden || !session.account) return;
  stop = new AbortController();
  void listen(stop.signal);
}

export function goLive(): void {
  document.addEventListener("visibilitychange", restart);
  addEventListener("pageshow", (event) => { if (event.persisted) restart(); });
  addEventListener("online", restart);
  addEventListener("focus", () => { if (stop && !document.hidden) void catchUp(); });
  onAccount(restart);
  onLost(missed);
  restart();
}
