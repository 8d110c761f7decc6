// The table as it was after each of the last moves, for the recap: views of the past, drawn by the parts that draw the present.
import type { Entry, Match, Replay, ReplayTable } from "../api/types";
import { isMove } from "./sentences";

/** `entry`: the move that led there; null: the deal. */
export interface Frame { entry: Entry | null; match: Match }

/** First the table before the move of the version `from`, then the one after each move until `match`. */
export function framesSince(match: Match, replay: Replay, from: number): Frame[] {
  const caller = match.table?.caller ?? null;
  const called = replay.steps.findLast(({ entry }) => entry.type === "call" && entry.seat === caller)?.entry.version ?? 0;
  const view = (version: number, { pile, stock, toAct, counts, phase }: Pick<ReplayTable, "pile" | "stock" | "toAct" | "counts" | "phase">): Match => ({
    ...match, version, recent: replay.steps.map(({ entry }) => entry).filter((entry) => entry.version <= version),
    // Clocks belong to the present.
    seats: match.seats.map((seat) => ({ ...seat, cards: counts[seat.seat] ?? seat.cards, deadline: null, waitsSince: null, exposed: null })),
    table: match.table && { ...match.table, pile, pickable: [], stock, toAct, phase, caller: version < called ? null : caller },
  });
  const counts: number[] = [];
  for (const { seat, count } of replay.dealt) counts[seat] = count;
  let before: Frame = { entry: null, match: view(0, { pile: replay.upcard ? [replay.upcard] : [], stock: replay.stock, toAct: [replay.starter], counts, phase: "turn" }) };
  const after: Frame[] = [];
  for (const { entry, table } of replay.steps) {
    if (!table || !isMove(entry) || entry.version > match.version) continue;
    const frame = { entry, match: view(entry.version, table) };
    if (entry.version < from) before = frame;
    else after.push(frame);
  }
  return [before, ...after];
}
