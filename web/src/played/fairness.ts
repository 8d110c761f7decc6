// The shuffle's proof, after docs/fairness.md: the chain of seeds, the first starter, and every deal, computed on this device.
// Not the moves: that a play was legal is checked by the service's `verify`.

/** The parts of the record's format that the check reads ("yaniv-record/1"; a published format, apart from the API). */
export interface RecordFile {
  format: string; commitment: string;
  rules: { decks: number; suits: number; jokers: number; hand_size: number; direction: string; second_deck_at?: number | null };
  players: { seat: number; client_seed?: string }[];
  rounds: { round: number; seed?: string; starter: number; hands: string[][]; upcard: string }[];
}
export interface Checked { ok: boolean; rounds: number; reason: string }

const hex = (bytes: Uint8Array): string => [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
const unhex = (text: string): Uint8Array<ArrayBuffer> => Uint8Array.from(text.match(/../g) ?? [], (pair) => parseInt(pair, 16));

export async function stream(seed: string, matchPart: string, round: number, label: string, clientSeeds: string[]): Promise<(below: number) => Promise<number>> {
  const key = await crypto.subtle.importKey("raw", unhex(seed), { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
  const head = `yaniv-shuffle/1\n${matchPart}\n${round}\n${label}\n${clientSeeds.join(",")}\n`;
  let words: number[] = [];
  let block = 0;
  async function word(): Promise<number> {
    if (words.length === 0) {
      const mac = new DataView(await crypto.subtle.sign("HMAC", key, new TextEncoder().encode(head + String(block++))));
      words = Array.from({ length: 8 }, (_, i) => mac.getUint32(i * 4));
    }
    return words.shift() ?? 0;
  }
  return async (below) => {
    const limit = Math.floor(2 ** 32 / below) * below;
    for (;;) { const w = await word(); if (w < limit) return w % below; }
  };
}
export async function shuffle(cards: string[], uniform: (below: number) => Promise<number>): Promise<string[]> {
  const out = [...cards];
  for (let i = out.length - 1; i >= 1; i--) {
    const j = await uniform(i + 1);
    [out[i], out[j]] = [out[j] ?? "", out[i] ?? ""];
  }
  return out;
}
export function pack(rules: RecordFile["rules"], players: number): string[] {
  const decks = rules.second_deck_at && players >= rules.second_deck_at ? Math.max(2, rules.decks) : rules.decks;
  const cards: string[] = [];
  const add = (card: string, n = decks): void => { for (let i = 0; i < n; i++) cards.push(card); };
  for (const rank of "A23456789TJQK") for (const suit of rules.suits === 2 ? "HS" : "CDHS") add(rank + suit);
  if (rules.jokers === 2) add("XB");
  if (rules.jokers >= 1) add("XR");
  return cards;
}

export async function check(record: RecordFile, matchPart: string, commitment: string): Promise<Checked> {
  const seeds = record.players.sort((a, b) => a.seat - b.seat).map((player) => player.client_seed ?? "");
  const n = record.players.length;
  let before = record.commitment;
  let done = 0;
  const bad = (reason: string): Checked => ({ ok: false, rounds: done + 1, reason });
  if (record.commitment !== commitment) return bad("commitment");
  for (const round of record.rounds) {
    if (!round.seed) break;
    const hash = hex(new Uint8Array(await crypto.subtle.digest("SHA-256", unhex(round.seed))));
    if (hash !== before) return bad("seed");
    before = round.seed;
    if (round.round === 1 && (await (await stream(round.seed, matchPart, 1, "starter", seeds))(n)) !== round.starter) return bad("starter");
    const cards = await shuffle(pack(record.rules, n), await stream(round.seed, matchPart, round.round, "deal", seeds));
    const active = Array.from({ length: n }, (_, i) => (round.starter + (record.rules.direction === "counterclockwise" ? n - i : i)) % n)
      .filter((seat) => (round.hands[seat]?.length ?? 0) > 0);
    const dealt: string[][] = Array.from({ length: n }, () => []);
    let at = 0;
    for (let i = 0; i < record.rules.hand_size; i++) for (const seat of active) dealt[seat]?.push(cards[at++] ?? "");
    const same = (a: string[], b: string[]): boolean => [...a].sort().join() === [...b].sort().join();
    if (active.some((seat) => !same(dealt[seat] ?? [], round.hands[seat] ?? []))) return bad("deal");
    if (cards[at] !== round.upcard) return bad("upcard");
    done++;
  }
  return { ok: true, rounds: done, reason: "" };
}
