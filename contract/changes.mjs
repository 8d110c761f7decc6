// Compares the document with the last release: breaking changes are refused, and additions must be named in the
// changelog, under "Unreleased": the operation or the schema, in backticks.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

/** What must be changed before this may be released; empty if nothing. */
export function complaints(released, current, changelog) {
  const options = ["diff", released, current, "--format", "json", "--fail-on", "none"];
  const report = execFileSync("redocly", options, { encoding: "utf8", maxBuffer: 1 << 28, stdio: ["ignore", "pipe", "ignore"] });
  const unreleased = changelog.split(/^## /m).find((part) => part.startsWith("Unreleased")) ?? "";
  const [before, document] = [released, current].map((file) => JSON.parse(readFileSync(file, "utf8")));
  const found = new Set();
  for (const change of JSON.parse(report).changes) {
    if (change.impact === "major" ? saysTheSame(change, before) : isBeside(change)) continue;
    if (change.impact === "major") {
      found.add(`breaks clients: ${change.kind} ${change.path} ${change.property ?? ""}`);
    } else if (change.impact === "minor") {
      // The position in the document, which for a schema differs from the place of the comparison.
      const name = owner((change.revision ?? change.base)?.pointer ?? change.path, document);
      if (name && !unreleased.includes(`\`${name}\``)) found.add(`CHANGELOG.md, "Unreleased", does not name \`${name}\``);
    }
  }
  return [...found];
}

/**
 * Whether a change only says more exactly what was so before: the words of a pattern as an enum, the presets that were always
 * the only names accepted, an answer's count as int32 (its digits are the same).
 */
function saysTheSame({ property, path, base, revision }, before) {
  if (property === "format") return base?.value === "int64" && path.includes("/responses/");
  if (property !== "enum" || !revision?.value) return false;
  const { pattern, ...schema } = parts(base.pointer).reduce((value, part) => value?.[part], before) ?? {};
  const presets = before.components.schemas.RuleSetRequest.properties.preset.pattern;
  const words = /^\^\(([a-z_|]+)\)\$$/.exec(pattern === "^[a-z_]+$" ? presets : pattern)?.[1].split("|");
  return !schema.enum && (words?.every((word) => revision.value.includes(word)) ?? false);
}

/** Whether an addition is none to the API: an example, a list of known values, a header that answers always had. */
function isBeside({ kind, typeName, path, revision }) {
  const always = ["X-Request-Id", "Content-Disposition"];
  const headers = typeName === "HeadersMap" ? Object.keys(revision?.value ?? {}) : [path.split("/").at(-1)];
  const isHeader = ["HeadersMap", "Header"].includes(typeName) && headers.every((name) => always.includes(name));
  return kind === "added" && (isHeader || ["SpecExtension", "ExamplesMap", "Example"].includes(typeName));
}

/** The parts of a JSON pointer. */
function parts(pointer) {
  return pointer.split("/").slice(1).map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"));
}

/** The operation or the schema that a place of the document belongs to. */
function owner(place, document) {
  const [section, ...rest] = parts(place);
  if (section === "paths") {
    const item = document.paths[rest[0]] ?? {};
    return item[rest[1]]?.operationId ?? Object.values(item)[0]?.operationId ?? rest[0];
  }
  // What operations share besides schemas has names that may change.
  return section === "components" && rest[0] === "schemas" ? rest[1] : undefined;
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const [released, current, changelog] = process.argv.slice(2);
  const found = complaints(released, current, readFileSync(changelog, "utf8"));
  for (const complaint of found) console.error(complaint);
  if (found.length === 0) console.log("nothing breaks clients, and what is new is in the changelog");
  process.exitCode = found.length === 0 ? 0 : 1;
}
