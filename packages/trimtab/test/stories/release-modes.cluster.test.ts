import { configMaps, deployments, pods } from '@trimtab/kube/resource.ts';
import { currentEngine } from '@trimtab/test-bed/engines/engine.ts';
import { kubectl } from '@trimtab/test-bed/engines/kubectl.ts';
import { annotated } from '@trimtab/test-bed/objects/build.ts';
import { type ConfigMap, configMap, withData } from '@trimtab/test-bed/objects/config-map.ts';
import { type Deployment, deployment } from '@trimtab/test-bed/objects/deployment.ts';
import { mountingConfigMap } from '@trimtab/test-bed/objects/pod-template.ts';
import { waitFor } from '@trimtab/test-bed/watching/wait-for.ts';
import { afterAll, expect, test } from 'vitest';
import { configRollouts } from '../../src/api/config-rollout.ts';
import { annotations, labels } from '../../src/api/names.ts';
import { contentHash } from '../../src/core/version/content-hash.ts';
import { version } from '../controller/installed-manifests.ts';
import { installedStory } from '../support/installed-story.ts';
import { managed } from '../support/managed.ts';
import { mountedConfigMap, ReleaseStory } from '../support/release-story.ts';
import { settled } from '../support/settled.ts';

const engine = await currentEngine();
afterAll(() => engine.close());

const web = () => deployment('web', mountingConfigMap('foo', '/etc/foo'), managed);
const released = (mode: string) => annotated({ [annotations.release]: mode });
const patchRollout = (it: ReleaseStory, spec: object) =>
  it.when.kubectl(
    'patch',
    'configrollout/configmap-foo',
    '--type=merge',
    `--patch=${JSON.stringify({ spec })}`,
  );
const quick = { strategy: { bakeSeconds: 0 } };
const becomesVersion = (it: ReleaseStory, name: string) =>
  waitFor(`version ${name} is made`, async () => {
    const names = [...(await it.copies()).keys()];
    return names.includes(name) ? { met: true } : { seen: names.join() };
  });
/** Waits until the controller has observed the edit and had the opportunity to act on it. */
const hasSeen = (it: ReleaseStory, name: string) =>
  waitFor(`the controller has seen the content of ${name}`, async () => {
    const seen = (await it.rollout()).status?.observed?.liveVersion;
    return seen === name ? { met: true } : { seen: `${seen}` };
  });
const generation = async (it: ReleaseStory) =>
  (await it.object<Deployment>(deployments, 'web')).metadata.generation;

test('manual: an edit becomes a version, and nothing moves until somebody asks for it', async () => {
  await using it = await installedStory(engine);
  await it.given.objects(configMap('foo', { color: 'blue' }, released('manual')), web());
  const first = await settled(it, '1.0.0', ['web']);
  expect(first.spec.release).toBe('Manual');
  await patchRollout(it, quick);
  const before = await generation(it);

  await it.when.edited(configMaps, 'foo', withData({ color: 'green' }));
  await becomesVersion(it, '1.0.1');
  await hasSeen(it, '1.0.1');
  const waiting = await it.rollout();
  expect(waiting.status).toMatchObject({ phase: 'Current', current: { version: '1.0.0' } });
  expect(waiting.status?.target).toBeUndefined();
  expect((await it.copies()).get('1.0.1')?.metadata.labels?.[labels.state]).toBe('not-current');
  expect(await generation(it)).toBe(before);

  await patchRollout(it, { version: '1.0.1' });
  const second = await settled(it, '1.0.1', ['web']);
  expect(mountedConfigMap(await it.object<Deployment>(deployments, 'web'))).toBe(
    second.status?.current?.object,
  );
  await it.when.edited(configMaps, 'foo', withData({ color: 'yellow' }));
  await hasSeen(it, '1.0.2');
  expect((await it.rollout()).spec.version, 'an edit does not take the wish back').toBe('1.0.1');
  expect((await it.rollout()).status).toMatchObject({ phase: 'Current', current: { version: '1.0.1' } });
});

test('the annotation seeds the mode once; from then on the spec owns it, and may be switched', async () => {
  await using it = await installedStory(engine);
  await it.given.objects(configMap('foo', { color: 'blue' }, released('manual')), web());
  await settled(it, '1.0.0', ['web']);
  await patchRollout(it, quick);
  await it.when.kubectl('annotate', 'configmap/foo', `${annotations.release}=auto`, '--overwrite');
  await it.when.edited(configMaps, 'foo', withData({ color: 'green' }));
  await hasSeen(it, '1.0.1');
  expect(await it.rollout()).toMatchObject({
    spec: { release: 'Manual' },
    status: { phase: 'Current', current: { version: '1.0.0' } },
  });

  // The pending version is released: in Auto, the live content is desired.
  await patchRollout(it, { release: 'Auto' });
  await settled(it, '1.0.1', ['web']);
  await it.when.edited(configMaps, 'foo', withData({ color: 'yellow' }));
  await settled(it, '1.0.2', ['web']);

  await patchRollout(it, { release: 'Manual', version: '1.0.0' });
  await settled(it, '1.0.0', ['web']);
  // A version set in spec.version stays current until the next edit, also in Auto.
  await patchRollout(it, { release: 'Auto' });
  const auto = await it.rolloutIs('Auto is seen', ({ observed }) => (observed?.generation ?? 0) >= 5);
  expect(auto.status).toMatchObject({ phase: 'Current', current: { version: '1.0.0' } });
  await it.when.edited(configMaps, 'foo', withData({ color: 'red' }));
  const { spec } = await settled(it, '1.0.3', ['web']);
  expect(spec.version).toBeUndefined();
});

