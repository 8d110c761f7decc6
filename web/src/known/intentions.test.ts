import { describe, expect, it } from "vitest";
import { NoAnswer, Problem } from "../api/client";
import { intend } from "./intentions";

/** A write that comes to these ends, one after the other; null: an answer. */
function write(ends: (Error | null)[]) {
  const keys: string[] = [];
  const send = (key: string, wish: object): Promise<object> => {
    keys.push(key);
    const end = ends.shift() ?? null;
    return end ? Promise.reject(end) : Promise.resolve(wish);
  };
  const tap = (wish: object): Promise<unknown> => intend(send, wish).catch(() => undefined);
  return { keys, tap };
}
const lost = new NoAnswer("lost");

describe("an intention", () => {
  it("has the same key until it is answered", async () => {
    const { keys, tap } = write([lost, new Problem(503, "outcome_unknown", ""), new Problem(429, "too_many", ""), null, null]);
    for (let i = 0; i < 5; i++) await tap({ size: 2 });
    expect(new Set(keys.slice(0, 4)).size).toBe(1);
    expect(keys[4]).not.toBe(keys[0]);
  });
  it("ends with a refusal", async () => {
    const { keys, tap } = write([lost, new Problem(422, "bad_rules", ""), null]);
    for (let i = 0; i < 3; i++) await tap({ size: 2 });
    expect(keys[1]).toBe(keys[0]);
    expect(keys[2]).not.toBe(keys[0]);
  });
  it("is another one with another wish, or another operation", async () => {
    const [one, two] = [write([lost, lost, lost]), write([lost])];
    await one.tap({ size: 2 });
    await one.tap({ size: 3 });
    await one.tap({ size: 2 });
    await two.tap({ size: 2 });
    expect(one.keys[2]).toBe(one.keys[0]);
    expect(new Set([...one.keys, ...two.keys]).size).toBe(3);
  });
});
