import { pods, secrets } from '@trimtab/kube/resource.ts';
import { currentEngine, type Engine } from '@trimtab/test-bed/engines/engine.ts';
import { configMap } from '@trimtab/test-bed/objects/config-map.ts';
import { type Secret, secret } from '@trimtab/test-bed/objects/secret.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { annotations, labels } from '../../src/api/names.ts';
import type { PodSpec } from '../../src/api/pod-template.ts';
import { configRollout } from '../support/config-rollout.ts';
import { CurrentScene } from './support/current-scene.ts';

let engine: Engine;
let scene: CurrentScene;

const lastApplied = 'kubectl.kubernetes.io/last-applied-configuration';
const base64 = (text: string) => Buffer.from(text).toString('base64');
const credentials = { user: 'app', password: 'swordfish', token: 'marlin' };
const files = { 'a.conf': 'a = 1', 'b.conf': 'b = 2' };

beforeAll(async () => {
  engine = await currentEngine();
  scene = await CurrentScene.start(engine);
  const { story } = scene;
  const applied = ({ metadata }: { metadata: { annotations?: Record<string, string> } }) => {
    metadata.annotations = { [lastApplied]: JSON.stringify({ data: credentials }), team: 'shop' };
  };
  await story.given.objects(
    configMap('plain', files, applied),
    secret('hidden', credentials, applied),
    configRollout('files', { bakeSeconds: 1 }),
    configMap('files', files, applied),
    configRollout('secret/login', { bakeSeconds: 1 }),
    secret('login', credentials, applied),
  );
  await story.isCurrent('1.0.0', 'configmap-files');
  await story.isCurrent('1.0.0', 'secret-login');
});

afterAll(async () => {
  await scene?.[Symbol.asyncDispose]();
  await engine?.close();
});

const read = (token: string, config: string, kind = 'configmaps') =>
  scene.gateway.callWith(token, { path: scene.path({ config, kind }) });

const secretEnv = (name: string, key: string) => ({ name: 'X', valueFrom: { secretKeyRef: { name, key } } });

/** The object that holds version 1.0.0 of the Secret `login`. */
async function versionOfLogin(): Promise<string> {
  const { namespace, client } = scene.story;
  const labelSelector = `${labels.config}=login,${labels.versionOf}`;
  const { items } = await client.list<Secret>(secrets, { namespace, labelSelector });
  return items[0]?.metadata.name ?? '';
}

describe('a pod gets the keys that its spec names', () => {
  test.each(['hidden', 'login'])('one key of the Secret %s, by an environment variable', async (name) => {
    const { token } = await scene.podWith(`one-key-of-${name}`, {
      containers: [{ name: 'app', env: [secretEnv(name, 'user'), secretEnv(name, 'absent')] }],
    });
    const { status, json, text } = await read(token, name, 'secrets');
    expect(status).toBe(200);
    expect(json).toMatchObject({ kind: 'Secret', type: 'Opaque', metadata: { name, version: '1.0.0' } });
    expect(json.data).toEqual({ user: base64('app') });
    for (const other of ['swordfish', 'marlin']) expect(text).not.toContain(base64(other));
  });

  test.each(['plain', 'files'])('the items of volumes with the ConfigMap %s', async (name) => {
    const items = [{ key: 'a.conf', path: 'renamed.conf' }];
    const volumes: PodSpec['volumes'] = [
      { name: 'some', configMap: { name, items } },
      { name: 'mixed', projected: { sources: [{ configMap: { name, items } }] } },
    ];
    const volumeMounts = ['some', 'mixed'].map((each) => ({ name: each, mountPath: `/${each}` }));
    const { token } = await scene.podWith(`items-of-${name}`, {
      volumes,
      containers: [{ name: 'app', volumeMounts }],
    });
    expect((await read(token, name)).json.data).toEqual({ 'a.conf': 'a = 1' });
  });

  test.each(['hidden', 'login'])('the file of the Secret %s that it mounts by subPath', async (name) => {
    const { token } = await scene.podWith(`sub-path-of-${name}`, {
      volumes: [{ name: 'v', secret: { secretName: name } }],
      containers: [{ name: 'app', volumeMounts: [{ name: 'v', mountPath: '/user', subPath: 'user' }] }],
    });
    const { json, text } = await read(token, name, 'secrets');
    expect(json.data).toEqual({ user: base64('app') });
    for (const other of ['swordfish', 'marlin']) expect(text).not.toContain(base64(other));
  });

  test.each(['hidden', 'login'])(
    'nothing of a volume with the Secret %s that no container mounts',
    async (name) => {
      const { token } = await scene.podWith(`mounts-no-${name}`, {
        volumes: [{ name: 'v', secret: { secretName: name } }],
      });
      const { status, json, text } = await read(token, name, 'secrets');
      expect([status, json.data]).toEqual([200, {}]);
      for (const value of Object.values(credentials)) expect(text).not.toContain(base64(value));
    },
  );

  test('all keys, when one of its containers takes them all', async () => {
    const { token } = await scene.podWith('two-containers', {
      initContainers: [
        { name: 'proxy', restartPolicy: 'Always', envFrom: [{ secretRef: { name: 'hidden' } }] },
      ],
      containers: [
        { name: 'app', env: [secretEnv('hidden', 'user'), secretEnv('login', 'user')] },
        { name: 'other', env: [secretEnv('login', 'token')] },
      ],
    });
    expect((await read(token, 'hidden', 'secrets')).json.data).toEqual(secret('x', credentials).data);
    expect((await read(token, 'login', 'secrets')).json.data).toEqual({
      token: base64('marlin'),
      user: base64('app'),
    });
  });

  test('of a version that its spec names', async () => {
    const version = await versionOfLogin();
    const { token } = await scene.podWith('names-version', {
      containers: [{ name: 'app', env: [secretEnv(version, 'password')] }],
    });
    const { json } = await read(token, 'login', 'secrets');
    expect(json.metadata).toMatchObject({ name: 'login', version: '1.0.0' });
    expect(json.data).toEqual({ password: base64('swordfish') });
  });

  test.each(['hidden', 'login'])('of %s in a watch as well, and no other pod gets them', async (name) => {
    const spec = (key: string): PodSpec => ({
      containers: [{ name: 'app', env: [secretEnv(name, key)] }],
    });
    const [user, password] = [
      await scene.podWith(`${name}-user`, spec('user')),
      await scene.podWith(`${name}-password`, spec('password')),
    ];
    for (const [{ token }, data] of [
      [user, { user: base64('app') }],
      [password, { password: base64('swordfish') }],
    ] as const) {
      const watch = await scene.watch(token, name, '', 'secrets');
      const { object } = await watch.until('the version', ({ type }) => type === 'ADDED');
      expect(object.data).toEqual(data);
      watch.close();
    }
  });

  test('no credentials that only the node uses', async () => {
    const { token } = await scene.podWith('pulls', {
      ...{ imagePullSecrets: [{ name: 'hidden' }] },
      containers: [{ name: 'app', env: [secretEnv('login', 'user')] }],
    });
    const { status, json } = await read(token, 'hidden', 'secrets');
    expect([status, json.reason]).toEqual([403, 'Forbidden']);
  });
});

