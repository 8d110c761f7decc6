import { describe, expect, it } from "vitest";
import type { RuleForm, RuleOption, SeatLimits } from "../api/types";
import { changedBy, differences, hasEffect, request, seatsThatFit } from "./rule-form";

const option = (name: string, kind: string, some: Partial<RuleOption> = {}): RuleOption => ({
  name, kind, description: "", minimum: null, maximum: null, values: [], choices: [], minItems: 0, maxItems: 4, itemPattern: null,
  fields: [], canBeOff: false, offSwitch: null, needs: null, ...some,
});
const seats: SeatLimits = { minimum: 2, maximum: 10, halfPack: 4, cardsOfSuit: 13, spareOfSeat: 1, spare: 1 };
const form: RuleForm = {
  options: [
    option("jokers", "integer"), option("jokers_in_runs", "boolean", { needs: "jokers" }), option("min_naturals", "integer", { needs: "jokers_in_runs" }),
    option("call_limit", "integer", { canBeOff: true, offSwitch: "call_limit_off" }), option("max_rounds", "integer", { canBeOff: true }),
    option("call_words", "texts"), option("word_penalty", "integer", { needs: "call_words" }),
  ],
  defaults: {}, presets: ["yaniv"], seats,
};
const preset = { decks: 1, suits: 4, jokers: 2, hand_size: 5, jokers_in_runs: true, call_limit: 5, call_words: ["yaniv"] };

describe("the form of rules", () => {
  it("sends what differs, and switches off by the switch", () => {
    expect(request(form, preset, { jokers: 2, call_limit: 7, call_words: ["yaniv"] })).toEqual({ call_limit: 7 });
    expect(request(form, preset, { call_limit: null })).toEqual({ call_limit_off: true });
    expect(differences(preset, { max_rounds: null })).toEqual({});
    expect(request(form, preset, { max_rounds: 3 })).toEqual({ max_rounds: 3 });
  });
  it("knows what has an effect", () => {
    const effect = (name: string, changes: Record<string, unknown>): boolean => {
      const found = form.options.find((one) => one.name === name);
      return found !== undefined && hasEffect(form, found, changedBy(preset, changes));
    };
    expect(effect("min_naturals", {})).toBe(true);
    expect(effect("min_naturals", { jokers: 0 })).toBe(false);
    expect(effect("word_penalty", {})).toBe(false);
    expect(effect("word_penalty", { call_words: ["yaniv", "asaf"] })).toBe(true);
  });
  it("counts the seats", () => {
    expect(seatsThatFit(seats, preset)).toEqual([2, 3, 4, 5, 6, 7, 8]);
    expect(seatsThatFit(seats, { ...preset, suits: 2 })).toEqual([2, 3, 4]);
    expect(seatsThatFit(seats, { ...preset, second_deck_at: 6 }).at(-1)).toBe(10);
  });
});
