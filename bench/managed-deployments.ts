import { configMaps, deployments } from '@trimtab/kube/resource.ts';
import type { KubeObject } from '@trimtab/kube/wire.ts';
import { configRollouts } from 'trimtab/api/config-rollout.ts';
import type { BenchContext } from './row.ts';
import { watchFromNow } from './watch-from-now.ts';

interface DeploymentObject extends KubeObject {
  spec: { template: { spec: { volumes: { configMap: { name: string } }[] } } };
}

/** Reads from a Deployment what changes when the Deployment is patched. */
export type ReadTemplate = (deployment: DeploymentObject) => string;

/** Creates managed Deployments, each with its own ConfigMap. They have no pods: only the controller is measured. */
export async function createManaged(
  { client, namespace, signal, say }: BenchContext,
  count: number,
): Promise<void> {
  const names = Array.from({ length: count }, (_, index) => `app-${index}`);
  await inParallel(names, async (name, index) => {
    if (index % 100 === 0) say(`creating: ${index} of ${count} Deployments`);
    await client.create(
      configMaps,
      { ...object('v1', 'ConfigMap', namespace, name), data: { n: '0' } },
      { signal },
    );
    const config = { kind: 'ConfigMap', name };
    const rollout = {
      ...object('trimtab.dev/v1alpha1', 'ConfigRollout', namespace, `configmap-${name}`),
      spec: { config, strategy: { bakeSeconds: 0 } },
    };
    await client.create(configRollouts, rollout, { signal });
    await client.create(deployments, deployment(namespace, name, { 'trimtab.dev/manage': 'true' }), {
      signal,
    });
  });
}

/** Creates the same Deployments without Trimtab's annotations, for a peer. */
export async function createPlain(
  { client, namespace, signal }: BenchContext,
  count: number,
  annotations: Record<string, string> = {},
): Promise<void> {
  const names = Array.from({ length: count }, (_, index) => `app-${index}`);
  await inParallel(names, async (name) => {
    const config = { ...object('v1', 'ConfigMap', namespace, name), data: { n: '0' } };
    await client.create(configMaps, config, { signal });
    await client.create(deployments, deployment(namespace, name, annotations), { signal });
  });
}

export async function inParallel<T>(
  items: readonly T[],
  work: (item: T, index: number) => Promise<void>,
  workers = 32,
): Promise<void> {
  let next = 0;
  const worker = async () => {
    for (let index = next++; index < items.length; index = next++) await work(items[index] as T, index);
  };
  await Promise.all(Array.from({ length: workers }, worker));
}

export async function edit(
  { client, namespace, signal }: BenchContext,
  name: string,
  value: string,
): Promise<void> {
  await client.patch(
    configMaps,
    { namespace, name },
    { type: 'merge', body: { data: { n: value } } },
    { signal },
  );
}

interface TemplateWatcher {
  onTemplate(deployment: string, template: string): void;
  /** Called when the open watch has failed. */
  onFailure(error: unknown): void;
}

/** Watches Deployments and calls back with each name and what `read` returns. Resolves when the watch is open. */
export function watchTemplates(
  { client, namespace }: BenchContext,
  signal: AbortSignal,
  read: ReadTemplate,
  { onTemplate, onFailure }: TemplateWatcher,
): Promise<void> {
  const seen = (it: DeploymentObject) => onTemplate(it.metadata.name ?? '', read(it));
  return new Promise((resolve, reject) => {
    const onOpen = (items: KubeObject[]) => {
      for (const item of items) seen(item as DeploymentObject);
      resolve();
    };
    const watching = async () => {
      const options = { namespace, signal, onOpen };
      for await (const { object } of watchFromNow<DeploymentObject>(client, deployments, options))
        seen(object);
    };
    watching().catch((error: unknown) => {
      if (!signal.aborted) onFailure(error);
      reject(error);
    });
  });
}

/** The ConfigMap that the template mounts: Trimtab and the sketch replace it. */
export const mountedConfigMap: ReadTemplate = ({ spec }) =>
  spec?.template.spec.volumes[0]?.configMap.name ?? '';

/** The whole template: Reloader adds an environment variable or an annotation to it. */
export const wholeTemplate: ReadTemplate = ({ spec }) => JSON.stringify(spec?.template);

function object(apiVersion: string, kind: string, namespace: string, name: string) {
  return { apiVersion, kind, metadata: { namespace, name } };
}

function deployment(namespace: string, name: string, annotations: Record<string, string>) {
  const { metadata, ...type } = object('apps/v1', 'Deployment', namespace, name);
  const pod = {
    containers: [{ name: 'app', image: 'busybox', volumeMounts: [{ name: 'config', mountPath: '/config' }] }],
    volumes: [{ name: 'config', configMap: { name } }],
  };
  return {
    ...type,
    metadata: { ...metadata, annotations },
    spec: {
      replicas: 0,
      selector: { matchLabels: { app: name } },
      template: { metadata: { labels: { app: name } }, spec: pod },
    },
  };
}
