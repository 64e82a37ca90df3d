import { configMaps, deployments, pods, secrets } from '@trimtab/kube/resource.ts';
import { currentEngine } from '@trimtab/test-bed/engines/engine.ts';
import { annotated } from '@trimtab/test-bed/objects/build.ts';
import { type ConfigMap, configMap, withData } from '@trimtab/test-bed/objects/config-map.ts';
import { type Deployment, deployment } from '@trimtab/test-bed/objects/deployment.ts';
import { mountingConfigMap, mountingSecret } from '@trimtab/test-bed/objects/pod-template.ts';
import { secret } from '@trimtab/test-bed/objects/secret.ts';
import { afterAll, expect, test } from 'vitest';
import type { ConfigRollout } from '../../src/api/config-rollout.ts';
import { configRollouts } from '../../src/api/config-rollout.ts';
import { annotations, labels } from '../../src/api/names.ts';
import { rolloutName, versionObjectName } from '../../src/core/version/object-names.ts';
import { configRollout } from '../support/config-rollout.ts';
import { managed } from '../support/managed.ts';
import { mountedConfigMap, ReleaseStory } from '../support/release-story.ts';
import { conditionOf, settled } from '../support/settled.ts';

const engine = await currentEngine();
afterAll(() => engine.close());

const mountsFoo = mountingConfigMap('foo', '/etc/foo');

/** Verifies that the controller still releases a valid config beside the invalid one. */
async function allElseIsWell(release: ReleaseStory): Promise<void> {
  await release.shortBake(['well'], { bakeSeconds: 0 });
  await release.given.objects(
    configMap('well', { color: 'blue' }),
    deployment('well', mountingConfigMap('well', '/etc/well'), managed),
  );
  await settled(release, '1.0.0', ['well'], 'configmap-well');
  await release.when.edited<ConfigMap>(configMaps, 'well', withData({ color: 'green' }));
  await settled(release, '1.0.1', ['well'], 'configmap-well');
}

const degraded = (release: ReleaseStory, reason: string, rollout = 'configmap-foo') =>
  release.rolloutIs(
    `its condition says ${reason}`,
    ({ conditions }) =>
      conditions?.some((it) => it.type === 'Degraded' && it.status === 'True' && it.reason === reason) ===
      true,
    rollout,
  );
const warned = (release: ReleaseStory, kind: string, name: string, reason: string) =>
  release.eventuallyEvent(
    `an event of ${kind} ${name} says ${reason}`,
    kind,
    name,
    (news) => news.type === 'Warning' && news.reason === reason,
  );

test('annotations that cannot be read are told on the object that carries them', async () => {
  await using release = await ReleaseStory.start(engine);
  await release.given.objects(
    configMap('foo', {}, annotated({ [annotations.release]: 'sometimes' })),
    deployment('unclear', mountsFoo, annotated({ [annotations.manage]: 'Yes, please!' })),
    deployment('wavy', mountsFoo, managed, annotated({ [annotations.wave]: 'last' })),
    deployment('restless', mountsFoo, managed, annotated({ [annotations.restart]: 'maybe' })),
  );
  const unclear = await warned(release, 'Deployment', 'unclear', 'InvalidAnnotation');
  expect(unclear.message).toMatch(
    /trimtab\.dev\/manage has the value "Yes, please!", which is not valid: must be "true", "false"/,
  );
  const wavy = await warned(release, 'Deployment', 'wavy', 'InvalidAnnotation');
  expect(wavy.message).toMatch(
    /trimtab\.dev\/wave has the value "last", which is not valid: must be a whole number/,
  );
  const restless = await warned(release, 'Deployment', 'restless', 'InvalidAnnotation');
  expect(restless.message).toMatch(
    /trimtab\.dev\/restart has the value "maybe", which is not valid: must be "true" or "false"/,
  );
  const foo = await warned(release, 'ConfigMap', 'foo', 'InvalidAnnotation');
  expect(foo.message).toMatch(
    /trimtab\.dev\/release has the value "sometimes", which is not valid: must be "auto", "manual" or "locked"/,
  );
  await allElseIsWell(release);
  const { status } = await settled(release, '1.0.0', ['wavy', 'restless']);
  expect(status?.workloads?.map(({ name }) => name)).not.toContain('unclear');
});

