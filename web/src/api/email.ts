// Operations of e-mail: an address, and a forgotten password.
import { answer, authorized, open } from "./client";
import * as map from "./map";
import { device, inCookie } from "./session";
import type { Channel, Tokens } from "./types";

/** Sends a code to the address, unless it is the verified one already. `password`: null for an account without one. */
export async function createEmailChannel(email: string, password: string | null, link: string): Promise<Channel> {
  return map.channel(await answer(authorized.POST("/v1/email-channels", { body: { email, link, ...(password !== null ? { current_password: password } : {}) } })));
}
export async function verifyEmail(code: string): Promise<void> { await answer(open.POST("/v1/email-verifications", { body: { code } })); }
export async function requestPasswordReset(email: string): Promise<void> { await answer(open.POST("/v1/password-resets", { body: { email } })); }
export async function resetPassword(code: string, password: string): Promise<Tokens> {
  return map.tokens(await answer(open.POST("/v1/accounts/reset-password", { body: { code, new_password: password, device: device(), ...inCookie } })));
}
