// The time as the screens count it: the service's clock, every ten seconds while the page is visible.
import { now, onClock } from "../api/client";

export const ticker = $state({ now: now() });
export function tick(): void { ticker.now = now(); }
onClock(tick);
setInterval(() => { if (!document.hidden) tick(); }, 10_000);
document.addEventListener("visibilitychange", () => { if (!document.hidden) tick(); });
