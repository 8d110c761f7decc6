// Operations of friends and blocks, and reports. They are not in the first load, as those of `people.ts` are.
import { answer, authorized } from "./client";
import * as map from "./map";
import type { Friend, Profile } from "./types";

const named = (username: string) => ({ params: { path: { username } } });

export async function getProfile(username: string): Promise<Profile> {
  return map.profile(await answer(authorized.GET("/v1/profiles/{username}", named(username))));
}
export async function listFriends(): Promise<Friend[]> {
  return (await answer(authorized.GET("/v1/friends", { params: { query: { limit: 100 } } }))).items.map(map.friend);
}
export async function befriend(username: string): Promise<void> { await answer(authorized.PUT("/v1/friends/{username}", named(username))); }
export async function unfriend(username: string): Promise<void> { await answer(authorized.DELETE("/v1/friends/{username}", named(username))); }
export async function listBlocks(): Promise<string[]> {
  return (await answer(authorized.GET("/v1/blocks", { params: { query: { limit: 100 } } }))).items.map((block) => block.username);
}
export async function block(username: string): Promise<void> { await answer(authorized.PUT("/v1/blocks/{username}", named(username))); }
export async function unblock(username: string): Promise<void> { await answer(authorized.DELETE("/v1/blocks/{username}", named(username))); }
/** Reasons to report a player. */
export const reasons = ["harassment", "cheating", "collusion", "undeclared_bot", "offensive_name", "offensive_text", "other"] as const;
export type Reason = (typeof reasons)[number];

/** The round of a match that a report is about; `dedication`: its dedication is by this player. */
export interface ReportedRound { id: string; round: number; dedication: boolean }

/** Reports a player, or what they did in a match or wrote there. The same report again, while it is open, changes nothing. */
export async function report(username: string, reason: Reason, comment: string, place: ReportedRound | null): Promise<void> {
  const body = { reason, ...(comment ? { comment } : {}) };
  if (!place) await answer(authorized.POST("/v1/profiles/{username}/reports", { params: { path: { username } }, body }));
  else if (place.dedication && reason === "offensive_text") {
    await answer(authorized.POST("/v1/matches/{match_id}/rounds/{round}/dedication/reports", { params: { path: { match_id: place.id, round: place.round } }, body }));
  } else await answer(authorized.POST("/v1/matches/{match_id}/players/{username}/reports", { params: { path: { match_id: place.id, username } }, body }));
}
