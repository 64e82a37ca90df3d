import { configMaps, deployments, replicaSets, secrets } from '@trimtab/kube/resource.ts';
import type { KubeObject, ObjectMeta } from '@trimtab/kube/wire.ts';
import type { AuditEntry } from '@trimtab/test-bed/engines/audit-log.ts';
import { currentEngine } from '@trimtab/test-bed/engines/engine.ts';
import { type ConfigMap, configMap, withData } from '@trimtab/test-bed/objects/config-map.ts';
import { type Deployment, deployment } from '@trimtab/test-bed/objects/deployment.ts';
import { envFromSecret, mountingConfigMap } from '@trimtab/test-bed/objects/pod-template.ts';
import { resourceOf } from '@trimtab/test-bed/objects/resources.ts';
import { type Secret, secret } from '@trimtab/test-bed/objects/secret.ts';
import { statefulSet } from '@trimtab/test-bed/objects/stateful-set.ts';
import { afterAll, describe, expect, test } from 'vitest';
import { labels } from '../../src/api/names.ts';
import { installedStory } from '../support/installed-story.ts';
import { managed } from '../support/managed.ts';
import { usualWay } from '../support/reference-ways.ts';
import { mountedConfigMap, ReleaseStory, templateOfPods } from '../support/release-story.ts';
import { settled } from '../support/settled.ts';

const engine = await currentEngine();
afterAll(() => engine.close());

const mountingFoo = mountingConfigMap('foo', '/etc/foo');

test('configs that exist become 1.0.0 and current when a workload opts in, and stay as they are', async () => {
  await using it = await ReleaseStory.start(engine);
  const [foo, key] = await it.given.objects(
    configMap('foo', { color: 'blue' }),
    secret('key', { password: 'pa55' }),
    deployment('web', mountingFoo, envFromSecret('key')),
  );
  await it.when.kubectl('rollout', 'status', 'deployment/web');

  await it.when.kubectl('annotate', 'deployment', 'web', 'trimtab.dev/manage=true');
  const ofFoo = await settled(it, '1.0.0', ['web']);
  const ofKey = await settled(it, '1.0.0', ['web'], 'secret-key');
  const copy = await it.object<ConfigMap>(configMaps, ofFoo.status?.current?.object ?? '');
  expect(copy).toMatchObject({ immutable: true, data: foo.data });
  const keyCopy = await it.object<Secret>(secrets, ofKey.status?.current?.object ?? '');
  expect(keyCopy).toMatchObject({ immutable: true, type: 'trimtab.dev/version', data: key.data });
  const web = await it.object<Deployment>(deployments, 'web');
  expect(templateOfPods(web).spec).toMatchObject({
    volumes: [{ configMap: { name: copy.metadata.name } }],
    containers: [{ envFrom: [{ secretRef: { name: keyCopy.metadata.name } }] }],
  });
  // Both configs changed in one rolling update: there is the old ReplicaSet, and one that references the versions.
  await it.eventuallyAll('two ReplicaSets', replicaSets, (all) => all.length === 2);
  const live = await it.object<ConfigMap>(configMaps, 'foo');
  expect(live.data).toEqual(foo.data);
  expect(live.metadata).toMatchObject({ uid: foo.metadata.uid, labels: { [labels.config]: 'foo' } });
});

test('without the webhook, the controller repairs a manifest that was applied again', async () => {
  await using it = await ReleaseStory.start(engine);
  await it.shortBake(['foo']);
  const web = deployment('web', mountingFoo, managed);
  await it.when.applied(configMap('foo', { color: 'blue' }), web);
  await settled(it, '1.0.0', ['web']);
  await it.when.edited(configMaps, 'foo', withData({ color: 'green' }));
  const second = await settled(it, '1.0.1', ['web']);

  await it.when.applied(web);
  await it.eventually<Deployment>(
    'web has its copy again',
    deployments,
    'web',
    (now) => mountedConfigMap(now) === second.status?.current?.object,
  );
  const after = await settled(it, '1.0.1', ['web']);
  expect(after.status?.current).toEqual(second.status?.current);
  expect(after.status?.history).toHaveLength(1);
});

test('without the webhook, a server-side apply is repaired once', async () => {
  await using it = await ReleaseStory.start(engine);
  await it.shortBake(['foo']);
  const web = deployment('web', mountingFoo, managed);
  await it.given.objects(configMap('foo', { color: 'blue' }));
  await it.when.appliedByServer(web);
  const first = await settled(it, '1.0.0', ['web']);
  const before = await it.object<Deployment>(deployments, 'web');

  await it.when.appliedByServer(web);
  await it.eventually<Deployment>(
    'web has its copy again',
    deployments,
    'web',
    (now) => mountedConfigMap(now) === first.status?.current?.object,
  );
  await settled(it, '1.0.0', ['web']);
  const after = await it.object<Deployment>(deployments, 'web');
  // One generation for the applied manifest and one for the repair: the controller does not keep writing. A manifest that
  // names the config changes nothing where admission writes the versions.
  const generations = usualWay === 'template' ? 2 : 0;
  expect((after.metadata.generation ?? 0) - (before.metadata.generation ?? 0)).toBe(generations);
});

