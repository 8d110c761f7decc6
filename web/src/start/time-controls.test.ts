import { expect, it } from "vitest";
import contract from "../../../openapi/yaniv.json?raw";
import { misses, customDefault, timeControls, thens, times } from "./time-controls";

const { components } = JSON.parse(contract) as
  { components: { schemas: Record<string, { properties?: Record<string, { minimum?: number; maximum?: number }>; enum?: string[] }> } };
const bounds = components.schemas["TimeControlRequest"]?.properties ?? {};
const fits = (field: string, values: number[]): void => {
  const { minimum = Infinity, maximum = -Infinity } = bounds[field] ?? {};
  expect(values.filter((value) => value < minimum || value > maximum), field).toEqual([]);
};

it("offers values that the service takes", () => {
  for (const field of ["turn", "bank", "gain", "cap"] as const) fits(`${field}_seconds`, times[field]);
  fits("misses", misses);
  expect([...thens].sort()).toEqual(components.schemas["AbsentRule"]?.enum?.toSorted());
});
it("offers what a custom one begins with", () => {
  for (const time of [...Object.values(timeControls), customDefault]) {
    if (time.clock === "turn") expect(times.turn).toContain(time.turn);
    if (time.clock === "bank") for (const field of ["bank", "gain", "cap"] as const) expect(times[field]).toContain(time[field]);
  }
  expect(times.turn).toContain(customDefault.turn);
});
