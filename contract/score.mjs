// Prints the score of `redocly score --format json`; fails below what is wanted.
import { readFileSync } from "node:fs";

const [file, wanted] = process.argv.slice(2);
const score = JSON.parse(readFileSync(file, "utf8")).agentReadiness;
console.log(`score ${score}, wanted ${wanted}`);
process.exitCode = score >= Number(wanted) ? 0 : 1;
