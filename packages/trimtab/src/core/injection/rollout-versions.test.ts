import { expect, test } from 'vitest';
import type { ConfigRollout } from '../../api/config-rollout.ts';
import { rolloutVersions } from './rollout-versions.ts';

const rollout = (kind: 'ConfigMap' | 'Secret', name: string, object?: string) =>
  ({
    spec: { config: { kind, name } },
    status: object === undefined ? {} : { current: { version: '1.0.1', object } },
  }) as unknown as ConfigRollout;

const versions = rolloutVersions([
  rollout('ConfigMap', 'foo', 'foo-aaaaaaaaaa'),
  rollout('ConfigMap', 'new'),
  rollout('Secret', 'bar', 'bar-bbbbbbbbbb'),
]);

test('the name of a config, of its current version and of any other version stand for the current one', () => {
  const current = { config: 'foo', version: '1.0.1', object: 'foo-aaaaaaaaaa' };
  for (const name of ['foo', 'foo-aaaaaaaaaa', 'foo-cccccccccc'])
    expect(versions('ConfigMap', name)).toEqual(current);
});

test('a config without a rollout or without a version is not managed', () => {
  for (const name of ['new', 'bar', 'other', 'foo-1']) expect(versions('ConfigMap', name)).toBeUndefined();
  expect(versions('Secret', 'bar')?.object).toBe('bar-bbbbbbbbbb');
});
