import type { KubeObject } from '@trimtab/kube/wire.ts';
import { currentEngine } from '@trimtab/test-bed/engines/engine.ts';
import { waitFor } from '@trimtab/test-bed/watching/wait-for.ts';
import { afterAll, test } from 'vitest';
import type { ReleaseStory } from '../support/release-story.ts';
import { barePodsFollow } from './support/bare-pods-follow.ts';

const engine = await currentEngine();
afterAll(() => engine.close());

/** Runs a Job that prints the config. */
async function jobPrints(it: ReleaseStory, text: string): Promise<void> {
  const container = {
    name: 'app',
    image: engine.images.busybox,
    command: ['cat', '/etc/foo/color'],
    volumeMounts: [{ name: 'foo', mountPath: '/etc/foo' }],
  };
  const volumes = [{ name: 'foo', configMap: { name: 'foo' } }];
  const spec = { restartPolicy: 'Never', containers: [container], volumes };
  const job = {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name: 'reader', namespace: it.namespace },
    spec: { template: { spec } },
  };
  const path = `/apis/batch/v1/namespaces/${it.namespace}/jobs`;
  await it.client.raw<KubeObject>({ method: 'POST', path, body: job });
  await waitFor('the Job prints the config', async () => {
    const output = await it.when.kubectl('logs', 'job/reader').catch(String);
    return output.trim() === text ? { met: true } : { seen: output };
  });
}

test(
  'pods that Trimtab does not manage, and those of Jobs, get the current version',
  { timeout: 300_000 },
  () => barePodsFollow(engine, (it) => jobPrints(it, 'green')),
);
