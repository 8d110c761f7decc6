// Display names of players: told by answers that have them, otherwise fetched in batches; kept.
import { t } from "../i18n/index.svelte";
import { listProfiles } from "../api/people";
import { SvelteMap } from "svelte/reactivity";
import { shelf } from "./db";
import { onAccount, session } from "./session.svelte";

const names = new SvelteMap<string, string>();
const values = shelf<unknown>("kv");
const wanted = new Set<string>();
const asked = new Set<string>();
let timer: ReturnType<typeof setTimeout> | null = null;

void values.get("names").then((kept) => {
  for (const [username, name] of (kept as [string, string][] | undefined) ?? []) if (!names.has(username)) names.set(username, name);
});

// Whom the one account knows is not the next one's.
let whose = session.account?.id;
onAccount((account) => {
  if (whose && whose !== account?.id) for (const known of [names, wanted, asked]) known.clear();
  whose = account?.id;
});

/** How to call a player: the display name where there is one. */
export function nameOf(username: string): string {
  if (username === session.account?.username) return session.account.displayName ?? username;
  const bot = /^house_(easy|medium|hard|expert)_(\d+)$/.exec(username);
  if (bot) return t("bot.house", { level: t(`level.${bot[1]}` as "level.easy"), n: Number(bot[2]) });
  return names.get(username) ?? username;
}

/** Takes over the display names of an answer that has them. */
export function tellNames(players: { username: string; displayName: string | null }[]): void {
  let changed = false;
  for (const { username, displayName } of players) {
    asked.add(username);
    wanted.delete(username);
    const name = displayName ?? username;
    if (names.get(username) !== name) { names.set(username, name); changed = true; }
  }
  if (changed) void values.put("names", [...names]);
}

/** For answers that have usernames only. */
export function learnNames(usernames: string[]): void {
  for (const username of usernames) if (!asked.has(username)) wanted.add(username);
  if (wanted.size === 0 || timer || !session.account) return;
  timer = setTimeout(() => { timer = null; void fetchNames(); }, 30);
}
async function fetchNames(): Promise<void> {
  const batch = [...wanted].slice(0, 50);
  for (const username of batch) { wanted.delete(username); asked.add(username); }
  try {
    for (const profile of await listProfiles(batch)) {
      names.set(profile.username, profile.displayName ?? profile.username);
    }
    void values.put("names", [...names]);
  } catch { for (const username of batch) asked.delete(username); }
  if (wanted.size > 0) learnNames([]);
}
