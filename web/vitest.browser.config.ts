// Browser tests: real Chromium, real service (tests/browser/README in ../README.md).
import { defineConfig } from "vitest/config";

/** Whole matches, which take minutes: only of all checks (`.ci/run all`), or by their names. */
const wholeMatches = ["killed", "network", "play", "presets"];
const all = process.env["YANIV_CHECKS"] === "all" || wholeMatches.some((name) => process.argv.some((argument) => argument.includes(`${name}.test.ts`)));

export default defineConfig({
  test: {
    include: ["tests/browser/**/*.test.ts"],
    exclude: all ? [] : wholeMatches.map((name) => `tests/browser/${name}.test.ts`),
    environment: "node",
    // For a busy machine: a condition is waited for, a pause is never the measure. A test that works ends long before.
    testTimeout: 600_000,
    hookTimeout: 240_000,
    expect: { poll: { timeout: 60_000 } },
    // A second try, which is reported: a browser has its own reasons to be late.
    retry: 1,
    reporters: ["default", "./tests/second-tries.ts"],
    // Figures are printed of a single file, or of what fails.
    silent: process.env["CI"] ? "passed-only" : false,
    // Each worker has a browser of several processes; more at once than processors are slower and less steady.
    maxWorkers: 2,
    maxConcurrency: 2,
  },
});
