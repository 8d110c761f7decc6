import { describe, expect, it } from "vitest";
import { format, places } from "./format";
import en from "./texts/en.json";
import de from "./texts/de.json";
import he from "./texts/he.json";
import ne from "./texts/ne.json";
import nl from "./texts/nl.json";

describe("messages", () => {
  it("fill in values and choose forms", () => {
    expect(format("{name} has {n, plural, one {# card} other {# cards}}", { name: "Ada", n: 1 }, "en")).toBe("Ada has 1 card");
    expect(format("{n, plural, one {קלף אחד} two {שני קלפים} other {# קלפים}}", { n: 2 }, "he")).toBe("שני קלפים");
    expect(format("{n, plural, =0 {none} other {#}}", { n: 0 }, "en")).toBe("none");
  });
  it("name their values", () => {
    expect(places("{n, plural, one {# of {name}} other {#}} {b}")).toEqual(["b", "n", "name"]);
  });
});

describe.each(Object.entries({ de, he, ne, nl } as Record<string, Record<string, string>>))("the catalogue %s", (locale, texts) => {
  it("has every message, and no others", () => {
    expect(Object.keys(texts).sort()).toEqual(Object.keys(en).sort());
  });
  it("has the same values in each message, and can be formatted", () => {
    for (const [key, message] of Object.entries(en)) {
      expect([key, places(texts[key] ?? "")]).toEqual([key, places(message)]);
      for (const n of [0, 1, 2, 5]) expect(() => format(texts[key] ?? "", { n }, locale)).not.toThrow();
    }
  });
});
