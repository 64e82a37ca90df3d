import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { KubeClient } from '@trimtab/kube/client.ts';
import { systemClock } from '@trimtab/kube/clock.ts';
import { loadAccess } from '@trimtab/kube/identity/load-access.ts';
import { silentLogger } from '@trimtab/kube/log/silent-logger.ts';
import { configMaps, namespaces, pods, secrets, services } from '@trimtab/kube/resource.ts';
import { isNotFound } from '@trimtab/kube/transport/errors.ts';
import { httpClient } from '@trimtab/kube/transport/http-client.ts';
import type { KubeObject } from '@trimtab/kube/wire.ts';
import { ManualClock } from '@trimtab/test-bed/fakes/manual-clock.ts';
import { waitFor } from '@trimtab/test-bed/watching/wait-for.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ApiServer } from '../apiserver/server.ts';
import { startLocalCluster } from '../local-cluster.ts';
import type { Container, Pod, PodSpec } from '../objects/pod.ts';
import type { ContainerContext, PreparedContainer } from './container-setup.ts';
import { type LocalContainerSetup, setUpContainers } from './set-up-containers.ts';
import { PodTokens } from './volumes/pod-tokens.ts';

const namespace = 'shop';
const tokenFolder = '/var/run/secrets/kubernetes.io/serviceaccount';
const never = new AbortController().signal;

let scratch: string;
let cluster: ApiServer;
let client: KubeClient & { close(): void };
let setup: LocalContainerSetup;
let apiServer: { host: string; port: number };

beforeAll(async () => {
  scratch = await mkdtemp(path.join(tmpdir(), 'test-setup-'));
  cluster = await startLocalCluster({ stateDir: path.join(scratch, 'state'), port: 0, log: silentLogger });
  const access = await loadAccess({ kubeconfig: cluster.kubeconfigFile });
  client = httpClient({ access, log: silentLogger });
  const { hostname, port } = new URL(cluster.url);
  apiServer = { host: hostname, port: Number(port) };
  setup = await setUpContainers({
    client,
    clock: systemClock,
    log: silentLogger,
    folder: scratch,
    refreshMs: 20,
    apiServer,
  });
  await client.create(namespaces, { metadata: { name: namespace } });
  await waitFor('the namespace has its kube-root-ca.crt', async () => {
    const found = await client.get(configMaps, { namespace, name: 'kube-root-ca.crt' }).catch(unlessMissing);
    return found ? { met: true } : { seen: 'no kube-root-ca.crt' };
  });
});

afterAll(async () => {
  await setup.close();
  client.close();
  await cluster.close();
  await rm(scratch, { recursive: true, force: true });
});

function unlessMissing(error: unknown): undefined {
  if (isNotFound(error)) return undefined;
  throw error;
}

const config = (name: string, data: Record<string, string>, more = {}) =>
  client.create(configMaps, { metadata: { namespace, name }, data, ...more } as KubeObject);
const edit = (name: string, data: Record<string, string>) =>
  client.patch(configMaps, { namespace, name }, { type: 'merge', body: { data } });

/** Creates a pod in the API, and the place from which the kubelet would prepare it. */
async function podOf(name: string, spec: Partial<PodSpec>, container: Partial<Container> = {}, meta = {}) {
  const created = await client.create<Pod>(pods, {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { namespace, name, ...meta },
    spec: { containers: [{ name: 'app', image: 'x', ...container }], ...spec },
  });
  const [first] = created.spec.containers;
  if (first === undefined) throw new Error('no container');
  const folder = path.join(scratch, 'pods', created.metadata.uid ?? '');
  await mkdir(folder, { recursive: true });
  const terminationLog = path.join(folder, 'message');
  await writeFile(terminationLog, '');
  const events: string[] = [];
  const place: ContainerContext = {
    pod: created,
    container: first,
    folder,
    podIP: '127.1.2.3',
    hostIP: '127.0.0.1',
    allocatable: { cpu: '2', memory: '4Gi' },
    terminationLog,
    extraEnvironment: { PORT: '4711' },
    tell: (type, reason, message) => events.push(`${type} ${reason} ${message}`),
  };
  return { place, events, uid: created.metadata.uid ?? '' };
}

async function prepared(place: ContainerContext): Promise<PreparedContainer> {
  expect(await setup.preparePod(place, never)).toBeUndefined();
  const found = await setup.prepareContainer(place, never);
  if ('waiting' in found) throw new Error(`${found.waiting.reason}: ${found.waiting.message}`);
  return found;
}

