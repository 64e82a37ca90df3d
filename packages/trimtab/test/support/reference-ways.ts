import type { KubeClient } from '@trimtab/kube/client.ts';
import { pods } from '@trimtab/kube/resource.ts';
import type { KubeObject } from '@trimtab/kube/wire.ts';
import type { Engine } from '@trimtab/test-bed/engines/engine.ts';
import { applyObjects, removeObjects } from '@trimtab/test-bed/story/apply-objects.ts';
import { waitFor } from '@trimtab/test-bed/watching/wait-for.ts';
import { annotations } from '../../src/api/names.ts';
import type { PodTemplate } from '../../src/api/pod-template.ts';
import { installation } from '../../src/controller/manifests/installation.ts';
import { movePolicy } from '../../src/controller/manifests/move-policy.ts';
import { guardPods, podPolicies } from '../../src/controller/manifests/pod-policies.ts';
import type { ReferenceWay } from '../../src/core/references/reference-way.ts';
import { refusalOf } from '../controller/installed-manifests.ts';
import type { ControllerOptions } from './controller-process.ts';

/** The way in which stories reference configs. Each of them runs in both ways. */
export const usualWay: ReferenceWay =
  process.env['STORIES_REFERENCES'] === 'admission' ? 'admission' : 'template';

/** Flags of a controller whose workloads get versions in the usual way of this run, where everything is installed. */
export const usualWayFlags = ['--references', usualWay];

/** A controller whose workloads get versions in the usual way of this run, with the policies that it needs. */
export async function inUsualWay(
  engine: Engine,
  namespace: string,
  options: ControllerOptions,
): Promise<{ options: ControllerOptions; undo: () => Promise<void> }> {
  if (usualWay === 'template') return { options, undo: async () => {} };
  const undo = await podsAreRewritten(engine, namespace);
  const flags = [...usualWayFlags, '--mutating-policies', ...(options.flags ?? [])];
  return { options: { ...options, flags }, undo };
}

/** Installs the policies that write versions into pods; returns what removes them. */
export async function podsAreRewritten(engine: Engine, namespace: string): Promise<() => Promise<void>> {
  const client = await engine.connect();
  const objects = [
    ...movePolicy(installation({ namespaces: [namespace] })),
    ...guardPods(installation({ namespaces: [namespace] }), { mutatingPolicies: true }),
    ...podPolicies(installation({ namespaces: [namespace] })),
  ];
  await applyObjects(client, objects);
  await podsGetVersions(client, namespace);
  return () => removeObjects(client, objects);
}

/** Waits with dry runs until the API server evaluates the policies of pods, each of which it observes through a watch. */
export async function podsGetVersions(client: KubeClient, namespace: string): Promise<void> {
  await waitFor('the guard refuses pods', async () => {
    const refusal = await refusalOf(client.create(pods, probe(namespace, 'not valid'), { dryRun: true }));
    return refusal?.includes('is not valid') ? { met: true } : { seen: refusal ?? 'admitted' };
  });
  await waitFor('the policy writes versions into pods', async () => {
    const answer = await client.create<KubeObject & PodTemplate>(
      pods,
      probe(namespace, 'configmap/before=after'),
      {
        dryRun: true,
      },
    );
    const name = answer.spec?.volumes?.[0]?.configMap?.name;
    return name === 'after' ? { met: true } : { seen: name ?? 'no volume' };
  });
}

function probe(namespace: string, versions: string): KubeObject {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: 'probe',
      namespace,
      annotations: { [annotations.versions]: versions },
    },
    spec: {
      containers: [{ name: 'app', image: 'registry.example/app:1' }],
      volumes: [{ name: 'config', configMap: { name: 'before' } }],
    },
  } as KubeObject;
}
