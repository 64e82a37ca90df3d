import type { KubeClient } from '@trimtab/kube/client.ts';
import { type Clock, sleep } from '@trimtab/kube/clock.ts';
import { deployments, pods, type Resource, replicaSets } from '@trimtab/kube/resource.ts';
import { isConflict, isNotFound } from '@trimtab/kube/transport/errors.ts';
import type { KubeObject } from '@trimtab/kube/wire.ts';
import type { PodTemplate, Templated } from '@trimtab/test-bed/objects/pod-template.ts';
import { behaviourAnnotation } from '@trimtab/test-bed/simulated-pods/behaviour.ts';
import { annotations as names } from '../../../src/api/names.ts';
import { formatAssignedVersions } from '../../../src/core/references/assigned-versions.ts';
import { configKey } from '../../../src/core/references/config-key.ts';
import { findReferences } from '../../../src/core/references/references.ts';
import { mayBeVersionOf } from '../../../src/core/version/object-names.ts';

/** What users do to workloads with kubectl, by the same requests. */

type Where = { namespace: string; name: string };

export async function scaleTo(
  client: KubeClient,
  resource: Resource,
  where: Where,
  replicas: number,
): Promise<void> {
  await client.patch(resource, where, { type: 'merge', body: { spec: { replicas } } });
}

/** `kubectl annotate` with `trimtab.dev/manage=false` */
export async function optOut(client: KubeClient, resource: Resource, where: Where): Promise<void> {
  const body = { metadata: { annotations: { [names.manage]: 'false' } } };
  await client.patch(resource, where, { type: 'merge', body });
}

/** `trimtab pin`: the workload keeps what its template names for these configs. */
export async function pin(
  client: KubeClient,
  resource: Resource,
  where: Where,
  configs: readonly { kind: 'ConfigMap' | 'Secret'; name: string }[],
): Promise<void> {
  const { spec } = await client.get<KubeObject & Templated>(resource, where);
  const found = findReferences(spec.template);
  const kept = configs.flatMap(({ kind, name }) => {
    const reference = found.find((each) => each.kind === kind && mayBeVersionOf(name, each.name));
    return reference === undefined ? [] : [[configKey(kind, name), reference.name] as const];
  });
  const body = { metadata: { annotations: { [names.pin]: formatAssignedVersions(new Map(kept)) } } };
  await client.patch(resource, where, { type: 'merge', body });
}

/** `trimtab unpin` */
export async function unpin(client: KubeClient, resource: Resource, where: Where): Promise<void> {
  const body = { metadata: { annotations: { [names.pin]: null } } };
  await client.patch(resource, where, { type: 'merge', body });
}

/** `kubectl rollout restart` */
export async function restart(
  client: KubeClient,
  resource: Resource,
  where: Where,
  time: string,
): Promise<void> {
  const annotations = { 'kubectl.kubernetes.io/restartedAt': time };
  const body = { spec: { template: { metadata: { annotations } } } };
  await client.patch(resource, where, { type: 'merge', body });
}

/** `kubectl apply` of a manifest: what it says about containers and volumes is restored. */
export async function reapply(
  client: KubeClient,
  resource: Resource,
  where: Where,
  manifest: Templated,
): Promise<void> {
  const { containers, volumes } = manifest.spec.template.spec;
  for (;;) {
    const workload = await client.get<KubeObject & Templated>(resource, where);
    Object.assign(workload.spec.template.spec, { containers, volumes });
    try {
      await client.update(resource, workload);
      return;
    } catch (error) {
      if (!isConflict(error)) throw error;
    }
  }
}

const revisionAnnotation = 'deployment.kubernetes.io/revision';
/** Annotations that `kubectl rollout undo` leaves on a Deployment; all others come from the ReplicaSet. */
const keptByUndo = new Set([
  'kubectl.kubernetes.io/last-applied-configuration',
  revisionAnnotation,
  'deployment.kubernetes.io/revision-history',
  'deployment.kubernetes.io/desired-replicas',
  'deployment.kubernetes.io/max-replicas',
]);

interface ReplicaSet extends KubeObject {
  spec: { template: PodTemplate };
}

/**
 * `kubectl rollout undo deployment`: the template and the annotations of the revision before the last one. Labels of the
 * Deployment stay. Does nothing when there is no such revision.
 */
export async function undo(client: KubeClient, { namespace, name }: Where): Promise<void> {
  const workload = await client.get(deployments, { namespace, name });
  const { items } = await client.list<ReplicaSet>(replicaSets, { namespace, labelSelector: `app=${name}` });
  const revision = ({ metadata }: KubeObject) => Number(metadata.annotations?.[revisionAnnotation] ?? 0);
  const previous = items
    .filter(({ metadata }) => metadata.ownerReferences?.some(({ uid }) => uid === workload.metadata.uid))
    .toSorted((a, b) => revision(b) - revision(a))[1];
  if (previous === undefined) return;
  const template = structuredClone(previous.spec.template);
  delete template.metadata.labels?.['pod-template-hash'];
  const pick = (annotations: Record<string, string> | undefined, kept: boolean) =>
    Object.entries(annotations ?? {}).filter(([key]) => keptByUndo.has(key) === kept);
  const annotations = Object.fromEntries([
    ...pick(workload.metadata.annotations, true),
    ...pick(previous.metadata.annotations, false),
  ]);
  const operations = [
    { op: 'replace' as const, path: '/spec/template', value: template },
    { op: 'replace' as const, path: '/metadata/annotations', value: annotations },
  ];
  await client.patch(deployments, { namespace, name }, { type: 'json', operations });
}

interface CountingPod extends KubeObject {
  status?: { containerStatuses?: { restartCount: number }[] };
}

/** The containers of a workload crash some times and work again: the pods stay, with restarts in their past. */
export async function crashForAWhile(
  client: KubeClient,
  clock: Clock,
  { namespace, name }: Where,
): Promise<void> {
  const selection = { namespace, labelSelector: `app=${name}` };
  const behave = async (behaviour: string | null) => {
    const { items } = await client.list<CountingPod>(pods, selection);
    const body = { metadata: { annotations: { [behaviourAnnotation]: behaviour } } };
    for (const { metadata } of items)
      await client
        .patch(pods, { namespace, name: metadata.name ?? '' }, { type: 'merge', body })
        .catch(unlessGone);
  };
  await behave('crash-loop');
  for (;;) {
    const { items } = await client.list<CountingPod>(pods, selection);
    const counts = items.map(({ status }) => status?.containerStatuses?.[0]?.restartCount ?? 0);
    if (Math.min(...counts) > 1) break;
    await sleep(clock, 200);
  }
  await behave(null);
}

function unlessGone(error: unknown): void {
  if (!isNotFound(error)) throw error;
}
