// The outbox: each action gets its key before it is sent, is kept until a final answer, and is sent again by itself.
// Pure of the browser: what it needs comes in, so that the tests can cut the network at every step.
import type { Refusal } from "../api/client";
import type { Action, Match } from "../api/types";
import type { Shelf } from "./db";

export interface Saved {
  matchId: string; version: number; action: Action; key: string; at: number;
  /** It has been sent at least once: it may have arrived, and cannot be taken back. */
  tried: boolean;
}

/** A move that was not played, until the player has seen that. `error`: null after a conflict. */
export interface Rejected { matchId: string; error: Refusal | null }

export type Phase =
  /** `keeping`: on its way to the device's own storage, before it is sent. */
  | { state: "keeping" | "sending" | "saved" | "checking"; item: Saved }
  | { state: "sent"; match: Match }
  | { state: "conflict" }
  | { state: "refused"; error: Refusal };
/** How a move that was not played is shown. */
export const phaseOf = ({ error }: Rejected): Phase => (error ? { state: "refused", error } : { state: "conflict" });

/** What came of one attempt. */
export type Attempt =
  | { is: "done"; match: Match }
  | { is: "conflict" }
  | { is: "refused"; error: Refusal }
  /** No final answer; `arrived`: it may have reached the service. */
  | { is: "again"; arrived: boolean; after: number | null };

export interface World {
  shelf: Shelf<Saved>;
  rejected: Shelf<Rejected>;
  send(item: Saved): Promise<Attempt>;
  /** The device knows that it has no network. */
  offline(): boolean;
  lock<R>(name: string, work: () => Promise<R>): Promise<R>;
  newKey(): string;
  now(): number;
  show(matchId: string, phase: Phase | null): void;
}

export class Outbox {
  constructor(private readonly world: World) {}

  /** Keeps the action, then sends it. A match has one saved action at most: a second one is not taken. */
  async submit(matchId: string, version: number, action: Action): Promise<void> {
    const { world } = this;
    const item: Saved = { matchId, version, action, key: world.newKey(), at: world.now(), tried: false };
    // At once, so that no second press finds the button on.
    world.show(matchId, { state: "keeping", item });
    await world.lock(`outbox.${matchId}`, async () => {
      if (!(await world.shelf.get(matchId))) await world.shelf.put(matchId, item);
    });
    await this.flush(matchId);
  }

  /** Sends the saved action of a match, if there is one. Says when to try again, in milliseconds; null: no need. */
  async flush(matchId: string): Promise<number | null> {
    const { world } = this;
    return world.lock(`outbox.${matchId}`, async () => {
      const item = await world.shelf.get(matchId);
      if (!item) return null;
      if (world.offline()) {
        world.show(matchId, { state: item.tried ? "checking" : "saved", item });
        return 30_000;
      }
      world.show(matchId, { state: "sending", item });
      const before = item.tried;
      item.tried = true;
      await world.shelf.put(matchId, item);
      const attempt = await world.send(item);
      if (attempt.is === "again") {
        // Refused before it was looked at: as if it had never been sent.
        if (!attempt.arrived && !before) { item.tried = false; await world.shelf.put(matchId, item); }
        world.show(matchId, { state: item.tried ? "checking" : "saved", item });
        return (attempt.after ?? 0) * 1000;
      }
      const rejected = attempt.is === "done" ? null : { matchId, error: attempt.is === "refused" ? attempt.error : null };
      if (rejected) await world.rejected.put(matchId, rejected);
      await world.shelf.drop(matchId);
      if (attempt.is === "done") world.show(matchId, { state: "sent", match: attempt.match });
      else if (rejected) world.show(matchId, phaseOf(rejected));
      return null;
    });
  }

  /** Takes a saved action back, if it was never sent. */
  async takeBack(matchId: string): Promise<boolean> {
    const { world } = this;
    return world.lock(`outbox.${matchId}`, async () => {
      const item = await world.shelf.get(matchId);
      if (!item || item.tried) return false;
      await world.shelf.drop(matchId);
      world.show(matchId, null);
      return true;
    });
  }
}

/** Pause before the next attempt: 1, 2, 4 … 30 seconds. */
export const pause = (attempts: number): number => Math.min(30_000, 1000 * 2 ** attempts);
