// Passkeys: their operations, and the browser's own part between options and answer. It fails with a `DOMException` where the player, or
// the device, did not want to. Loaded where it is used.
import { answer, authorized, open } from "./client";
import * as map from "./map";
import { device, inCookie } from "./session";
import type { PasskeyLine, Tokens } from "./types";


/** Older browsers cannot read and write the JSON of the API. */
const ownJson = (): boolean => "parseCreationOptionsFromJSON" in PublicKeyCredential && "toJSON" in PublicKeyCredential.prototype;
const byHand = () => import("./passkey-json");

/** `password`: null for an account without one. */
export async function addPasskey(name: string, password: string | null): Promise<void> {
  const { public_key: options } = await answer(authorized.POST("/v1/account/passkey-options", { body: password === null ? {} : { current_password: password } }));
  const own = ownJson();
  const publicKey = own ? PublicKeyCredential.parseCreationOptionsFromJSON(options as PublicKeyCredentialCreationOptionsJSON) : (await byHand()).creationOptions(options);
  const made = await navigator.credentials.create({ publicKey }) as PublicKeyCredential;
  const credential = own ? made.toJSON() : (await byHand()).registration(made);
  await answer(authorized.POST("/v1/account/passkeys", { body: { name, credential } }));
}
export async function logInWithPasskey(deviceToken: string | null): Promise<Tokens> {
  const { public_key: options } = await answer(open.POST("/v1/passkey-sessions/options"));
  const own = ownJson();
  const publicKey = own ? PublicKeyCredential.parseRequestOptionsFromJSON(options as PublicKeyCredentialRequestOptionsJSON) : (await byHand()).requestOptions(options);
  const got = await navigator.credentials.get({ publicKey }) as PublicKeyCredential;
  const credential = own ? got.toJSON() : (await byHand()).authentication(got);
  return map.tokens(await answer(open.POST("/v1/passkey-sessions", { body: { credential, device: device(), ...inCookie, ...(deviceToken ? { device_token: deviceToken } : {}) } })));
}
export async function listPasskeys(): Promise<PasskeyLine[]> {
  const w = await answer(authorized.GET("/v1/account/passkeys"));
  return w.items.map((one) => ({ id: one.passkey_id, name: one.name, addedAt: Date.parse(one.created_at), usedOn: one.last_used_on === undefined ? null : Date.parse(one.last_used_on) }));
}
export async function removePasskey(id: string): Promise<void> {
  await answer(authorized.DELETE("/v1/account/passkeys/{passkey_id}", { params: { path: { passkey_id: id } } }));
}
