// The rules of a match in plain words. What differs from the usual game is marked, so that it can come first.
import type { Rules, TimeControl } from "../api/types";
import { t, list, duration, type Key } from "../i18n/index.svelte";
import { title } from "./sentences";

export interface Sentence { text: string; special: boolean }

/** Common values: a rule that has another one is special. */
export function ruleSentences(r: Rules): Sentence[] {
  const said: Sentence[] = [];
  const say = (special: boolean, key: Key, values: Record<string, string | number> = {}): void => { said.push({ text: t(key, values), special }); };
  const word = title(r.callWords[0] ?? "yaniv");

  say(r.handSize !== 5, "rules.hand", { n: r.handSize });
  say(r.decks > 1 || r.suits !== 4 || r.jokers !== 2, r.suits === 2 ? "rules.packHalf" : "rules.pack", { decks: r.decks, jokers: r.jokers });
  if (r.secondDeckAt !== null) say(true, "rules.secondDeck", { n: r.secondDeckAt });
  say(r.points.jack !== 10 || r.points.queen !== 10 || r.points.king !== 10 || r.points.ace !== 1 || r.points.joker !== 0, "rules.points", { ...r.points });
  if (r.oneEyedJacks !== null) say(true, "rules.oneEyed", { n: r.oneEyedJacks });
  if (r.direction === "counterclockwise") say(true, "rules.counter");
  say(false, "rules.discard");
  if (r.aceHigh) say(true, "rules.aceHigh");
  if (r.jokers > 0) {
    say(!r.jokersInRuns, r.jokersInRuns ? "rules.jokersInRuns" : "rules.noJokersInRuns");
    if (r.jokersInSets) say(true, "rules.jokersInSets");
    if (!r.jokerPair) say(true, "rules.noJokerPair");
    if (r.minNaturals > 1) say(true, "rules.minNaturals", { n: r.minNaturals });
  }
  say(r.pickup !== "ends", `rules.pickup.${r.pickup}` as Key);
  if (r.callLimit === null) say(true, "rules.noLimit", { word });
  else say(r.callLimit !== 5, "rules.limit", { word, n: r.callLimit });
  if (r.minTurns > 0) say(true, "rules.minTurns", { n: r.minTurns });
  if (r.callWords.length > 1) say(true, r.wordPenalty > 0 ? "rules.wordsPenalty" : "rules.words", { words: list(r.callWords.map(title), "disjunction"), word, n: r.wordPenalty });
  if (r.overLimit !== "reject") say(true, `rules.over.${r.overLimit}` as Key, { word });
  if (r.outOfTurn === "penalty") say(true, "rules.outOfTurn");
  if (r.response !== "reveal") say(true, `rules.response.${r.response}` as Key);
  say(r.wrongCallPenalty !== 30 || !r.tieIsWrong, r.tieIsWrong ? "rules.wrong" : "rules.wrongTie", { n: r.wrongCallPenalty });
  if (r.extraPenalty > 0) say(true, "rules.extra", { n: r.extraPenalty });
  if (r.wrongCallOthers !== "hand") say(true, `rules.others.${r.wrongCallOthers}` as Key);
  for (const { at, to } of r.reductions) say(!((at === 100 && to === 50) || (at === 200 && to === 100)), "rules.reduction", { at, to });
  if (r.bonus) say(true, "rules.bonus", { ...r.bonus });
  say(r.elimination !== 200 || r.eliminationAt !== "over", r.eliminationAt === "reached" ? "rules.outAt" : "rules.outOver", { n: r.elimination });
  if (r.end === "first_elimination") say(true, "rules.endFirst");
  if (r.maxRounds !== null) say(true, "rules.maxRounds", { n: r.maxRounds });
  if (r.allOut === "replay") say(true, "rules.replay");
  if (r.slamDown !== "off") say(true, `rules.slam.${r.slamDown}` as Key);
  if (r.cardRequests) say(true, "rules.requests");
  return said;
}

/** "72 hours, and 12 hours more with each turn." */
export function timeText(time: TimeControl): string {
  const seconds = (n: number): string => duration(n * 1000);
  if (time.clock === "none") return t("time.none");
  const first = time.clock === "bank" ? t("time.bank", { bank: seconds(time.bank), gain: seconds(time.gain) }) : t("time.turn", { time: seconds(time.turn) });
  return `${first} ${t(`time.then.${time.then}` as Key, { n: time.misses })}`;
}
