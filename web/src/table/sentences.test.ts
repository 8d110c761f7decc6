import { describe, expect, it, vi } from "vitest";
import type { Entry, Round, Rules } from "../api/types";

vi.stubGlobal("addEventListener", () => undefined);
// Without a catalogue a text is its key.
const { roundSentence, sinceOwn } = await import("./sentences");

const entry = (version: number, seat: number, automatic: string | null = null, type = "play"): Entry => ({ version, seat, automatic, type }) as Entry;
const versions = (moves: Entry[]): number[] => sinceOwn(moves, 0).map((one) => one.version);

describe("the recap", () => {
  it("begins after the last own move", () => {
    expect(versions([entry(1, 1), entry(2, 0), entry(3, 1), entry(4, 2)])).toEqual([3, 4]);
    expect(versions([entry(1, 1), entry(2, 2)])).toEqual([1, 2]);
  });
  it("tells what was played in my place", () => {
    expect(versions([entry(1, 0), entry(2, 1), entry(3, 0, "absent"), entry(4, 1), entry(5, 0, "standing_order"), entry(6, 0, null, "seat_held"), entry(7, 0, "bot")])).toEqual([2, 3, 4, 5, 6, 7]);
  });
});

describe("a call that failed", () => {
  const seats = [0, 1, 2].map((seat) => ({ seat, username: `p${seat}`, out: false }));
  const rules = { response: "reveal", tieIsWrong: true, overLimit: "reject", outOfTurn: "reject", callLimit: 5, callWords: ["yaniv"] } as Rules;
  const ended = (points: number[], scores: number[], right = false): Round =>
    ({ round: 1, starter: 0, endedAt: 0, lastVersion: 1, result: { caller: 0, right, hands: [["4C"], ["4D"], ["4H"]], points, scores, totals: [], reduced: [], out: [] } });
  const by = (round: Round, more: Partial<Rules> = {}, me = 2, others = seats): string => roundSentence(round, others, { ...rules, ...more }, me).by;
  it("names who defeated it", () => {
    expect(by(ended([4, 3, 9], [34, 3, 9]))).toBe("round.by");
    expect(by(ended([4, 3, 9], [34, 3, 9]), {}, 1)).toBe("round.byMe");
    expect(by(ended([4, 4, 9], [34, 4, 9]), { tieIsWrong: false })).toBe("");
    expect(by(ended([4, 5, 9], [0, 5, 9], true))).toBe("");
  });
  it("does not name who was out", () => {
    expect(by(ended([4, 0, 4], [34, 0, 4]), {}, 2, seats.map((seat) => ({ ...seat, out: seat.seat === 1 })))).toBe("round.byMe");
  });
  it("after a challenge names the winner, where there is but one who may be it", () => {
    expect(by(ended([5, 4, 3], [20, 0, 3]), { response: "challenge" }, 1)).toBe("round.byMe");
    expect(by(ended([5, 4, 0], [20, 0, 0]), { response: "challenge" }, 1)).toBe("");
  });
});
