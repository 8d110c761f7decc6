// The client's own types of what the service knows. Only `map.ts` knows how they are called on the wire.
// Times are milliseconds since 1970 by the service's clock.

/** Rank and suit, `9C`, `TD`; `XB` and `XR` are the jokers. */
export type Card = string;

export interface Points { ace: number; jack: number; queen: number; king: number; joker: number }

export interface Rules {
  decks: number; suits: number; jokers: number; handSize: number; direction: string;
  aceHigh: boolean; jokersInRuns: boolean; jokersInSets: boolean; jokerPair: boolean; minNaturals: number;
  pickup: string; minTurns: number; wordPenalty: number; overLimit: string; outOfTurn: string; response: string;
  wrongCallPenalty: number; extraPenalty: number; wrongCallOthers: string; tieIsWrong: boolean;
  elimination: number; eliminationAt: string; end: string; allOut: string; tieStarter: string;
  slamDown: string; cardRequests: boolean; secondDeckAt: number | null; points: Points; oneEyedJacks: number | null;
  /** null: no limit. */
  callLimit: number | null;
  callWords: string[]; reductions: { at: number; to: number }[]; bonus: { every: number; points: number } | null;
  maxRounds: number | null;
}

export interface TimeControl {
  clock: string; turn: number; bank: number; gain: number; cap: number;
  vacation: boolean; quietHours: boolean; misses: number; then: string;
}

/** Languages of notifications, and of this client. */
export type Language = "en" | "he" | "ne" | "nl" | "de";

export interface Seat {
  seat: number; username: string; displayName: string | null; bot: boolean;
  deadline: number | null; waitsSince: number | null; bank: number | null; missed: number; heldByBot: boolean;
  cards: number; total: number; out: boolean; turns: number; exposed: Card[] | null;
}

export interface Answer { seat: number; answer: string }

export interface Table {
  round: number; phase: string; toAct: number[]; starter: number; dealer: number; suddenDeath: boolean;
  caller: number | null; answers: Answer[]; asker: number | null; askedCard: Card | null; asked: boolean;
  dedication: { seat: number; text: string } | null;
  pile: Card[]; pickable: Card[]; stock: number; buried: number;
}

export type Draw = { from: "stock" } | { from: "nothing" } | { from: "pile"; card: Card };

export interface Legal {
  discards: Card[][]; draws: Draw[]; truncated: boolean; call: boolean; pass: boolean;
  slamCard: Card | null; slamEitherEnd: boolean; ask: Card[];
  answerCardRequest: boolean; answerCall: boolean; answerSwap: boolean;
}

export interface Entry {
  /** `at`: null where the service leaves it out; `username`: empty if it is unknown. */
  version: number; type: string; at: number | null; username: string; seat: number | null; round: number | null;
  /** Cards thrown, and how a card was drawn; `drew` is null where the reader may not know it. */
  play: { cards: Card[]; from: string; drew: Card | null } | null;
  call: { word: string | null; outcome: string | null } | null;
  card: Card | null; slamFirst: boolean;
  nudged: number[]; automatic: string | null; recycled: boolean; endedRound: boolean; endedMatch: boolean;
}

export interface RoundResult {
  caller: number; right: boolean; hands: Card[][]; points: number[]; scores: number[]; totals: number[]; reduced: number[]; out: number[];
}
export interface Round { round: number; starter: number; endedAt: number; lastVersion: number; result: RoundResult | null }
export interface ScoreLine { round: number; caller: number | null; scores: number[]; totals: number[] }

/** What never changes in a match. */
export interface MatchSettings {
  preset: string | null; rules: Rules; size: number; isPublic: boolean; time: TimeControl; sandbox: boolean; rated: boolean;
}
export interface Match extends MatchSettings {
  id: string; code: string | null; codeExpires: number | null; joinLink: string | null; status: "waiting" | "running" | "finished";
  version: number; hostSeat: number | null;
  /** As it was seen before the start; null if this device did not see it. */
  commitment: string | null;
  mySeat: number | null; myTurn: boolean; seats: Seat[]; table: Table | null;
  hand: { cards: Card[]; points: number } | null; legal: Legal | null;
  scores: ScoreLine[]; lastRound: Round | null; result: { winner: number | null; ranking: number[] } | null;
  recent: Entry[];
  /** When this view was fetched, by the service's clock. */
  seenAt: number;
}

