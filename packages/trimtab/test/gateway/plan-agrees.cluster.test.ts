import { configMaps, deployments, secrets, serviceAccounts } from '@trimtab/kube/resource.ts';
import type { KubeObject } from '@trimtab/kube/wire.ts';
import { currentEngine } from '@trimtab/test-bed/engines/engine.ts';
import { UpdateDenial } from '@trimtab/test-bed/engines/update-denial.ts';
import { annotated } from '@trimtab/test-bed/objects/build.ts';
import { type ConfigMap, configMap, withData } from '@trimtab/test-bed/objects/config-map.ts';
import { type Deployment, deployment } from '@trimtab/test-bed/objects/deployment.ts';
import { mountingConfigMap, mountingSecret } from '@trimtab/test-bed/objects/pod-template.ts';
import { clusterRoleFor, serviceAccount } from '@trimtab/test-bed/objects/rights.ts';
import { type Secret, secret } from '@trimtab/test-bed/objects/secret.ts';
import { waitFor } from '@trimtab/test-bed/watching/wait-for.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ConfigRollout, configRollouts } from '../../src/api/config-rollout.ts';
import { annotations } from '../../src/api/names.ts';
import type { ActivationPlan } from '../../src/view/activation-plan.ts';
import { configRollout } from '../support/config-rollout.ts';
import { inWave, managed } from '../support/managed.ts';
import { runningTheApp, SimulatedApp } from '../support/simulated-app.ts';
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

async function planOf(config: string, version: string): Promise<ActivationPlan> {
  const { status, json } = await scene.activate('alice', config, version, '?dryRun=All');
  expect(status).toBe(200);
  return json;
}

const planned = ({ waves }: ActivationPlan) =>
  waves.map(({ wave, workloads }) => [wave, workloads.map(({ name }) => name).sort()]);

/** The Deployments whose template names this version now. */
async function runners(config: string, version: string): Promise<string[]> {
  const { json } = await scene.call('alice', { config, rest: `/${version}` });
  const object = json.metadata.annotations[annotations.object];
  const { items } = await scene.story.client.list(deployments, { namespace: scene.namespace });
  return items
    .filter((each) => JSON.stringify((each as { spec?: object }).spec).includes(`"${object}"`))
    .map(({ metadata }) => metadata.name ?? '')
    .sort();
}

async function healthy(config: string, count: number, kind = 'configmap'): Promise<void> {
  await scene.story.rolloutIs(
    `${count} workloads of ${config} are at rest`,
    ({ workloads = [] }) =>
      workloads.length === count && workloads.every(({ state }) => ['Healthy', 'Pinned'].includes(state)),
    `${kind}-${config}`,
  );
}

test('the activation moves the workloads of the plan: not those that are pinned, opted out or never opted in', async () => {
  const { story } = scene;
  await scene.versions('foo', { color: 'blue' }, { color: 'green' });
  const { json } = await scene.call('alice', { config: 'foo', rest: '/1.0.0' });
  const object = json.metadata.annotations[annotations.object];
  const mounting = mountingConfigMap('foo', '/etc/foo');
  await story.given.objects(
    deployment('second', mounting, managed, inWave(1)),
    deployment('first', mounting, managed),
    deployment('pinned', mounting, managed, annotated({ [annotations.pin]: `configmap/foo=${object}` })),
    deployment('out', mounting, annotated({ [annotations.manage]: 'false' })),
    deployment('outside', mounting),
  );
  await healthy('foo', 3);

  const plan = await planOf('foo', '1.0.1');
  expect(plan.activates).toBe(true);
  expect(planned(plan)).toEqual([
    [0, ['first']],
    [1, ['second']],
  ]);
  const excluded = plan.warnings.map(
    (text) => /^Deployment (\S+) uses the config but is not updated/.exec(text)?.[1],
  );
  expect(excluded.sort()).toEqual(['out', 'outside', 'pinned']);

  expect((await scene.activate('alice', 'foo', '1.0.1', '?wait=60s')).status).toBe(200);
  expect(await runners('foo', '1.0.1')).toEqual(['first', 'second']);
  const again = await planOf('foo', '1.0.1');
  expect(again).toMatchObject({ activates: false, waves: [] });
});

