import { configMaps, deployments, events, replicaSets } from '@trimtab/kube/resource.ts';
import type { KubeObject } from '@trimtab/kube/wire.ts';
import { currentEngine } from '@trimtab/test-bed/engines/engine.ts';
import { annotated } from '@trimtab/test-bed/objects/build.ts';
import { configMap, withData } from '@trimtab/test-bed/objects/config-map.ts';
import { type Deployment, deployment } from '@trimtab/test-bed/objects/deployment.ts';
import { envFromSecret, mountingConfigMap } from '@trimtab/test-bed/objects/pod-template.ts';
import { secret } from '@trimtab/test-bed/objects/secret.ts';
import { afterAll, expect, test } from 'vitest';
import { type ConfigRollout, configRollouts } from '../../src/api/config-rollout.ts';
import { annotations } from '../../src/api/names.ts';
import { managedWorkloads } from '../../src/core/workload/managed-workloads.ts';
import { installedStory } from '../support/installed-story.ts';
import { mountedConfigMap, ReleaseStory } from '../support/release-story.ts';
import { lineOf, settled } from '../support/settled.ts';

const engine = await currentEngine();
afterAll(() => engine.close());

const listing = (list: string) => annotated({ [annotations.manage]: list });
const web = (list: string) =>
  deployment('web', mountingConfigMap('foo', '/etc/foo'), envFromSecret('key'), listing(list));
const secretOf = ({ spec }: Deployment) => spec.template.spec.containers[0]?.envFrom?.[0]?.secretRef?.name;

async function manages(it: ReleaseStory, list: string): Promise<void> {
  await it.when.kubectl('annotate', 'deployment/web', `${annotations.manage}=${list}`, '--overwrite');
}

async function releasedBoth(it: ReleaseStory): Promise<Deployment> {
  await it.shortBake(['foo', 'secret/key'], { bakeSeconds: 0 });
  await it.given.objects(configMap('foo', { color: 'blue' }), secret('key', { token: 'a' }));
  await it.when.applied(web('foo,secret/key'));
  await settled(it, '1.0.0', ['web']);
  await settled(it, '1.0.0', ['web'], 'secret-key');
  await it.when.kubectl('rollout', 'status', 'deployment/web');
  return it.object<Deployment>(deployments, 'web');
}

test.each([
  [
    'annotated, with the controller alone',
    () => ReleaseStory.start(engine),
    (it: ReleaseStory) => manages(it, 'foo'),
  ],
  [
    'applied, with the webhook',
    () => installedStory(engine),
    (it: ReleaseStory) => it.when.applied(web('foo')),
  ],
])(
  'a name that is dropped from the list opts out that config alone, in one rolling update: %s',
  async (_, start, drop) => {
    await using it = await start();
    const before = await releasedBoth(it);
    const sets = (await it.client.list(replicaSets, { namespace: it.namespace })).items.length;
    await drop(it);
    const after = await it.eventually<Deployment>(
      'web reads key itself',
      deployments,
      'web',
      (now) => secretOf(now) === 'key',
    );
    expect(mountedConfigMap(after)).toBe(mountedConfigMap(before));
    await it.eventually(
      'key is managed for nobody',
      configRollouts,
      'secret-key',
      (rollout: ConfigRollout) => managedWorkloads(rollout).length === 0,
    );
    await it.when.kubectl('rollout', 'status', 'deployment/web');
    expect((await it.client.list(replicaSets, { namespace: it.namespace })).items).toHaveLength(sets + 1);

    await it.when.kubectl('patch', 'secret/key', '--type=merge', '--patch={"stringData":{"token":"b"}}');
    await it.isCurrent('1.0.1', 'secret-key');
    await it.when.edited(configMaps, 'foo', withData({ color: 'green' }));
    const { status } = await settled(it, '1.0.1', ['web']);
    expect(lineOf(status, 'web')?.state).toBe('Healthy');
    expect(secretOf(await it.object<Deployment>(deployments, 'web'))).toBe('key');

    await manages(it, 'foo,secret/key');
    await settled(it, '1.0.1', ['web'], 'secret-key');
  },
);

test('a typo in the list is told once, and changes nothing', async () => {
  await using it = await ReleaseStory.start(engine);
  const before = await releasedBoth(it);
  const told = async () => {
    const { namespace } = it;
    const { items } = await it.client.list<KubeObject & { reason: string; message: string; count: number }>(
      events,
      { namespace },
    );
    return items.flatMap(({ reason, message, count }) =>
      reason === 'InvalidAnnotation' ? [{ message, count }] : [],
    );
  };
  await manages(it, 'foo;secret/key');
  await it.eventuallyEvent(
    'the typo is told',
    'Deployment',
    'web',
    ({ type, reason, message }) =>
      type === 'Warning' && reason === 'InvalidAnnotation' && message.includes('"foo;secret/key"'),
  );
  await it.when.kubectl('annotate', 'deployment/web', 'note=again');
  await it.when.edited(configMaps, 'foo', withData({ color: 'green' }));
  await settled(it, '1.0.1', ['web']);
  expect(secretOf(await it.object<Deployment>(deployments, 'web'))).toBe(secretOf(before));
  expect(await told()).toEqual([{ message: expect.stringContaining('"foo;secret/key"'), count: 1 }]);

  await manages(it, 'foo secret/key');
  await it.eventuallyEvent('another typo is told', 'Deployment', 'web', ({ message }) =>
    message.includes('"foo secret/key"'),
  );
  expect(await told()).toHaveLength(2);

  await manages(it, 'foo,secret/kex');
  await it.eventuallyEvent(
    'a name that the template does not reference is told',
    'Deployment',
    'web',
    ({ type, reason, message }) =>
      type === 'Warning' && reason === 'InvalidAnnotation' && message.includes('Secret kex, which'),
  );
});
