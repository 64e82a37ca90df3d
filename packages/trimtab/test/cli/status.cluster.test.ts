import { currentEngine } from '@trimtab/test-bed/engines/engine.ts';
import { configMap } from '@trimtab/test-bed/objects/config-map.ts';
import { role, roleBinding } from '@trimtab/test-bed/objects/rights.ts';
import { afterAll, expect, test } from 'vitest';
import { inWave } from '../support/managed.ts';
import { isRolledBack } from '../support/outcomes.ts';
import { settled } from '../support/settled.ts';
import { ReleaseScene, usingFoo } from './support/release-scene.ts';

const engine = await currentEngine();
afterAll(() => engine.close());

test('all configs of a namespace are a table, and one is a tree of workloads and pods', async () => {
  await using scene = await ReleaseScene.start(engine, { objects: [usingFoo('worker', 1, inWave(2))] });
  await settled(scene.release, '1.0.0', ['web', 'worker']);
  const table = await scene.run(['status']);
  expect(table).toMatchObject({ code: 0, stderr: '' });
  expect(table.stdout.replace(/\d+s( *)$/m, 'AGE$1')).toBe(
    'CONFIG          CURRENT   TARGET   STATE       PODS   AGE   REASON\n' +
      'configmap/foo   1.0.0     -        ✔ current   3/3    AGE\n',
  );
  expect(await scene.run(['status', '-o', 'name'])).toEqual({
    code: 0,
    stdout: 'configmap/foo\n',
    stderr: '',
  });
  expect((await scene.run(['status', '-A'])).stdout).toMatch(
    new RegExp(
      `^NAMESPACE +CONFIG +CURRENT.*\\n(.*\\n)*${scene.namespace} +configmap/foo +1\\.0\\.0 +- +✔ current`,
    ),
  );
  const tree = await scene.run(['status', 'foo']);
  expect(tree).toMatchObject({ code: 0, stderr: '' });
  expect(scene.stable(tree.stdout)).toMatchInlineSnapshot(`
    "Name:  configmap/foo
    Namespace:  NAMESPACE
    Status:  ✔ Version 1.0.0 is current
    Current:  1.0.0, for AGE

    NAME  STATE  VERSION  UPDATED  INFO
    configmap/foo  ✔ current  1.0.0  3/3
    ├── deployment/web  ✔ healthy  2/2  recycle, wave 0
    │  ├── web-POD  ✔ Ready  1.0.0
    │  └── web-POD  ✔ Ready  1.0.0
    └── deployment/worker  ✔ healthy  1/1  recycle, wave 2
        └── worker-POD  ✔ Ready  1.0.0
    "
  `);

  const json = JSON.parse((await scene.run(['status', 'foo', '-o', 'json'])).stdout);
  expect(json).toMatchObject({
    apiVersion: 'trimtab.dev/v1alpha1',
    kind: 'RolloutTree',
    metadata: { name: 'configmap-foo', namespace: scene.namespace },
    config: { kind: 'ConfigMap', name: 'foo' },
    state: 'Current',
    current: { version: '1.0.0' },
    pods: { updated: 3, total: 3 },
    workloads: [
      { kind: 'Deployment', name: 'web', mode: 'recycle', wave: 0, state: 'Healthy', updated: 2, total: 2 },
      { name: 'worker', wave: 2, pods: [{ version: '1.0.0', ready: true, restarts: 0, health: 'good' }] },
    ],
  });
  const list = JSON.parse((await scene.run(['status', '-o', 'json'])).stdout);
  expect(list).toMatchObject({
    kind: 'RolloutTreeList',
    items: [{ config: { name: 'foo' }, pods: json.pods }],
  });
});

test('after a rollback, table and tree say what failed and why', async () => {
  await using scene = await ReleaseScene.start(engine);
  await scene.edit({ web: 'crash-loop' });
  await isRolledBack(scene.release, '1.0.1');
  const why = /✖ rolled back +\d\/2 +\S+ +Deployment web: pod web-POD, container app: /;
  expect(scene.stable((await scene.run(['status'])).stdout)).toMatch(why);
  const tree = scene.stable((await scene.run(['status', 'foo'])).stdout);
  expect(tree).toContain('Status:  ✖ Version 1.0.1 was rolled back; version 1.0.0 is current\n');
  expect(tree).toMatch(/^Reason: {2}Deployment web: pod web-POD, container app: /m);
});

test('what is not managed, does not exist or is empty is said', async () => {
  await using scene = await ReleaseScene.start(engine);
  await scene.release.given.object(configMap('plain', { a: 'b' }));
  const several = await scene.run(['status', 'foo', 'plain', 'nope']);
  expect(several.code).toBe(1);
  expect(several.stdout).toMatch(/^Name: +configmap\/foo\n/);
  expect(several.stderr).toBe(
    'error: configmap "plain" is not managed by Trimtab\n' +
      'hint: manage it for the workloads that use it with `trimtab manage`, or for one workload with `trimtab set owner configmap/plain deployment/NAME`\n' +
      'Error from server (NotFound): configmaps "nope" not found\n' +
      'hint: create it with `trimtab create configmap` or `trimtab create secret generic`\n',
  );
  const empty = await engine.namespace();
  expect(await scene.run(['status'], { namespace: empty })).toEqual({
    code: 0,
    stdout: '',
    stderr: `No managed configs found in namespace ${empty}.\n`,
  });
});

test('who may not list pods sees the rest and a warning; who may not watch sees changes all the same', async () => {
  await using scene = await ReleaseScene.start(engine);
  const { given } = scene.release;
  await given.objects(
    role('reader', ['get', 'list'], 'configrollouts.trimtab.dev', 'deployments.apps', 'configmaps'),
    roleBinding('reader', { user: 'rita' }),
  );
  const kubeconfig = await engine.kubeconfigOf({ user: 'rita' });
  const { code, stdout, stderr } = await scene.run(['status', 'foo'], { kubeconfig });
  expect({ code, stderr }).toEqual({
    code: 0,
    stderr: 'Warning: pods are not shown: this needs the verb "list" on "pods"\n',
  });
  expect(stdout).toMatch(/└── deployment\/web +✔ healthy +2\/2 +recycle\n$/);

  await using terminal = scene.inTerminal(['status', 'foo', '-w'], { kubeconfig, columns: 120 });
  await terminal.shows('Version 1.0.0 is current');
  await terminal.shows('no permission for the verb "watch" on "configrollouts"; reading every 5 s instead');
  await scene.edit({ color: 'green' });
  await terminal.shows('Version 1.0.1 is current');
  terminal.pressCtrlC();
  expect(await terminal.ended()).toBe(0);
});

test('who may not read ConfigRollouts is told which permission is missing', async () => {
  await using scene = await ReleaseScene.start(engine);
  const kubeconfig = await engine.kubeconfigOf({ user: 'nobody' });
  for (const args of [['status'], ['status', '-w'], ['status', 'foo'], ['wait', 'foo'], ['pause', 'foo']]) {
    const { code, stderr } = await scene.run(args, { kubeconfig });
    expect(code).toBe(1);
    expect(stderr).toMatch(
      /hint: this needs the verb "(list|get)" on "(configrollouts\.trimtab\.dev|configmaps)" in namespace \S+; ask your administrator to grant it\n$/,
    );
  }
});
