import type { KubeObject } from '../../../../api/wire.ts';
import { type Authorise, Authorizer } from '../../cel/authorizer.ts';
import { compile } from '../../cel/program.ts';
import { celValue } from '../../cel/values.ts';
import type { AdmissionRequest } from '../admission-request.ts';
import type { ValidatingAdmissionPolicy, Validation } from './policy-objects.ts';

/** One validation that says no. */
export interface Failure {
  message: string;
  reason: string;
}

/**
 * What a policy says to a request with one object of its parameters. Expressions that can't be evaluated are a
 * failure or nothing, as its failurePolicy tells.
 */
export function evaluatePolicy(
  { spec }: ValidatingAdmissionPolicy,
  request: AdmissionRequest,
  params: KubeObject | undefined,
  authorise: Authorise,
): Failure[] {
  const scope = scopeOf(request, params, authorise);
  const conditions = conditionsHold(spec.matchConditions ?? [], scope);
  if (conditions !== true) return conditions === false ? [] : refusedBy(spec.failurePolicy, conditions);
  const variables = lazyVariables(spec.variables ?? [], scope);
  return (spec.validations ?? []).flatMap((validation) =>
    validate(validation, variables, spec.failurePolicy),
  );
}

type Scope = Record<string, unknown>;

function scopeOf(request: AdmissionRequest, params: KubeObject | undefined, authorise: Authorise): Scope {
  const { namespaceObject, object, oldObject, userInfo } = request;
  const { group, version, resource } = request.resource;
  return {
    object: object === undefined ? null : celValue(object),
    oldObject: oldObject === undefined ? null : celValue(oldObject),
    params: params === undefined ? null : celValue(params),
    namespaceObject: namespaceObject === undefined ? null : celValue(namespaceObject),
    request: celValue({
      kind: request.kind,
      resource: { group, version, resource },
      subResource: request.subresource,
      name: request.name,
      namespace: request.namespace,
      operation: request.operation,
      userInfo: { uid: '', extra: {}, ...userInfo },
      dryRun: request.dryRun,
      options: request.options ?? {},
    }),
    authorizer: new Authorizer(userInfo, authorise),
  };
}

/** All true: go on. One false: the policy is not about this request. An error: what it says. */
function conditionsHold(
  conditions: readonly { name: string; expression: string }[],
  scope: Scope,
): boolean | string {
  let problem: string | undefined;
  for (const { expression } of conditions) {
    try {
      if (compile(expression)(scope) !== true) return false;
    } catch (error) {
      problem ??= `expression '${expression}' resulted in error: ${firstLine(error)}`;
    }
  }
  return problem ?? true;
}

/** `variables.x` is computed when it is first used: one that nobody needs can't fail. */
function lazyVariables(definitions: readonly { name: string; expression: string }[], scope: Scope): Scope {
  const variables: Record<string, unknown> = Object.create(null);
  const whole = { ...scope, variables };
  for (const { name, expression } of definitions) {
    Object.defineProperty(variables, name, {
      enumerable: true,
      configurable: true,
      get() {
        const value = compile(expression)(whole);
        Object.defineProperty(variables, name, { enumerable: true, value });
        return value;
      },
    });
  }
  return whole;
}

function validate(validation: Validation, scope: Scope, policy: 'Fail' | 'Ignore' | undefined): Failure[] {
  const { expression, message, reason = 'Invalid' } = validation;
  try {
    if (compile(expression)(scope) === true) return [];
  } catch (error) {
    return refusedBy(policy, `expression '${expression}' resulted in error: ${firstLine(error)}`);
  }
  const text = spoken(validation, scope) ?? message?.trim() ?? `failed expression: ${expression}`;
  return [{ message: text, reason }];
}

function spoken({ messageExpression }: Validation, scope: Scope): string | undefined {
  if (messageExpression === undefined) return undefined;
  try {
    const text = compile(messageExpression)(scope);
    return typeof text === 'string' && text.trim() !== '' && !text.includes('\n') ? text.trim() : undefined;
  } catch {
    // A message that can't be made is replaced by the plain one.
    return undefined;
  }
}

function refusedBy(policy: 'Fail' | 'Ignore' | undefined, message: string): Failure[] {
  return policy === 'Ignore' ? [] : [{ message, reason: 'Invalid' }];
}

function firstLine(error: unknown): string {
  return error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error);
}
