import { createRegistry } from '@trimtab/kube/metrics/metrics.ts';
import { expect, test } from 'vitest';
import { agentMetrics } from './agent-metrics.ts';

/** The samples of the agent without those of its histogram. */
function samplesOf(registry: ReturnType<typeof createRegistry>): string[] {
  return registry
    .render()
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#') && !line.includes('_duration_'));
}

test('reloads are counted by result, with the times of the last attempt and the last success', () => {
  const registry = createRegistry();
  const metrics = agentMetrics(registry);
  metrics.reloaded(true, 0.02, 1_000_000);
  metrics.reloaded(false, 0.5, 2_000_000);
  expect(samplesOf(registry)).toEqual([
    'trimtab_agent_reloads_total{result="success"} 1',
    'trimtab_agent_reloads_total{result="failure"} 1',
    'trimtab_agent_last_reload_successful 0',
    'trimtab_agent_last_reload_attempt_timestamp_seconds 2000',
    'trimtab_agent_last_reload_success_timestamp_seconds 1000',
  ]);
  expect(registry.render()).toContain('trimtab_agent_reload_duration_seconds_count 2\n');
  metrics.reloaded(true, 0.02, 3_000_000);
  expect(samplesOf(registry)).toContain('trimtab_agent_last_reload_successful 1');
});

test('only the versions of the configs that are in place are shown', () => {
  const registry = createRegistry();
  const metrics = agentMetrics(registry);
  const web = { kind: 'ConfigMap', namespace: 'shop', name: 'web' };
  metrics.holds([{ ...web, resourceVersion: '7' }]);
  metrics.holds([
    { ...web, resourceVersion: '8' },
    { ...web, kind: 'Secret', resourceVersion: '9' },
  ]);
  expect(samplesOf(registry).filter((line) => line.startsWith('trimtab_agent_config_info'))).toEqual([
    'trimtab_agent_config_info{kind="ConfigMap",namespace="shop",name="web",resource_version="8"} 1',
    'trimtab_agent_config_info{kind="Secret",namespace="shop",name="web",resource_version="9"} 1',
  ]);
});

test('a version is shown again after the metrics were read', () => {
  const registry = createRegistry();
  const metrics = agentMetrics(registry);
  const held = (resourceVersion: string) => {
    metrics.holds([{ kind: 'ConfigMap', namespace: 'shop', name: 'web', resourceVersion }]);
    return samplesOf(registry).filter((line) => line.startsWith('trimtab_agent_config_info'));
  };
  for (const version of ['7', '8', '7'])
    expect(held(version)).toEqual([
      `trimtab_agent_config_info{kind="ConfigMap",namespace="shop",name="web",resource_version="${version}"} 1`,
    ]);
});