test('of two configs with a shared workload, one waits for the other, and the plan says so', async () => {
  const { story } = scene;
  for (const config of ['busy', 'calm']) await scene.versions(config, { color: 'blue' }, { color: 'green' });
  await story.given.objects(
    deployment(
      'both',
      mountingConfigMap('busy', '/etc/busy'),
      mountingConfigMap('calm', '/etc/calm'),
      managed,
    ),
    deployment('single', mountingConfigMap('calm', '/etc/calm'), managed),
  );
  await healthy('busy', 1);
  await healthy('calm', 2);
  await story.when.kubectl('rollout', 'pause', 'deployment/both');
  expect((await scene.activate('alice', 'busy', '1.0.1')).status).toBe(202);
  await story.rolloutIs(
    'the workload was moved',
    ({ workloads, target }) => target !== undefined && workloads?.[0]?.state === 'WaitingForResume',
    'configmap-busy',
  );

  await scene.versions('apart', { color: 'blue' }, { color: 'green' });
  expect((await planOf('apart', '1.0.1')).warnings).toEqual([]);
  const plan = await planOf('calm', '1.0.1');
  expect(planned(plan)).toEqual([[0, ['both', 'single']]]);
  expect(plan.warnings).toContain(
    'The activation waits until that of ConfigMap/busy has ended, because both use a workload',
  );
  expect((await scene.activate('alice', 'calm', '1.0.1', '?wait=1s')).status).toBe(202);
  expect(await runners('calm', '1.0.1')).toEqual([]);
  await story.when.kubectl('rollout', 'resume', 'deployment/both');
  await story.isCurrent('1.0.1', 'configmap-busy');
  await story.isCurrent('1.0.1', 'configmap-calm');
  expect(await runners('calm', '1.0.1')).toEqual(['both', 'single']);
});

test('an activation ends an undo as a whole: the plan names the other config that changes, too', async () => {
  const { story } = scene;
  for (const config of ['left', 'right'])
    await scene.versions(config, { color: 'blue' }, { color: 'green' }, { color: 'red' });
  await story.given.object(
    deployment(
      'web',
      mountingConfigMap('left', '/etc/left'),
      mountingConfigMap('right', '/etc/right'),
      managed,
    ),
  );
  await healthy('left', 1);
  expect((await scene.activate('alice', 'right', '1.0.1', '?wait=60s')).status).toBe(200);
  await story.when.kubectl('rollout', 'status', 'deployment/web');
  await story.when.kubectl('rollout', 'undo', 'deployment/web');
  await healthy('right', 1);
  expect(await runners('right', '1.0.0')).toEqual(['web']);

  const plan = await planOf('left', '1.0.1');
  expect(planned(plan)).toEqual([[0, ['web']]]);
  expect(plan.warnings).toContain(
    'Deployment web gets the current version of ConfigMap/right, too: another client chose an older one',
  );
  expect((await scene.activate('alice', 'left', '1.0.1', '?wait=60s')).status).toBe(200);
  expect(await runners('left', '1.0.1')).toEqual(['web']);
  expect(await runners('right', '1.0.1')).toEqual(['web']);
});

