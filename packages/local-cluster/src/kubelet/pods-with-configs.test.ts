import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { systemClock } from '@trimtab/kube/clock.ts';
import { silentLogger } from '@trimtab/kube/log/silent-logger.ts';
import { configMaps, events, pods } from '@trimtab/kube/resource.ts';
import { isNotFound } from '@trimtab/kube/transport/errors.ts';
import type { KubeObject } from '@trimtab/kube/wire.ts';
import { type LocalServer, startLocalServer } from '@trimtab/test-bed/engines/local-server.ts';
import { type Observation, waitFor } from '@trimtab/test-bed/watching/wait-for.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Container, Pod, PodSpec } from '../objects/pod.ts';
import { runHook } from './hooks/run-hook.ts';
import { type Kubelet, startKubelet } from './kubelet.ts';
import { type LocalContainerSetup, setUpContainers } from './set-up-containers.ts';

/** Tests the kubelet with real environments, volumes and mounts together. */

const namespace = 'default';
const nodeName = 'test-node';
let local: LocalServer;
let stateDir: string;
let setup: LocalContainerSetup;
let kubelet: Kubelet;

beforeAll(async () => {
  local = await startLocalServer();
  const body = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'default' } };
  await local.client.raw({ method: 'POST', path: '/api/v1/namespaces/default/serviceaccounts', body });
  stateDir = await mkdtemp(path.join(tmpdir(), 'test-kubelet-'));
  const { client } = local;
  setup = await setUpContainers({
    client,
    clock: systemClock,
    log: silentLogger,
    folder: stateDir,
    refreshMs: 100,
  });
  const backOff = { baseMs: 50, maxMs: 1_000 };
  kubelet = startKubelet({ client, log: silentLogger, stateDir, nodeName, setup, backOff, runHook });
  await kubelet.ready;
});

afterAll(async () => {
  await kubelet.close(0);
  await setup.close();
  await local.close();
  await rm(stateDir, { recursive: true, force: true });
});

const config = (name: string, data: Record<string, string>) =>
  local.client.create(configMaps, { metadata: { namespace, name }, data } as KubeObject);

/** Prefix of mount paths: '' where volumes are mounted at their real paths. */
const at = () => (setup.mountsLine.includes('$POD_ROOT') ? '$POD_ROOT' : '');

async function run(name: string, app: Partial<Container>, spec: Partial<PodSpec> = {}): Promise<void> {
  const containers = [{ name: 'app', image: 'busybox', ...app }];
  const shape = { nodeName, automountServiceAccountToken: false, containers, ...spec };
  await local.client.create<Pod>(pods, {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { namespace, name },
    spec: shape,
  });
}

function until(name: string, what: string, isSo: (pod: Pod) => boolean): Promise<Pod> {
  return waitFor(`pod ${name} ${what}`, async (): Promise<Observation<Pod>> => {
    const pod = await local.client.get<Pod>(pods, { namespace, name });
    return isSo(pod) ? { met: pod } : { seen: JSON.stringify(pod.status) };
  });
}

const ended = (name: string) =>
  until(name, 'has ended', ({ status }) => ['Succeeded', 'Failed'].includes(status?.phase ?? ''));

async function output(name: string): Promise<string> {
  const pieces: Uint8Array[] = [];
  const { signal } = new AbortController();
  const options = { follow: false, previous: false, timestamps: false };
  const where = { namespace, pod: name, container: 'app' };
  for await (const piece of kubelet.containers.logs(where, options, signal)) pieces.push(piece);
  return Buffer.concat(pieces).toString();
}

function told(name: string, text: string): Promise<void> {
  return waitFor(`the Event '${text}' of ${name}`, async () => {
    type Told = KubeObject & { reason: string; message: string; involvedObject: { name: string } };
    const { items } = await local.client.list<Told>(events, { namespace });
    const seen = items
      .filter(({ involvedObject }) => involvedObject.name === name)
      .map(({ reason, message }) => `${reason}: ${message}`);
    return seen.includes(text) ? { met: undefined } : { seen: seen.join(' | ') };
  });
}

const sh = (script: string) => ['sh', '-c', script];
const never = { restartPolicy: 'Never' };

test('a pod reads its config from a file, a variable and its arguments', async () => {
  await config('shop', { colour: 'green' });
  await run(
    'reader',
    {
      command: sh(`cat ${at()}/etc/test-shop/colour; echo " $COLOUR $1 $HOSTNAME"`),
      args: ['sh', '$(COLOUR)!'],
      env: [{ name: 'COLOUR', valueFrom: { configMapKeyRef: { name: 'shop', key: 'colour' } } }],
      volumeMounts: [{ name: 'v', mountPath: '/etc/test-shop' }],
    },
    { ...never, volumes: [{ name: 'v', configMap: { name: 'shop' } }] },
  );
  expect((await ended('reader')).status?.phase).toBe('Succeeded');
  expect(await output('reader')).toBe('green green green! reader\n');
});

