// The inbox: one feed of everything that happens in all matches of the account. Stream, and long poll as its fallback.
import { answer, authorized, either, NoAnswer, problemOf, raw } from "./client";

export interface News { type: string; matchId: string | null; version: number | null; challengeId: string | null }
interface WireNews { type: string; match_id?: string; version?: number; challenge_id?: string }
const news = (w: WireNews): News => ({ type: w.type, matchId: w.match_id ?? null, version: w.version ?? null, challengeId: w.challenge_id ?? null });

/** A cursor to begin with. */
export async function inboxNow(signal: AbortSignal): Promise<string> {
  return (await answer(authorized.GET("/v1/events", { params: { query: { after: "now", wait: 0 } }, signal }))).cursor;
}
export async function pollInbox(after: string, signal: AbortSignal): Promise<{ items: News[]; cursor: string }> {
  const w = await answer(authorized.GET("/v1/events", { params: { query: { after, wait: 25 } }, signal }));
  return { items: w.items.map(news), cursor: w.cursor };
}

/** Reads the stream until it ends; the reason is returned. Silence of 45 seconds counts as broken. */
export async function streamEvents(after: string, signal: AbortSignal, onNews: (item: News, cursor: string) => void): Promise<string> {
  const silence = new AbortController();
  let timer = setTimeout(() => { silence.abort(); }, 45_000);
  try {
    const response = await raw(`/v1/events/stream?after=${encodeURIComponent(after)}`, { headers: { accept: "text/event-stream" }, signal: either(signal, silence.signal) });
    if (response.ok && !response.headers.get("content-type")?.startsWith("text/event-stream")) throw new NoAnswer("no stream");
    if (!response.ok || !response.body) throw problemOf(response.status, await response.json().catch(() => null), response);
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    let rest = "";
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return "cut";
      clearTimeout(timer);
      timer = setTimeout(() => { silence.abort(); }, 45_000);
      rest += value.replaceAll("\r\n", "\n");
      let end: number;
      while ((end = rest.indexOf("\n\n")) >= 0) {
        const event = parseEvent(rest.slice(0, end));
        rest = rest.slice(end + 2);
        if (event.name === "end") return (JSON.parse(event.data) as { reason: string }).reason;
        if (event.name === "event") onNews(news(JSON.parse(event.data) as WireNews), event.id);
      }
    }
  } finally {
    clearTimeout(timer);
  }
}

export function parseEvent(block: string): { name: string; id: string; data: string } {
  const event = { name: "message", id: "", data: "" };
  for (const line of block.split("\n")) {
    const colon = line.indexOf(":");
    if (colon <= 0) continue;
    const value = line.slice(colon + 1).replace(/^ /, "");
    const field = line.slice(0, colon);
    if (field === "event") event.name = value;
    else if (field === "id") event.id = value;
    else if (field === "data") event.data += (event.data ? "\n" : "") + value;
  }
  return event;
}
