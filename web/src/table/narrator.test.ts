import { describe, expect, it, vi } from "vitest";
import type { Entry, Match, Round } from "../api/types";

vi.stubGlobal("addEventListener", () => undefined);
// Without a catalogue a text is its key.
const { Narrator } = await import("./narrator");

const entry = (version: number, seat: number, round: number, type = "play"): Entry => ({
  version, type, at: null, username: "", seat, round, play: type === "play" ? { cards: ["9C"], from: "stock", drew: null } : null, call: null,
  card: null, slamFirst: false, nudged: [], automatic: null, recycled: false, endedRound: false, endedMatch: false,
});
const ended = (round: number, caller: number): Round =>
  ({ round, starter: 0, endedAt: 0, lastVersion: 0, result: { caller, right: true, hands: [[], []], points: [3, 20], scores: [], totals: [], reduced: [], out: [] } });
const view = (version: number, recent: Entry[], lastRound: Round | null = null): Match =>
  ({ version, recent, lastRound, mySeat: 0, seats: [{ seat: 0, username: "ada" }, { seat: 1, username: "ben" }], rules: { callWords: ["yaniv"] } }) as unknown as Match;

describe("the narrator", () => {
  it("says each move of the others once, and none of one's own", () => {
    const narrator = new Narrator(view(4, [entry(4, 1, 1)]));
    const mine = view(5, [entry(5, 0, 1)]), theirs = view(6, [entry(5, 0, 1), entry(6, 1, 1)]);
    expect(narrator.news(mine).filter(Boolean)).toEqual([]);
    expect(narrator.news(mine, theirs).filter(Boolean)).toEqual(["log.stock"]);
    expect(narrator.news(theirs).filter(Boolean)).toEqual([]);
  });
  it("says how a round ended by one's own call, once", () => {
    const narrator = new Narrator(view(4, []));
    const over = view(5, [entry(5, 0, 1, "call")], ended(1, 0));
    expect(narrator.news(over).filter(Boolean)).toEqual(["round.myRight"]);
    expect(narrator.news(over).filter(Boolean)).toEqual([]);
  });
  it("says a call, the result, then the first move of the next round", () => {
    const narrator = new Narrator(view(4, []));
    expect(narrator.news(view(6, [entry(5, 1, 1, "call"), entry(6, 1, 2)], ended(1, 1))).filter(Boolean)).toEqual(["log.call", "round.right", "log.stock"]);
  });
  it("does not say what was known when the screen opened", () => {
    expect(new Narrator(view(5, [], ended(1, 0))).news(view(5, [], ended(1, 0))).filter(Boolean)).toEqual([]);
  });
});
