import { waitFor } from '@trimtab/test-bed/watching/wait-for.ts';
import { expect } from 'vitest';
import { contract } from '../contract.ts';
import type { Target } from '../target.ts';
import { told } from '../watch.ts';
import { groupOf } from '../widgets.ts';

const crds = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const anything = {
  openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
};

interface Defined {
  /** Path of the definition. */
  path: string;
  collection: string;
  create(name: string): Promise<number>;
}

/** Defines a kind for one case and waits until it is served. */
async function defined(target: Target, kind: string): Promise<Defined> {
  const group = groupOf(target);
  const plural = `${kind.toLowerCase()}s`;
  const version = (name: string, storage: boolean) => ({ name, served: true, storage, schema: anything });
  await target.createForAll(crds, {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: { plural, kind },
      versions: [version('v1', true), version('v1beta1', false)],
    },
  } as { metadata: { name: string } });
  const collection = target.group(`${group}/v1`, plural);
  await waitFor('the kind is served', async () => {
    const { code } = await target.api.get(collection);
    return code === 200 ? { met: true } : { seen: String(code) };
  });
  return {
    path: `${crds}/${plural}.${group}`,
    collection,
    async create(name) {
      const object = { apiVersion: `${group}/v1`, kind, metadata: { name } };
      return (await target.api.post(collection, object)).code;
    },
  };
}

contract('watches of custom resources', (it) => {
  it('a watch tells the last objects of a definition that goes, and ends with it', async (target) => {
    const { path, collection, create } = await defined(target, 'Leaf');
    expect(await create('last')).toBe(201);
    await using watch = await target.api.watch(collection);
    expect(told(await watch.next(1))).toEqual(['ADDED last']);
    await target.api.delete(path);
    expect(told(await watch.rest())).toEqual(['DELETED last']);
  });

  it('a watch ends when the definition changes, and can be opened again', async (target) => {
    const { path, collection, create } = await defined(target, 'Twig');
    expect(await create('kept')).toBe(201);
    await using watch = await target.api.watch(collection);
    expect(told(await watch.next(1))).toEqual(['ADDED kept']);
    await target.api.patch(path, 'json', [
      { op: 'add', path: '/spec/versions/0/additionalPrinterColumns', value: [] },
      { op: 'add', path: '/spec/names/shortNames', value: ['tw'] },
    ]);
    expect(await watch.rest()).toEqual([]);
    // A server may apply the change in two steps, the names and their acceptance: a watch between the two also ends.
    const seen = await waitFor('it can be watched again', async () => {
      await using again = await target.api.watch(collection, { timeoutSeconds: '2' });
      const events = told(await again.rest());
      return events.length > 0 ? { met: events } : { seen: 'it ended at once' };
    });
    expect(seen).toEqual(['ADDED kept']);
  });

  it('a watch of a version that is served no more ends', async (target) => {
    const { path, collection } = await defined(target, 'Bark');
    await using watch = await target.api.watch(collection.replace('/v1/', '/v1beta1/'));
    await target.api.patch(path, 'json', [{ op: 'replace', path: '/spec/versions/1/served', value: false }]);
    expect(await watch.rest()).toEqual([]);
  });

  it('a label on the definition is nothing to a watch', async (target) => {
    const { path, collection, create } = await defined(target, 'Root');
    await using watch = await target.api.watch(collection);
    await target.api.patch(path, 'merge', { metadata: { labels: { a: 'b' } } });
    expect(await create('heard')).toBe(201);
    expect(told(await watch.next(1))).toEqual(['ADDED heard']);
  });
});
