// The same as map.ts, for what was played: the first screens need none of it.
import { draw, maybeTime, time, type Wire } from "./map";
import type * as T from "./types";

export function playedMatch(w: Wire["HistoryMatch"]): T.PlayedMatch {
  return {
    id: w.match_id, status: w.status, preset: w.preset ?? null, size: w.size, rated: w.rated, rounds: w.rounds, seat: w.seat, result: w.result ?? null,
    seats: w.seats.map((s) => ({ seat: s.seat, username: s.username, bot: s.bot ?? false, total: s.total ?? null, place: s.place ?? null })),
    createdAt: time(w.created_at), finishedAt: maybeTime(w.finished_at),
  };
}

const analysed = (w: Wire["AnalysedAction"]): T.AnalysedAction => ({ type: w.type, cards: w.cards, draw: w.draw_from ? draw(w) : null });
const reason = (w: Wire["AnalysisReason"]): T.AnalysisReason => ({
  code: w.code, chance: w.chance ?? null, betterChance: w.better_chance ?? null,
  pointsLeft: w.points_left ?? null, betterPointsLeft: w.better_points_left ?? null,
});
export const decision = (w: Wire["AnalysedDecision"]): T.Decision => ({
  version: w.version, seat: w.seat, played: analysed(w.played), cost: w.cost ?? null, costError: w.cost_error ?? null, reason: w.reason ? reason(w.reason) : null,
  considered: w.considered.map((one) => ({ action: analysed(one.action), cost: one.cost, chance: one.chance ?? null })),
});

export function figures(w: Wire["PlayerFigures"]): T.Figures {
  return {
    matches: w.matches, wins: w.wins, places: w.places, rounds: w.rounds, roundsWon: w.rounds_won, rightCalls: w.right_calls,
    wrongCalls: w.wrong_calls, asafsInflicted: w.asafs_inflicted, meanCallPoints: w.mean_call_points ?? null,
    meanHandGivenUp: w.mean_hand_given_up ?? null, reductions: w.reductions, slamDowns: w.slam_downs,
    medianReplySeconds: w.median_reply_seconds ?? null, missedDeadlines: w.missed_deadlines, onTimeShare: w.on_time_share ?? null,
    longestStreak: w.longest_streak,
  };
}
export const rating = (w: Wire["Rating"]): T.Rating => ({
  preset: w.preset, rating: w.rating, deviation: w.deviation, provisional: w.provisional, matches: w.matches, rank: w.rank ?? null, players: w.players,
});
export const ratingChange = (w: Wire["RatingChange"]): T.RatingChange => ({
  matchId: w.match_id ?? null, at: time(w.at), before: w.rating_before, after: w.rating, deviation: w.deviation, place: w.place, players: w.players,
});
export const leader = (w: Wire["LeaderboardEntry"]): T.Leader => ({
  rank: w.rank, username: w.username, rating: w.rating, deviation: w.deviation, matches: w.matches,
});
export const headToHead = (w: Wire["HeadToHead"]): T.HeadToHead => ({
  matches: w.matches, ahead: w.ahead, behind: w.behind, level: w.level, wins: w.wins, opponentWins: w.opponent_wins,
  asafsInflicted: w.asafs_inflicted, asafsSuffered: w.asafs_suffered,
});

export const fairness = (w: Wire["Fairness"]): T.FairnessProof => ({
  matchId: w.match_id, shuffledAs: w.shuffled_as, commitment: w.commitment, clientSeeds: w.client_seeds, rounds: w.rounds,
});
