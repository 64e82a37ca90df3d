import { configMaps, deployments, resourceQuotas } from '@trimtab/kube/resource.ts';
import { currentEngine } from '@trimtab/test-bed/engines/engine.ts';
import { UpdateDenial } from '@trimtab/test-bed/engines/update-denial.ts';
import { configMap, withData } from '@trimtab/test-bed/objects/config-map.ts';
import { type Deployment, deployment } from '@trimtab/test-bed/objects/deployment.ts';
import { mountingConfigMap } from '@trimtab/test-bed/objects/pod-template.ts';
import { type ResourceQuota, resourceQuota } from '@trimtab/test-bed/objects/resource-quota.ts';
import { afterAll, expect, test } from 'vitest';
import { annotations } from '../../src/api/names.ts';
import { managed } from '../support/managed.ts';
import { mountedBy, podsRun } from '../support/mounted-versions.ts';
import { usualWay } from '../support/reference-ways.ts';
import { mountedConfigMap, ReleaseStory } from '../support/release-story.ts';
import { conditionOf, settled } from '../support/settled.ts';

const engine = await currentEngine();
afterAll(() => engine.close());

const web = () => deployment('web', mountingConfigMap('foo', '/etc/foo'), managed);
const degraded = (it: ReleaseStory, reason: string) =>
  it.rolloutIs(
    `its condition says ${reason}`,
    ({ conditions }) =>
      conditions?.some(
        (each) => each.type === 'Degraded' && each.status === 'True' && each.reason === reason,
      ) === true,
  );
const warned = (it: ReleaseStory, kind: string, name: string, reason: string) =>
  it.eventuallyEvent(
    `an event of ${kind} ${name} says ${reason}`,
    kind,
    name,
    (news) => news.type === 'Warning' && news.reason === reason,
  );
const frozen = ({ namespace }: ReleaseStory, name: string) =>
  UpdateDenial.impose(engine, deployments, { namespace, name });

/** No ConfigMap can be created, so no version either. */
async function noRoom(it: ReleaseStory): Promise<void> {
  const { items } = await it.client.list(configMaps, { namespace: it.namespace });
  const used = `${items.length}`;
  await it.given.object(resourceQuota('full', { 'count/configmaps': used }));
  await it.eventually<ResourceQuota>(
    'the quota is exhausted',
    resourceQuotas,
    'full',
    ({ status }) => status?.used?.['count/configmaps'] === used,
  );
}

const roomAgain = (it: ReleaseStory) => it.when.kubectl('delete', 'resourcequota/full');
const names = (it: ReleaseStory, version: string) =>
  it.when.kubectl(
    'patch',
    'configrollout/configmap-foo',
    '--type=merge',
    `--patch={"spec":{"version":"${version}"}}`,
  );

test('a version that a quota refuses is told, nothing moves, and it is made when there is room', async () => {
  await using it = await ReleaseStory.start(engine);
  await it.shortBake(['foo']);
  await it.given.objects(configMap('foo', { color: 'blue' }), web());
  const { status: before } = await settled(it, '1.0.0', ['web']);
  await noRoom(it);

  const { metadata } = await it.when.edited(configMaps, 'foo', withData({ color: 'green' }));
  const refused = await degraded(it, 'VersionRefused');
  expect(refused.status?.observed?.liveResourceVersion, 'nobody waits for it in vain').toBe(
    metadata.resourceVersion,
  );
  expect(conditionOf(refused, 'Stalled')?.status).toBe('True');
  expect(conditionOf(refused, 'Ready')?.status).toBe('False');
  expect(conditionOf(refused, 'Degraded')?.message).toContain('exceeded quota');
  expect(refused.status?.current).toEqual(before?.current);
  await warned(it, 'ConfigRollout', 'configmap-foo', 'VersionRefused');
  await warned(it, 'ConfigMap', 'foo', 'VersionRefused');
  expect(await mountedBy(it, 'web')).toBe(before?.current?.object);

  await roomAgain(it);
  const after = await settled(it, '1.0.1', ['web']);
  expect(conditionOf(after, 'Degraded')?.status).toBe('False');
  await podsRun(it, 'web', after.status?.current?.object);
});

