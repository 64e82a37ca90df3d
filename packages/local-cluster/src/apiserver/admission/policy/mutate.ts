import { JsonPatchValue, nestingProblems } from '../../cel/messages.ts';
import { celProblem } from '../../cel/problem.ts';
import { compile } from '../../cel/program.ts';
import { jsonValue } from '../../cel/values.ts';
import { internalError } from '../../errors/status-error.ts';
import { apiVersionOf, type Kind } from '../../kinds/kind.ts';
import { atomicPaths } from '../../managed-fields/atomic-paths.ts';
import { configProblem } from '../../managed-fields/check-config.ts';
import { merge } from '../../managed-fields/merge.ts';
import { shapeOfKind } from '../../managed-fields/writer.ts';
import { type ApiObject, isObject } from '../../object.ts';
import type { Operation } from '../../patch/json-patch.ts';
import { PatchProblem } from '../../patch/patch-problem.ts';
import { strictProblems } from '../../request/decode-body.ts';
import { DecodeError } from '../../schema/scalars.ts';
import { patchedInAdmission } from '../patched-in-admission.ts';
import type { Mutation } from './policy-objects.ts';
import type { Scope } from './scope.ts';

/** A mutation that cannot be applied. The failurePolicy decides whether the request is denied. */
export class MutationProblem extends Error {
  override readonly name = 'MutationProblem';
}

/**
 * Returns the object after a mutation, with defaults. Throws a MutationProblem, or a StatusError when the result is no
 * object of the kind: it refuses the request whatever the failurePolicy is.
 */
export function mutated(mutation: Mutation, kind: Kind, object: ApiObject, scope: Scope): ApiObject {
  const { patchType, jsonPatch, applyConfiguration } = mutation;
  if (patchType === 'JSONPatch') return patched(jsonPatch?.expression ?? '', kind, object, scope);
  return merged(applyConfiguration?.expression ?? '', kind, object, scope);
}

function patched(expression: string, kind: Kind, object: ApiObject, scope: Scope): ApiObject {
  const value = evaluated(expression, scope);
  if (!Array.isArray(value))
    throw new MutationProblem('type mismatch: JSONPatchType.expression should evaluate to array');
  const operations = value.map(operationOf);
  try {
    return decodedStrictly(kind, patchedInAdmission(object, operations));
  } catch (error) {
    if (!(error instanceof PatchProblem)) throw error;
    // When a test fails, the patch is not applied; this is no error.
    if (error.message.startsWith('test operation does not apply: testing')) return object;
    throw new MutationProblem(`JSON Patch: ${error.message}`);
  }
}

function operationOf(value: unknown): Operation {
  if (!(value instanceof JsonPatchValue))
    throw new MutationProblem(
      'type mismatch: JSONPatchType.expression should evaluate to array of JSONPatch',
    );
  const { op, path, from } = value;
  checkNesting(value.value);
  return {
    op,
    path,
    ...(from !== '' && { from }),
    ...(value.value !== undefined && { value: json(value.value) }),
  };
}

function merged(expression: string, kind: Kind, object: ApiObject, scope: Scope): ApiObject {
  const value = evaluated(expression, scope);
  checkNesting(value);
  const fields = json(value);
  const config = { ...(isObject(fields) ? fields : {}), kind: kind.kind, apiVersion: apiVersionOf(kind) };
  const shape = shapeOfKind(kind);
  const refuse = (why: string) => new MutationProblem(`error applying patch: ${why}`);
  const problem = configProblem(config, shape);
  if (problem !== undefined) throw refuse(`failed to convert patch object to typed object: ${problem}`);
  const atomic = atomicPaths(config, shape);
  if (atomic.length > 0)
    throw refuse(
      `invalid ApplyConfiguration: may not mutate atomic arrays, maps or structs: ${atomic.join(', ')}`,
    );
  try {
    return kind.codec.decode(merge(object, config, shape), []);
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    throw refuse(`failed to convert typed object to object: ${error.message}`);
  }
}

function evaluated(expression: string, scope: Scope): unknown {
  try {
    return compile(expression)(scope);
  } catch (error) {
    throw new MutationProblem(`expression '${expression}' resulted in error: ${celProblem(error)}`);
  }
}

function checkNesting(value: unknown): void {
  const problems = nestingProblems(value);
  if (problems.length > 0) throw new MutationProblem(`type mismatch: ${problems.join('\n')}`);
}

function json(value: unknown): unknown {
  try {
    return jsonValue(value);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new MutationProblem(
      `JSONPath valueExpression evaluated to a type that could not marshal to JSON: ${why}`,
    );
  }
}

/** The result of a JSON patch must not have unknown fields, whatever the fieldValidation of the request is. */
function decodedStrictly({ codec }: Kind, value: unknown): ApiObject {
  const unknown: string[] = [];
  try {
    const object = codec.decode(value, unknown);
    const problems = strictProblems(JSON.stringify(value), unknown, { duplicates: [] }, codec.sortsUnknown);
    if (problems.length === 0 || codec.checkType !== undefined) return object;
    throw internalError(`strict decoding error: ${problems.join(', ')}`);
  } catch (error) {
    throw error instanceof DecodeError ? internalError(error.message) : error;
  }
}
