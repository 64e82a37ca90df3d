import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { KubeClient } from '@trimtab/kube/client.ts';
import { configMaps, namespaces, resourcePath } from '@trimtab/kube/resource.ts';
import { isNotFound } from '@trimtab/kube/transport/errors.ts';

/** Hands `use` a namespace of its own and waits until it has gone again: the next row finds a quiet server. */
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
    say(`removing namespace ${name}`);
    await remove(client, name);
  }
}

async function remove(client: KubeClient, name: string): Promise<void> {
  const timeoutMs = 300_000;
  // One request for all of them: the namespace controller would do the same, but only after a while.
  await client.raw({ method: 'DELETE', path: resourcePath(configMaps, { namespace: name }), timeoutMs });
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
