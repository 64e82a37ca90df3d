import { Environment } from '@marcbachmann/cel-js';
import { registerAuthorizer } from './authorizer.ts';
import { registerLists } from './lists.ts';

/** An expression that can be asked many times. Throws what CEL says when it can't be evaluated. */
export type Program = (variables: Readonly<Record<string, unknown>>) => unknown;

const environment = new Environment({
  unlistedVariablesAreDyn: true,
  enableOptionalTypes: true,
  homogeneousAggregateLiterals: false,
});
registerAuthorizer(environment);
registerLists(environment);

/** Expressions come from few objects that are evaluated for every request. */
const compiled = new Map<string, Program>();
const mostCompiled = 1_000;

/** Throws for what is no CEL, with the place. */
export function compile(expression: string): Program {
  const known = compiled.get(expression);
  if (known !== undefined) return known;
  const program = environment.parse(expression) as Program;
  if (compiled.size >= mostCompiled) compiled.delete(compiled.keys().next().value ?? '');
  compiled.set(expression, program);
  return program;
}
