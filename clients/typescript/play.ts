// Two players play whole matches. Every path, body and answer is typed by what was generated from the document.
// Usage: node play.js [URL]

import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import createClient, { type Client } from "openapi-fetch";
import type { components, paths } from "./api.js";

type Schemas = components["schemas"];
type Match = Schemas["Match"];
type Api = Client<paths>;
type Answer<T> = { data?: T; error?: Schemas["Problem"]; response: Response };

// Together they cover every phase of a match.
const RULES: Schemas["RuleSetRequest"][] = [
  { preset: "speedy", max_rounds: 3 },
  { preset: "kluft", max_rounds: 3 },
  { preset: "yaniv", max_rounds: 2, over_limit: "swap", response: "final_turn", slam_down: "any", card_requests: true },
];

const [baseUrl = "http://127.0.0.1:8080"] = process.argv.slice(2);
let conflicts = 0;

/** Only a problem with a code is the service's own refusal: the page of a proxy is no answer. */
function isOwn({ error, response }: Answer<unknown>): boolean {
  const type = response.headers.get("Content-Type") ?? "";
  if (response.ok) return !type.startsWith("text/html");
  return response.status === 304 || (type.startsWith("application/problem+json") && typeof error?.code === "string");
}

/** Sends a request until its answer is final, every time with the same key. */
async function settle<T>(send: (key: string) => Promise<Answer<T>>): Promise<Answer<T>> {
  const key = randomUUID();
  for (let attempt = 1; ; attempt++) {
    const answer = await send(key).catch((fault: unknown) => {
      if (attempt === 30) throw fault;
      return undefined;
    });
    const status = answer && isOwn(answer) ? answer.response.status : 503;
    if (answer && ((status < 500 && status !== 408 && status !== 429) || attempt === 30)) return answer;
    await sleep(1000 * Number(answer?.response.headers.get("Retry-After") ?? 1));
  }
}

function expectData<T>({ data, error }: Answer<T>): T {
  if (data === undefined) throw new Error(error ? `${error.code}: ${error.detail}` : "an answer without a body");
  return data;
}

async function register(): Promise<Api> {
  const username = `ts_${randomUUID().replaceAll("-", "").slice(0, 12)}`;
  const body = { username, password: randomUUID() };
  const session = expectData(await settle(() => createClient<paths>({ baseUrl }).POST("/v1/accounts", { body })));
  return createClient<paths>({ baseUrl, headers: { Authorization: `Bearer ${session.access_token}` } });
}

function points(card: string, rules: Schemas["RuleSet"]): number {
  const { ace, jack, queen, king, joker } = rules.points;
  const named: Record<string, number> = { A: ace, T: 10, J: jack, Q: queen, K: king, X: joker };
  const rank = card.charAt(0);
  return named[rank] ?? Number(rank);
}

/** The discard worth most; a low card from the pile, else the stock. */
function choosePlay(rules: Schemas["RuleSet"], legal: Schemas["Legal"]): Omit<Schemas["PlayCardsRequest"], "expected_version"> {
  const worth = (cards: string[]) => cards.reduce((sum, card) => sum + points(card, rules), 0);
  const price = ({ draw_card }: Schemas["Draw"]) => (draw_card === undefined ? 4 : points(draw_card, rules));
  const [cards] = legal.discards.toSorted((a, b) => worth(b) - worth(a));
  const [draw] = legal.draws.toSorted((a, b) => price(a) - price(b));
  if (!cards || !draw) throw new Error("nothing to play");
  return { cards, ...draw };
}

