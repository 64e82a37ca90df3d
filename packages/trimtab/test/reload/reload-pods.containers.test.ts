import { currentEngine, type Engine } from '@trimtab/test-bed/engines/engine.ts';
import { waitFor } from '@trimtab/test-bed/watching/wait-for.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { OtherInjector } from './support/other-injector.ts';
import { RealReload } from './support/real-reload.ts';
import { ReloadedApp } from './support/reloaded-app.ts';
import { readAtSignal, servedText } from './support/served-text.ts';

/** Pods that other products change, too, and pods with volumes of several sources. */

let engine: Engine;
let real: RealReload;

beforeAll(async () => {
  engine = await currentEngine();
  real = await RealReload.open(engine);
});
afterAll(async () => {
  await real?.[Symbol.asyncDispose]();
  await engine?.close();
});

test.each(['before', 'after'])(
  'a container that another webhook adds %s Trimtab can use the endpoint',
  async (order) => {
    const { namespace, client } = real.it;
    const sidecar = { name: 'mesh', image: engine.images.node, command: ['sleep', '3600'] };
    await using _ = await OtherInjector.start(client, {
      name: order === 'before' ? 'a-mesh' : 'z-mesh',
      ...{ namespace, container: sidecar },
    });
    const app = await ReloadedApp.start(real, `mesh-${order}`, {
      containers: [servedText(engine, readAtSignal('/etc/foo/color', 'SIGUSR1'))],
    });
    await app.reloads('green', '1.0.1');
    const asked = await app.exec('mesh', [
      'node',
      '-e',
      `const { MY_CONFIG_ENDPOINT, MY_CONFIG_CA, MY_CONFIG_TOKEN } = process.env;
     const options = { ca: require('node:fs').readFileSync(MY_CONFIG_CA), headers: { authorization: MY_CONFIG_TOKEN } };
     require('node:https').get(MY_CONFIG_ENDPOINT, options, (response) => response.pipe(process.stdout));`,
    ]);
    expect(JSON.parse(asked)).toEqual({ color: 'green', [`configmap/${app.name}`]: '1.0.1' });
  },
);

test('a file that is mounted by subPath changes on a reload, also in its length', async () => {
  const container = servedText(engine, readAtSignal('/app/settings/color.txt', 'SIGUSR1'));
  const app = await ReloadedApp.start(real, 'subpath', {
    containers: [
      {
        ...container,
        volumeMounts: [{ name: 'volume-0', mountPath: '/app/settings/color.txt', subPath: 'color' }],
      },
    ],
  });
  await app.reloads('a much longer name of a colour', '1.0.1');
  await app.reloads('red', '1.0.2');
});

test('a projected volume keeps its other sources, and they stay up to date', async () => {
  const sources = [
    { configMap: { name: 'projected', items: [{ key: 'color', path: 'colors/main' }] } },
    { downwardAPI: { items: [{ path: 'labels', fieldRef: { fieldPath: 'metadata.labels' } }] } },
    { serviceAccountToken: { path: 'token', audience: 'vault' } },
  ];
  const container = servedText(engine, readAtSignal('/etc/foo/colors/main', 'SIGUSR1'));
  const app = await ReloadedApp.start(real, 'projected', {
    containers: [container],
    mounts: { '/etc/foo': { projected: { sources } } },
  });
  const read = (file: string) => app.exec('app', ['cat', `/etc/foo/${file}`]);
  expect(await read('labels')).toContain('app="projected"');
  const token = await read('token');
  expect(JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()).aud).toEqual(['vault']);

  await app.reloads('green', '1.0.1');
  expect(await read('token')).toBe(token);
  await real.it.when.kubectl('label', 'pod', app.pods[0]?.name ?? '', 'tier=gold');
  await waitFor(
    'the new label is in the file',
    async () => {
      const seen = await read('labels');
      return seen.includes('tier="gold"') ? { met: true } : { seen };
    },
    { timeoutMs: 60_000, everyMs: 500 },
  );
  await app.serves('green');
});

test('containers of two users read files that only their fsGroup may read', async () => {
  const items = [{ key: 'color', path: 'colors/main', mode: 0o440 }];
  const read = readAtSignal('/etc/foo/colors/main', 'SIGUSR1');
  const container = (user: number, port: number) => ({
    ...servedText(engine, read, port),
    securityContext: { runAsUser: user, runAsGroup: user },
  });
  const app = await ReloadedApp.start(real, 'group', {
    containers: [container(1000, 8080), container(2000, 8081)],
    spec: { securityContext: { fsGroup: 3000 } },
    mounts: { '/etc/foo': { configMap: { name: 'group', items } } },
  });
  expect(await app.exec('other-1', ['stat', '-Lc', '%a %g', '/etc/foo/colors/main'])).toBe('440 3000\n');
  await app.reloads('green', '1.0.1');
  await real.answers(`http://${app.pods[0]?.address}:8081/`, 'green');
});
