import { expect, test } from 'vitest';
import { celProblem } from './problem.ts';
import { compile } from './program.ts';
import { celValue, jsonValue } from './values.ts';

const self = () =>
  celValue({ map: { a: 'x', b: 'y' }, list: ['p', 'q'], nested: [[1], [2, 3]], missing: [{}] });

test.each<[expression: string, result: unknown]>([
  ['self.list.transformList(i, v, string(i) + v)', ['0p', '1q']],
  ['self.list.transformList(i, v, i > 0, v)', ['q']],
  ['self.map.transformList(k, v, k + v)', ['ax', 'by']],
  ["self.map.transformMap(k, v, v + '!')", { a: 'x!', b: 'y!' }],
  ["self.map.transformMap(k, v, k == 'b', v)", { b: 'y' }],
  ['self.list.transformMapEntry(i, v, {v: i})', { p: 0, q: 1 }],
  ["self.list.transformMapEntry(i, v, v == 'q', {v: i})", { q: 1 }],
  ["self.list.all(i, v, v == 'p' || i == 1)", true],
  ["self.map.exists(k, v, v == 'y')", true],
  ["self.list.existsOne(i, v, v == 'p')", true],
  ['self.nested.transformList(i, row, row.transformList(j, v, i * 10 + j + v)).flatten()', [1, 12, 14]],
  [
    'self.list.transformList(i, v, self.map.transformList(k, w, v + w))',
    [
      ['px', 'py'],
      ['qx', 'qy'],
    ],
  ],
  ['self.missing.exists(i, v, v.gone == 1 || i == 0)', true],
  ['self.nested.flatten().transformList(i, v, v).slice(1, 3).reverse()', [3, 2]],
  ['lists.range(3).distinct().sort()', [0, 1, 2]],
  ['sets.contains([1, 2], [1]) && sets.equivalent([1], [1, 1]) && !sets.intersects([1], [2])', true],
  ['[1, 2].first().orValue(0) + [].last().orValue(5)', 6],
  ["optional.of('a').optMap(x, x + 'b').value()", 'ab'],
  ["optional.ofNonZeroValue('').hasValue() || optional.none().optMap(x, x).hasValue()", false],
  ['self.?list.optFlatMap(x, x[?1]).orValue("none")', 'q'],
  ["{?'a': self.?nothing, 'b': 1}", { b: 1 }],
  ['Object{spec: Object.spec{?a: optional.of(1), ?b: optional.none()}}', { spec: { a: 1 } }],
  ["'a-b-c'.replace('-', '+') + 'a-b-c'.replace('-', '', 1) + 'abc'.charAt(1)", 'a+b+cab-cb'],
  [
    "[timestamp('2024-01-02T03:04:05Z'), 3u, b'abc', 1.5, null]",
    ['2024-01-02T03:04:05Z', 3, 'YWJj', 1.5, null],
  ],
  ["'a1b22'.findAll('[0-9]+')", ['1', '22']],
  ["'a1b22'.find('[0-9]+')", '1'],
  // A class of properties, and characters of the basic and another plane as CEL writes them.
  [
    String.raw`'1.0\u202e'.find('[\\p{Cf}]') == '\u202e' && 'a\U000e0101'.find('[\U000e0100-\U000e01ef]') != ''`,
    true,
  ],
  [String.raw`'版本 🚢'.find('[\\p{Cc}\\p{Cf}\\p{Co}\\p{Zl}\\p{Zp}\u034f]')`, ''],
])('%s is %j', (expression, result) => {
  expect(jsonValue(compile(expression)({ self: self() }))).toEqual(result);
});

test.each<[expression: string, problem: string]>([
  ["self.list.transformMapEntry(i, v, {'same': i})", 'insert failed: key same already exists'],
  ['self.missing.all(i, v, v.gone == 1)', 'no such key: gone'],
  ['self.list[7]', 'index out of bounds: 7'],
])('%s fails', (expression, problem) => {
  let found: string | undefined;
  try {
    compile(expression)({ self: self() });
  } catch (error) {
    found = celProblem(error);
  }
  expect(found).toBe(problem);
});
