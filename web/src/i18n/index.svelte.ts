// Texts of the chosen language; dates, durations and lists by Intl.
import { device, set } from "../known/device.svelte";
import type { Language } from "../api/types";
import { format, type Values } from "./format";
import type en from "./texts/en.json";

export type Key = keyof typeof en;
type Texts = Record<Key, string>;

export type { Language };
export const languages: Record<Language, string> = { en: "English", de: "Deutsch", nl: "Nederlands", he: "עברית", ne: "नेपाली" };


/** Addresses of the catalogues: files of their own, so that only one is loaded, and as data, not as a script. */
const catalogues = import.meta.glob<string>("./texts/*.json", { query: "?url", import: "default", eager: true });

const state = $state<{ language: Language; texts: Partial<Texts> }>({ language: "en", texts: {} });
export const isLanguage = (name: string): name is Language => name in languages;

export function preferred(): Language {
  if (device.language && isLanguage(device.language)) return device.language;
  for (const tag of navigator.languages) {
    const name = tag.toLowerCase().replace(/^iw/, "he").split("-")[0] ?? "";
    if (isLanguage(name)) return name;
  }
  return "en";
}
export async function speak(language: Language): Promise<void> {
  const response = await fetch(catalogues[`./texts/${language}.json`] ?? "");
  const texts = (await response.json()) as Texts;
  state.language = language;
  state.texts = texts;
  document.documentElement.lang = language;
  document.documentElement.dir = language === "he" ? "rtl" : "ltr";
}
export function choose(language: Language): Promise<void> { set("language", language); return speak(language); }

export const language = (): Language => state.language;
/** The reader's own variant of the language, for dates: British English has no "PM". */
const locale = (): string => navigator.languages.find((tag) => tag.toLowerCase().startsWith(state.language) && Intl.NumberFormat.supportedLocalesOf(tag).length > 0) ?? numbers();
/** Chromium's ICU data lacks some languages (Nepali): there at least the digits are right. */
const numbers = (): string => (Intl.NumberFormat.supportedLocalesOf(state.language).length > 0 ? state.language : state.language === "ne" ? "en-u-nu-deva" : "en");
export function t(key: Key, values: Values = {}): string { return format(state.texts[key] ?? key, values, numbers()); }
/** The message of a key made of a name on the wire, if there is one. */
export const message = (key: string): string | undefined => state.texts[key as Key];
/** For keys made of a name on the wire: the fallback where the catalogue does not have it. */
export function known(key: string, fallback: string, values: Values = {}): string {
  const text = state.texts[key as Key];
  return text === undefined ? fallback : format(text, values, numbers());
}

const [firstStrong, leftToRight, popIsolate] = [0x2068, 0x2066, 0x2069].map((code) => String.fromCodePoint(code));
/** First-strong isolate: a name or a list of cards within a sentence of the other direction. */
export const isolate = (text: string): string => `${firstStrong}${text}${popIsolate}`;
/** Cards read left to right in every language. */
export const ltr = (text: string): string => `${leftToRight}${text}${popIsolate}`;

export function number(value: number, digits = 0): string {
  return new Intl.NumberFormat(numbers(), { maximumFractionDigits: digits, minimumFractionDigits: digits }).format(value);
}
export function percent(share: number): string { return new Intl.NumberFormat(numbers(), { style: "percent", maximumFractionDigits: 0 }).format(share); }
export function list(items: string[], type: "conjunction" | "disjunction" = "conjunction"): string {
  if (Intl.ListFormat.supportedLocalesOf(state.language).length === 0) return items.join(", ");
  return new Intl.ListFormat(state.language, { type }).format(items);
}
const unit = (n: number, name: "second" | "minute" | "hour" | "day"): string => t(`unit.${name}`, { n });
/** A duration, rounded, in two units at most: "4 hr 10 min", "2 days". */
export function duration(ms: number): string {
  const minutes = Math.max(0, Math.round(ms / 60_000));
  if (minutes < 1) return unit(Math.max(0, Math.round(ms / 1000)), "second");
  if (minutes < 60) return unit(minutes, "minute");
  const hours = Math.floor(minutes / 60);
  if (hours < 10) return minutes % 60 ? `${unit(hours, "hour")} ${unit(minutes % 60, "minute")}` : unit(hours, "hour");
  const whole = Math.round(minutes / 60);
  if (whole < 48) return unit(whole, "hour");
  const days = Math.floor(whole / 24), rest = whole % 24;
  return days < 7 && rest ? `${unit(days, "day")} ${unit(rest, "hour")}` : unit(days, "day");
}
/** A moment: the time today, otherwise the weekday with the time, otherwise the date. */
export function moment(at: number, from: number): string {
  const date = new Date(at), today = new Date(from);
  const days = Math.abs(at - from) / 86_400_000;
  if (date.toDateString() === today.toDateString()) return new Intl.DateTimeFormat(locale(), { timeStyle: "short" }).format(date);
  if (days < 6) return new Intl.DateTimeFormat(locale(), { weekday: "short", hour: "numeric", minute: "2-digit" }).format(date);
  return new Intl.DateTimeFormat(locale(), { dateStyle: "medium" }).format(date);
}
/** `zone`: for days that are given in UTC. */
export function day(at: number, zone?: "UTC"): string { return new Intl.DateTimeFormat(locale(), { dateStyle: "medium", timeZone: zone }).format(new Date(at)); }
