import type { StructuralSchema } from '../crd/structural-schema.ts';
import { compileProblem } from './compile-problem.ts';
import { kubernetesEnvironment } from './environment.ts';

export interface Checked {
  /** Compile error; undefined when the expression compiles. */
  problem: string | undefined;
  isBool: boolean;
}

/** Compiles a rule against the schema where it is declared, which gives the type of `self`. */
export function checkRule(expression: string, schema: StructuralSchema): Checked {
  const environment = kubernetesEnvironment({ unlistedVariablesAreDyn: true });
  const self = typeOf(schema);
  if (typeof self === 'string') environment.registerVariable('self', self);
  else environment.registerVariable({ name: 'self', schema: self } as never);
  const { valid, type, error } = environment.check(expression);
  // The CEL library rejects `==` on objects with fields at compile time; in Kubernetes, two of one type compare.
  if (/no such overload: (\$[\w.]+) [=!]= \1(?!\S)/.test(error?.message ?? ''))
    return { problem: undefined, isBool: true };
  if (!valid) return { problem: compileProblem(error, expression), isBool: false };
  return { problem: undefined, isBool: ['bool', 'dyn'].includes(String(type)) };
}

type CelType = string | { [field: string]: CelType };

function typeOf(schema: StructuralSchema): CelType {
  if (schema['x-kubernetes-int-or-string'] === true || schema.nullable === true) return 'dyn';
  switch (schema.type) {
    case 'integer':
      return 'int';
    case 'number':
      return 'double';
    case 'boolean':
      return 'bool';
    case 'string':
      // Strings with a format, such as dates and durations, have separate types in CEL.
      return schema.format === undefined ? 'string' : 'dyn';
    case 'array':
      return listOf(schema.items ?? {});
    case 'object':
      return objectType(schema);
    default:
      return 'dyn';
  }
}

/** Elements of lists and maps are checked only when their type is a plain one; CEL has no names for object types. */
function listOf(items: StructuralSchema): string {
  const of = typeOf(items);
  return typeof of === 'string' ? `list<${of}>` : 'list<dyn>';
}

function objectType(schema: StructuralSchema): CelType {
  if (schema['x-kubernetes-preserve-unknown-fields'] === true) return 'dyn';
  if (typeof schema.additionalProperties === 'object') {
    const of = typeOf(schema.additionalProperties);
    return `map<string, ${typeof of === 'string' ? of : 'dyn'}>`;
  }
  const fields = Object.entries(schema.properties ?? {}).filter(([key]) => /^[A-Za-z_]\w*$/.test(key));
  if (fields.length === 0) return 'dyn';
  return Object.fromEntries(fields.map(([key, each]) => [key, key === 'metadata' ? 'dyn' : typeOf(each)]));
}
