import { invalid, type Problem } from './problem.ts';
import { childPath, isRecord, type StructuralSchema } from './structural-schema.ts';

/** Checks length, pattern and format of a string. */
export function stringProblems(schema: StructuralSchema, value: string, path: string): Problem[] {
  const { minLength, maxLength, pattern, format } = schema;
  const problems: Problem[] = [];
  const length = [...value].length;
  // Kubernetes reports only the first violation among maximum length, minimum length and pattern.
  if (maxLength !== undefined && length > maxLength)
    problems.push({
      type: 'Too long',
      field: path,
      detail: `may not be more than ${maxLength} bytes`,
      blocks: true,
    });
  else if (minLength !== undefined && length < minLength)
    problems.push(invalid(path, value, `${path} in body should be at least ${minLength} chars long`));
  else if (pattern !== undefined && !new RegExp(pattern, 'u').test(value))
    problems.push(invalid(path, value, `${path} in body should match '${pattern}'`));
  if (format === 'date-time' && !isDateTime(value))
    problems.push({
      ...invalid(path, value, `${path} in body must be of type date-time: ${JSON.stringify(value)}`),
      blocks: true,
      isOfWrongType: true,
    });
  return problems;
}

/** RFC 3339, as Go parses it. */
function isDateTime(value: string): boolean {
  const match = /^\d{4}-(\d\d)-(\d\d)[Tt]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)$/.test(value);
  return match && !Number.isNaN(Date.parse(value));
}

const int32 = { least: -(2 ** 31), most: 2 ** 31 - 1 };

export function boundsProblems(schema: StructuralSchema, value: number, path: string): Problem[] {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf, format, type } = schema;
  const problems: Problem[] = [];
  const should = (what: string) => problems.push(invalid(path, value, `${path} in body should be ${what}`));
  if (maximum !== undefined) {
    if (exclusiveMaximum === true && value >= maximum) should(`less than ${maximum}`);
    else if (value > maximum) should(`less than or equal to ${maximum}`);
  }
  if (minimum !== undefined) {
    if (exclusiveMinimum === true && value <= minimum) should(`greater than ${minimum}`);
    else if (value < minimum) should(`greater than or equal to ${minimum}`);
  }
  if (multipleOf !== undefined && value % multipleOf !== 0) should(`a multiple of ${multipleOf}`);
  if (type === 'integer' && format === 'int32' && (value < int32.least || value > int32.most))
    problems.push(invalid('', '', `Checked value must be of type integer with format int32 in ${path}`));
  return problems;
}

/** A set must not have equal items; a map must not have items with equal keys. */
export function listTypeProblems(schema: StructuralSchema, value: unknown[], path: string): Problem[] {
  const type = schema['x-kubernetes-list-type'];
  if (type !== 'set' && type !== 'map') return [];
  const keys = schema['x-kubernetes-list-map-keys'] ?? [];
  const seen = new Set<string>();
  return value.flatMap((item, index): Problem[] => {
    const identity = type === 'set' ? item : keysOf(item, keys);
    const text = JSON.stringify(identity);
    if (!seen.has(text)) {
      seen.add(text);
      return [];
    }
    const field = childPath(path, index);
    return [{ type: 'Duplicate value', field, value: identity, detail: '', blocks: false }];
  });
}

function keysOf(item: unknown, keys: readonly string[]): Record<string, unknown> {
  if (!isRecord(item)) return {};
  return Object.fromEntries(keys.filter((key) => item[key] !== undefined).map((key) => [key, item[key]]));
}
