// Browser tests: real Chromium, real service (tests/browser/README in ../README.md).
import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["tests/browser/**/*.test.ts"],
    environment: "node",
    testTimeout: 240_000,
    hookTimeout: 120_000,
    // Browsers wait most of the time.
    maxWorkers: 3,
    maxConcurrency: 4,
  },
});
