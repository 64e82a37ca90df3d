import { freePort } from '@trimtab/kube/http/free-port.ts';
import { configMaps, deployments, namespaces, pods, replicaSets } from '@trimtab/kube/resource.ts';
import type { KubeObject } from '@trimtab/kube/wire.ts';
import { currentEngine } from '@trimtab/test-bed/engines/engine.ts';
import { annotated } from '@trimtab/test-bed/objects/build.ts';
import { type ConfigMap, configMap } from '@trimtab/test-bed/objects/config-map.ts';
import { type Deployment, deployment } from '@trimtab/test-bed/objects/deployment.ts';
import { mountingConfigMap } from '@trimtab/test-bed/objects/pod-template.ts';
import { story } from '@trimtab/test-bed/story/story.ts';
import { waitFor } from '@trimtab/test-bed/watching/wait-for.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ConfigRollout } from '../../src/api/config-rollout.ts';
import { configRollouts } from '../../src/api/config-rollout.ts';
import { annotations, labels, systemNamespace } from '../../src/api/names.ts';
import { controllerIdentity, installFor, uninstallFor } from '../controller/installed-manifests.ts';
import { ControllerProcess } from '../support/controller-process.ts';
import { mountedByPod, type Pod } from '../support/mounted-versions.ts';
import { usualWayFlags } from '../support/reference-ways.ts';
import { mountedConfigMap } from '../support/release-story.ts';

/** Installed as in the guide: `trimtab manifests`, then the controller with its own ServiceAccount and webhook. */
const engine = await currentEngine();
const [given, when, then] = await story(engine);
const port = await freePort();
const options = { namespace: given.namespace, webhookUrl: `https://127.0.0.1:${port}` };
let controller: ControllerProcess;

async function startController(): Promise<void> {
  controller = await ControllerProcess.start(engine, given.namespace, {
    kubeconfig: await engine.kubeconfigOf(controllerIdentity),
    homeNamespace: systemNamespace,
    flags: [
      '--webhook',
      '--webhook-host',
      '127.0.0.1',
      '--webhook-port',
      `${port}`,
      '--webhook-url',
      options.webhookUrl,
      ...usualWayFlags,
    ],
  });
}

beforeAll(async () => {
  await installFor(engine, options);
  await startController();
});

afterAll(async () => {
  await controller.stop();
  await uninstallFor(engine, options);
  await engine.close();
});

const managed = annotated({ 'trimtab.dev/manage': 'true' });
const web = () => deployment('web', mountingConfigMap('foo', '/etc/foo'), managed);
const isCurrent = (version: string) => (it: ConfigRollout) =>
  it.status?.phase === 'Current' && it.status.current?.version === version;

describe('with the webhook', () => {
  test('a new managed Deployment has exactly one ReplicaSet, already with its copy', async () => {
    const client = await engine.connect();
    await when.applied(configMap('foo', { color: 'blue' }));
    await webhookAnswers();
    await when.applied(web());
    const rollout = await then.eventually(
      '1.0.0 is current',
      configRollouts,
      'configmap-foo',
      isCurrent('1.0.0'),
    );
    const it = await then.eventually<Deployment>(
      'web is ready',
      deployments,
      'web',
      ({ status }) => (status?.readyReplicas ?? 0) > 0,
    );
    expect(mountedConfigMap(it)).toBe(rollout.status?.current?.object);
    const its = (all: KubeObject[]) => all.filter(({ metadata }) => metadata.name?.startsWith('web-'));
    await then.eventuallyAll('one ReplicaSet', replicaSets, (all) => its(all).length === 1);
    const found = await client.list<Pod>(pods, { namespace: given.namespace, labelSelector: 'app=web' });
    expect(found.items.map(mountedByPod)).toEqual([rollout.status?.current?.object]);
  });

  test('re-applying its manifest changes nothing', async () => {
    const client = await engine.connect();
    // A new annotation of a Deployment also increments its generation, so wait for the annotation of the adoption.
    const before = await then.eventually<Deployment>(
      'the adoption is noted',
      deployments,
      'web',
      ({ metadata }) => metadata.annotations?.[annotations.assignment] !== undefined,
    );
    await when.applied(web());
    const after = await client.get<Deployment>(deployments, { namespace: given.namespace, name: 'web' });
    expect(after.metadata.generation).toBe(before.metadata.generation);
    expect(mountedConfigMap(after)).toBe(mountedConfigMap(before));
  });
});

describe('with the rights and guards that it installs', () => {
  test('the controller releases an edit, and its ReplicaSet owns the copy', async () => {
    await when.edited<ConfigMap>(configMaps, 'foo', (foo) => {
      foo.data = { color: 'green' };
    });
    const rollout = await then.eventually(
      '1.0.1 is current',
      configRollouts,
      'configmap-foo',
      isCurrent('1.0.1'),
    );
    const object = rollout.status?.current?.object ?? '';
    await then.eventually<ConfigMap>('the ReplicaSet owns the copy', configMaps, object, ({ metadata }) =>
      (metadata.ownerReferences ?? []).some(({ kind }) => kind === 'ReplicaSet'),
    );
    await then.eventually<ConfigMap>(
      'the copy is in use',
      configMaps,
      object,
      ({ metadata }) => metadata.labels?.[labels.inUse] === 'true',
    );
  });

  test('not even the administrator changes a version, or deletes one that is in use', async () => {
    const client = await engine.connect();
    const rollout = await client.get<ConfigRollout>(configRollouts, {
      namespace: given.namespace,
      name: 'configmap-foo',
    });
    const object = rollout.status?.current?.object ?? '';
    await expect(
      when.kubectl('annotate', 'configmap', object, `${annotations.version}=forged`, '--overwrite'),
    ).rejects.toThrow(/denied|forbidden|Forbidden/);
    await expect(when.kubectl('delete', 'configmap', object)).rejects.toThrow(/denied|forbidden|Forbidden/);
  });

  test('a person who may not edit foo cannot activate a version of it', async () => {
    await when.kubectl(
      'create',
      'role',
      'roller',
      '--verb=get,update,patch',
      '--resource=configrollouts.trimtab.dev',
    );
    await when.kubectl('create', 'rolebinding', 'roller', '--role=roller', '--user=bob');
    const bob = await when.by({ user: 'bob' });
    const patch = JSON.stringify({ spec: { version: '1.0.0' } });
    await expect(
      bob.kubectl('patch', 'configrollout', 'configmap-foo', '--type=merge', '--patch', patch),
    ).rejects.toThrow(/configmap/i);
  });
});

test('with the controller down, the namespace can be deleted', async () => {
  await controller.stop();
  const client = await engine.connect();
  await client.delete(namespaces, { name: given.namespace });
  await then.within(60_000).eventuallyGone(namespaces, given.namespace);
});

/** Waits with dry runs, which persist nothing, until the API server trusts and calls the webhook. */
async function webhookAnswers(): Promise<void> {
  const client = await engine.connect();
  const warm = (name: string) => deployment(name, mountingConfigMap('warm', '/etc/warm'), managed);
  await when.applied(configMap('warm', {}), warm('warm'));
  await then.eventually('warm has a version', configRollouts, 'configmap-warm', isCurrent('1.0.0'));
  const probe = warm('probe');
  probe.metadata.namespace = given.namespace;
  await waitFor('the webhook answers', async () => {
    const { metadata } = await client.create<Deployment>(deployments, probe, { dryRun: true });
    return metadata.labels?.[labels.assigned] === undefined ? { seen: 'not called' } : { met: true };
  });
}
