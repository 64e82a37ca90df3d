import type { KubeClient } from '@trimtab/kube/client.ts';
import { configMaps, deployments, namespaces, replicaSets } from '@trimtab/kube/resource.ts';
import { isNotFound } from '@trimtab/kube/transport/errors.ts';
import type { KubeObject } from '@trimtab/kube/wire.ts';
import { currentEngine, type Engine } from '@trimtab/test-bed/engines/engine.ts';
import { ownedBy } from '@trimtab/test-bed/objects/build.ts';
import { type ConfigMap, configMap } from '@trimtab/test-bed/objects/config-map.ts';
import { type Deployment, deployment } from '@trimtab/test-bed/objects/deployment.ts';
import { mountingConfigMap } from '@trimtab/test-bed/objects/pod-template.ts';
import { Given } from '@trimtab/test-bed/story/given.ts';
import { Then } from '@trimtab/test-bed/story/then.ts';
import { waitFor } from '@trimtab/test-bed/watching/wait-for.ts';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { configRollouts } from '../../src/api/config-rollout.ts';
import { labels } from '../../src/api/names.ts';
import {
  controllerIdentity,
  installFor,
  refusalOf,
  rollout,
  uninstallFor,
  version,
} from './installed-manifests.ts';

/** No controller runs in these tests: Kubernetes must be able to clean up in spite of the admission policies. */

let engine: Engine;
let admin: KubeClient;
let trimtab: KubeClient;
let namespace: string;
let then: Then;
let owner: KubeObject;
const installed: string[] = [];

beforeAll(async () => {
  engine = await currentEngine();
  admin = await engine.connect();
});

beforeEach(async () => {
  namespace = await engine.namespace();
  installed.push(namespace);
  await installFor(engine, { namespace });
  trimtab = await engine.connect(controllerIdentity);
  // The garbage collector discovers new kinds only every 30 seconds.
  then = new Then(admin, namespace).within(50_000);
  owner = await trimtab.create(configRollouts, rollout('ConfigMap', 'foo', namespace));
});

afterAll(async () => {
  for (const each of installed) await uninstallFor(engine, { namespace: each });
  await engine?.close();
});

const where = (name: string) => ({ namespace, name });

/** Creates a version that the admission policies protect from deletion by users. */
async function given(name: string, ...owners: KubeObject[]): Promise<ConfigMap> {
  const object = version(name, namespace, { state: 'current', labels: { [labels.inUse]: 'true' } });
  for (const each of owners) ownedBy(each)(object);
  const created = await trimtab.create(configMaps, object);
  expect(await refusalOf(admin.delete(configMaps, where(name)))).toBeDefined();
  return created;
}

test('a namespace with versions in use is deleted to its end', async () => {
  await given('foo-aaaaaaaaaa', owner);
  await given('foo-bbbbbbbbbb');
  await admin.delete(namespaces, { name: namespace });
  const look = async () => {
    try {
      const { metadata } = await admin.get(namespaces, { name: namespace });
      return { seen: `still there, deleted at ${metadata.deletionTimestamp}` };
    } catch (error) {
      if (isNotFound(error)) return { met: true };
      throw error;
    }
  };
  await waitFor('the namespace is gone', look, { timeoutMs: 50_000 });
});

test('a rollout that is deleted takes its versions along, in the foreground, too', async () => {
  await given('foo-aaaaaaaaaa', owner);
  await admin.delete(configRollouts, where('configmap-foo'), { propagationPolicy: 'Foreground' });
  await then.eventuallyGone(configRollouts, 'configmap-foo');
  await then.eventuallyGone(configMaps, 'foo-aaaaaaaaaa');
});

test('a rollout that is deleted as `orphan` lets go of its versions', async () => {
  await given('foo-aaaaaaaaaa', owner);
  // The garbage collector watches each kind separately. It has seen the version once it has deleted a later ConfigMap.
  const nobody = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'nobody', uid: 'nobody' } };
  const foundling = { ...configMap('foundling'), metadata: where('foundling') };
  ownedBy(nobody)(foundling);
  await admin.create(configMaps, foundling);
  await then.eventuallyGone(configMaps, 'foundling');
  await admin.delete(configRollouts, where('configmap-foo'), { propagationPolicy: 'Orphan' });
  await then.eventuallyGone(configRollouts, 'configmap-foo');
  await then.eventually<ConfigMap>(
    'the version has no owner',
    configMaps,
    'foo-aaaaaaaaaa',
    ({ metadata }) => metadata.ownerReferences === undefined,
  );
});

test('a ReplicaSet that is pruned takes the version along that only it owns, and not one that is shared', async () => {
  const withoutHistory = { spec: { revisionHistoryLimit: 0 } };
  const web = deployment('web', mountingConfigMap('foo', '/etc/foo'));
  Object.assign(web.spec, withoutHistory.spec);
  await new Given(admin, namespace).object(web);
  const [first] = await then.eventuallyAll('web has a ReplicaSet', replicaSets, (all) => all.length === 1);
  const set = { apiVersion: 'apps/v1', kind: 'ReplicaSet', metadata: first?.metadata ?? {} };
  await given('foo-aaaaaaaaaa', set);
  await given('foo-bbbbbbbbbb', set, owner);
  await admin.patch<Deployment>(deployments, where('web'), {
    type: 'merge',
    body: { spec: { template: { metadata: { annotations: { change: 'yes' } } } } },
  });
  await then.eventuallyGone(replicaSets, first?.metadata.name ?? '');
  await then.eventuallyGone(configMaps, 'foo-aaaaaaaaaa');
  await then.eventually<ConfigMap>(
    'the shared version has one owner left',
    configMaps,
    'foo-bbbbbbbbbb',
    ({ metadata }) => metadata.ownerReferences?.length === 1,
  );
});

describe('a Deployment that is deleted', () => {
  /** Creates a Deployment and a version that its ReplicaSet owns. Returns the name of the ReplicaSet. */
  async function givenWeb(): Promise<string> {
    await new Given(admin, namespace).object(deployment('web', mountingConfigMap('foo', '/etc/foo')));
    const [set] = await then.eventuallyAll('web has a ReplicaSet', replicaSets, (all) => all.length === 1);
    await given('foo-aaaaaaaaaa', {
      apiVersion: 'apps/v1',
      kind: 'ReplicaSet',
      metadata: set?.metadata ?? {},
    });
    return set?.metadata.name ?? '';
  }

  test('in the foreground takes its ReplicaSets along, and their versions', async () => {
    const set = await givenWeb();
    await admin.delete(deployments, where('web'), { propagationPolicy: 'Foreground' });
    await then.eventuallyGone(deployments, 'web');
    await then.eventuallyGone(replicaSets, set);
    await then.eventuallyGone(configMaps, 'foo-aaaaaaaaaa');
  });

  test('as `orphan` leaves its ReplicaSets behind, and these keep their versions', async () => {
    const set = await givenWeb();
    await admin.delete(deployments, where('web'), { propagationPolicy: 'Orphan' });
    await then.eventuallyGone(deployments, 'web');
    const left = await admin.get(replicaSets, where(set));
    expect(left.metadata.ownerReferences).toBeUndefined();
    const kept = await admin.get(configMaps, where('foo-aaaaaaaaaa'));
    expect(kept.metadata.ownerReferences).toMatchObject([{ kind: 'ReplicaSet', name: set }]);
    // The version is deleted with its last ReplicaSet.
    await admin.delete(replicaSets, where(set));
    await then.eventuallyGone(configMaps, 'foo-aaaaaaaaaa');
  });
});
