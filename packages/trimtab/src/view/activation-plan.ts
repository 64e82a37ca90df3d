import type { KubeObject } from '@trimtab/kube/wire.ts';
import type { ConfigBody } from '../api/config-body.ts';
import { type ConfigRollout, configRollouts } from '../api/config-rollout.ts';
import type { PodTemplate } from '../api/pod-template.ts';
import { parseRejections } from '../core/activation/rejection.ts';
import { planRequest } from '../core/activation/version-request.ts';
import { missingKeys } from '../core/references/preflight.ts';
import { findReferences, type Reference } from '../core/references/references.ts';
import { mayBeVersionOf } from '../core/version/object-names.ts';
import type { VersionMetadata } from '../core/version/version-metadata.ts';
import { managedWorkloads } from '../core/workload/managed-workloads.ts';
import type { WorkloadKind } from '../core/workload/observed.ts';
import { parseManage, parseRestart, parseWave } from '../core/workload/opt-in.ts';
import { readWorkloadKey, type WorkloadKey, workloadKey } from '../core/workload/workload-key.ts';
import { type ChangedKeys, changedKeys } from './changed-keys.ts';
import { templateOf, workloadWarnings } from './workload-warnings.ts';

/** A Deployment, StatefulSet or DaemonSet, as far as a plan looks at it. */
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
  /** What is current; undefined before the first version is. */
  current: { version: VersionMetadata; body: ConfigBody } | undefined;
  /** All workloads of the namespace that the caller may list. */
  workloads: readonly PlannedObject[];
  /** Kinds that they may not: `deployments`. */
  hidden: readonly string[];
}

interface PlannedWorkload {
  kind: string;
  name: string;
  how: 'recycle' | 'reload';
  /** Pods that take the version. */
  pods: number;
  warnings: string[];
}

/** What activating a version would do, for a person who wants to know before. Nothing of it is a promise. */
export interface ActivationPlan {
  apiVersion: string;
  kind: 'ActivationPlan';
  metadata: { name: string; namespace: string };
  config: { kind: string; name: string };
  version: string;
  /** The version that is current. */
  from?: string;
  /** False when it is current already, or could not even begin. */
  activates: boolean;
  /** In order: a wave begins when the one before is healthy. */
  waves: { wave: number; workloads: PlannedWorkload[] }[];
  pods: number;
  changes: ChangedKeys;
  /** Why it would be refused before any pod is touched. */
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
  const moved = users.filter(({ key, workload }) => managed.has(key) && !hasOptedOut(workload));
  const planned = moved.map(({ workload, references, key }) => ({
    wave: waveOf(workload),
    line: plannedWorkload(rollout, workload, references, key),
  }));
  const waves = [...new Set(planned.map(({ wave }) => wave))].sort((a, b) => a - b);
  const isCurrent = current?.version.object === target.version.object;
  const problems = moved.flatMap(({ key, references }) => missing(key, references, target));
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
    problems,
    warnings: warnings(
      input,
      users.filter((user) => !moved.includes(user)).map(({ key }) => key),
    ),
  };
}

function plannedWorkload(
  { status }: ConfigRollout,
  workload: PlannedObject,
  references: Reference[],
  key: string,
): PlannedWorkload {
  const restart = parseRestart(workload.metadata.annotations);
  const how = 'value' in restart ? restart.value : 'recycle';
  const { kind, name } = readWorkloadKey(key);
  const pods =
    kind === 'DaemonSet' ? (workload.status?.desiredNumberScheduled ?? 0) : (workload.spec?.replicas ?? 1);
  const line = status?.workloads?.find((each) => each.kind === kind && each.name === name);
  const pinned = line?.state === 'Pinned';
  return { kind, name, how, pods, warnings: workloadWarnings({ workload, how, references, pods, pinned }) };
}

function warnings({ rollout, target, hidden }: PlanInput, untouched: readonly string[]): string[] {
  const plan = planRequest(rollout, target.version.name);
  const superseded = plan.write ? plan.supersedes : undefined;
  const rejected = parseRejections(target.version.rejected);
  return [
    ...(superseded
      ? [`version ${superseded.version}, asked for by ${superseded.by ?? 'an edit'}, is superseded`]
      : []),
    ...(rejected ? [`version ${target.version.name} was rolled back before: ${rejected.reason}`] : []),
    ...(rollout.spec.paused ? ['the rollout is paused: nothing moves until spec.paused is false'] : []),
    ...untouched.map((key) => `${key} uses the config and is not moved: it has not opted in, or opted out`),
    ...hidden.map((plural) => `you may not list ${plural}: what there is of them is missing in this plan`),
  ];
}

/** By the name of the original, or of any version: a template names either. */
function referencesTo({ spec, status }: ConfigRollout, workload: PlannedObject): Reference[] {
  const { kind, name } = spec.config;
  const isKnown = status?.workloads?.some(
    (line) => line.kind === workload.kind && line.name === workload.metadata.name,
  );
  const found = findReferences(templateOf(workload)).filter((each) => each.kind === kind);
  return found.filter((each) => each.name === name || (isKnown && mayBeVersionOf(name, each.name)));
}

function missing(
  key: string,
  references: readonly Reference[],
  { version, body }: PlanInput['target'],
): string[] {
  return missingKeys(references, () => body).flatMap(({ keys }) =>
    keys.map((name) => `version ${version.name} has no key ${JSON.stringify(name)}, which ${key} names`),
  );
}

function hasOptedOut({ metadata }: PlannedObject): boolean {
  const manage = parseManage(metadata.annotations);
  return 'value' in manage && manage.value.mode === 'none';
}

function waveOf({ metadata }: PlannedObject): number {
  const wave = parseWave(metadata.annotations);
  return 'value' in wave ? wave.value : 0;
}

function keyOf({ kind, metadata }: PlannedObject): WorkloadKey {
  return workloadKey(kind, metadata.name ?? '');
}
