// Prints how large the documents are, and how much they repeat. tests/api/documents.rs holds the bounds.
import { readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";

for (const file of process.argv.slice(2)) {
  const document = JSON.parse(readFileSync(file, "utf8"));
  const minified = JSON.stringify(document);
  const operations = Object.values(document.paths).flatMap(Object.values);
  const responses = operations.flatMap((operation) => Object.values(operation.responses));
  const distinct = (values) => new Set(values.map((value) => JSON.stringify(value))).size;
  const examples = [...minified.matchAll(/"examples?":/g)].length;
  const { components } = document;
  const shared = ["responses", "headers", "parameters", "examples"].map((kind) => `${Object.keys(components[kind]).length} ${kind}`);
  console.log(`${file}: ${Buffer.byteLength(minified)} bytes minified, ${gzipSync(minified, { level: 9 }).length} in gzip`);
  console.log(`  ${operations.length} operations; ${responses.length} responses, ${distinct(responses)} distinct; ${examples} examples`);
  console.log(`  shared: ${shared.join(", ")}`);
}
