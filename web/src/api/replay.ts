// A round as it was played: for the replay, and for the recap at the table.
import { answer, authorized } from "./client";
import * as map from "./map";
import type { WholeReplay } from "./types";

/** A whole round: its pages joined. */
export async function getReplay(id: string, round: number): Promise<WholeReplay> {
  let whole: WholeReplay | null = null;
  let cursor: string | undefined;
  do {
    const w = await answer(authorized.GET("/v1/matches/{match_id}/rounds/{round}", {
      params: { path: { match_id: id, round }, query: { limit: 100, ...(cursor ? { cursor } : {}) } },
    }));
    const page = { ...map.replay(w), dedicator: w.dedication?.seat ?? null };
    if (whole) whole.steps.push(...page.steps);
    else whole = page;
    cursor = w.next_cursor;
  } while (cursor);
  return whole;
}
