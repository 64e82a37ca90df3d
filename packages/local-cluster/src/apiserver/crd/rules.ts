import { Optional } from '@marcbachmann/cel-js';
import { celProblem } from '../cel/problem.ts';
import { compile } from '../cel/program.ts';
import { celValue } from '../cel/values.ts';
import { invalid, type Problem, typeName } from './problem.ts';
import { formerEntry, formerItem, isUnchanged } from './ratchet.ts';
import {
  childPath,
  isRecord,
  type StructuralSchema,
  schemaOfEntry,
  type ValidationRule,
} from './structural-schema.ts';

/** Reported when the object violates its schema: CEL rules are not evaluated, as their errors would be confusing. */
export const notChecked: Problem = {
  ...invalid(
    '',
    null,
    'some validation rules were not checked because the object was invalid; correct the existing errors to complete validation',
  ),
};

/**
 * Returns the violations of a schema's CEL rules by an object; `before` is the old object. Violations of a value that
 * an update does not change are marked as old.
 */
export function ruleProblems(
  schema: StructuralSchema,
  value: unknown,
  before?: unknown,
  path = '',
): Problem[] {
  if (value === undefined || (value === null && schema.nullable !== true)) return [];
  const rules = schema['x-kubernetes-validations'] ?? [];
  const problems = [
    ...rules.flatMap((rule) => ask(rule, value, before, path)),
    ...childProblems(schema, value, before, path),
  ];
  if (problems.length === 0 || !isUnchanged(schema, value, before)) return problems;
  return problems.map((each) => (each.holdsAlways === true ? each : { ...each, isOld: true }));
}

/** Whether a schema has a rule at any depth. Most schemas have none, so their objects need no traversal. */
export function hasRules(schema: StructuralSchema): boolean {
  const children = [
    ...Object.values(schema.properties ?? {}),
    ...(schema.items === undefined ? [] : [schema.items]),
    ...(typeof schema.additionalProperties === 'object' ? [schema.additionalProperties] : []),
  ];
  return (schema['x-kubernetes-validations'] ?? []).length > 0 || children.some(hasRules);
}

function childProblems(schema: StructuralSchema, value: unknown, before: unknown, path: string): Problem[] {
  if (Array.isArray(value)) {
    const { items } = schema;
    if (items === undefined) return [];
    return value.flatMap((item, index) =>
      ruleProblems(items, item, formerItem(schema, item, before), childPath(path, index)),
    );
  }
  if (!isRecord(value)) return [];
  return Object.entries(value).flatMap(([key, each]) => {
    const entry = schemaOfEntry(schema, key);
    if (entry === undefined) return [];
    return ruleProblems(entry, each, formerEntry(key, before), entryPath(schema, path, key));
  });
}

/** `spec.name` for a field, `spec.labels[name]` for a key of a map. Schema validation does not distinguish these. */
function entryPath({ properties }: StructuralSchema, path: string, key: string): string {
  const isField = properties !== undefined && Object.hasOwn(properties, key);
  return isField ? childPath(path, key) : `${path}[${key}]`;
}

function ask(rule: ValidationRule, value: unknown, before: unknown, path: string): Problem[] {
  const isAboutChange = /\boldSelf\b/.test(rule.rule);
  if (isAboutChange && before === undefined && rule.optionalOldSelf !== true) return [];
  const old = rule.optionalOldSelf === true ? optional(before) : celValue(before);
  const variables = { self: celValue(value), oldSelf: old };
  try {
    if (compile(rule.rule)(variables) === true) return [];
  } catch (error) {
    const told = celProblem(error);
    const problem = invalid(path, typeName(value), `${told} evaluating rule: ${rule.message ?? rule.rule}`);
    return [{ ...problem, holdsAlways: true }];
  }
  return [{ ...broken(rule, value, path, messageOf(rule, variables)), holdsAlways: isAboutChange }];
}

function optional(before: unknown): unknown {
  return before === undefined ? Optional.none() : Optional.of(celValue(before));
}

function messageOf(rule: ValidationRule, variables: Record<string, unknown>): string {
  if (rule.messageExpression !== undefined) {
    try {
      const text = compile(rule.messageExpression)(variables);
      if (typeof text === 'string' && text.trim() !== '' && !text.includes('\n')) return text;
    } catch {
      // As in Kubernetes, a failing messageExpression is replaced by the message of the rule.
    }
  }
  return rule.message ?? `failed rule: ${rule.rule}`;
}

function broken(rule: ValidationRule, value: unknown, path: string, detail: string): Problem {
  const field = rule.fieldPath === undefined ? path : `${path}${rule.fieldPath}`;
  const reason = rule.reason ?? 'FieldValueInvalid';
  if (reason === 'FieldValueForbidden') return { type: 'Forbidden', field, detail, blocks: false };
  if (reason === 'FieldValueRequired') return { type: 'Required value', field, detail, blocks: false };
  if (reason === 'FieldValueDuplicate')
    return { type: 'Duplicate value', field, value: shown(value), detail, blocks: false };
  return invalid(field, shown(value), detail);
}

/** The message does not include objects and lists; undefined omits the value. */
function shown(value: unknown): unknown {
  return typeof value === 'object' ? undefined : value;
}
