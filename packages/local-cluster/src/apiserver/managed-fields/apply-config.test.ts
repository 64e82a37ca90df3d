import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ApplyConflicts, applyConfig } from './apply-config.ts';
import { setOf } from './field-set.ts';
import {
  decodeManagers,
  encodeManagers,
  identityOf,
  type ManagerIdentity,
  type Managers,
} from './managers.ts';
import { type Shape, shapeOf } from './shape.ts';
import { trackUpdate } from './track-update.ts';

const shape: Shape = shapeOf({
  type: 'object',
  properties: {
    data: { type: 'object', additionalProperties: { type: 'string' } },
    whole: { type: 'array', items: { type: 'string' } },
    tags: { type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'string' } },
    parts: {
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name'],
      items: { type: 'object', properties: { name: { type: 'string' }, value: { type: 'string' } } },
    },
    nested: { type: 'object', properties: { a: { type: 'string' }, b: { type: 'string' } } },
    free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
  },
});

const value = fc.constantFrom('1', '2', '3');
const name = fc.constantFrom('a', 'b', 'c', 'd');
const config = fc.record(
  {
    data: fc.dictionary(name, value),
    whole: fc.array(value, { maxLength: 3 }),
    tags: fc.uniqueArray(name, { maxLength: 3 }),
    parts: fc.uniqueArray(fc.record({ name, value }, { requiredKeys: ['name'] }), {
      selector: (part) => part.name,
      maxLength: 3,
    }),
    nested: fc.record({ a: value, b: value }, { requiredKeys: [] }),
    free: fc.dictionary(name, fc.oneof(value, fc.dictionary(name, value), fc.array(value, { maxLength: 2 }))),
  },
  { requiredKeys: [] },
);

const time = '2026-11-15T12:00:00Z';
const applier = (manager: string): ManagerIdentity => ({
  manager,
  operation: 'Apply',
  apiVersion: 'v1',
  subresource: '',
});
const rules = { shape, reset: setOf() };

interface State {
  object: unknown;
  managers: Managers;
}

const nothing: State = { object: {}, managers: new Map() };

function apply({ object, managers }: State, manager: string, wanted: unknown, force = true): State {
  return applyConfig(object, wanted, managers, applier(manager), { ...rules, force }, time);
}

function write({ object, managers }: State, manager: string, next: unknown): State {
  const who: ManagerIdentity = { ...applier(manager), operation: 'Update' };
  return { object: next, managers: trackUpdate(object, next, managers, who, rules, time) };
}

const history = fc.array(
  fc.record({ manager: fc.constantFrom('x', 'y'), wanted: config, how: fc.constantFrom('apply', 'write') }),
  { maxLength: 4 },
);

function lived(steps: { manager: string; wanted: unknown; how: string }[]): State {
  return steps.reduce(
    (state, { manager, wanted, how }) =>
      how === 'apply' ? apply(state, manager, wanted) : write(state, manager, wanted),
    nothing,
  );
}

describe('whatever happened before', () => {
  test('to apply the same twice is to apply it once', () => {
    fc.assert(
      fc.property(history, config, (steps, wanted) => {
        const once = apply(lived(steps), 'me', wanted);
        const twice = apply(once, 'me', wanted, false);
        expect(twice.object).toEqual(once.object);
        expect(encodeManagers(twice.managers)).toEqual(encodeManagers(once.managers));
      }),
    );
  });

  test('what is applied is there', () => {
    fc.assert(
      fc.property(history, config, (steps, wanted) => {
        const { object } = apply(lived(steps), 'me', wanted);
        expect(object).toMatchObject({
          ...(Object.keys(wanted.data ?? {}).length > 0 && { data: wanted.data }),
          ...(wanted.whole !== undefined && { whole: wanted.whole }),
        });
        // A list or map that lost all of its entries is null until it is decoded.
        const found = object as { tags?: string[] | null; parts?: { name: string }[] | null };
        const [tags, parts] = [found.tags ?? [], found.parts ?? []];
        expect(tags).toEqual(expect.arrayContaining(wanted.tags ?? []));
        expect(parts).toEqual(
          expect.arrayContaining((wanted.parts ?? []).map((part) => expect.objectContaining(part))),
        );
        // Items are in the order of the applied config.
        const names: string[] = (wanted.parts ?? []).map((part) => part.name);
        expect(parts.map((part) => part.name).filter((each) => names.includes(each))).toEqual(names);
      }),
    );
  });

  test('what only this one applied is gone when it applies nothing', () => {
    fc.assert(
      fc.property(config, (wanted) => {
        const after = apply(apply(nothing, 'me', wanted), 'me', {}, false);
        expect(after.managers.size).toBe(0);
        const { data, tags, parts, nested, whole, free } = (after.object ?? {}) as Record<
          string,
          object | null
        >;
        for (const left of [data, tags, parts, nested, whole, free])
          expect(Object.keys(left ?? {})).toEqual([]);
      }),
    );
  });

  test('what others own stays when this one lets go', () => {
    fc.assert(
      fc.property(config, config, (theirs, mine) => {
        const before = apply(nothing, 'they', theirs);
        const after = apply(apply(before, 'me', { data: mine.data ?? {} }), 'me', {});
        const kept = Object.entries(theirs.data ?? {}).filter(
          ([key]) => mine.data?.[key] === theirs.data?.[key],
        );
        expect((after.object as { data?: object }).data ?? {}).toMatchObject(Object.fromEntries(kept));
      }),
    );
  });

  test('the record of managers is the same after it was written down and read', () => {
    fc.assert(
      fc.property(history, (steps) => {
        const { managers } = lived(steps);
        const encoded = encodeManagers(managers);
        const read = decodeManagers(encoded);
        expect(encodeManagers(read)).toEqual(encoded);
        expect([...read.keys()].sort()).toEqual([...managers.keys()].sort());
      }),
    );
  });
});

