// Web Locks, so that two tabs do not do the same thing at once. Without them (old browsers, blocked site data) a lock within the page.

const queues = new Map<string, Promise<unknown>>();

export async function locked<R>(name: string, work: () => Promise<R>): Promise<R> {
  let begun = false;
  try {
    return (await navigator.locks.request(`yaniv.${name}`, () => { begun = true; return work(); })) as R;
  } catch (error) {
    if (begun) throw error;
  }
  const turn = (queues.get(name) ?? Promise.resolve()).then(work, work);
  queues.set(name, turn.catch(() => undefined));
  return turn;
}
