// Whole matches of all presets: beside the browser tests, as they take long.
import { defineConfig } from "vitest/config";

export default defineConfig({ test: { include: ["tests/matches/**/*.test.ts"], environment: "node", testTimeout: 5_400_000, hookTimeout: 120_000, maxConcurrency: 4 } });