test('an owner that does not exist: Kubernetes takes the config away, and an event says why', async () => {
  await using release = await ReleaseStory.start(engine);
  const [web] = await release.given.objects(deployment('web', mountsFoo));
  const ownedBy = (name: string, uid: string) => (config: ConfigMap) => {
    config.metadata.ownerReferences = [{ apiVersion: 'apps/v1', kind: 'Deployment', name, uid }];
  };
  const nobody = '00000000-0000-4000-8000-000000000000';
  await release.given.objects(
    configMap('orphan', {}, ownedBy('nobody', nobody)),
    configMap('foo', {}, ownedBy('web', nobody)),
  );
  const orphan = await warned(release, 'ConfigMap', 'orphan', 'OwnerNotFound');
  expect(orphan.message).toMatch(
    /Deployment nobody, which does not exist; Kubernetes will delete.*Create the owner first/,
  );
  const foo = await warned(release, 'ConfigMap', 'foo', 'OwnerNotFound');
  expect(foo.message).toContain(`has uid ${web.metadata.uid}`);
  await release.eventuallyGone(configMaps, 'foo');
  await allElseIsWell(release);
  const { items } = await release.client.list(configRollouts, { namespace: release.namespace });
  expect(items.map(({ metadata }) => metadata.name)).toEqual(['configmap-well']);
});

test('a ConfigRollout of a config that is missing, or for a version that is missing, says so and mends', async () => {
  await using release = await ReleaseStory.start(engine);
  await release.shortBake(['foo']);
  const missing = await degraded(release, 'ConfigNotFound');
  expect(conditionOf(missing, 'Degraded')?.message).toBe(
    'ConfigMap foo does not exist; create it, or delete this ConfigRollout',
  );
  expect(missing.status).toMatchObject({ phase: 'Failed' });
  await warned(release, 'ConfigRollout', 'configmap-foo', 'ConfigNotFound');
  await allElseIsWell(release);
  await release.given.objects(configMap('foo'), deployment('web', mountsFoo, managed));
  await settled(release, '1.0.0', ['web']);

  const ask = (version: string | null) =>
    release.when.kubectl(
      'patch',
      'configrollout/configmap-foo',
      '--type=merge',
      `--patch=${JSON.stringify({ spec: { version } })}`,
    );
  await ask('9.9.9');
  const unknown = await degraded(release, 'UnknownVersion');
  expect(conditionOf(unknown, 'Degraded')?.message).toContain('"9.9.9"');
  expect(unknown.status?.current?.version).toBe('1.0.0');
  await warned(release, 'ConfigRollout', 'configmap-foo', 'UnknownVersion');
  await ask(null);
  await release.rolloutIs(
    'all is well again',
    ({ conditions }) => conditions?.find(({ type }) => type === 'Ready')?.status === 'True',
  );
  await expect(ask('current')).rejects.toThrow(
    /'current' is reserved: it stands for the version that is current/,
  );
});

test('a version name that is taken or not allowed: a condition says so, nothing moves, another name mends it', async () => {
  await using release = await ReleaseStory.start(engine);
  await release.shortBake(['foo']);
  await release.given.objects(configMap('foo', { color: 'blue' }), deployment('web', mountsFoo, managed));
  const { status: before } = await settled(release, '1.0.0', ['web']);
  const edit = (color: string, version: string) =>
    release.when.edited<ConfigMap>(configMaps, 'foo', (foo) => {
      foo.data = { color };
      annotated({ [annotations.version]: version })(foo);
    });

  await edit('green', '1.0.0');
  const taken = await degraded(release, 'VersionNameTaken');
  expect(conditionOf(taken, 'Degraded')?.message).toMatch(
    /"1\.0\.0" already exists with other content; choose another name/,
  );
  await warned(release, 'ConfigRollout', 'configmap-foo', 'VersionNameTaken');
  await edit('green', 'current');
  const reserved = await degraded(release, 'VersionNameInvalid');
  expect(conditionOf(reserved, 'Degraded')?.message).toContain("'current'");
  expect(mountedConfigMap(await release.object<Deployment>(deployments, 'web'))).toBe(
    before?.current?.object,
  );
  expect([...(await release.copies()).keys()]).toEqual(['1.0.0']);
  await allElseIsWell(release);

  await edit('green', '1.1.0');
  await settled(release, '1.1.0', ['web']);
});

test('a status that somebody edited is made anew from what there is, and nothing restarts', async () => {
  await using release = await ReleaseStory.start(engine);
  await release.shortBake(['foo'], { bakeSeconds: 0 });
  await release.given.objects(configMap('foo', { color: 'blue' }), deployment('web', mountsFoo, managed));
  await settled(release, '1.0.0', ['web']);
  await release.when.edited<ConfigMap>(configMaps, 'foo', withData({ color: 'green' }));
  const { status: before } = await settled(release, '1.0.1', ['web']);
  const listed = async () =>
    (await release.client.list(pods, { namespace: release.namespace })).items.map(
      ({ metadata }) => metadata.uid,
    );
  const podsBefore = await listed();
  const since = '2000-01-01T00:00:00Z';
  const first = (await release.copies()).get('1.0.0')?.metadata.name ?? '';
  const forged: [string, Partial<NonNullable<ConfigRollout['status']>>][] = [
    [
      'a version that never was',
      { phase: 'Failed', current: { version: '7', object: 'foo-nonsense', since } },
    ],
    ['an older version', { current: { version: '1.0.0', object: first, since } }],
    ['nothing', { phase: 'RollbackFailed', workloads: [], conditions: [], history: [] }],
  ];
  for (const [what, lie] of forged) {
    await release.client.patch(
      configRollouts,
      { namespace: release.namespace, name: 'configmap-foo' },
      { type: 'merge', body: { status: lie } },
      { subresource: 'status' },
    );
    const mended = await settled(release, '1.0.1', ['web']);
    expect(mended.status?.current?.object, what).toBe(before?.current?.object);
    expect(mountedConfigMap(await release.object<Deployment>(deployments, 'web')), what).toBe(
      before?.current?.object,
    );
    expect(await listed(), what).toEqual(podsBefore);
  }
});

