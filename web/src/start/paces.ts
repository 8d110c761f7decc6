// The time controls that are offered. The service takes any; these are the ones that people ask for.
import type { TimeControl } from "../api/types";

const hour = 3600;
const usual = { vacation: true, quietHours: true, misses: 3, then: "bot" };
export const paces = {
  days: { clock: "bank", turn: 0, bank: 72 * hour, gain: 12 * hour, cap: 120 * hour, ...usual },
  day: { clock: "turn", turn: 24 * hour, bank: 0, gain: 0, cap: 0, ...usual },
  evening: { clock: "turn", turn: 900, bank: 0, gain: 0, cap: 0, ...usual, vacation: false, quietHours: false },
  none: { clock: "none", turn: 0, bank: 0, gain: 0, cap: 0, ...usual },
} satisfies Record<string, TimeControl>;
export type PaceName = keyof typeof paces;
