// An OpenID Connect provider for tests: node tests/oidc/provider.mjs REDIRECT_URI. Prints its issuer and the client in one line
// of JSON, and ends when its standard input closes. One logs in with any name, which is the subject, and any password.
import { generateKeyPairSync } from "node:crypto";
import { createServer } from "node:http";

const redirect = process.argv[2];
if (!redirect) { console.error("usage: provider.mjs REDIRECT_URI"); process.exit(2); }
// Standard output has the line of JSON only.
console.info = console.error;
const { Provider } = await import("oidc-provider");

const client = { client_id: "yaniv", client_secret: "a secret: 100%+ of it" };
const server = createServer();
await new Promise((resolve) => { server.listen(0, "127.0.0.1", resolve); });
const issuer = `http://127.0.0.1:${server.address().port}`;
const provider = new Provider(issuer, {
  clients: [{
    ...client, redirect_uris: [redirect], grant_types: ["authorization_code"], response_types: ["code"],
    token_endpoint_auth_method: "client_secret_basic", id_token_signed_response_alg: "ES256",
  }],
  scopes: ["openid"],
  pkce: { required: () => true },
  findAccount: (_, subject) => ({ accountId: subject, claims: () => ({ sub: subject }) }),
  // No page of consent.
  loadExistingGrant: async ({ oidc }) => {
    const grant = new oidc.provider.Grant({ clientId: oidc.client.clientId, accountId: oidc.session.accountId });
    grant.addOIDCScope("openid");
    await grant.save();
    return grant;
  },
  jwks: { keys: [{ ...generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey.export({ format: "jwk" }), kid: "1", use: "sig", alg: "ES256" }] },
  // Ports do not separate cookies: the names must not be those of the service.
  cookies: { keys: ["for tests only"], names: { session: "provider_session", interaction: "provider_interaction", resume: "provider_resume" } },
});
server.on("request", provider.callback());
console.log(JSON.stringify({ issuer, ...client }));
process.stdin.resume().on("close", () => { process.exit(); });
