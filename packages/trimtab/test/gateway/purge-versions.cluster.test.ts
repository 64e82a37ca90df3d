import type { KubeClient } from '@trimtab/kube/client.ts';
import { configMaps, controllerRevisions, deployments, pods, secrets } from '@trimtab/kube/resource.ts';
import { ApiError, NetworkError } from '@trimtab/kube/transport/errors.ts';
import { currentEngine } from '@trimtab/test-bed/engines/engine.ts';
import { type ConfigMap, configMap } from '@trimtab/test-bed/objects/config-map.ts';
import { type Deployment, deployment } from '@trimtab/test-bed/objects/deployment.ts';
import { envFromSecret, mountingConfigMap } from '@trimtab/test-bed/objects/pod-template.ts';
import { role, roleBinding, serviceAccount } from '@trimtab/test-bed/objects/rights.ts';
import { type Secret, secret } from '@trimtab/test-bed/objects/secret.ts';
import { waitFor } from '@trimtab/test-bed/watching/wait-for.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { configRollouts } from '../../src/api/config-rollout.ts';
import { annotations, labels } from '../../src/api/names.ts';
import { purgeAllVersions, purgeVersion } from '../../src/versions/writes/purge-versions.ts';
import { managed } from '../support/managed.ts';
import { type Moment, mortalClient } from '../support/mortal-client.ts';
import { lineOf, settled } from '../support/settled.ts';
import { CurrentScene } from './support/current-scene.ts';

const engine = await currentEngine();
let scene: CurrentScene;

beforeAll(async () => {
  scene = await CurrentScene.start(engine);
});

afterAll(async () => {
  await scene?.[Symbol.asyncDispose]();
  await engine.close();
});

/** A Secret whose versions 1.0.0 to 1.0.2 a Deployment has run, one after the other; 1.0.2 is current. */
async function leaked(config: string, workload: string): Promise<void> {
  const { story } = scene;
  await story.shortBake([`secret/${config}`], { bakeSeconds: 0 });
  await story.given.objects(
    secret(config, { password: 'hunter1', user: 'alice' }),
    deployment(workload, envFromSecret(config), managed),
  );
  await settled(story, '1.0.0', [workload], `secret-${config}`);
  for (const [version, password] of [
    ['1.0.1', 'hunter2'],
    ['1.0.2', 'hunter3'],
  ] as const) {
    await edited(config, password);
    await settled(story, version, [workload], `secret-${config}`);
  }
  await story.when.kubectl('rollout', 'status', `deployment/${workload}`);
  await waitFor('the pods of older versions are gone', async () => {
    const { items } = await story.client.list(pods, { namespace: scene.namespace });
    const current = await objectOf(config, '1.0.2');
    const others = items.filter((pod) => JSON.stringify(pod).includes(`"${config}-`)).length;
    const running = items.filter((pod) => JSON.stringify(pod).includes(`"${current}"`)).length;
    return others === running && running > 0 ? { met: true } : { seen: `${others - running} of ${others}` };
  });
}

async function edited(config: string, password: string): Promise<void> {
  await scene.story.when.edited<Secret>(secrets, config, (live) => {
    live.data = secret(config, { password, user: 'alice' }).data ?? {};
  });
}

async function versionsOf(config: string): Promise<Secret[]> {
  const labelSelector = `${labels.config}=${config},${labels.versionOf}`;
  return (await scene.story.client.list<Secret>(secrets, { namespace: scene.namespace, labelSelector }))
    .items;
}

const nameOf = ({ metadata }: Secret) => metadata.annotations?.[annotations.version] ?? '';
const namesOf = async (config: string) => (await versionsOf(config)).map(nameOf).sort();

async function objectOf(config: string, version: string): Promise<string> {
  const found = (await versionsOf(config)).find((each) => nameOf(each) === version);
  return found?.metadata.name ?? '';
}

