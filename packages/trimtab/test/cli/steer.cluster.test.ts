import { currentEngine } from '@trimtab/test-bed/engines/engine.ts';
import { afterAll, expect, test } from 'vitest';
import { annotations } from '../../src/api/names.ts';
import { isRolledBack } from '../support/outcomes.ts';
import { ReleaseScene } from './support/release-scene.ts';

const engine = await currentEngine();
afterAll(() => engine.close());

test('pause and resume say what they did, and refuse to do it twice, as kubectl rollout does', async () => {
  await using scene = await ReleaseScene.start(engine);
  expect(await scene.run(['pause', 'foo'])).toEqual({
    code: 0,
    stdout: 'configmap "foo" paused\n',
    stderr: '',
  });
  expect(await scene.run(['pause', 'configmap/foo'])).toEqual({
    code: 1,
    stdout: '',
    stderr: 'error: configmap "foo" is already paused\n',
  });
  await scene.edit({ color: 'green' });
  await scene.release.rolloutIs('it waits', ({ phase, conditions }) =>
    Boolean(phase === 'Paused' && conditions?.some(({ message }) => message.includes('version 1.0.1 waits'))),
  );
  const resumed = await scene.run(['resume', 'foo', '--watch']);
  expect(resumed).toMatchObject({ code: 0, stderr: '' });
  expect(resumed.stdout).toMatch(/^configmap "foo" resumed\n/);
  expect(resumed.stdout).toMatch(/\nconfigmap "foo": version 1\.0\.1 is current\n$/);
  expect(await scene.run(['resume', 'foo'])).toEqual({
    code: 1,
    stdout: '',
    stderr: 'error: configmap "foo" is not paused\n',
  });
});

test('retry tries what was rolled back once more, and refuses when nothing was', async () => {
  await using scene = await ReleaseScene.start(engine);
  expect(await scene.run(['retry', 'foo'])).toEqual({
    code: 1,
    stdout: '',
    stderr:
      'error: configmap "foo" has no rejected version to retry\nhint: see `trimtab status`; `trimtab activate` makes any version current\n',
  });
  await scene.edit({ web: 'crash-loop' });
  await isRolledBack(scene.release, '1.0.1');
  const failed = await scene.run(['retry', 'foo', '--watch']);
  expect(failed).toMatchObject({ code: 3 });
  await scene.app.becomes(() => 'works');
  const retried = await scene.run(['retry', 'foo', '--watch']);
  expect(retried).toMatchObject({ code: 0, stderr: '' });
  expect(retried.stdout).toMatch(/^configmap "foo" retried\n/);
  expect(retried.stdout).toMatch(/\nconfigmap "foo": version 1\.0\.1 is current\n$/);
});

test('abort names the activation to abort, and refuses when there is none', async () => {
  await using scene = await ReleaseScene.start(engine);
  expect(scene.stable((await scene.run(['abort', 'foo'])).stderr)).toBe(
    'error: configmap "foo" has no rollout to abort: version 1.0.0 is current\nhint: go back to an earlier version with `trimtab rollback foo -n NAMESPACE`\n',
  );
  await scene.edit({ web: 'starts' });
  await scene.release.rolloutIs('1.0.1 is on its way', ({ target }) => target?.version === '1.0.1');
  expect(await scene.run(['abort', 'foo'])).toEqual({
    code: 0,
    stdout: 'configmap "foo" aborted\n',
    stderr: '',
  });
  const { metadata, status } = await scene.release.rollout();
  // The controller may have aborted it already.
  const activation = status?.target?.activation ?? metadata.annotations?.[annotations.abort];
  expect(metadata.annotations?.[annotations.abort]).toBe(activation);
});
