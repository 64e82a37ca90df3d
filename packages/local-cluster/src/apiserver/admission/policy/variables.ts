import { celProblem } from '../../cel/problem.ts';
import { compile } from '../../cel/program.ts';
import type { Scope } from './scope.ts';

/** Adds the variables of a policy. `variables.x` is computed on first use, so an unused variable cannot fail. */
export function withVariables(
  definitions: readonly { name: string; expression: string }[],
  scope: Scope,
): Scope {
  const variables: Record<string, unknown> = Object.create(null);
  const whole = { ...scope, variables };
  for (const { name, expression } of definitions) {
    Object.defineProperty(variables, name, {
      enumerable: true,
      configurable: true,
      get() {
        const value = evaluated(name, expression, whole);
        Object.defineProperty(variables, name, { enumerable: true, value });
        return value;
      },
    });
  }
  return whole;
}

function evaluated(name: string, expression: string, scope: Scope): unknown {
  try {
    return compile(expression)(scope);
  } catch (error) {
    throw new Error(`composited variable ${JSON.stringify(name)} fails to evaluate: ${celProblem(error)}`);
  }
}
