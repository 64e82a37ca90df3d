import { pods, serviceAccounts } from '@trimtab/kube/resource.ts';
import type { KubeObject } from '@trimtab/kube/wire.ts';
import { currentEngine } from '@trimtab/test-bed/engines/engine.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { PodSpec } from '../../src/api/pod-template.ts';
import { refusalOf } from '../controller/installed-manifests.ts';

// What the preflight of mountable-secrets.ts relies on: which Secrets an API server refuses.

const engine = await currentEngine();
const client = await engine.connect();
const namespace = await engine.namespace();
afterAll(() => engine.close());

beforeAll(async () => {
  const annotations = { 'kubernetes.io/enforce-mountable-secrets': 'true' };
  await client.create(serviceAccounts, {
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    metadata: { name: 'locked', namespace, annotations },
    secrets: [{ name: 'bar' }],
  } as KubeObject);
});

const app = (more: object = {}) => ({ name: 'app', image: 'registry.example/app:1', ...more });
const mounted = (secretName: string): PodSpec => ({
  containers: [app()],
  volumes: [{ name: 'a', secret: { secretName } }],
});

function refusal(spec: PodSpec): Promise<string | undefined> {
  const pod = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'probe', namespace },
    spec: { ...spec, serviceAccountName: 'locked', automountServiceAccountToken: false },
  } as KubeObject;
  return refusalOf(client.create(pods, pod, { dryRun: true }));
}

test('a Secret that the ServiceAccount lists is admitted', async () => {
  expect(await refusal(mounted('bar'))).toBeUndefined();
});

test.each<[string, PodSpec]>([
  ['a volume', mounted('bar-abcdefghij')],
  [
    'a variable',
    {
      containers: [
        app({ env: [{ name: 'A', valueFrom: { secretKeyRef: { name: 'bar-abcdefghij', key: 'a' } } }] }),
      ],
    },
  ],
  ['all variables', { containers: [app({ envFrom: [{ secretRef: { name: 'bar-abcdefghij' } }] })] }],
])('a version of it is refused in %s', async (_, spec) => {
  expect(await refusal(spec)).toContain('service account locked does not reference that secret');
});

test('a projected volume is not checked', async () => {
  const sources = [{ secret: { name: 'bar-abcdefghij' } }];
  const spec = { containers: [app()], volumes: [{ name: 'a', projected: { sources } }] };
  expect(await refusal(spec)).toBeUndefined();
});
