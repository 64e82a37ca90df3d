import { expect, test } from 'vitest';
import type { ConfigRollout } from '../../api/config-rollout.ts';
import { annotations } from '../../api/names.ts';
import { rollbackTargets } from './rollback-targets.ts';

const record = JSON.stringify({ activation: 'a-1', previous: { 'Secret/bar': 'bar-1' } });
const target = { version: '1.0.1', object: 'foo-2', activation: 'a-1' };

const rollout = (name: string, status: object, workloads: string[] = []) =>
  ({
    metadata: { annotations: { [annotations.workloads]: JSON.stringify(workloads) } },
    spec: { config: { kind: 'Secret', name } },
    status,
  }) as unknown as ConfigRollout;

const targets = (text: string | undefined, ...rollouts: ConfigRollout[]) =>
  rollbackTargets('Deployment/web', text, rollouts).map(({ kind, name }) => `${kind}/${name}`);

test('an activation of the config in the record may return to its version', () => {
  expect(targets(record, rollout('bar', { target }))).toEqual(['Secret/bar-1']);
});

test('an activation of another config of the workload may return to it, too', () => {
  const others = [rollout('bar', {}), rollout('foo', { target }, ['Deployment/web'])];
  expect(targets(record, ...others)).toEqual(['Secret/bar-1']);
});

test.each([
  ['no activation is in progress', record, rollout('bar', {}, ['Deployment/web'])],
  ['one of another workload is', record, rollout('foo', { target }, ['Deployment/api'])],
  ['there is no record', undefined, rollout('bar', { target })],
  ['the record is damaged', '{', rollout('bar', { target })],
])('nothing is returned to while %s', (_, text, other) => {
  expect(targets(text, other)).toEqual([]);
});
