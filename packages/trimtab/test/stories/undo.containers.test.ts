import { configMaps, deployments } from '@trimtab/kube/resource.ts';
import { currentEngine } from '@trimtab/test-bed/engines/engine.ts';
import { configMap, withData } from '@trimtab/test-bed/objects/config-map.ts';
import { deployment } from '@trimtab/test-bed/objects/deployment.ts';
import { mountingConfigMap } from '@trimtab/test-bed/objects/pod-template.ts';
import { runningScript } from '@trimtab/test-bed/objects/shell-app.ts';
import { afterAll, expect, test } from 'vitest';
import { managed } from '../support/managed.ts';
import { ReleaseStory } from '../support/release-story.ts';
import { lineOf, settled } from '../support/settled.ts';

const engine = await currentEngine();
afterAll(() => engine.close());

test('real pods read the old content after an undo, and start without the config when somebody deleted it', async () => {
  await using it = await ReleaseStory.start(engine);
  await it.shortBake(['foo']);
  const app = runningScript(engine.images.busybox, 'touch /tmp/ready; exec sleep 3600');
  await it.given.objects(
    configMap('foo', { color: 'blue' }),
    deployment('web', mountingConfigMap('foo', '/etc/foo'), app, managed),
  );
  const color = () => it.when.kubectl('exec', 'deployment/web', '--', 'cat', '/etc/foo/color');
  const isRolledOut = () => it.when.kubectl('rollout', 'status', 'deployment/web', '--timeout=60s');
  await settled(it, '1.0.0', ['web']);
  await it.when.edited(configMaps, 'foo', withData({ color: 'green' }));
  await settled(it, '1.0.1', ['web']);
  expect(await color()).toBe('green');

  await it.when.kubectl('rollout', 'undo', 'deployment/web');
  await it.rolloutIs('web is pinned', (status) => lineOf(status, 'web')?.state === 'Pinned');
  await isRolledOut();
  expect(await color()).toBe('blue');

  await it.when.deleted(configMaps, 'foo');
  await it.when.kubectl('delete', 'pod', '--selector=app=web');
  await it.when.scaled(deployments, 'web', 2);
  await isRolledOut();
  expect(await color()).toBe('blue');
});
