import { describe, expect, it } from "vitest";
import { check, pack, shuffle, stream, type RecordFile } from "./fairness";

// The vectors of docs/fairness.md.
const seed = "b7b81dbeec01f0eee02e43da4988dafb5ecc56a90080555aff89bcbc92ba59c8";
const commitment = "45cd0d40a72c806c4b78bbeca7a52d9fa6f25751fea57cf1564e7b70b9519db4";
const rules = { decks: 1, suits: 4, jokers: 2, hand_size: 5, direction: "clockwise" };
const record = (hands: string[], upcard = "9C"): RecordFile => ({
  format: "yaniv-record/1", commitment, rules, players: [{ seat: 0 }, { seat: 1 }],
  rounds: [{ round: 1, seed, starter: 1, hands: hands.map((hand) => hand.split(" ")), upcard }],
});
const hands = ["QS 2D 6D 3C 8D", "3H XR 7D 4D 8H"];

describe("the shuffle's proof", () => {
  it("draws uniform numbers, rejecting words that are too large", async () => {
    const uniform = await stream(seed, "m", 1, "deal", ["", ""]);
    const drawn: number[] = [];
    for (let i = 0; i < 5; i++) drawn.push(await uniform(3_000_000_000));
    expect(drawn).toEqual([1724479412, 587535895, 1593913662, 800465912, 2455413431]);
  });
  it("shuffles the buried cards of a refill", async () => {
    expect(await shuffle("AC 2D 3H 4S XB XR".split(" "), await stream(seed, "m", 1, "recycle-2", ["", ""]))).toEqual("3H 4S 2D XR XB AC".split(" "));
  });
  it("deals with client seeds", async () => {
    const cards = await shuffle(pack(rules, 2), await stream(seed, "0192f0c1-7c5a-7d3e-8a7b-0123456789ab", 1, "deal", ["a b~!", "mine"]));
    expect(cards.slice(0, 11)).toEqual(["5C", "QH", "XB", "TD", "5H", "3D", "QD", "6D", "4D", "JC", "2S"]);
  });
  it("accepts a record that holds, and names what does not", async () => {
    expect(await check(record(hands), "m", commitment)).toEqual({ ok: true, rounds: 1, reason: "" });
    expect(await check(record(["QS 2D 6D 3C 9D", "3H XR 7D 4D 8H"]), "m", commitment)).toMatchObject({ ok: false, reason: "deal" });
    expect(await check(record(hands, "9D"), "m", commitment)).toMatchObject({ ok: false, reason: "upcard" });
    expect(await check(record(hands), "n", commitment)).toMatchObject({ ok: false });
    expect(await check(record(hands), "m", seed)).toMatchObject({ ok: false, reason: "commitment" });
  });
});