test('a version that a person names while an edit is refused stays wanted, until the next edit', async () => {
  await using it = await ReleaseStory.start(engine);
  await it.shortBake(['foo']);
  await it.given.objects(configMap('foo', { color: 'blue' }), web());
  await settled(it, '1.0.0', ['web']);
  await it.when.edited(configMaps, 'foo', withData({ color: 'green' }));
  await settled(it, '1.0.1', ['web']);
  await noRoom(it);
  await it.when.edited(configMaps, 'foo', withData({ color: 'red' }));
  await degraded(it, 'VersionRefused');
  await names(it, '1.0.0');
  const back = await it.isCurrent('1.0.0');
  expect(back.status?.observed?.liveVersion, 'the edit has no version').toBe('');

  await roomAgain(it);
  const { status, spec } = await it.rolloutIs(
    'it has one',
    ({ observed }) => observed?.liveVersion === '1.0.2',
  );
  expect(status).toMatchObject({ phase: 'Current', current: { version: '1.0.0' } });
  expect(spec.version).toBe('1.0.0');
  await it.when.edited(configMaps, 'foo', withData({ color: 'yellow' }));
  expect((await settled(it, '1.0.3', ['web'])).spec.version).toBeUndefined();
});

test('an edit that is refused takes over from a version that a person had named, when there is room', async () => {
  await using it = await ReleaseStory.start(engine);
  await it.shortBake(['foo']);
  await it.given.objects(configMap('foo', { color: 'blue' }), web());
  await settled(it, '1.0.0', ['web']);
  await it.when.edited(configMaps, 'foo', withData({ color: 'green' }));
  await settled(it, '1.0.1', ['web']);
  await names(it, '1.0.0');
  await settled(it, '1.0.0', ['web']);
  await noRoom(it);
  await it.when.edited(configMaps, 'foo', withData({ color: 'red' }));
  const refused = await degraded(it, 'VersionRefused');
  expect(refused.status?.observed?.liveVersion).toBe('1.0.1');

  await roomAgain(it);
  expect((await settled(it, '1.0.2', ['web'])).spec.version).toBeUndefined();
});

test('a move that is denied is no failed rollback: it is told as denied, and made when it is allowed', async () => {
  await using it = await ReleaseStory.start(engine);
  await it.shortBake(['foo']);
  await it.given.objects(configMap('foo', { color: 'blue' }), web());
  const { status: before } = await settled(it, '1.0.0', ['web']);
  await using ban = await frozen(it, 'web');

  await it.when.edited(configMaps, 'foo', withData({ color: 'green' }));
  const denied = await degraded(it, 'UpdateDenied');
  expect(denied.status).toMatchObject({ phase: 'BeingCurrent', target: { version: '1.0.1' } });
  expect(conditionOf(denied, 'Degraded')?.message).toMatch(/Deployment web.*denied by the test/);
  expect(conditionOf(denied, 'Ready')?.status).toBe('False');
  expect(denied.status?.current).toEqual(before?.current);
  await warned(it, 'ConfigRollout', 'configmap-foo', 'UpdateDenied');

  await ban.lift();
  const { status } = await settled(it, '1.0.1', ['web']);
  await podsRun(it, 'web', status?.current?.object);
});

test('a repair that is denied is told, and made when it is allowed', async () => {
  await using it = await ReleaseStory.start(engine);
  await it.shortBake(['foo']);
  await it.when.applied(configMap('foo', { color: 'blue' }), web());
  const { status: before } = await settled(it, '1.0.0', ['web']);
  // The manifest is applied again while the controller is down, and policies are stricter when it is back.
  await it.controller.stop();
  await it.when.applied(web());
  // Where admission writes the versions, an applied manifest takes nothing away, but a replaced one does.
  if (usualWay === 'admission')
    await it.client.patch(
      deployments,
      { namespace: it.namespace, name: 'web' },
      {
        type: 'merge',
        body: { spec: { template: { metadata: { annotations: { [annotations.versions]: null } } } } },
      },
    );
  await using ban = await frozen(it, 'web');
  await it.controllerRestarts();

  const denied = await degraded(it, 'UpdateDenied');
  expect(conditionOf(denied, 'Degraded')?.message).toMatch(/Deployment web.*denied by the test/);
  expect(conditionOf(denied, 'Ready')?.status).toBe('False');
  expect(denied.status?.current).toEqual(before?.current);
  expect(await mountedBy(it, 'web')).toBe('foo');

  await ban.lift();
  await it.eventually<Deployment>(
    'web has its copy again',
    deployments,
    'web',
    (now) => mountedConfigMap(now) === before?.current?.object,
  );
  const after = await settled(it, '1.0.0', ['web']);
  expect(conditionOf(after, 'Degraded')?.status).toBe('False');
});
