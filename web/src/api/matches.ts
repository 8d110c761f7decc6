// Operations of matches: lists, views, actions.
import { answer, authorized, Problem } from "./client";
import * as map from "./map";
import type { Action, Card, Entry, Match, MatchWish, Orders, OrdersWish, Page, Preset, RuleOption, Summary } from "./types";

const path = (id: string) => ({ path: { match_id: id } });
const keyed = (id: string, key: string) => ({ ...path(id), header: { "Idempotency-Key": key } });
/** A fresh key for a write. */
export const newKey = (): string => crypto.randomUUID();
const fresh = () => ({ header: { "Idempotency-Key": newKey() } });

export async function getMatch(id: string, since?: number): Promise<Match> {
  return map.match(await answer(authorized.GET("/v1/matches/{match_id}", {
    params: { ...path(id), ...(since !== undefined ? { query: { since } } : {}) },
  })));
}
export async function listTurns(): Promise<{ count: number; items: Summary[] }> {
  const w = await answer(authorized.GET("/v1/turns", { params: { query: { limit: 100 } } }));
  return { count: w.count, items: w.items.map(map.turn) };
}
export async function listMatches(status: "waiting" | "running" | "finished", limit = 50): Promise<Summary[]> {
  const w = await answer(authorized.GET("/v1/matches", { params: { query: { status, limit } } }));
  return w.items.map(map.summary);
}
export async function createMatch(wish: MatchWish, key: string): Promise<Match> {
  return map.match(await answer(authorized.POST("/v1/matches", {
    params: { header: { "Idempotency-Key": key } },
    body: {
      size: wish.size, rules: map.rulesWish(wish.rules), pace: map.timeWish(wish.time),
      visibility: wish.isPublic ? "public" : "private", seat_order: wish.randomSeats ? "random" : "joined",
      ...(wish.rated ? { rated: true } : {}), ...(wish.sandbox ? { sandbox: true } : {}),
      ...(wish.sandboxSeed ? { sandbox_seed: wish.sandboxSeed } : {}),
      ...(wish.bots && wish.bots.length > 0 ? { bots: wish.bots as ("easy" | "medium" | "hard")[] } : {}),
    },
  })));
}
export async function getInvitation(code: string): Promise<Match> {
  return map.match(await answer(authorized.GET("/v1/invitations/{code}", { params: { path: { code } } })));
}
export async function joinMatch(code: string, key: string): Promise<Match> {
  return map.match(await answer(authorized.POST("/v1/invitations/{code}/seats", {
    params: { path: { code }, header: { "Idempotency-Key": key } }, body: {},
  })));
}
export async function startMatch(id: string): Promise<Match> {
  return map.match(await answer(authorized.POST("/v1/matches/{match_id}/start", { params: { ...path(id), ...fresh() } })));
}
export async function leaveMatch(id: string): Promise<void> {
  await answer(authorized.POST("/v1/matches/{match_id}/leave", { params: { ...path(id), ...fresh() } }));
}
export async function renewCode(id: string): Promise<Match> {
  return map.match(await answer(authorized.POST("/v1/matches/{match_id}/codes", { params: { ...path(id), ...fresh() }, body: {} })));
}
export async function nudge(id: string): Promise<Match> {
  return map.match(await answer(authorized.POST("/v1/matches/{match_id}/nudges", { params: { ...path(id), ...fresh() } })));
}
export async function dedicate(id: string, text: string): Promise<void> {
  await answer(authorized.POST("/v1/matches/{match_id}/gifts", { params: path(id), body: { text } }));
}

/** Sends an action. The same key, version and action give the same answer, however often they are sent. */
export async function act(id: string, version: number, action: Action, key: string): Promise<Match> {
  const params = keyed(id, key);
  const at = { expected_version: version };
  switch (action.kind) {
    case "play":
      return map.match(await answer(authorized.POST("/v1/matches/{match_id}/plays", {
        params, body: { ...at, cards: action.cards, ...map.drawWish(action.draw), ...(action.slamDown ? { slam_down: "if_fits" as const } : {}) },
      })));
    case "call":
      return map.match(await answer(authorized.POST("/v1/matches/{match_id}/calls", { params, body: { ...at, ...(action.word ? { word: action.word } : {}) } })));
    case "slam":
      return map.match(await answer(authorized.POST("/v1/matches/{match_id}/slam-downs", { params, body: { ...at, ...(action.first ? { first: true } : {}) } })));
    case "ask":
      return map.match(await answer(authorized.POST("/v1/matches/{match_id}/asks", { params, body: { ...at, card: action.card } })));
    case "answerRequest":
      return map.match(await answer(authorized.POST("/v1/matches/{match_id}/request-answers", { params, body: { ...at, answer: action.answer } })));
    case "answerCall":
      return map.match(await answer(authorized.POST("/v1/matches/{match_id}/call-answers", { params, body: { ...at, answer: action.answer } })));
    case "answerSwap":
      return map.match(await answer(authorized.POST("/v1/matches/{match_id}/swap-answers", { params, body: { ...at, answer: action.answer } })));
    case "pass":
      return map.match(await answer(authorized.POST("/v1/matches/{match_id}/passes", { params, body: at })));
    case "resign":
      return map.match(await answer(authorized.POST("/v1/matches/{match_id}/resignations", { params, body: at })));
    case "takeBack":
      return map.match(await answer(authorized.POST("/v1/matches/{match_id}/returns", { params })));
  }
}

export async function listActions(id: string, after: number): Promise<Entry[]> {
  const w = await answer(authorized.GET("/v1/matches/{match_id}/actions", { params: { ...path(id), query: { after, limit: 100 } } }));
  return w.items.map(map.entry);
}
export async function recapAfter(id: string): Promise<{ after: number; recent: Entry[] }> {
  const w = await answer(authorized.GET("/v1/matches/{match_id}/recap", { params: path(id) }));
  return { after: w.after, recent: w.recent.map(map.entry) };
}

export async function listPresets(): Promise<Preset[]> {
  return (await answer(authorized.GET("/v1/rule-presets"))).items.map(map.preset);
}
export async function listRuleOptions(): Promise<RuleOption[]> {
  return (await answer(authorized.GET("/v1/rule-options"))).items.map(map.ruleOption);
}

export async function getOrders(id: string): Promise<Orders> {
  return map.orders(await answer(authorized.GET("/v1/matches/{match_id}/orders", { params: path(id) })));
}
export async function placeOrders(id: string, version: number, wish: OrdersWish): Promise<Orders> {
  return map.orders(await answer(authorized.PUT("/v1/matches/{match_id}/orders", { params: path(id), body: map.ordersWish(wish, version) })));
}
export async function withdrawOrders(id: string): Promise<void> {
  await answer(authorized.DELETE("/v1/matches/{match_id}/orders", { params: path(id) }));
}

/** Only for tests of clients, in sandboxes. */
export async function advanceClock(id: string, seconds: number): Promise<Match> {
  return map.match(await answer(authorized.POST("/v1/matches/{match_id}/clock-advances", { params: keyed(id, newKey()), body: { seconds } })));
}

export type { Card, Page };
export { Problem };
