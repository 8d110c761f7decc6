import { describe, expect, it, vi } from "vitest";
import type { Entry } from "../api/types";

vi.stubGlobal("addEventListener", () => undefined);
const { sinceOwn } = await import("./sentences");

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
