/**
 * A structural schema for a CustomResourceDefinition. The TypeScript type is inferred from the same declaration, so
 * the CRD and the code cannot disagree.
 */
export interface Schema<T> {
  /** OpenAPI v3, restricted to the subset of Kubernetes. */
  readonly openapi: Readonly<Record<string, unknown>>;
  /** Never set; exists only to carry the type. */
  readonly type?: T;
}

export type Infer<S> = S extends Schema<infer T> ? T : never;

interface Documented {
  description?: string;
  /** CEL validation rules, each with the message for users when it is violated. */
  rules?: readonly { rule: string; message: string }[];
}

interface Optional<T> {
  readonly optional: Schema<T>;
}

type Fields = Record<string, Schema<unknown> | Optional<unknown>>;

type Required<F extends Fields> = {
  [K in keyof F as F[K] extends Optional<unknown> ? never : K]: Infer<F[K]>;
};
type Possible<F extends Fields> = {
  [K in keyof F as F[K] extends Optional<unknown> ? K : never]?: F[K] extends Optional<infer T> ? T : never;
};
type Flatten<T> = { [K in keyof T]: T[K] };

export function optional<T>(schema: Schema<T>): Optional<T> {
  return { optional: schema };
}

export function object<F extends Fields>(
  fields: F,
  about: Documented & { default?: Readonly<Record<string, unknown>> } = {},
): Schema<Flatten<Required<F> & Possible<F>>> {
  const entries = Object.entries(fields);
  // A field with a default may be omitted when written and is always present when read.
  const isRequired = (field: Fields[string]) => !('optional' in field) && !('default' in field.openapi);
  const required = entries.filter(([, field]) => isRequired(field)).map(([name]) => name);
  const properties = Object.fromEntries(
    entries.map(([name, field]) => [name, 'optional' in field ? field.optional.openapi : field.openapi]),
  );
  return {
    openapi: {
      type: 'object',
      ...documented(about),
      ...(about.default && { default: about.default }),
      ...(required.length > 0 && { required }),
      properties,
    },
  };
}

export function array<T>(
  items: Schema<T>,
  about: Documented & { maxItems?: number; listMapKeys?: readonly string[] } = {},
): Schema<T[]> {
  const { listMapKeys, maxItems } = about;
  const list = listMapKeys && { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': listMapKeys };
  return {
    openapi: {
      type: 'array',
      ...documented(about),
      ...(maxItems && { maxItems }),
      ...list,
      items: items.openapi,
    },
  };
}

export function string(
  about: Documented & { minLength?: number; maxLength?: number; format?: 'date-time'; default?: string } = {},
): Schema<string> {
  const { description, rules, ...limits } = about;
  return {
    openapi: {
      type: 'string',
      ...documented({ ...(description && { description }), ...(rules && { rules }) }),
      ...limits,
    },
  };
}

export function choice<const T extends string>(
  values: readonly T[],
  about: Documented & { default?: T } = {},
): Schema<T> {
  return {
    openapi: {
      type: 'string',
      ...documented(about),
      ...(about.default && { default: about.default }),
      enum: values,
    },
  };
}

export function integer(
  about: Documented & { minimum?: number; maximum?: number; default?: number } = {},
): Schema<number> {
  const { minimum, maximum } = about;
  return {
    openapi: {
      type: 'integer',
      ...documented(about),
      ...(about.default !== undefined && { default: about.default }),
      ...(minimum !== undefined && { minimum }),
      ...(maximum !== undefined && { maximum }),
    },
  };
}

export function boolean(about: Documented & { default?: boolean } = {}): Schema<boolean> {
  return {
    openapi: {
      type: 'boolean',
      ...documented(about),
      ...(about.default !== undefined && { default: about.default }),
    },
  };
}

/** A number or a percentage, such as `1` or `"10%"`. */
export function intOrPercent(about: Documented = {}): Schema<number | string> {
  return {
    openapi: {
      ...documented(about),
      'x-kubernetes-int-or-string': true,
      anyOf: [{ type: 'integer' }, { type: 'string' }],
      pattern: '^(100|[1-9]?[0-9])%$',
    },
  };
}

function documented({ description, rules }: Documented): Record<string, unknown> {
  return {
    ...(description && { description }),
    ...(rules && { 'x-kubernetes-validations': rules.map(({ rule, message }) => ({ rule, message })) }),
  };
}