const purge = (config: string, rest: string, person: 'alice' | 'bob' = 'alice') =>
  scene.call(person, { method: 'DELETE', kind: 'secrets', config, rest });

test('a leaked value that only old ReplicaSets name is purged, and what runs is not', async () => {
  await leaked('login', 'web');
  const plain = await purge('login', '/1.0.0');
  expect(plain.json.message).toContain('in use by pods, ReplicaSets');
  expect(plain.status).toBe(409);

  const dry = await purge('login', '/1.0.0?purge=true&dryRun=All');
  expect(dry.json.message).toContain('version "1.0.0" of secrets "login" was purged (dry run)');
  expect(await namesOf('login')).toEqual(['1.0.0', '1.0.1', '1.0.2']);
  const old = await objectOf('login', '1.0.0');
  const kept = await scene.story.client.get(secrets, { namespace: scene.namespace, name: old });
  expect(kept.metadata.annotations).not.toHaveProperty([annotations.purge]);

  const done = await purge('login', '/1.0.0?purge=true');
  expect(done.status).toBe(200);
  expect(done.json).toMatchObject({
    kind: 'Status',
    status: 'Success',
    details: { kind: 'secrets', name: 'login' },
  });
  const [, replicaSet = ''] =
    /named by (replicaset\/web-\S+): kubectl rollout undo/.exec(done.json.message) ?? [];
  expect(replicaSet).not.toBe('');
  expect(done.headers.get('warning')).toContain(
    `${replicaSet}: kubectl rollout undo to one of them starts no pods`,
  );
  expect(done.headers.get('warning')).toContain(
    'Secret login itself still has values of version 1.0.0, in \\"user\\"',
  );
  expect(done.text).not.toMatch(/hunter|aHVudGVy/);
  expect(await namesOf('login')).toEqual(['1.0.1', '1.0.2']);
  expect((await purge('login', '/1.0.0?purge=true')).status).toBe(404);
  const again = await scene.call('alice', {
    ...{ method: 'POST', kind: 'secrets', config: 'login', rest: '/1.0.0' },
    body: { data: {} },
  });
  expect(again.json).toMatchObject({ code: 409, reason: 'AlreadyExists' });

  const running = await purge('login', '/1.0.2?purge=true');
  expect(running.json.message).toContain('the version is current; activate another version first');
  expect(running.json.message).toContain(
    'The config itself has the content of this version: edit secret/login',
  );
  expect(running.status).toBe(409);
  expect(await namesOf('login')).toEqual(['1.0.1', '1.0.2']);
});

test('kubectl rollout undo to a ReplicaSet whose version was purged is reported, and the next edit recovers', async () => {
  const { story } = scene;
  await leaked('undone', 'api');
  const object = await objectOf('undone', '1.0.1');
  expect((await purge('undone', '/1.0.1?purge=true')).status).toBe(200);
  await story.when.kubectl('rollout', 'undo', 'deployment/api');
  await waitFor('the template names the purged version', async () => {
    const found = await story.client.get(deployments, { namespace: scene.namespace, name: 'api' });
    return JSON.stringify(found).includes(`"${object}"`) ? { met: true } : { seen: 'it does not' };
  });
  const { status } = await story.rolloutIs(
    'the workload is pinned',
    (seen) => lineOf(seen, 'api')?.state === 'Pinned',
    'secret-undone',
  );
  expect(status?.conditions).toContainEqual(
    expect.objectContaining({ type: 'Ready', status: 'False', reason: 'Pinned' }),
  );
  await edited('undone', 'hunter4');
  await settled(story, '1.0.3', ['api'], 'secret-undone');
});

