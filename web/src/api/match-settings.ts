// Settings of matches: fetched once for each tag, and kept on the device.
import { answer, authorized, NoAnswer } from "./client";
import * as map from "./map";
import type { Wire } from "./map";
import type { Match, MatchSettings } from "./types";

interface Kept { get(tag: string): Promise<MatchSettings | undefined>; put(tag: string, settings: MatchSettings): Promise<void> }
let kept: Kept = { get: () => Promise.resolve(undefined), put: () => Promise.resolve() };
/** Where settings are kept over reloads. */
export function keepSettingsIn(shelf: Kept): void { kept = shelf; }

const known = new Map<string, Promise<MatchSettings>>();

/** A match with its settings. */
export async function whole(w: Wire["Match"]): Promise<Match> {
  const tag = w.settings_tag;
  // The JSON of another program is no match.
  if (!tag) throw new NoAnswer("no match");
  let settings = known.get(tag);
  if (!settings) {
    settings = find(w.match_id, tag);
    known.set(tag, settings);
    settings.catch(() => { known.delete(tag); });
  }
  return map.match(w, await settings);
}
let expected: { id: string; settings: Promise<MatchSettings> } | null = null;
/** Asks for the settings of a match beside the match itself, whose tag is not known yet. */
export function expectSettings(id: string): void {
  expected = { id, settings: fetchSettings(id, {}) };
  expected.settings.catch(() => undefined);
}
const fetchSettings = async (id: string, query: { tag?: string }): Promise<MatchSettings> =>
  map.settings(await answer(authorized.GET("/v1/matches/{match_id}/settings", { params: { path: { match_id: id }, query } })));
async function find(id: string, tag: string): Promise<MatchSettings> {
  const before = await kept.get(tag).catch(() => undefined);
  if (before) return before;
  const asked = expected?.id === id ? await expected.settings.catch(() => null) : null;
  return keep(tag, asked ?? (await fetchSettings(id, { tag })));
}
async function keep(tag: string, settings: MatchSettings): Promise<MatchSettings> {
  await kept.put(tag, settings).catch(() => undefined);
  return settings;
}
