// The log as sentences: short, without verbs that would need the player's gender.
import type { Entry, Round, Rules, SummarySeat } from "../api/types";
import { t, isolate, known, ltr, type Key } from "../i18n/index.svelte";
import { nameOf } from "../known/names.svelte";
import { glyph, glyphsOf, spoken, spokenAll } from "../ui/cards";

type Names = Pick<SummarySeat, "seat" | "username">[];
const quiet = new Set(["joined", "started", "left", "removed", "code_renewed", "code_revoked", "clock_moved"]);

/** Entries that belong in the story of a round. */
export const isMove = (entry: Entry): boolean => !quiet.has(entry.type) && entry.type !== "calendar_changed";

/** The moves after the last one of the player's own hand; what was played in their place is part of the news. */
export function sinceOwn(moves: Entry[], seat: number | null): Entry[] {
  return moves.slice(moves.findLastIndex((entry) => entry.seat === seat && entry.automatic === null && entry.type !== "seat_held") + 1);
}

/** What happened, in one sentence; `aloud` with words for the cards. */
export function tell(entry: Entry, seats: Names, rules: Rules | null, aloud = false): string {
  const name = isolate(nameOf(seats.find((seat) => seat.seat === entry.seat)?.username ?? entry.username));
  const text = core(entry, name, rules, aloud);
  if (entry.automatic === "absent") return t("log.absent", { text });
  if (entry.automatic === "bot") return t("log.bot", { text });
  if (entry.automatic === "standing_order") return t("log.order", { text });
  return text;
}

function core(entry: Entry, name: string, rules: Rules | null, aloud: boolean): string {
  const one = (card: string): string => (aloud ? spoken(card) : ltr(glyph(card)));
  if (entry.play) {
    const cards = (aloud ? spokenAll : glyphsOf)(entry.play.cards);
    if (entry.play.from === "pile") return t("log.took", { name, cards, card: one(entry.play.drew ?? "") });
    if (entry.play.from === "stock") return entry.play.drew ? t("log.drew", { name, cards, card: one(entry.play.drew) }) : t("log.stock", { name, cards });
    return t("log.threw", { name, cards });
  }
  if (entry.type === "call") {
    const values = { name, word: title(entry.call?.word ?? rules?.callWords[0] ?? "Yaniv") };
    return known(`log.call.${entry.call?.outcome ?? ""}`, t("log.call", values), values);
  }
  if (entry.card) return t(entry.type === "slam" ? "log.slam" : "log.ask", { name, card: one(entry.card) });
  return known(`log.${entry.type}`, `${name}: ${entry.type}`, { name });
}
/** Sentences after one another: a pause after each. */
export const sentences = (parts: string[]): string => parts.filter(Boolean).map((part) => (/[.!?…”“»।]$/.test(part) ? part : `${part}.`)).join(" ");
/** The word as it is shown: "Yaniv". */
export const title = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);

/** How a round ended, in one sentence or two. */
export function roundSentence(round: Round, seats: Names, rules: Rules, me: number | null): { head: string; right: boolean | null } {
  const result = round.result;
  if (!result) return { head: t("round.unscored", { n: round.round }), right: null };
  const name = isolate(nameOf(seats[result.caller]?.username ?? ""));
  const word = title(rules.callWords[0] ?? "yaniv");
  const points = result.points[result.caller] ?? 0;
  const mine = result.caller === me;
  let key: Key = mine ? "round.myRight" : "round.right";
  if (!result.right) {
    const over = rules.overLimit === "penalty" && rules.callLimit !== null && points > rules.callLimit;
    const beaten = result.hands.some((hand, seat) => hand.length > 0 && seat !== result.caller && beats(result.points[seat] ?? 0, points, rules));
    if (over || (rules.outOfTurn === "penalty" && !beaten)) key = mine ? "round.myNotAllowed" : "round.notAllowed";
    else if (rules.response === "challenge") key = mine ? "round.myBeaten" : "round.beaten";
    else key = mine ? "round.myWrong" : "round.wrong";
  }
  return { head: t(key, { name, word, n: points }), right: result.right };
}
const beats = (points: number, called: number, rules: Rules): boolean => points < called || (rules.tieIsWrong && points === called);
