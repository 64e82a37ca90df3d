import type { KubeObject } from '@trimtab/kube/wire.ts';
import type { ConfigBody } from '../api/config-body.ts';
import { type ConfigRollout, configRollouts } from '../api/config-rollout.ts';
import { annotations } from '../api/names.ts';
import type { PodTemplate } from '../api/pod-template.ts';
import { parseRejection } from '../core/activation/rejection.ts';
import { planRequest } from '../core/activation/version-request.ts';
import type { ConfigAddress } from '../core/references/config-address.ts';
import { hasKey, missingKeys, splitMissingKeys } from '../core/references/preflight.ts';
import { findReferences, type Reference } from '../core/references/references.ts';
import { deliveryMode } from '../core/reload/delivery-mode.ts';
import { mayBeVersionOf, rolloutName } from '../core/version/object-names.ts';
import type { VersionMetadata } from '../core/version/version-metadata.ts';
import { firstVersionName } from '../core/version/version-name.ts';
import { managedWorkloads } from '../core/workload/managed-workloads.ts';
import type { WorkloadKind } from '../core/workload/observed.ts';
import { type ConfigId, type Management, manages, parseManage, parseWave } from '../core/workload/opt-in.ts';
import {
  readWorkloadKey,
  type WorkloadKey,
  workloadKey,
  workloadText,
} from '../core/workload/workload-key.ts';
import { type ChangedKeys, changedKeys } from './changed-keys.ts';
import { versionDiff } from './diff/version-diff.ts';
import { templateOf, workloadWarnings } from './workload-warnings.ts';

/** The fields of a Deployment, StatefulSet or DaemonSet that a plan reads. */
export interface PlannedObject extends KubeObject {
  kind: WorkloadKind;
  spec?: {
    replicas?: number;
    paused?: boolean;
    template?: PodTemplate;
    strategy?: { type?: string };
    updateStrategy?: { type?: string };
  };
  status?: { desiredNumberScheduled?: number };
}

export interface PlanInput {
  rollout: ConfigRollout;
  target: { version: VersionMetadata; body: ConfigBody };
  /** The current version; undefined until the config has a version. */
  current: { version: VersionMetadata; body: ConfigBody } | undefined;
  /** All workloads of the namespace that the caller may list. */
  workloads: readonly PlannedObject[];
  /** Resources that the caller may not list, such as `deployments`. */
  hidden: readonly string[];
}

interface PlannedWorkload {
  kind: string;
  name: string;
  how: 'recycle' | 'reload';
  /** Number of pods that get the version. */
  pods: number;
  warnings: string[];
}

/** A preview of an activation. The result may differ, because the cluster may change before the activation. */
export interface ActivationPlan {
  apiVersion: string;
  kind: 'ActivationPlan';
  metadata: { name: string; namespace: string };
  config: { kind: string; name: string };
  version: string;
  /** The current version. */
  from?: string;
  /** False when the version is already current, or when the activation could not start. */
  activates: boolean;
  /** In order: a wave starts when the previous wave is healthy. */
  waves: { wave: number; workloads: PlannedWorkload[] }[];
  pods: number;
  changes: ChangedKeys;
  /** The VersionDiff from the current version; values of Secrets are masked. Undefined until there is a version. */
  diff?: object;
  /** Why the activation would be refused before any pod is touched. */
  problems: string[];
  warnings: string[];
}

