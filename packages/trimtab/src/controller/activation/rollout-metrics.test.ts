import { createRegistry } from '@trimtab/kube/metrics/metrics.ts';
import { expect, test } from 'vitest';
import type { ConfigRolloutStatus } from '../../api/config-rollout.ts';
import { activationMetrics } from './activation-metrics.ts';
import { rolloutMetrics } from './rollout-metrics.ts';

const lastTransitionTime = '2026-01-01T00:00:00Z';
const condition = (type: string, status: 'True' | 'False', reason: string) => ({
  ...{ type, status, reason, message: 'Details.', lastTransitionTime },
});
const target = (activation: string) => ({
  ...{ version: '1.0.1', object: 'foo-b', activation, members: [], startedAt: lastTransitionTime },
});

function scrape(...statuses: (ConfigRolloutStatus | undefined)[]): string[] {
  const registry = createRegistry();
  const entries = statuses.map((status, index): [string, { status?: ConfigRolloutStatus }] => [
    `shop/secret-name-${index}`,
    status === undefined ? {} : { status },
  ]);
  rolloutMetrics(registry, { rollouts: { cache: new Map(entries) } });
  return registry
    .render()
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'));
}

test('rollouts are counted by phase, and a phase without rollouts is 0', () => {
  const lines = scrape({ phase: 'Current' }, { phase: 'Current' }, { phase: 'RollbackFailed' }, undefined);
  expect(lines).toContain('trimtab_rollouts{phase="Current"} 2');
  expect(lines).toContain('trimtab_rollouts{phase="RollbackFailed"} 1');
  expect(lines).toContain('trimtab_rollouts{phase="Parked"} 0');
  expect(lines).toContain('trimtab_rollouts{phase="Unknown"} 1');
});

test('rollouts that wait are counted by the reason of Ready, and those that wait for a person by that of Stalled', () => {
  const waiting = (reason: string, stalled: 'True' | 'False') => ({
    conditions: [condition('Ready', 'False', reason), condition('Stalled', stalled, reason)],
  });
  const lines = scrape(
    waiting('WaitingForInterval', 'False'),
    waiting('Unschedulable', 'True'),
    waiting('Unschedulable', 'True'),
    { conditions: [condition('Ready', 'True', 'Current'), condition('Stalled', 'False', 'AsExpected')] },
  );
  expect(lines.filter((line) => /not_ready|stalled/.test(line))).toEqual([
    'trimtab_rollouts_not_ready{reason="WaitingForInterval"} 1',
    'trimtab_rollouts_not_ready{reason="Unschedulable"} 2',
    'trimtab_rollouts_stalled{reason="Unschedulable"} 2',
  ]);
});

test('a reason that is not registered adds no time series of its own', () => {
  const lines = scrape(
    { conditions: [condition('Ready', 'False', 'shop-secret')] },
    { conditions: [condition('Ready', 'False', 'another')] },
  );
  expect(lines).toContain('trimtab_rollouts_not_ready{reason="Unknown"} 2');
  expect(lines.join()).not.toContain('shop-secret');
});

test('configs that are released together are one activation in progress', () => {
  const lines = scrape(
    { target: target('abc-1') },
    { target: target('abc-1') },
    { target: target('def-1') },
    {},
  );
  expect(lines).toContain('trimtab_activations_in_progress 2');
});

test('the counter of activations has all results from the start, so that the first one is an increase', () => {
  const registry = createRegistry();
  activationMetrics(registry);
  for (const result of ['current', 'rolled_back', 'aborted', 'superseded']) {
    expect(registry.render()).toContain(`trimtab_activations_total{result="${result}"} 0`);
    expect(registry.render()).toContain(`trimtab_activation_duration_seconds_count{result="${result}"} 0`);
  }
});
