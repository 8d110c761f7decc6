// Talks to the service: one typed client, authorization, problems, the service's clock. No state of the game.
import createClient from "openapi-fetch";
import type { Wire } from "./map";
import type { paths } from "./schema";
import type { Match } from "./types";

/** A refusal by the service (RFC 9457), or a status without one. */
export class Problem extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    readonly detail: string,
    /** The parts of the request that are wrong. */
    readonly fields: { name: string; detail: string }[] = [],
    /** Values for texts of our own; a name may occur several times. */
    readonly parameters: { name: string; value: string }[] = [],
    /** Seconds to wait, as the service says. */
    readonly retryAfter: number | null = null,
    /** With `version_conflict`: the match as it is now, as it was sent. */
    readonly sent: Wire["Match"] | null = null,
  ) {
    super(`${status} ${code}: ${detail}`);
  }
  /** The same, with its settings: actions fill it in. */
  match: Match | null = null;
}

/** What is kept of a problem on the device. */
export type Refusal = Pick<Problem, "status" | "code" | "detail" | "fields" | "parameters">;
export const refusal = ({ status, code, detail, fields, parameters }: Refusal): Refusal => ({ status, code, detail, fields, parameters });
export const refused = ({ status, code, detail, fields, parameters }: Refusal): Problem => new Problem(status, code, detail, fields, parameters);

/**
 * No answer of the service: the request may have arrived or not. What a proxy, a filter or a log-in page says in its place is none.
 * `retryAfter`: seconds to wait, as such a one says.
 */
export class NoAnswer extends Error { retryAfter: number | null = null; }
/** The session could not be renewed: the request itself was never sent. */
export class NotSent extends NoAnswer {}

/** Tells an outcome that is final from one after which the same request is sent again. */
export function isFinal(error: unknown): boolean {
  return error instanceof Problem && ![401, 408, 429].includes(error.status) && error.status < 500;
}

/** Whether the service itself has refused: a problem (RFC 9457) that names its code in its URN. */
export async function isProblem(response: Response): Promise<boolean> {
  if (!response.headers.get("content-type")?.startsWith("application/problem+json")) return false;
  const body = (await response.clone().json().catch(() => null)) as Partial<Wire["Problem"]> | null;
  return typeof body?.code === "string" && body.type === `urn:yaniv:problem:${body.code}`;
}
/** What the service answers a success with. */
const ownTypes = /^(application\/(json|vnd\.yaniv|x-ndjson)|text\/(event-stream|plain))/;
const isOwn = async (response: Response): Promise<boolean> =>
  [204, 304].includes(response.status) || (response.ok ? ownTypes.test(response.headers.get("content-type") ?? "") : isProblem(response));

interface Authority {
  /** The account that is logged in. */
  who(): string | null;
  /** The access token, refreshed before if it is about to expire; null without a session. */
  token(): Promise<string | null>;
  /** The token was refused: get another, or null if the session is over. */
  renew(refused: string): Promise<string | null>;
}
let authority: Authority = { who: () => null, token: () => Promise.resolve(null), renew: () => Promise.resolve(null) };
export function authorizeBy(by: Authority): void { authority = by; }

export const base = import.meta.env["VITE_API"] ?? "";
const answerWithin = 15_000;

/** Milliseconds that the service's clock is ahead of this device's. */
let ahead = 0;
let measured = Infinity;
/** Now, by the service's clock. */
export function now(): number { return Date.now() + ahead; }
const clockListeners: (() => void)[] = [];
/** Called when the service's clock turns out to be another than was thought. */
export function onClock(listener: () => void): void { clockListeners.push(listener); }
function measure(serverTime: unknown, sentAt: number): void {
  if (typeof serverTime !== "string") return;
  const took = Date.now() - sentAt;
  // The quickest answer tells best; a worse one counts when it contradicts by seconds (the device's clock was set).
  const offset = Date.parse(serverTime) - (sentAt + took / 2);
  if (took <= measured || Math.abs(offset - ahead) > took + 2000) {
    const moved = Math.abs(offset - ahead) > 2000;
    ahead = offset;
    measured = took;
    if (moved) for (const listener of clockListeners) listener();
  }
}

/** Requests without a session: registering, logging in, refreshing. */
export const open = createClient<paths>({ baseUrl: base, fetch: (request) => timed(request) });
/** Requests of a session. */
export const authorized = createClient<paths>({ baseUrl: base, fetch: withToken });

