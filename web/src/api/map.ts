// From the wire to the client's own types and back: the only place that knows the names of fields.
import type { components } from "./schema";
import type * as T from "./types";

export type Wire = components["schemas"];

export const time = (text: string): number => Date.parse(text);
export const maybeTime = (text: string | undefined | null): number | null => (text ? Date.parse(text) : null);

export function rules(w: Wire["RuleSet"]): T.Rules {
  return {
    decks: w.decks, suits: w.suits, jokers: w.jokers, handSize: w.hand_size, direction: w.direction,
    aceHigh: w.ace_high, jokersInRuns: w.jokers_in_runs, jokersInSets: w.jokers_in_sets, jokerPair: w.joker_pair,
    minNaturals: w.min_naturals, pickup: w.pickup, minTurns: w.min_turns, wordPenalty: w.word_penalty,
    overLimit: w.over_limit, outOfTurn: w.out_of_turn, response: w.response, wrongCallPenalty: w.wrong_call_penalty,
    extraPenalty: w.extra_penalty, wrongCallOthers: w.wrong_call_others, tieIsWrong: w.tie_is_wrong,
    elimination: w.elimination, eliminationAt: w.elimination_at, end: w.end, allOut: w.all_out, tieStarter: w.tie_starter,
    slamDown: w.slam_down, cardRequests: w.card_requests, secondDeckAt: w.second_deck_at ?? null,
    points: { ...w.points }, oneEyedJacks: w.one_eyed_jacks ?? null,
    callLimit: w.call_limit_off ? null : (w.call_limit ?? null),
    callWords: w.call_words, reductions: w.reductions, bonus: w.bonus ?? null, maxRounds: w.max_rounds ?? null,
  };
}

export function timeControl(w: Wire["TimeControl"]): T.TimeControl {
  return {
    clock: w.clock, turn: w.turn_seconds ?? 0, bank: w.bank_seconds ?? 0, gain: w.gain_seconds ?? 0, cap: w.cap_seconds ?? 0,
    vacation: w.vacation, quietHours: w.quiet_hours, misses: w.misses, then: w.then,
  };
}

/** Fields that do not fit the clock are refused, so they are left out. */
export function timeWish(t: T.TimeControl): Wire["TimeControlRequest"] {
  const rest = { vacation: t.vacation, quiet_hours: t.quietHours, misses: t.misses, then: t.then as NonNullable<Wire["TimeControlRequest"]["then"]> };
  if (t.clock === "bank") return { clock: "bank", bank_seconds: t.bank, gain_seconds: t.gain, cap_seconds: t.cap, ...rest };
  if (t.clock === "turn") return { clock: "turn", turn_seconds: t.turn, ...rest };
  return { clock: "none" };
}

/** Options have the names that the service gives them in `listRuleOptions`; they are passed on as they are. */
export function rulesWish(r: T.RulesWish): Wire["RuleSetRequest"] {
  return { preset: r.preset, ...r.options } as Wire["RuleSetRequest"];
}

/** `of`: what the match has and its entries leave out. */
export function entry(w: Wire["LogEntry"], of: { round?: number | undefined; seats?: { seat: number; username: string }[] } = {}): T.Entry {
  return {
    version: w.version, type: w.type, at: maybeTime(w.at), seat: w.seat ?? null, round: w.round ?? of.round ?? null,
    username: w.username ?? of.seats?.find((one) => one.seat === w.seat)?.username ?? "",
    play: w.play ? { cards: w.play.cards, from: w.play.draw_from, drew: w.play.draw_card ?? null } : null,
    call: w.call ? { word: w.call.word ?? null, outcome: w.call.outcome ?? null } : null,
    card: w.slam?.card ?? w.ask?.card ?? null, slamFirst: w.slam?.first ?? false,
    nudged: w.nudged ?? [], automatic: w.automatic ?? null, recycled: w.recycled ?? false, endedRound: w.ended_round ?? false,
    endedMatch: w.ended_match ?? false,
  };
}

function seat(w: Wire["Seat"]): T.Seat {
  return {
    seat: w.seat, username: w.username, displayName: w.display_name ?? null, bot: w.bot ?? false, deadline: maybeTime(w.deadline),
    waitsSince: maybeTime(w.waiting_since), bank: w.bank_seconds ?? null, missed: w.missed_turns ?? 0, heldByBot: w.held_by_bot ?? false,
    cards: w.card_count, total: w.total, out: w.out ?? false, turns: w.turns ?? 0, exposed: w.exposed ?? null,
  };
}

