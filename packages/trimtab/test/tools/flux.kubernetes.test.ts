import { configMaps, deployments, type Resource, replicaSets, secrets } from '@trimtab/kube/resource.ts';
import type { KubeObject } from '@trimtab/kube/wire.ts';
import { currentEngine } from '@trimtab/test-bed/engines/engine.ts';
import { annotated, type Mod } from '@trimtab/test-bed/objects/build.ts';
import { type ConfigMap, configMap } from '@trimtab/test-bed/objects/config-map.ts';
import { type Deployment, deployment } from '@trimtab/test-bed/objects/deployment.ts';
import {
  envFromConfigMap,
  envFromKey,
  envFromSecret,
  mountingConfigMap,
  mountingSecret,
} from '@trimtab/test-bed/objects/pod-template.ts';
import { secret } from '@trimtab/test-bed/objects/secret.ts';
import { afterAll, expect, test } from 'vitest';
import { configRollouts } from '../../src/api/config-rollout.ts';
import { annotations, labels } from '../../src/api/names.ts';
import { runTrimtab } from '../cli/support/run-trimtab.ts';
import { configRollout } from '../support/config-rollout.ts';
import { installedStory, policyStory } from '../support/installed-story.ts';
import { managed } from '../support/managed.ts';
import { podsRun } from '../support/mounted-versions.ts';
import { obedientApp } from '../support/obedient-app.ts';
import { isRolledBack } from '../support/outcomes.ts';
import { usualWay } from '../support/reference-ways.ts';
import type { ReleaseStory } from '../support/release-story.ts';
import { conditionOf, settled } from '../support/settled.ts';
import { runningTheApp, SimulatedApp } from '../support/simulated-app.ts';
import { type Applied, Flux, filesIn, type Kustomization } from './support/flux.ts';
import { healthCheckInGuide } from './support/flux-guide.ts';

const engine = await currentEngine();
afterAll(() => engine.close());

const timeout = 240_000;

const web = (...mods: Mod<Deployment>[]) =>
  deployment(
    'web',
    mountingConfigMap('foo', '/etc/foo'),
    envFromKey('COLOR', 'foo', 'color'),
    envFromConfigMap('foo'),
    mountingSecret('bar', '/etc/bar'),
    envFromSecret('bar'),
    managed,
    runningTheApp,
    ...mods,
  );

const image =
  (tag: string): Mod<Deployment> =>
  ({ spec }) => {
    for (const container of spec.template.spec.containers) container.image = `busybox:${tag}`;
  };

/** What a commit contains. */
const shop = (data: Record<string, string>, ...mods: Mod<Deployment>[]): KubeObject[] => [
  configMap('foo', data),
  secret('bar', { token: 'a' }),
  web(...mods),
];
/** The same with ConfigRollouts, whose health `wait: true` then waits for, too. */
const shopWithRollouts = (data: Record<string, string>, ...mods: Mod<Deployment>[]): KubeObject[] => [
  ...shop(data, ...mods),
  configRollout('foo', { bakeSeconds: 1 }),
  configRollout('secret/bar', { bakeSeconds: 1 }),
];

async function replicaSetCount({ client, namespace }: ReleaseStory): Promise<number> {
  return (await client.list(replicaSets, { namespace, labelSelector: 'app=web' })).items.length;
}

async function generation(it: ReleaseStory): Promise<number | undefined> {
  return (await it.object<Deployment>(deployments, 'web')).metadata.generation;
}

const changedBy = (applied: readonly Applied[]): string[][] =>
  applied
    .map((each) => [...each].filter(([, action]) => action !== 'unchanged').map(([name]) => name))
    .filter((names) => names.length > 0);

const rolloutHealth = (namespace: string) => ({
  healthChecks: ['configmap-foo', 'secret-bar'].map((name) => ({
    apiVersion: 'trimtab.dev/v1alpha1',
    kind: 'ConfigRollout',
    name,
    namespace,
  })),
});

const inSync = { status: 'True', reason: 'ReconciliationSucceeded' };

