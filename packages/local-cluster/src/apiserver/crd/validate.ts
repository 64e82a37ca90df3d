import { invalid, type Problem, required, wrongType } from './problem.ts';
import { formerEntry, formerItem, isUnchanged } from './ratchet.ts';
import { childPath, isRecord, type StructuralSchema, schemaOfEntry } from './structural-schema.ts';
import { boundsProblems, listTypeProblems, stringProblems } from './validate-value.ts';

/**
 * Validates an object by its schema, with the messages of a real API server; CEL rules are evaluated separately. A
 * value that was invalid `before` an update and has not changed is accepted.
 */
export function validate(schema: StructuralSchema, value: unknown, path = '', before?: unknown): Problem[] {
  const problems = problemsOf(schema, value, path, before);
  return problems.length > 0 && isUnchanged(schema, value, before) ? [] : problems;
}

function problemsOf(schema: StructuralSchema, value: unknown, path: string, before: unknown): Problem[] {
  if (value === null && schema.nullable === true) return [];
  if (schema['x-kubernetes-int-or-string'] === true) {
    const fits = typeof value === 'string' || (typeof value === 'number' && Number.isInteger(value));
    return fits ? [] : [wrongType(path, value, 'integer,string')];
  }
  if (!isOfType(schema, value)) return typeProblems(schema, value, path);
  return [
    ...enumProblems(schema, value, path),
    ...(typeof value === 'string' ? stringProblems(schema, value, path) : []),
    ...(typeof value === 'number' ? boundsProblems(schema, value, path) : []),
    ...(Array.isArray(value) ? arrayProblems(schema, value, path, before) : []),
    ...(isRecord(value) ? objectProblems(schema, value, path, before) : []),
  ];
}

function isOfType({ type }: StructuralSchema, value: unknown): boolean {
  switch (type) {
    case undefined:
      return true;
    case 'object':
      return isRecord(value);
    case 'array':
      return Array.isArray(value);
    case 'integer':
      return typeof value === 'number' && Number.isInteger(value);
    default:
      return typeof value === type;
  }
}

function typeProblems({ type }: StructuralSchema, value: unknown, path: string): Problem[] {
  const problems = [wrongType(path, value, type ?? '')];
  // Kubernetes reports a number with a fraction twice: its check of formats adds an error without a path.
  if (type === 'integer' && typeof value === 'number')
    problems.push(invalid('', '', `Checked value must be of type integer (default format) in ${path}`));
  return problems;
}

function enumProblems({ enum: allowed }: StructuralSchema, value: unknown, path: string): Problem[] {
  if (allowed === undefined || allowed.some((each) => JSON.stringify(each) === JSON.stringify(value)))
    return [];
  const supported = allowed.map((each) => JSON.stringify(each)).join(', ');
  return [
    {
      type: 'Unsupported value',
      field: path,
      value,
      detail: `supported values: ${supported}`,
      blocks: true,
    },
  ];
}

function arrayProblems(schema: StructuralSchema, value: unknown[], path: string, before: unknown): Problem[] {
  const { items, minItems, maxItems } = schema;
  const problems: Problem[] = [];
  if (minItems !== undefined && value.length < minItems)
    problems.push(invalid(path, value.length, `${path} in body should have at least ${minItems} items`));
  if (maxItems !== undefined && value.length > maxItems) problems.push(tooMany(path, value.length, maxItems));
  if (items !== undefined)
    problems.push(
      ...value.flatMap((item, index) =>
        validate(items, item, childPath(path, index), formerItem(schema, item, before)),
      ),
    );
  return [...problems, ...listTypeProblems(schema, value, path)];
}

function objectProblems(
  schema: StructuralSchema,
  value: Record<string, unknown>,
  path: string,
  before: unknown,
): Problem[] {
  const { minProperties, maxProperties } = schema;
  const count = Object.keys(value).length;
  const problems: Problem[] = [];
  if (minProperties !== undefined && count < minProperties)
    problems.push(invalid(path, count, `${path} in body should have at least ${minProperties} properties`));
  if (maxProperties !== undefined && count > maxProperties)
    problems.push(tooMany(path, count, maxProperties));
  for (const key of schema.required ?? [])
    if (value[key] === undefined) problems.push(required(childPath(path, key)));
  for (const [key, each] of Object.entries(value)) {
    const entry = schemaOfEntry(schema, key);
    if (entry !== undefined)
      problems.push(...validate(entry, each, childPath(path, key), formerEntry(key, before)));
  }
  return problems;
}

function tooMany(field: string, count: number, most: number): Problem {
  const detail = `must have at most ${most} ${most === 1 ? 'item' : 'items'}`;
  return { type: 'Too many', field, value: count, detail, blocks: true };
}
