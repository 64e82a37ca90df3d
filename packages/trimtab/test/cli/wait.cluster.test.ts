import { configMaps } from '@trimtab/kube/resource.ts';
import { currentEngine } from '@trimtab/test-bed/engines/engine.ts';
import { annotated } from '@trimtab/test-bed/objects/build.ts';
import { type ConfigMap, configMap, withData } from '@trimtab/test-bed/objects/config-map.ts';
import { mountingConfigMap } from '@trimtab/test-bed/objects/pod-template.ts';
import { story } from '@trimtab/test-bed/story/story.ts';
import { afterAll, expect, test } from 'vitest';
import { annotations } from '../../src/api/names.ts';
import { configRollout } from '../support/config-rollout.ts';
import { isRolledBack } from '../support/outcomes.ts';
import { settled } from '../support/settled.ts';
import { ReleaseScene, usingFoo } from './support/release-scene.ts';
import { runTrimtab } from './support/run-trimtab.ts';

const engine = await currentEngine();
afterAll(() => engine.close());

test('after an edit, wait ends when the edit is released, and not before', async () => {
  await using scene = await ReleaseScene.start(engine);
  await scene.edit({ color: 'green' });
  const released = await scene.run(['wait', 'foo']);
  expect(released).toMatchObject({ code: 0, stderr: '' });
  expect(released.stdout).toMatch(/\nconfigmap\/foo: version 1\.0\.1 is current\n$/);
  expect((await scene.release.rollout()).status?.current?.version).toBe('1.0.1');
  // Nothing was edited since, so there is nothing to wait for.
  expect((await scene.run(['wait', 'foo'])).code).toBe(0);
  // An edit of metadata changes no content, but the resourceVersion.
  await scene.release.when.edited(configMaps, 'foo', annotated({ note: 'who reads this' }));
  const { code, stdout } = await scene.run(['wait', 'foo']);
  expect({ code, last: stdout.split('\n').at(-2) }).toEqual({
    code: 0,
    last: 'configmap/foo: version 1.0.1 is current',
  });
});

test('a rollback ends the wait with exit code 3 and the reason, also when the content had failed before', async () => {
  await using scene = await ReleaseScene.start(engine);
  await scene.edit({ web: 'crash-loop' });
  const failed = await scene.run(['wait', 'foo']);
  expect(failed.code).toBe(3);
  expect(scene.stable(failed.stderr)).toMatch(
    /^error: configmap\/foo: Version 1\.0\.1 was rolled back: Deployment web: pod web-POD, container app: .*\n$/,
  );
  await scene.edit({ color: 'green' });
  expect((await scene.run(['wait', 'foo'])).code).toBe(0);
  await scene.edit({ web: 'crash-loop' });
  expect((await scene.run(['wait', 'foo'])).code).toBe(3);
});

test('an edit that cannot become a version ends the wait with exit code 1', async () => {
  await using scene = await ReleaseScene.start(engine);
  await scene.release.when.edited<ConfigMap>(configMaps, 'foo', (foo) => {
    foo.data = { color: 'red' };
    foo.metadata.annotations = { ...foo.metadata.annotations, [annotations.version]: '1.0.0' };
  });
  const { code, stderr } = await scene.run(['wait', 'foo']);
  expect(code).toBe(1);
  expect(stderr).toMatch(/^error: configmap\/foo: .*1\.0\.0/);
});

test('with release mode Manual an edit is a version only, and the wait says so', async () => {
  await using scene = await ReleaseScene.start(engine);
  await scene.addVersion('1.0.1', { color: 'green' });
  const { code, stdout } = await scene.run(['wait', 'foo']);
  expect(code).toBe(0);
  expect(stdout).toMatch(
    /\nconfigmap\/foo: version 1\.0\.0 is current\nconfigmap\/foo: release mode is Manual, so an edit becomes a version and is not activated by itself\n$/,
  );
  const waiting = scene.run(['wait', 'foo', '--for=version=1.0.1']);
  expect((await scene.run(['activate', 'foo', '1.0.1', '--watch=false'])).code).toBe(0);
  expect(await waiting).toMatchObject({ code: 0 });
});

test('several configs are waited for together, and the worst result is the exit code', async () => {
  const bar = usingFoo('other', 1, mountingConfigMap('bar', '/etc/bar'));
  await using scene = await ReleaseScene.start(engine, {
    objects: [configRollout('bar', { bakeSeconds: 1 }), configMap('bar', { size: 'big' }), bar],
  });
  await settled(scene.release, '1.0.0', ['other'], 'configmap-bar');
  await scene.release.when.edited(configMaps, 'bar', withData({ other: 'crash-loop' }));
  await isRolledBack(scene.release, '1.0.1', 'configmap-bar');
  const { code, stdout, stderr } = await scene.run(['wait', 'foo', 'bar']);
  expect(code).toBe(3);
  expect(stdout).toContain('configmap/foo: version 1.0.0 is current\n');
  expect(stderr).toContain('error: configmap/bar: Version 1.0.1 was rolled back');
});

test('the time ends a wait for pods that never start, and says what it waited for', async () => {
  await using scene = await ReleaseScene.start(engine);
  await scene.edit({ web: 'starts' });
  const { code, stderr } = await scene.run(['wait', 'foo', '--timeout', '3s']);
  expect({ code, stderr }).toEqual({
    code: 4,
    stderr:
      'error: configmap/foo: timed out after 3s waiting for version 1.0.1 to become current\n' +
      'hint: the rollout continues; see `trimtab status`\n',
  });
});

test('without a controller a wait ends with its timeout, and without a config at once', async () => {
  const [given] = await story(engine);
  const { namespace } = given;
  await given.objects(configMap('foo', { color: 'blue' }));
  expect(await runTrimtab(engine, ['wait', 'foo', '--timeout', '1s'], { namespace })).toEqual({
    code: 4,
    stdout: '',
    stderr:
      'error: configmap/foo: timed out after 1s waiting for the controller to manage the config\n' +
      'hint: the config has no ConfigRollout: check that a workload manages it (`trimtab manage`), and that the controller runs\n',
  });
  await given.object(configRollout('foo'));
  expect(await runTrimtab(engine, ['wait', 'foo', '--timeout', '1s'], { namespace })).toEqual({
    code: 4,
    stdout: `${namespace} foo: no controller has processed this config yet\n`,
    stderr:
      'error: configmap/foo: timed out after 1s waiting for the controller to process the last edit of the config\n' +
      'hint: check that the controller runs: kubectl get pods -n trimtab-system\n',
  });
  expect(await runTrimtab(engine, ['wait', 'nope'], { namespace })).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('configmaps "nope" not found'),
  });
  expect(await runTrimtab(engine, ['wait', 'foo', '--for=soon'], { namespace })).toMatchObject({
    code: 2,
    stderr: "error: --for: 'soon' is not valid: must be current, ready or version=NAME\n",
  });
});