test('Flux installs a managed workload, and each commit is one rolling update', { timeout }, async () => {
  // A workload joins the activation when it is applied before the edits have been collected. Here Flux may be slow.
  await using it = await installedStory(engine, ['--coalesce', '3s']);
  await using _app = await SimulatedApp.start(it.client, it.namespace, obedientApp);
  await using flux = await Flux.start(engine, it.namespace);
  await it.shortBake(['foo', 'secret/bar']);
  await flux.commits(...shop({ color: 'blue' }, image('1')));
  await flux.kustomization({});
  expect(await flux.reconciled()).toMatchObject(inSync);
  await settled(it, '1.0.0', ['web']);
  await settled(it, '1.0.0', ['web'], 'secret-bar');
  expect(await replicaSetCount(it)).toBe(1);

  const commits: [what: string, color: string, tag: string][] = [
    ['the config', 'green', '1'],
    ['the config and the image', 'red', '2'],
    ['both again', 'yellow', '3'],
  ];
  for (const [index, [what, color, tag]] of commits.entries()) {
    await flux.commits(...shop({ color }, image(tag)));
    expect(await flux.reconciled(), what).toMatchObject(inSync);
    const { status } = await settled(it, `1.0.${index + 1}`, ['web']);
    await podsRun(it, 'web', status?.current?.object);
    expect(await replicaSetCount(it), what).toBe(index + 2);
  }
  // The old content is the old version.
  await flux.commits(...shop({ color: 'blue' }, image('3')));
  const { status } = await settled(it, '1.0.0', ['web']);
  await podsRun(it, 'web', status?.current?.object);
  await flux.reconciles();
  expect(changedBy(flux.applied.slice(1))).toEqual([
    ['ConfigMap/foo'],
    ['ConfigMap/foo', 'Deployment/web'],
    ['ConfigMap/foo', 'Deployment/web'],
    ['ConfigMap/foo'],
  ]);
});

test('fifty reconciliations find no drift, and add no generation and no version', {
  timeout,
}, async () => {
  await using it = await installedStory(engine);
  await using _app = await SimulatedApp.start(it.client, it.namespace, obedientApp);
  await using flux = await Flux.start(engine, it.namespace);
  await flux.commits(...shopWithRollouts({ color: 'blue' }));
  await flux.kustomization({});
  await flux.reconciled();
  await settled(it, '1.0.0', ['web']);
  await settled(it, '1.0.0', ['web'], 'secret-bar');
  await flux.commits(...shopWithRollouts({ color: 'green' }));
  await settled(it, '1.0.1', ['web']);
  await flux.reconciled();
  const before = await generation(it);
  const from = flux.applied.length;
  expect(await flux.reconciles(50)).toMatchObject(inSync);
  const reconciliations = flux.applied.slice(from);
  expect(reconciliations.length).toBeGreaterThanOrEqual(50);
  expect(changedBy(reconciliations)).toEqual([]);
  expect(await generation(it)).toBe(before);
  expect(await replicaSetCount(it)).toBe(2);
  expect([...(await it.copies()).keys()].sort()).toEqual(['1.0.0', '1.0.1']);
});

test('reconciliations during a release change nothing, and disturb no step of it', { timeout }, async () => {
  await using it = await installedStory(engine);
  await using app = await SimulatedApp.start(it.client, it.namespace, obedientApp);
  await using flux = await Flux.start(engine, it.namespace);
  await it.shortBake(['foo', 'secret/bar']);
  await flux.commits(...shop({ color: 'blue' }));
  await flux.kustomization({});
  await settled(it, '1.0.0', ['web']);
  await settled(it, '1.0.0', ['web'], 'secret-bar');
  await app.becomes(() => 'unready');
  await flux.commits(...shop({ color: 'green' }));
  await flux.reconciled();
  await it.rolloutIs(
    'the release waits for pods',
    ({ phase, target }) => phase === 'BeingCurrent' && target?.version === '1.0.1',
  );
  await it.eventually<Deployment>(
    'the Deployment has the new version',
    deployments,
    'web',
    ({ metadata }) => (metadata.generation ?? 0) > 1,
  );
  const before = await generation(it);
  const from = flux.applied.length;
  await flux.reconciles(20);
  expect(changedBy(flux.applied.slice(from))).toEqual([]);
  expect(await generation(it)).toBe(before);
  await app.becomes(obedientApp);
  await settled(it, '1.0.1', ['web']);
  expect(await replicaSetCount(it)).toBe(2);
});

