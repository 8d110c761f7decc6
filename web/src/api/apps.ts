// Apps with access to the account: what one asks for (OAuth 2.1), and the tokens that they have.
import { answer, authorized } from "./client";
import type { AppRequest, TokenLine } from "./types";

/** Answers the authorization request whose parameters are in a link; `false` only checks it. */
export async function authorizeApp(search: string, approved: boolean): Promise<AppRequest> {
  const given = new URLSearchParams(search);
  const [scope, state] = [given.get("scope"), given.get("state")];
  const w = await answer(authorized.POST("/v1/account/authorize-app", {
    body: {
      approved,
      response_type: given.get("response_type") ?? "", client_id: given.get("client_id") ?? "", redirect_uri: given.get("redirect_uri") ?? "",
      code_challenge: given.get("code_challenge") ?? "", code_challenge_method: given.get("code_challenge_method") ?? "",
      ...(scope === null ? {} : { scope }), ...(state === null ? {} : { state }),
    },
  }));
  return { app: w.client_id, origin: w.issued_to, scopes: w.scopes, answer: w.redirect_to };
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
