import { celProblem } from '../../cel/problem.ts';
import { compile } from '../../cel/program.ts';
import type { Scope } from './scope.ts';

/** Returns false when a condition is false (no match); otherwise the first error, or true when there is none. */
export function conditionsHold(
  conditions: readonly { name: string; expression: string }[],
  scope: Scope,
): boolean | string {
  let problem: string | undefined;
  for (const { expression } of conditions) {
    try {
      if (compile(expression)(scope) !== true) return false;
    } catch (error) {
      problem ??= `expression '${expression}' resulted in error: ${celProblem(error)}`;
    }
  }
  return problem ?? true;
}
