import { freePort } from '@trimtab/kube/http/free-port.ts';
import { deployments, replicaSets } from '@trimtab/kube/resource.ts';
import { currentEngine } from '@trimtab/test-bed/engines/engine.ts';
import { configMap } from '@trimtab/test-bed/objects/config-map.ts';
import { type Deployment, deployment } from '@trimtab/test-bed/objects/deployment.ts';
import { mountingConfigMap, withImage } from '@trimtab/test-bed/objects/pod-template.ts';
import { story } from '@trimtab/test-bed/story/story.ts';
import { waitFor } from '@trimtab/test-bed/watching/wait-for.ts';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import type { ConfigRollout } from '../../src/api/config-rollout.ts';
import { configRollouts } from '../../src/api/config-rollout.ts';
import { systemNamespace } from '../../src/api/names.ts';
import { controllerIdentity, installFor, uninstallFor } from '../controller/installed-manifests.ts';
import { configRollout } from '../support/config-rollout.ts';
import { managed } from '../support/managed.ts';
import { mountedConfigMap } from '../support/release-story.ts';
import { lineOf } from '../support/settled.ts';
import { startController } from '../support/start-controller.ts';

const engine = await currentEngine();
afterAll(() => engine.close());

const web = (image: string) =>
  deployment('web', mountingConfigMap('foo', '/etc/foo'), managed, withImage(image));

test('a Deployment and its ConfigMap applied together cost one ReplicaSet more at most, and the last state wins', async () => {
  const [given, when, then] = await story(engine);
  const { namespace } = given;
  await startInstalled(namespace);
  const client = await engine.connect();
  await given.object(configRollout('foo', { bakeSeconds: 1 }));
  const runs = (version: string, image: string) =>
    then.eventually<ConfigRollout>(
      `${version} is current, and web runs it with ${image}`,
      configRollouts,
      'configmap-foo',
      ({ status }) =>
        status?.phase === 'Current' &&
        status.current?.version === version &&
        lineOf(status, 'web')?.state === 'Healthy',
    );
  const replicaSetCount = async () => (await client.list(replicaSets, { namespace })).items.length;
  await when.applied(configMap('foo', { color: 'blue' }), web('busybox:1'));
  await runs('1.0.0', 'busybox:1');
  await webhookAnswers(namespace);
  const before = await replicaSetCount();

  await when.applied(web('busybox:2'), configMap('foo', { color: 'green' }));
  const { status } = await runs('1.0.1', 'busybox:2');
  const it = await client.get<Deployment>(deployments, { namespace, name: 'web' });
  expect(it.spec.template.spec.containers[0]?.image).toBe('busybox:2');
  expect(mountedConfigMap(it)).toBe(status?.current?.object);
  expect((await replicaSetCount()) - before, 'one is ideal').toBeLessThanOrEqual(2);

  await when.applied(configMap('foo', { color: 'red' }), web('busybox:3'));
  await runs('1.0.2', 'busybox:3');
  expect((await replicaSetCount()) - before, 'one more is ideal').toBeLessThanOrEqual(4);
});

/** Installs as in the guide: manifests, ServiceAccount and webhook. */
async function startInstalled(namespace: string): Promise<void> {
  const port = await freePort();
  const options = { namespace, webhookUrl: `https://127.0.0.1:${port}` };
  await installFor(engine, options);
  const address = ['--webhook-host', '127.0.0.1', '--webhook-port', `${port}`];
  const controller = await startController(engine, namespace, {
    kubeconfig: await engine.kubeconfigOf(controllerIdentity),
    homeNamespace: systemNamespace,
    flags: ['--webhook', ...address, '--webhook-url', options.webhookUrl],
  });
  onTestFinished(async () => {
    await controller.stop();
    await uninstallFor(engine, options);
  });
}

/** Waits until the API server calls the webhook, whose configuration it observes through a watch. */
async function webhookAnswers(namespace: string): Promise<void> {
  const client = await engine.connect();
  const probe = deployment('probe', mountingConfigMap('foo', '/etc/foo'), managed);
  probe.metadata.namespace = namespace;
  await waitFor('the webhook answers', async () => {
    const answer = await client.create<Deployment>(deployments, probe, { dryRun: true });
    return mountedConfigMap(answer) === 'foo' ? { seen: 'the manifest as it was written' } : { met: true };
  });
}
