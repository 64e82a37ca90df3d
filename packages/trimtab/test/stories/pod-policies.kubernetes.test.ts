import { pods } from '@trimtab/kube/resource.ts';
import type { KubeObject } from '@trimtab/kube/wire.ts';
import { currentEngine } from '@trimtab/test-bed/engines/engine.ts';
import { applyObjects, removeObjects } from '@trimtab/test-bed/story/apply-objects.ts';
import { waitFor } from '@trimtab/test-bed/watching/wait-for.ts';
import { afterAll, expect, test } from 'vitest';
import { annotations } from '../../src/api/names.ts';
import type { PodTemplate } from '../../src/api/pod-template.ts';
import { installation } from '../../src/controller/manifests/installation.ts';
import { guardPods } from '../../src/controller/manifests/pod-policies.ts';
import { findReferences } from '../../src/core/references/references.ts';
import { refusalOf } from '../controller/installed-manifests.ts';
import { podsAreRewritten } from '../support/reference-ways.ts';

// The local cluster does not count the cost of expressions. An API server refuses a pod when they exceed its limit.

const engine = await currentEngine();
afterAll(() => engine.close());

const names = Array.from({ length: 60 }, (_, index) => `config-${index}`);
const versions = names.map((name) => `configmap/${name}=${name}-v`).join(',');

/** A pod with 3,000 references. */
function large(namespace: string, suffix: string): KubeObject {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'large', namespace, annotations: { [annotations.versions]: versions } },
    spec: {
      containers: names.slice(0, 50).map((name) => ({
        name,
        image: 'registry.example/app:1',
        env: names.map((config, index) => ({
          name: `V${index}`,
          valueFrom: { configMapKeyRef: { name: `${config}${suffix}`, key: 'a' } },
        })),
      })),
    },
  } as KubeObject;
}

test('a pod with 60 versions and 3,000 references is rewritten and admitted', async () => {
  const namespace = await engine.namespace();
  const undo = await podsAreRewritten(engine, namespace);
  const client = await engine.connect();
  const created = await client.create<KubeObject & PodTemplate>(pods, large(namespace, ''), { dryRun: true });
  expect(findReferences(created).filter(({ name }) => name.endsWith('-v'))).toHaveLength(3_000);
  await undo();
});

test('the guard for Kubernetes before 1.36 admits it when it is rewritten, and refuses it when it is not', async () => {
  const namespace = await engine.namespace();
  const client = await engine.connect();
  const guards = guardPods(installation({ namespaces: [namespace] }));
  await applyObjects(client, guards);
  await waitFor('the guard refuses the pod', async () => {
    const refusal = await refusalOf(client.create(pods, large(namespace, ''), { dryRun: true }));
    return refusal?.includes('nothing has written them into it')
      ? { met: true }
      : { seen: refusal ?? 'admitted' };
  });
  await client.create(pods, large(namespace, '-v'), { dryRun: true });
  await removeObjects(client, guards);
});
