import { configMaps, deployments } from '@trimtab/kube/resource.ts';
import { currentEngine } from '@trimtab/test-bed/engines/engine.ts';
import { type ConfigMap, configMap, withData } from '@trimtab/test-bed/objects/config-map.ts';
import { type Deployment, deployment, withReplicas } from '@trimtab/test-bed/objects/deployment.ts';
import { mountingConfigMap } from '@trimtab/test-bed/objects/pod-template.ts';
import { runningScript } from '@trimtab/test-bed/objects/shell-app.ts';
import { StateRecording } from '@trimtab/test-bed/watching/state-recording.ts';
import { afterAll, expect, test } from 'vitest';
import { managed } from '../support/managed.ts';
import { mountedConfigMap, ReleaseStory } from '../support/release-story.ts';
import { conditionOf, settled } from '../support/settled.ts';

const engine = await currentEngine();
afterAll(() => engine.close());

const script = `
  if ! grep -qx open /etc/foo/door; then
    echo "the door is $(cat /etc/foo/door)" > /dev/termination-log
    exit 3
  fi
  touch /tmp/ready
  exec sleep 3600
`;

test('a real program that ends on its new config is rolled back without an outage, and runs on the fixed one', async () => {
  await using it = await ReleaseStory.start(engine);
  await it.shortBake(['foo']);
  const withoutOutage = ({ spec }: Deployment) => {
    spec.strategy = { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } };
  };
  await it.given.objects(
    configMap('foo', { door: 'open' }),
    deployment(
      'web',
      mountingConfigMap('foo', '/etc/foo'),
      runningScript(engine.images.busybox, script),
      withReplicas(2),
      withoutOutage,
      managed,
    ),
  );
  const first = await settled(it, '1.0.0', ['web']);
  const { namespace } = it;
  await using webs = await StateRecording.start<Deployment>(it.client, deployments, { namespace });

  await it.when.edited(configMaps, 'foo', withData({ door: 'jammed' }));
  const failing = await it.rolloutIs('it rolls back', ({ phase }) => phase === 'RollingBack');
  expect(conditionOf(failing, 'Degraded')?.message).toMatch(
    /^Version 1\.0\.1 .*Deployment web: pod web-\S+, container app: \w+, exit code 3: the door is jammed/,
  );
  const failed = await it.rolloutIs('it has rolled back', ({ phase }) => phase === 'Failed');
  expect(failed.status?.current).toEqual(first.status?.current);
  await it.when.kubectl('rollout', 'status', 'deployment/web', '--timeout=60s');
  const reverted = await it.object<Deployment>(deployments, 'web');
  expect(mountedConfigMap(reverted)).toBe(first.status?.current?.object);
  expect((await it.object<ConfigMap>(configMaps, 'foo')).data).toEqual({ door: 'jammed' });

  await it.when.edited(configMaps, 'foo', withData({ door: 'open', color: 'red' }));
  await settled(it, '1.0.2', ['web']);
  expect(await it.when.kubectl('exec', 'deployment/web', '--', 'cat', '/etc/foo/color')).toBe('red');
  const available = (await webs.upToNow()).map(({ status }) => status?.availableReplicas ?? 0);
  expect(Math.min(...available)).toBeGreaterThanOrEqual(2);
});
