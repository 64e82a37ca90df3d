import type { ConfigRollout, ConfigRolloutStatus } from 'trimtab/api/config-rollout.ts';
import { expect, test } from 'vitest';
import { describeChange } from './describe-change.ts';

const rollout = (status?: Partial<ConfigRolloutStatus>): ConfigRollout =>
  ({
    metadata: {},
    spec: { config: { kind: 'ConfigMap', name: 'demo' } },
    status,
  }) as unknown as ConfigRollout;
const version = (name: string) => ({ version: name, object: `demo-${name}`, contentHash: 'h', since: '' });
const target = (name: string, by?: string) => ({
  ...{ version: name, object: `demo-${name}`, contentHash: 'h', activation: `a-${name}`, members: [] },
  startedAt: '2026-01-01T00:00:00Z',
  ...(by && { by }),
});
const finished = (name: string, result: string) => ({
  version: name,
  result,
  startedAt: '2026-01-01T00:00:00Z',
  finishedAt: '2026-01-01T00:00:04Z',
});
const broken = {
  type: 'Degraded',
  status: 'True' as const,
  reason: 'RolledBack',
  message:
    "Version 1.0.2 was rolled back: Deployment demo: pod demo-x: exit code 1: colour 'blurple' unknown. Edit the config, or set annotation trimtab.dev/retry of the ConfigRollout to a new value to retry",
  lastTransitionTime: '',
};
const current = version('1.0.1');

test.each<[string, ConfigRollout | undefined, ConfigRollout, string | undefined]>([
  ['the first version', undefined, rollout({ current: version('1.0.0') }), 'demo 1.0.0: current'],
  [
    'an activation begins',
    rollout({ current }),
    rollout({ current, target: target('1.0.2', 'anna') }),
    'demo 1.0.2: rolling out, requested by anna',
  ],
  [
    'it goes on',
    rollout({ current, target: target('1.0.2') }),
    rollout({ current, target: target('1.0.2'), updated: '1/3' }),
    undefined,
  ],
  [
    'it fails',
    rollout({ current, target: target('1.0.2') }),
    rollout({ current, target: target('1.0.2'), phase: 'RollingBack' }),
    'demo 1.0.2: rolling back',
  ],
  [
    'it is done',
    rollout({ current, target: target('1.0.2') }),
    rollout({ current: version('1.0.2'), history: [finished('1.0.2', 'Current')] }),
    'demo 1.0.2: current after 4 s',
  ],
  [
    'it is rolled back',
    rollout({ current, target: target('1.0.2') }),
    rollout({ current, phase: 'Failed', history: [finished('1.0.2', 'RolledBack')], conditions: [broken] }),
    "demo 1.0.2: rolled back after 4 s: Deployment demo: pod demo-x: exit code 1: colour 'blurple' unknown",
  ],
  [
    'another one takes over',
    rollout({ current, target: target('1.0.2') }),
    rollout({ current, target: target('1.0.3') }),
    'demo 1.0.3: rolling out',
  ],
  ['it is paused', rollout({ current }), rollout({ current, phase: 'Paused' }), 'demo: paused'],
  ['nothing is known', undefined, rollout(), undefined],
])('%s', (_, before, after, line) => {
  expect(describeChange(before, after)).toBe(line);
});
