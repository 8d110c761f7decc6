// Operations of matches: lists, views, actions.
import { answer, answerIfChanged, authorized, open, Problem } from "./client";
import * as map from "./map";
import { whole } from "./match-settings";
import type { Action, Entry, HomeLists, Match, MatchWish, Preview } from "./types";

const path = (id: string) => ({ path: { match_id: id } });
const keyed = (id: string, key: string) => ({ ...path(id), header: { "Idempotency-Key": key } });
/** A fresh key for a write. Pages without HTTPS have no `randomUUID`. */
export const newKey = (): string => Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");

export async function getMatch(id: string, since?: number): Promise<Match> {
  return whole(await answer(authorized.GET("/v1/matches/{match_id}", {
    params: { ...path(id), ...(since !== undefined ? { query: { since } } : {}) },
  })));
}
/** The home screen; null if it is the same as with that tag. */
export async function getHome(etag: string | null): Promise<HomeLists | null> {
  const found = await answerIfChanged(authorized.GET("/v1/home", { headers: etag ? { "If-None-Match": etag } : {} }));
  return found && map.home(found.body, found.etag);
}
export async function createMatch(key: string, wish: MatchWish): Promise<Match> {
  return whole(await answer(authorized.POST("/v1/matches", {
    params: { header: { "Idempotency-Key": key } },
    body: {
      size: wish.size, rules: map.rulesWish(wish.rules), time_control: map.timeWish(wish.time),
      visibility: wish.isPublic ? "public" : "private", seat_order: wish.randomSeats ? "random" : "joined",
      ...(wish.rated ? { rated: true } : {}), ...(wish.sandbox ? { sandbox: true } : {}),
      ...(wish.sandboxSeed ? { sandbox_seed: wish.sandboxSeed } : {}),
      ...(wish.bots && wish.bots.length > 0 ? { bots: wish.bots as ("easy" | "medium" | "hard" | "expert")[] } : {}),
    },
  })));
}
/** Against bots alone. Asked for again with the same key, it is the same match. */
export async function createAndStart(key: string, wish: MatchWish): Promise<Match> {
  return startMatch(`${key}-start`, (await createMatch(key, wish)).id);
}
/** What an invitation leads to. It is read without a session. */
export async function getMatchByCode(code: string, session: boolean): Promise<Preview> {
  const path = { params: { path: { code } } };
  return map.preview(await answer(session ? authorized.GET("/v1/join-codes/{code}", path) : open.GET("/v1/join-codes/{code}", path)));
}
export async function joinMatch(key: string, code: string): Promise<Match> {
  return whole(await answer(authorized.POST("/v1/join-codes/{code}/seats", {
    params: { path: { code }, header: { "Idempotency-Key": key } }, body: {},
  })));
}
export async function startMatch(key: string, id: string): Promise<Match> {
  return whole(await answer(authorized.POST("/v1/matches/{match_id}/start", { params: keyed(id, key) })));
}
export async function leaveMatch(key: string, id: string): Promise<void> {
  await answer(authorized.POST("/v1/matches/{match_id}/leave", { params: keyed(id, key) }));
}
/** Only the host, before the start. */
export async function removePlayer(key: string, id: string, username: string): Promise<Match> {
  return whole(await answer(authorized.POST("/v1/matches/{match_id}/players/{username}/remove", {
    params: { path: { match_id: id, username }, header: { "Idempotency-Key": key } },
  })));
}
export async function renewCode(key: string, id: string): Promise<Match> {
  return whole(await answer(authorized.POST("/v1/matches/{match_id}/renew-code", { params: keyed(id, key), body: {} })));
}
export async function nudge(key: string, id: string): Promise<Match> {
  return whole(await answer(authorized.POST("/v1/matches/{match_id}/nudges", { params: keyed(id, key) })));
}
export async function dedicate(id: string, text: string): Promise<void> {
  await answer(authorized.POST("/v1/matches/{match_id}/dedications", { params: path(id), body: { text } }));
}

/** Sends an action. The same key, version and action give the same answer, however often they are sent. */
export async function act(id: string, version: number, action: Action, key: string): Promise<Match> {
  try {
    return await send(id, version, action, key);
  } catch (error) {
    if (error instanceof Problem && error.sent) error.match = await whole(error.sent);
    throw error;
  }
}
async function send(id: string, version: number, action: Action, key: string): Promise<Match> {
  const params = keyed(id, key);
  const at = { expected_version: version };
  switch (action.kind) {
    case "play":
      return whole(await answer(authorized.POST("/v1/matches/{match_id}/plays", {
        params, body: { ...at, cards: action.cards, ...map.drawWish(action.draw), ...(action.slamDown ? { slam_down: "if_fits" as const } : {}) },
      })));
    case "call":
      return whole(await answer(authorized.POST("/v1/matches/{match_id}/calls", { params, body: { ...at, ...(action.word ? { word: action.word } : {}) } })));
    case "slam":
      return whole(await answer(authorized.POST("/v1/matches/{match_id}/slam-downs", { params, body: { ...at, ...(action.first ? { first: true } : {}) } })));
    case "ask":
      return whole(await answer(authorized.POST("/v1/matches/{match_id}/card-requests", { params, body: { ...at, card: action.card } })));
    case "answerCardRequest":
      return whole(await answer(authorized.POST("/v1/matches/{match_id}/card-request-answers", { params, body: { ...at, answer: action.answer } })));
    case "answerCall":
      return whole(await answer(authorized.POST("/v1/matches/{match_id}/call-answers", { params, body: { ...at, answer: action.answer } })));
    case "answerSwap":
      return whole(await answer(authorized.POST("/v1/matches/{match_id}/swap-answers", { params, body: { ...at, answer: action.answer } })));
    case "pass":
      return whole(await answer(authorized.POST("/v1/matches/{match_id}/passes", { params, body: at })));
    case "resign":
      return whole(await answer(authorized.POST("/v1/matches/{match_id}/resignations", { params, body: at })));
    case "takeBack":
      return whole(await answer(authorized.POST("/v1/matches/{match_id}/take-seat-back", { params })));
  }
}

export async function recapAfter(id: string): Promise<{ after: number; recent: Entry[] }> {
  const w = await answer(authorized.GET("/v1/matches/{match_id}/recap", { params: path(id) }));
  return { after: w.after, recent: w.recent.map((one) => map.entry(one)) };
}
