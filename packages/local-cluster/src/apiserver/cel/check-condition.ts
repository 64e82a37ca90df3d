import { Environment } from '@marcbachmann/cel-js';
import { registerAuthorizer } from './authorizer.ts';
import { compileProblem } from './compile-problem.ts';
import { registerLists } from './lists.ts';

/** Compiles an expression of a policy. It can use the variables of admission and those that the policy defines. */
export function checkCondition(
  expression: string,
  known: { withParams: boolean; variables: readonly string[] },
): { problem: string | undefined; type: string } {
  const environment = new Environment({ enableOptionalTypes: true, homogeneousAggregateLiterals: false });
  registerAuthorizer(environment);
  registerLists(environment);
  const names = [
    'object',
    'oldObject',
    'request',
    'namespaceObject',
    ...(known.withParams ? ['params'] : []),
  ];
  for (const name of names) environment.registerVariable(name, 'dyn');
  environment.registerVariable('authorizer', 'Authorizer');
  const schema = Object.fromEntries(known.variables.map((name) => [name, 'dyn']));
  if (known.variables.length > 0) environment.registerVariable({ name: 'variables', schema } as never);
  const { valid, type, error } = environment.check(expression);
  return { problem: valid ? undefined : compileProblem(error, expression), type: String(type) };
}
