import type { KubeClient } from '@trimtab/kube/client.ts';
import { configMaps, type Resource } from '@trimtab/kube/resource.ts';
import { isNotFound } from '@trimtab/kube/transport/errors.ts';
import type { KubeObject } from '@trimtab/kube/wire.ts';
import type { Engine } from '@trimtab/test-bed/engines/engine.ts';
import { openLocalEngine } from '@trimtab/test-bed/engines/local-engine.ts';
import { waitFor } from '@trimtab/test-bed/watching/wait-for.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';

let engine: Engine;
let client: KubeClient;
let namespace: string;

beforeAll(async () => {
  engine = await openLocalEngine();
  client = await engine.connect();
  namespace = await engine.namespace();
});

afterAll(() => engine.close());

const definitions: Resource = {
  group: 'apiextensions.k8s.io',
  version: 'v1',
  plural: 'customresourcedefinitions',
  kind: 'CustomResourceDefinition',
  namespaced: false,
};

function definition(plural: string, served = true): KubeObject {
  const kind = `${plural.charAt(0).toUpperCase()}${plural.slice(1)}`;
  const spec = {
    group: 'garbage.test',
    scope: 'Namespaced',
    names: { plural, kind },
    versions: [{ name: 'v1', served, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
  };
  return { metadata: { name: `${plural}.garbage.test` }, spec } as KubeObject;
}

const isGone = (name: string) =>
  client.get(configMaps, { namespace, name }).then(
    () => false,
    (error: unknown) => {
      if (isNotFound(error)) return true;
      throw error;
    },
  );

async function owned(name: string, owner: KubeObject, kind = 'ConfigMap', apiVersion = 'v1'): Promise<void> {
  const { name: ownerName = '', uid = '' } = owner.metadata;
  const ownerReferences = [{ apiVersion, kind, name: ownerName, uid }];
  await client.create(configMaps, { metadata: { namespace, name, ownerReferences } });
}

async function collects(name: string): Promise<void> {
  const owner = await client.create(configMaps, { metadata: { namespace, name: `${name}-owner` } });
  await owned(name, owner);
  await client.delete(configMaps, { namespace, name: `${name}-owner` });
  await waitFor(`${name} is collected`, async () =>
    (await isGone(name)) ? { met: true } : { seen: 'there' },
  );
}

test('kinds that go as soon as they come do not hold it up', async () => {
  for (let n = 0; n < 5; n++) {
    const plural = `flies${n}`;
    await client.create(definitions, definition(plural));
    await client.delete(definitions, { name: `${plural}.garbage.test` });
    await collects(`after-${plural}`);
  }
});

test('what belongs to a kind that is only not served any more stays, and goes when its owner has gone', async () => {
  const bugs: Resource = {
    group: 'garbage.test',
    version: 'v1',
    plural: 'bugs',
    kind: 'Bugs',
    namespaced: true,
  };
  const name = 'bugs.garbage.test';
  await client.create(definitions, definition('bugs'));
  const owner = await waitFor('the kind is served', async () => {
    const met = await client.create(bugs, {
      apiVersion: 'garbage.test/v1',
      kind: 'Bugs',
      metadata: { namespace, name: 'a' },
    });
    return { met };
  });
  await owned('of-a-bug', owner, 'Bugs', 'garbage.test/v1');
  const serve = (served: boolean) =>
    client.patch(
      definitions,
      { name },
      {
        type: 'json',
        operations: [{ op: 'replace', path: '/spec/versions/0/served', value: served }],
      },
    );
  await serve(false);
  await collects('after-serving');
  expect(await isGone('of-a-bug')).toBe(false);
  await serve(true);
  await waitFor('the owner can be deleted', async () => ({
    met: await client.delete(bugs, { namespace, name: 'a' }),
  }));
  await waitFor('the dependent of the deleted owner is collected', async () =>
    (await isGone('of-a-bug')) ? { met: true } : { seen: 'there' },
  );
});
