// What survives a reload: IndexedDB, in a few functions. Where it fails (private windows, blocked or full storage) a map in memory.

export type StoreName = "kv" | "views" | "settings" | "outbox" | "rejected" | "stage";
const stores: StoreName[] = ["kv", "views", "settings", "outbox", "rejected", "stage"];
/** Stores that can be fetched again: they are emptied when the form of what is kept has changed. */
const caches: StoreName[] = ["kv", "views", "settings"];
const form = 3;

/** A small asynchronous map; tests have one of their own. */
export interface Shelf<V> {
  get(key: string): Promise<V | undefined>;
  put(key: string, value: V): Promise<void>;
  drop(key: string): Promise<void>;
  all(): Promise<V[]>;
}

let opening: Promise<IDBDatabase> | null = null;
function database(): Promise<IDBDatabase> {
  opening ??= new Promise((resolve, reject) => {
    const request = indexedDB.open("yaniv", form);
    request.onupgradeneeded = () => {
      const db = request.result;
      for (const name of caches) if (db.objectStoreNames.contains(name)) db.deleteObjectStore(name);
      for (const name of stores) if (!db.objectStoreNames.contains(name)) db.createObjectStore(name);
    };
    request.onsuccess = () => {
      const db = request.result;
      db.onversionchange = () => { db.close(); opening = null; };
      // Browsers close it under a page that was in the background.
      db.onclose = () => { opening = null; };
      resolve(db);
    };
    request.onerror = () => { reject(new Error("no database", { cause: request.error })); };
    // Some never answer.
    setTimeout(() => { reject(new Error("no answer")); }, 3_000);
  });
  return opening;
}

type What<R> = (store: IDBObjectStore) => IDBRequest<R>;
async function attempt<R>(name: StoreName, mode: IDBTransactionMode, what: What<R>): Promise<R> {
  const db = await database();
  return new Promise((resolve, reject) => {
    const transaction = db.transaction(name, mode, { durability: "strict" });
    const request = what(transaction.objectStore(name));
    // A write counts once its transaction is complete, not once the request is.
    transaction.oncomplete = () => { resolve(request.result); };
    transaction.onabort = () => { reject(transaction.error ?? new Error("aborted")); };
  });
}
/** A connection that was closed is opened again, once. */
function run<R>(name: StoreName, mode: IDBTransactionMode, what: What<R>): Promise<R> {
  return attempt(name, mode, what).catch((error: unknown) => {
    if (!(error instanceof DOMException) || error.name !== "InvalidStateError") throw error;
    opening = null;
    return attempt(name, mode, what);
  });
}

/** What the database does not take, as long as the page is there; `undefined`: dropped. It goes before what the database has. */
const memory = new Map<StoreName, Map<string, unknown>>(stores.map((name) => [name, new Map()]));

/** It never fails: what cannot be kept in the database is kept in memory. */
export function shelf<V>(name: StoreName): Shelf<V> {
  const held = memory.get(name) as Map<string, V | undefined>;
  // Cloned: a proxy of Svelte's state cannot be stored.
  const plain = (value: V): V => JSON.parse(JSON.stringify(value)) as V;
  const write = (key: string, value: V | undefined, what: What<IDBValidKey> | What<undefined>): Promise<void> =>
    run(name, "readwrite", what as What<unknown>).then(() => { held.delete(key); }, () => { held.set(key, value); });
  return {
    async get(key) { return held.has(key) ? held.get(key) : ((await run(name, "readonly", (s) => s.get(key)).catch(() => undefined)) as V | undefined); },
    put(key, value) { const kept = plain(value); return write(key, kept, (s) => s.put(kept, key)); },
    drop(key) { return write(key, undefined, (s) => s.delete(key)); },
    async all() {
      let keys: IDBRequest<IDBValidKey[]> | undefined;
      const values = (await run(name, "readonly", (s) => { keys = s.getAllKeys(); return s.getAll(); }).catch(() => [])) as V[];
      const found = new Map<IDBValidKey, V | undefined>(values.map((value, i) => [keys?.result[i] ?? i, value]));
      for (const [key, value] of held) found.set(key, value);
      return [...found.values()].filter((value) => value !== undefined);
    },
  };
}

/** Forgets everything of the account: at log-out. */
export async function clearAll(): Promise<void> {
  for (const name of stores) {
    memory.get(name)?.clear();
    await run(name, "readwrite", (s) => s.clear()).catch(() => undefined);
  }
}
