// What is said aloud while a match goes on: each move of the others and each end of a round once, in their order.
import type { Entry, Match } from "../api/types";
import { isMove, roundSentence, sentences, tell } from "./sentences";

export class Narrator {
  private version: number;
  private round: number;
  /** What is known when the screen opens is not said. */
  constructor(match: Match) {
    this.version = match.version;
    this.round = match.lastRound?.round ?? 0;
  }

  /** What has not been said yet, by the last of these views and the entries of all. */
  news(...views: [Match, ...Match[]]): string[] {
    const now = views.at(-1) ?? views[0];
    const entries: Entry[] = [];
    for (const entry of views.flatMap((view) => view.recent)) {
      if (entry.version <= this.version) continue;
      this.version = entry.version;
      if (isMove(entry) && entry.seat !== now.mySeat) entries.push(entry);
    }
    const ended = now.lastRound?.round ?? 0;
    const aloud = (some: Entry[]): string[] => some.map((entry) => tell(entry, now.seats, now.rules, true));
    // The result of a round comes before what is next.
    return [...aloud(entries.filter((entry) => (entry.round ?? 0) <= ended)), this.result(now), ...aloud(entries.filter((entry) => (entry.round ?? 0) > ended))];
  }
  private result(now: Match): string {
    const round = now.lastRound;
    if (!round || round.round <= this.round) return "";
    this.round = round.round;
    const { head, by } = roundSentence(round, now.seats, now.rules, now.mySeat);
    return by ? sentences([head, by]) : head;
  }
}