async function run({ wrap, env, cwd, expand }: PreparedContainer, ...command: string[]): Promise<string> {
  const [program = '', ...args] = wrap(expand(command));
  const child = spawn(program, args, { cwd, env });
  let out = '';
  child.stdout.on('data', (data: Buffer) => {
    out += data.toString();
  });
  child.stderr.on('data', (data: Buffer) => {
    out += data.toString();
  });
  await new Promise((resolve, reject) => child.once('error', reject).once('close', resolve));
  return out;
}

/** A path of the container, with and without mount namespaces. */
const at = ({ env }: PreparedContainer, where: string) => `${env['POD_ROOT'] ?? ''}${where}`;

describe('the service account of a pod', () => {
  test('its token, authority and namespace are where every client looks for them', async () => {
    const { place, uid } = await podOf('client', {});
    const container = await prepared(place);
    const file = (name: string) => run(container, 'cat', at(container, `${tokenFolder}/${name}`));
    expect(await file('namespace')).toBe(namespace);
    expect(await file('ca.crt')).toBe(cluster.authority);
    const token = await file('token');
    const { env } = container;
    const url = `https://${env['KUBERNETES_SERVICE_HOST']}:${env['KUBERNETES_SERVICE_PORT']}`;
    expect(url).toBe(`https://${apiServer.host}:${apiServer.port}`);
    const own = httpClient({
      access: {
        server: url,
        namespace,
        tls: async () => ({ ca: await file('ca.crt') }),
        headers: async () => ({ authorization: `Bearer ${token}` }),
      },
      log: silentLogger,
    });
    try {
      const path = '/apis/authentication.k8s.io/v1/selfsubjectreviews';
      const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' };
      const whoAmI = () =>
        own.raw<{ status: { userInfo: { username: string; extra: Record<string, string[]> } } }>({
          method: 'POST',
          path,
          body,
        });
      const { userInfo } = (await whoAmI()).status;
      expect(userInfo.username).toBe(`system:serviceaccount:${namespace}:default`);
      expect(userInfo.extra['authentication.kubernetes.io/pod-uid']).toEqual([uid]);
      await client.delete(pods, { namespace, name: 'client' }, { gracePeriodSeconds: 0 });
      await expect(whoAmI()).rejects.toMatchObject({ status: 401 });
    } finally {
      own.close();
    }
  });

  test('a token is renewed at four fifths of its life, and not before', async () => {
    const { place } = await podOf('renewing', {});
    const clock = new ManualClock();
    const tokens = new PodTokens(client, clock);
    const ask = () => tokens.token(place.pod, { expirationSeconds: 1000 });
    const first = await ask();
    await clock.advance(799_999);
    expect(await ask()).toBe(first);
    await clock.advance(1);
    const second = await ask();
    expect(second).not.toBe(first);
    // Each audience has a separate token.
    const other = await tokens.token(place.pod, { expirationSeconds: 1000, audience: 'vault' });
    expect(JSON.parse(Buffer.from(other.split('.')[1] ?? '', 'base64url').toString()).aud).toEqual(['vault']);
    expect(await ask()).toBe(second);
    // When renewal fails, the old token is used until it expires.
    await client.delete(pods, { namespace, name: 'renewing' }, { gracePeriodSeconds: 0 });
    await clock.advance(900_000);
    expect(await ask()).toBe(second);
    await clock.advance(100_000);
    await expect(ask()).rejects.toMatchObject({ status: 404 });
  });
});