describe.runIf(engine.capabilities.auditLog)('what has not opted in', () => {
  test.each([
    ['with the controller alone', () => ReleaseStory.start(engine)],
    ['with webhooks and guards installed', () => installedStory(engine)],
  ])('sees not one write, %s', async (_, start) => {
    const mark = await engine.auditLog().mark();
    await using it = await start();
    await it.shortBake(['foo'], { bakeSeconds: 0 });
    const plain = [
      configMap('bar', { color: 'red' }),
      secret('key', { password: 'pa55' }),
      deployment('plain', mountingConfigMap('bar', '/etc/bar')),
      statefulSet('db', envFromSecret('key')),
      // This workload references a config that is managed for another workload.
      deployment('beside', mountingFoo),
    ];
    await it.given.objects(
      configMap('foo', { color: 'blue' }),
      deployment('web', mountingFoo, managed),
      ...plain,
    );
    await settled(it, '1.0.0', ['web']);
    await it.when.edited(configMaps, 'bar', withData({ color: 'orange' }));
    await it.when.edited(configMaps, 'foo', withData({ color: 'green' }));
    await settled(it, '1.0.1', ['web']);
    await it.when.kubectl(
      'patch',
      'configrollout/configmap-foo',
      '--type=merge',
      '--patch={"spec":{"version":"1.0.0"}}',
    );
    await settled(it, '1.0.0', ['web']);
    // GitOps applies the same manifests repeatedly.
    await it.when.applied(...plain);

    const entries = (await engine.auditLog().since(mark)).filter(
      ({ namespace }) => namespace === it.namespace,
    );
    const named = ({ resource, name }: AuditEntry) => `${resource}/${name}`;
    const copies = [...(await it.copies()).values(), ...(await it.copies('warm')).values()];
    const ours = new Set([
      ...['configmaps/foo', 'configmaps/warm', 'deployments/web'],
      ...copies.map(({ metadata }) => `configmaps/${metadata.name}`),
    ]);
    const isWrite = ({ verb }: AuditEntry) => !['get', 'list', 'watch'].includes(verb);
    const touched = new Set(
      entries.filter((each) => each.userAgent.startsWith('trimtab-controller') && isWrite(each)).map(named),
    );
    expect(touched).toContain('deployments/web');
    const own = /^(configrollouts|events|leases)\//;
    expect([...touched].filter((each) => !own.test(each) && !ours.has(each))).toEqual([]);

    // The webhook is not called for these objects either.
    const isOurs = (webhook: string) => webhook.endsWith('.trimtab.dev');
    const asked = new Set(entries.filter(({ webhooks }) => webhooks.some(isOurs)).map(named));
    const mayBeAsked = ['deployments/web', 'deployments/probe', 'configrollouts/configmap-foo'];
    // The API server generates the name of a pod after admission, and records none.
    const isPodOfOurs = (each: string) =>
      usualWay === 'admission' && (each.startsWith('pods/web-') || each === 'pods/undefined');
    expect([...asked].filter((each) => !mayBeAsked.includes(each) && !isPodOfOurs(each))).toEqual([]);
    for (const object of plain) {
      const { metadata } = await it.object<KubeObject>(resourceOf(object), object.metadata.name ?? '');
      const { labels: its, annotations, managedFields } = metadata as ObjectMeta & { managedFields: unknown };
      const written = { ...annotations, 'kubectl.kubernetes.io/last-applied-configuration': '' };
      expect(JSON.stringify([its, written, managedFields]), object.metadata.name).not.toContain(
        'trimtab.dev',
      );
    }
  });

  test('the audit log would tell: a workload that opted in is asked about', async () => {
    await using it = await installedStory(engine);
    const mark = await engine.auditLog().mark();
    await it.given.objects(configMap('foo'), deployment('web', mountingFoo, managed));
    await settled(it, '1.0.0', ['web']);
    await it.when.kubectl(
      'patch',
      'configrollout/configmap-foo',
      '--type=merge',
      '--patch={"spec":{"version":"1.0.0"}}',
    );
    const asked = (await engine.auditLog().since(mark))
      .filter(({ namespace }) => namespace === it.namespace)
      .flatMap(({ webhooks, resource }) => webhooks.map((webhook) => `${resource}: ${webhook}`));
    expect(new Set(asked)).toEqual(
      new Set([
        'deployments: workloads.trimtab.dev',
        'configrollouts: rollouts.trimtab.dev',
        ...(usualWay === 'admission' ? ['pods: pod-references.trimtab.dev'] : []),
      ]),
    );
  });
});
