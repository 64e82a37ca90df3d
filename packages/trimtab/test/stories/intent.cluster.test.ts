import { configMaps, deployments } from '@trimtab/kube/resource.ts';
import { currentEngine } from '@trimtab/test-bed/engines/engine.ts';
import { startKubectl } from '@trimtab/test-bed/engines/kubectl.ts';
import { type ConfigMap, configMap } from '@trimtab/test-bed/objects/config-map.ts';
import { type Deployment, deployment } from '@trimtab/test-bed/objects/deployment.ts';
import { mountingConfigMap } from '@trimtab/test-bed/objects/pod-template.ts';
import { waitFor } from '@trimtab/test-bed/watching/wait-for.ts';
import { afterAll, expect, test } from 'vitest';
import { labels } from '../../src/api/names.ts';
import { managed } from '../support/managed.ts';
import { obedientApp } from '../support/obedient-app.ts';
import { mountedConfigMap, ReleaseStory } from '../support/release-story.ts';
import { conditionOf, lineOf, settled } from '../support/settled.ts';
import { runningTheApp, SimulatedApp } from '../support/simulated-app.ts';

const engine = await currentEngine();
afterAll(() => engine.close());

const web = () => deployment('web', mountingConfigMap('foo', '/etc/foo'), managed, runningTheApp);
const edit = (release: ReleaseStory, data: Record<string, string>) =>
  release.when.edited<ConfigMap>(configMaps, 'foo', (foo) => {
    foo.data = data;
  });
const askFor = (release: ReleaseStory, version: string) =>
  release.when.kubectl(
    'patch',
    'configrollout/configmap-foo',
    '--type=merge',
    `--patch={"spec":{"version":${JSON.stringify(version)}}}`,
  );
const mountedByWeb = async ({ client, namespace }: ReleaseStory) =>
  mountedConfigMap(await client.get<Deployment>(deployments, { namespace, name: 'web' }));

test('a person names an older version, and the next edit takes over', async () => {
  await using release = await ReleaseStory.start(engine);
  await using _app = await SimulatedApp.start(release.client, release.namespace, obedientApp);
  await release.shortBake(['foo']);
  await release.given.objects(configMap('foo', { color: 'blue' }), web());
  const first = await settled(release, '1.0.0', ['web']);
  await edit(release, { color: 'green' });
  await settled(release, '1.0.1', ['web']);

  await askFor(release, '1.0.0');
  const back = await settled(release, '1.0.0', ['web']);
  expect(back.status?.current?.object).toBe(first.status?.current?.object);
  expect(await mountedByWeb(release)).toBe(first.status?.current?.object);
  expect(back.status?.history?.[0]).toMatchObject({ version: '1.0.0', result: 'Current' });
  const foo = await release.client.get<ConfigMap>(configMaps, { namespace: release.namespace, name: 'foo' });
  expect(foo.data, 'foo is what the user wrote').toEqual({ color: 'green' });

  await edit(release, { color: 'red' });
  const taken = await settled(release, '1.0.2', ['web']);
  expect(taken.spec.version).toBeUndefined();
  expect([...(await release.copies()).keys()].sort()).toEqual(['1.0.0', '1.0.1', '1.0.2']);
});

test('a named version that fails is rolled back like any other, and tried again when a person asks again', async () => {
  await using release = await ReleaseStory.start(engine);
  await using app = await SimulatedApp.start(release.client, release.namespace, obedientApp);
  await release.shortBake(['foo']);
  await release.given.objects(configMap('foo', { color: 'blue' }), web());
  await settled(release, '1.0.0', ['web']);
  await edit(release, { color: 'green' });
  await settled(release, '1.0.1', ['web']);

  await app.becomes(({ color }) => (color === 'blue' ? 'crash-loop' : 'works'));
  await askFor(release, '1.0.0');
  const failed = await release.rolloutIs(
    '1.0.0 is rolled back',
    ({ phase, target }) => phase === 'Failed' && target === undefined,
  );
  expect(failed.status?.current?.version).toBe('1.0.1');
  expect(conditionOf(failed, 'Degraded')).toMatchObject({ status: 'True', reason: 'Rejected' });

  await app.becomes(() => 'works');
  await release.when.kubectl(
    'patch',
    'configrollout/configmap-foo',
    '--type=merge',
    '--patch={"spec":{"version":null}}',
  );
  await release.rolloutIs('the wish is taken back', ({ observed }) => observed?.specVersion === undefined);
  await askFor(release, '1.0.0');
  await settled(release, '1.0.0', ['web']);
});

test('a newer target in mid-rollout supersedes, without going back first', async () => {
  await using release = await ReleaseStory.start(engine);
  await using _app = await SimulatedApp.start(release.client, release.namespace, obedientApp);
  await release.shortBake(['foo']);
  await release.given.objects(configMap('foo', { color: 'blue' }), web());
  const { status: before } = await settled(release, '1.0.0', ['web']);

  await edit(release, { color: 'green', pods: 'starts' });
  const first = await release.rolloutIs(
    '1.0.1 is under way',
    (status) => status.target?.version === '1.0.1' && lineOf(status, 'web')?.updated === 1,
  );
  await edit(release, { color: 'red' });
  const second = await release.rolloutIs(
    '1.0.2 is under way instead',
    ({ target }) => target?.version === '1.0.2',
  );
  expect(second.status?.target?.activation).not.toBe(first.status?.target?.activation);
  expect(second.status?.current).toEqual(before?.current);
  const done = await settled(release, '1.0.2', ['web']);
  expect(done.status?.history?.map(({ version, result }) => [version, result])).toEqual([
    ['1.0.2', 'Current'],
    ['1.0.1', 'Superseded'],
  ]);
  const superseded = (await release.copies()).get('1.0.1');
  expect(superseded?.metadata.labels?.[labels.state]).toBe('not-current');
});

test('`kubectl get configrollouts -w` shows how a version becomes current', async () => {
  await using release = await ReleaseStory.start(engine);
  await using app = await SimulatedApp.start(release.client, release.namespace, obedientApp);
  await release.shortBake(['foo']);
  await release.given.objects(configMap('foo', { color: 'blue' }), web());
  await settled(release, '1.0.0', ['web']);
  const watch = startKubectl(engine, ['get', 'configrollouts', '--watch'], { namespace: release.namespace });
  try {
    const shows = (what: string, line: RegExp) =>
      waitFor(`kubectl shows ${what}`, async () =>
        watch
          .stdout()
          .split('\n')
          .some((it) => line.test(it))
          ? { met: true }
          : { seen: watch.stdout() },
      );
    await shows('1.0.0 at rest', /^configmap-foo\s+foo\s+1\.0\.0\s+True\s+1\/1\s+\d+s$/);
    await edit(release, { color: 'green', pods: 'starts' });
    await shows('1.0.1 being current', /^configmap-foo\s+foo\s+1\.0\.0\s+1\.0\.1\s+False\s+[01]\/1\s+\d+s$/);
    expect((await release.copies()).get('1.0.1')?.metadata.labels).toHaveProperty([labels.inUse], 'true');
    await app.becomes(() => 'works');
    await shows('1.0.1 at rest', /^configmap-foo\s+foo\s+1\.0\.1\s+True\s+1\/1\s+\d+s$/);
    expect(watch.stdout().split('\n')[0]?.trim().split(/\s+/)).toEqual([
      'NAME',
      'CONFIG',
      'CURRENT',
      'TARGET',
      'READY',
      'UPDATED',
      'AGE',
    ]);
  } finally {
    watch.stop();
  }
});
