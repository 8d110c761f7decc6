// One key for one intention of the player: create a match, join, offer a rematch. If its answer is lost and the player taps
// again with the same request, the service gets the same key, and does it once. Table actions have the outbox instead.
import { isFinal } from "../api/client";
import { newKey } from "../api/matches";

type Write<A extends unknown[], R> = (key: string, ...request: A) => Promise<R>;
/** Keys without an answer, by operation and request. */
const open = new Map<unknown, Map<string, string>>();

export async function intend<A extends unknown[], R>(write: Write<A, R>, ...request: A): Promise<R> {
  const keys = open.get(write) ?? new Map<string, string>();
  open.set(write, keys);
  const body = JSON.stringify(request);
  const key = keys.get(body) ?? newKey();
  keys.set(body, key);
  try {
    const answer = await write(key, ...request);
    keys.delete(body);
    return answer;
  } catch (error) {
    if (isFinal(error)) keys.delete(body);
    throw error;
  }
}
