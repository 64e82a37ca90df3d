import { pods } from '@trimtab/kube/resource.ts';
import type { KubeObject } from '@trimtab/kube/wire.ts';
import type { PodTemplate } from '@trimtab/test-bed/objects/pod-template.ts';
import { waitFor } from '@trimtab/test-bed/watching/wait-for.ts';
import { annotations } from '../../src/api/names.ts';
import type { ReleaseStory } from './release-story.ts';

/** Waits until the API server has seen that the policy which rewrites pods is gone. The guard still works. */
export async function podsAreRefused(it: ReleaseStory, object: string): Promise<void> {
  await waitFor('pods are refused', async () => {
    const answer = await it.client.create(pods, assignedPod(it.namespace, object), { dryRun: true }).then(
      () => 'admitted',
      (error: Error) => error.message,
    );
    return answer.includes('nothing has written them into it') ? { met: true } : { seen: answer };
  });
}

/** A pod that names ConfigMap foo, and is assigned this version of it. */
export function assignedPod(namespace: string, object: string): KubeObject & { spec: PodTemplate['spec'] } {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: 'probe',
      namespace,
      annotations: { [annotations.versions]: `configmap/foo=${object}` },
    },
    spec: {
      containers: [{ name: 'app', image: 'registry.example/app:1' }],
      volumes: [{ name: 'a', configMap: { name: 'foo' } }],
    },
  };
}
