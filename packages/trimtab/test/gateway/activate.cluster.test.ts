import { deployments, secrets } from '@trimtab/kube/resource.ts';
import { currentEngine, type Engine } from '@trimtab/test-bed/engines/engine.ts';
import { annotated } from '@trimtab/test-bed/objects/build.ts';
import { configMap } from '@trimtab/test-bed/objects/config-map.ts';
import { type Deployment, deployment, withReplicas } from '@trimtab/test-bed/objects/deployment.ts';
import { envFromKey, mountingConfigMap } from '@trimtab/test-bed/objects/pod-template.ts';
import { type Secret, secret } from '@trimtab/test-bed/objects/secret.ts';
import { waitFor } from '@trimtab/test-bed/watching/wait-for.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ConfigRollout } from '../../src/api/config-rollout.ts';
import { configRollouts } from '../../src/api/config-rollout.ts';
import { annotations } from '../../src/api/names.ts';
import { refusalOf } from '../controller/installed-manifests.ts';
import { configRollout } from '../support/config-rollout.ts';
import { inWave, managed } from '../support/managed.ts';
import { runningTheApp, SimulatedApp } from '../support/simulated-app.ts';
import { CurrentScene } from './support/current-scene.ts';

let engine: Engine;
let scene: CurrentScene;

beforeAll(async () => {
  engine = await currentEngine();
  scene = await CurrentScene.start(engine);
});

afterAll(async () => {
  await scene?.[Symbol.asyncDispose]();
  await engine?.close();
});

test('a version is activated: 202, being current, current, and everybody is named', async () => {
  const { story } = scene;
  await scene.versions('foo', { color: 'blue' }, { color: 'green' });
  await story.given.object(deployment('web', mountingConfigMap('foo', '/etc/foo'), managed, withReplicas(2)));
  await story.eventually<Deployment>(
    'web runs 1.0.0',
    deployments,
    'web',
    ({ status }) => status?.readyReplicas === 2,
  );
  await story.rolloutIs('web is healthy', ({ workloads }) => workloads?.[0]?.state === 'Healthy');
  const log = engine.auditLog();
  const mark = await log.mark();
  const watch = await scene.watch(scene.token('bob'), 'foo');

  const { status, json, headers } = await scene.activate('alice', 'foo', '1.0.1');

  expect(status).toBe(202);
  expect(json).toMatchObject({ kind: 'ConfigRollout', spec: { version: '1.0.1' } });
  expect(headers.get('location')).toBe(json.metadata.annotations[annotations.watch]);
  await watch.until(
    '1.0.1 is being current',
    ({ object }) => object.metadata.annotations[annotations.beingCurrent] === '1.0.1',
  );
  await watch.until('1.0.1 is current', ({ object }) => object.metadata.version === '1.0.1');
  expect(watch.summary()).toBe(
    'ADDED 1.0.0 current, MODIFIED 1.0.0 current (1.0.1 is being current), MODIFIED 1.0.1 current',
  );
  watch.close();
  const { status: after } = await story.isCurrent('1.0.1');
  expect(after?.history?.[0]).toMatchObject({
    version: '1.0.1',
    result: 'Current',
    by: scene.userName('alice'),
  });
  const writes = (await log.since(mark)).filter(
    ({ resource, verb, subresource }) =>
      resource === 'configrollouts' && verb === 'patch' && subresource === undefined,
  );
  expect(writes.filter(({ namespace }) => namespace === scene.namespace).map(({ user }) => user)).toContain(
    scene.userName('alice'),
  );
  const byGateway = (await log.since(mark)).filter(({ user }) => user.endsWith(`${scene.namespace}:gateway`));
  expect(byGateway.filter(({ verb }) => !['get', 'list', 'watch'].includes(verb))).toEqual([]);

  const again = await scene.activate('alice', 'foo', '1.0.1');
  expect(again.status).toBe(200);
});

