import type { KubeObject } from '@trimtab/kube/wire.ts';
import { currentEngine, type Engine } from '@trimtab/test-bed/engines/engine.ts';
import { configMap } from '@trimtab/test-bed/objects/config-map.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { agentImage } from './support/agent-image.ts';
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

const nodeApp = `
  const { readFileSync } = require('node:fs');
  let color;
  const load = () => { color = readFileSync('/config/color', 'utf8'); };
  process.on('SIGUSR1', load);
  load();
  require('node:http').createServer((_, response) => response.end(color)).listen(8080);
`;

const pythonApp = `
import http.server, signal
color = b''
def load(*_):
    global color
    color = open('/config/color', 'rb').read()
class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.end_headers()
        self.wfile.write(color)
    def log_message(self, *_): pass
signal.signal(signal.SIGUSR1, load)
load()
http.server.HTTPServer(('', 8080), Handler).serve_forever()
`;

/** The application waits a while before it handles signals, as a large one does. */
function appPod(image: string, command: string[]): KubeObject {
  const mount = { name: 'config', mountPath: '/config' };
  const spec = {
    serviceAccountName: 'config-reader',
    shareProcessNamespace: true,
    terminationGracePeriodSeconds: 0,
    securityContext: { runAsUser: 65532, runAsGroup: 65532 },
    volumes: [{ name: 'config', emptyDir: {} }],
    initContainers: [
      {
        name: 'agent',
        image: agentImage,
        restartPolicy: 'Always',
        args: [
          ...['--configroot=/config', '--configmap=nginx', '--reload-signal=SIGUSR1'],
          '--reload-container=app',
        ],
        env: [
          { name: 'TRIMTAB_AGENT_NAMESPACE', valueFrom: { fieldRef: { fieldPath: 'metadata.namespace' } } },
        ],
        volumeMounts: [mount],
        startupProbe: { httpGet: { path: '/readyz', port: 8082 }, periodSeconds: 1, failureThreshold: 60 },
      },
    ],
    containers: [
      {
        name: 'app',
        image,
        command,
        volumeMounts: [mount],
        readinessProbe: { httpGet: { path: '/', port: 8080 }, periodSeconds: 1 },
      },
    ],
  };
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'app', labels: { app: 'app' } },
    spec,
  } as KubeObject;
}

describe('an application of your own reloads by SIGUSR1, in the same process', () => {
  test('Node.js', async () => {
    const it = await ProgramScene.open(engine);
    await it.when.applied(configMap('nginx', { color: 'blue' }));
    await it.when.applied(appPod(engine.images.node, ['node', '-e', nodeApp]));
    await expectReload(it);
  });

  test('Python', async () => {
    const it = await ProgramScene.open(engine, 'python');
    await it.when.applied(configMap('nginx', { color: 'blue' }));
    await it.when.applied(appPod('python:3.11', ['python3', '-c', pythonApp]));
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
