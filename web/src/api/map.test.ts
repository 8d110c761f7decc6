import { describe, expect, it } from "vitest";
import * as map from "./map";
import type { Wire } from "./map";
import type { MatchSettings } from "./types";

const settings = { preset: "yaniv", size: 2, rated: true } as unknown as MatchSettings;
const at = "2026-11-21T08:00:00.000000Z";
const wire: Wire["Match"] = {
  server_time: at, match_id: "m", settings_tag: "t", status: "running", version: 5, your_seat: 0,
  seats: [
    { seat: 0, username: "ada", display_name: "Ada", card_count: 5, total: 0 },
    { seat: 1, username: "bob", card_count: 5, total: 0, waiting_since: at },
  ],
  table: { round: 2, phase: "turn", to_act: [1], starter: 0, dealer: 1, pile: ["4D"], pickable: ["4D"], stock_count: 30, buried_count: 0 },
  legal: { discards: [], draws: [], ask: ["4D"] },
  scores: [],
  recent: [
    { version: 4, type: "play", seat: 0, round: 1, play: { cards: ["9C"], draw_from: "stock", draw_card: "AH" }, ended_round: true },
    { version: 5, type: "play", seat: 1, play: { cards: ["4D"], draw_from: "stock" } },
  ],
};

describe("a match", () => {
  const match = map.match(wire, settings);
  it("has its settings, and a default for what is absent", () => {
    expect(match).toMatchObject({ preset: "yaniv", rated: true, myTurn: false, code: null, commitment: null, lastRound: null });
    expect(match.seats[1]).toMatchObject({ displayName: null, out: false, turns: 0, missed: 0, bot: false, heldByBot: false, deadline: null });
    expect(match.seats[0]?.displayName).toBe("Ada");
    expect(match.table).toMatchObject({ answers: [], asked: false, suddenDeath: false, caller: null });
    expect(match.legal).toMatchObject({ call: false, pass: false, truncated: false, ask: ["4D"], answerCall: false });
  });
  it("gives its entries round and name", () => {
    expect(match.recent[0]).toMatchObject({ round: 1, username: "ada", endedRound: true, at: null });
    expect(match.recent[1]).toMatchObject({ round: 2, username: "bob", endedRound: false, nudged: [], play: { drew: null } });
  });
  it("says whether a call was right", () => {
    const round = map.round({
      round: 1, starter: 0, ended_at: at, last_version: 4,
      result: { caller: 0, call_right: false, hands: [], points: [3, 2], scores: [33, 0], totals: [33, 0] },
    });
    expect(round.result).toMatchObject({ right: false, reduced: [], out: [] });
  });
});

describe("the home screen", () => {
  it("has deadlines of all, and the newest entry", () => {
    const home = map.home({
      server_time: at, turns: [], turn_count: 0, lobby: [], lobby_count: 0, finished: [], challenges: [], challenge_count: 0, pairings: [],
      friend_request_count: 2, waiting_count: 1,
      waiting: [{
        match_id: "m", version: 7, unread: 3, size: 2, your_seat: 0, to_act: [1], round: 2, last_entry: { version: 7, type: "call", seat: 0, call: {} },
        seats: [{ seat: 0, username: "ada" }, { seat: 1, username: "bob", deadline: at, waiting_since: at }],
      }],
    }, "tag");
    expect(home).toMatchObject({ friendRequests: 2, etag: "tag" });
    expect(home.waiting[0]).toMatchObject({ unread: 3, deadline: null, lastEntry: { version: 7, round: 2, username: "ada" } });
    expect(home.waiting[0]?.seats[1]?.deadline).toBe(Date.parse(at));
  });
});