describe('a config that changes while the pod runs', () => {
  test('the volume follows, variables and subPath never do', async () => {
    await config('live', { colour: 'green' });
    const { place } = await podOf(
      'follower',
      { volumes: [{ name: 'v', configMap: { name: 'live' } }] },
      {
        env: [{ name: 'COLOUR', valueFrom: { configMapKeyRef: { name: 'live', key: 'colour' } } }],
        volumeMounts: [
          { name: 'v', mountPath: '/etc/test-live' },
          { name: 'v', mountPath: '/etc/test-frozen/colour', subPath: 'colour' },
        ],
      },
    );
    const container = await prepared(place);
    const live = () => run(container, 'cat', at(container, '/etc/test-live/colour'));
    const frozen = () => run(container, 'cat', at(container, '/etc/test-frozen/colour'));
    expect(await live()).toBe('green');
    await edit('live', { colour: 'blue' });
    await waitFor('the file is blue', async () => {
      const seen = await live();
      return seen === 'blue' ? { met: true } : { seen };
    });
    expect(await frozen()).toBe('green');
    expect(await run(container, 'echo', '$(COLOUR)')).toBe('green\n');
    // The next start of the container uses the new values everywhere.
    const again = await prepared(place);
    expect(await run(again, 'cat', at(again, '/etc/test-frozen/colour'))).toBe('blue');
    expect(again.env['COLOUR']).toBe('blue');
  });

  test('labels and annotations of the pod follow, too', async () => {
    const items = [{ path: 'labels', fieldRef: { fieldPath: 'metadata.labels' } }];
    const { place } = await podOf(
      'labelled',
      { volumes: [{ name: 'v', downwardAPI: { items } }] },
      { volumeMounts: [{ name: 'v', mountPath: '/etc/test-pod' }] },
      { labels: { tier: 'a' } },
    );
    const container = await prepared(place);
    const labels = () => run(container, 'cat', at(container, '/etc/test-pod/labels'));
    expect(await labels()).toBe('tier="a"');
    const body = { metadata: { labels: { tier: 'b' } } };
    await client.patch(pods, { namespace, name: 'labelled' }, { type: 'merge', body });
    await waitFor('the label is b', async () => {
      const seen = await labels();
      return seen === 'tier="b"' ? { met: true } : { seen };
    });
  });

  test('one that is deleted stays as it was, and an Event says so', async () => {
    await config('doomed', { key: 'kept' });
    const { place, events } = await podOf(
      'keeper',
      { volumes: [{ name: 'v', configMap: { name: 'doomed' } }] },
      { volumeMounts: [{ name: 'v', mountPath: '/etc/test-doomed' }] },
    );
    const container = await prepared(place);
    await client.delete(configMaps, { namespace, name: 'doomed' });
    await waitFor('an Event of the pod', async () =>
      events.length > 0 ? { met: true } : { seen: 'no events' },
    );
    expect(events[0]).toBe(
      'Warning FailedMount MountVolume.SetUp failed for volume "v" : configmap "doomed" not found',
    );
    expect(await run(container, 'cat', at(container, '/etc/test-doomed/key'))).toBe('kept');
  });

  test('an immutable one that is made anew under its name is not looked at again', async () => {
    await config('fixed', { key: 'first' }, { immutable: true });
    await config('other', { key: 'first' });
    const volumes = ['fixed', 'other'].map((name) => ({ name, configMap: { name } }));
    const volumeMounts = volumes.map(({ name }) => ({ name, mountPath: `/etc/test-${name}` }));
    const { place } = await podOf('reader', { volumes }, { volumeMounts });
    const container = await prepared(place);
    await client.delete(configMaps, { namespace, name: 'fixed' });
    await config('fixed', { key: 'second' });
    await edit('other', { key: 'second' });
    const key = (name: string) => run(container, 'cat', at(container, `/etc/test-${name}/key`));
    await waitFor('the other was refreshed', async () => {
      const seen = await key('other');
      return seen === 'second' ? { met: true } : { seen };
    });
    expect(await key('fixed')).toBe('first');
  });
});

describe('what is missing', () => {
  test('a pod waits for its volumes, an Event says for which, and it starts when they are there', async () => {
    const { place, events } = await podOf(
      'patient',
      { volumes: [{ name: 'v', secret: { secretName: 'late' } }] },
      { volumeMounts: [{ name: 'v', mountPath: '/etc/test-late' }] },
    );
    expect(await setup.preparePod(place, never)).toEqual({
      waiting: { reason: 'ContainerCreating', message: '' },
    });
    expect(events).toEqual([
      'Warning FailedMount MountVolume.SetUp failed for volume "v" : secret "late" not found',
    ]);
    const data = { key: Buffer.from([0xff, 0, 0x41]).toString('base64') };
    await client.create(secrets, { metadata: { namespace, name: 'late' }, data } as KubeObject);
    const container = await prepared(place);
    const file = container.hostPath('/etc/test-late/key');
    expect(await readFile(file)).toEqual(Buffer.from([0xff, 0, 0x41]));
  });

  test('a container whose variable has no source says so as Kubernetes does, and can be asked again', async () => {
    const { place } = await podOf('lacking', {}, { envFrom: [{ configMapRef: { name: 'soon' } }] });
    await setup.preparePod(place, never);
    expect(await setup.prepareContainer(place, never)).toEqual({
      waiting: { reason: 'CreateContainerConfigError', message: 'configmap "soon" not found' },
    });
    await config('soon', { A: 'b' });
    expect((await prepared(place)).env['A']).toBe('b');
  });

  test('a mount that cannot be is told, and does not end the kubelet', async () => {
    const { place } = await podOf(
      'impossible',
      { volumes: [{ name: 'v', emptyDir: {} }] },
      { volumeMounts: [{ name: 'v', mountPath: '/etc/passwd' }] },
    );
    await setup.preparePod(place, never);
    const found = await setup.prepareContainer(place, never);
    if (setup.mountsLine.includes('$POD_ROOT')) expect(found).not.toHaveProperty('waiting');
    else
      expect(found).toEqual({
        waiting: {
          reason: 'CreateContainerError',
          message: '/etc/passwd must be a folder, but is a file',
        },
      });
  });
});

