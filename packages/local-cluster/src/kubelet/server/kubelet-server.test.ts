import { spawn } from 'node:child_process';
import { tmpdir } from 'node:os';
import type { HttpServer } from '@trimtab/kube/http/http-server.ts';
import { silentLogger } from '@trimtab/kube/log/silent-logger.ts';
import { nodes, pods, type Resource } from '@trimtab/kube/resource.ts';
import { createMaterial } from '@trimtab/kube/tls/material.ts';
import type { KubeObject } from '@trimtab/kube/wire.ts';
import { findKubectl } from '@trimtab/test-bed/engines/find-kubectl.ts';
import { type LocalServer, startLocalServer } from '@trimtab/test-bed/engines/local-server.ts';
import { waitFor } from '@trimtab/test-bed/watching/wait-for.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import type { RunningContainer } from '../pod/probe-results.ts';
import { type ContainerAccess, ContainerUnreachable, type LogOptions } from './container-access.ts';
import { startKubeletServer } from './kubelet-server.ts';

/** Uses a real API server and real processes; the test supplies the kubelet's view of the containers. */
let local: LocalServer;
let kubelet: HttpServer;
const asked: LogOptions[] = [];
const kubectl = findKubectl();

const prepared: RunningContainer['prepared'] = {
  env: { PATH: process.env['PATH'] ?? '', WHERE: 'inside' },
  cwd: tmpdir(),
  expand: (words) => [...words],
  wrap: (command) => [...command],
  hostPath: (path) => path,
};
const containers: ContainerAccess = {
  running(_, pod, container) {
    if (container === 'late')
      throw new ContainerUnreachable(
        400,
        `container "late" in pod "${pod}" is waiting to start: ContainerCreating`,
      );
    return {
      ...{ prepared, id: 'c1', pid: 1, join: (command) => [...command] },
      container: { name: container },
    } as RunningContainer;
  },
  ports: (_, pod) => {
    throw new ContainerUnreachable(500, `pod not found ("${pod}")`);
  },
  async *logs({ pod, container }, options, signal) {
    asked.push(options);
    if (container === 'late')
      throw new ContainerUnreachable(
        400,
        `container "late" in pod "${pod}" is waiting to start: ContainerCreating`,
      );
    yield Buffer.from('one\ntwo\n');
    while (options.follow && !signal.aborted) {
      yield Buffer.from('more\n');
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  },
};

beforeAll(async () => {
  local = await startLocalServer();
  const serving = local.server.certificateOfServer('here', ['127.0.0.1']);
  const material = createMaterial({ ...serving, clientAuthority: local.server.authority });
  kubelet = await startKubeletServer({ host: '127.0.0.1', port: 0, material, containers, log: silentLogger });
  const { client } = local;
  const node = { apiVersion: 'v1', kind: 'Node', metadata: { name: 'here' }, spec: {} };
  await client.create<KubeObject>(nodes, node);
  const status = {
    addresses: [{ type: 'InternalIP', address: '127.0.0.1' }],
    daemonEndpoints: { kubeletEndpoint: { Port: kubelet.port } },
  };
  await client.patch(nodes, { name: 'here' }, { type: 'merge', body: { status } }, { subresource: 'status' });
  await client.create<KubeObject>(serviceAccounts, { metadata: { name: 'default', namespace: 'default' } });
  await client.create<KubeObject>(pods, pod('web', ['app']));
  await client.create<KubeObject>(pods, pod('two', ['app', 'late']));
});

afterAll(async () => {
  await kubelet.close(0);
  await local.close();
});

const serviceAccounts: Resource = {
  ...{ group: '', version: 'v1', plural: 'serviceaccounts', kind: 'ServiceAccount', namespaced: true },
};

function pod(name: string, names: string[]): KubeObject & { spec: object } {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: 'default' },
    spec: { nodeName: 'here', containers: names.map((each) => ({ name: each, image: 'busybox' })) },
  };
}

interface Ran {
  code: number | null;
  stdout: string;
  stderr: string;
}

function run(args: string[], input = ''): Promise<Ran> {
  const child = spawn(kubectl ?? '', ['--kubeconfig', local.server.kubeconfigFile, ...args]);
  const ran: Ran = { code: null, stdout: '', stderr: '' };
  child.stdout.on('data', (part) => {
    ran.stdout += part;
  });
  child.stderr.on('data', (part) => {
    ran.stderr += part;
  });
  child.stdin.end(input);
  return new Promise((resolve) => child.on('close', (code) => resolve({ ...ran, code })));
}

