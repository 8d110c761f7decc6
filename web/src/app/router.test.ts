import { describe, expect, it, vi } from "vitest";

vi.stubGlobal("location", { pathname: "/", search: "" });
const { matchPath } = await import("./router.svelte");

describe("the router", () => {
  it("matches paths with places", () => {
    expect(matchPath("/match/:id/replay/:round", "/match/a-b/replay/3")).toEqual({ id: "a-b", round: "3" });
    expect(matchPath("/match/:id", "/match/a/replay")).toBeNull();
    expect(matchPath("/", "/")).toEqual({});
    expect(matchPath("/people/:name", "/people/%D7%A0/")).toEqual({ name: "נ" });
  });
  it("takes a part that is not well encoded as it is", () => {
    expect(matchPath("/join/:code", "/join/%E0%A4")).toEqual({ code: "%E0%A4" });
  });
});
