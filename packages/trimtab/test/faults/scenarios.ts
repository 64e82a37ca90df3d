import type { KubeClient } from '@trimtab/kube/client.ts';
import { configMaps, deployments, secrets } from '@trimtab/kube/resource.ts';
import { configMap } from '@trimtab/test-bed/objects/config-map.ts';
import { daemonSet } from '@trimtab/test-bed/objects/daemon-set.ts';
import { deployment } from '@trimtab/test-bed/objects/deployment.ts';
import { envFromSecret, mountingConfigMap } from '@trimtab/test-bed/objects/pod-template.ts';
import { secret } from '@trimtab/test-bed/objects/secret.ts';
import { statefulSet } from '@trimtab/test-bed/objects/stateful-set.ts';
import { configRollouts } from '../../src/api/config-rollout.ts';
import { annotations } from '../../src/api/names.ts';
import { configRollout } from '../support/config-rollout.ts';
import { inWave, managed } from '../support/managed.ts';
import { obedientApp } from '../support/obedient-app.ts';
import { runningTheApp } from '../support/simulated-app.ts';
import { abortRollout } from './support/abort-rollout.ts';
import type { Scenario, ScenarioStep } from './support/scenario.ts';
import type { Snapshot } from './support/snapshot.ts';

const mountsFoo = mountingConfigMap('foo', '/etc/foo');

const edits =
  (name: string, data: Record<string, string>) =>
  async (client: KubeClient, namespace: string): Promise<void> => {
    await client.patch(configMaps, { namespace, name }, { type: 'merge', body: { data } });
  };

const isCurrent =
  (version: string, ...rollouts: string[]) =>
  ({ configs, workloads }: Snapshot): boolean =>
    rollouts.every((name) => {
      const config = configs[name];
      return config?.phase === 'Current' && config.current === version && config.target === undefined;
    }) && Object.values(workloads).every(({ rolledOut }) => rolledOut);

const foo = 'configmap-foo';

const isRolledBack = ({ configs, workloads }: Snapshot): boolean =>
  configs[foo]?.phase === 'Failed' &&
  configs[foo].target === undefined &&
  Object.values(workloads).every(({ rolledOut }) => rolledOut);

/** A good edit of two workloads in two waves. */
const twoWaves: Scenario = {
  name: 'two waves',
  objects: () => [
    configMap('foo', { color: 'blue' }),
    deployment('web', mountsFoo, managed, inWave(1)),
    deployment('worker', mountsFoo, managed, inWave(2)),
  ],
  rollouts: { [foo]: {} },
  steps: [{ does: edits('foo', { color: 'green' }), until: isCurrent('1.0.1', foo) }],
};

/** A user has created the ConfigRollout in advance, without a ledger. */
const inAdvance: Scenario = {
  name: 'in advance',
  objects: () => [
    configRollout('foo'),
    configMap('foo', { color: 'blue' }),
    deployment('web', mountsFoo, managed),
  ],
  rollouts: { [foo]: {} },
  steps: [{ does: edits('foo', { color: 'green' }), until: isCurrent('1.0.1', foo) }],
};

/** A bad edit that breaks the second workload: a StatefulSet, which waits for its broken pod. */
const rolledBack: Scenario = {
  name: 'rolled back',
  objects: () => [
    configMap('foo', { color: 'blue' }),
    deployment('web', mountsFoo, managed, inWave(1), runningTheApp),
    statefulSet('db', mountsFoo, managed, inWave(2), runningTheApp),
  ],
  rollouts: { [foo]: {} },
  app: obedientApp,
  steps: [
    {
      does: edits('foo', { color: 'green', db: 'config-error' }),
      until: isRolledBack,
    },
  ],
};

/** A ConfigMap and a Secret of one workload are edited together. */
const together: Scenario = {
  name: 'together',
  objects: () => [
    configMap('foo', { color: 'blue' }),
    secret('pass', { word: 'open' }),
    deployment('web', mountsFoo, envFromSecret('pass'), managed),
  ],
  rollouts: { [foo]: {}, 'secret-pass': {} },
  extraRevisions: 1,
  steps: [
    {
      does: async (client, namespace) => {
        const word = { stringData: { word: 'sesame' } };
        await Promise.all([
          edits('foo', { color: 'green' })(client, namespace),
          client.patch(secrets, { namespace, name: 'pass' }, { type: 'merge', body: word }),
        ]);
      },
      until: isCurrent('1.0.1', foo, 'secret-pass'),
    },
  ],
};

const asksFor = (version: string): ScenarioStep => ({
  does: async (client, namespace) => {
    const body = { spec: { version } };
    await client.patch(configRollouts, { namespace, name: foo }, { type: 'merge', body });
  },
  until: isCurrent(version, foo),
});

/** An edit, a rollback by `spec.version`, and another edit, with a history limit of one version. */
const backAndForth: Scenario = {
  name: 'back and forth',
  objects: () => [
    configMap('foo', { color: 'blue' }),
    deployment('web', mountsFoo, managed, ({ spec }) => {
      Object.assign(spec, { revisionHistoryLimit: 0 });
    }),
  ],
  rollouts: { [foo]: { historyLimit: 1 } },
  steps: [
    {
      does: edits('foo', { color: 'green' }),
      // Only a version that nothing uses any more must be marked in use when it is asked for again.
      until: (now) =>
        isCurrent('1.0.1', foo)(now) && now.configs[foo]?.versions['1.0.0']?.includes(', idle,') === true,
    },
    asksFor('1.0.0'),
    {
      does: edits('foo', { color: 'red' }),
      until: (now) =>
        isCurrent('1.0.2', foo)(now) && Object.keys(now.configs[foo]?.versions ?? {}).length === 2,
    },
  ],
};

