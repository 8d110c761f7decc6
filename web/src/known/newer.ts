// Which of two views of a match counts. Versions only grow, unless the service was restored from a backup.

type Seen = { version: number; seenAt: number };

/** A read that a move has overtaken has the version before it, but a later time: by seconds, as requests time out. */
const restoredAfter = 60_000;

/** Whether a view replaces the known one. A lower version does only if the service still has it a minute later. */
export function replaces(fetched: Seen, known: Seen | undefined): boolean {
  if (!known || fetched.version >= known.version) return true;
  return fetched.seenAt - known.seenAt >= restoredAfter;
}
