import type { Environment, Optional } from '@marcbachmann/cel-js';
import type { Checker, Context, Evaluator, Macro, MacroCall, Node } from './checker.ts';

/** One operation of a JSON patch, made by `JSONPatch{…}`. */
export class JsonPatchValue {
  op = '';
  path = '';
  from = '';
  /** Undefined when it is not set; a CEL value otherwise. */
  value: unknown;
}

const typeName = Symbol('type of the object');

/** An object of any kind, or a part of one, made by `Object{…}` or `Object.spec{…}`. Its fields are properties. */
export class ObjectValue {
  [typeName]: string;
  [field: string]: unknown;

  constructor(name: string, fields: Iterable<[string, unknown]>) {
    this[typeName] = name;
    for (const [key, value] of fields)
      Object.defineProperty(this, key, { value, enumerable: true, configurable: true });
  }
}

class JsonPatchFunctions {}

const patchFields: Readonly<Record<string, string>> = {
  op: 'string',
  path: 'string',
  from: 'string',
  value: 'dyn',
};

/** Whether a message can be created by expressions of mutating policies. */
export function isKnownMessage(name: string): boolean {
  return name === 'JSONPatch' || /^Object(\.|$)/.test(name);
}

/** Registers the messages of mutating policies, and what message literals are rewritten to. */
export function registerMessages(environment: Environment): void {
  environment.registerType('JSONPatch', JsonPatchValue);
  environment.registerType('Object', ObjectValue);
  environment.registerType('jsonpatchFunctions', JsonPatchFunctions);
  environment.registerConstant('jsonpatch', 'jsonpatchFunctions', new JsonPatchFunctions());
  environment.registerFunction('jsonpatchFunctions.escapeKey(string): string', (_: unknown, key: string) =>
    key.replaceAll(/[~/]/g, (each) => (each === '/' ? '~1' : '~0')),
  );
  environment.registerFunction('cel__message(ast, ast): dyn', messageMacro);
  environment.registerFunction('cel__map(ast): dyn', mapMacro);
}

interface Entry {
  key: Node;
  value: Node;
  isOptional: boolean;
}

function entriesOf(map: Node): Entry[] {
  return (map.args as [Node, Node][]).map(([key, value]) => {
    if (key.op !== 'call') return { key, value, isOptional: false };
    const [name, [inner]] = key.args as [string, Node[]];
    const isOptional = name === 'cel__optional' && inner !== undefined;
    return { key: isOptional ? inner : key, value, isOptional };
  });
}

function messageMacro({ args: [named, fields] }: MacroCall): Macro {
  const name = nameOf(named as Node);
  const entries = entriesOf(fields as Node);
  return {
    async: false,
    typeCheck(checker, _, context) {
      for (const entry of entries) checkField(checker, name, entry, context);
      return typeOf(checker, name);
    },
    evaluate(evaluator, _, context) {
      const values = setEntries(evaluator, entries, context, ({ args }) => String(args));
      return name === 'JSONPatch'
        ? Object.assign(new JsonPatchValue(), Object.fromEntries(values))
        : new ObjectValue(name, values);
    },
  };
}

/** `Object.spec` is read as the field `spec` of a variable `Object`. */
function nameOf({ op, args }: Node): string {
  if (op !== '.') return String(args);
  const [left, right] = args as [Node, string];
  return `${nameOf(left)}.${right}`;
}

/** Parts of objects have types of their own only where the environment knows them. */
function typeOf(checker: Checker, name: string) {
  try {
    return checker.getType(name);
  } catch {
    return checker.getType('dyn');
  }
}

function checkField(checker: Checker, message: string, { key, value, isOptional }: Entry, context: Context) {
  const field = String(key.args);
  const type = checker.check(value, context);
  if (message !== 'JSONPatch') return;
  const wanted = Object.hasOwn(patchFields, field) ? patchFields[field] : undefined;
  if (wanted === undefined) throw checker.createError('no_such_key', `undefined field '${field}'`, key);
  const given = isOptional ? (type.valueType?.name ?? 'dyn') : type.name;
  if (wanted === 'dyn' || given === 'dyn' || given === wanted) return;
  throw checker.createError(
    'field_type_mismatch',
    `expected type of field '${field}' is '${wanted}' but provided type is '${given}'`,
    { ...key, pos: key.end, start: key.end },
  );
}

function mapMacro({ args: [map] }: MacroCall): Macro {
  const entries = entriesOf(map as Node);
  return {
    async: false,
    typeCheck(checker, _, context) {
      for (const { key, value } of entries) {
        checker.check(key, context);
        checker.check(value, context);
      }
      return checker.getType('map<string, dyn>');
    },
    evaluate(evaluator, _, context) {
      const result: Record<string, unknown> = Object.create(null);
      const values = setEntries(evaluator, entries, context, (key) => String(evaluator.run(key, context)));
      for (const [key, value] of values) result[key] = value;
      return result;
    },
  };
}

/** Returns the entries, without optional ones that have no value. */
function setEntries(
  evaluator: Evaluator,
  entries: readonly Entry[],
  context: Context,
  keyOf: (key: Node) => string,
): [string, unknown][] {
  return entries.flatMap(({ key, value, isOptional }): [string, unknown][] => {
    const found = evaluator.run(value, context);
    if (!isOptional) return [[keyOf(key), found]];
    const optional = found as Optional;
    return optional.hasValue() ? [[keyOf(key), optional.value()]] : [];
  });
}

/**
 * Returns what is wrong with the types of nested objects: the object in the field `spec` of an `Object` must be an
 * `Object.spec`. CEL does not check this when it compiles the expression.
 */
export function nestingProblems(value: unknown, path?: string): string[] {
  if (Array.isArray(value)) return value.flatMap((each) => nestingProblems(each, path));
  if (value instanceof ObjectValue) {
    const name = value[typeName];
    const expected = path ?? name;
    const problems =
      name === expected
        ? []
        : [
            `unexpected type name ${JSON.stringify(name)}, expected ${JSON.stringify(expected)}, which matches field name path from root Object type`,
          ];
    const nested = Object.entries(value).flatMap(([key, each]) =>
      nestingProblems(each, `${expected}.${key}`),
    );
    return [...problems, ...nested];
  }
  const isMap = typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === null;
  return isMap ? Object.values(value).flatMap((each) => nestingProblems(each, path)) : [];
}
