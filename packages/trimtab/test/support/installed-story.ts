import { freePort } from '@trimtab/kube/http/free-port.ts';
import { deployments } from '@trimtab/kube/resource.ts';
import type { Engine } from '@trimtab/test-bed/engines/engine.ts';
import { configMap } from '@trimtab/test-bed/objects/config-map.ts';
import { type Deployment, deployment, withReplicas } from '@trimtab/test-bed/objects/deployment.ts';
import { mountingConfigMap } from '@trimtab/test-bed/objects/pod-template.ts';
import { waitFor } from '@trimtab/test-bed/watching/wait-for.ts';
import { annotations, labels, systemNamespace } from '../../src/api/names.ts';
import type { ManifestOptions } from '../../src/controller/manifests/installation.ts';
import { formatMove } from '../../src/core/references/requested-move.ts';
import { controllerIdentity, installFor, uninstallFor } from '../controller/installed-manifests.ts';
import { managed } from './managed.ts';
import { podsGetVersions, usualWayFlags } from './reference-ways.ts';
import { mountedConfigMap, ReleaseStory } from './release-story.ts';

/**
 * Test steps with everything that `trimtab manifests` prints: the controller has its own ServiceAccount, permissions,
 * admission policies and a webhook.
 */
export async function installedStory(
  engine: Engine,
  flags: string[] = [],
  manifests: Pick<ManifestOptions, 'inject' | 'notifications' | 'reloaderAnnotations'> = {},
): Promise<ReleaseStory> {
  const port = await freePort();
  const webhookUrl = `https://127.0.0.1:${port}`;
  const where = ['--webhook-host', '127.0.0.1', '--webhook-port', `${port}`, '--webhook-url', webhookUrl];
  const it = await ReleaseStory.start(engine, async (namespace) => {
    await installFor(engine, { namespace, webhookUrl, ...manifests });
    return {
      options: {
        kubeconfig: await engine.kubeconfigOf(controllerIdentity),
        homeNamespace: systemNamespace,
        flags: ['--webhook', ...where, ...usualWayFlags, ...flags],
      },
      undo: () => uninstallFor(engine, { namespace, webhookUrl, ...manifests }),
    };
  });
  await webhookAnswers(it);
  return it;
}

/** Test steps with the mutating policies of `trimtab manifests`, and no webhook. */
export async function policyStory(engine: Engine): Promise<ReleaseStory> {
  const it = await ReleaseStory.start(engine, async (namespace) => {
    const manifests = { namespace, webhook: false, mutatingPolicies: true };
    await installFor(engine, manifests);
    return {
      options: {
        kubeconfig: await engine.kubeconfigOf(controllerIdentity),
        homeNamespace: systemNamespace,
        flags: ['--mutating-policies', ...usualWayFlags],
      },
      undo: () => uninstallFor(engine, manifests),
    };
  });
  await policyWorks(it);
  await podsGetVersions(it.client, it.namespace);
  return it;
}

/** Waits with dry runs until the API server evaluates the policy, which it observes through a watch. */
async function policyWorks({ client, given, namespace }: ReleaseStory): Promise<void> {
  const mounts = mountingConfigMap('before', '/etc/probe');
  await given.objects(deployment('probe', withReplicas(0), mounts));
  const where = { namespace, name: 'probe' };
  await waitFor('the policy changes references', async () => {
    const { metadata } = await client.get(deployments, where);
    const { generation = 0 } = metadata;
    const names = new Map([['ConfigMap/before' as const, 'after']]);
    const move = formatMove({ generation, names, label: undefined, record: undefined });
    const body = { metadata: { annotations: { [annotations.move]: move } } };
    const patch = { type: 'merge', body } as const;
    const answer = await client.patch<Deployment>(deployments, where, patch, { dryRun: true });
    return mountedConfigMap(answer) === 'after' ? { met: true } : { seen: 'not changed' };
  });
  await client.delete(deployments, where);
}

/** Waits with dry runs, which persist nothing, until the API server trusts and calls the webhook. */
async function webhookAnswers(it: ReleaseStory): Promise<void> {
  await it.shortBake(['warm']);
  await it.given.objects(configMap('warm', { up: 'yes' }));
  await it.isCurrent('1.0.0', 'configmap-warm');
  const probe = deployment('probe', mountingConfigMap('warm', '/etc/warm'), managed);
  probe.metadata.namespace = it.namespace;
  await waitFor('the webhook answers', async () => {
    const { metadata } = await it.client.create<Deployment>(deployments, probe, { dryRun: true });
    return metadata.labels?.[labels.assigned] === undefined ? { seen: 'not called' } : { met: true };
  });
}
