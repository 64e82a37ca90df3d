import { configMaps, deployments } from '@trimtab/kube/resource.ts';
import type { KubeObject } from '@trimtab/kube/wire.ts';
import type { Mod } from '@trimtab/test-bed/objects/build.ts';
import { type ConfigMap, configMap, withData } from '@trimtab/test-bed/objects/config-map.ts';
import { type Deployment, deployment } from '@trimtab/test-bed/objects/deployment.ts';
import {
  envFromSecret,
  mountingConfigMap,
  mountingSecret,
  type Templated,
} from '@trimtab/test-bed/objects/pod-template.ts';
import { secret } from '@trimtab/test-bed/objects/secret.ts';
import { expect } from 'vitest';
import { type ConfigRollout, configRollouts } from '../../src/api/config-rollout.ts';
import { managedWorkloads } from '../../src/core/workload/managed-workloads.ts';
import { managed } from './managed.ts';
import { mountedConfigMap, type ReleaseStory } from './release-story.ts';
import { settled } from './settled.ts';

// Test steps for a workload that has annotations of Reloader and references four configs.

export const reloader = (name: string) => `reloader.stakater.com/${name}`;
export const auto = { [reloader('auto')]: 'true' };

/** The name of an object of this test: tests in one namespace have different prefixes. */
export type Names = (name: string) => string;

export function mountsAll(its: Names): Mod<Templated> {
  const mods = [
    mountingConfigMap(its('foo'), '/etc/foo'),
    mountingConfigMap(its('app-bar'), '/etc/bar'),
    mountingSecret(its('foo'), '/etc/secret'),
    envFromSecret(its('app-key')),
  ];
  return (workload) => {
    for (const mod of mods) mod(workload);
  };
}

export const inTemplate =
  (its: Record<string, string>): Mod<Templated> =>
  ({ spec }) => {
    spec.template.metadata.annotations = { ...spec.template.metadata.annotations, ...its };
  };

/** Two ConfigMaps and two Secrets, which the workloads of a test reference. `mods` change one of them by its name. */
export function configs(its: Names, mods: { foo?: Mod<KubeObject>[]; 'app-bar'?: Mod<KubeObject>[] } = {}) {
  return [
    configMap(its('foo'), { color: 'blue' }, ...(mods.foo ?? [])),
    configMap(its('app-bar'), { size: '1' }, ...(mods['app-bar'] ?? [])),
    secret(its('foo'), { password: 'a' }),
    secret(its('app-key'), { KEY: 'a' }),
  ];
}

/** The configs that are managed for a workload. */
export async function managedFor(it: ReleaseStory, its: Names, workload = 'web'): Promise<string[]> {
  const { items } = await it.client.list<ConfigRollout>(configRollouts, { namespace: it.namespace });
  return items
    .filter((rollout) => managedWorkloads(rollout).includes(`Deployment/${its(workload)}`))
    .map(({ spec }) => `${spec.config.kind} ${spec.config.name}`.replace(its(''), ''))
    .sort();
}

/** Waits until the controller has reconciled what existed before. */
async function reconciled(it: ReleaseStory, its: Names): Promise<void> {
  await it.shortBake([its('last')], { bakeSeconds: 0 });
  const mounts = mountingConfigMap(its('last'), '/etc/last');
  await it.given.objects(configMap(its('last')), deployment(its('last'), mounts, managed));
  await settled(it, '1.0.0', [its('last')], `configmap-${its('last')}`);
}

/** Creates a Deployment with these annotations beside four configs, and expects that exactly these are managed for it. */
export async function optsIn(
  it: ReleaseStory,
  its: Names,
  expected: readonly string[],
  { web = [], ...mods }: Parameters<typeof configs>[1] & { web?: Mod<Deployment>[] },
): Promise<void> {
  await it.given.objects(...configs(its, mods), deployment(its('web'), mountsAll(its), ...web));
  for (const config of expected) await isManaged(it, its, config);
  await reconciled(it, its);
  expect(await managedFor(it, its)).toEqual([...expected].sort());
}

export async function isManaged(
  it: ReleaseStory,
  its: Names,
  config: string,
  workload = 'web',
): Promise<void> {
  const [kind = '', name = ''] = config.split(' ');
  await it.rolloutIs(
    `${config} is managed for ${workload}`,
    (status) => status.workloads?.some((each) => each.name === its(workload)) === true,
    `${kind.toLowerCase()}-${its(name)}`,
  );
}

export const all = ['ConfigMap foo', 'ConfigMap app-bar', 'Secret foo', 'Secret app-key'];

export const told = (it: ReleaseStory, kind: string, name: string, reason: string, message: RegExp) =>
  it.eventuallyEvent(
    `${reason} on ${name}`,
    kind,
    name,
    (event) => event.reason === reason && message.test(event.message),
  );
export const isIgnored = (it: ReleaseStory, name: string, message: RegExp, kind = 'Deployment') =>
  told(it, kind, name, 'ReloaderAnnotationIgnored', message);

/** A short bake of these configs, because the default one would dominate the test. */
export const quickly = (it: ReleaseStory, its: Names, ...names: string[]) =>
  it.shortBake(names.map(its), { bakeSeconds: 0 });

export const edit = (it: ReleaseStory, name: string, color: string) =>
  it.when.edited<ConfigMap>(configMaps, name, withData({ color }));

/** Waits until the controller has reconciled an edit that follows what happened before. */
export async function reconciledAgain(it: ReleaseStory, its: Names): Promise<void> {
  await edit(it, its('last'), 'green');
  await settled(it, '1.0.1', [its('last')], `configmap-${its('last')}`);
}

/** The ConfigMap that the pods of the Deployment mount first. */
export const webMounts = async (it: ReleaseStory, its: Names) =>
  mountedConfigMap(await it.object<Deployment>(deployments, its('web')));
