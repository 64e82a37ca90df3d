import type { Environment } from '@marcbachmann/cel-js';
import { registerAuthorizer } from './authorizer.ts';
import { compileProblem, problemAt } from './compile-problem.ts';
import { kubernetesEnvironment } from './environment.ts';
import { rewriteMessages } from './message-literals.ts';
import { isKnownMessage, ObjectValue, registerMessages } from './messages.ts';

export interface KnownNames {
  withParams: boolean;
  variables: readonly string[];
  /** Whether the expression can create the messages of mutating policies: JSONPatch and Object. */
  withPatches?: boolean;
}

/**
 * Compiles an expression of a policy. It can use the variables of admission and those that the policy defines. The type
 * is written as Kubernetes does: `list(string)`.
 */
export function checkCondition(
  expression: string,
  { withParams, variables, withPatches = false }: KnownNames,
): { problem: string | undefined; type: string } {
  const environment = kubernetesEnvironment();
  registerAuthorizer(environment);
  registerMessages(environment);
  const names = ['object', 'oldObject', 'request', 'namespaceObject', ...(withParams ? ['params'] : [])];
  for (const name of names) environment.registerVariable(name, 'dyn');
  environment.registerVariable('authorizer', 'Authorizer');
  const schema = Object.fromEntries(variables.map((name) => [name, 'dyn']));
  if (variables.length > 0) environment.registerVariable({ name: 'variables', schema } as never);
  const { text, messages, original } = rewriteMessages(expression);
  const unknown = messages.find(({ name }) => !(withPatches && isKnownMessage(name)));
  if (unknown !== undefined) {
    const why = `undeclared reference to '${unknown.name}' (in container '')`;
    return { problem: problemAt(unknown.at, why, expression), type: 'error' };
  }
  registerParts(
    environment,
    messages.map(({ name }) => name),
  );
  const { valid, type, error } = environment.check(text);
  return {
    problem: valid ? undefined : compileProblem(error, expression, original),
    type: typeText(String(type)),
  };
}

/** Each part of an object, such as `Object.spec`, has a type of its own. */
function registerParts(environment: Environment, names: readonly string[]): void {
  for (const name of new Set(names))
    if (name.startsWith('Object.')) environment.registerType(name, class extends ObjectValue {});
}

function typeText(type: string): string {
  if (type === 'null') return 'null_type';
  const whole = type === 'list' ? 'list(dyn)' : type === 'map' ? 'map(dyn, dyn)' : type;
  return whole.replaceAll('<', '(').replaceAll('>', ')').replaceAll(/\bT\b/g, 'dyn');
}
