import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { KubeClient } from '@trimtab/kube/client.ts';
import { configMaps, namespaces, resourcePath, secrets } from '@trimtab/kube/resource.ts';
import { isNotFound } from '@trimtab/kube/transport/errors.ts';

/** Runs `use` with a new namespace and waits until that is deleted, so that the next row finds an idle server. */
export async function withNamespace<T>(
  client: KubeClient,
  say: (progress: string) => void,
  use: (namespace: string) => Promise<T>,
): Promise<T> {
  const name = `bench-${randomBytes(4).toString('hex')}`;
  await client.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  try {
    return await use(name);
  } finally {
    say(`deleting namespace ${name}`);
    await remove(client, name);
  }
}

async function remove(client: KubeClient, name: string): Promise<void> {
  const timeoutMs = 300_000;
  // The namespace controller would send the same deletecollection requests, but only after a delay.
  for (const resource of [configMaps, secrets])
    await client.raw({ method: 'DELETE', path: resourcePath(resource, { namespace: name }), timeoutMs });
  await client.delete(namespaces, { name });
  for (;;) {
    try {
      await client.get(namespaces, { name });
    } catch (error) {
      if (isNotFound(error)) return;
      throw error;
    }
    await delay(250);
  }
}
