// A small part of ICU MessageFormat: {name} and {n, plural, =0 {…} one {…} two {…} other {…}} with # for the number.

export type Values = Record<string, string | number>;

export function format(message: string, values: Values, locale: string, inner?: string): string {
  let out = "";
  let at = 0;
  while (at < message.length) {
    const char = message[at] as string;
    if (char === "#" && inner !== undefined) { out += inner; at++; continue; }
    if (char !== "{") { out += char; at++; continue; }
    const end = closing(message, at);
    out += place(message.slice(at + 1, end), values, locale);
    at = end + 1;
  }
  return out;
}

function closing(text: string, open: number): number {
  let depth = 0;
  for (let i = open; i < text.length; i++) {
    if (text[i] === "{") depth++;
    else if (text[i] === "}" && --depth === 0) return i;
  }
  throw new Error(`unclosed { in "${text}"`);
}

function place(body: string, values: Values, locale: string): string {
  const plural = /^\s*(\w+)\s*,\s*plural\s*,/.exec(body);
  if (!plural) {
    const value = values[body.trim()];
    return typeof value === "number" ? new Intl.NumberFormat(locale).format(value) : (value ?? `{${body}}`);
  }
  const count = Number(values[plural[1] as string] ?? 0);
  const forms = new Map<string, string>();
  let rest = body.slice(plural[0].length);
  for (;;) {
    const head = /^\s*(=?\w+)\s*\{/.exec(rest);
    if (!head) break;
    const open = head[0].length - 1;
    const end = closing(rest, open);
    forms.set(head[1] as string, rest.slice(open + 1, end));
    rest = rest.slice(end + 1);
  }
  const form = forms.get(`=${count}`) ?? forms.get(new Intl.PluralRules(locale).select(count)) ?? forms.get("other") ?? "";
  return format(form, values, locale, new Intl.NumberFormat(locale).format(count));
}

/** Names of the values of a message, sorted: the translations of a message must have the same. */
export function places(message: string): string[] {
  const found = new Set<string>();
  for (const [, name] of message.matchAll(/\{\s*([a-z]\w*)\s*(?=[,}])/gi)) if (name) found.add(name);
  return [...found].sort();
}
