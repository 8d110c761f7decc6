import { describe, expect, it } from "vitest";
import type { Match } from "../api/types";
import type { Shelf } from "./db";
import { Outbox, pause, type Attempt, type Phase, type Rejected, type Saved, type World } from "./outbox-core";

const action = { kind: "pass" } as const;
function world(attempts: Attempt[]) {
  const kept = new Map<string, Saved>();
  const rejected = new Map<string, Rejected>();
  const sent: Saved[] = [];
  const shown: (string | null)[] = [];
  const state = { offline: false };
  const queue = new Map<string, Promise<unknown>>();
  const made: World = {
    shelf: shelf(kept),
    rejected: shelf(rejected),
    send: (item) => {
      expect(kept.get(item.matchId)?.key).toBe(item.key); // Kept before it is sent.
      sent.push(structuredClone(item));
      return Promise.resolve(attempts.shift() ?? { is: "again", arrived: true, after: null });
    },
    offline: () => state.offline,
    lock: (name, work) => {
      const turn = (queue.get(name) ?? Promise.resolve()).then(work);
      queue.set(name, turn.catch(() => undefined));
      return turn as Promise<never>;
    },
    newKey: () => `key-${String(Math.random())}`,
    now: () => 0,
    show: (_, phase: Phase | null) => { shown.push(phase?.state ?? null); },
  };
  return { made, kept, rejected, sent, shown, state };
}
function shelf<V>(map: Map<string, V>): Shelf<V> {
  return {
    get: (key) => Promise.resolve(structuredClone(map.get(key))),
    put: (key, value) => { map.set(key, structuredClone(value)); return Promise.resolve(); },
    drop: (key) => { map.delete(key); return Promise.resolve(); },
    all: () => Promise.resolve([...map.values()]),
  };
}
const done: Attempt = { is: "done", match: { version: 2 } as Match };

describe("the outbox", () => {
  it("keeps an action until it is answered", async () => {
    const { made, kept, sent, shown } = world([done]);
    await new Outbox(made).submit("m", 1, action);
    expect(sent).toHaveLength(1);
    expect(kept.size).toBe(0);
    // It is not said to be on its way before it is.
    expect(shown).toEqual(["keeping", "sending", "sent"]);
  });
  it("sends the same key again after a lost answer", async () => {
    const { made, sent, shown } = world([{ is: "again", arrived: true, after: null }, done]);
    const outbox = new Outbox(made);
    await outbox.submit("m", 1, action);
    expect(shown.at(-1)).toBe("checking");
    await outbox.flush("m");
    expect(sent.map((item) => item.key)).toEqual([sent[0]?.key, sent[0]?.key]);
  });
  it("survives the death of the tab", async () => {
    const { made, sent, kept } = world([{ is: "again", arrived: true, after: null }, done]);
    await new Outbox(made).submit("m", 1, action);
    await new Outbox(made).flush("m");
    expect(sent[1]?.key).toBe(sent[0]?.key);
    expect(kept.size).toBe(0);
  });
  it("takes back only what was never sent", async () => {
    const { made, kept, sent, state } = world([{ is: "again", arrived: true, after: null }]);
    const outbox = new Outbox(made);
    state.offline = true;
    await outbox.submit("m", 1, action);
    expect(sent).toHaveLength(0);
    expect(await outbox.takeBack("m")).toBe(true);
    expect(kept.size).toBe(0);
    state.offline = false;
    await outbox.submit("m", 1, action);
    expect(await outbox.takeBack("m")).toBe(false);
  });
  it("sends nothing again after a conflict", async () => {
    const { made, kept, sent } = world([{ is: "conflict" }]);
    const outbox = new Outbox(made);
    await outbox.submit("m", 1, action);
    await outbox.flush("m");
    expect(sent).toHaveLength(1);
    expect(kept.size).toBe(0);
  });
  it("keeps what was not played until that was seen", async () => {
    const error = { status: 409, code: "match_over", detail: "", fields: [], parameters: [] };
    const { made, kept, rejected, shown } = world([{ is: "refused", error }, { is: "conflict" }, done]);
    const outbox = new Outbox(made);
    await outbox.submit("m", 1, action);
    expect([...rejected.values()]).toEqual([{ matchId: "m", error }]);
    expect([kept.size, shown.at(-1)]).toEqual([0, "refused"]);
    await outbox.submit("n", 1, action);
    expect(rejected.get("n")).toEqual({ matchId: "n", error: null });
    await outbox.submit("o", 1, action);
    expect(rejected.size).toBe(2);
  });
  it("takes one action a match, also from two tabs at once", async () => {
    const { made, sent } = world([done, done]);
    const one = new Outbox(made), two = new Outbox(made);
    await Promise.all([one.submit("m", 1, action), two.submit("m", 1, action)]);
    expect(new Set(sent.map((item) => item.key)).size).toBe(sent.length);
    const { made: slow, sent: kept } = world([{ is: "again", arrived: true, after: null }, done]);
    const first = new Outbox(slow), second = new Outbox(slow);
    await first.submit("m", 1, action);
    await second.submit("m", 1, action);
    expect(new Set(kept.map((item) => item.key)).size).toBe(1);
  });
  it("waits longer each time", () => {
    expect([0, 1, 2, 3, 4, 5, 9].map(pause)).toEqual([1000, 2000, 4000, 8000, 16_000, 30_000, 30_000]);
  });
});