/** A bad edit of a DaemonSet is rolled out node by node and rolled back. */
const onEveryNode: Scenario = {
  name: 'on every node',
  objects: () => [configMap('foo', { color: 'blue' }), daemonSet('agent', mountsFoo, managed, runningTheApp)],
  rollouts: { [foo]: {} },
  app: obedientApp,
  steps: [{ does: edits('foo', { color: 'green', agent: 'config-error' }), until: isRolledBack }],
};

/** A workload that opts out is reverted to the original and not changed afterwards. */
const optedOut: Scenario = {
  name: 'opted out',
  objects: () => [configMap('foo', { color: 'blue' }), deployment('web', mountsFoo, managed)],
  rollouts: { [foo]: {} },
  steps: [
    {
      does: async (client, namespace) => {
        const body = { metadata: { annotations: { [annotations.manage]: 'false' } } };
        await client.patch(deployments, { namespace, name: 'web' }, { type: 'merge', body });
      },
      until: ({ configs, workloads }) =>
        configs[foo]?.managed === '[]' &&
        Object.values(workloads).every(({ runs, rolledOut }) => rolledOut && `${runs}` === 'ConfigMap/foo'),
    },
    { does: edits('foo', { color: 'green' }), until: isCurrent('1.0.1', foo) },
  ],
};

/** A user changes the image: the new template is recorded as healthy, so that later failures can be attributed. */
const newImage: Scenario = {
  name: 'new image',
  objects: () => [configMap('foo', { color: 'blue' }), deployment('web', mountsFoo, managed)],
  rollouts: { [foo]: {} },
  steps: [
    {
      does: async (client, namespace) => {
        const containers = [{ name: 'app', image: 'busybox:2' }];
        const body = { spec: { template: { spec: { containers } } } };
        await client.patch(deployments, { namespace, name: 'web' }, { type: 'strategic', body });
      },
      until: (now) =>
        isCurrent('1.0.0', foo)(now) &&
        now.workloads['Deployment/web']?.revisions.filter((each) => each === `${foo}@1.0.0`).length === 2,
    },
  ],
};

/** A user aborts the release while it bakes on the first wave. */
const aborted: Scenario = {
  name: 'aborted',
  objects: () => [
    configMap('foo', { color: 'blue' }),
    deployment('web', mountsFoo, managed, inWave(1)),
    deployment('worker', mountsFoo, managed, inWave(2)),
  ],
  rollouts: { [foo]: {} },
  // The bake does not end before the abort.
  strategy: { bakeSeconds: 3600 },
  steps: [
    {
      does: edits('foo', { color: 'green' }),
      until: ({ configs, workloads }) =>
        configs[foo]?.phase === 'BeingCurrent' &&
        workloads['Deployment/web']?.rolledOut === true &&
        `${workloads['Deployment/web'].runs}` === `${foo}@1.0.1`,
    },
    {
      does: abortRollout(foo),
      until: ({ configs, workloads }) =>
        configs[foo]?.phase === 'Aborted' && Object.values(workloads).every(({ rolledOut }) => rolledOut),
    },
  ],
};

/** A config is locked while an old version is asked for, and follows it. */
const locked: Scenario = {
  name: 'locked',
  objects: () => [configMap('foo', { color: 'blue' }), deployment('web', mountsFoo, managed)],
  rollouts: { [foo]: {} },
  steps: [
    { does: edits('foo', { color: 'green', size: '1' }), until: isCurrent('1.0.1', foo) },
    {
      does: async (client, namespace) => {
        const body = { spec: { release: 'Locked', version: '1.0.0' } };
        await client.patch(configRollouts, { namespace, name: foo }, { type: 'merge', body });
      },
      until: (now) => {
        const { live = 'none', versions = {} } = now.configs[foo] ?? {};
        return isCurrent('1.0.0', foo)(now) && versions['1.0.0']?.endsWith(live) === true;
      },
    },
  ],
};

/** A config and its workload are deleted; the ConfigRollout and all versions follow. */
const uninstalled: Scenario = {
  name: 'uninstalled',
  objects: () => [configMap('foo', { color: 'blue' }), deployment('web', mountsFoo, managed)],
  rollouts: { [foo]: {} },
  steps: [
    {
      does: async (client, namespace) => {
        await client.delete(deployments, { namespace, name: 'web' }, { propagationPolicy: 'Background' });
        await client.delete(configMaps, { namespace, name: 'foo' });
      },
      until: ({ configs, workloads }) =>
        Object.keys(configs).length === 0 && Object.keys(workloads).length === 0,
    },
  ],
};

export const scenarios = {
  twoWaves,
  inAdvance,
  rolledBack,
  together,
  backAndForth,
  onEveryNode,
  optedOut,
  newImage,
  aborted,
  locked,
  uninstalled,
};
