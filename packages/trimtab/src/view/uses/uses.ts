import type { KubeObject } from '@trimtab/kube/wire.ts';
import { type ConfigRollout, configRollouts } from '../../api/config-rollout.ts';
import { annotations, labels } from '../../api/names.ts';
import type { PodTemplate } from '../../api/pod-template.ts';
import { objectReferences, podTemplateOf } from '../../core/injection/pod-template-of.ts';
import { parseAssignedVersions } from '../../core/references/assigned-versions.ts';
import { configKey } from '../../core/references/config-key.ts';
import type { ConfigKind } from '../../core/references/references.ts';
import { deliveryMode } from '../../core/reload/delivery-mode.ts';
import { isWorkloadKind } from '../../core/workload/workload-key.ts';
import { isLive, type KnownPods, type PodObject, runObject } from '../pod-use.ts';
import { type ManagementInput, managementOf } from './management.ts';
import { type Through, throughOf } from './through.ts';

/** A config and one object whose pods use it. */
export interface Use {
  config: { kind: ConfigKind; name: string };
  user: { kind: string; name: string };
  through: Through[];
  /** How pods get a version: new pods, the agent without a restart, or not at all. */
  mode: 'recycle' | 'reload' | 'none';
  managed: boolean;
  /** Why the user is managed or not. */
  why: string;
  /** The version that the user is to run; absent when its pods read the live config. */
  version?: string;
  /** The version of the config that is current. */
  current?: string;
  /** Live pods that use the config; absent when the caller may not list pods or their owners. */
  pods?: number;
  /** False when the config does not exist; absent when the caller may not read it. */
  exists?: boolean;
  /** All references are optional. */
  optional: boolean;
  /** What a person should know, such as references that a reload does not change. */
  notes: string[];
}

export interface UseList {
  apiVersion: string;
  kind: 'UseList';
  metadata: Record<never, never>;
  items: Use[];
}

/** A config with what is known about it. */
export interface KnownConfig {
  kind: ConfigKind;
  name: string;
  rollout: ConfigRollout | undefined;
  live: ManagementInput['live'];
  /** Names of the versions, by the name of their object. */
  versions: ReadonlyMap<string, string>;
}

/** Pods and their owners. `owners` are ReplicaSets and Jobs, which may belong to a Deployment or CronJob. */
export interface Owned extends KnownPods {
  owners: readonly KubeObject[];
}

export function useList(items: Use[]): UseList {
  const { group, version } = configRollouts;
  return { apiVersion: `${group}/${version}`, kind: 'UseList', metadata: {}, items };
}

/**
 * The objects that use a config: workloads, and everything else that has pods and is never updated. An object with a
 * controller is represented by the controller. `hiddenKinds` are kinds that the caller may not list.
 */
export function usesOfConfig(
  config: KnownConfig,
  objects: readonly KubeObject[],
  owned: Owned | undefined,
  hiddenKinds: ReadonlySet<string> = new Set(),
): Use[] {
  const uids = new Set(objects.map(({ metadata }) => metadata.uid));
  const isRoot = ({ metadata }: KubeObject) => {
    const controller = controllerOf(metadata);
    return controller === undefined || !(uids.has(controller.uid) || hiddenKinds.has(controller.kind));
  };
  return objects
    .filter((user) => isRoot(user) && !hasFinished(user))
    .flatMap((user) => useOf(config, user, owned) ?? []);
}

/** A Job or pod that has ended uses nothing any more. */
function hasFinished(
  object: KubeObject & { status?: { phase?: string; conditions?: Condition[] } },
): boolean {
  const { phase, conditions = [] } = object.status ?? {};
  if (object.kind === 'Pod') return phase === 'Succeeded' || phase === 'Failed';
  const isEnd = ({ type, status }: Condition) =>
    (type === 'Complete' || type === 'Failed') && status === 'True';
  return object.kind === 'Job' && conditions.some(isEnd);
}

interface Condition {
  type: string;
  status: string;
}