test('a container has its Services, its own variables, and a hostname', async () => {
  await client.create(services, {
    metadata: { namespace, name: 'db-main' },
    spec: { ports: [{ port: 5432 }] },
  } as KubeObject);
  const env = [
    { name: 'URL', value: 'pg://$(DB_MAIN_SERVICE_HOST):$(DB_MAIN_SERVICE_PORT)' },
    { name: 'IP', valueFrom: { fieldRef: { fieldPath: 'status.podIP' } } },
  ];
  const { place } = await podOf('linked', {}, { env });
  const container = await waitFor('the Service is known', async () => {
    const found = await prepared(place);
    return found.env['DB_MAIN_SERVICE_HOST'] ? { met: found } : { seen: Object.keys(found.env).join() };
  });
  expect(container.env['URL']).toMatch(/^pg:\/\/10\.96\.\d+\.\d+:5432$/);
  expect(container.env).toMatchObject({ IP: '127.1.2.3', HOSTNAME: 'linked', PORT: '4711' });
  expect(await run(container, 'echo', '$(IP) $(PORT) $(HOSTNAME) $$(IP)')).toBe(
    '127.1.2.3 4711 $(HOSTNAME) $(IP)\n',
  );
  const { place: alone } = await podOf('alone', { enableServiceLinks: false });
  expect(Object.keys((await prepared(alone)).env)).not.toContain('DB_MAIN_SERVICE_HOST');
});

test('two containers share an emptyDir, and a variable comes from a file that the first one left', async () => {
  const fileKeyRef = { volumeName: 'v', path: 'out/made.env', key: 'NAME' };
  const { place } = await podOf(
    'sharing',
    {
      volumes: [{ name: 'v', emptyDir: {} }],
      initContainers: [{ name: 'init', image: 'x', volumeMounts: [{ name: 'v', mountPath: '/test-out' }] }],
    },
    {
      volumeMounts: [{ name: 'v', mountPath: '/test-in' }],
      env: [{ name: 'NAME', valueFrom: { fileKeyRef } }],
    },
  );
  const [init] = place.pod.spec.initContainers ?? [];
  if (init === undefined) throw new Error('no init container');
  await setup.preparePod(place, never);
  expect(await setup.prepareContainer(place, never)).toEqual({
    waiting: { reason: 'CreateContainerConfigError', message: "couldn't parse env file" },
  });
  const first = await prepared({ ...place, container: init });
  const out = at(first, '/test-out/out');
  await run(first, 'sh', '-c', `mkdir ${out} && printf "NAME='ann'" > ${out}/made.env`);
  const second = await prepared(place);
  expect(second.env['NAME']).toBe('ann');
  expect(await run(second, 'cat', at(second, '/test-in/out/made.env'))).toBe("NAME='ann'");
});

test('nothing is written into the folder of a pod that was released', async () => {
  await config('busy', { n: '0' });
  const { place, uid } = await podOf(
    'leaving',
    { volumes: [{ name: 'v', configMap: { name: 'busy' } }] },
    { volumeMounts: [{ name: 'v', mountPath: '/etc/test-busy' }] },
  );
  const { place: other } = await podOf(
    'staying',
    { volumes: [{ name: 'v', configMap: { name: 'busy' } }] },
    { volumeMounts: [{ name: 'v', mountPath: '/etc/test-busy' }] },
  );
  await prepared(place);
  const staying = await prepared(other);
  await setup.release(uid);
  await rm(place.folder, { recursive: true });
  await edit('busy', { n: '1' });
  await waitFor('the other one was refreshed', async () => {
    const seen = await readFile(staying.hostPath('/etc/test-busy/n'), 'utf8');
    return seen === '1' ? { met: true } : { seen };
  });
  const left = path.join(place.folder, 'volumes/kubernetes.io~configmap/v/n');
  await expect(readFile(left)).rejects.toMatchObject({ code: 'ENOENT' });
});