test('a parked activation is taken along with its workloads, and the plan names it', async () => {
  const { story } = scene;
  for (const config of ['idle', 'lively'])
    await scene.versions(config, { color: 'blue' }, { color: 'green' });
  await story.when.edited<ConfigRollout>(configRollouts, 'configmap-idle', ({ spec }) => {
    spec.strategy.progressDeadlineSeconds = 1;
  });
  await story.given.objects(
    deployment(
      'shared',
      mountingConfigMap('idle', '/etc/idle'),
      mountingConfigMap('lively', '/etc/lively'),
      managed,
    ),
    deployment('later', mountingConfigMap('idle', '/etc/idle'), managed, inWave(1)),
  );
  await healthy('idle', 2);
  await story.when.kubectl('rollout', 'pause', 'deployment/shared');
  expect((await scene.activate('alice', 'idle', '1.0.1')).status).toBe(202);
  await story.rolloutIs('it is parked', ({ phase }) => phase === 'Parked', 'configmap-idle');

  const plan = await planOf('lively', '1.0.1');
  expect(plan.together).toEqual([{ kind: 'ConfigMap', name: 'idle', version: '1.0.1' }]);
  expect(planned(plan)).toEqual([
    [0, ['shared']],
    [1, ['later']],
  ]);
  expect((await scene.activate('alice', 'lively', '1.0.1')).status).toBe(202);
  const { status } = await story.rolloutIs(
    'it begins',
    ({ target }) => target !== undefined,
    'configmap-lively',
  );
  expect(status?.target?.members).toEqual(['ConfigMap/idle', 'ConfigMap/lively']);
  await story.when.kubectl('rollout', 'resume', 'deployment/shared');
  for (const config of ['idle', 'lively']) await story.isCurrent('1.0.1', `configmap-${config}`);
  expect(await runners('idle', '1.0.1')).toEqual(['later', 'shared']);
});

test('a config waits for what its neighbour waits for, when both are requested', async () => {
  const { story } = scene;
  for (const config of ['near', 'middle', 'far'])
    await scene.versions(config, { color: 'blue' }, { color: 'green' });
  const mounting = (config: string) => mountingConfigMap(config, `/etc/${config}`);
  await story.given.objects(
    deployment('one', mounting('near'), mounting('middle'), managed),
    deployment('two', mounting('middle'), mounting('far'), managed),
  );
  await healthy('middle', 2);
  await story.when.kubectl('rollout', 'pause', 'deployment/two');
  expect((await scene.activate('alice', 'far', '1.0.1')).status).toBe(202);
  await story.rolloutIs(
    'the workload was moved',
    ({ workloads, target }) => target !== undefined && workloads?.[0]?.state === 'WaitingForResume',
    'configmap-far',
  );
  expect((await planOf('near', '1.0.1')).warnings).toEqual([]);
  expect((await scene.activate('alice', 'middle', '1.0.1')).status).toBe(202);

  const plan = await planOf('near', '1.0.1');
  expect(plan.together).toEqual([{ kind: 'ConfigMap', name: 'middle', version: '1.0.1' }]);
  expect(planned(plan)).toEqual([[0, ['one', 'two']]]);
  expect(plan.warnings).toContain(
    'The activation waits until that of ConfigMap/far has ended, because both use a workload',
  );
  expect((await scene.activate('alice', 'near', '1.0.1', '?wait=1s')).status).toBe(202);
  expect(await runners('near', '1.0.1')).toEqual([]);
  await story.when.kubectl('rollout', 'resume', 'deployment/two');
  const { status } = await story.rolloutIs(
    'it begins',
    ({ target }) => target !== undefined,
    'configmap-near',
  );
  expect(status?.target?.members).toEqual(['ConfigMap/middle', 'ConfigMap/near']);
  for (const config of ['near', 'middle', 'far']) await story.isCurrent('1.0.1', `configmap-${config}`);
});

/** A ConfigMap or Secret in release mode Auto, with the version 1.0.0. */
async function automatic(kind: 'ConfigMap' | 'Secret', name: string): Promise<void> {
  const { story } = scene;
  const isSecret = kind === 'Secret';
  await story.given.objects(
    configRollout(isSecret ? `secret/${name}` : name, { bakeSeconds: 1 }),
    isSecret ? secret(name, { color: 'blue' }) : configMap(name, { color: 'blue' }),
  );
  await story.isCurrent('1.0.0', `${kind.toLowerCase()}-${name}`);
}

