// For packages/trimtab/test/cli/abort.cluster.test.ts, once the engine acts on trimtab.dev/abort and trimtab.dev/skip-bake.
import { currentEngine } from '@trimtab/test-bed/engines/engine.ts';
import { afterAll, expect, test } from 'vitest';
import { isAborted } from '../support/outcomes.ts';
import { ReleaseScene } from './support/release-scene.ts';

const engine = await currentEngine();
afterAll(() => engine.close());

test('an aborted rollout gives all workloads their version back, and is not tried again until a retry', async () => {
  await using scene = await ReleaseScene.start(engine);
  await scene.edit({ web: 'starts' });
  await scene.release.rolloutIs('1.0.1 is on its way', ({ target }) => target?.version === '1.0.1');
  const activating = scene.run(['wait', 'foo']);

  const aborted = await scene.run(['abort', 'foo', '--watch']);
  expect(aborted).toMatchObject({ code: 0, stderr: '' });
  expect(aborted.stdout).toMatch(/^configmap "foo" aborted\n/);
  expect(aborted.stdout).toMatch(/\nVersion 1\.0\.1 was aborted; version 1\.0\.0 is current\n$/);
  await isAborted(scene.release, '1.0.1');
  const waited = await activating;
  expect(waited.code).toBe(1);
  expect(waited.stderr).toMatch(/^error: configmap\/foo: Version 1\.0\.1 was aborted/);
  expect((await scene.run(['status', 'foo'])).stdout).toMatch(
    /Status: +✖ Version 1\.0\.1 was aborted; version 1\.0\.0 is current\n/,
  );

  await scene.app.becomes(() => 'works');
  expect((await scene.run(['retry', 'foo', '--watch'])).code).toBe(0);
  await scene.release.isCurrent('1.0.1');
});

test('whoever activates a version that somebody aborts gets exit code 1', async () => {
  await using scene = await ReleaseScene.start(engine);
  await scene.addVersion('1.0.1', { web: 'starts' });
  const activating = scene.run(['activate', 'foo', '1.0.1']);
  await scene.release.rolloutIs('1.0.1 is on its way', ({ target }) => target?.version === '1.0.1');
  expect((await scene.run(['abort', 'foo'])).code).toBe(0);
  const { code, stderr } = await activating;
  expect(code).toBe(1);
  expect(stderr).toMatch(/^error: Version 1\.0\.1 was aborted/);
});

test('a rollback skips a bake time that would take an hour', async () => {
  await using scene = await ReleaseScene.start(engine);
  await scene.edit({ color: 'green' });
  await scene.release.isCurrent('1.0.1');
  await scene.specIs({ strategy: { bakeSeconds: 3600 } });
  expect((await scene.run(['rollback', 'foo', '--timeout', '60s'])).code).toBe(0);
  await scene.release.isCurrent('1.0.0');
});
