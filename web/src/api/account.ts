// Operations of the account's settings: password, sessions, another device, sanctions.
import { answer, authorized } from "./client";
import type { Sanction, SessionLine, TransferCode } from "./types";

/** `current`: null for an account without a password. */
export async function changePassword(current: string | null, next: string): Promise<void> {
  await answer(authorized.POST("/v1/account/change-password", { body: { new_password: next, ...(current !== null ? { current_password: current } : {}) } }));
}
export async function listSessions(): Promise<SessionLine[]> {
  const w = await answer(authorized.GET("/v1/sessions"));
  return w.items.map((s) => ({ id: s.session_id, device: s.device, current: s.current, usedOn: Date.parse(s.last_used_on) }));
}
export async function endSession(id: string): Promise<void> {
  await answer(authorized.DELETE("/v1/sessions/{session_id}", { params: { path: { session_id: id } } }));
}
export async function endOtherSessions(): Promise<void> { await answer(authorized.DELETE("/v1/sessions/others")); }
/** A code by which another device logs in, for two minutes. */
export async function createTransferCode(): Promise<TransferCode> {
  const w = await answer(authorized.POST("/v1/account/transfer-codes"));
  return { code: w.transfer_code, expiresAt: Date.parse(w.expires_at) };
}
/** What moderators have decided about the account. */
export async function listSanctions(): Promise<Sanction[]> {
  const w = await answer(authorized.GET("/v1/account/sanctions", { params: { query: { limit: 100 } } }));
  const time = (text: string | undefined): number | null => (text === undefined ? null : Date.parse(text));
  return w.items.map((one) => ({ id: one.sanction_id, kind: one.kind, reason: one.reason, at: Date.parse(one.decided_at), until: time(one.until), undoneAt: time(one.undone_at) }));
}