/** Begins the rollout of a config that stays in progress until `deployment` is resumed. */
async function busy(config: string, workload: string): Promise<void> {
  const { story } = scene;
  await story.when.kubectl('rollout', 'pause', `deployment/${workload}`);
  expect((await scene.activate('alice', config, '1.0.1')).status).toBe(202);
  await story.rolloutIs(
    'the workload was moved',
    ({ workloads, target }) => target !== undefined && workloads?.[0]?.state === 'WaitingForResume',
    `configmap-${config}`,
  );
}

test('an edit that waits for its neighbour is activated together with what is requested, as planned', async () => {
  const { story } = scene;
  for (const config of ['here', 'there']) await scene.versions(config, { color: 'blue' }, { color: 'green' });
  await automatic('ConfigMap', 'between');
  const mounting = (config: string) => mountingConfigMap(config, `/etc/${config}`);
  await story.given.objects(
    deployment('east', mounting('here'), mounting('between'), managed),
    deployment('west', mounting('between'), mounting('there'), managed),
  );
  await healthy('between', 2);
  await busy('there', 'west');
  await story.when.edited<ConfigMap>(configMaps, 'between', withData({ color: 'green' }));
  await story.rolloutIs(
    'the edit is a version',
    ({ observed }) => observed?.liveVersion === '1.0.1',
    'configmap-between',
  );

  const plan = await planOf('here', '1.0.1');
  expect(plan.together).toEqual([{ kind: 'ConfigMap', name: 'between', version: '1.0.1' }]);
  expect(planned(plan)).toEqual([[0, ['east', 'west']]]);
  expect(plan.warnings).toContain(
    'The activation waits until that of ConfigMap/there has ended, because both use a workload',
  );
  expect((await scene.activate('alice', 'here', '1.0.1', '?wait=1s')).status).toBe(202);
  expect(await runners('here', '1.0.1')).toEqual([]);
  await story.when.kubectl('rollout', 'resume', 'deployment/west');
  const { status } = await story.rolloutIs(
    'it begins',
    ({ target }) => target !== undefined,
    'configmap-here',
  );
  expect(status?.target?.members).toEqual(['ConfigMap/between', 'ConfigMap/here']);
  for (const config of ['here', 'between', 'there']) await story.isCurrent('1.0.1', `configmap-${config}`);
});

test('a caller who may not read Secrets gets the plan from their ConfigRollouts, and is told', async () => {
  const { story } = scene;
  for (const config of ['open', 'remote'])
    await scene.versions(config, { color: 'blue' }, { color: 'green' });
  await automatic('Secret', 'closed');
  const mountingClosed = mountingSecret('closed', '/etc/closed');
  await story.given.objects(
    deployment('front', mountingConfigMap('open', '/etc/open'), mountingClosed, managed),
    deployment('back', mountingConfigMap('remote', '/etc/remote'), mountingClosed, managed),
    serviceAccount('releaser'),
    clusterRoleFor('trimtab-releaser', 'releaser', { serviceAccount: 'releaser' }),
  );
  await healthy('open', 1);
  await healthy('remote', 1);
  const token = await scene.gateway.tokenOf({ serviceAccount: 'releaser', namespace: scene.namespace });
  const planFor = async (): Promise<ActivationPlan> => {
    const path = `${scene.path({ config: 'open' })}?dryRun=All`;
    const request = { method: 'PUT', path, body: { version: '1.0.1' } };
    return (await scene.gateway.callWith(token, request)).json;
  };
  const told = [
    'You may not list secrets: versions of Secrets are taken from their ConfigRollouts, and workloads with other versions are shown as pinned',
    'You may not read Secret/closed: whether it was edited is taken from its ConfigRollout',
  ];
  const quiet = await waitFor('the role is bound', async () => {
    const plan = await planFor();
    return plan.kind === 'ActivationPlan' ? { met: plan } : { seen: JSON.stringify(plan) };
  });
  expect(planned(quiet)).toEqual([[0, ['front']]]);
  expect([quiet.together, quiet.warnings]).toEqual([[], told]);
  expect((await planOf('open', '1.0.1')).warnings).toEqual([]);

  await busy('remote', 'back');
  await story.when.edited<Secret>(secrets, 'closed', (edited) => {
    edited.data = { color: Buffer.from('green').toString('base64') };
  });
  await story.rolloutIs(
    'the edit is a version',
    ({ observed }) => observed?.liveVersion === '1.0.1',
    'secret-closed',
  );
  const plan = await planFor();
  expect(plan.together).toEqual([{ kind: 'Secret', name: 'closed', version: '1.0.1' }]);
  expect(planned(plan)).toEqual([[0, ['back', 'front']]]);
  const all = await planOf('open', '1.0.1');
  expect(plan).toEqual({ ...all, warnings: [...all.warnings, ...told] });
  await story.when.kubectl('rollout', 'resume', 'deployment/back');
  await story.isCurrent('1.0.1', 'secret-closed');
});

