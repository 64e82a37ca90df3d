import { currentEngine } from '@trimtab/test-bed/engines/engine.ts';
import { configMap } from '@trimtab/test-bed/objects/config-map.ts';
import { role, roleBinding } from '@trimtab/test-bed/objects/rights.ts';
import { afterAll, expect, test } from 'vitest';
import { annotations } from '../../src/api/names.ts';
import { isRolledBack } from '../support/outcomes.ts';
import { ReleaseScene } from './support/release-scene.ts';

const engine = await currentEngine();
afterAll(() => engine.close());

test('a version is planned, requested and followed until it is current; again, there is nothing to do', async () => {
  await using scene = await ReleaseScene.start(engine);
  await scene.addVersion('1.0.1', { color: 'green', size: 'big' });

  const planned = await scene.run(['activate', 'foo', '1.0.1', '--dry-run']);
  expect(scene.stable(planned.stdout)).toMatchInlineSnapshot(`
    "Activate version 1.0.1 of configmap "foo" in namespace NAMESPACE; version 1.0.0 is current
    Keys: color changed, size added

    WORKLOAD  HOW  PODS
    deployment/web  recycle  2

    Warning: deployment/web: The pod template has no readiness probe in container app: a faulty version is detected only if it crashes

    Nothing was changed (dry run)
    "
  `);
  expect(planned).toMatchObject({ code: 0, stderr: '' });
  const json = await scene.run(['activate', 'foo', '1.0.1', '--dry-run', '-o', 'json']);
  expect(JSON.parse(json.stdout)).toMatchObject({
    kind: 'ActivationPlan',
    version: '1.0.1',
    from: '1.0.0',
    pods: 2,
  });
  expect(await scene.run(['activate', 'foo', '1.0.1', '-o', 'json'])).toMatchObject({ code: 2 });
  expect((await scene.release.rollout()).spec.version).toBeUndefined();

  const activated = await scene.run(['activate', 'foo', '1.0.1']);
  expect(activated).toMatchObject({ code: 0, stderr: '' });
  const lines = scene.stable(activated.stdout).split('\n');
  expect(lines).toContain('NAMESPACE foo 1.0.1: current after N s');
  expect(lines.at(-2)).toBe('configmap "foo": version 1.0.1 is current');
  await scene.release.isCurrent('1.0.1');

  expect(await scene.run(['activate', 'cm/foo', '1.0.1'])).toEqual({
    stdout: 'configmap "foo": version 1.0.1 is already current\n',
    stderr: '',
    code: 0,
  });
});

test('a version that is rolled back ends with exit code 3, the reason, and what to do', async () => {
  await using scene = await ReleaseScene.start(engine);
  await scene.addVersion('1.0.1', { web: 'crash-loop' });
  const { code, stdout, stderr } = await scene.run(['activate', 'foo', '1.0.1']);
  expect(code).toBe(3);
  expect(scene.stable(stdout)).toMatch(
    /^NAMESPACE foo 1\.0\.1: rolled back after N s: Deployment web: pod web-POD, container app: /m,
  );
  expect(scene.stable(stderr)).toMatch(
    /^error: Version 1\.0\.1 was rolled back: Deployment web: pod web-POD, container app: .*\nhint: edit the config, or try the version once more with `trimtab retry foo -n NAMESPACE`\n$/,
  );
  await isRolledBack(scene.release, '1.0.1');
});

test('after the timeout the command ends with exit code 4, and the rollout continues', async () => {
  await using scene = await ReleaseScene.start(engine);
  await scene.addVersion('1.0.1', { web: 'starts' });
  const { code, stderr } = await scene.run(['activate', 'foo', '1.0.1', '--timeout', '1s']);
  expect({ code, stderr: scene.stable(stderr) }).toEqual({
    code: 4,
    stderr:
      'error: timed out after 1s waiting for version 1.0.1 to become current; the rollout of version 1.0.1 continues\n' +
      'hint: follow it with `trimtab status foo -w -n NAMESPACE`, or abort it with `trimtab abort foo -n NAMESPACE`\n',
  });
  await scene.app.becomes(() => 'works');
  await scene.release.isCurrent('1.0.1');
});