export function activationPlan(input: PlanInput): ActivationPlan {
  const { rollout, target, current } = input;
  const { config } = rollout.spec;
  const managed = new Set(managedWorkloads(rollout));
  const users = input.workloads.flatMap((workload) => {
    const references = referencesTo(rollout, workload);
    return references.length === 0 ? [] : [{ workload, references, key: keyOf(workload) }];
  });
  const moved = users.filter(
    ({ key, workload }) => managed.has(key) && !hasOptedOut(workload) && !isPinned(workload),
  );
  const planned = moved.map(({ workload, references, key }) => ({
    wave: waveOf(workload),
    line: plannedWorkload(rollout, workload, references, key),
  }));
  const waves = [...new Set(planned.map(({ wave }) => wave))].sort((a, b) => a - b);
  const isCurrent = current?.version.object === target.version.object;
  const missing = moved.map((user) => missingIn(user, target, current));
  const problems = missing.flatMap(({ fatal }) => fatal);
  return {
    apiVersion: `${configRollouts.group}/${configRollouts.version}`,
    kind: 'ActivationPlan',
    metadata: { name: rollout.metadata.name ?? '', namespace: rollout.metadata.namespace ?? '' },
    config: { kind: config.kind, name: config.name },
    version: target.version.name,
    ...(current && { from: current.version.name }),
    activates: !isCurrent && problems.length === 0,
    waves: waves.map((wave) => ({
      wave,
      workloads: planned.filter((each) => each.wave === wave).map(({ line }) => line),
    })),
    pods: planned.reduce((sum, { line }) => sum + line.pods, 0),
    changes: changedKeys(current?.body, target.body),
    ...(current && { diff: versionDiff(config, sideOf(current), sideOf(target), false).object }),
    problems,
    warnings: [
      ...missing.flatMap(({ tolerated }) => tolerated),
      ...warnings(
        input,
        users.filter((user) => !moved.includes(user)),
      ),
      ...(moved.length === 0 && users.some(({ key, workload }) => managed.has(key) && isPinned(workload))
        ? ['All workloads of the config are pinned: the version is parked until one of them is unpinned']
        : []),
    ],
  };
}

function sideOf({ version, body }: PlanInput['target']) {
  return { version: version.name, body };
}

function plannedWorkload(
  { status }: ConfigRollout,
  workload: PlannedObject,
  references: Reference[],
  key: string,
): PlannedWorkload {
  const { annotations: its = {} } = workload.metadata;
  // The controller assigns versions in this annotation when it reloads the pods of a workload.
  const how = annotations.versions in its ? 'reload' : 'recycle';
  const { kind, name } = readWorkloadKey(key);
  const pods = podsOf(workload);
  const line = status?.workloads?.find((each) => each.kind === kind && each.name === name);
  const pinned = line?.state === 'Pinned';
  return {
    kind,
    name,
    how,
    pods,
    warnings: workloadWarnings({
      workload,
      how,
      wantsReload: deliveryMode(its, templateOf(workload).metadata?.annotations ?? {}) === 'reload',
      references,
      pods,
      pinned,
    }),
  };
}

function warnings(
  { rollout, target, hidden }: PlanInput,
  untouched: readonly { key: string; workload: PlannedObject }[],
): string[] {
  const plan = planRequest(rollout, target.version.name);
  const superseded = plan.write ? plan.supersedes : undefined;
  const rejected = parseRejection(target.version.rejected);
  return [
    ...(superseded
      ? [`Version ${superseded.version}, requested by ${superseded.by ?? 'an edit'}, is superseded`]
      : []),
    ...(rejected ? [`Version ${target.version.name} was rolled back before: ${rejected.reason}`] : []),
    ...(rollout.spec.paused
      ? ['The rollout is paused: no workload is updated until spec.paused is false']
      : []),
    ...untouched.map(({ key, workload }) => {
      const why = isPinned(workload)
        ? `it is pinned by annotation ${annotations.pin}`
        : 'it has not opted in, or has opted out';
      return `${workloadText(key)} uses the config but is not updated: ${why}`;
    }),
    ...hidden.map(hiddenText),
  ];
}

/**
 * The plan of an unmanaged config, whose content is its only version: a request for it moves nothing. A workload that has
 * opted in is assigned the version as soon as the controller manages the config, with or without the request.
 */