test('versions that remain after the management has ended are purged, also the one that was current', async () => {
  const { story, namespace } = scene;
  await leaked('left', 'old');
  await story.when.edited<Deployment>(deployments, 'old', ({ metadata }) => {
    metadata.annotations = { ...metadata.annotations, [annotations.manage]: 'false' };
  });
  await story.client.delete(configRollouts, { namespace, name: 'secret-left' });
  await waitFor('the pods of versions are gone', async () => {
    const { items } = await story.client.list(pods, { namespace });
    const left = items.filter((pod) => JSON.stringify(pod).includes('"left-')).length;
    return left === 0 ? { met: true } : { seen: `${left} pods` };
  });
  await story.eventuallyGone(configRollouts, 'secret-left');

  const path = `/apis/trimtab.dev/v1alpha1/namespaces/${namespace}/secrets/left/versions`;
  const { json: list } = await scene.gateway.callWith(scene.token('alice'), { path });
  expect(list.items).toMatchObject([
    { metadata: { name: '1.0.0' }, state: 'not-current' },
    { metadata: { name: '1.0.1' }, state: 'not-current' },
    { metadata: { name: '1.0.2' }, state: 'not-current' },
    { metadata: { name: '1.0.0' }, state: 'current', object: 'left', sequence: 4 },
  ]);
  const plain = await purge('left', '/1.0.2');
  expect(plain.json.message).toContain(
    'version "1.0.2" of secrets "left" cannot be deleted: the config is no longer managed, and ReplicaSets',
  );
  expect(plain.status).toBe(409);
  const done = await waitFor('Kubernetes has removed the ConfigRollout from the owners', async () => {
    const { status, json } = await purge('left', '/1.0.2?purge=true');
    return status === 200 ? { met: json } : { seen: json.message };
  });
  expect(done.message).toMatch(/was purged\. If.*was named by replicaset\/old-/);
  expect((await purge('left', '/?purge=true')).json).toMatchObject({
    deleted: [{ version: '1.0.0' }, { version: '1.0.1' }],
    kept: [],
  });
  expect(await namesOf('left')).toEqual([]);
  expect((await purge('left', '/1.0.2?purge=true')).status).toBe(404);
});

test('a version that a rollback of another config returns to is kept', async () => {
  const { story } = scene;
  await story.shortBake(['secret/back'], { bakeSeconds: 0 });
  await story.shortBake(['other'], { bakeSeconds: 600 });
  await story.given.objects(
    configMap('other', { color: 'blue' }),
    secret('back', { password: 'hunter1' }),
    deployment('both', envFromSecret('back'), mountingConfigMap('other', '/etc/other'), managed),
  );
  await settled(story, '1.0.0', ['both'], 'secret-back');
  await edited('back', 'hunter2');
  await settled(story, '1.0.1', ['both'], 'secret-back');
  await story.when.kubectl('rollout', 'undo', 'deployment/both');
  await story.rolloutIs(
    'the workload is pinned',
    (seen) => lineOf(seen, 'both')?.state === 'Pinned',
    'secret-back',
  );
  await story.when.edited<ConfigMap>(configMaps, 'other', (live) => {
    live.data = { color: 'red' };
  });
  const seen = await waitFor('only a rollback needs the version', async () => {
    const { json } = await purge('back', '/1.0.0?purge=true&dryRun=All');
    const isRun = /replicaset|pod /.test(json.message) || !json.message.includes('returns to');
    return isRun ? { seen: json.message } : { met: json.message };
  });
  expect(seen).toContain(
    'deployment/both returns to the version if the activation in progress fails: wait until the activation has ended; then repeat the purge',
  );
});

