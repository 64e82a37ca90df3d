import { currentEngine } from '@trimtab/test-bed/engines/engine.ts';
import { afterAll, expect, test } from 'vitest';
import { obedientApp } from '../support/obedient-app.ts';
import { ReleaseScene } from './support/release-scene.ts';

const engine = await currentEngine();
afterAll(() => engine.close());

test('at a terminal a person sees the plan, answers, and follows the rollout to its end', async () => {
  await using scene = await ReleaseScene.start(engine);
  await scene.addVersion('1.0.1', { color: 'green' });
  await using terminal = scene.inTerminal(['activate', 'foo', '1.0.1']);
  await terminal.shows('Activate version 1.0.1? [y/N]');
  expect((await scene.release.rollout()).spec.version).toBeUndefined();

  terminal.type('y\r');
  await terminal.shows(/deployment\/web +⟳ updating/);
  expect(await terminal.ended()).toBe(0);
  expect(scene.stable(terminal.screen.text)).toMatchInlineSnapshot(`
    "Activate version 1.0.1 of configmap "foo" in namespace NAMESPACE; version 1.0.0 is current
    Keys: color changed

    WORKLOAD  HOW  PODS
    deployment/web  recycle  2

    Warning: deployment/web: The pod template has no readiness probe in container app: a faulty version
    is detected only if it crashes

    Activate version 1.0.1? [y/N] y
    Name:  configmap/foo
    Namespace:  NAMESPACE
    Status:  ✔ Version 1.0.1 is current
    Current:  1.0.1, for AGE
    Release:  Manual

    NAME  STATE  VERSION  UPDATED  INFO
    configmap/foo  ✔ current  1.0.1  2/2
    └── deployment/web  ✔ healthy  2/2  recycle
        ├── web-POD  ✔ Ready  1.0.1
        └── web-POD  ✔ Ready  1.0.1
    configmap "foo": version 1.0.1 is current"
  `);
});

test('whoever does not say yes changes nothing', async () => {
  await using scene = await ReleaseScene.start(engine);
  await scene.addVersion('1.0.1', { color: 'green' });
  await using terminal = scene.inTerminal(['activate', 'foo', '1.0.1']);
  await terminal.shows('[y/N]');
  terminal.type('\r');
  expect(await terminal.ended()).toBe(1);
  expect(terminal.screen.text).toMatch(/Cancelled: nothing was changed$/);
  expect((await scene.release.rollout()).spec.version).toBeUndefined();
});

test('Ctrl-C leaves the rollout going and says how to follow or abort it', async () => {
  await using scene = await ReleaseScene.start(engine);
  await scene.addVersion('1.0.1', { pods: 'starts' });
  await using terminal = scene.inTerminal(['activate', 'foo', '1.0.1', '--yes'], { columns: 200 });
  await terminal.shows(/⟳ starting +1\.0\.1/);
  terminal.pressCtrlC();
  expect(await terminal.ended()).toBe(130);
  const { text, isCursorShown } = terminal.screen;
  expect(text).toContain('Interrupted: the rollout of version 1.0.1 continues');
  expect(text).toContain(`follow it with \`trimtab status foo -w -n ${scene.namespace}\``);
  expect(text).toContain(`abort it with \`trimtab abort foo -n ${scene.namespace}\``);
  expect(text).toMatch(/⟳ starting +1\.0\.1/);
  expect(text).not.toContain('^C');
  expect(isCursorShown).toBe(true);
  await scene.app.becomes((data, pod) => (data['pods'] === 'starts' ? 'works' : obedientApp(data, pod)));
  await scene.release.isCurrent('1.0.1');
});

test('a tree that follows the size of the terminal is never broken, and ends in full', async () => {
  await using scene = await ReleaseScene.start(engine, { replicas: 12 });
  await using terminal = scene.inTerminal(['status', 'foo', '-w'], { columns: 100, rows: 40 });
  await terminal.shows(/VERSION +UPDATED +INFO\n/);
  terminal.resize({ columns: 45 });
  await terminal.shows(/NAME +STATE.*…\n/);
  expect(terminal.screen.text.match(/Name:/g)).toHaveLength(1);
  expect(terminal.screen.text.match(/── web-/g)).toHaveLength(12);
  terminal.resize({ rows: 12 });
  await terminal.shows('more pods, all Ready');
  expect(terminal.screen.visible.split('\n').length).toBeLessThanOrEqual(12);
  expect(terminal.screen.visible).toMatch(/^Name:/);

  terminal.resize({ columns: 100 });
  await scene.edit({ color: 'green' });
  await terminal.shows('Version 1.0.1 is current');
  terminal.pressCtrlC();
  expect(await terminal.ended()).toBe(0);
  const last = terminal.screen.text.slice(terminal.screen.text.lastIndexOf('Name:'));
  expect(last.match(/✔ Ready +1\.0\.1/g)).toHaveLength(12);
});

test('the table of all configs is kept up to date, and a dumb terminal gets lines', async () => {
  await using scene = await ReleaseScene.start(engine);
  await using table = scene.inTerminal(['status', '-w']);
  await using dumb = scene.inTerminal(['status', 'foo', '-w'], { env: { TERM: 'dumb' }, columns: 200 });
  await table.shows(/configmap\/foo +1\.0\.0 +- +✔ current +2\/2/);
  await dumb.shows(`${scene.namespace} foo 1.0.0: version 1.0.0 is current`);
  await scene.edit({ web: 'crash-loop' });
  await table.shows(/configmap\/foo +1\.0\.0 +- +✖ rolled back +2\/2 +\S+ +Deployment web/);
  await dumb.shows(`${scene.namespace} foo 1.0.1: rolled back after`);
  for (const terminal of [table, dumb]) {
    terminal.pressCtrlC();
    expect(await terminal.ended()).toBe(0);
  }
  expect(table.screen.text.match(/CONFIG/g)).toHaveLength(1);
});
