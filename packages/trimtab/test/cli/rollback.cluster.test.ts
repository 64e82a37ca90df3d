import { currentEngine } from '@trimtab/test-bed/engines/engine.ts';
import { afterAll, expect, test } from 'vitest';
import { annotations } from '../../src/api/names.ts';
import { ReleaseScene } from './support/release-scene.ts';

const engine = await currentEngine();
afterAll(() => engine.close());

test('a rollback goes back to the version before, and its request skips the bake time', async () => {
  await using scene = await ReleaseScene.start(engine);
  expect(await scene.run(['rollback', 'foo'])).toEqual({
    code: 1,
    stdout: '',
    stderr:
      'error: configmap "foo" has no earlier version that was current\nhint: name a version with --to; `trimtab versions` lists them\n',
  });
  await scene.edit({ color: 'green' });
  await scene.release.isCurrent('1.0.1');
  await scene.edit({ color: 'red' });
  await scene.release.isCurrent('1.0.2');

  const back = await scene.run(['rollback', 'foo']);
  expect(back).toMatchObject({ code: 0, stderr: '' });
  expect(scene.stable(back.stdout)).toMatch(
    /^Roll back to version 1\.0\.1 of configmap "foo" in namespace NAMESPACE; version 1\.0\.2 is current\nKeys: color changed\n/,
  );
  const { metadata, spec } = await scene.release.isCurrent('1.0.1');
  expect(spec.version).toBe('1.0.1');
  const requestId = metadata.annotations?.[annotations.requestId];
  expect(requestId).toMatch(/^[0-9a-f]{16}$/);
  expect(metadata.annotations?.[annotations.skipBake]).toBe(requestId);

  expect(await scene.run(['rollback', 'foo', '--to', '1.0.0', '--watch=false'])).toMatchObject({ code: 0 });
  const { metadata: later } = await scene.release.isCurrent('1.0.0');
  expect(later.annotations?.[annotations.skipBake]).toBe(later.annotations?.[annotations.requestId]);

  // An ordinary activation bakes again.
  expect(await scene.run(['activate', 'foo', '1.0.1'])).toMatchObject({ code: 0 });
  expect((await scene.release.rollout()).metadata.annotations).not.toHaveProperty([annotations.skipBake]);
});

test('while a version is being rolled out, a rollback ends that and goes back to the current version', async () => {
  await using scene = await ReleaseScene.start(engine);
  await scene.edit({ web: 'starts' });
  await scene.release.rolloutIs('1.0.1 is on its way', ({ target }) => target?.version === '1.0.1');
  const { code, stdout } = await scene.run(['rollback', 'foo']);
  expect(stdout).toMatch(
    /^Version 1\.0\.1 is being rolled out: the rollback ends this and goes back to version 1\.0\.0, which is current\n/,
  );
  expect(stdout).toContain('This replaces the activation of version 1.0.1');
  expect(code).toBe(0);
  await scene.release.isCurrent('1.0.0');
});

test('a version to go back to is judged all the same', async () => {
  await using scene = await ReleaseScene.start(engine);
  await scene.edit({ color: 'green' });
  await scene.release.isCurrent('1.0.1');
  await scene.app.becomes(({ color }) => (color === 'blue' ? 'crash-loop' : 'works'));
  const { code, stderr } = await scene.run(['rollback', 'foo']);
  expect(code).toBe(3);
  expect(stderr).toContain('error: Version 1.0.0 was rolled back: Deployment web: pod ');
  // What failed on the way back is not chosen again.
  const again = await scene.run(['rollback', 'foo']);
  expect(again).toMatchObject({ code: 1 });
  expect(again.stderr).toContain('has no earlier version that was current');
});