test('all versions but those that run are purged, and each is accounted for', async () => {
  const { story } = scene;
  await leaked('all', 'shop');
  const pinned = await objectOf('all', '1.0.1');
  const spec = {
    containers: [{ name: 'app', image: 'busybox', envFrom: [{ secretRef: { name: pinned } }] }],
  };
  await story.given.object({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'bare' }, spec } as never);
  const one = await purge('all', '/1.0.1?purge=true');
  expect(one.json.message).toBe(
    `version "1.0.1" of secrets "all" cannot be deleted: pod bare runs the version: wait until the pod is replaced, or delete it with \`kubectl delete pod bare -n ${scene.namespace}\`; then repeat the purge`,
  );
  expect(one.status).toBe(409);

  const dry = await purge('all', '/?purge=true&dryRun=All');
  const done = await purge('all', '/?purge=true');
  expect(dry.json).toEqual(done.json);
  expect(done.json).toMatchObject({
    kind: 'VersionDeletion',
    deleted: [{ version: '1.0.0' }],
    kept: [
      { version: '1.0.1', reason: 'Running' },
      { version: '1.0.2', reason: 'Current' },
    ],
  });
  expect(done.headers.get('warning')).toContain('version 1.0.0 was named by replicaset/shop-');
  expect(await namesOf('all')).toEqual(['1.0.1', '1.0.2']);
  await story.when.kubectl('delete', 'pod', 'bare', '--wait=false');
  await waitFor('the version can be purged', async () => {
    const { status, json } = await purge('all', '/1.0.1?purge=true');
    return status === 200 ? { met: true } : { seen: json.message };
  });
});

test('a value that only last-applied-configuration still holds is told, and its text is not', async () => {
  const { story } = scene;
  const config = 'applied';
  const lastApplied = 'kubectl.kubernetes.io/last-applied-configuration';
  await story.shortBake([`secret/${config}`], { bakeSeconds: 0 });
  await story.given.object(
    secret(config, { password: 'hunter1', user: 'alice' }, ({ metadata }) => {
      const stringData = { password: 'hunter1', user: 'alice' };
      metadata.annotations = { [lastApplied]: JSON.stringify({ kind: 'Secret', stringData }) };
    }),
  );
  await story.isCurrent('1.0.0', `secret-${config}`);
  await edited(config, 'hunter2');
  await story.isCurrent('1.0.1', `secret-${config}`);

  const { status, text, headers } = await purge(config, '/1.0.0?purge=true');
  expect(status).toBe(200);
  expect(headers.get('warning')).toContain(
    `the annotation ${lastApplied} of Secret ${config} still has values of version 1.0.0, in \\"password\\": if one`,
  );
  expect(text).not.toMatch(/hunter|aHVudGVy/);
});

test('a ControllerRevision without a pod template fails no purge', async () => {
  const { story } = scene;
  await leaked('odd', 'odd');
  const name = await objectOf('odd', '1.0.0');
  const revision = { apiVersion: 'apps/v1', kind: 'ControllerRevision', revision: 1 };
  const template = { spec: { containers: [null, { envFrom: [{ secretRef: { name } }] }] } };
  for (const [named, data] of Object.entries({ empty: {}, torn: { spec: { template } } }))
    await story.client.create(controllerRevisions, {
      ...{ ...revision, metadata: { name: named, namespace: scene.namespace }, data },
    });
  expect((await purge('odd', '/1.0.1?purge=true')).status).toBe(200);
  const refused = await purge('odd', '/1.0.0?purge=true');
  expect(refused.json.message).toContain('controllerrevision/torn may start pods with the version: delete');
  expect(refused.status).toBe(409);
  await story.when.kubectl('delete', 'controllerrevision', 'empty', 'torn');
});

test('a pinned workload keeps its version', async () => {
  const { story } = scene;
  await leaked('held', 'slow');
  const first = await objectOf('held', '1.0.0');
  await story.given.object(
    deployment('still', envFromSecret('held'), managed, (object) => {
      object.metadata.annotations = {
        ...object.metadata.annotations,
        [annotations.pin]: `secret/held=${first}`,
      };
    }),
  );
  const refused = await purge('held', '/1.0.0?purge=true');
  expect(refused.json.message).toMatch(/deployment\/still.* may start pods with the version/);
  expect(refused.json.message).toContain(
    `activate another version with \`trimtab activate secret/held VERSION -n ${scene.namespace}\` (a pinned workload needs \`trimtab unpin deployment/still -n ${scene.namespace}\`, too)`,
  );
  expect(refused.status).toBe(409);
});

