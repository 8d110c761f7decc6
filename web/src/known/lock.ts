// Web Locks, so that two tabs do not do the same thing at once. Without them (old browsers) a lock within the page.

const queues = new Map<string, Promise<unknown>>();

export function locked<R>(name: string, work: () => Promise<R>): Promise<R> {
  if (typeof navigator !== "undefined" && "locks" in navigator) return navigator.locks.request(`yaniv.${name}`, work) as Promise<R>;
  const turn = (queues.get(name) ?? Promise.resolve()).then(work, work);
  queues.set(name, turn.catch(() => undefined));
  return turn;
}