/** What a holder of a join code sees. */
export interface Preview {
  code: string; matchId: string | null; free: number; size: number; preset: string | null; rules: Rules; time: TimeControl; rated: boolean;
  players: { username: string; displayName: string | null; bot: boolean; host: boolean }[];
}

export interface SummarySeat {
  seat: number; username: string; displayName: string | null; bot: boolean; total: number | null;
  deadline: number | null; waitsSince: number | null; heldByBot: boolean;
}

/** A match on the home screen. */
export interface Summary {
  id: string; version: number; unread: number; preset: string | null; size: number; rated: boolean; mySeat: number; place: number | null;
  toAct: number[]; round: number | null; seats: SummarySeat[]; code: string | null; finishedAt: number | null; lastEntry: Entry | null;
  /** Mine, while the match waits for me. */
  deadline: number | null;
}

/** The home screen. Each list has 20 items at most; the counts are of all. */
export interface HomeLists {
  turns: Summary[]; turnCount: number; waiting: Summary[]; waitingCount: number; lobby: Summary[]; lobbyCount: number; finished: Summary[];
  challenges: Challenge[]; challengeCount: number; pairings: Pairing[]; friendRequests: number;
  /** When it was fetched, by the service's clock, and the tag of that answer. */
  at: number; etag: string | null;
}

export interface Page<T> { items: T[]; next: string | null }

/** What a player does in a match. */
export type Action =
  | { kind: "play"; cards: Card[]; draw: Draw; slamDown?: boolean }
  | { kind: "call"; word?: string }
  | { kind: "slam"; first: boolean }
  | { kind: "ask"; card: Card }
  | { kind: "answerCardRequest"; answer: "give" | "keep" }
  | { kind: "answerCall"; answer: "expose" | "challenge" }
  | { kind: "answerSwap"; answer: "swap" | "stay" }
  | { kind: "pass" }
  | { kind: "resign" }
  | { kind: "takeBack" };

export interface Account {
  id: string; username: string; displayName: string | null; guest: boolean; bot: boolean; language: string | null; timeZone: string | null;
  /** `passwordless`: it has an identity of the OpenID provider (`linked`), and no password. */
  passwordless: boolean; linked: boolean;
}
/** `refresh` is null where the browser keeps it in a cookie. */
export interface Tokens {
  access: string; accessExpires: number; refresh: string | null; device: string; sessionId: string; account: Account;
}

/** `values`: the rules by the names of options in `RuleOption`. */
export interface Preset { name: string; title: string; description: string; rules: Rules; values: Record<string, unknown> }
/** An option of the rules, as `listRuleOptions` describes it. */
export interface RuleOption {
  name: string; kind: string; description: string; minimum: number | null; maximum: number | null; values: number[]; choices: string[];
  minItems: number; maxItems: number; itemPattern: string | null; fields: OptionField[]; canBeOff: boolean; offSwitch: string | null; needs: string | null;
}
export interface OptionField { name: string; description: string; minimum: number; maximum: number; required: boolean; unique: boolean }
export interface SeatLimits { minimum: number; maximum: number; halfPack: number; cardsOfSuit: number; spareOfSeat: number; spare: number }
/** All that the form of a new match is made of. `defaults`: values without a preset. */
export interface RuleForm { options: RuleOption[]; defaults: Record<string, unknown>; presets: string[]; seats: SeatLimits }

/** Rules of a new match: a preset, and options by their name in `RuleOption`. */
export interface RulesWish { preset: string; options: Record<string, unknown> }
export interface MatchWish {
  size: number; rules: RulesWish; time: TimeControl; isPublic?: boolean; rated?: boolean; bots?: string[]; randomSeats?: boolean;
  sandbox?: boolean; sandboxSeed?: string;
}

export interface Member { username: string; displayName: string | null; bot: boolean; answer: string; reason: string | null }
export interface Challenge {
  id: string; status: string; incoming: boolean; waitsForMe: boolean; matchId: string | null; rematchOf: string | null; preset: string | null;
  size: number; rated: boolean; members: Member[]; createdAt: number; expiresAt: number;
  /** Only in the whole challenge. */
  rules: Rules | null; time: TimeControl | null;
}
export interface OpenMatch { code: string; preset: string | null; size: number; rated: boolean; time: TimeControl; usernames: string[]; bots: string[]; createdAt: number }
export interface Pairing { id: string; preset: string | null; size: number; rated: boolean; createdAt: number; expiresAt: number; matchId: string | null; status: string }