test('a ReplicationController without pods keeps the version that its template names', async () => {
  const { story } = scene;
  await leaked('kept', 'kept');
  const object = await objectOf('kept', '1.0.0');
  const template = {
    metadata: { labels: { app: 'idle' } },
    spec: { containers: [{ name: 'app', image: 'busybox', envFrom: [{ secretRef: { name: object } }] }] },
  };
  await story.given.object({
    ...{ apiVersion: 'v1', kind: 'ReplicationController', metadata: { name: 'idle' } },
    spec: { replicas: 0, selector: { app: 'idle' }, template },
  } as never);
  const refused = await purge('kept', '/1.0.0?purge=true');
  expect(refused.json.message).toContain('replicationcontroller/idle may start pods with the version');
  expect(refused.status).toBe(409);
  const all = await purge('kept', '/?purge=true');
  expect(all.json.kept).toContainEqual(expect.objectContaining({ version: '1.0.0', reason: 'Running' }));
  const conditional = await scene.call('alice', {
    ...{ method: 'DELETE', kind: 'secrets', config: 'kept', rest: '/' },
    body: { kind: 'DeleteOptions', apiVersion: 'v1', preconditions: { uid: 'another' } },
  });
  expect(conditional.json).toMatchObject({ code: 400, reason: 'BadRequest' });
  expect(await namesOf('kept')).toEqual(['1.0.0', '1.0.2']);
});

test.each([
  ['delete', 'secrets'],
  ['list', 'replicasets.apps'],
  ['list', 'cronjobs.batch'],
  ['list', 'replicationcontrollers'],
  ['list', 'reloadreports.trimtab.dev'],
])('who may not %s %s purges nothing, and is told so', async (verb, resource) => {
  if ((await namesOf('rights')).length === 0) await leaked('rights', 'job');
  const config = 'rights';
  const name = `no-${verb}-${resource.split('.')[0]}`;
  const { story, namespace } = scene;
  const lists = ['pods', 'deployments.apps', 'statefulsets.apps', 'daemonsets.apps'];
  const revisions = ['replicasets.apps', 'controllerrevisions.apps', 'reloadreports.trimtab.dev'];
  const others = [...revisions, 'jobs.batch', 'cronjobs.batch', 'replicationcontrollers'];
  const verbs = ['get', 'list', 'patch', 'delete'].filter((each) => resource !== 'secrets' || each !== verb);
  await story.given.objects(
    serviceAccount(name),
    role(`${name}-a`, verbs, 'secrets', 'configrollouts.trimtab.dev'),
    role(`${name}-b`, ['list'], ...[...lists, ...others].filter((each) => each !== resource)),
    roleBinding(`${name}-a`, { serviceAccount: name }),
    roleBinding(`${name}-b`, { serviceAccount: name }),
  );
  const refused = await scene.gateway.call(
    { serviceAccount: name, namespace },
    { method: 'DELETE', path: scene.path({ kind: 'secrets', config, rest: '/1.0.0?purge=true' }) },
  );
  expect(refused.json).toMatchObject({ code: 403, reason: 'Forbidden' });
  expect(refused.json.message).toContain(`needs "${verb}" on ${resource} in namespace "${namespace}"`);
  const old = await story.client.get(secrets, { namespace, name: await objectOf(config, '1.0.0') });
  expect(old.metadata.annotations).not.toHaveProperty([annotations.purge]);
});

const status = { kind: 'Status', apiVersion: 'v1' } as const;

