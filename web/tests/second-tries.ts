// Reports what passed only at the second try, and what tests say they could not check: to the file NOT_CHECKED, which
// `.ci/run` prints at its end.
import { appendFileSync } from "node:fs";
import type { Reporter } from "vitest/node";

function report(line: string): void {
  const file = process.env["NOT_CHECKED"];
  console.log(line);
  if (file) appendFileSync(file, `${line}\n`);
}

export default class SecondTries implements Reporter {
  onTestCaseResult: Reporter["onTestCaseResult"] = (test) => {
    if (test.diagnostic()?.flaky) report(`NOT CHECKED: ${test.fullName}: passed only at the second try`);
  };
  onUserConsoleLog: Reporter["onUserConsoleLog"] = ({ content }) => {
    for (const line of content.split("\n")) if (line.startsWith("NOT CHECKED: ")) report(line);
  };
}