test.each([
  ['wait: true and ConfigRollouts in the commit', shopWithRollouts, () => ({ wait: true })],
  ['healthChecks that name the ConfigRollouts', shop, rolloutHealth],
] as const)(
  'with %s, a Kustomization is Ready when a release has ended, and not Ready when it was rolled back',
  { timeout },
  async (_, commit, settings) => {
    await using it = await installedStory(engine);
    await using app = await SimulatedApp.start(it.client, it.namespace, obedientApp);
    await using flux = await Flux.start(engine, it.namespace);
    if (commit === shop) await it.shortBake(['foo', 'secret/bar']);
    await flux.commits(...commit({ color: 'blue' }));
    await flux.kustomization(settings(it.namespace));
    await settled(it, '1.0.0', ['web']);
    await settled(it, '1.0.0', ['web'], 'secret-bar');
    expect(await flux.reconciled()).toMatchObject(inSync);

    await app.becomes(() => 'unready');
    await flux.commits(...commit({ color: 'green' }));
    await it.rolloutIs('the release is under way', ({ phase }) => phase === 'BeingCurrent');
    const token = await flux.requests();
    await flux.shows(
      'the health check waits for the release',
      ({ status }) =>
        status?.conditions?.some(
          ({ type, status: is, message }) =>
            type === 'Healthy' && is === 'Unknown' && message.startsWith('Running health checks'),
        ) === true,
    );
    await app.becomes(obedientApp);
    const ready = await flux.shows(
      'the release has ended',
      ({ status }) => status?.lastHandledReconcileAt === token,
    );
    expect(ready).toMatchObject(inSync);
    expect((await it.rollout()).status?.current?.version).toBe('1.0.1');

    await flux.commits(...commit({ color: 'red', web: 'crash-loop' }));
    await isRolledBack(it, '1.0.2');
    const failed = await flux.reconciles();
    expect(failed).toMatchObject({ status: 'False', reason: 'HealthCheckFailed' });
    expect(failed.message).toContain('ConfigRollout/');
    expect(failed.message).toContain("configmap-foo status: 'Failed'");
    const { status } = await it.rollout();
    await podsRun(it, 'web', status?.current?.object);
    const before = await generation(it);

    // Each retry applies the rejected content again. It is not released again.
    const from = flux.applied.length;
    expect(await flux.reconciles(5)).toMatchObject({ status: 'False', reason: 'HealthCheckFailed' });
    expect(changedBy(flux.applied.slice(from))).toEqual([]);
    expect(await generation(it)).toBe(before);
    expect((await it.rollout()).status).toMatchObject({ phase: 'Failed', current: { version: '1.0.1' } });
    await podsRun(it, 'web', status?.current?.object);

    await flux.commits(...commit({ color: 'yellow' }));
    await settled(it, '1.0.3', ['web']);
    expect(await flux.reconciles()).toMatchObject(inSync);
  },
);

