import { deployments } from '@trimtab/kube/resource.ts';
import { currentEngine } from '@trimtab/test-bed/engines/engine.ts';
import { annotated } from '@trimtab/test-bed/objects/build.ts';
import { configMap } from '@trimtab/test-bed/objects/config-map.ts';
import { type Deployment, deployment } from '@trimtab/test-bed/objects/deployment.ts';
import { envFromSecret, mountingConfigMap } from '@trimtab/test-bed/objects/pod-template.ts';
import { secret } from '@trimtab/test-bed/objects/secret.ts';
import { afterAll, expect, test } from 'vitest';
import { annotations } from '../../src/api/names.ts';
import { managed } from '../support/managed.ts';
import { ReleaseStory } from '../support/release-story.ts';
import { settled } from '../support/settled.ts';
import { runTrimtab } from './support/run-trimtab.ts';

const engine = await currentEngine();
afterAll(() => engine.close());

const mountsFoo = mountingConfigMap('foo', '/etc/foo');
const pinOf = async (it: ReleaseStory) =>
  (await it.object<Deployment>(deployments, 'web')).metadata.annotations?.[annotations.pin];

test('pin writes the versions that a Deployment runs, and unpin removes them', async () => {
  await using it = await ReleaseStory.start(engine);
  const trimtab = (...args: string[]) => runTrimtab(engine, args, { namespace: it.namespace });
  await it.given.objects(
    configMap('foo', { color: 'blue' }),
    secret('key', { password: 'pa55' }),
    deployment('web', mountsFoo, envFromSecret('key'), managed),
  );
  const foo = await settled(it, '1.0.0', ['web']);
  const key = await settled(it, '1.0.0', ['web'], 'secret-key');

  const dry = await trimtab('pin', 'deployment/web', '--dry-run');
  expect(dry.stdout).toBe(
    'deployment "web" pinned to configmap/foo 1.0.0, secret/key 1.0.0 (server dry run)\n',
  );
  expect(await pinOf(it)).toBeUndefined();

  const { stdout, code } = await trimtab('pin', 'deployment/web');
  expect(stdout).toBe('deployment "web" pinned to configmap/foo 1.0.0, secret/key 1.0.0\n');
  expect(code).toBe(0);
  expect(await pinOf(it)).toBe(
    `configmap/foo=${foo.status?.current?.object},secret/key=${key.status?.current?.object}`,
  );

  expect((await trimtab('unpin', 'deployment/web')).stdout).toBe('deployment "web" unpinned\n');
  expect(await pinOf(it)).toBeUndefined();
  expect((await trimtab('unpin', 'deployment/web')).stdout).toBe('deployment "web" not pinned\n');
});

test('a Deployment whose pods are reloaded is pinned to the versions of its annotation', async () => {
  await using it = await ReleaseStory.start(engine);
  await it.given.objects(configMap('foo', { color: 'blue' }), deployment('first', mountsFoo, managed));
  const { status } = await settled(it, '1.0.0', ['first']);
  const assigned = `configmap/foo=${status?.current?.object}`;
  await it.given.objects(deployment('web', mountsFoo, annotated({ [annotations.versions]: assigned })));
  const { stdout } = await runTrimtab(engine, ['pin', 'deploy/web'], { namespace: it.namespace });
  expect(stdout).toBe('deployment "web" pinned to configmap/foo 1.0.0\n');
  expect(await pinOf(it)).toBe(assigned);
});

test('what runs no version cannot be pinned', async () => {
  await using it = await ReleaseStory.start(engine);
  const trimtab = (...args: string[]) => runTrimtab(engine, args, { namespace: it.namespace });
  await it.given.objects(configMap('foo'), deployment('web', mountsFoo));
  expect(await trimtab('pin', 'deployment/web')).toMatchObject({
    code: 1,
    stderr:
      'error: deployment/web runs no version: it is not managed\nhint: opt it in with `trimtab manage deployment/web`\n',
  });
  expect(await trimtab('pin', 'deployment/api')).toMatchObject({
    code: 1,
    stderr: 'Error from server (NotFound): deployments.apps "api" not found\n',
  });
  expect(await trimtab('pin', 'web')).toMatchObject({
    code: 2,
    stderr: "error: 'web' has no type: write the workload as TYPE/NAME, such as deployment/web\n",
  });
});
