// Which of two views of a match counts, and what its log is. Versions only grow, unless the service was restored from a backup.

type Seen = { version: number; seenAt: number };

/** A read that a move has overtaken has the version before it, but a later time: by seconds, as requests time out. */
const restoredAfter = 60_000;

/** Whether a view replaces the known one. A lower version does only if the service still has it a minute later. */
export function replaces(fetched: Seen, known: Seen | undefined): boolean {
  if (!known || fetched.version >= known.version) return true;
  return fetched.seenAt - known.seenAt >= restoredAfter;
}

/** Entries of a log that are kept. */
const longest = 60;

/** A log with news, without gaps: what lies before entries that are not known is left out. */
export function joined<E extends { version: number }>(log: E[], news: E[]): E[] {
  const all = [...new Map([...log, ...news].map((entry) => [entry.version, entry])).values()].sort((a, b) => a.version - b.version).slice(-longest);
  const gap = all.findLastIndex((entry, i) => i > 0 && entry.version !== (all[i - 1]?.version ?? 0) + 1);
  return gap > 0 ? all.slice(gap) : all;
}