test('a pod sees the state of the version that it runs', async () => {
  const { story } = scene;
  await scene.versions('seen', { color: 'blue' }, { color: 'green' });
  const copies = await story.copies('seen');
  const name = (version: string) => copies.get(version)?.metadata.name ?? '';
  const old = await scene.pod('runs-old', { configMaps: [name('1.0.0')] });
  const fresh = await scene.pod('runs-new', { configMaps: [name('1.0.1')] });
  const [oldWatch, newWatch] = [await scene.watch(old.token, 'seen'), await scene.watch(fresh.token, 'seen')];
  await scene.activate('alice', 'seen', '1.0.1', '?wait=30s');
  await oldWatch.until('it is not current', ({ type }) => type === 'MODIFIED');
  await newWatch.until(
    'it is current',
    ({ object }) => object.metadata.annotations['trimtab.dev/state'] === 'current',
  );
  expect(oldWatch.summary()).toBe('ADDED 1.0.0 current, MODIFIED 1.0.0 not-current');
  expect(newWatch.summary()).toMatch(
    /^ADDED 1.0.1 not-current, (MODIFIED 1.0.1 being-current, )?MODIFIED 1.0.1 current$/,
  );
  oldWatch.close();
  newWatch.close();
});

test('what can’t be is refused with the reason, and changes nothing', async () => {
  await scene.versions('refused', { color: 'blue' }, { color: 'green' });
  const before = await scene.story.rollout('configmap-refused');
  const cases = [
    [await scene.activate('alice', 'refused', '9.9.9'), 404, 'NotFound'],
    [await scene.activate('alice', 'nothing', '1.0.0'), 404, 'NotFound'],
    [await scene.activate('alice', 'refused', 'current'), 422, 'Invalid'],
    [await scene.activate('alice', 'refused', 1.1), 404, 'NotFound'],
    [await scene.activate('alice', 'refused', ['1.1']), 422, 'Invalid'],
    [await scene.call('alice', { method: 'PUT', config: 'refused', body: '{}' }), 422, 'Invalid'],
    [await scene.call('alice', { method: 'PUT', config: 'refused', body: '[' }), 400, 'BadRequest'],
    [await scene.activate('alice', 'refused', '1.0.1', '?wait=1h'), 400, 'BadRequest'],
    [await scene.activate('alice', 'refused', '1.0.1', '?dryRun=Some'), 400, 'BadRequest'],
    [await scene.activate('bob', 'refused', '1.0.1'), 403, 'Forbidden'],
  ] as const;
  for (const [{ status, json }, code, reason] of cases) {
    expect(json).toMatchObject({ kind: 'Status', code, reason });
    expect(status).toBe(code);
  }
  expect((await scene.story.rollout('configmap-refused')).spec).toEqual(before.spec);
  const yaml = await scene.call('alice', {
    method: 'PUT',
    config: 'refused',
    body: '{\n    version: 1.0.1 #where VersionName is existing\n}\n',
    contentType: 'application/yaml',
  });
  expect(yaml.status).toBe(202);
});

test('a config that nobody manages has 1.0.0 and nothing else', async () => {
  await scene.story.given.object(configMap('plain', { color: 'grey' }));
  expect((await scene.activate('alice', 'plain', '1.0.0')).status).toBe(200);
  expect((await scene.activate('alice', 'plain', '1.0.1')).status).toBe(404);
});

