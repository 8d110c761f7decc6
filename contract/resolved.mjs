// Prints a document with its shared responses in the places that refer to them: `redocly score` does not follow these
// references, and would miss examples and count dependencies that are none.
import { readFileSync } from "node:fs";

const document = JSON.parse(readFileSync(process.argv[2], "utf8"));
const { responses } = document.components;
for (const operation of Object.values(document.paths).flatMap(Object.values)) {
  for (const [status, { $ref }] of Object.entries(operation.responses)) {
    if ($ref) operation.responses[status] = responses[$ref.split("/").at(-1)];
  }
}
delete document.components.responses;
console.log(JSON.stringify(document));
