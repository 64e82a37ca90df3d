import { registerAuthorizer } from './authorizer.ts';
import { kubernetesEnvironment } from './environment.ts';
import { rewriteMessages } from './message-literals.ts';
import { registerMessages } from './messages.ts';

/** A compiled expression. Throws CEL's error when it cannot be evaluated. */
export type Program = (variables: Readonly<Record<string, unknown>>) => unknown;

const environment = kubernetesEnvironment({ unlistedVariablesAreDyn: true });
registerAuthorizer(environment);
registerMessages(environment);

/** Cache of compiled expressions: few objects have expressions, and they are evaluated for every request. */
const compiled = new Map<string, Program>();
const mostCompiled = 1_000;

/** Compiles an expression. Throws an error with the position when the syntax is invalid. */
export function compile(expression: string): Program {
  const known = compiled.get(expression);
  if (known !== undefined) return known;
  const program = environment.parse(rewriteMessages(expression).text) as Program;
  if (compiled.size >= mostCompiled) compiled.delete(compiled.keys().next().value ?? '');
  compiled.set(expression, program);
  return program;
}