const enforcement = 'kubernetes.io/enforce-mountable-secrets';

/** A ServiceAccount whose pods can use this Secret and no other, while it has the annotation. */
function allowing(name: string, secretName: string, marks: Record<string, string> = {}): KubeObject {
  const metadata = { name, annotations: marks };
  return {
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    metadata,
    secrets: [{ name: secretName }],
  } as KubeObject;
}

const runningAs =
  (serviceAccountName: string) =>
  ({ spec }: Deployment): void => {
    Object.assign(spec.template.spec, { serviceAccountName });
  };

function requestOfSecret(config: string, version: string, query = '') {
  const rest = `/current${query}`;
  return scene.call('alice', { method: 'PUT', kind: 'secrets', config, body: { version }, rest });
}

async function planOfSecret(config: string, version: string): Promise<ActivationPlan> {
  const { status, json, text } = await requestOfSecret(config, version, '?dryRun=All');
  expect(status, text).toBe(200);
  return json;
}

/** Requests the version, and expects the controller to refuse it with the problem of the plan. */
async function refusedAs({ problems }: ActivationPlan, config: string, version: string): Promise<void> {
  expect((await requestOfSecret(config, version)).status).toBe(202);
  const { status } = await scene.story.rolloutIs(
    'the version is refused',
    ({ conditions = [] }) => conditions.some(({ reason }) => reason === 'SecretNotMountable'),
    `secret-${config}`,
  );
  const degraded = status?.conditions?.find(({ type }) => type === 'Degraded');
  expect(degraded?.message).toContain(problems[0]);
}

async function addSecretVersion(config: string, version: string): Promise<void> {
  const body = { data: { color: Buffer.from('green').toString('base64') } };
  const request = { method: 'POST', kind: 'secrets', config, body, rest: `/${version}` };
  expect((await scene.call('alice', request)).status).toBe(201);
}

