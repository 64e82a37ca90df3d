import { jsonPointer } from '@trimtab/kube/json/json-pointer.ts';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { jsonPatch } from './json-patch.ts';
import { PatchProblem } from './patch-problem.ts';

const object = { data: { a: '1' }, list: ['x', 'y'] };

test.each([
  [
    { op: 'add', path: '/data/b', value: '2' },
    { data: { a: '1', b: '2' }, list: ['x', 'y'] },
  ],
  [
    { op: 'add', path: '/list/1', value: 'z' },
    { data: { a: '1' }, list: ['x', 'z', 'y'] },
  ],
  [
    { op: 'add', path: '/list/-', value: 'z' },
    { data: { a: '1' }, list: ['x', 'y', 'z'] },
  ],
  [
    { op: 'add', path: '/data/a~1b~0c', value: '' },
    { data: { a: '1', 'a/b~c': '' }, list: ['x', 'y'] },
  ],
  [
    { op: 'remove', path: '/list/0' },
    { data: { a: '1' }, list: ['y'] },
  ],
  [
    { op: 'replace', path: '/data/a', value: '3' },
    { data: { a: '3' }, list: ['x', 'y'] },
  ],
  [
    { op: 'replace', path: '/data/new', value: '3' },
    { data: { a: '1', new: '3' }, list: ['x', 'y'] },
  ],
  [
    { op: 'move', from: '/data/a', path: '/data/b' },
    { data: { b: '1' }, list: ['x', 'y'] },
  ],
  [
    { op: 'copy', from: '/data/a', path: '/data/b' },
    { data: { a: '1', b: '1' }, list: ['x', 'y'] },
  ],
  [
    { op: 'copy', from: '/data/nope', path: '/data/b' },
    { data: { a: '1', b: null }, list: ['x', 'y'] },
  ],
  [{ op: 'test', path: '/data', value: { a: '1' } }, object],
  [{ op: 'test', path: '/data/nope', value: null }, object],
])('%j does what the real API server does', (operation, expected) => {
  expect(jsonPatch(object, [operation])).toEqual(expected);
});

test.each([
  { op: 'test', path: '/data/a', value: '2' },
  { op: 'remove', path: '/data/nope' },
  { op: 'remove', path: '/list/2' },
  { op: 'add', path: '/nope/b', value: 1 },
  { op: 'add', path: '/list/3', value: 1 },
  { op: 'replace', path: '/list/2', value: 1 },
  { op: 'replace', path: '', value: 1 },
  { op: 'jump', path: '/data/a' },
])('%j does not fit and changes nothing', (operation) => {
  const before = structuredClone(object);
  expect(() => jsonPatch(object, [operation])).toThrow(PatchProblem);
  expect(object).toEqual(before);
});

test('a key called __proto__ is a key like any other', () => {
  const result = jsonPatch({ data: {} }, [{ op: 'add', path: '/data/__proto__', value: { evil: true } }]);
  expect(JSON.stringify(result)).toBe('{"data":{"__proto__":{"evil":true}}}');
  expect(({} as { evil?: boolean }).evil).toBeUndefined();
});

/** The model: a flat map, where add and replace set and remove deletes. */
test('patches of a flat object are what a map would be', () => {
  const key = fc.constantFrom('a', 'b', 'c', '__proto__', 'constructor', 'x/y', 'p~q');
  const operation = fc.record({ op: fc.constantFrom('add', 'remove', 'replace'), key, value: fc.string() });
  fc.assert(
    fc.property(fc.dictionary(key, fc.string()), fc.array(operation, { maxLength: 12 }), (start, steps) => {
      const model = new Map(Object.keys(start).map((each) => [each, start[each] as string]));
      let fits = true;
      for (const { op, key: at, value } of steps) {
        if (!fits) break;
        if (op === 'remove') fits = model.delete(at);
        else model.set(at, value);
      }
      const operations = steps.map(({ op, key: at, value }) => ({
        op,
        path: jsonPointer('data', at),
        value,
      }));
      const run = () => jsonPatch({ data: start }, operations) as { data: Record<string, string> };
      if (!fits) expect(run).toThrow(PatchProblem);
      else expect(new Map(Object.keys(run().data).map((each) => [each, run().data[each]]))).toEqual(model);
    }),
  );
});
