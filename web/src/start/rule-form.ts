// The form of a rule set, made of the service's list of options alone: values, what has an effect, how many seats fit.
import type { RuleForm, RuleOption, SeatLimits } from "../api/types";

/** Values by the names of options; an option that is off is missing. */
export type Values = Record<string, unknown>;
/** What the player has changed; null: switched off. */
export type Changes = Record<string, unknown>;

const same = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

/** The rules as they would be with the changes. */
export function changedBy(preset: Values, changes: Changes): Values {
  return Object.fromEntries(Object.entries({ ...preset, ...changes }).filter(([, value]) => value !== null && value !== undefined));
}

/** What differs from the preset. */
export function differences(preset: Values, changes: Changes): Changes {
  return Object.fromEntries(Object.entries(changes).filter(([name, value]) => !same(value ?? null, preset[name] ?? null)));
}

/** The options to send: what differs, and switches of those that are off. */
export function request(form: RuleForm, preset: Values, changes: Changes): Values {
  const sent: Values = {};
  for (const [name, value] of Object.entries(differences(preset, changes))) {
    const option = form.options.find((one) => one.name === name);
    if (value !== null) sent[name] = value;
    else if (option?.offSwitch) sent[option.offSwitch] = true;
  }
  return sent;
}

/** Whether an option changes anything: what it needs is on. */
export function hasEffect(form: RuleForm, option: RuleOption, values: Values): boolean {
  if (!option.needs) return true;
  const needed = form.options.find((one) => one.name === option.needs);
  const value = values[option.needs];
  if (!needed || value === undefined || value === 0 || value === false || value === "off") return false;
  if (needed.kind === "texts" && (value as unknown[]).length < 2) return false;
  return hasEffect(form, needed, values);
}

/** How many seats fit these rules. */
export function seatsThatFit(limits: SeatLimits, values: Values): number[] {
  const number = (name: string): number => Number(values[name] ?? 0);
  const most = number("suits") === 2 ? Math.min(limits.maximum, limits.halfPack) : limits.maximum;
  const fits = (seats: number): boolean => {
    const from = values["second_deck_at"];
    const packs = typeof from === "number" && seats >= from ? Math.max(2, number("decks")) : number("decks");
    return packs * (number("suits") * limits.cardsOfSuit + number("jokers")) >= seats * (number("hand_size") + limits.spareOfSeat) + limits.spare;
  };
  return Array.from({ length: most - limits.minimum + 1 }, (_, i) => i + limits.minimum).filter(fits);
}

/** A value to begin with, where an option is switched on or an item is added. */
export function firstValue(option: RuleOption): unknown {
  if (option.kind === "integer") return option.values[0] ?? option.minimum ?? 0;
  if (option.kind === "boolean") return true;
  if (option.kind === "choice") return option.choices[0] ?? "";
  if (option.kind === "object") return firstItem(option);
  return [];
}
export const firstItem = (option: RuleOption): Record<string, number> => Object.fromEntries(option.fields.map((field) => [field.name, field.minimum]));
