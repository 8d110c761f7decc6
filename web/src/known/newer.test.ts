import { describe, expect, it } from "vitest";
import { replaces } from "./newer";

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
