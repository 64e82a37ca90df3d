import { configMaps } from '@trimtab/kube/resource.ts';
import { configMap } from '@trimtab/test-bed/objects/config-map.ts';
import { deployment } from '@trimtab/test-bed/objects/deployment.ts';
import { mountingConfigMap } from '@trimtab/test-bed/objects/pod-template.ts';
import { statefulSet } from '@trimtab/test-bed/objects/stateful-set.ts';
import { expect, test } from 'vitest';
import { managed } from '../../support/managed.ts';
import { obedientApp } from '../../support/obedient-app.ts';
import { runningTheApp } from '../../support/simulated-app.ts';
import type { Scenario } from '../support/scenario.ts';
import { DrivenCluster } from './driven-cluster.ts';
import { DrivenStage } from './driven-stage.ts';

const mountsFoo = mountingConfigMap('foo', '/etc/foo');

/** An API server restarts: the response to a write is lost, and the watch of that kind reopens late. */
const scenario = (stage: DrivenStage, failingReads: number): Scenario => ({
  name: 'lost response',
  objects: () => [
    configMap('foo', { color: 'blue' }),
    deployment('web', mountsFoo, managed, runningTheApp),
    statefulSet('db', mountsFoo, managed, runningTheApp),
  ],
  rollouts: { 'configmap-foo': {} },
  app: obedientApp,
  steps: [
    {
      does: async (client, namespace) => {
        const resource = 'statefulsets';
        stage.proxy.inject({ when: { resource, verb: 'write' }, fault: { kind: 'fail-after' } });
        stage.proxy.inject({
          when: { resource, verb: 'watch' },
          fault: { kind: 'status', code: 503 },
          times: 4 + failingReads,
        });
        if (failingReads > 0)
          stage.proxy.inject({
            when: { resource, verb: 'get' },
            fault: { kind: 'status', code: 503 },
            times: failingReads,
          });
        await stage.proxy.breakWatches('cut', { resource });
        const body = { data: { color: 'green', web: 'config-error' } };
        await client.patch(configMaps, { namespace, name: 'foo' }, { type: 'merge', body });
      },
      until: ({ configs, workloads }) =>
        configs['configmap-foo']?.phase === 'Failed' &&
        configs['configmap-foo'].target === undefined &&
        Object.values(workloads).every(({ rolledOut }) => rolledOut),
    },
  ],
});

test.each([
  ['the API server answers again', 0],
  ['reads fail for a while, too', 12],
])(
  'a workload whose update took effect without a response is rolled back, too: %s',
  async (_, failingReads) => {
    await using cluster = await DrivenCluster.start();
    await using stage = await DrivenStage.open(cluster, { seed: 1 });
    stage.start();
    const { violations, snapshot } = await stage.play(scenario(stage, failingReads));
    expect(violations).toEqual([]);
    expect(snapshot.configs['configmap-foo']?.phase).toBe('Failed');
  },
);
