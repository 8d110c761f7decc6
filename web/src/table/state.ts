// What is staged at the table: pure functions on a state made of a view. `legal` is the only source of legality.
import type { Action, Card, Draw, Legal, Match, Rules } from "../api/types";
import { isSet, sameCards, sorted, sum, within } from "../ui/cards";

export interface TableState {
  /** The hand as it is shown; cards are named by their place, as several packs have equal cards. */
  hand: Card[];
  discards: Card[][];
  draws: Draw[];
  /** The service does not list all discards: every selection may be sent. */
  truncated: boolean;
  rules: Pick<Rules, "points" | "oneEyedJacks" | "pickup">;
  /** Places in the hand, in the order of taps. */
  selected: number[];
  draw: Draw | null;
  /** Which of `orders` is sent. */
  order: number;
}

export function open(match: Pick<Match, "hand" | "legal" | "rules">): TableState {
  const legal: Legal | null = match.legal;
  const draws = legal?.draws ?? [];
  return {
    hand: sorted(match.hand?.cards ?? []),
    discards: legal?.discards ?? [],
    draws,
    truncated: legal?.truncated ?? false,
    rules: match.rules,
    selected: [],
    draw: only(draws),
    order: 0,
  };
}
/** The only draw that there is is chosen by itself, if it is none. */
const only = (draws: Draw[]): Draw | null => (draws.length === 1 && draws[0]?.from === "nothing" ? draws[0] : null);

const cardsAt = (s: TableState, places: number[]): Card[] => places.map((place) => s.hand[place] ?? "");
export const selectedCards = (s: TableState): Card[] => cardsAt(s, s.selected);
const fits = (s: TableState, cards: Card[]): boolean => s.truncated || s.discards.some((discard) => within(cards, discard));

/** A tap on a card: adds it if the selection stays on the way to a discard, otherwise begins a new selection. */
export function select(s: TableState, place: number): TableState {
  if (s.selected.includes(place)) return deselect(s, place);
  const extended = [...s.selected, place];
  const selected = fits(s, cardsAt(s, extended)) ? extended : [place];
  return { ...s, selected, order: 0 };
}
export function deselect(s: TableState, place: number): TableState {
  return { ...s, selected: s.selected.filter((one) => one !== place), order: 0 };
}
export const clear = (s: TableState): TableState => ({ ...s, selected: [], draw: only(s.draws), order: 0 });

/** Selects these cards in one tap; again: nothing. */
export function selectAll(s: TableState, cards: Card[]): TableState {
  if (sameCards(cards, selectedCards(s))) return { ...s, selected: [], order: 0 };
  return { ...s, selected: placesOf(s.hand, cards) ?? [], order: 0 };
}
function placesOf(hand: Card[], cards: Card[]): number[] | null {
  const places: number[] = [];
  for (const card of cards) {
    const at = hand.findIndex((one, place) => one === card && !places.includes(place));
    if (at < 0) return null;
    places.push(at);
  }
  return places;
}

export const sameDraw = (a: Draw | null, b: Draw | null): boolean =>
  a !== null && b !== null && a.from === b.from && (a.from !== "pile" || b.from !== "pile" || a.card === b.card);
/** A tap on a draw: chooses it; again: none. */
export function take(s: TableState, draw: Draw): TableState {
  if (!s.draws.some((one) => sameDraw(one, draw))) return s;
  return { ...s, draw: sameDraw(s.draw, draw) ? only(s.draws) : draw };
}

/** The forms in which the selected cards may be thrown: ends of a set, directions of a run. */
export function orders(s: TableState): Card[][] {
  const cards = selectedCards(s);
  if (cards.length === 0) return [];
  const listed = s.discards.filter((discard) => sameCards(discard, cards));
  return listed.length === 0 && s.truncated ? [cards] : listed;
}
export const reorder = (s: TableState, order: number): TableState => ({ ...s, order });

/** What the next player may take of a discard. */
export function leaves(cards: Card[], pickup: string): Card[] {
  const ends = [...new Set([cards[0] ?? "", cards.at(-1) ?? ""])];
  if (cards.length === 1) return cards;
  if (pickup === "top") return cards.slice(-1);
  if (pickup === "any" || (pickup === "ends_of_runs" && isSet(cards))) return cards;
  return ends;
}

/** Places that can still join the selection. */
export function joinable(s: TableState): number[] {
  if (s.selected.length === 0 || s.truncated) return [];
  return s.hand.map((_, place) => place).filter((place) => !s.selected.includes(place) && fits(s, cardsAt(s, [...s.selected, place])));
}

/** Whole melds for one tap: each set of cards once, heaviest first. */
export function melds(s: TableState): Card[][] {
  const found: Card[][] = [];
  for (const discard of s.discards) {
    if (discard.length > 1 && !found.some((one) => sameCards(one, discard))) found.push(discard);
  }
  return found.sort((a, b) => sum(b, s.rules) - sum(a, s.rules) || b.length - a.length);
}

export type Offer =
  | { is: "empty" }
  | { is: "partial"; cards: Card[]; points: number }
  | { is: "needsDraw"; cards: Card[]; points: number }
  | { is: "ready"; cards: Card[]; points: number; draw: Draw };

/** What the send button says. */
export function offer(s: TableState): Offer {
  const cards = selectedCards(s);
  if (cards.length === 0) return { is: "empty" };
  const points = sum(cards, s.rules);
  const form = orders(s)[s.order];
  if (!form) return { is: "partial", cards: sorted(cards), points };
  if (!s.draw) return { is: "needsDraw", cards: form, points };
  return { is: "ready", cards: form, points, draw: s.draw };
}

/** The action that the send button sends; null while it is off. */
export function confirm(s: TableState, slamDown = false): Action | null {
  const what = offer(s);
  if (what.is !== "ready") return null;
  return { kind: "play", cards: what.cards, draw: what.draw, ...(slamDown ? { slamDown: true } : {}) };
}

/** What is kept of a selection from one view to the next. */
export interface Kept { cards: Card[]; draw: Draw | null; order: Card[] | null }
export const keep = (s: TableState): Kept => ({ cards: selectedCards(s), draw: s.draw, order: orders(s)[s.order] ?? null });

/** The state of a newer view, with the selection where it still fits. `fits`: whether all of it did. */
export function restore(match: Pick<Match, "hand" | "legal" | "rules">, kept: Kept): { state: TableState; fits: boolean } {
  const fresh = open(match);
  const places = placesOf(fresh.hand, kept.cards);
  const selected = places !== null && fits(fresh, kept.cards) ? places : [];
  const draw = kept.draw && fresh.draws.some((one) => sameDraw(one, kept.draw)) ? kept.draw : fresh.draw;
  const state: TableState = { ...fresh, selected, draw };
  const order = kept.order ? orders(state).findIndex((form) => form.join() === kept.order?.join()) : 0;
  return {
    state: { ...state, order: Math.max(0, order) },
    fits: selected.length === kept.cards.length && (kept.draw === null || sameDraw(draw, kept.draw)),
  };
}

/** Points that stay in the hand, without the card drawn; `drawn` is what a card from the pile adds. */
export function remains(s: TableState): { keeps: number; drawn: number | null } {
  const keeps = sum(s.hand, s.rules) - sum(selectedCards(s), s.rules);
  return { keeps, drawn: s.draw?.from === "pile" ? sum([s.draw.card], s.rules) : null };
}
