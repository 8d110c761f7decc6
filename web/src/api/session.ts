// Operations by which a session begins, goes on and ends.
import { answer, authorized, base, open } from "./client";
import * as map from "./map";
import type { Account, Language, ServerFacts, Tokens } from "./types";

export const device = (): string => {
  const agent = navigator.userAgent;
  const system = /Android|iPhone|iPad|Windows|Mac OS|Linux/.exec(agent)?.[0] ?? "Web";
  const browser = /Firefox|Edg|Chrome|Safari/.exec(agent)?.[0] ?? "";
  return `${system} ${browser}`.trim();
};

/** A page of the service's own origin has the refresh token in a cookie, which no script can read. */
export const inCookie = base === "" ? { refresh_cookie: true } : {};

export async function serverFacts(): Promise<ServerFacts> {
  const w = await answer(open.GET("/v1/server"));
  return { signUp: w.sign_up, pushKey: w.push_key, sendsNotices: w.sends_notifications, sendsEmail: w.sends_email, provider: (base === "" && w.oidc_provider) || null, passkeys: w.passkeys };
}
export async function createGuest(language: Language, displayName?: string): Promise<Tokens> {
  return map.tokens(await answer(open.POST("/v1/guests", { body: { device: device(), language, ...inCookie, ...(displayName ? { display_name: displayName } : {}) } })));
}
export async function register(username: string, password: string, language: Language, invitation?: string): Promise<Tokens> {
  return map.tokens(await answer(open.POST("/v1/accounts", { body: { username, password, device: device(), language, ...inCookie, ...(invitation ? { invitation } : {}) } })));
}
export async function logIn(username: string, password: string, deviceToken: string | null): Promise<Tokens> {
  return map.tokens(await answer(open.POST("/v1/sessions", {
    body: { username, password, device: device(), ...inCookie, ...(deviceToken ? { device_token: deviceToken } : {}) },
  })));
}
/** By this token, or by the cookie. */
export async function refresh(token: string | null): Promise<Tokens> {
  return map.tokens(await answer(open.POST("/v1/sessions/refresh", { body: { ...inCookie, ...(token ? { refresh_token: token } : {}) } })));
}
export async function transferSession(code: string): Promise<Tokens> {
  return map.tokens(await answer(open.POST("/v1/sessions/transfer", { body: { transfer_code: code, device: device(), ...inCookie } })));
}
export async function logOut(): Promise<void> { await answer(authorized.DELETE("/v1/sessions/current")); }
export async function updateAccount(change: { displayName?: string; language?: Language; timeZone?: string }): Promise<Account> {
  return map.account(await answer(authorized.PATCH("/v1/account", {
    body: {
      ...(change.displayName !== undefined ? { display_name: change.displayName } : {}),
      ...(change.language !== undefined ? { language: change.language } : {}),
      ...(change.timeZone !== undefined ? { time_zone: change.timeZone } : {}),
    },
  })));
}
export async function claim(username: string, password: string): Promise<Account> {
  return map.account(await answer(authorized.POST("/v1/account/claim", { body: { username, password } })));
}
export async function deleteAccount(password: string | null): Promise<void> {
  await answer(authorized.POST("/v1/account/delete", { body: password ? { password } : {} }));
}
