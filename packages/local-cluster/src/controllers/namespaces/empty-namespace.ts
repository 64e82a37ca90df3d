import { isDeepStrictEqual } from 'node:util';
import type { KubeClient } from '@trimtab/kube/client.ts';
import { apiVersion, namespaces, pods, type Resource, resourcePath } from '@trimtab/kube/resource.ts';
import { isNotFound } from '@trimtab/kube/transport/errors.ts';
import type { KubeObject } from '@trimtab/kube/wire.ts';
import { timestamp } from '../../objects/timestamp.ts';
import { servedKinds } from '../host/served-kinds.ts';
import { deletionConditions, type NamespaceCondition, type Remaining } from './deletion-conditions.ts';

interface Namespace extends KubeObject {
  spec?: { finalizers?: string[] };
  status?: { phase?: string; conditions?: NamespaceCondition[] };
}

/**
 * Deletes everything in a namespace, pods before what they may still use; true when nothing was left and the namespace
 * was let go. Meanwhile its status tells what it waits for.
 */
export async function emptyNamespace(client: KubeClient, found: Namespace, now: number): Promise<boolean> {
  const { name = '' } = found.metadata;
  if ((await emptied(client, pods, name)) !== undefined) {
    // Nothing else was looked at yet, so nothing is told of it.
    await tell(client, found, [], now);
    return false;
  }
  const remaining: Remaining[] = [];
  for (const resource of await servedKinds(client)) {
    const { preferred, namespaced, verbs } = resource;
    if (!preferred || !namespaced || !verbs.includes('deletecollection')) continue;
    const left = await emptied(client, resource, name);
    if (left !== undefined) remaining.push(left);
  }
  if (remaining.length > 0) {
    await tell(client, found, remaining, now);
    return false;
  }
  const finalizers = (found.spec?.finalizers ?? []).filter((each) => each !== 'kubernetes');
  const body = { apiVersion: apiVersion(namespaces), kind: namespaces.kind, ...found, spec: { finalizers } };
  await client
    .raw({ method: 'PUT', path: resourcePath(namespaces, { name, subresource: 'finalize' }), body })
    .catch((error: unknown) => {
      if (!isNotFound(error)) throw error;
    });
  return true;
}

/** What is left of a kind after everything of it was deleted. */
async function emptied(
  client: KubeClient,
  resource: Resource,
  namespace: string,
): Promise<Remaining | undefined> {
  await client.raw({ method: 'DELETE', path: resourcePath(resource, { namespace }) });
  const { items } = await client.list(resource, { namespace, projection: 'metadata' });
  if (items.length === 0) return undefined;
  const finalizers = items.map(({ metadata }) => metadata.finalizers ?? []);
  return { kind: `${resource.plural}.${resource.group}`, finalizers };
}

async function tell(
  client: KubeClient,
  found: Namespace,
  remaining: readonly Remaining[],
  now: number,
): Promise<void> {
  const before = found.status?.conditions ?? [];
  const conditions = deletionConditions(before, remaining, timestamp(now));
  if (isDeepStrictEqual(conditions, before)) return;
  const status = { ...found.status, conditions };
  await client.update<Namespace>(namespaces, { ...found, status }, { subresource: 'status' });
}
