import {
  configMaps,
  controllerRevisions,
  daemonSets,
  deployments,
  replicaSets,
  secrets,
  statefulSets,
} from '@trimtab/kube/resource.ts';
import type { KubeObject, OwnerReference } from '@trimtab/kube/wire.ts';
import { currentEngine } from '@trimtab/test-bed/engines/engine.ts';
import { ownedBy } from '@trimtab/test-bed/objects/build.ts';
import { type ConfigMap, withData } from '@trimtab/test-bed/objects/config-map.ts';
import { daemonSet } from '@trimtab/test-bed/objects/daemon-set.ts';
import { type Deployment, deployment } from '@trimtab/test-bed/objects/deployment.ts';
import { envFromSecret } from '@trimtab/test-bed/objects/pod-template.ts';
import { type Secret, secret } from '@trimtab/test-bed/objects/secret.ts';
import { statefulSet } from '@trimtab/test-bed/objects/stateful-set.ts';
import { afterAll, expect, test } from 'vitest';
import { labels } from '../../src/api/names.ts';
import { mountedConfigMap, ReleaseStory } from '../support/release-story.ts';
import { settled } from '../support/settled.ts';

const engine = await currentEngine();
afterAll(() => engine.close());

const patch = (spec: object) => ['--type=merge', '--patch', JSON.stringify({ spec })];
/** With this spec only revisions keep old versions, and the bake is short. */
const forgetful = patch({ historyLimit: 0, strategy: { bakeSeconds: 1 } });
const kept = patch({ revisionHistoryLimit: 0 });
const owners = ({ metadata }: KubeObject, kind: string) =>
  (metadata.ownerReferences ?? []).filter((owner) => owner.kind === kind);
const uidsOf = (all: readonly (KubeObject | OwnerReference)[]) =>
  all.map((each) => ('metadata' in each ? each.metadata.uid : each.uid)).sort();

/** The garbage collector retries only after a while when it processed an object too early. */
const patient = { timeout: 120_000 };

test(
  'one ConfigMap foo that is owned by Deployment bar: copies, ReplicaSets that own them, and their end',
  patient,
  async () => {
    await using it = await ReleaseStory.start(engine);
    await it.when.kubectl('create', 'configmap', 'foo', '--from-literal=config.yml=color: blue');
    const [bar] = await it.given.objects(deployment('bar'));
    await it.when.edited<ConfigMap>(configMaps, 'foo', ownedBy(bar));
    const mount = [
      {
        op: 'add',
        path: '/spec/template/spec/volumes',
        value: [{ name: 'foo', configMap: { name: 'foo' } }],
      },
      {
        op: 'add',
        path: '/spec/template/spec/containers/0/volumeMounts',
        value: [{ name: 'foo', mountPath: '/etc/foo' }],
      },
    ];
    await it.when.kubectl('patch', 'deployment', 'bar', '--type=json', '--patch', JSON.stringify(mount));

    const { status } = await settled(it, '1.0.0', ['bar']);
    const mounting = await it.object<Deployment>(deployments, 'bar');
    expect(mountedConfigMap(mounting)).toBe(status?.current?.object);
    const group = await it.client.list<ConfigMap>(configMaps, {
      namespace: it.namespace,
      labelSelector: `${labels.config}=foo`,
    });
    expect(group.items.map(({ metadata }) => metadata.name).sort()).toEqual(
      ['foo', status?.current?.object].sort(),
    );
    // A copy is created with the Deployment as an owner, so that it survives until its ReplicaSet owns it.
    await it.eventually('its ReplicaSet owns the copy', configMaps, status?.current?.object ?? '', (copy) =>
      (copy.metadata.ownerReferences ?? []).every(({ kind }) => kind !== 'Deployment'),
    );
    expect(owners(await it.object<ConfigMap>(configMaps, 'foo'), 'Deployment')).toHaveLength(1);
    await it.eventuallyEvent(
      'what the owner reference means is told',
      'ConfigMap',
      'foo',
      ({ type, reason }) => type === 'Warning' && reason === 'DeletedWithOwner',
    );

    await it.when.kubectl('patch', 'configrollout', 'configmap-foo', ...forgetful);
    await it.when.edited(configMaps, 'foo', withData({ 'config.yml': 'color: green' }));
    const second = await settled(it, '1.0.1', ['bar']);
    const object = second.status?.current?.object ?? '';
    const naming = async (name: string) => {
      const { items } = await it.client.list<Deployment>(replicaSets, { namespace: it.namespace });
      return items.filter((each) => mountedConfigMap(each) === name);
    };
    const its = await naming(object);
    expect(its).toHaveLength(1);
    await it.eventually('the new ReplicaSet owns its copy', configMaps, object, (copy) =>
      uidsOf(owners(copy, 'ReplicaSet')).includes(its[0]?.metadata.uid),
    );

    await it.when.kubectl('set', 'image', 'deployment/bar', 'app=busybox:2');
    await it.when.kubectl('rollout', 'status', 'deployment/bar');
    const both = await naming(object);
    expect(both).toHaveLength(2);
    await it.eventually('two ReplicaSets share the copy', configMaps, object, (copy) =>
      uidsOf(both).every((uid) => uidsOf(owners(copy, 'ReplicaSet')).includes(uid)),
    );

    const first = status?.current?.object ?? '';
    await it.eventually('nothing but its ReplicaSet keeps the old copy', configMaps, first, (copy) =>
      (copy.metadata.ownerReferences ?? []).every(({ kind }) => kind === 'ReplicaSet'),
    );
    await it.controller.stop();
    await it.when.kubectl('patch', 'deployment', 'bar', ...kept);
    await it.eventuallyAll('old ReplicaSets are pruned', replicaSets, (all) => all.length === 1);
    await it.eventuallyGone(configMaps, first);
    const current = await it.object<ConfigMap>(configMaps, object);
    expect(current.data).toEqual({ 'config.yml': 'color: green' });
  },
);

