// Who is logged in. Refreshes are done in one place at a time, under a Web Lock.
import * as api from "../api/session";
import { authorizeBy, base, isFinal, NoAnswer, now, Problem } from "../api/client";
import type { Account, Language, Tokens } from "../api/types";
import { clearAll } from "./db";
import { language } from "../i18n/index.svelte";
import { locked } from "./lock";
import { keep, keepDevice, keepOwner, onChangeElsewhere, readDevice, readKept, readOwner } from "./tokens";

let access: { token: string; expires: number } | null = null;

const kept = readKept();
export const session = $state<{ account: Account | null; lost: boolean }>({ account: kept?.account ?? null, lost: false });

const listeners: ((account: Account | null) => void)[] = [];
/** Called when another account (or none) is logged in. */
export function onAccount(listener: (account: Account | null) => void): void { listeners.push(listener); }

async function begin(tokens: Tokens): Promise<void> {
  if (readOwner() !== tokens.account.id) await clearAll();
  keepOwner(tokens.account.id);
  const other = session.account?.id !== tokens.account.id;
  access = { token: tokens.access, expires: tokens.accessExpires };
  keep({ refresh: tokens.refresh, account: tokens.account });
  keepDevice(tokens.device);
  session.account = tokens.account;
  session.lost = false;
  if (other) for (const listener of listeners) listener(tokens.account);
}

async function end(lost: boolean): Promise<void> {
  access = null;
  keep(null);
  session.account = null;
  session.lost = lost;
  for (const listener of listeners) listener(null);
  // A session that was lost may come back: what is saved waits for the same account.
  if (!lost) { await clearAll(); keepOwner(null); }
}

async function renew(refused: string | null): Promise<string | null> {
  return locked("refresh", async () => {
    if (access && access.token !== refused && access.expires > now() + 5_000) return access.token;
    const current = readKept();
    if (!current) { if (session.account) await end(true); return null; }
    try {
      await begin(await refreshed(current.refresh));
      return access?.token ?? null;
    } catch (error) {
      if (isOver(error)) { await end(true); return null; }
      throw error;
    }
  });
}

/** The service itself has refused to go on with the session. */
const isOver = (error: unknown): boolean => isFinal(error) || (error instanceof Problem && error.status === 401);

/** A cookie may have a session though nothing is kept beside it: browsers clear what scripts can write. Not known yet. */
let cookieAsked = base !== "" || kept !== null;
/** Goes on with the session of the cookie, if there is one. Fails without an answer. */
async function goOn(): Promise<void> {
  if (cookieAsked) return;
  await locked("refresh", async () => {
    if (cookieAsked) return;
    try { await begin(await refreshed(null)); } catch (error) { if (!isOver(error)) throw error; }
    cookieAsked = true;
  });
}
/** The start: settled once it is known whether there is a session, as far as the service answers. */
export const started: Promise<void> = goOn().catch(() => undefined);

/**
 * A lost answer is asked for again with the same token: here at once, later by the next request that needs a token, also after a
 * restart. The attempt before has been aborted by then, as a later answer voids it.
 */
async function refreshed(token: string | null): Promise<Tokens> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await api.refresh(token);
    } catch (error) {
      if (!(error instanceof NoAnswer) || attempt === 2 || !navigator.onLine) throw error;
    }
  }
}

authorizeBy({
  who: () => session.account?.id ?? null,
  token: () => {
    if (!session.account) return Promise.resolve(null);
    if (access && access.expires > now() + 30_000) return Promise.resolve(access.token);
    return renew(access?.token ?? null);
  },
  renew,
});

onChangeElsewhere((now) => {
  // Another tab logged in or out, or refreshed: its refresh token counts.
  if (now?.account.id === session.account?.id) return;
  access = null;
  session.account = now?.account ?? null;
  for (const listener of listeners) listener(session.account);
});

const timeZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone;

/** Never a new guest over one who is still there: the cookie first. */
export async function playAsGuest(displayName?: string): Promise<void> {
  await goOn();
  if (!session.account) await enter(await api.createGuest(language(), displayName));
}
export async function register(username: string, password: string, invitation?: string): Promise<void> {
  await enter(await api.register(username, password, language(), invitation));
}
export async function logIn(username: string, password: string): Promise<void> {
  await enter(await api.logIn(username, password, readDevice()));
}
/** Carries the log-in of another device here. */
export async function logInByCode(code: string): Promise<void> {
  await enter(await api.transferSession(code));
}
/** Begins a session. Notifications print deadlines in the time zone: an account without one gets that of this device. */
export async function enter(tokens: Tokens): Promise<void> {
  await begin(tokens);
  if (session.account?.timeZone === null) void api.updateAccount({ timeZone: timeZone() }).then(changed, () => undefined);
}
/** Fails without an answer: the cookie and the session would stay behind. */
export async function logOut(): Promise<void> {
  await api.logOut().catch((error: unknown) => {
    if (!(error instanceof Problem && [401, 404].includes(error.status))) throw error;
  });
  await end(false);
}
/** The account is another by now. */
export function changed(account: Account): void {
  session.account = account;
  const now = readKept();
  if (now) keep({ ...now, account });
}
export async function claim(username: string, password: string): Promise<void> { changed(await api.claim(username, password)); }
export async function rename(displayName: string): Promise<void> { changed(await api.updateAccount({ displayName })); }
/** The language and time zone of this device are those of the account's notifications. */
export async function tellLanguage(language: Language): Promise<void> {
  const zone = timeZone();
  if (!session.account || (session.account.language === language && session.account.timeZone === zone)) return;
  changed(await api.updateAccount({ language, timeZone: zone }));
}
export async function removeAccount(password: string | null): Promise<void> {
  await api.deleteAccount(password);
  await end(false);
}
