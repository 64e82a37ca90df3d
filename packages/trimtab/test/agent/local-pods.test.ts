import { existsSync } from 'node:fs';
import { freePort } from '@trimtab/kube/http/free-port.ts';
import type { Engine } from '@trimtab/test-bed/engines/engine.ts';
import { findKubectl } from '@trimtab/test-bed/engines/find-kubectl.ts';
import { openLocalEngineWithNode } from '@trimtab/test-bed/engines/local-engine.ts';
import { configMap } from '@trimtab/test-bed/objects/config-map.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { agentSidecar, mountsOf, sharingPod } from './support/agent-container.ts';
import { haproxyAnswer, haproxyConf, nodeApp, postgresConf, pythonApp } from './support/apps.ts';
import { Load } from './support/load.ts';
import { nginxConf } from './support/nginx-pod.ts';
import { ProgramScene } from './support/program-scene.ts';

/** The agent with real programs on the local cluster, where pods are processes of this machine. */

const isAvailable = (program: string) =>
  process.platform === 'linux' && findKubectl() !== undefined && existsSync(program);

let engine: Engine;

beforeAll(async () => {
  engine = await openLocalEngineWithNode({});
});
afterAll(() => engine?.close());

// Not at /tmp, where this checkout may be: the agent runs from its sources.
const volumes = ['config', 'data', 'scratch'];
const mounts = mountsOf(volumes);
const pod = (name: string, spec: object) => sharingPod(name, volumes, spec);

describe.runIf(isAvailable('/usr/sbin/nginx'))('nginx', () => {
  const listening = (port: number) => ({ tcpSocket: { host: '127.0.0.1', port }, periodSeconds: 1 });

  test('is signalled by the sidecar of its own pod under load, and by no other', {
    timeout: 120_000,
  }, async () => {
    const it = await ProgramScene.open(engine, 'nginx');
    const [port, otherPort] = [await freePort(), await freePort()];
    const write = (answer: string) =>
      `echo '${nginxConf(answer, otherPort, '/scratch')}' > /config/nginx.conf`;
    const run = `exec nginx -c /config/nginx.conf -g 'daemon off;'`;
    const image = 'nginx:1.22';
    await it.when.applied(
      configMap('nginx', { 'nginx.conf': nginxConf('blue', port, '/scratch') }),
      pod('other', {
        containers: [
          {
            ...{ name: 'nginx', image, command: ['sh', '-c', `${write('old')}; ${run}`] },
            ...{ volumeMounts: mounts, readinessProbe: listening(otherPort) },
          },
        ],
      }),
      pod('web', {
        initContainers: [agentSidecar(['--reload-process=nginx'])],
        containers: [
          {
            ...{ name: 'nginx', image, command: ['sh', '-c', run] },
            ...{ volumeMounts: mounts, readinessProbe: listening(port) },
          },
        ],
      }),
    );
    await it.readyPod('other');
    await it.readyPod('web');
    // The other nginx would read this file at a SIGHUP.
    await it.when.kubectl('exec', 'other', '--', 'sh', '-c', write('new'));
    const url = `http://127.0.0.1:${port}/`;
    await it.answers(url, 'blue');
    const load = new Load(url, 2);
    await it.edit('nginx', { 'nginx.conf': nginxConf('green', port, '/scratch') });
    await it.answers(url, 'green');
    await load.stop();
    expect(load.failures).toEqual([]);
    await it.answers(`http://127.0.0.1:${otherPort}/`, 'old');
  });
});

const postgres = '/usr/lib/postgresql/15/bin';

