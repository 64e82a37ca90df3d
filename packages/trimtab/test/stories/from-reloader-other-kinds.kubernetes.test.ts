import { events } from '@trimtab/kube/resource.ts';
import type { KubeObject } from '@trimtab/kube/wire.ts';
import { currentEngine } from '@trimtab/test-bed/engines/engine.ts';
import { annotated } from '@trimtab/test-bed/objects/build.ts';
import { configMap } from '@trimtab/test-bed/objects/config-map.ts';
import { cronJob, job } from '@trimtab/test-bed/objects/job.ts';
import { mountingConfigMap } from '@trimtab/test-bed/objects/pod-template.ts';
import { addKind } from '@trimtab/test-bed/objects/resources.ts';
import { applyObjects, removeObjects } from '@trimtab/test-bed/story/apply-objects.ts';
import { waitFor } from '@trimtab/test-bed/watching/wait-for.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { auto } from '../support/from-reloader-scene.ts';
import { installedStory } from '../support/installed-story.ts';
import type { ReleaseStory } from '../support/release-story.ts';

/** The local cluster has no Jobs. */

const engine = await currentEngine();
const rollouts = {
  group: 'argoproj.io',
  version: 'v1alpha1',
  kind: 'Rollout',
  plural: 'rollouts',
  namespaced: true,
};
addKind(rollouts);

/** The kind as Argo Rollouts installs it; of its fields, this test needs none. */
const definition: KubeObject & { spec: object } = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'rollouts.argoproj.io' },
  spec: {
    group: rollouts.group,
    scope: 'Namespaced',
    names: { kind: 'Rollout', listKind: 'RolloutList', plural: 'rollouts', singular: 'rollout' },
    versions: [
      {
        name: rollouts.version,
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
      },
    ],
  },
};

const rollout = (name: string): KubeObject => ({
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'Rollout',
  metadata: { name, annotations: auto },
});

beforeAll(async () => {
  const client = await engine.connect();
  await applyObjects(client, [definition]);
  await waitFor('Rollouts are served', async () => {
    const found = await client.list(rollouts, {}).then(
      () => true,
      () => false,
    );
    return found ? { met: true } : { seen: 'not served' };
  });
});
afterAll(async () => {
  await removeObjects(await engine.connect(), [definition]);
  await engine.close();
});

const withRights = () => installedStory(engine, ['--reloader-annotations'], { reloaderAnnotations: true });

const told = (it: ReleaseStory, kind: string, name: string, text: string) =>
  it.eventuallyEvent(
    `${kind} ${name} says that Reloader's annotation is ignored`,
    kind,
    name,
    ({ type, reason, message }) =>
      type === 'Warning' && reason === 'ReloaderAnnotationIgnored' && message.includes(text),
  );

test('an annotation of Reloader on a Job, a CronJob or an Argo Rollout is an Event that says what to do', async () => {
  await using it = await withRights();
  const mounts = mountingConfigMap('foo', '/etc/foo');
  await it.given.objects(
    configMap('foo', { color: 'blue' }),
    job('import', mounts, annotated(auto)),
    job('plain', mounts),
    job('ours', mounts, annotated({ ...auto, 'trimtab.dev/manage': 'false' })),
    { ...cronJob('nightly', job('night', mounts)), metadata: { name: 'nightly', annotations: auto } },
    rollout('web'),
  );
  const key = 'Annotation reloader.stakater.com/auto of Reloader is ignored: Trimtab does not';
  await told(it, 'Job', 'import', `${key} replace Jobs`);
  await told(it, 'CronJob', 'nightly', 'kubectl create job --from=cronjob/nightly');
  await told(it, 'Rollout', 'web', `${key} update Argo Rollouts`);

  // One that gets the annotation later is told of, too, and by then the others would have been.
  await it.when.kubectl('create', 'job', 'tonight', '--from=cronjob/nightly');
  await it.when.kubectl('annotate', 'job', 'plain', 'configmap.reloader.stakater.com/reload=foo');
  await told(it, 'Job', 'plain', 'configmap.reloader.stakater.com/reload');
  const { items } = await it.client.list<
    KubeObject & { reason: string; count?: number; involvedObject: { name: string } }
  >(events, { namespace: it.namespace });
  const ignored = items.filter(({ reason }) => reason === 'ReloaderAnnotationIgnored');
  expect(ignored.map(({ involvedObject }) => involvedObject.name).sort()).toEqual([
    'import',
    'nightly',
    'plain',
    'web',
  ]);
  expect(ignored.map(({ count }) => count)).toEqual([1, 1, 1, 1]);
});
