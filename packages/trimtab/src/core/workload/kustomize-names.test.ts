import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { hashedRenames } from './kustomize-names.ts';

const maps = (...names: string[]) => names.map((name) => ({ kind: 'ConfigMap' as const, name }));

test('a generated config that takes the place of another one is recognised', () => {
  expect(hashedRenames(maps('foo-4gm5tbb84k', 'bar'), maps('bar', 'foo-22h75k9fdk'))).toEqual([
    { kind: 'ConfigMap', from: 'foo-4gm5tbb84k', to: 'foo-22h75k9fdk' },
  ]);
});

test('every hash that kustomize can make is recognised', () => {
  const letters: Record<string, string> = { 0: 'g', 1: 'h', 3: 'k', a: 'm', e: 't' };
  const generated = (content: string) => {
    const digest = createHash('sha256').update(content).digest('hex').slice(0, 10);
    return `foo-${[...digest].map((digit) => letters[digit] ?? digit).join('')}`;
  };
  fc.assert(
    fc.property(fc.string(), fc.string(), (one, other) => {
      fc.pre(generated(one) !== generated(other));
      const [from, to] = [generated(one), generated(other)];
      expect(hashedRenames(maps(from), maps(to))).toEqual([{ kind: 'ConfigMap', from, to }]);
    }),
  );
});

test.each([
  ['nothing that was there before', maps(), maps('foo-4gm5tbb84k')],
  ['another base', maps('bar-4gm5tbb84k'), maps('foo-22h75k9fdk')],
  ['another kind', [{ kind: 'Secret' as const, name: 'foo-4gm5tbb84k' }], maps('foo-22h75k9fdk')],
  ['a name without a hash', maps('foo'), maps('foo-22h75k9fdk')],
  ['letters that no such hash has', maps('foo-aaaaaaaaaa'), maps('foo-eeeeeeeeee')],
  ['a shorter hash', maps('foo-4gm5tbb84'), maps('foo-22h75k9fd')],
  ['both side by side', maps('foo-4gm5tbb84k'), maps('foo-4gm5tbb84k', 'foo-22h75k9fdk')],
  ['one that stays', maps('foo-4gm5tbb84k'), maps('foo-4gm5tbb84k')],
])('it is not taken for one: %s', (_, before, now) => {
  expect(hashedRenames(before, now)).toEqual([]);
});
