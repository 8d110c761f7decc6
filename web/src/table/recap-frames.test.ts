import { describe, expect, it, vi } from "vitest";
import type { Entry, Match, Replay } from "../api/types";

vi.stubGlobal("addEventListener", () => undefined);
const { framesSince } = await import("./recap-frames");

const seats = [0, 1, 2].map((seat) => ({ seat, username: `p${seat}`, cards: 9, deadline: 5, waitsSince: 1, exposed: null }));
const match = { version: 14, seats, table: { round: 1, pile: ["9C"], stock: 10, toAct: [0], caller: 2, phase: "final_turn" } } as unknown as Match;
const step = (version: number, seat: number, type: string, pile: string[], table = true): Replay["steps"][number] => ({
  entry: { version, seat, type } as Entry,
  table: table ? { phase: "turn", toAct: [(seat + 1) % 3], pile, pickable: pile, stock: 30 - version, counts: [5, 4, 3], hand: null } : null,
});
const replay = {
  starter: 1, upcard: "2H", stock: 30, dealt: [0, 1, 2].map((seat) => ({ seat, count: 5 })),
  steps: [step(10, 0, "play", ["KD"]), step(11, 1, "play", ["QD"]), step(12, 1, "calendar_changed", ["QD"]), step(13, 2, "call", ["QD"]), step(14, 0, "play", [], false), step(15, 1, "play", ["3C"])],
} as unknown as Replay;
const told = (from: number): string[] => framesSince(match, replay, from).map(({ entry, match: { table } }) => `${entry?.version ?? "deal"} ${table?.pile.join() ?? ""} ${table?.toAct.join() ?? ""} ${table?.caller ?? "-"}`);

describe("the table of the last moves", () => {
  it("begins with the table before the first of them, and ends with the view", () => {
    expect(told(11)).toEqual(["10 KD 1 -", "11 QD 2 -", "13 QD 0 2"]);
  });
  it("begins with the deal where nobody had played", () => {
    expect(told(1)[0]).toBe("deal 2H 1 -");
    expect(framesSince(match, replay, 1)[0]?.match.table?.stock).toBe(30);
  });
  it("has the counts of then, and no clocks", () => {
    const then = framesSince(match, replay, 11)[1]?.match;
    expect(then?.seats.map(({ cards, deadline, waitsSince }) => [cards, deadline, waitsSince])).toEqual([[5, null, null], [4, null, null], [3, null, null]]);
    expect(then?.table?.stock).toBe(19);
  });
});
