import { configMaps, deployments, pods } from '@trimtab/kube/resource.ts';
import type { KubeObject, WatchEvent } from '@trimtab/kube/wire.ts';
import { configMap } from '@trimtab/test-bed/objects/config-map.ts';
import { deployment } from '@trimtab/test-bed/objects/deployment.ts';
import { mountingConfigMap, type PodTemplate } from '@trimtab/test-bed/objects/pod-template.ts';
import { configRollouts } from 'trimtab/api/config-rollout.ts';
import { findReferences } from 'trimtab/core/references/references.ts';
import { managed } from '../../packages/trimtab/test/support/managed.ts';
import { type App, runningTheApp, SimulatedApp } from '../../packages/trimtab/test/support/simulated-app.ts';
import { startController } from '../bench-controller.ts';
import { inParallel } from '../managed-deployments.ts';
import { Mounts } from '../mounts.ts';
import { percentile } from '../percentile.ts';
import type { BenchContext, Row } from '../row.ts';
import { settle } from '../settle.ts';

interface Pod extends KubeObject {
  spec: PodTemplate['spec'];
  status?: { containerStatuses?: { restartCount: number; state?: { terminated?: object } }[] };
}

const app: App = ({ n }) => (n === 'broken' ? { crashes: 'no such n', exitCode: 3 } : 'works');

/** Budget: a workload has its previous version back at most 2 s after the second crash. */
export const crashToRevert: Row = {
  name: 'crash-to-revert',
  what: 'from the second crash of a new pod to the template that references the previous version',
  async run(context) {
    const { count = 20, namespace, client, signal, say } = context;
    const names = Array.from({ length: count }, (_, index) => `app-${index}`);
    const controller = await startController(context);
    await using _ = await SimulatedApp.start(client, namespace, app);
    const stop = new AbortController();
    const until = AbortSignal.any([stop.signal, signal]);
    try {
      await inParallel(names, (name) => createApp(context, name), 4);
      const mounts = await Mounts.watch(context, until);
      const crashes = await watchSecondCrashes(context, until);
      await Promise.all(names.map((name) => mounts.changed(name, name)));
      say('crash-to-revert: waiting for the first versions to become current');
      await settle(controller, 3);
      const taken: number[] = [];
      for (const name of names) {
        say(`crash-to-revert: ${name} of ${count}`);
        const good = mounts.of(name);
        await mounts.editAndWait(name, 'broken');
        const bad = mounts.of(name);
        const crashedAt = await crashes.of(bad);
        taken.push((await mounts.changed(name, bad)) - crashedAt);
        if (mounts.of(name) !== good) throw new Error(`${name} was not reverted to ${good}`);
      }
      return {
        ours: 'controller',
        peer: 'no peer reverts',
        how: `second termination of a pod observed on a watch → Deployment with the previous version observed on a watch; ${count} bad versions one by one, pods simulated by KWOK`,
        figures: [
          { what: 'p50', unit: 's', ours: percentile(taken, 50) / 1000, budget: '≤ 2' },
          { what: 'longest', unit: 's', ours: percentile(taken, 100) / 1000, budget: '≤ 2' },
        ],
      };
    } finally {
      stop.abort();
      await controller.stop();
    }
  },
};

async function createApp({ client, namespace, signal }: BenchContext, name: string): Promise<void> {
  const inside = <T extends KubeObject>(object: T): T => ({
    ...object,
    metadata: { ...object.metadata, namespace },
  });
  const rollout = {
    apiVersion: 'trimtab.dev/v1alpha1',
    kind: 'ConfigRollout',
    metadata: { name: `configmap-${name}` },
    spec: { config: { kind: 'ConfigMap', name }, strategy: { bakeSeconds: 0 } },
  };
  await client.create(configMaps, inside(configMap(name, { n: '0' })), { signal });
  await client.create(configRollouts, inside(rollout), { signal });
  const web = deployment(name, mountingConfigMap(name, '/etc/app'), runningTheApp, managed);
  await client.create(deployments, inside(web), { signal });
}

/** Watches pods; `of` resolves with the time at which a pod of that version terminated for the second time. */
async function watchSecondCrashes({ client, namespace }: BenchContext, signal: AbortSignal) {
  const seen = new Map<string, PromiseWithResolvers<number>>();
  const of = (copy: string) => {
    const known = seen.get(copy) ?? Promise.withResolvers<number>();
    seen.set(copy, known);
    return known;
  };
  const { metadata } = await client.list(pods, { namespace, signal });
  const stream = await client.watch(pods, {
    namespace,
    timeoutSeconds: 3_600,
    resourceVersion: metadata.resourceVersion ?? '',
    signal,
  });
  void (async () => {
    for await (const { object } of stream.events as AsyncIterable<WatchEvent<Pod>>) {
      const crashed = object.status?.containerStatuses?.some(
        ({ restartCount, state }) => restartCount === 1 && state?.terminated !== undefined,
      );
      if (!crashed) continue;
      for (const { name } of findReferences({ spec: object.spec })) of(name).resolve(performance.now());
    }
  })().catch(() => {});
  return { of: (copy: string) => of(copy).promise };
}
