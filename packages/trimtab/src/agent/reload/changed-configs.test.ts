import { expect, test } from 'vitest';
import type { SourceState } from '../files/file-set.ts';
import { changedConfigs } from './changed-configs.ts';

const source = (name: string, version: string, object = `${name}-${version}`): SourceState => ({
  ...{ kind: 'ConfigMap', namespace: 'shop', name, resourceVersion: '1', version, object },
});
const kind = 'ConfigMap';

test('configs with another version are listed, with the version before', () => {
  const before = [source('foo', '1.0.0'), source('bar', '1.0.0')];
  expect(changedConfigs([source('foo', '1.0.1'), source('bar', '1.0.0')], before)).toEqual([
    { kind, name: 'foo', version: '1.0.1', previous: '1.0.0' },
  ]);
});

test('a config that was not there has no version before', () => {
  expect(changedConfigs([source('foo', '1.0.1')], [])).toEqual([{ kind, name: 'foo', version: '1.0.1' }]);
});

test('a version that was created again under its name is another one', () => {
  expect(changedConfigs([source('foo', '1.0.0', 'new')], [source('foo', '1.0.0', 'old')])).toHaveLength(1);
});

test('all configs are listed when none has another version, because the content of one has changed', () => {
  const same = [source('foo', '1.0.0'), source('bar', '1.0.0')];
  expect(changedConfigs(same, same).map(({ name }) => name)).toEqual(['foo', 'bar']);
});
