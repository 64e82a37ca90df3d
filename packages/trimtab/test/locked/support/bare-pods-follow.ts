import type { KubeObject } from '@trimtab/kube/wire.ts';
import type { Engine } from '@trimtab/test-bed/engines/engine.ts';
import { configMap } from '@trimtab/test-bed/objects/config-map.ts';
import { waitFor } from '@trimtab/test-bed/watching/wait-for.ts';
import { configRollouts } from '../../../src/api/config-rollout.ts';
import { addVersion } from '../../../src/versions/writes/add-version.ts';
import { configRollout } from '../../support/config-rollout.ts';
import { ReleaseStory } from '../../support/release-story.ts';

/** A kubelet takes up to 90 s to update a volume. */
const timeoutMs = 200_000;

/** A pod with the config as a volume and as an environment variable. */
function reader(name: string, image: string): KubeObject {
  const container = {
    name: 'app',
    image,
    command: ['sh', '-c', 'echo "$COLOR $(cat /etc/foo/color)"; exec sleep 3600'],
    env: [{ name: 'COLOR', valueFrom: { configMapKeyRef: { name: 'foo', key: 'color' } } }],
    volumeMounts: [{ name: 'foo', mountPath: '/etc/foo' }],
  };
  const spec = {
    terminationGracePeriodSeconds: 0,
    containers: [container],
    volumes: [{ name: 'foo', configMap: { name: 'foo' } }],
  };
  return { apiVersion: 'v1', kind: 'Pod', metadata: { name }, spec } as KubeObject;
}

/**
 * Real pods that Trimtab does not manage. When a version becomes current, `kubectl get`, the volume of a running pod, and
 * new pods have its content. `more` runs then.
 */
export async function barePodsFollow(
  engine: Engine,
  more: (it: ReleaseStory) => Promise<void> = async () => {},
): Promise<void> {
  await using it = await ReleaseStory.start(engine);
  const { client, namespace } = it;
  const says = (what: string, text: string, ...command: string[]) =>
    waitFor(
      what,
      async () => {
        const output = await it.when.kubectl(...command).catch(String);
        return output.trim() === text ? { met: true } : { seen: output };
      },
      { timeoutMs, everyMs: 250 },
    );
  const rollout = configRollout('foo', { bakeSeconds: 0 });
  rollout.spec.release = 'Locked';
  await it.given.objects(
    rollout,
    configMap('foo', { color: 'blue' }),
    reader('running', engine.images.busybox),
  );
  await it.isCurrent('1.0.0');
  await says('the running pod starts with blue', 'blue blue', 'logs', 'running');

  const address = { kind: 'ConfigMap', namespace, name: 'foo' } as const;
  const body = { metadata: {}, data: { color: 'green' } };
  await addVersion({ client, fieldManager: 'test', by: 'anna' }, address, body, 'next', false);
  const where = { namespace, name: 'configmap-foo' };
  await client.patch(configRollouts, where, { type: 'merge', body: { spec: { version: 'next' } } });
  await it.isCurrent('next');
  const color = ['get', 'configmap/foo', '--output=jsonpath={.data.color}'];
  await says('kubectl get has the current version', 'green', ...color);
  await it.given.object(reader('young', engine.images.busybox));
  await says('a new pod starts with green', 'green green', 'logs', 'young');
  await more(it);
  const exec = ['exec', 'running', '--', 'cat', '/etc/foo/color'];
  await says('the volume of the running pod is updated', 'green', ...exec);
}