test('a script that lies in a config is a program, by its path and in the working directory', async () => {
  await config('scripts', { 'run.sh': '#!/bin/sh\necho ran from $(pwd)\n' });
  const volumes = [{ name: 'v', configMap: { name: 'scripts', defaultMode: 0o755 } }];
  const volumeMounts = [{ name: 'v', mountPath: '/test-scripts' }];
  await run(
    'relative',
    { command: ['./run.sh'], workingDir: '/test-scripts', volumeMounts },
    { ...never, volumes },
  );
  expect((await ended('relative')).status?.phase).toBe('Succeeded');
  expect(await output('relative')).toMatch(/^ran from .*(\/test-scripts|\/volumes\/v)\n$/);
});

test('what a container writes to /dev/termination-log are its last words', async () => {
  const container = { command: sh(`echo blurple > ${at()}/dev/termination-log; exit 3`) };
  await run('last-words', container, never);
  const { status } = await ended('last-words');
  expect(status?.containerStatuses?.[0]?.state.terminated).toMatchObject({
    exitCode: 3,
    message: 'blurple\n',
  });
});

test('a hook that comes right after the start sees the files of its container', async () => {
  await config('hooked', { colour: 'green' });
  const copy = `cat ${at()}/etc/test-hooked/colour > ${at()}/test-shared/seen`;
  await run(
    'hooked',
    {
      command: sh(`until [ -s ${at()}/test-shared/seen ]; do sleep 0.05; done; cat ${at()}/test-shared/seen`),
      lifecycle: { postStart: { exec: { command: sh(copy) } } },
      volumeMounts: [
        { name: 'v', mountPath: '/etc/test-hooked' },
        { name: 'e', mountPath: '/test-shared' },
      ],
    },
    {
      ...never,
      volumes: [
        { name: 'v', configMap: { name: 'hooked' } },
        { name: 'e', emptyDir: {} },
      ],
    },
  );
  expect((await ended('hooked')).status?.phase).toBe('Succeeded');
  expect(await output('hooked')).toBe('green');
});

test('a variable whose config is missing: CreateContainerConfigError, until it is there', async () => {
  await run('lacking', { command: sh('echo $A'), envFrom: [{ configMapRef: { name: 'later' } }] }, never);
  const pod = await until('lacking', 'waits', ({ status }) =>
    Boolean(status?.containerStatuses?.[0]?.state.waiting?.message),
  );
  expect(pod.status?.containerStatuses?.[0]?.state.waiting).toEqual({
    reason: 'CreateContainerConfigError',
    message: 'configmap "later" not found',
  });
  await told('lacking', 'Failed: Error: configmap "later" not found');
  await config('later', { A: 'now' });
  await ended('lacking');
  expect(await output('lacking')).toBe('now\n');
});

test('a volume whose config is missing: ContainerCreating and FailedMount, until it is there', async () => {
  await run(
    'waiting',
    {
      command: sh(`cat ${at()}/etc/test-late/key`),
      volumeMounts: [{ name: 'v', mountPath: '/etc/test-late' }],
    },
    { ...never, volumes: [{ name: 'v', configMap: { name: 'late' } }] },
  );
  await told('waiting', 'FailedMount: MountVolume.SetUp failed for volume "v" : configmap "late" not found');
  await waitFor('the container to wait as ContainerCreating', async () => {
    const { status } = await local.client.get<Pod>(pods, { namespace, name: 'waiting' });
    const reason = status?.containerStatuses?.[0]?.state.waiting?.reason;
    return reason === 'ContainerCreating' ? { met: true } : { seen: `${reason}` };
  });
  await config('late', { key: 'here' });
  await ended('waiting');
  expect(await output('waiting')).toBe('here');
});

test('an emptyDir outlives a crash of its container, and goes with the pod', async () => {
  const count = `cd ${at()}/test-data && echo x >> runs && cat runs; [ $(wc -l < runs) -ge 3 ] && exec sleep 600; exit 1`;
  await run(
    'crasher',
    { command: sh(count), volumeMounts: [{ name: 'v', mountPath: '/test-data' }] },
    { volumes: [{ name: 'v', emptyDir: {} }], terminationGracePeriodSeconds: 1 },
  );
  const pod = await until('crasher', 'runs for the third time', ({ status }) => {
    const app = status?.containerStatuses?.[0];
    return app?.restartCount === 2 && app.state.running !== undefined;
  });
  await waitFor('the output of the third run', async () => {
    const seen = await output('crasher');
    return seen === 'x\nx\nx\n' ? { met: true } : { seen };
  });
  const folder = path.join(stateDir, 'pods', pod.metadata.uid ?? '');
  expect(existsSync(folder)).toBe(true);
  await local.client.delete(pods, { namespace, name: 'crasher' });
  await waitFor('the pod is gone', async () => {
    try {
      await local.client.get<Pod>(pods, { namespace, name: 'crasher' });
      return { seen: 'there' };
    } catch (error) {
      if (isNotFound(error)) return { met: true };
      throw error;
    }
  });
  await waitFor('the folder of the pod is gone', async () =>
    existsSync(folder) ? { seen: 'there' } : { met: true },
  );
});
