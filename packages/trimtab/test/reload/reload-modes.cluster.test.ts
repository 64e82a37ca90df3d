import { configMaps, daemonSets, deployments, pods, statefulSets } from '@trimtab/kube/resource.ts';
import { currentEngine } from '@trimtab/test-bed/engines/engine.ts';
import { annotated } from '@trimtab/test-bed/objects/build.ts';
import { configMap, withData } from '@trimtab/test-bed/objects/config-map.ts';
import { daemonSet } from '@trimtab/test-bed/objects/daemon-set.ts';
import { type Deployment, deployment, withReplicas } from '@trimtab/test-bed/objects/deployment.ts';
import { envFromConfigMap, mountingConfigMap } from '@trimtab/test-bed/objects/pod-template.ts';
import { statefulSet } from '@trimtab/test-bed/objects/stateful-set.ts';
import { waitFor } from '@trimtab/test-bed/watching/wait-for.ts';
import { afterAll, expect, test } from 'vitest';
import { annotations, labels } from '../../src/api/names.ts';
import { refusalOf } from '../controller/installed-manifests.ts';
import { managed } from '../support/managed.ts';
import { mountedConfigMap } from '../support/release-story.ts';
import { conditionOf, lineOf, settled } from '../support/settled.ts';
import { ReloadStory, reloaded } from './support/reload-story.ts';

const engine = await currentEngine();
afterAll(() => engine.close());

const mountsFoo = mountingConfigMap('foo', '/etc/foo');

/** Waits until all pods of an app have an agent, or none of them has. */
async function agentsIn(story: ReloadStory, app: string, count: number): Promise<void> {
  await waitFor(`${count} pods of ${app} have an agent`, async () => {
    const all = await story.pods(app);
    const injected = all.filter(({ metadata }) => metadata.labels?.[labels.injected] === 'true');
    return injected.length === count && (count === 0 || all.length === count)
      ? { met: true }
      : { seen: `${injected.length} of ${all.length}` };
  });
}

/** Changes annotations of the Deployment `web`; null removes one. */
const annotate = ({ it }: ReloadStory, changes: Record<string, string | null>) =>
  it.annotates(deployments, 'web', changes);

test('a workload changes from new pods to reloads, and back', async () => {
  await using story = await ReloadStory.start(engine);
  const { it } = story;
  await it.shortBake(['foo'], { bakeSeconds: 0 });
  await it.given.objects(configMap('foo', { color: 'blue' }), deployment('web', mountsFoo, managed));
  await settled(it, '1.0.0', ['web']);
  await agentsIn(story, 'web', 0);

  await annotate(story, { [annotations.restart]: 'false' });
  await agentsIn(story, 'web', 1);
  await it.rolloutIs('web is reloaded', (status) => {
    const line = lineOf(status, 'web');
    return line?.mode === 'Reload' && line.state === 'Healthy' && line.updated === 1;
  });
  const [pod] = await story.pods('web');
  await it.when.edited(configMaps, 'foo', withData({ color: 'green' }));
  await settled(it, '1.0.1', ['web']);
  expect((await story.pods('web'))[0]?.metadata.uid).toBe(pod?.metadata.uid);

  await annotate(story, { [annotations.restart]: null });
  await agentsIn(story, 'web', 0);
  const { status } = await settled(it, '1.0.1', ['web']);
  const web = await it.object<Deployment>(deployments, 'web');
  expect(mountedConfigMap(web)).toBe(status?.current?.object);
  expect(web.spec.template.metadata.annotations?.[annotations.copied]).toBeUndefined();
  expect(web.metadata.annotations?.[annotations.versions]).toBeUndefined();
});

test('opting out gives the original pods back', async () => {
  await using story = await ReloadStory.startWeb(engine);
  const { it } = story;
  await annotate(story, { [annotations.manage]: 'false' });
  await agentsIn(story, 'web', 0);
  const web = await it.eventually<Deployment>('nothing of Trimtab is left', deployments, 'web', (now) => {
    return now.metadata.labels?.[labels.assigned] === undefined && now.status?.readyReplicas === 1;
  });
  expect(mountedConfigMap(web)).toBe('foo');
  expect(web.metadata.annotations).not.toHaveProperty([annotations.versions]);
});

test('a manifest that is applied again changes nothing', async () => {
  await using story = await ReloadStory.start(engine);
  const { it } = story;
  await it.shortBake(['foo'], { bakeSeconds: 0 });
  await it.given.objects(configMap('foo', { color: 'blue' }));
  const web = deployment('web', mountsFoo, managed, reloaded);
  web.metadata.namespace = it.namespace;
  const apply = () => it.when.applied(web);
  await apply();
  await settled(it, '1.0.0', ['web']);
  const [pod] = await story.pods('web');
  await it.when.edited(configMaps, 'foo', withData({ color: 'green' }));
  await settled(it, '1.0.1', ['web']);
  await apply();
  await it.controllerRestarts();
  await settled(it, '1.0.1', ['web']);
  expect((await story.pods('web')).map(({ metadata }) => metadata.uid)).toEqual([pod?.metadata.uid]);
});