function table(w: Wire["Table"]): T.Table {
  return {
    round: w.round, phase: w.phase, toAct: w.to_act, starter: w.starter, dealer: w.dealer, suddenDeath: w.sudden_death ?? false,
    caller: w.caller ?? null, answers: w.answers ?? [], asker: w.asker ?? null, askedCard: w.asked_card ?? null, asked: w.asked ?? false,
    dedication: w.dedication ?? null, pile: w.pile, pickable: w.pickable, stock: w.stock_count, buried: w.buried_count,
  };
}

export function draw(w: { draw_from?: string; draw_card?: string }): T.Draw {
  if (w.draw_from === "pile") return { from: "pile", card: w.draw_card ?? "" };
  return { from: w.draw_from === "nothing" ? "nothing" : "stock" };
}

export function drawWish(d: T.Draw): { draw_from: Wire["DrawFrom"]; draw_card?: string } {
  return d.from === "pile" ? { draw_from: "pile", draw_card: d.card } : { draw_from: d.from };
}

function legal(w: Wire["Legal"]): T.Legal {
  return {
    discards: w.discards, draws: w.draws.map(draw), truncated: w.truncated ?? false, call: w.call ?? false, pass: w.pass ?? false,
    slamCard: w.slam_card ?? null, slamEitherEnd: w.slam_either_end ?? false, ask: w.ask ?? [],
    answerCardRequest: w.answer_card_request ?? false, answerCall: w.answer_call ?? false, answerSwap: w.answer_swap ?? false,
  };
}

export const result = (w: Wire["RoundResult"]): T.RoundResult => ({
  caller: w.caller, right: w.call_right, hands: w.hands, points: w.points, scores: w.scores, totals: w.totals,
  reduced: w.reduced ?? [], out: w.out ?? [],
});
export const round = (w: Wire["Round"]): T.Round => ({
  round: w.round, starter: w.starter, endedAt: time(w.ended_at), lastVersion: w.last_version, result: w.result ? result(w.result) : null,
});

export const settings = (w: Wire["MatchSettings"]): T.MatchSettings => ({
  preset: w.preset ?? null, rules: rules(w.rules), size: w.size, isPublic: w.visibility === "public",
  time: timeControl(w.time_control), sandbox: w.sandbox ?? false, rated: w.rated ?? false,
});

export function match(w: Wire["Match"], of: T.MatchSettings): T.Match {
  return {
    ...of, id: w.match_id, code: w.join_code ?? null, codeExpires: maybeTime(w.join_code_expires_at), joinLink: w.join_link ?? null,
    status: w.status as T.Match["status"], version: w.version, hostSeat: w.host_seat ?? null, commitment: w.commitment ?? null,
    mySeat: w.your_seat ?? null, myTurn: w.your_turn ?? false, seats: w.seats.map(seat), table: w.table ? table(w.table) : null,
    hand: w.hand ?? null, legal: w.legal ? legal(w.legal) : null, scores: w.scores.map((line) => ({ ...line, caller: line.caller ?? null })),
    lastRound: w.last_round ? round(w.last_round) : null,
    result: w.result ? { winner: w.result.winner ?? null, ranking: w.result.ranking } : null,
    recent: w.recent.map((one) => entry(one, { round: w.table?.round, seats: w.seats })), seenAt: time(w.server_time),
  };
}

export const preview = (w: Wire["MatchPreview"]): T.Preview => ({
  code: w.join_code, matchId: w.match_id ?? null, free: w.free_seats, size: w.settings.size, preset: w.settings.preset ?? null,
  rules: rules(w.settings.rules), time: timeControl(w.settings.time_control), rated: w.settings.rated ?? false,
  players: w.players.map((p) => ({ username: p.username, displayName: p.display_name ?? null, bot: p.bot ?? false, host: p.host ?? false })),
});

const summarySeat = (w: Wire["SummarySeat"]): T.SummarySeat => ({
  seat: w.seat, username: w.username, displayName: w.display_name ?? null, bot: w.bot ?? false, total: w.total ?? null,
  deadline: maybeTime(w.deadline), waitsSince: maybeTime(w.waiting_since), heldByBot: w.held_by_bot ?? false,
});