/** How one object uses a config; undefined when it does not. */
export function useOf(config: KnownConfig, user: KubeObject, owned: Owned | undefined): Use | undefined {
  const { kind, name } = config;
  const template = podTemplateOf(user) ?? {};
  const objects = new Set([name, ...config.versions.keys()]);
  const references = objectReferences(user).filter((each) => each.kind === kind && objects.has(each.name));
  const through = throughOf(template, references);
  if (through.length === 0) return undefined;
  const pods = owned && podsOf(user, owned).filter(isLive);
  const mode = modeOf(user, template, pods);
  const optional = through.every((each) => each.optional);
  const version = config.versions.get(assignedObject(config, user, through, mode));
  const current = config.rollout?.status?.current?.version;
  return {
    config: { kind, name },
    user: { kind: user.kind ?? '', name: user.metadata.name ?? '' },
    through,
    mode,
    ...managementOf({
      ...{ config, user, isReloaded: mode === 'reload' },
      ...{ rollout: config.rollout, live: config.live },
    }),
    ...(version !== undefined && { version }),
    ...(current !== undefined && { current }),
    ...(pods && {
      pods: pods.filter(
        (pod) => runObject(pod, configKey(kind, name), objects, owned?.reported ?? new Map()) !== undefined,
      ).length,
    }),
    ...(config.live !== 'unknown' && { exists: config.live !== undefined }),
    optional,
    notes: notesOf({ config, user, template, through, mode, optional }),
  };
}

/** The version object that a workload is to run. A template names it, except where pods are reloaded. */
function assignedObject(
  { kind, name }: KnownConfig,
  user: KubeObject,
  through: readonly Through[],
  mode: Use['mode'],
): string {
  const assigned = parseAssignedVersions(user.metadata.annotations?.[annotations.versions]);
  const reloaded = mode === 'reload' ? assigned.get(configKey(kind, name)) : undefined;
  return reloaded ?? through.find(({ object }) => object !== name)?.object ?? name;
}

function modeOf(
  user: KubeObject,
  template: PodTemplate,
  pods: readonly PodObject[] | undefined,
): Use['mode'] {
  const its = user.metadata.annotations ?? {};
  // The controller assigns versions in this annotation when it reloads the pods of a workload.
  if (isWorkloadKind(user.kind ?? '')) return annotations.versions in its ? 'reload' : 'recycle';
  const isInjected = ({ metadata }: KubeObject) => metadata.labels?.[labels.injected] === 'true';
  if (user.kind === 'Pod' ? isInjected(user) : pods?.some(isInjected)) return 'reload';
  const isWanted = deliveryMode({}, template.metadata?.annotations ?? {}) === 'reload';
  return isWanted && user.kind !== 'Pod' && (pods ?? []).length === 0 ? 'reload' : 'none';
}

function notesOf({
  config,
  user,
  template,
  through,
  mode,
  optional,
}: {
  config: KnownConfig;
  user: KubeObject;
  template: PodTemplate;
  through: readonly Through[];
  mode: Use['mode'];
  optional: boolean;
}): string[] {
  const ofTemplate = template.metadata?.annotations ?? {};
  const wantsReload = deliveryMode(user.metadata.annotations ?? {}, ofTemplate) === 'reload';
  const missing = optional
    ? 'the config does not exist; pods start without it, because the reference is optional'
    : 'the config does not exist; pods do not start without it';
  return [
    ...(config.live === undefined ? [missing] : []),
    ...(mode === 'recycle' && wantsReload
      ? ['a reload is requested, but the pods have no agent that reloads; they are replaced']
      : []),
    ...(mode === 'reload' && through.some(({ how }) => how === 'env' || how === 'envFrom')
      ? ['environment variables do not change by a reload']
      : []),
    ...(mode === 'none' && through.some(({ subPath, how }) => subPath !== undefined || how.startsWith('env'))
      ? ['environment variables and subPath mounts change only in new pods']
      : []),
  ];
}

/** The pods of an object, also those that a ReplicaSet or Job of it owns. */
function podsOf(user: KubeObject, { pods, owners }: Owned): PodObject[] {
  if (user.kind === 'Pod') return pods.filter(({ metadata }) => metadata.uid === user.metadata.uid);
  const between = owners.filter(({ metadata }) => controllerOf(metadata)?.uid === user.metadata.uid);
  const uids = new Set([user, ...between].map(({ metadata }) => metadata.uid));
  return pods.filter(({ metadata }) => uids.has(controllerOf(metadata)?.uid));
}

function controllerOf(metadata: KubeObject['metadata']) {
  return metadata.ownerReferences?.find(({ controller }) => controller);
}

/** All objects that a template references, each once. */
export function referencedObjects(user: KubeObject): { kind: ConfigKind; name: string }[] {
  const found = objectReferences(user);
  const byKey = new Map(found.map(({ kind, name }) => [configKey(kind, name), { kind, name }]));
  return [...byKey.values()];
}