export function unmanagedPlan(
  { kind, namespace, name }: ConfigAddress,
  live: ConfigBody,
  { workloads, hidden }: Pick<PlanInput, 'workloads' | 'hidden'>,
): ActivationPlan {
  const side = { version: firstVersionName, body: live };
  const users = workloads.filter((workload) =>
    findReferences(templateOf(workload)).some((each) => each.kind === kind && each.name === name),
  );
  return {
    apiVersion: `${configRollouts.group}/${configRollouts.version}`,
    kind: 'ActivationPlan',
    metadata: { name: rolloutName(kind, name), namespace },
    config: { kind, name },
    version: firstVersionName,
    from: firstVersionName,
    activates: false,
    waves: [],
    pods: 0,
    changes: changedKeys(live, live),
    diff: versionDiff({ kind, name }, side, side, false).object,
    problems: [],
    warnings: [
      `The config is not managed: its content is version ${firstVersionName}, and the request changes nothing`,
      ...users.map((workload) => {
        const isOptedIn = hasOptedIn(workload, live, { kind, name });
        const text = workloadText(keyOf(workload));
        return isOptedIn
          ? `${text} has opted in and is not managed yet: the controller assigns version ${firstVersionName} to it, which replaces its pods once, with or without this request`
          : `${text} uses the config but is not updated: it has not opted in, or has opted out`;
      }),
      ...hidden.map(hiddenText),
    ],
  };
}

function hasOptedIn({ metadata }: PlannedObject, live: ConfigBody, config: ConfigId): boolean {
  const manage = parseManage(metadata.annotations);
  const management: Management = 'value' in manage ? manage.value : { mode: 'unsaid' };
  const isOwner = live.metadata.ownerReferences?.some(({ uid }) => uid === metadata.uid) ?? false;
  return manages(management, config) || (management.mode !== 'none' && isOwner);
}

function hiddenText(plural: string): string {
  return `You may not list ${plural}: the plan does not include them`;
}

/** Finds references by the name of the config or of one of its versions, because a template may use either. */
function referencesTo({ spec, status }: ConfigRollout, workload: PlannedObject): Reference[] {
  const { kind, name } = spec.config;
  const isKnown = status?.workloads?.some(
    (line) => line.kind === workload.kind && line.name === workload.metadata.name,
  );
  const found = findReferences(templateOf(workload)).filter((each) => each.kind === kind);
  return found.filter((each) => each.name === name || (isKnown && mayBeVersionOf(name, each.name)));
}

function missingIn(
  { key, workload, references }: { key: string; workload: PlannedObject; references: readonly Reference[] },
  { version, body }: PlanInput['target'],
  current: PlanInput['current'],
): { fatal: string[]; tolerated: string[] } {
  const keys = missingKeys(references, () => body).flatMap((each) => each.keys);
  const split = splitMissingKeys(
    keys,
    podsOf(workload) > 0,
    current && ((name) => hasKey(current.body, name)),
  );
  const text = (name: string) =>
    `Version ${version.name} has no key ${JSON.stringify(name)}, which ${workloadText(key)} references`;
  return { fatal: split.fatal.map(text), tolerated: split.tolerated.map(text) };
}

/** Number of pods that the workload wants. */
export function podsOf({ kind, spec, status }: PlannedObject): number {
  return kind === 'DaemonSet' ? (status?.desiredNumberScheduled ?? 0) : (spec?.replicas ?? 1);
}

function hasOptedOut({ metadata }: PlannedObject): boolean {
  const manage = parseManage(metadata.annotations);
  return 'value' in manage && manage.value.mode === 'none';
}

function isPinned({ metadata }: PlannedObject): boolean {
  return metadata.annotations?.[annotations.pin] !== undefined;
}

function waveOf({ metadata }: PlannedObject): number {
  const wave = parseWave(metadata.annotations);
  return 'value' in wave ? wave.value : 0;
}

function keyOf({ kind, metadata }: PlannedObject): WorkloadKey {
  return workloadKey(kind, metadata.name ?? '');
}
