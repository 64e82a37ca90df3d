import { freePort } from '@trimtab/kube/http/free-port.ts';
import { configMaps, deployments, namespaces } from '@trimtab/kube/resource.ts';
import { currentEngine } from '@trimtab/test-bed/engines/engine.ts';
import { annotated } from '@trimtab/test-bed/objects/build.ts';
import { configMap } from '@trimtab/test-bed/objects/config-map.ts';
import { type Deployment, deployment } from '@trimtab/test-bed/objects/deployment.ts';
import { mountingConfigMap } from '@trimtab/test-bed/objects/pod-template.ts';
import { applyObjects, removeObjects } from '@trimtab/test-bed/story/apply-objects.ts';
import { Given } from '@trimtab/test-bed/story/given.ts';
import { waitFor } from '@trimtab/test-bed/watching/wait-for.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ConfigRollout, configRollouts } from '../../src/api/config-rollout.ts';
import { annotations } from '../../src/api/names.ts';
import { serviceAccountName } from '../../src/controller/manifests/installation.ts';
import { manifestObjects, refusalOf, version } from '../controller/installed-manifests.ts';
import { configRollout } from '../support/config-rollout.ts';
import { managed } from '../support/managed.ts';
import { mountedConfigMap } from '../support/release-story.ts';
import type { RunningController } from '../support/running-controller.ts';
import { startController } from '../support/start-controller.ts';

/** An installation in a namespace of its own that manages two namespaces, with rights in no other. */
const engine = await currentEngine();
const client = await engine.connect();
const home = await engine.namespace();
const [shop, web, other] = [await engine.namespace(), await engine.namespace(), await engine.namespace()];
const port = await freePort();
const webhookUrl = `https://127.0.0.1:${port}`;
const objects = manifestObjects({ namespaces: [shop, web], homeNamespace: home, webhookUrl });
let controller: RunningController | undefined;

beforeAll(async () => {
  await applyObjects(client, objects);
  await waitFor('the guard of versions works', async () => {
    const refusal = await refusedVersion(web);
    return refusal?.includes(`trimtab-${home}-versions`) ? { met: true } : { seen: refusal ?? 'admitted' };
  });
  controller = await startController(engine, shop, {
    kubeconfig: await engine.kubeconfigOf({ serviceAccount: serviceAccountName, namespace: home }),
    homeNamespace: home,
    flags: [
      ...['--namespace', web, '--webhook', '--webhook-host', '127.0.0.1'],
      ...['--webhook-port', `${port}`, '--webhook-url', webhookUrl],
    ],
  });
});

afterAll(async () => {
  await controller?.stop();
  await removeObjects(
    client,
    objects.filter(({ metadata }) => metadata.name?.startsWith(`trimtab-${home}`)),
  );
  await engine.close();
});

const refusedVersion = (namespace: string) =>
  refusalOf(client.create(configMaps, version('probe', namespace, { config: '' }), { dryRun: true }));

const current = async (namespace: string): Promise<ConfigRollout['status']> => {
  const { items } = await client.list<ConfigRollout>(configRollouts, { namespace });
  return items[0]?.status;
};

const isCurrent = (namespace: string, wanted: string) =>
  waitFor(
    `version ${wanted} is current in ${namespace}`,
    async () => {
      const status = await current(namespace);
      return status?.phase === 'Current' && status.current?.version === wanted
        ? { met: status }
        : { seen: JSON.stringify(status ?? {}) };
    },
    { scene: async () => controller?.describe() ?? '' },
  );

test('configs are released in the managed namespaces, with the rights of `trimtab manifests` alone', async () => {
  for (const namespace of [shop, web, other]) {
    const given = new Given(client, namespace);
    await given.objects(configMap('foo', { color: 'blue' }));
    if (namespace !== other) await given.objects(configRollout('foo', { bakeSeconds: 1 }));
    await given.objects(deployment('web', mountingConfigMap('foo', '/etc/foo'), managed));
  }
  for (const namespace of [shop, web]) {
    await isCurrent(namespace, '1.0.0');
    const patch = { type: 'merge', body: { data: { color: 'green' } } } as const;
    await client.patch(configMaps, { namespace, name: 'foo' }, patch);
  }
  for (const namespace of [shop, web]) {
    const status = await isCurrent(namespace, '1.0.1');
    const moved = await client.get<Deployment>(deployments, { namespace, name: 'web' });
    expect(mountedConfigMap(moved)).toBe(status.current?.object);
  }
  expect(await current(other), 'the other namespace is left alone').toBeUndefined();
  const untouched = await client.get<Deployment>(deployments, { namespace: other, name: 'web' });
  expect(mountedConfigMap(untouched)).toBe('foo');
  expect(controller?.log).not.toContain('forbidden');
});

test('where the namespace says so, a config that opts in is released by a person', async () => {
  const patch = {
    type: 'merge',
    body: { metadata: { annotations: { [annotations.release]: 'manual' } } },
  } as const;
  await client.patch(namespaces, { name: web }, patch);
  const modeOf = async (name: string) => {
    const { spec } = await client.get<ConfigRollout>(configRollouts, {
      namespace: web,
      name: `configmap-${name}`,
    });
    return spec.release;
  };
  await new Given(client, web).objects(
    configMap('usual', { color: 'blue' }),
    deployment('usual', mountingConfigMap('usual', '/etc/foo'), managed),
  );
  expect(await waitFor('usual is managed', async () => ({ met: await modeOf('usual') }))).toBe('Manual');
  await new Given(client, web).objects(
    configMap('own', { color: 'blue' }, annotated({ [annotations.release]: 'auto' })),
    deployment('own', mountingConfigMap('own', '/etc/foo'), managed),
  );
  expect(await waitFor('own is managed', async () => ({ met: await modeOf('own') }))).toBe('Auto');
});

test('the policies guard versions in the managed namespaces only', async () => {
  expect(await refusedVersion(shop)).toContain(`trimtab-${home}-versions`);
  expect(await refusedVersion(web)).toContain(`trimtab-${home}-versions`);
  expect((await refusedVersion(other)) ?? '').not.toContain(home);
});