function summary(w: Wire["HomeMatch"]): T.Summary {
  return {
    id: w.match_id, version: w.version, unread: w.unread, preset: w.preset ?? null, size: w.size, rated: w.rated ?? false, mySeat: w.your_seat,
    place: w.your_place ?? null, toAct: w.to_act, round: w.round ?? null, seats: w.seats.map(summarySeat), code: w.join_code ?? null,
    finishedAt: maybeTime(w.finished_at), deadline: maybeTime(w.seats.find((one) => one.seat === w.your_seat)?.deadline),
    lastEntry: w.last_entry ? entry(w.last_entry, { round: w.round, seats: w.seats }) : null,
  };
}

export const home = (w: Wire["Home"], etag: string | null): T.HomeLists => ({
  turns: w.turns.map(summary), turnCount: w.turn_count, waiting: w.waiting.map(summary), waitingCount: w.waiting_count,
  lobby: w.lobby.map(summary), lobbyCount: w.lobby_count, finished: w.finished.map(summary),
  challenges: w.challenges.map(challenge), challengeCount: w.challenge_count, pairings: w.pairings.map(pairing),
  friendRequests: w.friend_request_count, at: time(w.server_time), etag,
});

export const account = (w: Wire["Account"]): T.Account => ({
  id: w.account_id, username: w.username, displayName: w.display_name ?? null, guest: w.guest ?? false, bot: w.bot ?? false,
  language: w.language, timeZone: w.time_zone ?? null, passwordless: w.passwordless ?? false, linked: w.identity_linked ?? false,
});

export const tokens = (w: Wire["Session"]): T.Tokens => ({
  access: w.access_token, accessExpires: time(w.expires_at), refresh: w.refresh_token ?? null, device: w.device_token,
  sessionId: w.session_id, account: account(w.account),
});

const member = (w: Wire["ChallengeMember"]): T.Member => ({
  username: w.username, displayName: w.display_name ?? null, bot: w.bot ?? false, answer: w.answer, reason: w.decline_reason ?? null,
});

export function challenge(w: Wire["ChallengeSummary"] & Partial<Pick<Wire["Challenge"], "rules" | "time_control">>): T.Challenge {
  return {
    id: w.challenge_id, status: w.status, incoming: w.direction === "incoming", waitsForMe: w.waits_for_you, matchId: w.match_id ?? null,
    rematchOf: w.rematch_of ?? null, preset: w.preset ?? null, size: w.size, rated: w.rated ?? false, members: w.members.map(member),
    createdAt: time(w.created_at), expiresAt: time(w.expires_at),
    rules: w.rules ? rules(w.rules) : null, time: w.time_control ? timeControl(w.time_control) : null,
  };
}

export const openMatch = (w: Wire["OpenMatch"]): T.OpenMatch => ({
  code: w.join_code, preset: w.preset ?? null, size: w.size, rated: w.rated ?? false, time: timeControl(w.time_control),
  usernames: w.usernames, bots: w.bots, createdAt: time(w.created_at),
});

export function pairing(w: Wire["PairingSummary"] & Partial<Pick<Wire["Pairing"], "match_id" | "status">>): T.Pairing {
  return {
    id: w.pairing_id, preset: w.preset ?? null, size: w.size, rated: w.rated ?? false, createdAt: time(w.created_at), expiresAt: time(w.expires_at),
    matchId: w.match_id ?? null, status: w.status ?? "waiting",
  };
}

export const profile = (w: Wire["ProfileSummary"]): T.Profile => ({
  username: w.username, displayName: w.display_name ?? null, guest: w.guest ?? false, bot: w.bot ?? false, level: w.level ?? null,
  vacationUntil: w.on_vacation_until ?? null,
});
export const friend = (w: Wire["Friend"]): T.Friend => ({ username: w.username, bot: w.bot ?? false, status: w.status, since: time(w.since) });

export const channel = (w: Wire["Channel"]): T.Channel => ({
  id: w.channel_id, format: w.format, name: w.name, host: w.host, email: w.email ?? null, kinds: w.kinds, status: w.status, deliveredAt: maybeTime(w.delivered_at),
});
