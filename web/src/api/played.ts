// Operations on what was played: history, replay, analysis, statistics, ratings, files, fairness.
import { answer, authorized, NoAnswer, raw, problemOf } from "./client";
import * as map from "./played-map";
import type { paths } from "./schema";
import type { Decision, FairnessProof, Figures, HeadToHead, Leader, Page, PlayedMatch, Rating, RatingChange, Statistics } from "./types";

/** `since`, `until`: first and last day, in local time. */
export interface HistoryFilter {
  preset?: string | undefined; opponent?: string | undefined; result?: string | undefined; rated?: boolean | undefined; bots?: boolean | undefined;
  status?: string | undefined; since?: string | undefined; until?: string | undefined;
}
/** The beginning of a day here, or of one after it. */
function beginning(date: string, later = 0): string {
  const [year, month, day] = date.split("-").map(Number);
  return new Date(year ?? 0, (month ?? 1) - 1, (day ?? 1) + later).toISOString();
}

export async function listHistory({ since, until, ...filter }: HistoryFilter, cursor: string | null): Promise<Page<PlayedMatch>> {
  const w = await answer(authorized.GET("/v1/history", {
    params: { query: { ...filter, ...(since ? { since: beginning(since) } : {}), ...(until ? { until: beginning(until, 1) } : {}), limit: 30, ...(cursor ? { cursor } : {}) } as NonNullable<paths["/v1/history"]["get"]["parameters"]["query"]> },
  }));
  return { items: w.items.map(map.playedMatch), next: w.next_cursor ?? null };
}
export async function getAnalysis(id: string, round: number): Promise<{ decisions: Decision[]; decisive: number[] }> {
  const w = await answer(authorized.GET("/v1/matches/{match_id}/rounds/{round}/analysis", { params: { path: { match_id: id, round } } }));
  return { decisions: w.decisions.map(map.decision), decisive: w.decisive };
}
export async function getStatistics(username: string): Promise<Statistics> {
  const w = await answer(authorized.GET("/v1/profiles/{username}/statistics", { params: { path: { username } } }));
  return { overall: map.figures(w.overall), presets: w.presets.map((p) => ({ preset: p.preset, figures: map.figures(p.figures) })) };
}
export async function listMonths(username: string): Promise<{ month: string; figures: Figures }[]> {
  const w = await answer(authorized.GET("/v1/profiles/{username}/statistics/months", { params: { path: { username } } }));
  return w.items.map((item) => ({ month: item.month, figures: map.figures(item.figures) }));
}
export async function getHeadToHead(username: string, opponent: string): Promise<HeadToHead> {
  return map.headToHead(await answer(authorized.GET("/v1/profiles/{username}/head-to-head/{opponent}", { params: { path: { username, opponent } } })));
}
export async function listRatings(username: string): Promise<Rating[]> {
  return (await answer(authorized.GET("/v1/profiles/{username}/ratings", { params: { path: { username } } }))).items.map(map.rating);
}
export async function listRatingChanges(username: string, preset: string): Promise<RatingChange[]> {
  const w = await answer(authorized.GET("/v1/profiles/{username}/ratings/{preset}/changes", { params: { path: { username, preset }, query: { limit: 100 } } }));
  return w.items.map(map.ratingChange);
}
export async function listLeaders(preset: string): Promise<Leader[]> {
  return (await answer(authorized.GET("/v1/leaderboards/{preset}", { params: { path: { preset }, query: { limit: 50 } } }))).items.map(map.leader);
}
export async function getFairness(id: string): Promise<FairnessProof> {
  return map.fairness(await answer(authorized.GET("/v1/matches/{match_id}/fairness", { params: { path: { match_id: id } } })));
}
/** A file that the service makes. One that breaks off is no answer. */
async function file(path: string): Promise<Blob> {
  const response = await raw(path);
  if (!response.ok) throw problemOf(response.status, await response.json().catch(() => null), response);
  return response.blob().catch((cause: unknown) => { throw new NoAnswer("broken answer", { cause }); });
}
/** The record of a match as JSON, or in the form of text. */
export const getRecord = (id: string): Promise<Blob> => file(`/v1/matches/${id}/record`);
export const getRecordText = (id: string): Promise<Blob> => file(`/v1/matches/${id}/record/text`);
/** Everything of the account, as JSON. */
export const exportAccount = (): Promise<Blob> => file("/v1/account/export");