test('a running activation is superseded, and both are told', async () => {
  const { story } = scene;
  await scene.versions('raced', { color: 'blue' }, { color: 'green' }, { color: 'red' });
  await using app = await SimulatedApp.start(story.client, scene.namespace, ({ color }) =>
    color === 'green' ? 'starts' : 'works',
  );
  await story.given.object(
    deployment('racer', mountingConfigMap('raced', '/etc/raced'), managed, runningTheApp),
  );
  await story.rolloutIs(
    'racer is healthy',
    ({ workloads }) => workloads?.[0]?.state === 'Healthy',
    'configmap-raced',
  );
  const alices = scene.activate('alice', 'raced', '1.0.1', '?wait=60s');
  const { status } = await story.rolloutIs(
    'green is being current',
    ({ target }) => target?.version === '1.0.1',
    'configmap-raced',
  );
  const carols = await scene.activate('carol', 'raced', '1.0.2', '?wait=60s');
  expect(carols.status).toBe(200);
  expect(carols.headers.get('warning')).toContain(
    `supersedes activation ${status?.target?.activation} of version 1.0.1`,
  );
  expect(carols.headers.get('warning')).toContain(scene.userName('alice'));
  const { status: code, json } = await alices;
  expect(code).toBe(409);
  expect(json.message).toBe(
    `version 1.0.1 was superseded by version 1.0.2, requested by ${scene.userName('carol')}`,
  );
  expect(app).toBeDefined();
});

test('of two people at once one is first, and the second is told about the first', async () => {
  await scene.versions('both', { color: 'blue' }, { color: 'green' }, { color: 'red' });
  // Paused, so that the first request is still pending when the second one arrives.
  const pause = (paused: boolean) =>
    scene.story.when.edited<ConfigRollout>(configRollouts, 'configmap-both', ({ spec }) => {
      spec.paused = paused;
    });
  await pause(true);
  const answers = await Promise.all([
    scene.activate('alice', 'both', '1.0.1'),
    scene.activate('carol', 'both', '1.0.2'),
  ]);
  expect(answers.map(({ status }) => status)).toEqual([202, 202]);
  const order = answers.map(({ json }) => BigInt(json.metadata.resourceVersion));
  const [first, second] = (order[0] ?? 0n) < (order[1] ?? 0n) ? answers : answers.toReversed();
  const firstBy = first?.json.metadata.annotations[annotations.requestedBy];
  expect(first?.headers.get('warning')).toBeNull();
  expect(second?.headers.get('warning')).toContain(
    `supersedes the request for version ${first?.json.spec.version}, requested by ${firstBy}`,
  );
  await pause(false);
  const { status } = await scene.story.isCurrent(second?.json.spec.version, 'configmap-both');
  expect(status?.history?.map(({ version }) => version)).not.toContain(first?.json.spec.version);
});

test('what was rolled back says why, and is tried again when a person asks again', async () => {
  const { story } = scene;
  await scene.versions('bad', { color: 'blue' }, { color: 'broken' });
  await using app = await SimulatedApp.start(story.client, scene.namespace, ({ color }) =>
    color === 'broken' ? { crashes: 'no such color', exitCode: 3 } : 'works',
  );
  await story.given.object(
    deployment('painter', mountingConfigMap('bad', '/etc/bad'), managed, runningTheApp),
  );
  await story.rolloutIs(
    'painter is healthy',
    ({ workloads }) => workloads?.[0]?.state === 'Healthy',
    'configmap-bad',
  );

  const first = await scene.activate('alice', 'bad', '1.0.1', '?wait=60s');
  expect(first.status).toBe(409);
  expect(first.json).toMatchObject({ reason: 'Conflict', details: { causes: [{ reason: 'Rejected' }] } });
  expect(first.json.message).toMatch(
    /1\.0\.1 was rolled back: .*pod painter-.*container app.*exit code 3.*no such color/,
  );
  expect((await story.rollout('configmap-bad')).spec.version).toBe('1.0.1');

  await app.becomes(() => 'works');
  const second = await scene.activate('alice', 'bad', '1.0.1', '?wait=60s');
  expect(second.json).toMatchObject({ kind: 'ConfigRollout', status: { current: { version: '1.0.1' } } });
  expect(second.status).toBe(200);
});

