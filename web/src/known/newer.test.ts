import { describe, expect, it } from "vitest";
import { joined, replaces } from "./newer";

const known = { version: 7, seenAt: 1_000_000 };

describe("which view counts", () => {
  it("is the first one, and every later version", () => {
    expect(replaces({ version: 1, seenAt: 0 }, undefined)).toBe(true);
    expect(replaces({ version: 8, seenAt: known.seenAt - 5 }, known)).toBe(true);
    expect(replaces({ version: 7, seenAt: known.seenAt + 5 }, known)).toBe(true);
  });
  it("is not a read that a move has overtaken, although it was answered later", () => {
    expect(replaces({ version: 6, seenAt: known.seenAt - 5 }, known)).toBe(false);
    expect(replaces({ version: 6, seenAt: known.seenAt + 15_000 }, known)).toBe(false);
  });
  it("is a lower version that is still there a minute later: the service was restored from a backup", () => {
    expect(replaces({ version: 6, seenAt: known.seenAt + 59_999 }, known)).toBe(false);
    expect(replaces({ version: 6, seenAt: known.seenAt + 60_000 }, known)).toBe(true);
  });
});

describe("the log", () => {
  const of = (...versions: number[]): { version: number }[] => versions.map((version) => ({ version }));
  it("has each entry once, in order", () => {
    expect(joined(of(3, 4), of(6, 5, 4))).toEqual(of(3, 4, 5, 6));
    expect(joined([], [])).toEqual([]);
  });
  it("begins after what is not known", () => {
    expect(joined(of(1, 2, 3), of(7, 8))).toEqual(of(7, 8));
    expect(joined(of(7, 8), of(3))).toEqual(of(7, 8));
  });
  it("ends with the newest entries", () => {
    expect(joined(of(...Array.from({ length: 70 }, (_, i) => i + 1)), of(71))).toHaveLength(60);
  });
});
