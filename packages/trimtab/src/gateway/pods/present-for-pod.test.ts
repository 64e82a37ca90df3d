import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { GrantedKeys } from '../../core/references/granted-keys.ts';
import { presentForPod } from './present-for-pod.ts';

const key = fc.constantFrom('a', 'b', 'c.conf', '__proto__', 'constructor');
const content = fc.dictionary(key, fc.string());
const keys: fc.Arbitrary<GrantedKeys> = fc.oneof(fc.constant('all' as const), fc.uniqueArray(key));

test('for any config, a pod gets the keys that it was granted, unchanged, and no others', () => {
  fc.assert(
    fc.property(content, content, keys, (data, binaryData, granted) => {
      const metadata = { name: 'foo', version: '1.0.0' };
      const shown = presentForPod({ apiVersion: 'v1', kind: 'Secret', metadata, data, binaryData }, granted);
      const wanted = (values: Record<string, string>) =>
        Object.entries(values).filter(([each]) => granted === 'all' || granted.includes(each));
      expect(Object.entries(shown.data ?? {})).toEqual(wanted(data));
      expect(Object.entries(shown.binaryData ?? {})).toEqual(wanted(binaryData));
    }),
  );
});

test('of the metadata, a pod gets what its agent needs', () => {
  const annotations = {
    'kubectl.kubernetes.io/last-applied-configuration': '{"data":{"other":"swordfish"}}',
    'trimtab.dev/content-hash': 'sha256:0',
    'trimtab.dev/created-by': 'alice',
    'trimtab.dev/rejected': '{}',
    'trimtab.dev/sequence': '7',
    'trimtab.dev/object': 'foo-1',
    'trimtab.dev/state': 'current',
    'trimtab.dev/assigned': 'x',
  };
  const identity = { name: 'foo', namespace: 'shop', uid: 'u', resourceVersion: '7', version: '1.0.0' };
  const metadata = {
    ...{ ...identity, annotations, labels: { team: 'shop' }, creationTimestamp: '2026-01-01T00:00:00Z' },
    ...{ managedFields: [{ manager: 'kubectl' }], finalizers: ['x'] },
  };
  expect(presentForPod({ kind: 'Secret', type: 'Opaque', metadata, immutable: true }, 'all')).toEqual({
    kind: 'Secret',
    type: 'Opaque',
    immutable: true,
    metadata: {
      ...identity,
      annotations: {
        'trimtab.dev/object': 'foo-1',
        'trimtab.dev/state': 'current',
        'trimtab.dev/assigned': 'x',
      },
    },
  });
});
