import { currentEngine } from '@trimtab/test-bed/engines/engine.ts';
import { FaultProxy } from '@trimtab/test-bed/fault-proxy/server.ts';
import { afterAll, expect, test } from 'vitest';
import { ReleaseScene } from './support/release-scene.ts';

const engine = await currentEngine();
afterAll(() => engine.close());

/** A kubeconfig whose requests go through a proxy that disturbs them. */
async function throughProxy() {
  const proxy = await FaultProxy.start({ access: await engine.access(), tls: true });
  const kubeconfig = await engine.kubeconfigOf(undefined, { url: proxy.url, authority: proxy.authority });
  return { proxy, kubeconfig, [Symbol.asyncDispose]: () => proxy.close() };
}

test('over a slow connection a version is activated and followed to its end', async () => {
  await using scene = await ReleaseScene.start(engine);
  await scene.addVersion('1.0.1', { color: 'green' });
  await using disturbed = await throughProxy();
  disturbed.proxy.inject({ fault: { kind: 'delay', ms: 300 }, when: { probability: 1 } });
  const { code, stdout, stderr } = await scene.run(['activate', 'foo', '1.0.1'], {
    kubeconfig: disturbed.kubeconfig,
  });
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toMatch(/\nconfigmap "foo": version 1\.0\.1 is current\n$/);
});

test('the outcome is found although the watch loses every event', async () => {
  await using scene = await ReleaseScene.start(engine);
  await scene.addVersion('1.0.1', { web: 'crash-loop' });
  await using disturbed = await throughProxy();
  disturbed.proxy.inject({
    fault: { kind: 'drop-event' },
    when: { resource: 'configrollouts', event: 'MODIFIED', probability: 1 },
  });
  const { code } = await scene.run(['activate', 'foo', '1.0.1'], { kubeconfig: disturbed.kubeconfig });
  expect(code).toBe(3);
});

test('a lost connection is noted on the screen, and the rollout is followed again when it is back', async () => {
  await using scene = await ReleaseScene.start(engine);
  await scene.addVersion('1.0.1', { web: 'starts' });
  await using disturbed = await throughProxy();
  const { proxy, kubeconfig } = disturbed;
  await using terminal = scene.inTerminal(['activate', 'foo', '1.0.1', '--yes'], {
    kubeconfig,
    columns: 140,
  });
  await terminal.shows(/⟳ starting +1\.0\.1/);

  const { retire } = proxy.inject({ fault: { kind: 'fail-before' }, when: { probability: 1 } });
  await proxy.breakWatches('cut');
  await terminal.shows(/! no connection to the API server for \d+s \(\w+\); retrying/);
  expect(terminal.screen.text).toMatch(/⟳ starting +1\.0\.1/);
  retire();
  await scene.app.becomes(() => 'works');

  expect(await terminal.ended()).toBe(0);
  expect(terminal.screen.text).toContain('Status:     ✔ Version 1.0.1 is current');
  expect(terminal.screen.text).not.toContain('no connection');
});

test('without a connection at the start the command fails at once, as kubectl does', async () => {
  await using scene = await ReleaseScene.start(engine);
  const { proxy, kubeconfig } = await throughProxy();
  await proxy.close();
  for (const args of [
    ['status'],
    ['status', 'foo'],
    ['status', '-w'],
    ['wait', 'foo'],
    ['activate', 'foo', '1.0.0'],
  ]) {
    const { code, stdout, stderr } = await scene.run(args, { kubeconfig });
    expect({ args, code, stdout }).toEqual({ args, code: 1, stdout: '' });
    expect(stderr).toMatch(
      /^The connection to the server \S+ was refused - did you specify the right host or port\?\n/,
    );
  }
});
