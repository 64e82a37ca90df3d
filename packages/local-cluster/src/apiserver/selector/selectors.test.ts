import { expect, test } from 'vitest';
import { parseFieldSelector } from './field-selector.ts';
import { parseLabelSelector } from './label-selector.ts';
import { labelsMatch } from './object-selector.ts';

test.each([
  ['a=b', { a: 'b' }, true],
  ['a=b', { a: 'c' }, false],
  ['a==b,c!=d', { a: 'b' }, true],
  ['a!=b', {}, true],
  ['a', { a: '' }, true],
  ['!a', {}, true],
  ['!a', { a: '1' }, false],
  ['a in (x, y)', { a: 'y' }, true],
  ['a notin (x,y)', {}, true],
  ['a notin (x,y)', { a: 'x' }, false],
  ['a in (,x)', { a: '' }, true],
  ['in in (in)', { in: 'in' }, true],
  ['a>1', { a: '2' }, true],
  ['a<1', { a: 'x' }, false],
  ['a=', { a: '' }, true],
  ['constructor', {}, false],
])('%s on %j: %s', (text, labels, expected) => {
  expect(parseLabelSelector(text)?.(labels as Record<string, string>)).toBe(expected);
});

test.each([
  ['a b c', "unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt"],
  ['a,,b', "found ',', expected: identifier after ','"],
  ['a in x', "unable to parse requirement: found 'x' expected: '('"],
  [',a', "found ',', expected: !, identifier, or 'end of string'"],
  ['a=b=c', "found '=', expected: ',' or 'end of string'"],
])('%j is refused: %s', (text, message) => {
  expect(() => parseLabelSelector(text)).toThrow(message);
});

test('field selectors split at commas that are not escaped', () => {
  expect(parseFieldSelector('metadata.name=a\\,b,status.phase!=Running,x==')).toEqual([
    { field: 'metadata.name', equals: true, value: 'a,b' },
    { field: 'status.phase', equals: false, value: 'Running' },
    { field: 'x', equals: true, value: '' },
  ]);
});

test('a field selector without an operator is refused', () => {
  expect(() => parseFieldSelector('metadata.name')).toThrow(
    "invalid selector: 'metadata.name'; can't understand 'metadata.name'",
  );
});

test.each([
  [{}, {}, true],
  [{ matchLabels: { a: 'b' } }, { a: 'b' }, true],
  [{ matchLabels: { a: 'b' } }, {}, false],
  [{ matchExpressions: [{ key: 'a', operator: 'In', values: ['b'] }] }, { a: 'b' }, true],
  [{ matchExpressions: [{ key: 'a', operator: 'NotIn', values: ['b'] }] }, {}, true],
  [{ matchExpressions: [{ key: 'constructor', operator: 'Exists' }] }, {}, false],
  [{ matchExpressions: [{ key: 'toString', operator: 'DoesNotExist' }] }, {}, true],
])('the selector of an object, %j, on %j: %s', (selector, labels, expected) => {
  expect(labelsMatch(selector, labels)).toBe(expected);
});
