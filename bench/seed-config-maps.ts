import { randomBytes } from 'node:crypto';
import { configMaps } from '@trimtab/kube/resource.ts';
import type { KubeObject } from '@trimtab/kube/wire.ts';
import type { BenchContext } from './row.ts';

const writers = 16;

/** Creates ConfigMaps with random text, which compression cannot make smaller than real content. */
export async function seedConfigMaps(context: BenchContext, count: number, bytesEach: number): Promise<void> {
  const { client, namespace, say, signal } = context;
  let next = 0;
  async function writer(): Promise<void> {
    for (let index = next++; index < count; index = next++) {
      if (index % 500 === 0) say(`seeding: ${index} of ${count} ConfigMaps`);
      const object: KubeObject & { data: Record<string, string> } = {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { namespace, name: `seed-${index}`, labels: { app: `shop-${index % 100}` } },
        data: {
          text: randomBytes(Math.ceil((bytesEach * 3) / 4))
            .toString('base64')
            .slice(0, bytesEach),
        },
      };
      await client.create(configMaps, object, { signal });
    }
  }
  await Promise.all(Array.from({ length: writers }, writer));
}
