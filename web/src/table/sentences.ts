// The log as sentences: short, without verbs that would need the player's gender.
import type { Entry, Round, RoundResult, Rules, Seat, SummarySeat } from "../api/types";
import { t, isolate, known, list, ltr, type Key } from "../i18n/index.svelte";
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

type Seats = Pick<Seat, "seat" | "username" | "out">[];
/** How a round ended; `by`: who defeated the call. */
export function roundSentence(round: Round, seats: Seats, rules: Rules, me: number | null): { head: string; by: string; right: boolean | null } {
  const result = round.result;
  if (!result) return { head: t("round.unscored", { n: round.round }), by: "", right: null };
  const name = isolate(nameOf(seats[result.caller]?.username ?? ""));
  const word = title(rules.callWords[0] ?? "yaniv");
  const points = result.points[result.caller] ?? 0;
  const mine = result.caller === me;
  let key: Key = mine ? "round.myRight" : "round.right";
  let by = "";
  if (!result.right) {
    const winners = defeaters(result, seats, rules);
    const over = rules.overLimit === "penalty" && rules.callLimit !== null && points > rules.callLimit;
    if (over || (rules.outOfTurn === "penalty" && winners.length === 0)) key = mine ? "round.myNotAllowed" : "round.notAllowed";
    else {
      if (rules.response === "challenge") key = mine ? "round.myBeaten" : "round.beaten";
      else key = mine ? "round.myWrong" : "round.wrong";
      by = defeatedBy(winners, result, seats, me);
    }
  }
  return { head: t(key, { name, word, n: points }), by, right: result.right };
}
function defeatedBy(winners: number[], { points }: RoundResult, seats: Seats, me: number | null): string {
  const [first] = winners;
  if (first === undefined) return "";
  if (winners.length === 1 && first === me) return t("round.byMe", { n: points[first] ?? 0 });
  return t("round.by", { names: list(winners.map((seat) => `${isolate(nameOf(seats[seat]?.username ?? ""))} (${points[seat] ?? 0})`)) });
}
/** The seats that a call failed against, the lowest hand first; none where the result does not tell. */
function defeaters(result: RoundResult, seats: Seats, rules: Rules): number[] {
  const of = (seat: number): number => result.points[seat] ?? 0;
  const played = seats.filter(({ seat, out }) => seat !== result.caller && (!out || result.out.includes(seat))).map(({ seat }) => seat);
  if (rules.response === "challenge") {
    // The winner scores nothing; so does who exposed a hand without points.
    const winners = played.filter((seat) => result.scores[seat] === 0 && of(seat) <= of(result.caller));
    return winners.length === 1 ? winners : [];
  }
  return played.filter((seat) => beats(of(seat), of(result.caller), rules)).sort((a, b) => of(a) - of(b));
}
const beats = (points: number, called: number, rules: Rules): boolean => points < called || (rules.tieIsWrong && points === called);