test('locked: an edit of the data is refused and told what to do; versions come from elsewhere', async () => {
  await using it = await installedStory(engine);
  await it.given.objects(configMap('foo', { color: 'blue' }, released('locked')), web());
  const first = await settled(it, '1.0.0', ['web']);
  expect(first.spec.release).toBe('Locked');
  await patchRollout(it, quick);
  const { namespace } = it;
  const edit = (color: string, ...flags: string[]) =>
    kubectl(
      engine,
      ['patch', 'configmap', 'foo', '--type=merge', `--patch={"data":{"color":"${color}"}}`, ...flags],
      { namespace },
    );
  const refused = await waitFor('the lock works', async () => {
    const { code, stderr } = await edit('green', '--dry-run=server');
    return code === 0 ? { seen: 'admitted' } : { met: stderr };
  });
  expect(refused).toMatch(
    /ConfigMap 'foo' is locked by ConfigRollout 'configmap-foo': its data cannot be changed\. Create a version through the Trimtab API, or set spec\.release of the ConfigRollout to Auto or Manual/,
  );
  await it.when.kubectl('annotate', 'configmap/foo', 'note=mine');

  const data = { color: 'green' };
  const next = version('foo-by-hand', namespace, {
    rolloutUid: first.metadata.uid ?? '',
    annotations: {
      [annotations.version]: 'by hand',
      [annotations.contentHash]: contentHash({ data }),
      [annotations.sequence]: '2',
      [annotations.madeByHand]: 'true',
    },
  });
  await it.client.create<ConfigMap>(configMaps, { ...next, data });
  await patchRollout(it, { version: 'by hand' });
  await settled(it, 'by hand', ['web']);
  const followed = await it.eventually<ConfigMap>(
    'foo follows the current version',
    configMaps,
    'foo',
    (foo) => foo.data?.['color'] === 'green',
  );
  expect(followed.metadata.annotations).toMatchObject({ [annotations.version]: 'by hand', note: 'mine' });

  await patchRollout(it, { release: 'Auto' });
  await waitFor('the lock is off', async () => {
    const { code, stderr } = await edit('red');
    return code === 0 ? { met: true } : { seen: stderr };
  });
  const { spec } = (await it.eventually(
    'the edit is released',
    configRollouts,
    'configmap-foo',
    (rollout) => {
      const { status } = rollout as typeof first;
      return status?.phase === 'Current' && status.current?.version === '1.0.1';
    },
  )) as typeof first;
  expect(spec.version).toBeUndefined();
});

test('a status that somebody edited moves nothing in Manual, where no content says what is wanted', async () => {
  await using it = await ReleaseStory.start(engine);
  await it.given.objects(configMap('foo', { color: 'blue' }, released('manual')), web());
  await settled(it, '1.0.0', ['web']);
  await patchRollout(it, quick);
  await it.when.edited(configMaps, 'foo', withData({ color: 'green' }));
  await becomesVersion(it, '1.0.1');
  await patchRollout(it, { version: '1.0.1' });
  await settled(it, '1.0.1', ['web']);
  await patchRollout(it, { version: null });
  await it.rolloutIs('the wish is done', ({ observed }) => observed?.specVersion === undefined);
  const { status: before } = await settled(it, '1.0.1', ['web']);
  const listed = async () =>
    (await it.client.list(pods, { namespace: it.namespace })).items.map(({ metadata }) => metadata.uid);
  const [podsBefore, generationBefore] = [await listed(), await generation(it)];

  const copies = await it.copies();
  const said = (name: string) => ({
    version: name,
    object: copies.get(name)?.metadata.name ?? '',
  });
  const since = '2000-01-01T00:00:00Z';
  const underWay = { activation: 'forged-1', members: ['ConfigMap/foo'], startedAt: since };
  const lies = {
    'another version is current': { current: { ...said('1.0.0'), since } },
    'another version is on its way': { phase: 'BeingCurrent', target: { ...said('1.0.0'), ...underWay } },
    'what is current is being rolled back': {
      phase: 'RollingBack',
      current: { ...said('1.0.0'), since },
      target: { ...said('1.0.1'), ...underWay },
    },
  };
  for (const [what, status] of Object.entries(lies)) {
    await it.client.patch(
      configRollouts,
      { namespace: it.namespace, name: 'configmap-foo' },
      { type: 'merge', body: { status } },
      { subresource: 'status' },
    );
    const mended = await settled(it, '1.0.1', ['web']);
    expect(mended.status?.current?.object, what).toBe(before?.current?.object);
    expect(await generation(it), what).toBe(generationBefore);
    expect(await listed(), what).toEqual(podsBefore);
    expect((await it.copies()).get('1.0.1')?.metadata.labels?.[labels.state], what).toBe('current');
  }
});
