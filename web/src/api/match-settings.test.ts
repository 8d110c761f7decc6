import { expect, it, vi } from "vitest";
import type { Wire } from "./map";

vi.stubEnv("VITE_API", "http://service");
const { authorizeBy } = await import("./client");
const { keepSettingsIn, whole } = await import("./match-settings");

const rules = { points: {} } as Wire["RuleSet"];
const settings = { preset: "kluft", rules, size: 3, seat_order: "joined", visibility: "private", time_control: { clock: "none" } };
const match = (id: string, tag: string, some: object = {}): Wire["Match"] =>
  ({ server_time: "2026-11-21T08:00:00Z", match_id: id, settings_tag: tag, status: "waiting", version: 1, seats: [], scores: [], recent: [], ...some });

it("settings are fetched once for each tag, and kept", async () => {
  const asked: string[] = [];
  vi.stubGlobal("fetch", (request: Request) => { asked.push(new URL(request.url).pathname); return Promise.resolve(Response.json(settings)); });
  authorizeBy({ who: () => "ada", token: () => Promise.resolve("token"), renew: () => Promise.resolve(null) });
  const kept: string[] = [];
  keepSettingsIn({ get: () => Promise.resolve(undefined), put: (tag) => { kept.push(tag); return Promise.resolve(); } });

  const [one, two] = await Promise.all([whole(match("a", "x")), whole(match("b", "x"))]);
  expect([one.preset, two.preset, two.id]).toEqual(["kluft", "kluft", "b"]);
  expect(asked).toEqual(["/v1/matches/a/settings"]);
  expect(kept).toEqual(["x"]);
});
