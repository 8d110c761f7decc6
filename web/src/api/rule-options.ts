// Presets and the list of options, for forms of rules.
import { answer, authorized, open } from "./client";
import { rules, type Wire } from "./map";
import type * as T from "./types";

const preset = (w: Wire["Preset"]): T.Preset => ({ name: w.name, title: w.title, description: w.description, rules: rules(w.rules), values: { ...w.rules } });
const ruleOption = (w: Wire["RuleOption"]): T.RuleOption => ({
  name: w.name, kind: w.kind, description: w.description, minimum: w.minimum ?? null, maximum: w.maximum ?? null, values: w.values,
  choices: w.choices, minItems: w.min_items ?? 0, maxItems: w.max_items ?? 20, itemPattern: w.item_pattern ?? null, fields: w.fields,
  canBeOff: w.can_be_off, offSwitch: w.off_switch ?? null, needs: w.needs ?? null,
});
const ruleForm = (w: Wire["RuleOptionList"]): T.RuleForm => ({
  options: w.items.map(ruleOption), defaults: { ...w.defaults }, presets: w.presets,
  seats: {
    minimum: w.seats.minimum, maximum: w.seats.maximum, halfPack: w.seats.half_pack_maximum, cardsOfSuit: w.seats.cards_of_suit,
    spareOfSeat: w.seats.spare_cards_of_seat, spare: w.seats.spare_cards,
  },
});

export async function listPresets(): Promise<T.Preset[]> {
  return (await answer(authorized.GET("/v1/rule-presets"))).items.map(preset);
}
export async function listRuleOptions(): Promise<T.RuleForm> {
  return ruleForm(await answer(open.GET("/v1/rule-options")));
}
