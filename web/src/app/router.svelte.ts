// A small history router: paths with :places, one component each, loaded when first shown.
import type { Component } from "svelte";

export interface Route { path: string; load: () => Promise<{ default: Component<Record<string, string>> }>; tab?: string; open?: boolean }
export const place = $state({ path: location.pathname, search: location.search });

export function go(path: string, options: { replace?: boolean } = {}): void {
  const same = path === location.pathname + location.search;
  if (options.replace || same) history.replaceState(history.state, "", path);
  else history.pushState(null, "", path);
  follow();
  scrollTo(0, 0);
}
/** Back to where the player came from within the app; otherwise to `path`. */
export function follow(): void {
  place.path = location.pathname;
  place.search = location.search;
}

export function matchPath(pattern: string, path: string): Record<string, string> | null {
  const want = pattern.split("/"), got = path.replace(/\/+$/, "").split("/");
  if (path === "/") return pattern === "/" ? {} : null;
  if (want.length !== got.length) return null;
  const found: Record<string, string> = {};
  for (const [i, part] of want.entries()) {
    const have = got[i] ?? "";
    if (part.startsWith(":")) found[part.slice(1)] = decoded(have);
    else if (part !== have) return null;
  }
  return found;
}

/** A part that is not well encoded is what it is: the screen says that there is no such thing. */
function decoded(part: string): string {
  try { return decodeURIComponent(part); } catch { return part; }
}

export function listen(): void {
  addEventListener("popstate", follow);
  document.addEventListener("click", (event) => {
    if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey) return;
    const link = (event.target as Element).closest("a");
    if (!link || link.origin !== location.origin || link.target || link.hasAttribute("download")) return;
    event.preventDefault();
    // One match is one entry of the history: from match to match, the entry is replaced.
    const inMatch = (path: string): boolean => /^\/match\/[^/]+$/.test(path);
    go(link.pathname + link.search, { replace: inMatch(location.pathname) && inMatch(link.pathname) });
  });
}
