import { type FieldError, notSupported, required } from '../errors/field-error.ts';
import type { ResourceRule } from './match.ts';

const operations = ['*', 'CONNECT', 'CREATE', 'DELETE', 'UPDATE'];

/** Returns the validation errors of a rule of a webhook or policy. */
export function ruleErrors(rule: ResourceRule, path: string): FieldError[] {
  const { operations: of = [], apiGroups = [], apiVersions = [], resources = [] } = rule;
  const errors: FieldError[] = [];
  if (of.length === 0) errors.push(required(`${path}.operations`));
  for (const [index, each] of of.entries())
    if (!operations.includes(each))
      errors.push(notSupported(`${path}.operations[${index}]`, each, operations));
  if (apiGroups.length === 0) errors.push(required(`${path}.apiGroups`));
  if (apiVersions.length === 0) errors.push(required(`${path}.apiVersions`));
  if (resources.length === 0) errors.push(required(`${path}.resources`));
  return errors;
}
