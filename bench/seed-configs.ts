import { randomBytes } from 'node:crypto';
import { configMaps, type Resource, secrets } from '@trimtab/kube/resource.ts';
import type { KubeObject } from '@trimtab/kube/wire.ts';
import type { BenchContext } from './row.ts';

const writers = 16;

/** Creates ConfigMaps with random text, which compression cannot make smaller than real content. */
export function seedConfigMaps(context: BenchContext, count: number, bytesEach: number): Promise<void> {
  return seed(context, configMaps, count, () => ({ data: { text: randomText(bytesEach) } }));
}

/** Creates Secrets with random text. */
export function seedSecrets(context: BenchContext, count: number, bytesEach: number): Promise<void> {
  return seed(context, secrets, count, () => ({ stringData: { text: randomText(bytesEach) } }));
}

async function seed(
  { client, namespace, say, signal }: BenchContext,
  resource: Resource,
  count: number,
  content: () => object,
): Promise<void> {
  const { kind } = resource;
  let next = 0;
  async function writer(): Promise<void> {
    for (let index = next++; index < count; index = next++) {
      if (index % 500 === 0) say(`seeding: ${index} of ${count} ${kind}s`);
      const metadata = { namespace, name: `seed-${index}`, labels: { app: `shop-${index % 100}` } };
      const object: KubeObject = { apiVersion: 'v1', kind, metadata, ...content() };
      await client.create(resource, object, { signal });
    }
  }
  await Promise.all(Array.from({ length: writers }, writer));
}

function randomText(bytes: number): string {
  return randomBytes(Math.ceil((bytes * 3) / 4))
    .toString('base64')
    .slice(0, bytes);
}
