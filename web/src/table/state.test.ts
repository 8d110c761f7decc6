import { describe, expect, it } from "vitest";
import type { Legal, Match, Rules } from "../api/types";
import { clear, confirm, joinable, keep, leaves, melds, offer, open, orders, remains, reorder, restore, select, selectAll, take } from "./state";

const rules = { points: { ace: 1, jack: 10, queen: 10, king: 10, joker: 0 }, oneEyedJacks: null, pickup: "ends" } as unknown as Rules;
const legal = (some: Partial<Legal>): Legal => ({
  discards: [], draws: [{ from: "stock" }], truncated: false, call: false, pass: false, slamCard: null, slamEitherEnd: false,
  ask: [], answerCardRequest: false, answerCall: false, answerSwap: false, ...some,
});
const view = (cards: string[], some: Partial<Legal>): Pick<Match, "hand" | "legal" | "rules"> => ({ hand: { cards, points: 0 }, legal: legal(some), rules });
const singles = (cards: string[]): string[][] => cards.map((card) => [card]);

const hand = ["9D", "4H", "9C", "6H", "5H"];
const table = open(view(hand, {
  discards: [...singles(hand), ["9C", "9D"], ["4H", "5H", "6H"]],
  draws: [{ from: "stock" }, { from: "pile", card: "8S" }],
}));

describe("the table", () => {
  it("shows the hand in canonical order", () => {
    expect(table.hand).toEqual(["4H", "5H", "6H", "9C", "9D"]);
  });
  it("adds a card that fits, and starts a new selection with one that does not", () => {
    const two = select(select(table, 3), 4);
    expect(offer(two)).toMatchObject({ is: "needsDraw", cards: ["9C", "9D"], points: 18 });
    expect(select(two, 0).selected).toEqual([0]);
  });
  it("calls a selection partial that is no discard yet", () => {
    const run = select(select(table, 0), 1);
    expect(offer(run).is).toBe("partial");
    expect(joinable(run)).toEqual([2]);
    expect(offer(select(run, 2)).is).toBe("needsDraw");
  });
  it("sends only what is legal with a draw that is chosen", () => {
    const run = selectAll(table, ["4H", "5H", "6H"]);
    expect(confirm(run)).toBeNull();
    expect(confirm(take(run, { from: "pile", card: "8S" }))).toEqual({ kind: "play", cards: ["4H", "5H", "6H"], draw: { from: "pile", card: "8S" } });
    expect(take(run, { from: "pile", card: "7S" })).toEqual(run);
    expect(clear(run).selected).toEqual([]);
  });
  it("takes the second tap back", () => {
    expect(select(select(table, 0), 0).selected).toEqual([]);
    const drawn = take(table, { from: "stock" });
    expect(take(drawn, { from: "stock" }).draw).toBeNull();
  });
  it("lists whole melds, heaviest first, each once", () => {
    const three = open(view(["2C", "2D", "2H", "KC", "KD"], { discards: [["2C", "2D", "2H"], ["2C", "2H", "2D"], ["KC", "KD"], ["2C", "2D"]] }));
    expect(melds(three)).toEqual([["KC", "KD"], ["2C", "2D", "2H"], ["2C", "2D"]]);
  });
  it("offers each order of the same cards", () => {
    const set = selectAll(open(view(["2C", "2D", "2H"], { discards: [["2C", "2D", "2H"], ["2C", "2H", "2D"]] })), ["2H", "2C", "2D"]);
    expect(orders(set)).toHaveLength(2);
    expect(offer(take(reorder(set, 1), { from: "stock" }))).toMatchObject({ cards: ["2C", "2H", "2D"] });
  });
  it("says what the next player may take", () => {
    expect(leaves(["2C", "2D", "2H"], "ends")).toEqual(["2C", "2H"]);
    expect(leaves(["2C", "2D", "2H"], "top")).toEqual(["2H"]);
    expect(leaves(["2C", "2D", "2H"], "ends_of_runs")).toHaveLength(3);
    expect(leaves(["2C", "3C", "4C"], "ends_of_runs")).toEqual(["2C", "4C"]);
  });
  it("chooses no draw by itself, unless there is nothing to draw", () => {
    expect(table.draw).toBeNull();
    expect(open(view(["2C"], { discards: [["2C"]], draws: [{ from: "nothing" }] })).draw).toEqual({ from: "nothing" });
  });
  it("holds equal cards of several packs apart", () => {
    const twins = open(view(["9C", "9C", "4D"], { discards: [["9C"], ["4D"], ["9C", "9C"]] }));
    expect(select(select(twins, 1), 2).selected).toEqual([1, 2]);
    expect(offer(select(select(twins, 1), 2))).toMatchObject({ cards: ["9C", "9C"] });
  });
  it("lets everything be staged when not all discards are listed", () => {
    const many = open(view(["2C", "7D"], { discards: [["2C"]], truncated: true }));
    expect(offer(select(select(many, 0), 1)).is).toBe("needsDraw");
  });
  it("keeps a selection where it still fits", () => {
    const staged = take(selectAll(table, ["9C", "9D"]), { from: "pile", card: "8S" });
    const gone = restore(view(hand, { discards: [["9C", "9D"]], draws: [{ from: "stock" }] }), keep(staged));
    expect(gone.fits).toBe(false);
    expect(gone.state.selected).toHaveLength(2);
    expect(gone.state.draw).toBeNull();
    const same = restore(view(hand, { discards: [["9C", "9D"]], draws: [{ from: "pile", card: "8S" }] }), keep(staged));
    expect(same.fits).toBe(true);
    expect(confirm(same.state)).not.toBeNull();
    expect(restore(view(["9C"], { discards: [["9C"]] }), keep(staged)).state.selected).toEqual([]);
  });
  it("counts what stays", () => {
    expect(remains(take(selectAll(table, ["9C", "9D"]), { from: "pile", card: "8S" }))).toEqual({ keeps: 15, drawn: 8 });
  });
  it("is on exactly for legal discards: 500 random taps", () => {
    let seed = 7;
    const random = (n: number): number => { seed = (seed * 1103515245 + 12345) % 2147483648; return seed % n; };
    let state = table;
    for (let i = 0; i < 500; i++) {
      state = random(4) === 0 ? take(state, table.draws[random(2)] ?? { from: "stock" }) : select(state, random(5));
      const cards = state.selected.map((place) => state.hand[place]).sort().join();
      const listed = table.discards.some((discard) => [...discard].sort().join() === cards);
      expect(confirm(state) !== null).toBe(listed && state.draw !== null);
    }
  });
});