export interface Profile { username: string; displayName: string | null; guest: boolean; bot: boolean; level: string | null; vacationUntil: string | null }
export interface Friend { username: string; bot: boolean; status: string; since: number }

export interface Order { cards: Card[]; draw: Draw; ifPickable: Card[] }
export interface OrdersWish { callAtMost?: number; plays: Order[]; giveFrom?: number; challengeAtMost?: number; swapFrom?: number; slamDown?: boolean }
export interface Orders extends OrdersWish { state: string; reason: string | null }

export interface PlayedMatch {
  id: string; status: string; preset: string | null; size: number; rated: boolean; rounds: number; seat: number; result: string | null;
  seats: { seat: number; username: string; bot: boolean; total: number | null; place: number | null }[]; createdAt: number; finishedAt: number | null;
}

export interface ReplayTable {
  phase: string; toAct: number[]; pile: Card[]; pickable: Card[]; stock: number; counts: number[]; hand: Card[] | null;
}
export interface Replay {
  round: number; over: boolean; starter: number; dealer: number; upcard: Card | null; stock: number;
  dealt: { seat: number; total: number; out: boolean; count: number; cards: Card[] | null }[];
  steps: { entry: Entry; table: ReplayTable | null }[]; result: RoundResult | null;
}
/** With the seat that has written the dedication, if there is one. */
export interface WholeReplay extends Replay { dedicator: number | null }
export interface AnalysedAction { type: string; cards: Card[]; draw: Draw | null }
/** Why the best action is better: a code of the service, with the figures that it has. */
export interface AnalysisReason { code: string; chance: number | null; betterChance: number | null; pointsLeft: number | null; betterPointsLeft: number | null }
export interface Decision {
  version: number; seat: number; played: AnalysedAction; cost: number | null; costError: number | null; reason: AnalysisReason | null; considered: { action: AnalysedAction; cost: number; chance: number | null }[];
}

export interface Figures {
  matches: number; wins: number; places: { size: number; place: number; matches: number }[]; rounds: number; roundsWon: number;
  rightCalls: number; wrongCalls: number; asafsInflicted: number; meanCallPoints: number | null; meanHandGivenUp: number | null;
  reductions: number; slamDowns: number; medianReplySeconds: number | null; missedDeadlines: number; onTimeShare: number | null; longestStreak: number;
}
export interface Statistics { overall: Figures; presets: { preset: string; figures: Figures }[] }
export interface Rating {
  preset: string; rating: number; deviation: number; provisional: boolean; matches: number; rank: number | null; players: number;
}
export interface RatingChange { matchId: string | null; at: number; before: number; after: number; deviation: number; place: number; players: number }
export interface Leader { rank: number; username: string; rating: number; deviation: number; matches: number }
export interface HeadToHead {
  matches: number; ahead: number; behind: number; level: number; wins: number; opponentWins: number; asafsInflicted: number; asafsSuffered: number;
}

export interface Channel { id: string; format: string; name: string; host: string; email: string | null; kinds: string[]; status: string; deliveredAt: number | null }
export interface QuietTimes { from: string; to: string; zone: string }
export interface Vacation { id: string; first: string; last: string; begins: number; ends: number; cancelled: boolean }
export interface Calendar { quiet: QuietTimes | null; vacations: Vacation[]; allowances: { year: number; days: number; left: number }[] }
export interface SessionLine { id: string; device: string; current: boolean; usedOn: number }
/** What an app asks for, under the name that it gives itself; `redirect` is the address of the authorization response. */
export interface AppRequest { name: string; origin: string; scopes: string[]; redirect: string }
/** `origin`: of an app that got the token by OAuth; `null` for a token that the player created. */
/** What a moderator has decided about the account. */
export interface Sanction { id: string; kind: string; reason: string; at: number; until: number | null; undoneAt: number | null }
export interface TokenLine { id: string; name: string; origin: string | null; scopes: string[]; usedOn: number | null; expiresAt: number }
export interface TransferCode { code: string; expiresAt: number }

/** `provider`: name of the OpenID provider, if one can log in by one. */
export interface ServerFacts { signUp: string; pushKey: string; sendsNotices: boolean; sendsEmail: boolean; provider: string | null; passkeys: boolean }
export interface PasskeyLine { id: string; name: string; addedAt: number; usedOn: number | null }

export interface FairnessProof {
  matchId: string; shuffledAs: string; commitment: string; clientSeeds: string[]; rounds: { round: number; seed: string }[];
}
