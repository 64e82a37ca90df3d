import { deployments, replicaSets } from '@trimtab/kube/resource.ts';
import type { KubeObject } from '@trimtab/kube/wire.ts';
import { currentEngine } from '@trimtab/test-bed/engines/engine.ts';
import { annotated, type Mod } from '@trimtab/test-bed/objects/build.ts';
import { configMap } from '@trimtab/test-bed/objects/config-map.ts';
import { type Deployment, deployment } from '@trimtab/test-bed/objects/deployment.ts';
import {
  envFromConfigMap,
  envFromKey,
  mountingConfigMap,
  mountingSecret,
} from '@trimtab/test-bed/objects/pod-template.ts';
import { secret } from '@trimtab/test-bed/objects/secret.ts';
import { afterAll, describe, expect, test } from 'vitest';
import { annotations } from '../../src/api/names.ts';
import type { ReferenceWay } from '../../src/core/references/reference-way.ts';
import { configRollout } from '../support/config-rollout.ts';
import { installedStory } from '../support/installed-story.ts';
import { managed } from '../support/managed.ts';
import { obedientApp } from '../support/obedient-app.ts';
import type { ReleaseStory } from '../support/release-story.ts';
import { lineOf, settled } from '../support/settled.ts';
import { runningTheApp, SimulatedApp } from '../support/simulated-app.ts';
import { type ApplicationSettings, ArgoCd, type Report } from './support/argo-cd.ts';
import { ignoredInGuide } from './support/argo-cd-guide.ts';

const engine = await currentEngine();
afterAll(() => engine.close());

const ways: { way: ReferenceWay; settings: ApplicationSettings }[] = [
  { way: 'template', settings: { diff: 'classic', ignoreDifferences: ignoredInGuide() } },
  { way: 'template', settings: { diff: 'server-side' } },
  { way: 'template', settings: { diff: 'server-side', serverSideApply: true } },
  { way: 'admission', settings: { diff: 'classic' } },
  { way: 'admission', settings: { diff: 'server-side' } },
  { way: 'admission', settings: { diff: 'server-side', serverSideApply: true } },
];
const titled = ways.map(({ way, settings }) => {
  const { diff, serverSideApply } = settings;
  return [`${way}, ${diff} diff${serverSideApply ? ', server-side apply' : ''}`, way, settings] as const;
});

const referencing = (way: ReferenceWay): Mod<KubeObject> =>
  annotated(way === 'admission' ? { [annotations.references]: way } : {});

/** What the folder of the Application contains, with references in all fields that Argo CD compares in different ways. */
const shop = (way: ReferenceWay, data: Record<string, string>): KubeObject[] => [
  configMap('foo', data),
  secret('bar', { token: 'a' }),
  configRollout('foo', { bakeSeconds: 1 }),
  configRollout('secret/bar', { bakeSeconds: 1 }),
  web(way),
];
const web = (way: ReferenceWay) =>
  deployment(
    'web',
    mountingConfigMap('foo', '/etc/foo'),
    mountingSecret('bar', '/etc/bar'),
    envFromKey('COLOR', 'foo', 'color'),
    envFromConfigMap('foo'),
    managed,
    runningTheApp,
    referencing(way),
  );

const outOfSync = ({ resources }: Report) =>
  resources.filter(({ sync }) => sync === 'OutOfSync').map(({ kind, name }) => `${kind}/${name}`);
const isCalm = ({ sync, health }: Report) => sync === 'Synced' && health === 'Healthy';

/** The first sync, and the rollouts that it begins. */
async function installed(it: ReleaseStory, argo: ArgoCd, way: ReferenceWay): Promise<void> {
  await argo.commit(...shop(way, { color: 'blue' }));
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

describe.each(titled)('%s', (_, way, settings) => {
  test('Synced and Healthy before, during and after a release; a rolled back config is Degraded, not OutOfSync', async () => {
    await using it = await installedStory(engine);
    await using _app = await SimulatedApp.start(it.client, it.namespace, obedientApp);
    await using argo = await ArgoCd.open(engine, it.namespace, settings);
    await installed(it, argo, way);
    await using selfHeal = argo.selfHeals();
    await selfHeal.shows('it is calm before', isCalm);
    const before = selfHeal.rounds.length;

    await argo.commit(...shop(way, { color: 'green' }));
    await settled(it, '1.0.1', ['web']);
    await selfHeal.shows('it is calm afterwards', isCalm);
    const release = selfHeal.rounds.slice(before);
    expect(release.map(outOfSync).filter((names) => names.length > 0)).toEqual([['ConfigMap/foo']]);
    expect(new Set(release.map(({ health }) => health))).toEqual(new Set(['Healthy', 'Progressing']));
    expect(await revisions(it)).toBe(2);

    const good = selfHeal.rounds.length;
    await argo.commit(...shop(way, { color: 'red', web: 'crash-loop' }));
    await it.rolloutIs(
      'it has rolled back',
      (status) => status.phase === 'Failed' && lineOf(status, 'web')?.state === 'Healthy',
    );
    const rolledBack = await selfHeal.shows(
      'the Application is Degraded',
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
    expect(rounds.slice(good).map(outOfSync).filter((names) => names.length > 0)).toEqual([['ConfigMap/foo']]);
  });

  test('a hundred syncs add no generation and no version', async () => {
    await using it = await installedStory(engine);
    await using _app = await SimulatedApp.start(it.client, it.namespace, obedientApp);
    await using argo = await ArgoCd.open(engine, it.namespace, settings);
    await installed(it, argo, way);
    const before = await generation(it);
    await argo.syncs(100);
    expect(await generation(it)).toBe(before);
    expect(isCalm(await argo.compares())).toBe(true);
    expect([...(await it.copies()).keys()]).toEqual(['1.0.0']);
    expect(await revisions(it)).toBe(1);
  });
});

test('the classic diff of a template needs ignoreDifferences: without it, self-heal syncs for ever and changes nothing', async () => {
  await using it = await installedStory(engine);
  await using _app = await SimulatedApp.start(it.client, it.namespace, obedientApp);
  await using argo = await ArgoCd.open(engine, it.namespace, { diff: 'classic' });
  await installed(it, argo, 'template');
  const before = await generation(it);
  expect(outOfSync(await argo.compares())).toEqual(['Deployment/web']);
  await argo.syncs(3);
  expect(outOfSync(await argo.compares())).toEqual(['Deployment/web']);
  expect(await generation(it)).toBe(before);
});

describe.each(['annotation', 'label'] as const)('with tracking by %s', (tracking) => {
  test.each(['template', 'admission'] as const)('pruning takes no version (%s)', async (way) => {
    await using it = await installedStory(engine);
    await using _app = await SimulatedApp.start(it.client, it.namespace, obedientApp);
    await using argo = await ArgoCd.open(engine, it.namespace, { diff: 'server-side', tracking });
    await installed(it, argo, way);
    await argo.commit(...shop(way, { color: 'green' }));
    await argo.syncs();
    const { status } = await settled(it, '1.0.1', ['web']);
    const report = await argo.compares();
    expect(outOfSync(report)).toEqual([]);
    const copies = [...(await it.copies()).values()].map(({ metadata }) => metadata.name);
    expect(copies).toHaveLength(2);
    const shownAsOrphaned = copies.filter((name) => report.orphaned.includes(`ConfigMap/${name}`));
    expect(shownAsOrphaned).toEqual([]);

    await argo.commit(web(way));
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
