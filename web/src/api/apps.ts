// Apps with access to the account: what one asks for (OAuth 2.1), and the tokens that they have.
import { answer, authorized } from "./client";
import type { AppRequest, TokenLine } from "./types";

/** The authorization response to the request in a link; `false` only checks the request. Empty parameters count as missing, repeated ones as wrong. */
export async function authorizeApp(search: string, approved: boolean): Promise<AppRequest> {
  const given = new URLSearchParams(search);
  const one = (name: string): string | undefined => { const all = given.getAll(name).filter(Boolean); return all.length > 1 ? "" : all[0]; };
  const [scope, state] = [one("scope"), one("state")];
  const w = await answer(authorized.POST("/v1/account/authorize-app", {
    body: {
      approved,
      response_type: one("response_type") ?? "", client_id: one("client_id") ?? "", redirect_uri: one("redirect_uri") ?? "",
      code_challenge: one("code_challenge") ?? "", code_challenge_method: one("code_challenge_method") ?? "",
      ...(scope === undefined ? {} : { scope }), ...(state === undefined ? {} : { state }),
    },
  }));
  return { name: w.client_id, origin: w.issued_to, scopes: w.scopes, redirect: w.redirect_to };
}
export async function listTokens(): Promise<TokenLine[]> {
  const w = await answer(authorized.GET("/v1/tokens"));
  return w.items.map((one) => ({
    id: one.token_id, name: one.name, origin: one.issued_to ?? null, scopes: one.scopes,
    usedOn: one.last_used_on === undefined ? null : Date.parse(one.last_used_on), expiresAt: Date.parse(one.expires_at),
  }));
}
export async function revokeToken(id: string): Promise<void> {
  await answer(authorized.DELETE("/v1/tokens/{token_id}", { params: { path: { token_id: id } } }));
}
