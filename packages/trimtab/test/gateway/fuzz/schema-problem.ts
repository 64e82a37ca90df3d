import type { JsonSchema } from '../../../src/gateway/route/route.ts';

/** A resolver of `$ref` in a document. */
export function resolverOf(document: JsonSchema): (schema: JsonSchema) => JsonSchema {
  return (schema) => {
    if (typeof schema['$ref'] !== 'string') return schema;
    const keys = schema['$ref'].replace('#/', '').split('/');
    return keys.reduce((level, key) => level[key] as JsonSchema, document);
  };
}

/** The first violation of a schema, or undefined. Throws for a keyword that the OpenAPI document does not use yet. */
export function schemaProblem(
  resolve: (schema: JsonSchema) => JsonSchema,
  schema: JsonSchema,
  value: unknown,
  at = '$',
): string | undefined {
  const known = resolve(schema);
  const check = (each: unknown, of: unknown, where: string) =>
    schemaProblem(resolve, of as JsonSchema, each, where);
  for (const [keyword, is] of Object.entries(known)) {
    const problem = problemOf(keyword, is, value, at, known, check);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

type Check = (value: unknown, schema: unknown, at: string) => string | undefined;

function problemOf(
  keyword: string,
  is: unknown,
  value: unknown,
  at: string,
  schema: JsonSchema,
  check: Check,
): string | undefined {
  const isMap = typeof value === 'object' && value !== null && !Array.isArray(value);
  switch (keyword) {
    case 'description':
    case 'default':
    case 'format':
      return undefined;
    case 'type':
      return [is].flat().includes(typeOf(value)) ||
        ([is].flat().includes('number') && typeof value === 'number')
        ? undefined
        : `${at} is a ${typeOf(value)}, not ${JSON.stringify(is)}`;
    case 'const':
      return value === is ? undefined : `${at} is not ${JSON.stringify(is)}`;
    case 'enum':
      return (is as unknown[]).includes(value) ? undefined : `${at} is not one of ${JSON.stringify(is)}`;
    case 'minimum':
      return typeof value !== 'number' || value >= Number(is)
        ? undefined
        : `${at} is less than ${String(is)}`;
    case 'minLength':
    case 'maxLength': {
      const length = typeof value === 'string' ? [...value].length : undefined;
      const fits =
        length === undefined || (keyword === 'minLength' ? length >= Number(is) : length <= Number(is));
      return fits ? undefined : `${at} has the length ${length}`;
    }
    case 'required':
      return isMap
        ? (is as string[])
            .filter((key) => !Object.hasOwn(value, key))
            .map((key) => `${at}.${key} is missing`)[0]
        : undefined;
    case 'properties':
      return isMap
        ? first(Object.entries(is as object), ([key, each]) =>
            Object.hasOwn(value, key)
              ? check((value as Record<string, unknown>)[key], each, `${at}.${key}`)
              : undefined,
          )
        : undefined;
    case 'additionalProperties': {
      const named = Object.keys((schema['properties'] as object | undefined) ?? {});
      const others = isMap ? Object.entries(value).filter(([key]) => !named.includes(key)) : [];
      if (is === false) return others.map(([key]) => `${at}.${key} is unknown`)[0];
      return first(others, ([key, each]) => check(each, is, `${at}.${key}`));
    }
    case 'items':
      return Array.isArray(value)
        ? first([...value.entries()], ([index, each]) => check(each, is, `${at}[${index}]`))
        : undefined;
    case 'allOf':
      return first(is as unknown[], (each) => check(value, each, at));
    case 'anyOf': {
      const problems = (is as unknown[]).map((each) => check(value, each, at));
      return problems.includes(undefined) ? undefined : problems.join(' and ');
    }
    default:
      throw new Error(`the keyword ${keyword} of a schema is not supported`);
  }
}

function first<T>(list: readonly T[], problem: (each: T) => string | undefined): string | undefined {
  for (const each of list) {
    const found = problem(each);
    if (found !== undefined) return found;
  }
  return undefined;
}

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return Number.isInteger(value) ? 'integer' : typeof value;
}
