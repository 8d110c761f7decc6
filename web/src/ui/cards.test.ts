import { describe, expect, it } from "vitest";
import { isSet, place, sameCards, sorted, within } from "./cards";

describe("cards", () => {
  it("stand in canonical order", () => {
    expect(sorted(["XR", "KS", "AC", "XB", "9D", "9C", "TH"])).toEqual(["AC", "9C", "9D", "TH", "KS", "XB", "XR"]);
    expect(place("AC")).toBe(0);
  });
  it("are compared as multisets", () => {
    expect(sameCards(["9C", "9C", "4D"], ["4D", "9C", "9C"])).toBe(true);
    expect(within(["9C", "9C"], ["9C", "4D"])).toBe(false);
  });
  it("are a set by rank, jokers aside", () => {
    expect(isSet(["9C", "XR", "9D"])).toBe(true);
    expect(isSet(["9C", "TC", "JC"])).toBe(false);
  });
});
