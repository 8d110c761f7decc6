import svelte from "eslint-plugin-svelte";
import globals from "globals";
import ts from "typescript-eslint";
import svelteConfig from "./svelte.config.js";

export default ts.config(
  { ignores: ["dist/", "node_modules/", "src/api/schema.d.ts", "tests/browser/out/"] },
  ...ts.configs.strict,
  ...svelte.configs.recommended,
  {
    languageOptions: { globals: { ...globals.browser, ...globals.node } },
    rules: {
      "no-restricted-imports": ["error", { patterns: [{ group: ["*/schema", "openapi-fetch"], message: "Only src/api talks to the service." }] }],
      "no-restricted-properties": ["error",
        { property: "innerHTML", message: "User texts are never markup." },
        // README, "Browsers": what the oldest of them lack.
        ...[["AbortSignal", "any"], ["Response", "json"], ["Promise", "withResolvers"], ["Object", "groupBy"], ["Array", "fromAsync"], ["crypto", "randomUUID"], ["URL", "parse"]]
          .map(([object, property]) => ({ object, property, message: "Some browsers that are served have none." }))],
      "@typescript-eslint/no-unused-vars": ["error", { argsIgnorePattern: "^_" }],
      "svelte/no-at-html-tags": "error",
      "svelte/no-navigation-without-resolve": "off",
      "svelte/prefer-svelte-reactivity": "off",
    },
  },
  { files: ["tests/**", "**/*.test.ts"], rules: { "no-restricted-properties": "off" } },
  { files: ["src/api/**"], rules: { "no-restricted-imports": "off" } },
  {
    files: ["**/*.svelte", "**/*.svelte.ts"],
    languageOptions: { parserOptions: { parser: ts.parser, svelteConfig } },
  },
);