test.each([
  ['StatefulSet', statefulSets, statefulSet('db', envFromSecret('key'))],
  ['DaemonSet', daemonSets, daemonSet('db', envFromSecret('key'))],
] as const)(
  'the same for a Secret that is owned by a %s, whose ControllerRevisions own the copies',
  patient,
  async (kind, resource, workload) => {
    await using it = await ReleaseStory.start(engine);
    const [owner] = await it.given.objects<[KubeObject]>(workload);
    await it.given.objects(secret('key', { password: 'pa55' }, ownedBy(owner)));
    const rollout = 'secret-key';
    const { status } = await settled(it, '1.0.0', ['db'], rollout);
    const first = status?.current?.object ?? '';
    expect(await it.object<Secret>(secrets, first)).toMatchObject({
      type: 'trimtab.dev/version',
      immutable: true,
    });

    await it.when.kubectl('patch', 'configrollout', rollout, ...forgetful);
    await it.when.edited<Secret>(secrets, 'key', (key) => {
      key.data = secret('key', { password: 'changed' }).data ?? {};
    });
    const second = await settled(it, '1.0.1', ['db'], rollout);
    const object = second.status?.current?.object ?? '';
    const { items } = await it.client.list(controllerRevisions, { namespace: it.namespace });
    const copy = await it.eventually(
      'a ControllerRevision owns the new copy',
      secrets,
      object,
      (each) => owners(each, 'ControllerRevision').length === 1,
    );
    expect(uidsOf(items)).toContain(uidsOf(owners(copy, 'ControllerRevision'))[0]);
    expect(owners(copy, kind)).toEqual([]);

    await it.eventually('nothing but its ControllerRevision keeps the old copy', secrets, first, (each) =>
      (each.metadata.ownerReferences ?? []).every((reference) => reference.kind === 'ControllerRevision'),
    );
    await it.controller.stop();
    await it.when.kubectl('patch', resource.plural, 'db', ...kept);
    await it.eventuallyGone(secrets, first);
    await it.object<Secret>(secrets, object);
  },
);