/** Alice's client, which calls `meddle` after each write of an object, and before a deletion. */
async function meddling(
  meddle: (verb: 'patch' | 'about to delete' | 'delete', object: string) => Promise<void>,
) {
  const alice = await engine.connect({ serviceAccount: 'alice', namespace: scene.namespace });
  const client: KubeClient = {
    get: (...args) => alice.get(...args),
    list: (...args) => alice.list(...args),
    watch: (...args) => alice.watch(...args),
    raw: (...args) => alice.raw(...args),
    create: (...args) => alice.create(...args),
    update: (...args) => alice.update(...args),
    async delete(resource, where, options) {
      await meddle('about to delete', where.name);
      await alice.delete(resource, where, options);
      await meddle('delete', where.name);
    },
    async patch(resource, where, patch, options) {
      const marked = await alice.patch<never>(resource, where, patch, options);
      await meddle('patch', where.name);
      return marked;
    },
  };
  return { client, fieldManager: 'test', username: async () => scene.userName('alice') };
}

async function podRunning(name: string, object: string): Promise<void> {
  const spec = {
    containers: [{ name: 'app', image: 'busybox', envFrom: [{ secretRef: { name: object } }] }],
  };
  await scene.story.given.object({ apiVersion: 'v1', kind: 'Pod', metadata: { name }, spec } as never);
}

test('a pod that begins to run a version while it is purged keeps it, and the mark goes', async () => {
  const { story, namespace } = scene;
  await leaked('raced', 'raced');
  const name = await objectOf('raced', '1.0.0');
  let isMarked = false;
  const writer = await meddling(async (_, object) => {
    if (object !== name || isMarked) return;
    isMarked = true;
    await podRunning('late', name);
  });
  const address = { kind: 'Secret', namespace, name: 'raced' } as const;
  const request = { dryRun: false, preconditions: {} };
  await expect(purgeVersion(writer, address, '1.0.0', request)).rejects.toThrow('pod late runs the version');
  const kept = await story.client.get(secrets, { namespace, name });
  expect(kept.metadata.annotations).not.toHaveProperty([annotations.purge]);
});

test('what uses a version is read again right before its deletion, also after others were deleted', async () => {
  const { story, namespace } = scene;
  await leaked('series', 'series');
  const name = await objectOf('series', '1.0.1');
  const writer = await meddling(async (verb) => {
    if (verb === 'delete') await podRunning('later', name);
  });
  const address = { kind: 'Secret', namespace, name: 'series' } as const;
  expect(await purgeAllVersions(writer, address, { dryRun: false })).toMatchObject({
    deleted: [{ version: '1.0.0' }],
    kept: [
      { version: '1.0.2', reason: 'Current' },
      { version: '1.0.1', reason: 'Running' },
    ],
  });
  const kept = await story.client.get(secrets, { namespace, name });
  expect(kept.metadata.annotations).not.toHaveProperty([annotations.purge]);
});

test.each([
  ['a second mark', 2],
  ['the record in the ledger', 3],
])('when %s fails, no mark stays', async (_, failing) => {
  const config = `failing-${failing}`;
  await leaked(config, config);
  const { namespace } = scene;
  const writer = await meddling(async () => undefined);
  let writes = 0;
  const client: KubeClient = {
    ...writer.client,
    async patch(...args) {
      writes += 1;
      if (writes !== failing) return writer.client.patch(...args);
      throw new ApiError(503, { ...status, reason: 'ServiceUnavailable', code: 503, message: 'too busy' });
    },
  };
  const address = { kind: 'Secret', namespace, name: config } as const;
  const purging = () => purgeAllVersions({ ...writer, client }, address, { dryRun: false });
  await expect(purging()).rejects.toThrow('too busy');
  for (const { metadata } of await versionsOf(config))
    expect(metadata.annotations).not.toHaveProperty([annotations.purge]);
  expect(await purging()).toMatchObject({ deleted: [{ version: '1.0.0' }, { version: '1.0.1' }] });
});