test('the time of a wait may be over first: it goes on, and that is said', async () => {
  const { story } = scene;
  await scene.versions('slow', { color: 'blue' }, { color: 'green' });
  await using app = await SimulatedApp.start(story.client, scene.namespace, ({ color }) =>
    color === 'green' ? 'starts' : 'works',
  );
  await story.given.object(
    deployment('sloth', mountingConfigMap('slow', '/etc/slow'), managed, runningTheApp),
  );
  await story.rolloutIs(
    'sloth is healthy',
    ({ workloads }) => workloads?.[0]?.state === 'Healthy',
    'configmap-slow',
  );
  const { status, headers } = await scene.activate('alice', 'slow', '1.0.1', '?wait=1s');
  expect(status).toBe(202);
  expect(headers.get('warning')).toContain('still in progress after 1 s');
  await app.becomes(() => 'works');
  await story.isCurrent('1.0.1', 'configmap-slow');
});

test('a dry run tells the plan as far as one may see it, and writes nothing', async () => {
  const { story } = scene;
  await scene.versions('planned', { color: 'blue', old: 'x' }, { color: 'green', new: 'y' });
  await story.given.objects(
    deployment('late', mountingConfigMap('planned', '/etc/planned'), managed, inWave(2), withReplicas(2)),
    deployment('early', envFromKey('COLOR', 'planned', 'old'), managed),
    deployment('outside', mountingConfigMap('planned', '/etc/planned')),
  );
  await story.rolloutIs('both are managed', ({ workloads }) => workloads?.length === 2, 'configmap-planned');
  await story.rolloutIs(
    'both are healthy',
    ({ workloads }) => workloads?.every(({ state }) => state === 'Healthy') === true,
    'configmap-planned',
  );
  const log = engine.auditLog();
  const mark = await log.mark();
  const { status, json } = await scene.activate('bob', 'planned', '1.0.1', '?dryRun=All');
  expect(status).toBe(200);
  expect(json).toMatchObject({
    kind: 'ActivationPlan',
    version: '1.0.1',
    from: '1.0.0',
    activates: false,
    pods: 3,
    changes: { added: ['new'], removed: ['old'], changed: ['color'] },
    diff: { kind: 'VersionDiff', from: '1.0.0', to: '1.0.1', added: [{ key: 'new', to: { text: 'y' } }] },
    waves: [
      { wave: 0, workloads: [{ kind: 'Deployment', name: 'early', how: 'recycle', pods: 1 }] },
      { wave: 2, workloads: [{ kind: 'Deployment', name: 'late', how: 'recycle', pods: 2 }] },
    ],
    problems: ['Version 1.0.1 has no key "old", which Deployment early references'],
  });
  expect(json.warnings).toEqual([expect.stringContaining('Deployment outside')]);
  expect(json.waves[0].workloads[0].warnings.join()).toMatch(/single replica.*no readiness probe/);
  const entries = (await log.since(mark)).filter(({ user }) => user === scene.userName('bob'));
  expect(entries.length).toBeGreaterThan(0);
  // A review of the caller's own credentials changes nothing.
  const reads = entries.filter(({ resource }) => resource !== 'selfsubjectreviews');
  expect(reads.filter(({ verb }) => !['get', 'list'].includes(verb))).toEqual([]);

  const refused = await scene.activate('alice', 'planned', '1.0.1', '?wait=30s');
  expect(refused.status).toBe(409);
  expect(refused.json).toMatchObject({ details: { causes: [{ reason: 'KeyMissing' }] } });
  expect(refused.json.message).toContain('has no key "old"');
});