test('with a version in Git, a Kustomization is Ready when this version is current and never before, and what depends on it waits', {
  timeout,
}, async () => {
  await using it = await installedStory(engine);
  await using _app = await SimulatedApp.start(it.client, it.namespace, obedientApp);
  await using flux = await Flux.start(engine, it.namespace);
  const named = (version: string, data: Record<string, string>) => [
    configMap('foo', data, annotated({ [annotations.version]: version })),
    configRollout('foo', { bakeSeconds: 1 }, annotated({ 'shop.example/version': version })),
    deployment('web', mountingConfigMap('foo', '/etc/foo'), managed, runningTheApp),
  ];
  const commits = async (version: string, data: Record<string, string>) =>
    flux.publishes(
      new Map([
        ...filesIn('shop', named(version, data)),
        ...filesIn('tests', [configMap('tests', { version })]),
      ]),
    );
  const dependent = async () => (await it.object<ConfigMap>(configMaps, 'tests')).data;
  await commits('1.0.0', { color: 'blue' });
  await flux.kustomization({ wait: true, healthCheckExprs: healthCheckInGuide() });
  await flux.kustomization({ dependsOn: [{ name: 'shop' }] }, 'tests');
  expect(await flux.reconciled()).toMatchObject(inSync);
  await settled(it, '1.0.0', ['web']);

  for (const version of ['1.1.0', '1.2.0', '1.3.0']) {
    await commits(version, { color: version });
    expect(await flux.reconciled()).toMatchObject(inSync);
    expect((await it.rollout()).status).toMatchObject({ phase: 'Current', current: { version } });
    expect(await flux.reconciled('tests')).toMatchObject(inSync);
    expect(await dependent()).toEqual({ version });
  }

  await commits('1.4.0', { web: 'crash-loop' });
  expect(await flux.reconciled()).toMatchObject({ status: 'False', reason: 'HealthCheckFailed' });
  expect((await it.rollout()).status).toMatchObject({ phase: 'Failed', current: { version: '1.3.0' } });
  await flux.shows('what depends on it waits', isWaiting, 'tests');
  expect(await dependent()).toEqual({ version: '1.3.0' });

  // The rejected version does not make the health check of the next one fail.
  for (const [version, color] of [
    ['1.5.0', 'green'],
    ['1.3.0', '1.3.0'],
  ] as const) {
    await commits(version, { color });
    expect(await flux.reconciled()).toMatchObject(inSync);
    expect((await it.rollout()).status).toMatchObject({ phase: 'Current', current: { version } });
  }
  expect(await flux.reconciled('tests')).toMatchObject(inSync);
  expect(await dependent()).toEqual({ version: '1.3.0' });
});

const isWaiting = ({ status }: Kustomization) =>
  status?.conditions?.some(({ type, reason }) => type === 'Ready' && reason === 'DependencyNotReady') ===
  true;

test('a pause and a rollback by hand outlast reconciliations', { timeout }, async () => {
  await using it = await installedStory(engine);
  await using _app = await SimulatedApp.start(it.client, it.namespace, obedientApp);
  await using flux = await Flux.start(engine, it.namespace);
  await flux.commits(...shopWithRollouts({ color: 'blue' }));
  await flux.kustomization({});
  await settled(it, '1.0.0', ['web']);
  await settled(it, '1.0.0', ['web'], 'secret-bar');
  await flux.commits(...shopWithRollouts({ color: 'green' }));
  await settled(it, '1.0.1', ['web']);
  const from = flux.applied.length;

  const { code, stderr } = await runTrimtab(engine, ['rollback', 'foo'], { namespace: it.namespace });
  expect(code, stderr).toBe(0);
  await settled(it, '1.0.0', ['web']);
  const before = await generation(it);
  expect(await flux.reconciles(3)).toMatchObject(inSync);
  expect(await generation(it)).toBe(before);
  expect((await it.rollout()).status?.current?.version).toBe('1.0.0');

  const paused = await runTrimtab(engine, ['pause', 'foo'], { namespace: it.namespace });
  expect(paused.code, paused.stderr).toBe(0);
  expect(await flux.reconciles(3)).toMatchObject(inSync);
  expect((await it.rollout()).spec.paused).toBe(true);
  expect(changedBy(flux.applied.slice(from))).toEqual([]);
});

test('an edit of a rejected config with kubectl is taken back by Flux, and releases nothing', {
  timeout,
}, async () => {
  await using it = await installedStory(engine);
  await using _app = await SimulatedApp.start(it.client, it.namespace, obedientApp);
  await using flux = await Flux.start(engine, it.namespace);
  await it.shortBake(['foo', 'secret/bar']);
  await flux.commits(...shop({ color: 'blue' }));
  await flux.kustomization({});
  await settled(it, '1.0.0', ['web']);
  await flux.commits(...shop({ color: 'red', web: 'crash-loop' }));
  await isRolledBack(it, '1.0.1');

  const blue = { type: 'merge', body: { data: { color: 'blue', web: null } } } as const;
  await it.client.patch(configMaps, { namespace: it.namespace, name: 'foo' }, blue);
  await settled(it, '1.0.0', ['web']);
  const before = await generation(it);
  await flux.reconciles();
  await it.rolloutIs(
    'the content of the commit stays rejected',
    ({ phase, observed }) => phase === 'Failed' && observed !== undefined,
  );
  expect(conditionOf(await it.rollout(), 'Degraded')).toMatchObject({ status: 'True' });
  expect(await generation(it)).toBe(before);
  expect((await it.rollout()).status?.current?.version).toBe('1.0.0');
});