describe.runIf(kubectl !== undefined)('kubectl logs', () => {
  test('prints what there is', async () => {
    expect(await run(['logs', 'web'])).toEqual({ code: 0, stdout: 'one\ntwo\n', stderr: '' });
  });

  test('passes on which part is wanted', async () => {
    await run(['logs', 'web', '--tail=5', '--since=60s', '--timestamps', '--previous', '--limit-bytes=100']);
    expect(asked.at(-1)).toMatchObject({ tailLines: 5, timestamps: true, previous: true, limitBytes: 100 });
    expect(Math.abs((asked.at(-1)?.since ?? 0) - (Date.now() - 60_000))).toBeLessThan(60_000);
  });

  test('follows until it is told to stop', async () => {
    const child = spawn(kubectl ?? '', ['--kubeconfig', local.server.kubeconfigFile, 'logs', '-f', 'web']);
    let seen = '';
    child.stdout.on('data', (part) => {
      seen += part;
    });
    await waitFor('more lines of the log', async () =>
      seen.split('more').length > 3 ? { met: true } : { seen: seen || 'nothing' },
    );
    child.kill('SIGINT');
    await new Promise((resolve) => child.on('close', resolve));
  });

  test.each([
    ['which of several is meant', ['logs', 'two', '-c', 'none'], /container none is not valid for pod two/],
    [
      'why it has none yet',
      ['logs', 'two', '-c', 'late'],
      /container "late" in pod "two" is waiting to start/,
    ],
    ['that there is no such pod', ['logs', 'nobody'], /pods "nobody" not found/],
  ])('tells %s', async (_, args, message) => {
    const { code, stderr } = await run(args);
    expect(stderr).toMatch(message);
    expect(code).toBe(1);
  });
});

describe.runIf(kubectl !== undefined)('kubectl exec', () => {
  test('runs a command with the environment of the container', async () => {
    const ran = await run(['exec', 'web', '--', 'sh', '-c', 'echo $WHERE; echo apart >&2']);
    expect(ran).toEqual({ code: 0, stdout: 'inside\n', stderr: 'apart\n' });
  });

  test('ends with the code of the command', async () => {
    const { code, stderr } = await run(['exec', 'web', '--', 'sh', '-c', 'exit 7']);
    expect([code, stderr]).toEqual([7, 'command terminated with exit code 7\n']);
  });

  test('gives it what comes in, to the end', async () => {
    const text = 'line\n'.repeat(50_000);
    expect((await run(['exec', '-i', 'web', '--', 'cat'], text)).stdout).toBe(text);
  });

  test('tells that there is no such program', async () => {
    const { code, stderr } = await run(['exec', 'web', '--', 'no-such-program']);
    expect(stderr).toMatch(/executable file not found in \$PATH/);
    expect(code).not.toBe(0);
  });

  test('is refused where the container does not run', async () => {
    expect((await run(['exec', 'two', '-c', 'late', '--', 'true'])).stderr).toMatch(/is waiting to start/);
  });

  test('is refused to who may not run commands', async () => {
    const { stderr } = await run(['--as', 'bob', 'exec', 'web', '--', 'true']);
    expect(stderr).toMatch(/forbidden: User "bob" cannot (get|create) resource "pods/);
  });
});

describe('the server', () => {
  test('ends a command whose client has left', async () => {
    const url = `${local.server.url.replace('https', 'wss')}/api/v1/namespaces/default/pods/web/exec`;
    const query = 'command=sh&command=-c&command=echo%20%24%24%3B%20sleep%20300&stdout=true';
    const socket = new WebSocket(`${url}?${query}`, ['v5.channel.k8s.io'], {
      ca: local.server.authority,
      headers: { authorization: `Bearer ${local.server.adminToken}` },
    });
    const pid = await new Promise<number>((resolve, reject) => {
      socket.on('message', (data: Buffer) => resolve(Number(data.subarray(1).toString())));
      socket.on('error', reject);
    });
    expect(isAlive(pid)).toBe(true);
    socket.terminate();
    await waitFor('the command to end', async () => (isAlive(pid) ? { seen: 'it runs' } : { met: true }));
  });

  test('answers nobody but the API server', async () => {
    await expect(
      fetch(`${kubelet.url}/containerLogs/default/web/app`, { signal: AbortSignal.timeout(5_000) }),
    ).rejects.toThrow();
  });
});

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
