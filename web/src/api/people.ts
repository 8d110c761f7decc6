// Operations between people: names, challenges, pairing, open tables, rematches.
import { answer, authorized } from "./client";
import * as map from "./map";
import type { Challenge, MatchWish, OpenMatch, Pairing, Profile } from "./types";

const keyed = (key: string) => ({ header: { "Idempotency-Key": key } });

export async function listProfiles(usernames: string[]): Promise<Profile[]> {
  const w = await answer(authorized.GET("/v1/profiles", { params: { query: { usernames: usernames.join(",") } } }));
  return w.items.map(map.profile);
}

export async function getChallenge(id: string): Promise<Challenge> {
  return map.challenge(await answer(authorized.GET("/v1/challenges/{challenge_id}", { params: { path: { challenge_id: id } } })));
}
export async function createChallenge(key: string, opponents: string[], wish: MatchWish): Promise<Challenge> {
  return map.challenge(await answer(authorized.POST("/v1/challenges", {
    params: keyed(key),
    body: { opponents, rules: map.rulesWish(wish.rules), time_control: map.timeWish(wish.time), ...(wish.rated ? { rated: true } : {}) },
  })));
}
export async function acceptChallenge(id: string): Promise<Challenge> {
  return map.challenge(await answer(authorized.POST("/v1/challenges/{challenge_id}/accept", { params: { path: { challenge_id: id } }, body: {} })));
}
export async function declineChallenge(id: string): Promise<void> {
  await answer(authorized.POST("/v1/challenges/{challenge_id}/decline", { params: { path: { challenge_id: id } }, body: {} }));
}
export async function withdrawChallenge(id: string): Promise<void> {
  await answer(authorized.POST("/v1/challenges/{challenge_id}/withdraw", { params: { path: { challenge_id: id } } }));
}
export async function getRematch(matchId: string): Promise<Challenge> {
  return map.challenge(await answer(authorized.GET("/v1/matches/{match_id}/rematch", { params: { path: { match_id: matchId } } })));
}
export async function offerRematch(key: string, matchId: string): Promise<Challenge> {
  return map.challenge(await answer(authorized.POST("/v1/matches/{match_id}/offer-rematch", { params: { path: { match_id: matchId }, ...keyed(key) }, body: {} })));
}

export async function listOpenMatches(): Promise<OpenMatch[]> {
  return (await answer(authorized.GET("/v1/open-matches", { params: { query: { limit: 50 } } }))).items.map(map.openMatch);
}
export async function requestPairing(key: string, wish: MatchWish): Promise<Pairing> {
  return map.pairing(await answer(authorized.POST("/v1/pairings", {
    params: keyed(key),
    body: { size: wish.size, rules: map.rulesWish(wish.rules), time_control: map.timeWish(wish.time), ...(wish.rated ? { rated: true } : {}) },
  })));
}
export async function withdrawPairing(id: string): Promise<void> {
  await answer(authorized.POST("/v1/pairings/{pairing_id}/withdraw", { params: { path: { pairing_id: id } } }));
}
