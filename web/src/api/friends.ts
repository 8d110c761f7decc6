// Operations of friends and blocks. They are not in the first load, as those of `people.ts` are.
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
