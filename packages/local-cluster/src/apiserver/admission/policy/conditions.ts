import { celProblem } from '../../cel/problem.ts';
import { compile } from '../../cel/program.ts';
import type { Scope } from './scope.ts';

/** All true: go on. One false: this is not about the request. An error: what it says. */
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
