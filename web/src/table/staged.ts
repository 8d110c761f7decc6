// What is kept of a match's screen over Back, a reload and another tab.
import type { Kept } from "./state";

export interface Staged {
  /** The version that the selection was made at. */
  version?: number;
  kept?: Kept;
  slamDown?: boolean;
  /** Rounds up to this one were looked at to their end. */
  seenRound?: number;
}
