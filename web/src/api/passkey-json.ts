// For browsers that cannot turn options and credentials of WebAuthn from and to JSON themselves. Loaded only there.
import type { components } from "./schema";

type Schemas = components["schemas"];
const bytes = (text: string): Uint8Array<ArrayBuffer> => Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (one) => one.charCodeAt(0));
const text = (buffer: ArrayBuffer): string => btoa(String.fromCharCode(...new Uint8Array(buffer))).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
const descriptors = (list: Schemas["PasskeyDescriptor"][]): PublicKeyCredentialDescriptor[] => list.map(({ id }) => ({ type: "public-key", id: bytes(id) }));

export const creationOptions = (options: Schemas["PasskeyCreationOptions"]): PublicKeyCredentialCreationOptions => ({
  rp: options.rp, user: { ...options.user, id: bytes(options.user.id) }, challenge: bytes(options.challenge),
  pubKeyCredParams: options.pubKeyCredParams.map(({ alg }) => ({ type: "public-key", alg })),
  timeout: options.timeout, excludeCredentials: descriptors(options.excludeCredentials),
  authenticatorSelection: { residentKey: "required", requireResidentKey: true, userVerification: "required" }, attestation: "none",
});
export const requestOptions = (options: Schemas["PasskeyRequestOptions"]): PublicKeyCredentialRequestOptions => ({
  challenge: bytes(options.challenge), timeout: options.timeout, rpId: options.rpId, allowCredentials: descriptors(options.allowCredentials), userVerification: "required",
});
export function registration(made: PublicKeyCredential): Schemas["PasskeyRegistration"] {
  const response = made.response as AuthenticatorAttestationResponse;
  return { id: made.id, type: "public-key", response: { clientDataJSON: text(response.clientDataJSON), attestationObject: text(response.attestationObject) } };
}
export function authentication(got: PublicKeyCredential): Schemas["PasskeyAuthentication"] {
  const response = got.response as AuthenticatorAssertionResponse;
  return {
    id: got.id, type: "public-key", response: {
      clientDataJSON: text(response.clientDataJSON), authenticatorData: text(response.authenticatorData), signature: text(response.signature), userHandle: text(response.userHandle ?? new ArrayBuffer(0)),
    },
  };
}