test('two who apply different fields never meet', () => {
  fc.assert(
    fc.property(fc.dictionary(name, value), fc.dictionary(name, value), (mine, theirs) => {
      const renamed = Object.fromEntries(Object.entries(theirs).map(([key, each]) => [`${key}2`, each]));
      const first = apply(nothing, 'me', { data: mine }, false);
      const second = apply(first, 'they', { data: renamed }, false);
      expect((second.object as { data?: object }).data ?? {}).toEqual({ ...mine, ...renamed });
      expect(apply(second, 'me', { data: mine }, false).object).toBe(second.object);
    }),
  );
});

test('who disagrees without force is told what is whose, and nothing changes', () => {
  const state = write(
    apply(nothing, 'first', { data: { a: '1' }, parts: [{ name: 'p', value: '1' }] }),
    'w',
    {
      data: { a: '1', b: '1' },
      parts: [{ name: 'p', value: '1' }],
    },
  );
  const before = structuredClone(state.object);
  const ask = () =>
    apply(state, 'me', { data: { a: '2', b: '2' }, parts: [{ name: 'p', value: '2' }] }, false);
  const found = expect.objectContaining({
    conflicts: [
      { with: expect.objectContaining({ manager: 'first' }), path: ['f:data', 'f:a'] },
      { with: expect.objectContaining({ manager: 'first' }), path: ['f:parts', 'k:{"name":"p"}', 'f:value'] },
      { with: expect.objectContaining({ manager: 'w', operation: 'Update' }), path: ['f:data', 'f:b'] },
    ],
  });
  expect(ask).toThrow(ApplyConflicts);
  expect(ask).toThrow(found);
  expect(state.object).toEqual(before);
});

const names = (...all: string[]) => all.map((each) => ({ name: each }));

test.each([
  ['a new one goes last', ['a', 'b'], ['c'], ['a', 'b', 'c']],
  ['the applied order holds', ['a', 'b'], ['b', 'a'], ['b', 'a']],
  ['others keep their place before a shared one', ['x', 'a'], ['n', 'a'], ['x', 'n', 'a']],
  ['others keep their place after a shared one', ['a', 'x'], ['a', 'n'], ['a', 'x', 'n']],
  ['between two', ['a', 'x', 'b'], ['a', 'n', 'b'], ['a', 'x', 'n', 'b']],
  ['with orders that cross', ['a', 'x', 'b', 'y'], ['b', 'a'], ['x', 'b', 'y', 'a']],
])('of a list, %s', (_what, live, wanted, expected) => {
  const state = write(nothing, 'w', { parts: names(...live) });
  expect(apply(state, 'me', { parts: names(...wanted) }).object).toMatchObject({ parts: names(...expected) });
});

test('who only agrees gets no time, for nothing happened', () => {
  const { managers } = apply(apply(nothing, 'first', { data: { a: '1' } }), 'second', { data: { a: '1' } });
  expect(managers.get(identityOf(applier('second')))).toMatchObject({ time: undefined });
  expect(managers.get(identityOf(applier('first')))).toMatchObject({ time });
});