describe('a pod that the kubelet gives nothing gets nothing', () => {
  const usesSecret: PodSpec = { containers: [{ name: 'app', env: [secretEnv('hidden', 'user')] }] };

  test('before it has a node', async () => {
    const { token } = await scene.podWith('unscheduled', { ...usesSecret, schedulerName: 'nobody' });
    const { status, json } = await read(token, 'hidden', 'secrets');
    expect([status, json.reason]).toEqual([403, 'Forbidden']);
    expect(json.message).toContain('not assigned to a node yet');
  });

  test.each(['Succeeded', 'Failed'])('after it has ended: %s', async (phase) => {
    const { pod, token } = await scene.podWith(`ends-${phase.toLowerCase()}`, usesSecret);
    const watch = await scene.watch(token, 'hidden', '', 'secrets');
    await watch.until('the Secret', ({ type }) => type === 'ADDED');
    expect((await read(token, 'hidden', 'secrets')).status).toBe(200);
    const { namespace, name = '' } = pod.metadata;
    const where = { namespace: namespace ?? '', name };
    const body = { status: { phase } };
    await scene.story.client.patch(pods, where, { type: 'merge', body }, { subresource: 'status' });
    expect(await watch.ended()).toBe('by server');
    const { status, json } = await read(token, 'hidden', 'secrets');
    expect([status, json.reason]).toEqual([403, 'Forbidden']);
    expect(json.message).toContain(`has ended with phase ${phase}`);
    const later = await scene.gateway.callWith(token, {
      path: scene.path({ config: 'hidden', kind: 'secrets', rest: '/current?watch=true' }),
    });
    expect(later.status).toBe(403);
  });
});

test.each([
  ['configmaps', 'plain', 'configMaps', [labels.state]],
  ['configmaps', 'files', 'configMaps', [annotations.object, labels.state]],
  ['secrets', 'hidden', 'secrets', [labels.state]],
  ['secrets', 'login', 'secrets', [annotations.object, labels.state]],
] as const)(
  'a pod gets the content of %s/%s and none of its metadata',
  async (kind, name, mounts, expected) => {
    const { token } = await scene.pod(`whole-${name}`, { [mounts]: [name] });
    const { json, text } = await read(token, name, kind);
    expect(Object.keys(json.data).length).toBeGreaterThan(1);
    expect(Object.keys(json.metadata).sort()).toEqual([
      'annotations',
      'name',
      'namespace',
      'resourceVersion',
      'uid',
      'version',
    ]);
    expect(Object.keys(json.metadata.annotations).sort()).toEqual([...expected].sort());
    for (const word of ['last-applied', 'shop', 'content-hash', 'managedFields'])
      expect(text).not.toContain(word);
  },
);
