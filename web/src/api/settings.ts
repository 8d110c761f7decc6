// Operations of settings: notices and the calendar.
import { answer, authorized } from "./client";
import * as map from "./map";
import type { Calendar, Channel, QuietTimes } from "./types";

export async function listChannels(): Promise<Channel[]> { return (await answer(authorized.GET("/v1/channels"))).items.map(map.channel); }
export async function setKinds(id: string, kinds: string[]): Promise<Channel> {
  return map.channel(await answer(authorized.PATCH("/v1/channels/{channel_id}", {
    params: { path: { channel_id: id } }, body: { kinds: kinds as ("your_turn")[] },
  })));
}
export async function testChannel(id: string): Promise<void> { await answer(authorized.POST("/v1/channels/{channel_id}/test", { params: { path: { channel_id: id } } })); }

export async function getNoticeTimes(): Promise<QuietTimes | null> {
  const w = await answer(authorized.GET("/v1/notification-settings"));
  return w.quiet_from && w.quiet_to ? { from: w.quiet_from, to: w.quiet_to, zone: w.time_zone ?? "UTC" } : null;
}
export async function setNoticeTimes(times: QuietTimes | null): Promise<void> {
  await answer(authorized.PUT("/v1/notification-settings", { body: times ? { quiet_from: times.from, quiet_to: times.to, time_zone: times.zone } : {} }));
}

export async function getCalendar(): Promise<Calendar> { return calendar(await answer(authorized.GET("/v1/account/calendar"))); }
export async function setQuietHours(times: QuietTimes): Promise<Calendar> {
  return calendar(await answer(authorized.PUT("/v1/account/quiet-hours", { body: { from_time: times.from, to_time: times.to, time_zone: times.zone } })));
}
export async function removeQuietHours(): Promise<void> { await answer(authorized.DELETE("/v1/account/quiet-hours")); }
export async function announceVacation(key: string, first: string, last: string, zone: string): Promise<void> {
  await answer(authorized.POST("/v1/account/vacations", {
    params: { header: { "Idempotency-Key": key } }, body: { first_day: first, last_day: last, time_zone: zone },
  }));
}
export async function cancelVacation(id: string): Promise<void> {
  await answer(authorized.POST("/v1/account/vacations/{vacation_id}/cancel", { params: { path: { vacation_id: id } } }));
}

function calendar(w: map.Wire["AccountCalendar"]): Calendar {
  return {
    quiet: w.quiet_hours ? { from: w.quiet_hours.from_time, to: w.quiet_hours.to_time, zone: w.quiet_hours.time_zone } : null,
    vacations: w.vacations.map((v) => ({
      id: v.vacation_id, first: v.first_day, last: v.last_day, begins: map.time(v.begins_at), ends: map.time(v.ends_at), cancelled: v.cancelled_at !== undefined,
    })),
    allowances: w.allowances.map((a) => ({ year: a.year, days: a.days, left: a.days_left })),
  };
}