/** What this player does now, if anything. */
function decide(api: Api, match: Match, rules: Schemas["RuleSet"]): ((key: string) => Promise<Answer<Match>>) | undefined {
  const { legal, hand, version: expected_version } = match;
  if (!legal || !hand) return undefined;
  const params = (key: string) => ({ path: { match_id: match.match_id }, header: { "Idempotency-Key": key } });

  if (legal.answer_card_request) {
    const body: Schemas["AnswerCardRequestRequest"] = { expected_version, answer: "give" };
    return (key) => api.POST("/v1/matches/{match_id}/card-request-answers", { params: params(key), body });
  }
  if (legal.answer_call) {
    const body: Schemas["AnswerCallRequest"] = { expected_version, answer: hand.points < 8 ? "challenge" : "expose" };
    return (key) => api.POST("/v1/matches/{match_id}/call-answers", { params: params(key), body });
  }
  if (legal.answer_swap) {
    const body: Schemas["AnswerSwapRequest"] = { expected_version, answer: hand.points > 25 ? "swap" : "stay" };
    return (key) => api.POST("/v1/matches/{match_id}/swap-answers", { params: params(key), body });
  }
  if (legal.slam_card !== undefined) {
    return (key) => api.POST("/v1/matches/{match_id}/slam-downs", { params: params(key), body: { expected_version } });
  }
  const [wanted] = legal.ask ?? [];
  if (wanted !== undefined) {
    const body = { expected_version, card: wanted };
    return (key) => api.POST("/v1/matches/{match_id}/card-requests", { params: params(key), body });
  }
  if (legal.call) {
    return (key) => api.POST("/v1/matches/{match_id}/calls", { params: params(key), body: { expected_version } });
  }
  if (legal.pass) {
    return (key) => api.POST("/v1/matches/{match_id}/passes", { params: params(key), body: { expected_version } });
  }
  if (legal.discards.length > 0) {
    const body = { expected_version, ...choosePlay(rules, legal) };
    return (key) => api.POST("/v1/matches/{match_id}/plays", { params: params(key), body });
  }
  return undefined;
}

/** Plays one seat until the match has a result. */
async function playSeat(api: Api, id: string): Promise<Match> {
  const path = { match_id: id };
  // They never change: fetched once, they are left out of the match.
  const settings = await settle(() => api.GET("/v1/matches/{match_id}/settings", { params: { path } }));
  const { rules } = expectData(settings);
  let view = expectData(await settle(() => api.GET("/v1/matches/{match_id}", { params: { path } })));
  let etag = "";
  while (!view.result) {
    const act = decide(api, view, rules);
    if (act) {
      const { data, error } = await settle(act);
      // If the other player was faster, the refusal contains the current view: choose again.
      const news = data ?? (error?.code === "version_conflict" ? error.match : undefined);
      if (!news) throw new Error(error ? `${error.code}: ${error.detail}` : "an answer without a body");
      if (!data) conflicts += 1;
      view = news;
      continue;
    }
    await sleep(100);
    const header = etag ? { "If-None-Match": etag } : {};
    const answer = await settle(() => api.GET("/v1/matches/{match_id}", { params: { path, header } }));
    if (answer.response.status === 304) continue;
    view = expectData(answer);
    etag = answer.response.headers.get("ETag") ?? "";
  }
  return view;
}

async function playMatch(host: Api, guest: Api, rules: Schemas["RuleSetRequest"]): Promise<void> {
  const header = (key: string) => ({ "Idempotency-Key": key });
  const { match_id: id, join_code: code } = expectData(
    await settle((key) => host.POST("/v1/matches", { params: { header: header(key) }, body: { size: 2, rules } })),
  );
  if (code === undefined) throw new Error("a waiting match has a code");
  expectData(
    await settle((key) =>
      guest.POST("/v1/join-codes/{code}/seats", {
        params: { path: { code }, header: header(key) },
        body: { client_seed: "typescript" },
      }),
    ),
  );
  expectData(
    await settle((key) =>
      host.POST("/v1/matches/{match_id}/start", { params: { path: { match_id: id }, header: header(key) } }),
    ),
  );
  const [match] = await Promise.all([playSeat(host, id), playSeat(guest, id)]);

  const path = { match_id: id };
  const record = expectData(await settle(() => host.GET("/v1/matches/{match_id}/record", { params: { path } })));
  if (!match.result || record["format"] !== "yaniv-record/1") throw new Error("the match has no result or no record");
  const winner = match.result.winner === undefined ? "shared" : `seat ${match.result.winner}`;
  const rounds = match.scores.length;
  console.log(`typescript: ${rules.preset}: ${rounds} rounds, winner: ${winner}, ${match.version} actions`);
}

const [host, guest] = await Promise.all([register(), register()]);
for (const rules of RULES) await playMatch(host, guest, rules);
console.log(`typescript: ${conflicts} version conflicts resolved`);
