// The test in WebKit: beside the browser tests, as it needs another browser.
import { defineConfig } from "vitest/config";

export default defineConfig({ test: { include: ["tests/webkit/**/*.test.ts"], environment: "node", testTimeout: 240_000, hookTimeout: 120_000 } });