test('a version that is activated while it is purged stays, because the activation removes the mark', async () => {
  const { story, namespace } = scene;
  await leaked('wanted', 'wanted');
  const name = await objectOf('wanted', '1.0.0');
  await story.strategyIs({ bakeSeconds: 600 }, 'secret-wanted');
  const writer = await meddling(async (verb) => {
    if (verb !== 'about to delete') return;
    await edited('wanted', 'hunter1');
    await waitFor('the template names the version', async () => {
      const found = await story.client.get(deployments, { namespace, name: 'wanted' });
      return JSON.stringify(found).includes(`"${name}"`) ? { met: true } : { seen: 'it does not' };
    });
  });
  const address = { kind: 'Secret', namespace, name: 'wanted' } as const;
  const request = { dryRun: false, preconditions: {} };
  await expect(purgeVersion(writer, address, '1.0.0', request)).rejects.toThrow(
    'the version was changed concurrently, as when it is activated',
  );
  const kept = await story.client.get(secrets, { namespace, name });
  expect(kept.metadata.annotations).not.toHaveProperty([annotations.purge]);
  await story.strategyIs({ bakeSeconds: 0 }, 'secret-wanted');
  await settled(story, '1.0.0', ['wanted'], 'secret-wanted');
});

test('a request for a version that is being purged is refused, and one after a refused purge is not', async () => {
  await leaked('asked', 'asked');
  const { namespace } = scene;
  const body = { version: '1.0.0' };
  const activate = (rest = '/current') =>
    scene.call('carol', { method: 'PUT', kind: 'secrets', config: 'asked', rest, body });
  const purging = (begin: () => Promise<void>) =>
    meddling(async (_, object) => {
      if (object === 'secret-asked') await begin();
    });
  const address = { kind: 'Secret', namespace, name: 'asked' } as const;
  const request = { dryRun: false, preconditions: {} };

  const object = await objectOf('asked', '1.0.0');
  const interfering = await purging(() => podRunning('asking', object));
  await expect(purgeVersion(interfering, address, '1.0.0', request)).rejects.toThrow('pod asking runs');
  const accepted = await activate();
  expect(accepted.status).toBe(202);
  await settled(scene.story, '1.0.0', ['asked'], 'secret-asked');

  let refused: Awaited<ReturnType<typeof activate>> | undefined;
  body.version = '1.0.1';
  const writer = await purging(async () => {
    refused = await activate();
  });
  await purgeVersion(writer, address, '1.0.1', request);
  expect(refused?.json.message).toBe(
    `version "1.0.1" of secrets "asked" is being purged by "${scene.userName('alice')}"; activate another version, or repeat the purge if it was interrupted`,
  );
  expect(refused?.status).toBe(409);
  expect(await namesOf('asked')).toEqual(['1.0.0', '1.0.2']);
  expect((await activate()).status).toBe(404);
});

const moments = [1, 2, 3].flatMap((write) => [
  [write, 'before' as Moment] as const,
  [write, 'after' as Moment] as const,
]);

test.each(moments)(
  'a purge that dies at write %i, %s it, is finished by the same request',
  async (at, moment) => {
    const config = `cut-${at}-${moment}`;
    await leaked(config, config);
    const { namespace } = scene;
    const alice = await engine.connect({ serviceAccount: 'alice', namespace });
    const writer = (client: KubeClient) => ({
      client,
      fieldManager: 'test',
      username: async () => scene.userName('alice'),
    });
    const request = { dryRun: false, preconditions: {} };
    const address = { kind: 'Secret', namespace, name: config } as const;
    const dying = mortalClient(alice, (write) => (write === at ? moment : undefined));
    await expect(purgeVersion(writer(dying), address, '1.0.0', request)).rejects.toBeInstanceOf(NetworkError);
    const left = await namesOf(config);
    const again = purgeVersion(writer(alice), address, '1.0.0', request);
    if (left.includes('1.0.0')) await again;
    else await expect(again).rejects.toThrow('has no version "1.0.0"');
    expect(left.includes('1.0.0')).toBe(at < 3 || moment === 'before');
    expect(await namesOf(config)).toEqual(['1.0.1', '1.0.2']);
  },
);
