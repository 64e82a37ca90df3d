import { expect, test } from 'vitest';
import type { ConfigRolloutStatus } from '../../api/config-rollout.ts';
import { previousVersion } from './previous-version.ts';
import type { VersionMetadata } from './version-metadata.ts';

const version = (name: string, more: Partial<VersionMetadata> = {}) =>
  ({ name, sequence: 9, currentCount: 0, rejected: undefined, ...more }) as VersionMetadata;
const attempt = (name: string, result: string) => ({ version: name, result, startedAt: '' });

const previous = (
  versions: VersionMetadata[],
  current: string,
  history: NonNullable<ConfigRolloutStatus['history']> = [],
) => previousVersion({ status: { history } }, versions, current)?.name;

test('the version that became current last before the current one is the previous one', () => {
  const versions = [
    version('1.0.0', { currentCount: 1 }),
    version('1.0.1', { currentCount: 3 }),
    version('1.0.2', { currentCount: 4 }),
    version('1.0.3'),
  ];
  expect(previous(versions, '1.0.2')).toBe('1.0.1');
});

test('a version that was rolled back since is not chosen', () => {
  const versions = [
    version('1.0.0', { currentCount: 1 }),
    version('1.0.1', { currentCount: 2, rejected: '{}' }),
    version('1.0.2', { currentCount: 3 }),
  ];
  expect(previous(versions, '1.0.2')).toBe('1.0.0');
});

test('without marks the history decides, and then the first version', () => {
  const versions = [version('1.0.0', { sequence: 1 }), version('1.0.1'), version('1.0.2')];
  const history = [attempt('1.0.2', 'Current'), attempt('1.0.3', 'RolledBack'), attempt('1.0.1', 'Current')];
  expect(previous(versions, '1.0.2', history)).toBe('1.0.1');
  expect(previous(versions, '1.0.2')).toBe('1.0.0');
});

test('a config with one version has none before', () => {
  expect(previous([version('1.0.0', { sequence: 1, currentCount: 1 })], '1.0.0')).toBeUndefined();
});
