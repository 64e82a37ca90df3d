import { deployments } from '@trimtab/kube/resource.ts';
import { currentEngine } from '@trimtab/test-bed/engines/engine.ts';
import { annotated } from '@trimtab/test-bed/objects/build.ts';
import { deployment } from '@trimtab/test-bed/objects/deployment.ts';
import { mountingConfigMap } from '@trimtab/test-bed/objects/pod-template.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { annotations } from '../../src/api/names.ts';
import type { ActivationPlan } from '../../src/view/activation-plan.ts';
import { inWave, managed } from '../support/managed.ts';
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

async function healthy(config: string, count: number): Promise<void> {
  await scene.story.rolloutIs(
    `${count} workloads of ${config} are at rest`,
    ({ workloads = [] }) =>
      workloads.length === count && workloads.every(({ state }) => ['Healthy', 'Pinned'].includes(state)),
    `configmap-${config}`,
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
    deployment(
      'pinned',
      mounting,
      managed,
      annotated({ [annotations.pin]: JSON.stringify({ 'ConfigMap/foo': object }) }),
    ),
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