test('pruning takes no version', { timeout }, async () => {
  await using it = await installedStory(engine);
  await using _app = await SimulatedApp.start(it.client, it.namespace, obedientApp);
  await using flux = await Flux.start(engine, it.namespace);
  await flux.commits(...shopWithRollouts({ color: 'blue' }));
  await flux.kustomization({});
  await settled(it, '1.0.0', ['web']);
  await settled(it, '1.0.0', ['web'], 'secret-bar');
  await flux.commits(...shopWithRollouts({ color: 'green' }));
  const { status } = await settled(it, '1.0.1', ['web']);
  await flux.reconciled();
  expect((await flux.inventory()).sort()).toEqual([
    'ConfigMap/foo',
    'ConfigRollout/configmap-foo',
    'ConfigRollout/secret-bar',
    'Deployment/web',
    'Secret/bar',
  ]);
  const foo = await it.object(configMaps, 'foo');
  expect(foo.metadata.labels).toMatchObject({ 'kustomize.toolkit.fluxcd.io/name': 'shop' });
  const copies = [...(await it.copies()).values()];
  expect(copies).toHaveLength(2);
  for (const { metadata } of copies)
    expect(Object.keys({ ...metadata.labels, ...metadata.annotations }).join()).not.toContain('fluxcd');

  await flux.commits(...shop({}).filter(({ kind }) => kind === 'Deployment'));
  expect(await flux.reconciled()).toMatchObject(inSync);
  expect(await flux.inventory()).toEqual(['Deployment/web']);
  await it.eventuallyGone(configMaps, 'foo');
  const left = [...(await it.copies()).values()].map(({ metadata }) => metadata.name);
  expect(left).toContain(status?.current?.object);
  await podsRun(it, 'web', status?.current?.object);
});

test.each([
  ['ConfigRollouts of Trimtab', shop],
  ['ConfigRollouts in the commit', shopWithRollouts],
] as const)('deleting the Kustomization leaves nothing behind, with %s', { timeout }, async (_, commit) => {
  await using it = await installedStory(engine, ['--remove-unused-after', '1s']);
  await using _app = await SimulatedApp.start(it.client, it.namespace, obedientApp);
  await using flux = await Flux.start(engine, it.namespace);
  await flux.commits(...commit({ color: 'blue' }));
  await flux.kustomization({});
  await settled(it, '1.0.0', ['web']);
  await settled(it, '1.0.0', ['web'], 'secret-bar');
  await it.strategyIs({ bakeSeconds: 1 });
  await flux.commits(...commit({ color: 'green' }));
  await settled(it, '1.0.1', ['web']);

  await flux.deletes();
  for (const [resource, name] of [
    [deployments, 'web'],
    [configMaps, 'foo'],
    [secrets, 'bar'],
    [configRollouts, 'configmap-foo'],
    [configRollouts, 'secret-bar'],
  ] as [Resource, string][])
    await it.eventuallyGone(resource, name);
  for (const resource of [configMaps, secrets])
    for (const name of ['foo', 'bar'])
      await it.eventuallyAll(
        'no version is left',
        resource,
        (all) => all.length === 0,
        `${labels.config}=${name}`,
      );
  const { items } = await it.client.list(configMaps, { namespace: it.namespace });
  const ours = items.filter(({ metadata }) =>
    Object.keys({ ...metadata.labels, ...metadata.annotations }).some((key) => key.includes('trimtab.dev')),
  );
  // `installedStory` has released the config `warm`.
  expect(ours.map(({ metadata }) => metadata.name).filter((name) => !name?.startsWith('warm'))).toEqual([]);
});

