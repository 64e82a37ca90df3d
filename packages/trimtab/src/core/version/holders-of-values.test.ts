import { expect, test } from 'vitest';
import { holdersOfValues } from './holders-of-values.ts';

const content = (name: string, data: Record<string, string>) => ({
  version: { name, object: `bar-${name}` },
  body: { kind: 'ConfigMap', metadata: {}, data },
});

function holders(...[versions, others]: Parameters<typeof holdersOfValues>) {
  const steps = holdersOfValues(versions, others);
  for (let yields = 0; ; yields++) {
    const { done, value } = steps.next();
    if (done) return { found: Object.fromEntries(value), yields };
  }
}

test('the versions that hold a value of another one are named with the keys', () => {
  const versions = [
    content('1.0.0', { password: 'hunter1', empty: '' }),
    content('1.0.1', { user: 'alice' }),
  ];
  const others = [
    content('1.0.2', { token: 'hunter1', user: 'alice', password: 'hunter3' }),
    content('1.0.3', { password: 'hunter3', empty: '' }),
  ];
  expect(holders(versions, others)).toEqual({
    found: {
      'bar-1.0.0': [{ version: '1.0.2', keys: ['token'] }],
      'bar-1.0.1': [{ version: '1.0.2', keys: ['user'] }],
    },
    yields: 4,
  });
});

test('80,000 keys with the same value are found once each', () => {
  const same = Object.fromEntries(Array.from({ length: 80_000 }, (_, n) => [`k${n}`, 'a']));
  const { found } = holders([content('1', same)], [content('2', same)]);
  expect(found['bar-1']?.[0]?.keys).toHaveLength(80_000);
});
