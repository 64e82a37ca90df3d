import fc from 'fast-check';
import { expect, test } from 'vitest';
import { typeNamed } from '../schema/type.ts';
import { PatchProblem } from './patch-problem.ts';
import { strategicMergePatch } from './strategic-merge-patch.ts';

const pod = typeNamed('io.k8s.api.core.v1.Pod');
const containers = (...list: object[]) => ({ spec: { containers: list } });

test.each([
  [
    'a container is known by its name',
    containers({ name: 'a', image: '1' }, { name: 'b' }),
    containers({ name: 'a', image: '2' }),
    containers({ name: 'a', image: '2' }, { name: 'b' }),
  ],
  [
    'a new container comes first, as in the patch',
    containers({ name: 'a' }),
    containers({ name: 'b' }),
    containers({ name: 'b' }, { name: 'a' }),
  ],
  [
    'a container can be deleted',
    containers({ name: 'a' }, { name: 'b' }),
    containers({ name: 'a', $patch: 'delete' }),
    containers({ name: 'b' }),
  ],
  [
    'the whole list can be replaced',
    containers({ name: 'a' }),
    containers({ $patch: 'replace' }, { name: 'c' }),
    containers({ name: 'c' }),
  ],
  [
    'lists inside of lists have keys of their own',
    containers({ name: 'a', env: [{ name: 'X', value: '1' }] }),
    containers({ name: 'a', env: [{ name: 'Y', value: '2' }] }),
    containers({
      name: 'a',
      env: [
        { name: 'Y', value: '2' },
        { name: 'X', value: '1' },
      ],
    }),
  ],
  [
    'args have no key and are replaced',
    containers({ name: 'a', args: ['x', 'y'] }),
    containers({ name: 'a', args: ['z'] }),
    containers({ name: 'a', args: ['z'] }),
  ],
  [
    'null deletes',
    { metadata: { labels: { a: 'b', c: 'd' } } },
    { metadata: { labels: { a: null } } },
    { metadata: { labels: { c: 'd' } } },
  ],
  [
    'a map can be replaced',
    { metadata: { labels: { a: 'b' } } },
    { metadata: { labels: { $patch: 'replace', c: 'd' } } },
    { metadata: { labels: { c: 'd' } } },
  ],
  [
    'finalizers are a set',
    { metadata: { finalizers: ['a', 'b'] } },
    { metadata: { finalizers: ['b'] } },
    { metadata: { finalizers: ['a', 'b'] } },
  ],
  [
    'a finalizer can be taken out',
    { metadata: { finalizers: ['a', 'b'] } },
    { metadata: { '$deleteFromPrimitiveList/finalizers': ['a'] } },
    { metadata: { finalizers: ['b'] } },
  ],
  [
    'an order can be given',
    containers({ name: 'a' }, { name: 'b' }),
    { spec: { '$setElementOrder/containers': [{ name: 'b' }, { name: 'a' }] } },
    containers({ name: 'b' }, { name: 'a' }),
  ],
  [
    'retainKeys drops the other kinds of a volume',
    { spec: { volumes: [{ name: 'v', emptyDir: {} }] } },
    { spec: { volumes: [{ name: 'v', $retainKeys: ['name', 'configMap'], configMap: { name: 'c' } }] } },
    { spec: { volumes: [{ name: 'v', configMap: { name: 'c' } }] } },
  ],
])('%s', (_story, original, patch, expected) => {
  expect(strategicMergePatch(original, patch, pod)).toEqual(expected);
});

test.each([
  [{ metadata: { labels: { $patch: 'jump' } } }, 'unknown patch type: jump in map: map[$patch:jump]'],
  [containers({ image: 'x' }), 'map: map[image:x] does not contain declared merge key: name'],
])('%j is refused in the words of the real API server', (patch, message) => {
  expect(() => strategicMergePatch(containers({ name: 'a' }), patch, pod)).toThrow(new PatchProblem(message));
});

test('a patch without directives ends with what it says, by name, and loses nothing else', () => {
  const list = fc.uniqueArray(
    fc.record({ name: fc.constantFrom('a', 'b', 'c', 'd', 'e'), image: fc.string() }),
    {
      selector: ({ name }) => name,
    },
  );
  fc.assert(
    fc.property(list, list, (original, patch) => {
      const result = strategicMergePatch(containers(...original), containers(...patch), pod) as {
        spec: { containers: { name: string; image: string }[] };
      };
      const found = new Map(result.spec.containers.map(({ name, image }) => [name, image]));
      const model = new Map([...original, ...patch].map(({ name, image }) => [name, image]));
      expect(found).toEqual(model);
      expect(result.spec.containers).toHaveLength(model.size);
      const order = result.spec.containers
        .map(({ name }) => name)
        .filter((name) => patch.some((each) => each.name === name));
      expect(order).toEqual(patch.map(({ name }) => name));
    }),
  );
});
