// Operations of the notices of this device. They are in the first load, the other settings are not.
import { answer, authorized } from "./client";
import * as map from "./map";
import type { Channel } from "./types";

export async function createPushChannel(subscription: PushSubscriptionJSON, link: string, name?: string): Promise<Channel> {
  const { endpoint = "", keys = {} } = subscription;
  return map.channel(await answer(authorized.POST("/v1/push-channels", {
    body: { endpoint, p256dh: keys["p256dh"] ?? "", auth: keys["auth"] ?? "", link, ...(name ? { name } : {}) },
  })));
}
export async function deleteChannel(id: string): Promise<void> { await answer(authorized.DELETE("/v1/channels/{channel_id}", { params: { path: { channel_id: id } } })); }
