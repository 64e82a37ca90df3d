import { expect, test } from 'vitest';
import { rewriteMessages } from './message-literals.ts';

test.each<[what: string, expression: string, text: string]>([
  ['a literal becomes a call', "JSONPatch{op: 'add'}", "cel__message(JSONPatch,{op: 'add'})"],
  [
    'literals can be nested',
    'Object{spec: Object.spec{a: [Object.spec.a{}]}}',
    'cel__message(Object,{spec: cel__message(Object.spec,{a: [cel__message(Object.spec.a,{})]})})',
  ],
  ['a name may have spaces', 'Object . spec {a: 1}', 'cel__message(Object . spec, {a: 1})'],
  ['optional fields are marked', 'Object{?a: x, b: y}', 'cel__message(Object,{cel__optional(a): x, b: y})'],
  [
    'a map with optional entries becomes a call',
    "f({?'a': x ? y : z})",
    "f(cel__map({cel__optional('a'): x ? y : z}))",
  ],
  ['another map stays as it is', "x in {'a': 1}", "x in {'a': 1}"],
  ['a ternary before a map stays as it is', "x ? {'a': y ? 1 : 2} : {}", "x ? {'a': y ? 1 : 2} : {}"],
  ['optional access stays as it is', "x.?a[?'b']", "x.?a[?'b']"],
  [
    'text stays as it is',
    `'A{' + "B{" + r"\\d{" + '''C{''' + 'it\\'s D{'`,
    `'A{' + "B{" + r"\\d{" + '''C{''' + 'it\\'s D{'`,
  ],
  ['a comment stays as it is', 'x // A{\n + y', 'x // A{\n + y'],
])('%s', (_, expression, text) => {
  expect(rewriteMessages(expression).text).toBe(text);
});

test('positions are those of the expression', () => {
  const expression = "[A{?b: c}, {?'d': e}]";
  const { text, messages, original } = rewriteMessages(expression);
  for (const name of ['b', 'c', 'e']) {
    const at = text.search(new RegExp(`(?<![a-z_])${name}(?![a-z_])`));
    expect(expression[original(at)]).toBe(name);
  }
  expect(messages).toEqual([{ name: 'A', at: 2 }]);
});
