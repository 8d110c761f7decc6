// Cards as text: order, points, glyphs, and the words that a screen reader says.
import type { Card, Rules } from "../api/types";
import { t, list, ltr, type Key } from "../i18n/index.svelte";

const ranks = "A23456789TJQK";
const suits = "CDHS";
export type Suit = "C" | "D" | "H" | "S" | "X";

export const isJoker = (card: Card): boolean => card.startsWith("X");
export const rankOf = (card: Card): string => (isJoker(card) ? "X" : (card[0] ?? ""));
export const suitOf = (card: Card): Suit => (isJoker(card) ? "X" : ((card[1] ?? "S") as Suit));
export const rankText = (card: Card): string => (rankOf(card) === "T" ? "10" : rankOf(card));

/** Canonical order: rank from the ace to the king, then the jokers; within a rank clubs, diamonds, hearts, spades. */
export function place(card: Card): number {
  return isJoker(card) ? 60 + (card === "XR" ? 1 : 0) : ranks.indexOf(card[0] ?? "") * 4 + suits.indexOf(card[1] ?? "");
}
export const sorted = (cards: Card[]): Card[] => [...cards].sort((a, b) => place(a) - place(b));

export function pointsOf(card: Card, rules: Pick<Rules, "points" | "oneEyedJacks">): number {
  if (rules.oneEyedJacks !== null && (card === "JH" || card === "JS")) return rules.oneEyedJacks;
  switch (rankOf(card)) {
    case "X": return rules.points.joker;
    case "A": return rules.points.ace;
    case "J": return rules.points.jack;
    case "Q": return rules.points.queen;
    case "K": return rules.points.king;
    case "T": return 10;
    default: return Number(card[0]);
  }
}
export const sum = (cards: Card[], rules: Pick<Rules, "points" | "oneEyedJacks">): number =>
  cards.reduce((total, card) => total + pointsOf(card, rules), 0);

const glyphs: Record<Suit, string> = { C: "♣\uFE0E", D: "♦\uFE0E", H: "♥\uFE0E", S: "♠\uFE0E", X: "★\uFE0E" };
export const glyph = (card: Card): string => (isJoker(card) ? (card === "XR" ? glyphs.X : "☆\uFE0E") : rankText(card) + glyphs[suitOf(card)]);
/** "9♣ 9♦", read left to right in every language. */
export const glyphsOf = (cards: Card[]): string => ltr(cards.map(glyph).join(" "));

/** "nine of clubs" */
export function spoken(card: Card): string {
  if (card === "XB") return t("card.joker.black");
  if (card === "XR") return t("card.joker.red");
  return t("card.name", { rank: t(`rank.${rankOf(card)}` as Key), suit: t(`suit.${suitOf(card)}` as Key) });
}

/** "nine of clubs and nine of diamonds" */
export const spokenAll = (cards: Card[]): string => list(cards.map(spoken));

/** The same cards, however they are ordered. */
export function sameCards(a: Card[], b: Card[]): boolean {
  return a.length === b.length && within(a, b);
}
/** Whether each card of `few` is among `many`, as often. */
export function within(few: Card[], many: Card[]): boolean {
  const rest = [...many];
  for (const card of few) {
    const at = rest.indexOf(card);
    if (at < 0) return false;
    rest.splice(at, 1);
  }
  return true;
}
/** A set has cards of one rank, jokers aside. */
export const isSet = (cards: Card[]): boolean => new Set(cards.filter((card) => !isJoker(card)).map(rankOf)).size <= 1;
