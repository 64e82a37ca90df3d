import { checkRule } from '../cel/check.ts';
import { type FieldError, invalid, notSupported, required } from '../errors/field-error.ts';
import { reasonOf } from './problem.ts';
import type { StructuralSchema, ValidationRule } from './structural-schema.ts';
import { validate } from './validate.ts';

const types = ['array', 'boolean', 'integer', 'number', 'object', 'string'];

/** Returns the validation errors of a definition's schema, which must be structural. */
export function validateSchema(schema: StructuralSchema, path: string): FieldError[] {
  const { properties = {} } = schema;
  const always: StructuralSchema = { 'x-kubernetes-preserve-unknown-fields': true };
  // Rules at the root can use the fields that every object has.
  const root = {
    ...schema,
    properties: { apiVersion: always, kind: always, ...properties, metadata: always },
  };
  return [...validateNode(schema, path), ...ruleErrors(root, path)];
}

function validateNode(schema: StructuralSchema, path: string): FieldError[] {
  const { type, items, properties = {}, additionalProperties } = schema;
  const errors: FieldError[] = [];
  const isFree =
    schema['x-kubernetes-int-or-string'] === true || schema['x-kubernetes-preserve-unknown-fields'] === true;
  if (!type) {
    if (!isFree) errors.push(required(`${path}.type`, 'must not be empty for specified object fields'));
  } else if (!types.includes(type)) errors.push(notSupported(`${path}.type`, type, types));
  if (type === 'array' && items === undefined) errors.push(required(`${path}.items`, 'must be specified'));
  errors.push(...patternErrors(schema, path), ...defaultErrors(schema, path));
  for (const [key, each] of Object.entries(properties))
    errors.push(
      ...validateNode(each, `${path}.properties[${key}]`),
      ...ruleErrors(each, `${path}.properties[${key}]`),
    );
  if (items !== undefined)
    errors.push(...validateNode(items, `${path}.items`), ...ruleErrors(items, `${path}.items`));
  if (typeof additionalProperties === 'object')
    errors.push(
      ...validateNode(additionalProperties, `${path}.additionalProperties`),
      ...ruleErrors(additionalProperties, `${path}.additionalProperties`),
    );
  return errors;
}

function patternErrors({ pattern }: StructuralSchema, path: string): FieldError[] {
  if (pattern === undefined) return [];
  try {
    new RegExp(pattern, 'u');
    return [];
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    const told = /[Uu]nterminated group|missing \)/.test(why)
      ? 'missing closing )'
      : why.replace(/^.*: /, '');
    return [
      invalid(
        `${path}.pattern`,
        pattern,
        `must be a valid regular expression, but isn't: error parsing regexp: ${told}: \`${pattern}\``,
      ),
    ];
  }
}

function defaultErrors(schema: StructuralSchema, path: string): FieldError[] {
  if (schema.default === undefined) return [];
  return validate(schema, schema.default).map((problem) => {
    const error = invalid(`${path}.default`, problem.value, problem.detail);
    return { ...error, reason: reasonOf(problem) };
  });
}

function ruleErrors(schema: StructuralSchema, path: string): FieldError[] {
  return (schema['x-kubernetes-validations'] ?? []).flatMap((rule, index) => {
    const at = `${path}.x-kubernetes-validations[${index}]`;
    if (rule.rule.trim() === '') return [required(`${at}.rule`, 'rule is not specified')];
    const errors: FieldError[] = [];
    if (rule.message !== undefined && rule.message !== '' && rule.message.trim() === '')
      errors.push(invalid(`${at}.message`, rule.message, 'must be non-empty if specified'));
    const checked = checkRule(comparable(rule), schema);
    if (checked.problem !== undefined)
      errors.push(invalidRule(`${at}.rule`, rule, `compilation failed: ${checked.problem}`));
    else if (!checked.isBool)
      errors.push(invalidRule(`${at}.rule`, rule, 'cel expression must evaluate to a bool'));
    return errors;
  });
}

/** `oldSelf` has the type of `self`, except with optionalOldSelf, where it is optional. */
function comparable({ rule, optionalOldSelf }: ValidationRule): string {
  return optionalOldSelf === true ? rule : rule.replaceAll(/\boldSelf\b/g, 'self');
}

/** The error shows the rule as Go prints its struct. */
function invalidRule(field: string, rule: ValidationRule, detail: string): FieldError {
  const shown = JSON.stringify({
    Rule: rule.rule,
    Message: rule.message ?? '',
    MessageExpression: rule.messageExpression ?? '',
    Reason: rule.reason ?? null,
    FieldPath: rule.fieldPath ?? '',
    OptionalOldSelf: rule.optionalOldSelf ?? null,
  }).replaceAll(/[<>&]/g, (each) => `\\u00${each.charCodeAt(0).toString(16)}`);
  return { reason: 'FieldValueInvalid', field, body: `Invalid value: ${shown}: ${detail}` };
}
