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
 * Deletes everything in a namespace. Pods go first, because they may still use other objects. Returns true when nothing
 * is left and the namespace's `kubernetes` finalizer is removed; until then the status lists what remains.
 */
export async function emptyNamespace(client: KubeClient, found: Namespace, now: number): Promise<boolean> {
  const { name = '' } = found.metadata;
  if ((await emptied(client, pods, name)) !== undefined) {
    // Other kinds have not been deleted or listed yet, so the status does not report them.
    await recordEvent(client, found, [], now);
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
    await recordEvent(client, found, remaining, now);
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

/** Deletes all objects of a kind, and returns those that remain. */
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

async function recordEvent(
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
