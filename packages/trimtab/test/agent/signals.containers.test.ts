import type { KubeObject } from '@trimtab/kube/wire.ts';
import { currentEngine, type Engine } from '@trimtab/test-bed/engines/engine.ts';
import { configMap } from '@trimtab/test-bed/objects/config-map.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { agentSidecar, mountsOf, sharingPod } from './support/agent-container.ts';
import { nodeApp, pythonApp } from './support/apps.ts';
import { nginxConf, nginxPod } from './support/nginx-pod.ts';
import { ProgramScene } from './support/program-scene.ts';

let engine: Engine;

beforeAll(async () => {
  engine = await currentEngine();
});
afterAll(() => engine?.close());

const none = { drop: ['ALL'] };

describe('a sidecar that sends SIGHUP to nginx', () => {
  test.each([
    {
      what: 'as the same user, without capabilities',
      nginx: { runAsUser: 101, capabilities: none },
      agent: { runAsUser: 101, capabilities: none },
    },
    {
      what: 'as root with the capabilities that containers have by default, to another user',
      nginx: { runAsUser: 101 },
      agent: { runAsUser: 0 },
    },
  ])('$what: nginx reloads', async ({ nginx, agent }) => {
    const it = await ProgramScene.open(engine, 'nginx');
    await it.when.applied(configMap('nginx', { 'nginx.conf': nginxConf('blue', 8080) }));
    await it.when.applied(nginxPod('web', nginx, agent));
    const { address } = await it.readyPod('web');
    await it.edit('nginx', { 'nginx.conf': nginxConf('green', 8080) });
    await it.answers(`http://${address}:8080/`, 'green');
  });

  test.each([
    {
      what: 'as another user',
      agent: { runAsUser: 65532, capabilities: none },
    },
    {
      what: 'as another user with the capability KILL, which is not effective for it',
      agent: { runAsUser: 65532, capabilities: { drop: ['ALL'], add: ['KILL'] } },
    },
    { what: 'as root without capabilities', agent: { runAsUser: 0, capabilities: none } },
  ])('$what: is not allowed, says what to do, and the old files stay', async ({ agent }) => {
    const it = await ProgramScene.open(engine, 'nginx');
    await it.when.applied(configMap('nginx', { 'nginx.conf': nginxConf('blue', 8080) }));
    await it.when.applied(nginxPod('web', { runAsUser: 101, capabilities: none }, agent));
    const { name, address } = await it.readyPod('web');
    await it.edit('nginx', { 'nginx.conf': nginxConf('green', 8080) });
    const log = await it.logged(name, 'agent', 'config rejected');
    expect(log).toMatch(
      new RegExp(
        `user ${agent.runAsUser} may not send SIGHUP to process \\d+ \\(nginx\\) of user 101\\. Run the agent with runAsUser: 101, or as root with the capability KILL`,
      ),
    );
    await it.answers(`http://${address}:8080/`, 'blue');
    const file = await it.when.kubectl('exec', name, '-c', 'nginx', '--', 'cat', '/config/nginx.conf');
    expect(file).toContain('blue');
  });
});

function appPod(image: string, command: string[]): KubeObject {
  const volumes = ['config'];
  return sharingPod('app', volumes, {
    securityContext: { runAsUser: 65532, runAsGroup: 65532 },
    initContainers: [agentSidecar(['--reload-signal=SIGUSR1', '--reload-container=app'])],
    containers: [
      {
        name: 'app',
        image,
        command: [...command, '0.0.0.0', '8080'],
        volumeMounts: mountsOf(volumes),
        readinessProbe: { httpGet: { path: '/', port: 8080 }, periodSeconds: 1 },
      },
    ],
  });
}

describe('an application of your own reloads by SIGUSR1, in the same process', () => {
  test('Node.js', async () => {
    const it = await ProgramScene.open(engine);
    await it.when.applied(configMap('nginx', { color: 'blue' }));
    await it.when.applied(appPod(engine.images.node, ['node', '-e', nodeApp('/config/color')]));
    await expectReload(it);
  });

  test('Python', async () => {
    const it = await ProgramScene.open(engine, 'python');
    await it.when.applied(configMap('nginx', { color: 'blue' }));
    await it.when.applied(appPod('python:3.11', ['python3', '-c', pythonApp('/config/color')]));
    await expectReload(it);
  });

  async function expectReload(it: ProgramScene): Promise<void> {
    const { name, address } = await it.readyPod('app');
    await it.answers(`http://${address}:8080/`, 'blue');
    await it.edit('nginx', { color: 'green' });
    await it.answers(`http://${address}:8080/`, 'green');
    const restarts = 'jsonpath={.status.containerStatuses[0].restartCount}';
    expect(await it.when.kubectl('get', 'pod', name, '-o', restarts)).toBe('0');
  }
});
