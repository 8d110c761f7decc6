// What survives a reload: IndexedDB, in a few functions. Without IndexedDB (private windows) a map in memory.

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

let opening: Promise<IDBDatabase | null> | null = null;
function database(): Promise<IDBDatabase | null> {
  opening ??= new Promise((resolve) => {
    if (typeof indexedDB === "undefined") { resolve(null); return; }
    const request = indexedDB.open("yaniv", form);
    request.onupgradeneeded = () => {
      const db = request.result;
      for (const name of caches) if (db.objectStoreNames.contains(name)) db.deleteObjectStore(name);
      for (const name of stores) if (!db.objectStoreNames.contains(name)) db.createObjectStore(name);
    };
    request.onsuccess = () => {
      request.result.onversionchange = () => { request.result.close(); opening = null; };
      resolve(request.result);
    };
    request.onerror = () => { resolve(null); };
  });
  return opening;
}

const memory = new Map<StoreName, Map<string, unknown>>(stores.map((name) => [name, new Map()]));

async function run<R>(name: StoreName, mode: IDBTransactionMode, what: (store: IDBObjectStore) => IDBRequest<R>): Promise<R> {
  const db = await database();
  if (!db) throw new Error("no database");
  return new Promise((resolve, reject) => {
    const transaction = db.transaction(name, mode, { durability: "strict" });
    const request = what(transaction.objectStore(name));
    // A write counts once its transaction is complete, not once the request is.
    transaction.oncomplete = () => { resolve(request.result); };
    transaction.onabort = () => { reject(transaction.error ?? new Error("aborted")); };
  });
}

export function shelf<V>(name: StoreName): Shelf<V> {
  const spare = (): Map<string, V> => memory.get(name) as Map<string, V>;
  // Cloned: a proxy of Svelte's state cannot be stored.
  const plain = (value: V): V => JSON.parse(JSON.stringify(value)) as V;
  return {
    async get(key) { return (await database()) ? ((await run(name, "readonly", (s) => s.get(key))) as V | undefined) : spare().get(key); },
    async put(key, value) { if (await database()) await run(name, "readwrite", (s) => s.put(plain(value), key)); else spare().set(key, plain(value)); },
    async drop(key) { if (await database()) await run(name, "readwrite", (s) => s.delete(key)); else spare().delete(key); },
    async all() { return (await database()) ? ((await run(name, "readonly", (s) => s.getAll())) as V[]) : [...spare().values()]; },
  };
}

/** Forgets everything of the account: at log-out. */
export async function clearAll(): Promise<void> {
  for (const name of stores) {
    if (await database()) await run(name, "readwrite", (s) => s.clear());
    memory.get(name)?.clear();
  }
}