test('bad values are refused, with a good one', async () => {
  await using story = await ReloadStory.startWeb(engine);
  const { it } = story;
  const patch = (value: string) => refusalOf(annotate(story, { [annotations.reload]: value }));
  expect(await patch('signal:SIGKILL')).toMatch(/trimtab\.dev\/reload.*signal:SIGUSR1/);
  expect(await patch('nobody=pull')).toMatch(/nobody/);
  expect(await patch('pull')).toBeUndefined();
  const pod = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: 'bare',
      namespace: it.namespace,
      annotations: { [annotations.restart]: 'false', [annotations.configPort]: 'high' },
    },
    spec: {
      containers: [{ name: 'app', image: 'app', volumeMounts: [{ name: 'foo', mountPath: '/foo' }] }],
      volumes: [{ name: 'foo', configMap: { name: 'foo' } }],
    },
  };
  expect(await refusalOf(it.client.create(pods, pod as never))).toMatch(/config-port.*9002/);
});

test('a container that reads the config as environment variables is named', async () => {
  await using story = await ReloadStory.start(engine);
  const { it } = story;
  await it.shortBake(['foo'], { bakeSeconds: 0 });
  await it.given.objects(
    configMap('foo', { color: 'blue' }),
    deployment('web', mountsFoo, envFromConfigMap('foo'), managed, reloaded),
  );
  const told = await it.rolloutIs(
    'a condition names the container',
    ({ conditions }) => conditions?.some(({ type }) => type === 'EnvironmentNotReloaded') ?? false,
  );
  expect(conditionOf(told, 'EnvironmentNotReloaded')?.message).toContain('Deployment web, container app');
});

test('StatefulSets and DaemonSets are reloaded, and a mixed activation is all or nothing', async () => {
  await using story = await ReloadStory.start(engine);
  const { it, agents } = story;
  await it.shortBake(['foo'], { bakeSeconds: 0 });
  await it.given.objects(
    configMap('foo', { color: 'blue' }),
    statefulSet('db', mountsFoo, managed, reloaded, withReplicas(2)),
    daemonSet('node', mountsFoo, managed, reloaded),
    deployment('web', mountsFoo, managed),
  );
  const first = await settled(it, '1.0.0', ['db', 'node', 'web']);
  const before = [...(await story.pods('db')), ...(await story.pods('node'))];
  await it.when.edited(configMaps, 'foo', withData({ color: 'green' }));
  await settled(it, '1.0.1', ['db', 'node', 'web']);
  const uids = async () =>
    [...(await story.pods('db')), ...(await story.pods('node'))].map(({ metadata }) => metadata.uid).sort();
  expect(await uids()).toEqual(before.map(({ metadata }) => metadata.uid).sort());

  agents.answers = ({ color }, pod) =>
    color === 'red' && pod.startsWith('db-1') ? { refuses: 'red is no colour' } : 'acknowledges';
  await it.when.edited(configMaps, 'foo', withData({ color: 'red' }));
  const failed = await it.rolloutIs(
    '1.0.2 is rolled back',
    ({ phase, target }) => phase === 'Failed' && !target,
  );
  expect(failed.status?.current?.version).toBe('1.0.1');
  expect(mountedConfigMap(await it.object<Deployment>(deployments, 'web'))).toBe(
    failed.status?.current?.object,
  );
  for (const [resource, name] of [
    [statefulSets, 'db'],
    [daemonSets, 'node'],
  ] as const)
    expect((await it.object(resource, name)).metadata.annotations?.[annotations.versions]).toContain(
      failed.status?.current?.object,
    );
  expect(first.status?.current?.object).not.toBe(failed.status?.current?.object);
});

test('configs that change together arrive as one assignment', async () => {
  await using story = await ReloadStory.start(engine);
  const { it, agents } = story;
  await it.shortBake(['foo', 'bar'], { bakeSeconds: 0 });
  const mountsBar = mountingConfigMap('bar', '/etc/bar');
  await it.given.objects(
    configMap('foo', { color: 'blue' }),
    configMap('bar', { size: 'small' }),
    deployment('web', mountsFoo, mountsBar, managed, reloaded),
  );
  await settled(it, '1.0.0', ['web']);
  await settled(it, '1.0.0', ['web'], 'configmap-bar');
  agents.answers = ({ size }) => (size === 'huge' ? { refuses: 'too big' } : 'acknowledges');
  await Promise.all([
    it.when.edited(configMaps, 'foo', withData({ color: 'green' })),
    it.when.edited(configMaps, 'bar', withData({ size: 'huge' })),
  ]);
  const failed = ({ phase, target }: { phase?: string; target?: unknown }) => phase === 'Failed' && !target;
  await it.rolloutIs('bar is rolled back', failed, 'configmap-bar');
  await it.rolloutIs('foo is rolled back or tried alone', ({ history }) => (history?.length ?? 0) > 0);
  const together = agents.assignments.get('configmap/bar 1.0.1');
  expect(together).toBeDefined();
  expect(agents.assignments.get('configmap/foo 1.0.1')).toBe(together);
});

test('a pod template opts its pods in, whatever the workload says', async () => {
  await using story = await ReloadStory.start(engine);
  const { it } = story;
  await it.shortBake(['foo'], { bakeSeconds: 0 });
  const web = deployment('web', mountsFoo, managed, annotated({ [annotations.restart]: 'true' }));
  web.spec.template.metadata.annotations = { [annotations.restart]: 'false' };
  await it.given.objects(configMap('foo', { color: 'blue' }), web);
  await settled(it, '1.0.0', ['web']);
  await agentsIn(story, 'web', 1);
  await it.when.edited(configMaps, 'foo', withData({ color: 'green' }));
  const { status } = await settled(it, '1.0.1', ['web']);
  expect(lineOf(status, 'web')?.mode).toBe('Reload');
});
