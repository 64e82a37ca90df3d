import { type Environment, Optional } from '@marcbachmann/cel-js';
import type { CelType, Context, Macro, MacroCall, Node } from './checker.ts';

/** Registers CEL's functions on optional values that the library lacks. */
export function registerOptionals(environment: Environment): void {
  environment.registerFunction(
    'OptionalNamespace.ofNonZeroValue(dyn): optional<dyn>',
    (_: unknown, value: unknown) => (isZero(value) ? Optional.none() : Optional.of(value)),
  );
  environment.registerFunction('optional.optMap(ast, ast): optional<dyn>', (call: MacroCall) =>
    mapMacro(call, (value) => Optional.of(value)),
  );
  environment.registerFunction('optional.optFlatMap(ast, ast): optional<dyn>', (call: MacroCall) =>
    mapMacro(call, (value) => value),
  );
}

function isZero(value: unknown): boolean {
  if (value === null || value === '' || value === false || value === 0 || value === 0n) return true;
  if (Array.isArray(value)) return value.length === 0;
  return typeof value === 'object' && Object.keys(value).length === 0;
}

/** `x.optMap(name, expression)`: evaluates the expression if there is a value. */
function mapMacro({ receiver, args }: MacroCall, wrap: (value: unknown) => unknown): Macro {
  const [name, expression] = args as [Node, Node];
  const range = receiver as Node;
  let scope: Context | undefined;
  return {
    async: false,
    typeCheck(checker, _, context) {
      if (name.op !== 'id')
        throw checker.createError('invalid_macro_argument', 'argument must be a simple name', name);
      const type = checker.check(range, context);
      const of: CelType = (type.kind === 'optional' ? type.valueType : undefined) ?? checker.getType('dyn');
      scope = context.forkWithVariable(String(name.args), of);
      checker.check(expression, scope);
      return checker.getType('optional<dyn>');
    },
    evaluate(evaluator, _, context) {
      const value = evaluator.run(range, context) as Optional;
      if (scope === undefined || !value.hasValue()) return Optional.none();
      return wrap(evaluator.run(expression, scope.reuse(context).setIterValue(value.value(), evaluator)));
    },
  };
}