describe.runIf(isAvailable(`${postgres}/postgres`))('PostgreSQL', () => {
  test('is the child of /srv/config-controller, as in the document', { timeout: 120_000 }, async () => {
    const it = await ProgramScene.open(engine, 'postgres');
    // PostgreSQL refuses root, and containers of the local cluster have the user of the test.
    const asPostgres =
      process.getuid?.() === 0
        ? ['setpriv', '--reuid=postgres', '--regid=postgres', '--clear-groups', '--']
        : [];
    const initdb = [
      `chmod 777 /data /scratch;`,
      ...asPostgres,
      `${postgres}/initdb`,
      '--pgdata=/data/pg',
    ].join(' ');
    await it.when.applied(
      configMap('postgresql', postgresConf('5MB', '/scratch')),
      pod('postgresql', {
        initContainers: [
          {
            ...{ name: 'initdb', image: 'postgres:15', volumeMounts: mounts },
            command: ['sh', '-c', `${initdb} --auth=trust`],
          },
        ],
        containers: [
          {
            ...{ name: 'postgresql', image: 'postgres:15', volumeMounts: mounts },
            command: ['/srv/config-controller'],
            args: [
              ...['--configroot=/config', `--configmap=${it.namespace}/postgresql`, '--'],
              ...[...asPostgres, `${postgres}/postgres`, '-c', 'config_file=/config/postgresql.conf'],
            ],
            readinessProbe: {
              exec: { command: [`${postgres}/pg_isready`, '--host=/scratch'] },
              periodSeconds: 1,
            },
          },
        ],
      }),
    );
    await it.readyPod('postgresql');
    const ask = async (sql: string) => {
      const psql = [`${postgres}/psql`, '-h', '/scratch', '-U', 'postgres', '-d', 'postgres', '-Atc', sql];
      return (await it.when.kubectl('exec', 'postgresql', '--', ...psql)).trim();
    };
    expect(await ask('SHOW work_mem')).toBe('5MB');
    await it.edit('postgresql', postgresConf('6MB', '/scratch'));
    await it.eventually('work_mem is 6MB', async () => {
      const seen = await ask('SHOW work_mem');
      return seen === '6MB' ? { met: true } : { seen };
    });
  });
});

interface Case {
  what: string;
  /** The program on this machine. */
  program: string;
  command(port: number): string[];
  /** The file /config/app, with a text that the application shows. */
  file(text: string, port: number): string;
  path: string;
  tell(port: number): string[];
}

const cases: Case[] = [
  {
    what: 'HAProxy reloads by SIGUSR2 to its master',
    program: '/usr/sbin/haproxy',
    command: () => ['/usr/sbin/haproxy', '-W', '-db', '-f', '/config/app'],
    file: (text, port) => haproxyConf(haproxyAnswer(text), `127.0.0.1:${port}`),
    path: '/',
    tell: () => ['--reload-signal=SIGUSR2', '--reload-container=app'],
  },
  {
    what: 'Prometheus reloads over HTTP',
    program: '/usr/bin/prometheus',
    command: (port) => [
      ...['/usr/bin/prometheus', '--config.file=/config/app', '--storage.tsdb.path=/data'],
      ...[`--web.listen-address=127.0.0.1:${port}`, '--web.enable-lifecycle'],
    ],
    file: (text) => `global: {external_labels: {text: ${text}}}`,
    path: '/api/v1/status/config',
    tell: (port) => [`--reload-http=http://127.0.0.1:${port}/-/reload`],
  },
  {
    what: 'an application of Node.js reloads by SIGUSR1',
    program: process.execPath,
    command: (port) => [process.execPath, '-e', nodeApp('/config/app'), '127.0.0.1', String(port)],
    file: (text) => text,
    path: '/',
    tell: () => ['--reload-signal=SIGUSR1', '--reload-container=app'],
  },
  {
    what: 'an application of Python reloads by SIGUSR1',
    program: '/usr/bin/python3',
    command: (port) => ['/usr/bin/python3', '-c', pythonApp('/config/app'), '127.0.0.1', String(port)],
    file: (text) => text,
    path: '/',
    tell: () => ['--reload-signal=SIGUSR1', '--reload-container=app'],
  },
];

for (const { what, program, command, file, path, tell } of cases)
  test.runIf(isAvailable(program))(what, { timeout: 120_000 }, async () => {
    const it = await ProgramScene.open(engine);
    const port = await freePort();
    await it.when.applied(
      configMap('nginx', { app: file('blue', port) }),
      pod('app', {
        initContainers: [agentSidecar(tell(port))],
        containers: [{ name: 'app', image: 'busybox', command: command(port), volumeMounts: mounts }],
      }),
    );
    const url = `http://127.0.0.1:${port}${path}`;
    await it.answers(url, /blue/);
    await it.edit('nginx', { app: file('green', port) });
    await it.answers(url, /green/);
    const { name } = await it.readyPod('app');
    const restarts = 'jsonpath={.status.containerStatuses[0].restartCount}';
    expect(await it.when.kubectl('get', 'pod', name, '-o', restarts)).toBe('0');
  });
