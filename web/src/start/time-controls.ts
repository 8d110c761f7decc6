// The time controls that are offered: some that people ask for, and values for a custom one.
import type { TimeControl } from "../api/types";

const minute = 60, hour = 3600, day = 24 * hour;
const usual = { vacation: true, quietHours: true, misses: 3, then: "bot" };
export const timeControls = {
  days: { clock: "bank", turn: 0, bank: 72 * hour, gain: 12 * hour, cap: 120 * hour, ...usual },
  day: { clock: "turn", turn: 24 * hour, bank: 0, gain: 0, cap: 0, ...usual },
  evening: { clock: "turn", turn: 900, bank: 0, gain: 0, cap: 0, ...usual, vacation: false, quietHours: false },
  none: { clock: "none", turn: 0, bank: 0, gain: 0, cap: 0, ...usual },
} satisfies Record<string, TimeControl>;
export type TimeControlName = keyof typeof timeControls;

export type Clock = "bank" | "turn";
const some = [5 * minute, 15 * minute, 30 * minute, hour, 2 * hour, 4 * hour, 8 * hour, 12 * hour, day, 2 * day, 3 * day, 5 * day, 7 * day];
/** Seconds to choose from. */
export const times = {
  turn: [minute, ...some, 14 * day, 30 * day], bank: [...some, 14 * day, 30 * day], gain: [minute, ...some], cap: [...some, 14 * day, 30 * day],
};
export const misses = Array.from({ length: 10 }, (_, i) => i + 1);
export const thens = ["bot", "out", "safe_turns"];
/** Where a custom one begins: both clocks have their values. */
export const customDefault: TimeControl = { ...timeControls.days, turn: 3 * day };