test('a dry run for an unmanaged config is a plan, too: nothing moves because of the request', async () => {
  const { story } = scene;
  await story.given.objects(
    configMap('unplanned', { color: 'blue' }),
    deployment('indifferent', mountingConfigMap('unplanned', '/etc/unplanned')),
  );
  const { status, json } = await scene.activate('bob', 'unplanned', '1.0.0', '?dryRun=All');
  expect(status).toBe(200);
  expect(json).toMatchObject({
    kind: 'ActivationPlan',
    config: { kind: 'ConfigMap', name: 'unplanned' },
    version: '1.0.0',
    from: '1.0.0',
    activates: false,
    waves: [],
    changes: { added: [], removed: [], changed: [] },
    warnings: [
      'The config is not managed: its content is version 1.0.0, and the request changes nothing',
      'Deployment indifferent uses the config but is not updated: it has not opted in, or has opted out',
    ],
  });
  expect((await scene.activate('bob', 'unplanned', '2.0.0', '?dryRun=All')).status).toBe(404);
  await story.given.object(
    configMap('named', { color: 'blue' }, annotated({ [annotations.version]: 'spring' })),
  );
  const named = await scene.activate('bob', 'named', 'spring', '?dryRun=All');
  expect(named.json).toMatchObject({ version: 'spring', from: 'spring', activates: false });
  expect((await scene.activate('bob', 'named', '1.0.0', '?dryRun=All')).status).toBe(404);
  expect((await scene.call('bob', { config: 'named' })).json.metadata.version).toBe('spring');
  const { token } = await scene.pod('named', { configMaps: ['named'] });
  const asPod = await scene.gateway.callWith(token, { path: scene.path({ config: 'named' }) });
  expect(asPod.json.metadata.version).toBe('spring');
  const answer = await scene.activate('alice', 'unplanned', '1.0.0');
  expect(answer.json).toMatchObject({ kind: 'ConfigMap', metadata: { version: '1.0.0' } });
});

test('a Secret is activated by those who may, and its values are in no plan', async () => {
  const { story } = scene;
  const manual = configRollout('secret/hidden', { bakeSeconds: 1 }, ({ spec }) => {
    spec.release = 'Manual';
  });
  await story.given.objects(manual, secret('hidden', { password: 'swordfish' }));
  await story.isCurrent('1.0.0', 'secret-hidden');
  await story.when.edited<Secret>(secrets, 'hidden', (it) => {
    it.data = { password: Buffer.from('trout').toString('base64') };
  });
  const put = (who: 'alice' | 'bob', query = '') =>
    scene.call(who, {
      method: 'PUT',
      kind: 'secrets',
      config: 'hidden',
      body: { version: '1.0.1' },
      rest: `/current${query}`,
    });
  const plan = await waitFor('there is a version 1.0.1', async () => {
    const answer = await put('alice', '?dryRun=All');
    return answer.status === 200 ? { met: answer } : { seen: answer.text };
  });
  expect(plan.json.changes).toEqual({ added: [], removed: [], changed: ['password'] });
  expect(plan.json.diff).toMatchObject({
    kind: 'VersionDiff',
    masked: true,
    changed: [{ key: 'password' }],
  });
  for (const value of ['swordfish', 'trout'])
    expect(plan.text).not.toContain(Buffer.from(value).toString('base64'));
  expect((await put('bob')).status).toBe(403);
  expect((await put('bob', '?dryRun=All')).status).toBe(403);
  expect((await put('alice', '?wait=30s')).status).toBe(200);
  const { json } = await scene.call('alice', { kind: 'secrets', config: 'hidden' });
  expect(json).toMatchObject({
    kind: 'Secret',
    type: 'Opaque',
    metadata: { name: 'hidden', version: '1.0.1' },
  });
});

test('nobody asks in another one’s name', async () => {
  await scene.versions('forged', { color: 'blue' }, { color: 'green' });
  const carol = await engine.connect({ serviceAccount: 'carol', namespace: scene.namespace });
  const marks = { [annotations.requestId]: 'x', [annotations.requestedBy]: scene.userName('alice') };
  const body = { metadata: { annotations: marks }, spec: { version: '1.0.1' } };
  const where = { namespace: scene.namespace, name: 'configmap-forged' };
  const refusal = await refusalOf(carol.patch(configRollouts, where, { type: 'merge', body }));
  expect(refusal).toContain('names the user who requested spec.version');
});
