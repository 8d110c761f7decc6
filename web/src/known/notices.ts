// Notices that this device shows: each goes once the player has seen what it is about.

/** What a notice of the service has, as the worker keeps it. */
interface Told { code?: string; parameters?: { match_id?: string } }
const ofTurns = ["your_turn", "deadline_near", "nudged", "table_full"];

async function close(filter: GetNotificationOptions, old: (told: Told) => boolean): Promise<void> {
  if (!("serviceWorker" in navigator)) return;
  const registration = await navigator.serviceWorker.getRegistration();
  for (const notice of (await registration?.getNotifications(filter)) ?? []) if (old((notice.data ?? {}) as Told)) notice.close();
}
/** The player looks at the match. */
export function closeNoticesOf(match: string): void { void close({ tag: match }, () => true).catch(() => undefined); }
/** All matches that wait are known: the player has played in the others, maybe on another device. */
export function closeNoticesBut(waiting: string[]): void {
  void close({}, ({ code, parameters }) => ofTurns.includes(code ?? "") && !waiting.includes(parameters?.match_id ?? "")).catch(() => undefined);
}
