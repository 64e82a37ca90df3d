import { pods } from '@trimtab/kube/resource.ts';
import { waitFor } from '@trimtab/test-bed/watching/wait-for.ts';
import type { Container, Pod } from '../../../src/objects/pod.ts';
import type { Target } from '../api/target.ts';
import { patienceMs } from './last-words.ts';
import { Stage } from './stage.ts';

/** Creates a pod with one container and waits until it is Ready. */
export async function readyPod(target: Target, name: string, container: Partial<Container>): Promise<Stage> {
  const stage = await Stage.on(target);
  await stage.create<Pod>({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, labels: { app: name } },
    spec: {
      restartPolicy: 'Never',
      terminationGracePeriodSeconds: 0,
      automountServiceAccountToken: false,
      containers: [{ name: 'app', image: target.engine.images.busybox, ...container }],
    },
  });
  await waitFor(
    `${name} is Ready`,
    async () => {
      const pod = await stage.find<Pod>(pods, name);
      const isReady = pod?.status?.conditions?.some(
        ({ type, status }) => type === 'Ready' && status === 'True',
      );
      return isReady ? { met: pod } : { seen: JSON.stringify(pod?.status) };
    },
    { timeoutMs: patienceMs, everyMs: 100 },
  );
  return stage;
}
