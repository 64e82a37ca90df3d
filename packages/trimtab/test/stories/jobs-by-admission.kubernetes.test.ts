import { configMaps, jobs, pods } from '@trimtab/kube/resource.ts';
import type { KubeObject } from '@trimtab/kube/wire.ts';
import { currentEngine } from '@trimtab/test-bed/engines/engine.ts';
import type { Mod } from '@trimtab/test-bed/objects/build.ts';
import { configMap, withData } from '@trimtab/test-bed/objects/config-map.ts';
import { deployment } from '@trimtab/test-bed/objects/deployment.ts';
import { cronJob, type Job, job } from '@trimtab/test-bed/objects/job.ts';
import {
  envFromConfigMap,
  envFromKey,
  mountingConfigMap,
  mountingSecret,
} from '@trimtab/test-bed/objects/pod-template.ts';
import { secret } from '@trimtab/test-bed/objects/secret.ts';
import { applyObjects, removeObjects } from '@trimtab/test-bed/story/apply-objects.ts';
import { afterAll, describe, expect, test } from 'vitest';
import { annotations } from '../../src/api/names.ts';
import { installation } from '../../src/controller/manifests/installation.ts';
import { podPolicies } from '../../src/controller/manifests/pod-policies.ts';
import { findReferences } from '../../src/core/references/references.ts';
import { podsAreRefused } from '../support/assigned-pod.ts';
import { managed } from '../support/managed.ts';
import { mountedByPod, type Pod } from '../support/mounted-versions.ts';
import { podsAreRewritten } from '../support/reference-ways.ts';
import { type Preparation, ReleaseStory } from '../support/release-story.ts';
import { settled } from '../support/settled.ts';

/** The local cluster has no Jobs. */

const engine = await currentEngine();
afterAll(() => engine.close());

const rewritingPods: Preparation = async (namespace) => ({
  options: { flags: ['--mutating-policies'] },
  undo: await podsAreRewritten(engine, namespace),
});

/** The author of a Job chooses versions for its pods. */
const assigned =
  (versions: string): Mod<Job> =>
  ({ spec: { template } }) => {
    template.metadata.annotations = { [annotations.versions]: versions };
  };

/** References of each kind that a pod template can have. */
const references = [
  mountingConfigMap('foo', '/etc/foo'),
  mountingSecret('bar', '/etc/bar'),
  envFromConfigMap('foo'),
  envFromKey('COLOR', 'foo', 'color'),
] as const;

/** A workload that has released `foo` twice, and the names of its versions. */
async function releasedTwice(it: ReleaseStory) {
  await it.shortBake(['foo', 'secret/bar'], { bakeSeconds: 0 });
  await it.given.objects(
    configMap('foo', { color: 'blue' }),
    secret('bar', { token: 'a' }),
    deployment('web', mountingConfigMap('foo', '/etc/foo'), mountingSecret('bar', '/etc/bar'), managed),
  );
  const blue = (await settled(it, '1.0.0', ['web'])).status?.current?.object ?? '';
  const token = (await settled(it, '1.0.0', ['web'], 'secret-bar')).status?.current?.object ?? '';
  await it.when.edited(configMaps, 'foo', withData({ color: 'green' }));
  await settled(it, '1.0.1', ['web']);
  return { blue, token };
}

const podsOf = (it: ReleaseStory, name: string) =>
  it.eventuallyAll<Pod>(`${name} has a pod`, pods, (all) => all.length === 1, `app=${name}`);

describe('where a policy writes versions into pods', () => {
  test('a Job gets the versions that its author assigns, and reads the live config without', async () => {
    await using it = await ReleaseStory.start(engine, rewritingPods);
    const { blue, token } = await releasedTwice(it);
    const versions = assigned(`configmap/foo=${blue},secret/bar=${token}`);
    await it.given.objects(job('import', ...references, versions), job('report', ...references));

    const [importer] = await podsOf(it, 'import');
    const names = (pod: Pod | undefined) => findReferences(pod as KubeObject).map(({ name }) => name);
    expect(names(importer).filter((name) => name !== 'kube-root-ca.crt')).toEqual([blue, token, blue, blue]);
    const { spec } = await it.object<Job>(jobs, 'import');
    expect(
      findReferences(spec.template).map(({ name }) => name),
      'the Job stays as it was written',
    ).toEqual(['foo', 'bar', 'foo', 'foo']);
    const [reporter] = await podsOf(it, 'report');
    expect(mountedByPod(reporter as Pod)).toBe('foo');
  });

  test('a Job of a CronJob gets the versions that the CronJob assigns', async () => {
    await using it = await ReleaseStory.start(engine, rewritingPods);
    const { blue, token } = await releasedTwice(it);
    const versions = assigned(`configmap/foo=${blue},secret/bar=${token}`);
    await it.given.objects(cronJob('nightly', job('night', ...references, versions)));
    await it.when.kubectl('create', 'job', 'tonight', '--from=cronjob/nightly');
    const [pod] = await podsOf(it, 'night');
    expect(pod?.metadata.ownerReferences).toMatchObject([{ kind: 'Job', name: 'tonight' }]);
    expect(mountedByPod(pod as Pod)).toBe(blue);
  });
});

test('a Job whose versions nothing writes into its pods gets no pod, and an Event says why; it goes on when the policy is back', async () => {
  await using it = await ReleaseStory.start(engine, rewritingPods);
  const { blue } = await releasedTwice(it);
  const policies = podPolicies(installation({ namespaces: [it.namespace] }));
  await removeObjects(it.client, policies);
  await podsAreRefused(it, blue);
  await it.given.objects(
    job('import', mountingConfigMap('foo', '/etc/foo'), assigned(`configmap/foo=${blue}`)),
    job('typo', mountingConfigMap('foo', '/etc/foo'), assigned('foo:1.0.0')),
  );
  const { prefix } = installation({ namespaces: [it.namespace] });
  const { message } = await it.eventuallyEvent(
    'the Job says why',
    'Job',
    'import',
    ({ reason }) => reason === 'FailedCreate',
  );
  expect(message).toContain(
    `annotation trimtab.dev/versions assigns versions to this pod, and nothing has written them into it: the policy or webhook ${prefix}-pod-references is missing; apply the output of 'trimtab manifests' again`,
  );
  const typo = await it.eventuallyEvent(
    'the other Job says why',
    'Job',
    'typo',
    ({ reason }) => reason === 'FailedCreate',
  );
  expect(typo.message).toContain('annotation trimtab.dev/versions of the pod is not valid');
  const { items } = await it.client.list(pods, {
    namespace: it.namespace,
    labelSelector: 'app in (import, typo)',
  });
  expect(items).toEqual([]);

  await applyObjects(it.client, policies);
  const [pod] = await podsOf(it, 'import');
  expect(mountedByPod(pod as Pod)).toBe(blue);
});
