import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { cluster } from './testing/cluster-command.ts';
import { bedUnderTest, eventually, type Kubectl, kubectlInFreshNamespace } from './testing/kubectl.ts';

describe('real containers', () => {
  const bed = bedUnderTest();
  const images = bed.containers?.images ?? { busybox: '', node: '' };
  let kubectl: Kubectl;
  let namespace: string;
  beforeAll(async () => {
    ({ kubectl, namespace } = await kubectlInFreshNamespace(bed));
  });

  const apply = async (object: object) => {
    const folder = mkdtempSync(join(tmpdir(), 'trimtab-apply-'));
    writeFileSync(join(folder, 'object.json'), JSON.stringify(object));
    await kubectl('apply', '-f', join(folder, 'object.json'));
    rmSync(folder, { recursive: true });
  };
  const isReady = (pod: string) => kubectl('wait', '--for=condition=Ready', `pod/${pod}`, '--timeout=60s');
  const logsHave = (pod: string, text: string) =>
    eventually(`'${text}' in the log of ${pod}`, async () => (await kubectl('logs', pod)).includes(text));

  test('kubectl run, logs and exec', async () => {
    await kubectl(
      'run',
      'hello',
      `--image=${images.busybox}`,
      '--',
      'sh',
      '-c',
      'echo hello from inside; sleep 600',
    );
    await isReady('hello');
    await logsHave('hello', 'hello from inside');
    expect(await kubectl('exec', 'hello', '--', 'sh', '-c', 'echo $((6 * 7))')).toBe('42');
  });

  test('a signal reaches the process', async () => {
    const program = 'trap "echo got USR1" USR1; echo waiting; while :; do sleep 0.1; done';
    await kubectl('run', 'listener', `--image=${images.busybox}`, '--', 'sh', '-c', program);
    await isReady('listener');
    await logsHave('listener', 'waiting');
    await kubectl('exec', 'listener', '--', 'kill', '-USR1', '1');
    await logsHave('listener', 'got USR1');
  });

  test('a liveness probe restarts a sick container', async () => {
    const livenessProbe = {
      exec: { command: ['test', '!', '-e', '/tmp/sick'] },
      periodSeconds: 1,
      timeoutSeconds: 10,
      failureThreshold: 1,
    };
    await apply({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'patient' },
      spec: {
        terminationGracePeriodSeconds: 0,
        containers: [{ name: 'app', image: images.busybox, command: ['sleep', '600'], livenessProbe }],
      },
    });
    await isReady('patient');
    await kubectl('exec', 'patient', '--', 'touch', '/tmp/sick');
    await eventually('a restart', async () => {
      const count = await kubectl(
        'get',
        'pod',
        'patient',
        '-o',
        'jsonpath={.status.containerStatuses[0].restartCount}',
      );
      return Number(count) >= 1;
    });
  });

  test('rollout status and undo', async () => {
    const server = (answer: string) =>
      `require('http').createServer((q, r) => r.end('${answer}')).listen(8080); process.on('SIGTERM', () => process.exit())`;
    const deployment = (answer: string) => ({
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'web' },
      spec: {
        replicas: 2,
        selector: { matchLabels: { app: 'web' } },
        template: {
          metadata: { labels: { app: 'web' } },
          spec: {
            containers: [
              {
                name: 'web',
                image: images.node,
                command: ['node', '-e', server(answer)],
                readinessProbe: { httpGet: { port: 8080 }, periodSeconds: 1 },
              },
            ],
          },
        },
      },
    });
    const answerOfOnePod = async () => {
      const selected = ['get', 'pods', '-l', 'app=web', '-o'];
      return get(await kubectl(...selected, 'jsonpath={.items[0].status.podIP}'), 8080);
    };
    await apply(deployment('first'));
    await kubectl('rollout', 'status', 'deployment/web', '--timeout=60s');
    await eventually('a response of the first version', async () => (await answerOfOnePod()) === 'first');
    await apply(deployment('second'));
    await kubectl('rollout', 'status', 'deployment/web', '--timeout=60s');
    await eventually('a response of the second version', async () => (await answerOfOnePod()) === 'second');
    await kubectl('rollout', 'undo', 'deployment/web');
    await kubectl('rollout', 'status', 'deployment/web', '--timeout=60s');
    await eventually('a response of the first version', async () => (await answerOfOnePod()) === 'first');
  });

  test('a pod reaches the API server by its service, with its own token', async () => {
    const program = `
      const { readFileSync } = require('fs');
      const at = '/var/run/secrets/kubernetes.io/serviceaccount/';
      const review = JSON.stringify({ apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' });
      require('https').request({
        host: process.env.KUBERNETES_SERVICE_HOST, port: process.env.KUBERNETES_SERVICE_PORT, method: 'POST',
        path: '/apis/authentication.k8s.io/v1/selfsubjectreviews', ca: readFileSync(at + 'ca.crt'),
        headers: { authorization: 'Bearer ' + readFileSync(at + 'token'), 'content-type': 'application/json' },
      }, (r) => r.on('data', (d) => console.log(JSON.parse(d).status.userInfo.username))).end(review);
      setTimeout(() => {}, 600000);`;
    await kubectl('run', 'who', `--image=${images.node}`, '--', 'node', '-e', program);
    await isReady('who');
    await logsHave('who', `system:serviceaccount:${namespace}:default`);
  });

  test('a ConfigMap is mounted as a file', async () => {
    await kubectl('create', 'configmap', 'settings', '--from-literal=colour=green');
    await apply({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'reader' },
      spec: {
        volumes: [{ name: 'settings', configMap: { name: 'settings' } }],
        containers: [
          {
            name: 'app',
            image: images.busybox,
            command: ['sleep', '600'],
            volumeMounts: [{ name: 'settings', mountPath: '/settings' }],
          },
        ],
      },
    });
    await isReady('reader');
    expect(await kubectl('exec', 'reader', '--', 'cat', '/settings/colour')).toBe('green');
  });

  test('a pod reaches a server that the test runs', async () => {
    const server = createServer((_request, response) => response.end('from the test'));
    server.listen(0, bed.host.address);
    await once(server, 'listening');
    const address = server.address();
    const port = typeof address === 'object' && address ? address.port : 0;
    const url = `http://${bed.host.address}:${port}/`;
    await kubectl(
      'run',
      'caller',
      `--image=${images.busybox}`,
      '--',
      'sh',
      '-c',
      `wget -qO- ${url}; echo; sleep 600`,
    );
    await logsHave('caller', 'from the test');
    server.close();
  });

  test('port-forward', async () => {
    const program = "require('http').createServer((q, r) => r.end('forwarded')).listen(8080)";
    await kubectl('run', 'far', `--image=${images.node}`, '--', 'node', '-e', program);
    await isReady('far');
    // The pod has no readiness probe, and port-forward fails while no process is listening.
    const address = await kubectl('get', 'pod', 'far', '-o', 'jsonpath={.status.podIP}');
    await eventually(
      'the server in the pod to respond',
      async () => (await get(address, 8080)) === 'forwarded',
    );
    const words = [`--kubeconfig=${bed.kubeconfig}`, '-n', namespace, 'port-forward', 'pod/far', ':8080'];
    const forward = spawn(bed.kubectl, words, { stdio: ['ignore', 'pipe', 'inherit'] });
    const [line] = (await once(forward.stdout.setEncoding('utf8'), 'data')) as [string];
    const port = Number(/127\.0\.0\.1:(\d+)/.exec(line)?.[1]);
    await eventually(
      'a response through port-forward',
      async () => (await get('127.0.0.1', port)) === 'forwarded',
    );
    forward.kill();
  });

  test('a folder becomes an image', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'trimtab-image-'));
    writeFileSync(join(folder, 'main.js'), 'console.log("made of a folder"); setTimeout(() => {}, 600000)');
    const command = ['--cmd', 'node', '--cmd', 'main.js', '--user', '65534'];
    const made = await cluster('image', '--name', bed.name, 'from-folder:1', folder, ...command);
    expect(made).toMatchObject({ code: 0, stdout: 'docker.io/library/from-folder:1\n' });
    await kubectl('run', 'made', '--image=from-folder:1');
    await isReady('made');
    await logsHave('made', 'made of a folder');
    expect(await kubectl('exec', 'made', '--', 'id', '-u')).toBe('65534');
    rmSync(folder, { recursive: true });
  });

  test('containers that share processes leave no zombies', async () => {
    await apply({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'family' },
      spec: {
        shareProcessNamespace: true,
        containers: [{ name: 'app', image: images.busybox, command: ['sleep', '600'] }],
      },
    });
    await isReady('family');
    // The inner shell exits first, so its child becomes a child of process 1, the pause program.
    await kubectl('exec', 'family', '--', 'sh', '-c', 'sh -c "sleep 0.1 & exit"');
    await eventually('the orphaned process to be reaped', async () => {
      const listed = await kubectl('exec', 'family', '--', 'sh', '-c', 'cat /proc/[0-9]*/stat');
      return !/\(sleep\) Z/.test(listed);
    });
  });
});

/** Uses a short timeout: a pod that is terminating never responds. */
function get(host: string, port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const outgoing = request(
      { host, port, agent: false, signal: AbortSignal.timeout(2000) },
      async (incoming) => {
        let body = '';
        for await (const text of incoming.setEncoding('utf8')) body += text;
        resolve(body);
      },
    );
    outgoing.on('error', reject).end();
  });
}
