// Tests that changes.mjs detects what it should.
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { complaints } from "./changes.mjs";

const released = "openapi/released.json";
const directory = mkdtempSync(join(tmpdir(), "yaniv-changes-"));

/** What is said about the released document with one thing changed. */
function said(change, changelog) {
  const document = JSON.parse(readFileSync(released, "utf8"));
  change(document);
  const file = join(directory, "changed.json");
  writeFileSync(file, JSON.stringify(document));
  return complaints(released, file, changelog);
}

const unreleased = (text) => `# Changelog\n\n## Unreleased\n\n${text}\n\n## 0.1.0\n\n- \`Match\`, \`getMatch\`\n`;
const breaking = {
  "a field that answers had": (document) => delete document.components.schemas.Match.properties.version,
  "a field that answers always had": ({ components }) => components.schemas.Match.required.splice(0, 1),
  "an operation": (document) => delete document.paths["/v1/account"],
  "a new field that requests need": ({ components }) => {
    const schema = components.schemas.PlayCardsRequest;
    schema.properties.haste = { type: "boolean", description: "x" };
    schema.required.push("haste");
  },
  "another type": ({ components }) => (components.schemas.Match.properties.version.type = "string"),
};
const parameter = ({ paths }) => paths["/v1/challenges"].get.parameters.find(({ name }) => name === "direction");
const clearer = {
  "the words of a pattern as an enum": (document) => {
    parameter(document).schema = { type: "string", enum: ["incoming", "outgoing"] };
  },
  "a count as int32": ({ components }) => (components.schemas.TurnList.properties.count.format = "int32"),
};
breaking["fewer words"] = (document) => (parameter(document).schema = { type: "string", enum: ["incoming"] });
const additions = {
  Match: ({ components }) => (components.schemas.Match.properties.mood = { type: "string", description: "x" }),
  getMatch: ({ paths }) => {
    const { parameters } = paths["/v1/matches/{match_id}"].get;
    parameters.push({ name: "mood", in: "query", description: "x", required: false, schema: { type: "string" } });
  },
};
try {
  assert.deepEqual(said(() => {}, unreleased("")), []);
  for (const [name, change] of Object.entries(breaking)) {
    assert.ok(said(change, unreleased("- `Match`, `PlayCardsRequest`")).some((line) => line.startsWith("breaks")), name);
  }
  for (const [name, change] of Object.entries(clearer)) {
    const found = said(change, unreleased("- `listChallenges`, `TurnList`"));
    assert.deepEqual(found, [], name);
  }
  for (const [name, change] of Object.entries(additions)) {
    assert.equal(said(change, unreleased("")).length, 1, name);
    assert.deepEqual(said(change, unreleased(`- \`${name}\` has a mood.`)), [], name);
  }
} finally {
  rmSync(directory, { recursive: true });
}
