// The hands of a round after some of its steps, as far as they are open: the deal, then what was thrown and drawn.
import type { Card, Replay } from "../api/types";

/** By seat; null where the cards are not known. The table of a step is right where it has the acting hand. */
export function hands(replay: Replay, steps: number): (Card[] | null)[] {
  const found: (Card[] | null)[] = [];
  for (const dealt of replay.dealt) found[dealt.seat] = dealt.cards ? [...dealt.cards] : null;
  const drop = (hand: Card[], cards: Card[]): void => {
    for (const card of cards) { const at = hand.indexOf(card); if (at >= 0) hand.splice(at, 1); }
  };
  for (const { entry, table } of replay.steps.slice(0, steps)) {
    if (entry.seat === null) continue;
    const hand = found[entry.seat];
    if (table?.hand) { found[entry.seat] = [...table.hand]; continue; }
    if (!hand) continue;
    if (entry.play) {
      drop(hand, entry.play.cards);
      if (entry.play.drew) hand.push(entry.play.drew);
      else if (entry.play.from === "stock") found[entry.seat] = null;
    } else if (entry.type === "slam" && entry.card) drop(hand, [entry.card]);
  }
  return found;
}
