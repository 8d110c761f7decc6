// Operations for a browser that has just logged in at the OpenID provider: a cookie, which no script can read, proves it.
import { answer, authorized, open, Problem } from "./client";
import * as map from "./map";
import { device, inCookie } from "./session";
import type { Language, Tokens } from "./types";

/** Leads to the provider, and back to a path. `reauthenticate`: the provider asks for the password in any case. */
export const providerLink = (returnTo: string, reauthenticate = false): string => `/oidc/login?${new URLSearchParams({ return_to: returnTo, ...(reauthenticate ? { prompt: "login" } : {}) }).toString()}`;

/** The service wants a new log-in at the provider. */
export const needsIdentity = (error: unknown): boolean => error instanceof Problem && error.code === "identity_required";

export async function logInWithIdentity(deviceToken: string | null): Promise<Tokens> {
  return map.tokens(await answer(open.POST("/v1/identity-sessions", { body: { device: device(), ...inCookie, ...(deviceToken ? { device_token: deviceToken } : {}) } })));
}
export async function registerWithIdentity(username: string, language: Language, invitation?: string): Promise<Tokens> {
  return map.tokens(await answer(open.POST("/v1/identity-accounts", { body: { username, device: device(), language, ...inCookie, ...(invitation ? { invitation } : {}) } })));
}
export async function linkIdentity(password: string): Promise<void> { await answer(authorized.PUT("/v1/account/identity", { body: { current_password: password } })); }
export async function unlinkIdentity(): Promise<void> { await answer(authorized.DELETE("/v1/account/identity")); }
