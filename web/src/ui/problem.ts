// What a failure is called on the screen: our sentence by code, otherwise by status.
import { NoAnswer, Problem } from "../api/client";
import { places } from "../i18n/format";
import { duration, known, list, ltr, message, t } from "../i18n/index.svelte";
import { glyph } from "./cards";

/** `shown`: names of fields beside which `fieldText` says what is wrong; they are not repeated here. */
export function problemText(error: unknown, shown: string[] = []): string {
  if (error instanceof NoAnswer) return t("error.offline");
  if (!(error instanceof Problem)) return t("error.other");
  const hidden = error.fields.filter((field) => !shown.some((name) => isOf(field.name, name)));
  if (error.fields.length > 0 && hidden.length === 0) return t("error.fields");
  const own = ownText(error);
  if (own) return own;
  if (error.status === 422 && hidden.length > 0) return hidden.map((field) => `${field.name}: ${field.detail}`).join("; ");
  if (error.status === 401) return t("error.session");
  if (error.status === 429) return t("error.busy");
  if (error.status >= 500) return t("error.service");
  return error.detail || t("error.other");
}

/** Codes that say no more than their fields. */
const general = ["bad_rules", "invalid_body", "invalid_parameter"];
/** What is wrong with one field of a form; empty if nothing is. */
export function fieldText(error: unknown, name: string): string {
  if (!(error instanceof Problem)) return "";
  const reason = name === "display_name" && message(`name.${error.parameters.find((one) => one.name === "reason")?.value ?? ""}`);
  return error.fields.filter((field) => isOf(field.name, name)).map((field) => reason || (general.includes(error.code) ? "" : ownText(error)) || field.detail).join(" ");
}
/** `rules.points.ace` and `opponents[0]` belong to the fields `rules.points` and `opponents`. */
const isOf = (path: string, name: string): boolean => path === name || path.startsWith(`${name}.`) || path.startsWith(`${name}[`);

/** The sentence of the catalogue, with the values of the problem; empty if there is none, or a value is missing. */
function ownText(error: Problem): string {
  const key = `error.${error.code}`;
  const needed = places(message(key) ?? "");
  const values: Record<string, string> = {};
  for (const name of needed) {
    const given = error.parameters.filter((one) => one.name === name).map((one) => (name === "card" ? ltr(glyph(one.value)) : one.value));
    if (name === "wait" && error.retryAfter !== null) given.push(duration(error.retryAfter * 1000));
    if (given.length === 0) return "";
    values[name] = list(given);
  }
  return known(key, "", values);
}
