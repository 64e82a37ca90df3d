import { deployments, replicaSets } from '@trimtab/kube/resource.ts';
import type { KubeObject } from '@trimtab/kube/wire.ts';
import { currentEngine } from '@trimtab/test-bed/engines/engine.ts';
import { annotated, type Mod } from '@trimtab/test-bed/objects/build.ts';
import { configMap } from '@trimtab/test-bed/objects/config-map.ts';
import { type Deployment, deployment } from '@trimtab/test-bed/objects/deployment.ts';
import {
  envFromConfigMap,
  envFromKey,
  envFromSecret,
  mountingConfigMap,
  mountingSecret,
} from '@trimtab/test-bed/objects/pod-template.ts';
import { secret } from '@trimtab/test-bed/objects/secret.ts';
import { afterAll, describe, expect, test } from 'vitest';
import { configRollout } from '../support/config-rollout.ts';
import { installedStory } from '../support/installed-story.ts';
import { managed } from '../support/managed.ts';
import { obedientApp } from '../support/obedient-app.ts';
import { usualWay } from '../support/reference-ways.ts';
import type { ReleaseStory } from '../support/release-story.ts';
import { lineOf, settled } from '../support/settled.ts';
import { runningTheApp, SimulatedApp } from '../support/simulated-app.ts';
import { type ApplicationSettings, ArgoCd, type Report } from './support/argo-cd.ts';
import { ignoredInGuide } from './support/argo-cd-guide.ts';

const engine = await currentEngine();
afterAll(() => engine.close());

const ignored = usualWay === 'template' ? { ignoreDifferences: ignoredInGuide() } : {};

/** How Argo CD compares and applies, with what the guide says that it needs for the usual way of this run. */
const settings: [title: string, ApplicationSettings][] = [
  ['the classic diff', { diff: 'classic', ...ignored }],
  ['the classic diff and server-side apply', { diff: 'classic', serverSideApply: true, ...ignored }],
  ['server-side diff', { diff: 'server-side' }],
  ['server-side diff and server-side apply', { diff: 'server-side', serverSideApply: true }],
];

/** Trimtab may create a ConfigRollout before Argo CD does; a server-side apply does not mind. */
const appliedByServer = annotated({ 'argocd.argoproj.io/sync-options': 'ServerSideApply=true' });

/** What the folder of the Application contains. */
const shop = (data: Record<string, string>): KubeObject[] => [
  configMap('foo', data),
  secret('bar', { token: 'a' }),
  configRollout('foo', { bakeSeconds: 1 }, appliedByServer),
  configRollout('secret/bar', { bakeSeconds: 1 }, appliedByServer),
  web(mountingSecret('bar', '/etc/bar'), envFromSecret('bar'), referencingBoth),
];
const web = (...mods: Mod<Deployment>[]) =>
  deployment(
    'web',
    mountingConfigMap('foo', '/etc/foo'),
    envFromKey('COLOR', 'foo', 'color'),
    envFromConfigMap('foo'),
    managed,
    runningTheApp,
    ...mods,
  );

/** Adds references in the fields that the other modifications do not set: Argo CD compares each of them in its own way. */
function referencingBoth({ spec }: Deployment): void {
  const pods = spec.template.spec;
  const sources = [{ configMap: { name: 'foo' } }, { secret: { name: 'bar' } }];
  const volume = { name: 'both', projected: { sources } };
  const token = { name: 'TOKEN', valueFrom: { secretKeyRef: { name: 'bar', key: 'token' } } };
  const envFrom = [{ configMapRef: { name: 'foo' } }, { secretRef: { name: 'bar' } }];
  Object.assign(pods, {
    volumes: [...(pods.volumes ?? []), volume],
    containers: pods.containers.map((app) => ({ ...app, env: [...(app.env ?? []), token] })),
    initContainers: [{ name: 'init', image: 'busybox', env: [token], envFrom }],
  });
}

const outOfSync = ({ resources }: Report) =>
  resources.filter(({ sync }) => sync === 'OutOfSync').map(({ kind, name }) => `${kind}/${name}`);
/** The objects that each comparison has found out of sync, without the comparisons that found none. */
const drifts = (rounds: readonly Report[]) => rounds.map(outOfSync).filter((names) => names.length > 0);
const isCalm = ({ sync, health }: Report) => sync === 'Synced' && health === 'Healthy';

/** The first sync, and the rollouts that it begins. */
async function installed(it: ReleaseStory, argo: ArgoCd): Promise<void> {
  await argo.commit(...shop({ color: 'blue' }));
  await argo.syncs();
  await settled(it, '1.0.0', ['web']);
  await settled(it, '1.0.0', ['web'], 'secret-bar');
}

async function generation(it: ReleaseStory): Promise<number | undefined> {
  return (await it.object<Deployment>(deployments, 'web')).metadata.generation;
}

async function revisions({ client, namespace }: ReleaseStory): Promise<number> {
  return (await client.list(replicaSets, { namespace })).items.length;
}

