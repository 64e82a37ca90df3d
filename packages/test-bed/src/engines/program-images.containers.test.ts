import { pods } from '@trimtab/kube/resource.ts';
import type { KubeObject } from '@trimtab/kube/wire.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { configMap } from '../objects/config-map.ts';
import { applyObjects } from '../story/apply-objects.ts';
import { clusterState } from '../story/scene.ts';
import { waitFor } from '../watching/wait-for.ts';
import { currentEngine, type Engine } from './engine.ts';
import { kubectl } from './kubectl.ts';

interface Pod extends KubeObject {
  spec: object;
  status?: { podIP?: string; phase?: string; containerStatuses?: { ready: boolean }[] };
}

interface Container {
  image: string;
  command?: string[];
  args?: string[];
  imagePullPolicy?: string;
  securityContext?: object;
}

let engine: Engine;
let namespace: string;

beforeAll(async () => {
  engine = await currentEngine();
  namespace = await engine.namespace();
});

afterAll(() => engine?.close());

/** Starts a pod with one container. `config` is the content of a folder of the container; /data is an empty one. */
async function start(
  name: string,
  container: Container,
  config?: { at: string; files: Record<string, string> },
): Promise<void> {
  const client = await engine.connect();
  const mounts = [
    { name: 'data', mountPath: '/data' },
    ...(config ? [{ name: 'config', mountPath: config.at }] : []),
  ];
  const pod: Pod = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { namespace, name },
    spec: {
      restartPolicy: 'Never',
      terminationGracePeriodSeconds: 0,
      containers: [{ name, ...container, volumeMounts: mounts }],
      volumes: [{ name: 'data', emptyDir: {} }, ...(config ? [{ name: 'config', configMap: { name } }] : [])],
    },
  };
  const files = config ? [configMap(name, config.files)] : [];
  for (const each of files) each.metadata.namespace = namespace;
  await applyObjects(client, [...files, pod]);
}

function eventually<T>(what: string, look: () => Promise<{ met: T } | { seen: string }>): Promise<T> {
  const scene = async () => clusterState(await engine.connect(), namespace);
  return waitFor(what, look, { timeoutMs: 60_000, everyMs: 100, scene });
}

/** The body of the first response with the status 200. */
function answerOf(name: string, port: number, path = '/', method = 'GET'): Promise<string> {
  return eventually(`${name} answers on port ${port}`, async () => {
    const client = await engine.connect();
    const { status } = await client.get<Pod>(pods, { namespace, name });
    if (status?.podIP === undefined) return { seen: `${status?.phase}, without an address` };
    const answer = await fetch(`http://${status.podIP}:${port}${path}`, {
      method,
      signal: AbortSignal.timeout(2_000),
    }).catch(String);
    if (typeof answer === 'string') return { seen: answer };
    const body = await answer.text();
    return answer.status === 200 ? { met: body } : { seen: `${answer.status} ${body}` };
  });
}

function outputOf(words: string[], isSo: (output: string) => boolean): Promise<string> {
  return eventually(`kubectl ${words.join(' ')}`, async () => {
    const { stdout, stderr } = await kubectl(engine, words, { namespace });
    return isSo(stdout) ? { met: stdout } : { seen: `${stdout}${stderr}` };
  });
}

async function exec(pod: string, ...command: string[]): Promise<string> {
  const { stdout, stderr, code } = await kubectl(engine, ['exec', pod, '--', ...command], { namespace });
  expect(code, stderr).toBe(0);
  return stdout;
}

