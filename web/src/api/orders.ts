// Standing orders: what is played when it is my turn.
import { answer, authorized } from "./client";
import { draw, drawWish, type Wire } from "./map";
import type * as T from "./types";

function orders(w: Wire["StandingOrders"]): T.Orders {
  return {
    state: w.state, reason: w.reason ?? null, callAtMost: w.call_at_most, giveFrom: w.give_from,
    challengeAtMost: w.challenge_at_most, swapFrom: w.swap_from, slamDown: w.slam_down !== undefined,
    plays: w.plays.map((play) => ({ cards: play.cards, draw: draw(play), ifPickable: play.if_pickable ?? [] })),
  };
}

function ordersWish(o: T.OrdersWish, version: number): Wire["SetStandingOrdersRequest"] {
  const wish: Wire["SetStandingOrdersRequest"] = {
    expected_version: version,
    plays: o.plays.map((play) => ({
      cards: play.cards, ...drawWish(play.draw), ...(play.ifPickable.length > 0 ? { if_pickable: play.ifPickable } : {}),
    })),
  };
  if (o.callAtMost !== undefined) wish.call_at_most = o.callAtMost;
  if (o.giveFrom !== undefined) wish.give_from = o.giveFrom;
  if (o.challengeAtMost !== undefined) wish.challenge_at_most = o.challengeAtMost;
  if (o.swapFrom !== undefined) wish.swap_from = o.swapFrom;
  if (o.slamDown) wish.slam_down = "if_fits";
  return wish;
}

const path = (id: string) => ({ path: { match_id: id } });
export async function getStandingOrders(id: string): Promise<T.Orders> {
  return orders(await answer(authorized.GET("/v1/matches/{match_id}/standing-orders", { params: path(id) })));
}
export async function setStandingOrders(id: string, version: number, wish: T.OrdersWish): Promise<T.Orders> {
  return orders(await answer(authorized.PUT("/v1/matches/{match_id}/standing-orders", { params: path(id), body: ordersWish(wish, version) })));
}
export async function removeStandingOrders(id: string): Promise<void> {
  await answer(authorized.DELETE("/v1/matches/{match_id}/standing-orders", { params: path(id) }));
}