test.each(settings)(
  'with %s: Synced and Healthy before, during and after a release; what is rolled back is Degraded, not OutOfSync',
  async (_, how) => {
    await using it = await installedStory(engine);
    await using _app = await SimulatedApp.start(it.client, it.namespace, obedientApp);
    await using argo = await ArgoCd.open(engine, it.namespace, how);
    await installed(it, argo);
    await using selfHeal = argo.selfHeals();
    await selfHeal.shows('it is calm before', isCalm);
    expect(drifts(selfHeal.rounds)).toEqual([]);

    await argo.commit(...shop({ color: 'green' }));
    await settled(it, '1.0.1', ['web']);
    await selfHeal.shows('it is calm afterwards', isCalm);
    const good = selfHeal.rounds.length;
    const healths = selfHeal.rounds.map(({ health }) => health);
    expect(drifts(selfHeal.rounds)).toEqual([['ConfigMap/foo']]);
    expect(new Set(healths)).toEqual(new Set(['Healthy', 'Progressing']));
    expect(await revisions(it)).toBe(2);

    await argo.commit(...shop({ color: 'red', web: 'crash-loop' }));
    await it.rolloutIs(
      'it has rolled back',
      (status) => status.phase === 'Failed' && lineOf(status, 'web')?.state === 'Healthy',
    );
    const rolledBack = await selfHeal.shows(
      'the Deployment is healthy again',
      ({ resources }) => resources.find(({ kind }) => kind === 'Deployment')?.health === 'Healthy',
    );
    expect(rolledBack).toMatchObject({ sync: 'Synced', health: 'Degraded' });
    expect(rolledBack.resources.filter(({ health }) => health === 'Degraded')).toEqual([
      expect.objectContaining({
        kind: 'ConfigRollout',
        name: 'configmap-foo',
        message: expect.stringMatching(/^Version 1\.0\.2 was rolled back: Deployment web: pod web-/),
      }),
    ]);
    const rounds = await selfHeal.stops();
    expect(drifts(rounds.slice(good))).toEqual([['ConfigMap/foo']]);
  },
);

test('only a template that names versions needs ignoreDifferences; without, self-heal syncs for ever and changes nothing', async () => {
  await using it = await installedStory(engine);
  await using _app = await SimulatedApp.start(it.client, it.namespace, obedientApp);
  await using argo = await ArgoCd.open(engine, it.namespace, { diff: 'classic' });
  await installed(it, argo);
  const before = await generation(it);
  const different = usualWay === 'template' ? ['Deployment/web'] : [];
  expect(outOfSync(await argo.compares())).toEqual(different);
  await argo.syncs(3);
  expect(outOfSync(await argo.compares())).toEqual(different);
  expect(await generation(it)).toBe(before);
});

test.each([
  ['client-side', false],
  ['server-side', true],
])(
  'a hundred syncs that apply %s add no generation and no version',
  { timeout: 180_000 },
  async (_, serverSideApply) => {
    await using it = await installedStory(engine);
    await using _app = await SimulatedApp.start(it.client, it.namespace, obedientApp);
    await using argo = await ArgoCd.open(engine, it.namespace, { diff: 'server-side', serverSideApply });
    await it.shortBake(['foo']);
    await argo.commit(configMap('foo', { color: 'blue' }), web());
    await argo.syncs();
    await settled(it, '1.0.0', ['web']);
    const before = await generation(it);
    expect(await argo.syncs(100)).toHaveLength(100);
    expect(await generation(it)).toBe(before);
    expect(await argo.compares()).toMatchObject({ sync: 'Synced', health: 'Healthy' });
    expect([...(await it.copies()).keys()]).toEqual(['1.0.0']);
    expect(await revisions(it)).toBe(1);
  },
);

describe.each(['annotation', 'label'] as const)('with tracking by %s', (tracking) => {
  test('pruning takes no version, and no version is orphaned', async () => {
    await using it = await installedStory(engine);
    await using _app = await SimulatedApp.start(it.client, it.namespace, obedientApp);
    await using argo = await ArgoCd.open(engine, it.namespace, { diff: 'server-side', tracking });
    await installed(it, argo);
    await argo.commit(...shop({ color: 'green' }));
    await argo.syncs();
    const { status } = await settled(it, '1.0.1', ['web']);
    const report = await argo.compares();
    expect(outOfSync(report)).toEqual([]);
    expect((await it.copies()).size).toBe(2);
    // What `installedStory` and Kubernetes have created. The ConfigRollout `warm` has no manifest.
    expect(report.orphaned.filter((name) => /^(ConfigMap|Secret|ConfigRollout)\//.test(name))).toEqual([
      'ConfigMap/kube-root-ca.crt',
      'ConfigMap/warm',
      'ConfigRollout/configmap-warm',
    ]);

    await argo.commit(...shop({}).filter(({ kind }) => kind === 'Deployment'));
    const [operation] = await argo.syncs();
    const pruned = operation?.resources.filter(({ status: result }) => result === 'Pruned');
    expect(pruned?.map(({ kind, name }) => `${kind}/${name}`).sort()).toEqual([
      'ConfigMap/foo',
      'ConfigRollout/configmap-foo',
      'ConfigRollout/secret-bar',
      'Secret/bar',
    ]);
    const left = [...(await it.copies()).values()].map(({ metadata }) => metadata.name);
    expect(left).toContain(status?.current?.object);
  });
});