describe('an image of a program', () => {
  test('nginx serves the page of a mounted config, as its own user', async () => {
    const server = 'server { listen 8080; return 200 "a page\\n"; }';
    const image = await engine.loadProgramImage('nginx');
    expect(image).toBe('nginx:1.22');
    await start('nginx', { image }, { at: '/etc/nginx/conf.d', files: { 'web.conf': server } });
    expect(await answerOf('nginx', 8080)).toBe('a page\n');
    // A program that is copied into the container finds the whole C library.
    await exec('nginx', 'sh', '-c', 'ls /lib/*/libm.so.6 /lib/*/libdl.so.2 /lib/*/libpthread.so.0');
    // The access log is the output of the container.
    await outputOf(['logs', 'nginx'], (output) => output.includes('GET / HTTP/1.1'));
    expect(await exec('nginx', 'sh', '-c', 'cat /proc/[0-9]*/status')).toMatch(/^Uid:\t33\t/m);
  });

  test('nginx serves its own page without a config, and works as a user that is not root', async () => {
    const image = await engine.loadProgramImage('nginx');
    const config = 'server { listen 8080; root /usr/share/nginx/html; }';
    const securityContext = { runAsUser: 65532, runAsGroup: 65532 };
    await start('welcome', { image });
    await start(
      'unprivileged',
      { image, securityContext },
      { at: '/etc/nginx/conf.d', files: { 'web.conf': config } },
    );
    expect(await answerOf('welcome', 80)).toContain('Welcome to nginx!');
    expect(await answerOf('unprivileged', 8080)).toContain('Welcome to nginx!');
  });

  test('postgres starts on an empty folder and answers psql', async () => {
    const image = await engine.loadProgramImage('postgres');
    const script = 'initdb -D /data/db && exec postgres -D /data/db -k /tmp';
    await start('postgres', { image, command: ['sh', '-c', script] });
    const query = [
      'psql',
      '-h',
      '/tmp',
      '-At',
      '-c',
      "select 6 * 7, timestamptz '2026-07-01 12:00 Europe/Oslo'",
    ];
    await outputOf(
      ['exec', 'postgres', '--', ...query, 'postgres'],
      (output) => output === '42|2026-07-01 10:00:00+00\n',
    );
  });

  test('haproxy answers, and its master reloads on SIGUSR2', async () => {
    const config = [
      'defaults',
      '  mode http',
      '  timeout client 5s',
      'frontend web',
      '  bind :8080',
      '  http-request return status 200 content-type text/plain string answered',
      '',
    ].join('\n');
    const at = '/usr/local/etc/haproxy';
    const image = await engine.loadProgramImage('haproxy');
    await start('haproxy', { image }, { at, files: { 'haproxy.cfg': config } });
    expect(await answerOf('haproxy', 8080)).toBe('answered');
    await exec('haproxy', 'kill', '-USR2', '1');
    await outputOf(['logs', 'haproxy'], (output) => /Former worker .* exited with code 0/.test(output));
    expect(await answerOf('haproxy', 8080)).toBe('answered');
  });

  test('prometheus is ready, and reloads on request', async () => {
    const image = await engine.loadProgramImage('prometheus');
    const args = [
      '--config.file=/etc/prometheus/prometheus.yml',
      '--storage.tsdb.path=/prometheus',
      '--web.enable-lifecycle',
    ];
    const files = { 'prometheus.yml': 'global: { scrape_interval: 5s }\n' };
    await start('prometheus', { image, args }, { at: '/etc/prometheus', files });
    expect(await answerOf('prometheus', 9090, '/-/ready')).toBe('Prometheus Server is Ready.\n');
    expect(await answerOf('prometheus', 9090, '/-/reload', 'POST')).toBe('');
  });

  test('python prints, handles signals and serves', async () => {
    const image = await engine.loadProgramImage('python');
    const program = [
      'import http.server, json, os, signal, sys, threading, time',
      'print(json.dumps({"version": sys.version_info[:2], "pid": os.getpid()}), flush=True)',
      'signal.signal(signal.SIGHUP, lambda *_: print("hung up", flush=True))',
      'http.server.ThreadingHTTPServer(("", 8080), http.server.SimpleHTTPRequestHandler).serve_forever()',
    ].join('\n');
    await start('python', { image, command: ['python3', '-c', program] });
    await outputOf(['logs', 'python'], (output) => output === '{"version": [3, 11], "pid": 1}\n');
    expect(await answerOf('python', 8080, '/etc/')).toContain('passwd');
    await exec('python', 'kill', '-HUP', '1');
    await outputOf(['logs', 'python'], (output) => output.includes('hung up'));
  });
});

test('an image of one binary has its libraries and nothing else, under all its names and paths', async () => {
  const names = ['test/binary:1', 'test/alias:latest'];
  await engine.loadBinaryImage({
    names,
    binary: process.execPath,
    paths: ['/srv/binary', '/link'],
    user: '65532:65532',
  });
  const program = 'console.log(process.getuid(), fs.readdirSync("/").join(" "), process.execPath)';
  const imagePullPolicy = 'IfNotPresent';
  await start('entrypoint', { image: 'test/binary:1', args: ['-e', program] });
  await start('linked', { image: 'test/alias:latest', imagePullPolicy, command: ['/link', '-e', program] });
  for (const name of ['entrypoint', 'linked']) {
    const output = await outputOf(['logs', name], (text) => text !== '');
    expect(output).toBe('65532 data dev etc lib lib64 link proc srv sys var /srv/binary\n');
  }
});
