import type { Environment } from '@marcbachmann/cel-js';
import type { CelType, Checker, Context, Macro, MacroCall, Node } from './checker.ts';

/** Evaluates an expression for each entry of a list or map. */
interface Loop {
  entries: [key: unknown, value: unknown][];
  /** Evaluates one of the macro's expressions with the two variables set. */
  at(entry: readonly [unknown, unknown], expression: Node): unknown;
}

interface Comprehension {
  name: string;
  hasFilter: boolean;
  typeOf(checker: Checker, result: CelType, key: CelType): CelType;
  run(loop: Loop, expression: Node, filter: Node | undefined, fail: (why: string) => Error): unknown;
}

const bool = (checker: Checker) => checker.getType('bool');

const quantifiers: Comprehension[] = [
  { name: 'all', hasFilter: false, typeOf: bool, run: (loop, each) => !finds(loop, each, false) },
  { name: 'exists', hasFilter: false, typeOf: bool, run: (loop, each) => finds(loop, each, true) },
  ...['existsOne', 'exists_one'].map((name) => ({
    name,
    hasFilter: false,
    typeOf: bool,
    run: (loop: Loop, each: Node) =>
      loop.entries.filter((entry) => loop.at(entry, each) === true).length === 1,
  })),
];

/** Each has a form with a filter before the expression as well. */
const transformations: Omit<Comprehension, 'hasFilter'>[] = [
  {
    name: 'transformList',
    typeOf: (checker, result) => checker.getType(`list<${result.name}>`),
    run: (loop, each, filter) => kept(loop, filter).map((entry) => loop.at(entry, each)),
  },
  {
    name: 'transformMap',
    typeOf: (checker, result, key) => checker.getType(`map<${key.name}, ${result.name}>`),
    run: (loop, each, filter, fail) =>
      mapOf(
        kept(loop, filter).map((entry) => [entry[0], loop.at(entry, each)]),
        fail,
      ),
  },
  {
    name: 'transformMapEntry',
    typeOf: (checker, result) => (result.kind === 'map' ? result : checker.getType('map<dyn, dyn>')),
    run: (loop, each, filter, fail) =>
      mapOf(
        kept(loop, filter).flatMap((entry) => entriesOf(loop.at(entry, each))),
        fail,
      ),
  },
];

/** Registers CEL's comprehensions with two variables, such as `list.transformList(index, value, expression)`. */
export function registerComprehensions(environment: Environment): void {
  const both = transformations.flatMap((each): Comprehension[] =>
    [false, true].map((hasFilter) => ({ ...each, hasFilter })),
  );
  for (const comprehension of [...quantifiers, ...both]) {
    const parameters = ['ast', 'ast', ...(comprehension.hasFilter ? ['ast'] : []), 'ast'].join(', ');
    environment.registerFunction(`list.${comprehension.name}(${parameters}): dyn`, (call: MacroCall) =>
      macroOf(comprehension, call),
    );
  }
}

function macroOf({ hasFilter, typeOf, run }: Comprehension, { ast, args, receiver }: MacroCall): Macro {
  const [key, value, ...rest] = args;
  const filter = hasFilter ? rest[0] : undefined;
  const expression = rest.at(-1) as Node;
  const range = receiver as Node;
  let scopes: { outer: Context; inner: Context } | undefined;
  return {
    async: false,
    typeCheck(checker, _, context) {
      const types = typesOf(checker, range, context);
      const outer = context.forkWithVariable(variableName(checker, key), types.key);
      const inner = outer.forkWithVariable(variableName(checker, value), types.value);
      scopes = { outer, inner };
      if (filter !== undefined) {
        const type = checker.check(filter, inner);
        if (!['bool', 'dyn'].includes(type.name))
          throw checker.createError(
            'no_matching_overload',
            `filter must be bool, got '${type.name}'`,
            filter,
          );
      }
      return typeOf(checker, checker.check(expression, inner), types.key);
    },
    evaluate(evaluator, _, context) {
      const entries = entriesOf(evaluator.run(range, context));
      const at = ([before, after]: readonly [unknown, unknown], node: Node) => {
        if (scopes === undefined) throw evaluator.createError('unchecked', 'expression was not checked', ast);
        const outer = scopes.outer.reuse(context).setIterValue(before, evaluator);
        return evaluator.run(node, scopes.inner.reuse(outer).setIterValue(after, evaluator));
      };
      return run({ entries, at }, expression, filter, (why) =>
        evaluator.createError('invalid_comprehension', why, ast),
      );
    },
  };
}

function variableName(checker: Checker, node: Node | undefined): string {
  if (node?.op === 'id') return String(node.args);
  throw checker.createError('invalid_macro_argument', 'argument must be a simple name', node);
}

function typesOf(checker: Checker, range: Node, context: Context): { key: CelType; value: CelType } {
  const type = checker.check(range, context);
  const any = checker.getType('dyn');
  if (type.kind === 'list') return { key: checker.getType('int'), value: type.valueType ?? any };
  if (type.kind === 'map') return { key: type.keyType ?? any, value: type.valueType ?? any };
  if (type.kind === 'dyn') return { key: any, value: any };
  throw checker.createError(
    'invalid_comprehension_range',
    `expression of type '${type.name}' cannot be range of a comprehension (must be list, map, or dynamic)`,
    range,
  );
}

function entriesOf(range: unknown): Loop['entries'] {
  if (Array.isArray(range)) return range.map((each, index) => [BigInt(index), each]);
  if (range instanceof Map) return [...range];
  if (typeof range === 'object' && range !== null) return Object.entries(range);
  throw new Error('no such overload');
}

function kept({ entries, at }: Loop, filter: Node | undefined): Loop['entries'] {
  return filter === undefined ? entries : entries.filter((entry) => at(entry, filter) === true);
}

/** Whether the expression has the result for an entry. Errors of other entries count only if it does not. */
function finds({ entries, at }: Loop, expression: Node, result: boolean): boolean {
  let problem: unknown;
  for (const entry of entries) {
    try {
      if (at(entry, expression) === result) return true;
    } catch (error) {
      problem ??= error;
    }
  }
  if (problem !== undefined) throw problem;
  return false;
}

/** Maps are plain objects, as everywhere in the CEL library; keys are never looked up in a prototype. */
function mapOf(entries: Loop['entries'], fail: (why: string) => Error): Record<string, unknown> {
  const map: Record<string, unknown> = Object.create(null);
  for (const [key, value] of entries) {
    const name = String(key);
    if (Object.hasOwn(map, name)) throw fail(`insert failed: key ${name} already exists`);
    map[name] = value;
  }
  return map;
}