test('a workload whose ServiceAccount does not allow versions of a Secret is left out, as planned', async () => {
  const { story } = scene;
  await scene.versions('clear', { color: 'blue' }, { color: 'green' });
  await automatic('Secret', 'barred');
  await addSecretVersion('barred', '1.1');
  await story.given.objects(
    allowing('limited', 'barred', { [enforcement]: 'true' }),
    deployment(
      'guarded',
      mountingConfigMap('clear', '/etc/clear'),
      mountingSecret('barred', '/etc/barred'),
      managed,
      runningAs('limited'),
    ),
  );
  await healthy('clear', 1);

  expect(await planOfSecret('barred', '1.1')).toMatchObject({
    activates: true,
    waves: [],
    problems: [],
    warnings: [
      'Deployment guarded uses the config but is not updated: its ServiceAccount does not allow the version',
    ],
  });
  expect((await requestOfSecret('barred', '1.1', '?wait=60s')).status).toBe(200);
  const plan = await planOf('clear', '1.0.1');
  expect(plan).toMatchObject({ activates: true, together: [], warnings: [] });
  expect(planned(plan)).toEqual([[0, ['guarded']]]);
  expect((await scene.activate('alice', 'clear', '1.0.1', '?wait=60s')).status).toBe(200);
  expect(await runners('clear', '1.0.1')).toEqual(['guarded']);
  const { spec } = await story.object<Deployment>(deployments, 'guarded');
  expect(spec.template.spec?.volumes?.[1]).toMatchObject({ secret: { secretName: 'barred' } });
});

test('a version of a Secret is refused when its ServiceAccount no longer allows it, as planned', async () => {
  const { story } = scene;
  await automatic('Secret', 'narrowed');
  await addSecretVersion('narrowed', '1.1');
  await story.given.objects(
    allowing('tightened', 'narrowed'),
    deployment('tenant', mountingSecret('narrowed', '/etc/narrowed'), managed, runningAs('tightened')),
  );
  await healthy('narrowed', 1, 'secret');
  expect(await planOfSecret('narrowed', '1.1')).toMatchObject({ activates: true, problems: [] });

  // The controller reads a ServiceAccount again after 30 s, or when it is restarted.
  const annotated = (value: string | null) =>
    story.controllerRestarts(() => story.annotates(serviceAccounts, 'tightened', { [enforcement]: value }));
  await annotated('true');
  const refused = await planOfSecret('narrowed', '1.1');
  expect(refused).toMatchObject({
    activates: false,
    problems: [
      expect.stringContaining(
        `Version 1.1 cannot be used by Deployment tenant: ServiceAccount tightened has the annotation ${enforcement}`,
      ),
    ],
  });
  await refusedAs(refused, 'narrowed', '1.1');
  await annotated(null);
  await story.isCurrent('1.1', 'secret-narrowed');
});

test('a version that is being rolled back is activated after the rollback, as planned', async () => {
  const { story } = scene;
  await scene.versions('bad', { color: 'blue' }, { color: 'green' });
  await using app = await SimulatedApp.start(story.client, scene.namespace, ({ color }) =>
    color === 'green' ? 'starts' : 'works',
  );
  await story.given.object(
    deployment('fragile', mountingConfigMap('bad', '/etc/bad'), managed, runningTheApp),
  );
  await healthy('bad', 1);
  expect((await scene.activate('alice', 'bad', '1.0.1')).status).toBe(202);
  await story.rolloutIs('it is moved', ({ workloads }) => workloads?.[0]?.updated === 1, 'configmap-bad');
  await using ban = await UpdateDenial.impose(engine, deployments, {
    namespace: scene.namespace,
    name: 'fragile',
  });
  await app.becomes(({ color }) => (color === 'green' ? 'crash-loop' : 'works'));
  await story.rolloutIs('the revert fails', ({ phase }) => phase === 'RollbackFailed', 'configmap-bad');

  const plan = await planOf('bad', '1.0.1');
  expect(plan.activates).toBe(true);
  expect(planned(plan)).toEqual([[0, ['fragile']]]);
  expect(plan.warnings).toContain(
    'Version 1.0.1 is being rolled back: it is activated again when the rollback has ended',
  );
  expect((await scene.activate('alice', 'bad', '1.0.1')).status).toBe(202);
  await app.becomes(() => 'works');
  await ban.lift();
  const { status } = await story.isCurrent('1.0.1', 'configmap-bad');
  expect(status?.history?.slice(0, 2)).toMatchObject([
    { version: '1.0.1', result: 'Current' },
    { version: '1.0.1', result: 'RolledBack' },
  ]);
});
