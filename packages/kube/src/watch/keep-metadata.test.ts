import { expect, test } from 'vitest';
import type { KubeObject } from '../wire.ts';
import { keepMetadata } from './keep-metadata.ts';

test('the body and the parts of the metadata that are as large as one are not kept', () => {
  const object = {
    kind: 'ConfigMap',
    metadata: {
      name: 'foo',
      namespace: 'shop',
      resourceVersion: '7',
      labels: { app: 'shop' },
      annotations: { note: 'kept', 'kubectl.kubernetes.io/last-applied-configuration': '{"data":{}}' },
      managedFields: [{ manager: 'kubectl' }],
    },
    data: { key: 'value' },
  };
  expect(keepMetadata(object as KubeObject)).toEqual({
    metadata: {
      name: 'foo',
      namespace: 'shop',
      resourceVersion: '7',
      labels: { app: 'shop' },
      annotations: { note: 'kept' },
    },
  });
});