test('somebody else’s object has the name that a copy would get: the content becomes the next version', async () => {
  await using release = await ReleaseStory.start(engine);
  await release.shortBake(['foo']);
  await release.given.objects(configMap('foo', { color: 'blue' }), deployment('web', mountsFoo, managed));
  const { metadata } = await settled(release, '1.0.0', ['web']);
  const squatted = versionObjectName('foo', metadata.uid ?? '', '1.0.1');
  await release.given.object(configMap(squatted, { color: 'mine' }));

  await release.when.edited<ConfigMap>(configMaps, 'foo', withData({ color: 'green' }));
  await settled(release, '1.0.2', ['web']);
  const news = await warned(release, 'ConfigRollout', 'configmap-foo', 'ObjectNameTaken');
  expect(news.message).toContain(squatted);
  expect((await release.object<ConfigMap>(configMaps, squatted)).data).toEqual({ color: 'mine' });
});

test('names that are the same once they are cut: the second config is told, the first one goes on', async () => {
  await using release = await ReleaseStory.start(engine);
  const long = 'n'.repeat(253);
  const rollout = rolloutName('ConfigMap', long);
  const second = rollout.slice('configmap-'.length);
  const mounting = (name: string, config: string) =>
    deployment(name, managed, ({ spec }) => {
      spec.template.spec.volumes = [{ name: 'config', configMap: { name: config } }];
    });
  await release.given.object(configRollout(long, { bakeSeconds: 0 }));
  await release.given.objects(configMap(long, { color: 'blue' }), mounting('web', long));
  await settled(release, '1.0.0', ['web'], rollout);

  await release.given.objects(configMap(second, { color: 'mine' }), mounting('late', second));
  const news = await warned(release, 'ConfigMap', second, 'RolloutNameTaken');
  expect(news.message).toContain(`belongs to ConfigMap ${long}. Rename one of the two configs`);
  expect(mountedConfigMap(await release.object<Deployment>(deployments, 'late'))).toBe(second);
  await release.when.edited<ConfigMap>(configMaps, long, withData({ color: 'green' }));
  const { status } = await settled(release, '1.0.1', ['web'], rollout);
  expect(status?.workloads?.map(({ name }) => name)).toEqual(['web']);
  await allElseIsWell(release);
});

test('a second ConfigRollout of a config with a long name is told its right name, and does nothing', async () => {
  await using release = await ReleaseStory.start(engine);
  const long = 'n'.repeat(253);
  const rollout = rolloutName('ConfigMap', long);
  await release.given.objects(
    configRollout(long, { bakeSeconds: 0 }),
    configRollout(long, {}, ({ metadata }) => {
      metadata.name = 'configmap-short';
    }),
    configMap(long, { color: 'blue' }),
  );
  const wrong = await degraded(release, 'WrongName', 'configmap-short');
  expect(conditionOf(wrong, 'Degraded')?.message).toContain(`must be named ${rollout}; delete this one`);
  await warned(release, 'ConfigRollout', 'configmap-short', 'WrongName');
  await release.isCurrent('1.0.0', rollout);
  const { items } = await release.client.list(configMaps, {
    namespace: release.namespace,
    labelSelector: labels.versionOf,
  });
  expect(items).toHaveLength(1);
  await allElseIsWell(release);
});

test('a Secret that belongs to the cluster is refused, and its pods go on as they are', async () => {
  await using release = await ReleaseStory.start(engine);
  const token = secret('token', {}, (it) => {
    it.type = 'kubernetes.io/service-account-token';
    delete it.data;
    annotated({ 'kubernetes.io/service-account.name': 'default' })(it);
  });
  await release.given.objects(token, deployment('web', mountingSecret('token', '/etc/token'), managed));
  const refused = await degraded(release, 'SecretTypeRefused', 'secret-token');
  expect(refused.status?.current).toBeUndefined();
  await warned(release, 'ConfigRollout', 'secret-token', 'SecretTypeRefused');
  await allElseIsWell(release);
  const web = await release.object<Deployment>(deployments, 'web');
  expect(web.spec.template.spec.volumes?.[0]?.secret?.secretName).toBe('token');
  const { items } = await release.client.list(secrets, { namespace: release.namespace });
  expect(items.map(({ metadata }) => metadata.name)).toEqual(['token']);
});