async function timed(request: Request): Promise<Response> {
  const sentAt = Date.now();
  try {
    // The service redirects nothing here, and a token goes nowhere else.
    const response = await fetch(request, { signal: limited(request), redirect: "error" });
    if (!(await isOwn(response))) throw Object.assign(new NoAnswer(`${response.status}, not of the service`), { retryAfter: delayOf(response) });
    // The answers of writes carry the time of the write, which may be an old one: only reads set the clock.
    if (request.method === "GET" && response.headers.get("content-type")?.startsWith("application/json")) {
      void response.clone().json().then((body: { server_time?: string }) => { measure(body.server_time, sentAt); }, () => undefined);
    }
    return response;
  } catch (cause) {
    if (request.signal.aborted || cause instanceof NoAnswer) throw cause;
    throw new NoAnswer("no answer", { cause });
  }
}
/** `Retry-After`, in seconds: it is a number of them, or a date. */
function delayOf(response: Response): number | null {
  const text = response.headers.get("retry-after") ?? "";
  const seconds = /^\d+$/.test(text) ? Number(text) : (Date.parse(text) - Date.now()) / 1000;
  return Number.isFinite(seconds) ? Math.max(0, Math.ceil(seconds)) : null;
}
/** Aborted with the first of both. Browsers that are served have no `AbortSignal.any`. */
export function either(one: AbortSignal, other: AbortSignal): AbortSignal {
  const both = new AbortController();
  for (const signal of [one, other]) {
    const abort = (): void => { both.abort(signal.reason); };
    if (signal.aborted) abort();
    else signal.addEventListener("abort", abort);
  }
  return both.signal;
}
/** A stream stays open, and a whole account takes its time; a long poll answers after its wait; all else within seconds. */
function limited(request: Request): AbortSignal {
  if (/\/stream|\/export/.test(request.url)) return request.signal;
  if (request.url.endsWith("/sessions/refresh")) return AbortSignal.timeout(5_000);
  return either(request.signal, AbortSignal.timeout(request.url.includes("wait=25") ? 40_000 : answerWithin));
}

/** What was asked as one account is neither sent nor answered as another. */
async function withToken(request: Request): Promise<Response> {
  const who = authority.who();
  const same = (): boolean => authority.who() === who;
  const token = await authority.token().catch((cause: unknown) => { throw new NotSent("no token", { cause }); });
  if (token === null || !same()) return new Response(`{"code":"no_session"}`, { status: 401 });
  // The body of a request can be read once: keep a copy for the second attempt.
  const again = request.clone();
  request.headers.set("authorization", `Bearer ${token}`);
  let response = await timed(request);
  if (response.status === 401 && same()) {
    const renewed = await authority.renew(token);
    if (renewed === null) return response;
    if (same()) {
      again.headers.set("authorization", `Bearer ${renewed}`);
      response = await timed(again);
    }
  }
  if (!same()) throw new NoAnswer("another account");
  return response;
}

/** A request with the session's token, for what the typed client does not do (streams, downloads). */
export function raw(path: string, init: RequestInit = {}): Promise<Response> {
  return withToken(new Request(new URL(base + path, location.origin), init));
}

export function problemOf(status: number, body: unknown, response?: Response): Problem {
  const wire = (typeof body === "object" && body !== null ? body : {}) as Partial<Wire["Problem"]>;
  return new Problem(
    status, wire.code ?? `status_${status}`, wire.detail ?? "", wire.fields ?? [], wire.parameters ?? [],
    response ? delayOf(response) : null, wire.match ?? null,
  );
}

interface Outcome<D> { data?: D; error?: unknown; response: Response }

/** The body of a success; a `Problem` otherwise. */
export async function answer<D>(call: Promise<Outcome<D>>): Promise<D> {
  const outcome = await arrived(call);
  if (!outcome.response.ok) throw problemOf(outcome.response.status, outcome.error, outcome.response);
  return outcome.data as D;
}

/** The body with its tag; null if nothing has changed since the tag that was sent. */
export async function answerIfChanged<D>(call: Promise<Outcome<D>>): Promise<{ body: D; etag: string | null } | null> {
  const outcome = await arrived(call);
  if (outcome.response.status === 304) return null;
  return { body: await answer(Promise.resolve(outcome)), etag: outcome.response.headers.get("etag") };
}

async function arrived<D>(call: Promise<Outcome<D>>): Promise<Outcome<D>> {
  try {
    return await call;
  } catch (error) {
    // A body that breaks off is no answer either.
    if (error instanceof NoAnswer || error instanceof Problem) throw error;
    if (error instanceof DOMException && error.name === "AbortError") throw error;
    throw new NoAnswer("broken answer", { cause: error });
  }
}
