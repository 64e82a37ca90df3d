import { configMaps, deployments } from '@trimtab/kube/resource.ts';
import type { KubeObject } from '@trimtab/kube/wire.ts';
import { configMap } from '@trimtab/test-bed/objects/config-map.ts';
import { deployment } from '@trimtab/test-bed/objects/deployment.ts';
import { mountingConfigMap } from '@trimtab/test-bed/objects/pod-template.ts';
import { configRollouts } from 'trimtab/api/config-rollout.ts';
import { managed } from '../../packages/trimtab/test/support/managed.ts';
import { type App, runningTheApp, SimulatedApp } from '../../packages/trimtab/test/support/simulated-app.ts';
import { startController } from '../bench-controller.ts';
import { withNamespace } from '../bench-namespace.ts';
import { startSketch } from '../bench-sketch.ts';
import { inParallel } from '../managed-deployments.ts';
import { percentile } from '../percentile.ts';
import type { BenchContext, Measurement, Row } from '../row.ts';
import { SecondCrashes } from '../second-crashes.ts';
import { settle } from '../settle.ts';
import { Templates } from '../templates.ts';

const app: App = ({ n }) => (n === 'broken' ? { crashes: 'no such n', exitCode: 3 } : 'works');

/** Budget: a workload has its previous version back at most 2 s after the second crash. */
export const crashToRevert: Row = {
  name: 'crash-to-revert',
  what: 'from the second crash of a new pod to the template that references the previous version',
  run: (context) =>
    withNamespace(context.client, context.say, (namespace) => measure(context, { ...context, namespace })),
};

/** Breaks one app after the other, each with the controller and with the sketch, in their own namespaces. */
async function measure(context: BenchContext, peerContext: BenchContext): Promise<Measurement> {
  const { count = 20, client, signal, say } = context;
  const names = Array.from({ length: count }, (_, index) => `app-${index}`);
  const controller = await startController(context);
  const sketch = await startSketch('sketch-revert-process', peerContext);
  await using _ours = await SimulatedApp.start(client, context.namespace, app);
  await using _peers = await SimulatedApp.start(client, peerContext.namespace, app);
  const stop = new AbortController();
  const until = AbortSignal.any([stop.signal, signal]);
  try {
    await inParallel(names, (name) => createManagedApp(context, name), 4);
    await inParallel(names, (name) => createPlainApp(peerContext, name), 4);
    const ours = await observe(context, until);
    const peer = await observe(peerContext, until);
    await Promise.all(names.map((name) => ours.templates.changed(name, name)));
    say('crash-to-revert: waiting for the first versions to become current');
    await settle(controller, 3);
    for (const name of names) {
      say(`crash-to-revert: ${name} of ${count}`);
      await untilReverted(peer, name, () => mountBroken(peerContext, peer.templates, name));
      await untilReverted(ours, name, async () => {
        await ours.templates.editAndWait(name, 'broken');
      });
    }
    const figure = (what: string, percent: number) => ({
      what,
      unit: 'ms',
      ours: percentile(ours.taken, percent),
      peer: percentile(peer.taken, percent),
      budget: { atMost: 2_000 },
    });
    return {
      ours: 'controller',
      peer: 'sketch',
      how: `second termination of a pod observed on a watch → Deployment with the previous version observed on a watch; ${count} bad versions one by one, pods simulated by KWOK. The sketch only watches pods and patches the Deployment back`,
      figures: [figure('p50', 50), figure('longest', 100)],
    };
  } finally {
    stop.abort();
    await sketch.stop();
    await controller.stop();
  }
}

interface Side {
  templates: Templates;
  crashes: SecondCrashes;
  /** Milliseconds from the second crash to the revert. */
  taken: number[];
}

async function observe(context: BenchContext, signal: AbortSignal): Promise<Side> {
  const templates = await Templates.watch(context, signal);
  return { templates, crashes: await SecondCrashes.watch(context, signal), taken: [] };
}

async function untilReverted(
  { templates, crashes, taken }: Side,
  name: string,
  breakIt: () => Promise<void>,
): Promise<void> {
  const good = templates.of(name);
  await breakIt();
  const bad = templates.of(name);
  const crashedAt = await crashes.of(bad);
  taken.push((await templates.changed(name, bad)) - crashedAt);
  if (templates.of(name) !== good) throw new Error(`${name} was not reverted to ${good}`);
}

/** The sketch makes no versions, so the benchmark patches the Deployment itself. */
async function mountBroken(
  { client, namespace, signal }: BenchContext,
  templates: Templates,
  name: string,
): Promise<void> {
  const path = '/spec/template/spec/volumes/0/configMap/name';
  const operations = [{ op: 'replace' as const, path, value: brokenOf(name) }];
  const changed = templates.changed(name, templates.of(name));
  await client.patch(deployments, { namespace, name }, { type: 'json', operations }, { signal });
  await changed;
}

const brokenOf = (name: string) => `${name}-broken`;

async function createManagedApp(context: BenchContext, name: string): Promise<void> {
  const { client, namespace, signal } = context;
  const rollout = {
    apiVersion: 'trimtab.dev/v1alpha1',
    kind: 'ConfigRollout',
    metadata: { name: `configmap-${name}` },
    spec: { config: { kind: 'ConfigMap', name }, strategy: { bakeSeconds: 0 } },
  };
  await client.create(configMaps, inside(namespace, configMap(name, { n: '0' })), { signal });
  await client.create(configRollouts, inside(namespace, rollout), { signal });
  const web = deployment(name, mountingConfigMap(name, '/etc/app'), runningTheApp, managed);
  await client.create(deployments, inside(namespace, web), { signal });
}

async function createPlainApp({ client, namespace, signal }: BenchContext, name: string): Promise<void> {
  await client.create(configMaps, inside(namespace, configMap(name, { n: '0' })), { signal });
  await client.create(configMaps, inside(namespace, configMap(brokenOf(name), { n: 'broken' })), { signal });
  const web = deployment(name, mountingConfigMap(name, '/etc/app'), runningTheApp);
  await client.create(deployments, inside(namespace, web), { signal });
}

function inside<T extends KubeObject>(namespace: string, object: T): T {
  return { ...object, metadata: { ...object.metadata, namespace } };
}