test('a version that another request replaces ends with exit code 1 and names the other one', async () => {
  await using scene = await ReleaseScene.start(engine);
  await scene.addVersion('1.0.1', { web: 'starts' });
  await scene.addVersion('1.0.2', { color: 'green' });
  const first = scene.run(['activate', 'foo', '1.0.1']);
  await scene.release.rolloutIs('1.0.1 is on its way', ({ target }) => target?.version === '1.0.1');
  const second = await scene.run(['activate', 'foo', '1.0.2']);
  expect(second.code).toBe(0);
  expect(second.stdout).toMatch(/^This replaces the activation of version 1\.0\.1, requested by \S+$/m);
  const { code, stderr } = await first;
  expect(code).toBe(1);
  expect(stderr).toMatch(/^error: Version 1\.0\.1 was superseded by version 1\.0\.2, requested by \S+\n$/);
});

test('without --watch the version is only requested', async () => {
  await using scene = await ReleaseScene.start(engine);
  await scene.addVersion('1.0.1', { color: 'green' });
  const { code, stdout, stderr } = await scene.run(['activate', 'foo', '1.0.1', '--watch=false']);
  expect(code).toBe(0);
  expect(stdout).toMatch(/\nconfigmap "foo": version 1\.0\.1 requested\n$/);
  expect(scene.stable(stderr)).toBe('hint: follow the rollout with `trimtab status foo -w -n NAMESPACE`\n');
  await scene.release.isCurrent('1.0.1');
});

test('what cannot be activated is refused before anything is written', async () => {
  await using scene = await ReleaseScene.start(engine);
  await scene.release.given.object(configMap('plain', { a: 'b' }));
  expect(await scene.run(['activate', 'foo', '9.9.9'])).toEqual({
    code: 1,
    stdout: '',
    stderr:
      'error: configmaps "foo" has no version "9.9.9"\nhint: list the versions with `trimtab versions configmap/foo`\n',
  });
  expect(await scene.run(['activate', 'plain', '1.0.0'])).toEqual({
    code: 1,
    stdout: '',
    stderr:
      'error: configmap "plain" is not managed by Trimtab\n' +
      'hint: manage it for the workloads that use it with `trimtab manage`, or for one workload with `trimtab set owner configmap/plain deployment/NAME`\n',
  });
  expect(await scene.run(['activate', 'nope', '1.0.0'])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('Error from server (NotFound): configmaps "nope" not found'),
  });
  const { metadata, spec } = await scene.release.rollout();
  expect(spec.version).toBeUndefined();
  expect(metadata.annotations).not.toHaveProperty([annotations.requestId]);
});

test('a paused rollout is waited for, and the plan says that it is paused', async () => {
  await using scene = await ReleaseScene.start(engine);
  await scene.addVersion('1.0.1', { color: 'green' });
  await scene.specIs({ paused: true });
  const activating = scene.run(['activate', 'foo', '1.0.1']);
  await scene.release.rolloutIs('it waits', ({ phase, conditions }) =>
    Boolean(phase === 'Paused' && conditions?.some(({ message }) => message.includes('version 1.0.1 waits'))),
  );
  expect(await scene.run(['resume', 'foo'])).toMatchObject({ code: 0, stdout: 'configmap "foo" resumed\n' });
  const { code, stdout } = await activating;
  expect(code).toBe(0);
  expect(stdout).toContain('Warning: The rollout is paused');
});

test('rights to read and change the ConfigRollout and its versions are enough', async () => {
  await using scene = await ReleaseScene.start(engine);
  await scene.addVersion('1.0.1', { color: 'green' });
  await scene.release.given.objects(
    role('releaser', ['get', 'patch'], 'configrollouts.trimtab.dev'),
    roleBinding('releaser', { user: 'rita' }),
    role('reader', ['get', 'update'], 'configmaps'),
    roleBinding('reader', { user: 'rita' }),
  );
  const kubeconfig = await engine.kubeconfigOf({ user: 'rita' });
  const { code, stdout, stderr } = await scene.run(['activate', 'foo', '1.0.1'], { kubeconfig });
  expect({ code, stderr }).toEqual({
    code: 0,
    stderr:
      'Warning: pods are not shown: this needs the verb "list" on "pods"\n' +
      'Warning: no permission for the verb "watch" on "configrollouts"; reading every 5 s instead\n',
  });
  expect(stdout).toContain(
    '\nWorkloads of the config: deployment/web\n\nWarning: You may not list deployments',
  );
  expect(stdout).toMatch(/\nconfigmap "foo": version 1\.0\.1 is current\n$/);
});