test('Flux keeps the metadata that Trimtab sets, and an opt-in that a commit drops is reported', {
  timeout,
}, async () => {
  await using it = await installedStory(engine);
  await using _app = await SimulatedApp.start(it.client, it.namespace, obedientApp);
  await using flux = await Flux.start(engine, it.namespace);
  await it.shortBake(['foo', 'secret/bar']);
  await flux.commits(...shop({ color: 'blue' }));
  await flux.kustomization({});
  await settled(it, '1.0.0', ['web']);
  await settled(it, '1.0.0', ['web'], 'secret-bar');
  const before = await it.object<Deployment>(deployments, 'web');
  expect(before.metadata.labels).toMatchObject({ [labels.assigned]: expect.any(String) });

  // A commit that changes metadata only.
  await flux.commits(...shop({ color: 'blue' }, annotated({ team: 'shop' })));
  expect(await flux.reconciled()).toMatchObject(inSync);
  const after = await it.object<Deployment>(deployments, 'web');
  expect(after.metadata.annotations).toEqual({ ...before.metadata.annotations, team: 'shop' });
  expect(after.metadata.labels).toEqual(before.metadata.labels);
  expect(await replicaSetCount(it)).toBe(1);
  expect((await it.object(configMaps, 'foo')).metadata.labels).toMatchObject({ [labels.config]: 'foo' });

  await flux.commits(...shop({ color: 'green' }, withoutOptIn));
  const { status } = await settled(it, '1.0.1', ['web']);
  await it.rolloutIs(
    'the lost opt-in is reported',
    (each) => each.conditions?.some(({ type, status: is }) => type === 'OptInLost' && is === 'True') === true,
  );
  await podsRun(it, 'web', status?.current?.object);
  expect(await replicaSetCount(it)).toBe(2);
});

function withoutOptIn({ metadata }: Deployment): void {
  delete metadata.annotations?.[annotations.manage];
}

test('with policies in place of the webhook, workloads with references by admission do not drift', {
  timeout,
}, async () => {
  await using it = await policyStory(engine);
  await using _app = await SimulatedApp.start(it.client, it.namespace, obedientApp);
  await using flux = await Flux.start(engine, it.namespace);
  await it.shortBake(['foo', 'secret/bar']);
  const byAdmission = annotated({ [annotations.references]: 'admission' });
  await flux.commits(...shop({ color: 'blue' }, byAdmission));
  await flux.kustomization({});
  await settled(it, '1.0.0', ['web']);
  await settled(it, '1.0.0', ['web'], 'secret-bar');
  await flux.commits(...shop({ color: 'green' }, byAdmission));
  const { status } = await settled(it, '1.0.1', ['web']);
  await flux.reconciled();
  const before = await generation(it);
  const from = flux.applied.length;
  await flux.reconciles(20);
  expect(changedBy(flux.applied.slice(from))).toEqual([]);
  expect(await generation(it)).toBe(before);
  await podsRun(it, 'web', status?.current?.object);
});

test.runIf(usualWay === 'template')(
  'with policies in place of the webhook, each reconciliation brings a template that names versions back, and Trimtab updates it again',
  { timeout },
  async () => {
    await using it = await policyStory(engine);
    await using _app = await SimulatedApp.start(it.client, it.namespace, obedientApp);
    await using flux = await Flux.start(engine, it.namespace);
    await it.shortBake(['foo', 'secret/bar']);
    await flux.commits(...shop({ color: 'blue' }));
    await flux.kustomization({});
    await settled(it, '1.0.0', ['web']);
    await settled(it, '1.0.0', ['web'], 'secret-bar');
    await flux.reconciled();
    const before = await generation(it);
    const from = flux.applied.length;
    expect(await flux.reconciles()).toMatchObject(inSync);
    expect(changedBy(flux.applied.slice(from))).toEqual([['Deployment/web']]);
    const { status } = await settled(it, '1.0.0', ['web']);
    await podsRun(it, 'web', status?.current?.object);
    expect(await generation(it)).toBeGreaterThan(before ?? 0);
    expect([...(await it.copies()).keys()]).toEqual(['1.0.0']);
  },
);
