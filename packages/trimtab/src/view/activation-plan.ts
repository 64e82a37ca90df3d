import type { KubeObject } from '@trimtab/kube/wire.ts';
import type { ConfigBody } from '../api/config-body.ts';
import { type ConfigRollout, configRollouts } from '../api/config-rollout.ts';
import { annotations } from '../api/names.ts';
import type { PodTemplate } from '../api/pod-template.ts';
import {
  hasPods,
  isChecked,
  judgeMissingKeys,
  keysOf,
  keysOfUnmodified,
  missingByUser,
  takesVersion,
  versionModified,
  versionNotMountable,
} from '../core/activation/check-version.ts';
import { parseRejection } from '../core/activation/rejection.ts';
import type { WorkloadState } from '../core/activation/types.ts';
import { planRequest } from '../core/activation/version-request.ts';
import type { ManagedReferences } from '../core/references/assignment.ts';
import type { ConfigAddress } from '../core/references/config-address.ts';
import { type ConfigKey, configKey, readConfigKey } from '../core/references/config-key.ts';
import { type Reference, templateReferences } from '../core/references/references.ts';
import { deliveryMode } from '../core/reload/delivery-mode.ts';
import { contentHash } from '../core/version/content-hash.ts';
import { mayBeVersionOf, rolloutName } from '../core/version/object-names.ts';
import { unmanagedVersionName } from '../core/version/unmanaged-version.ts';
import type { VersionMetadata } from '../core/version/version-metadata.ts';
import { isMountable } from '../core/workload/mountable-secrets.ts';
import type { WorkloadKind } from '../core/workload/observed.ts';
import { type ConfigId, type Management, manages, parseManage } from '../core/workload/opt-in.ts';
import type { VersionOf } from '../core/workload/pin.ts';
import { rolloutsInGroup } from '../core/workload/rollouts-in-group.ts';
import {
  readWorkloadKey,
  type WorkloadKey,
  workloadKey,
  workloadText,
} from '../core/workload/workload-key.ts';
import { type ChangedKeys, changedKeys } from './changed-keys.ts';
import { versionDiff } from './diff/version-diff.ts';
import { pauseWarnings } from './pause-warnings.ts';
import { type PlannedMoves, plannedMoves } from './planned-moves.ts';
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
  /** The other ConfigRollouts of the namespace, which may share workloads with this one. */
  others: readonly ConfigRollout[];
  /** All versions of the namespace. Of a kind that the caller may not list, those that ConfigRollouts name. */
  versions: readonly VersionMetadata[];
  /** All workloads of the namespace that the caller may list. */
  workloads: readonly PlannedObject[];
  /**
   * The content of the config, of those whose opt-out may wait, and of those in release mode Auto that share workloads
   * with it, directly or through others; without those that the caller may not read.
   */
  live: ReadonlyMap<ConfigKey, ConfigBody | 'missing'>;
  /** The Secrets that the pods of a ServiceAccount can use, by its name, for those that limit them. */
  mountable: ReadonlyMap<string, ReadonlySet<string>>;
  /** Resources that the caller may not list, such as `deployments`. */
  hidden: readonly string[];
  /** Of the plan, in milliseconds since 1970. */
  now: number;
}

/** A workload whose template references the config. */
interface User {
  key: WorkloadKey;
  /** Its references to the config. */
  references: readonly Reference[];
  serviceAccount: string;
  /** Whether its pods can use the version. */
  mayUse: boolean;
}

interface PlannedWorkload {
  kind: string;
  name: string;
  how: 'recycle' | 'reload';
  /** Number of pods that get the version. */
  pods: number;
  warnings: string[];
}

/**
 * A preview of an activation, by the planner of the activation itself. The result may differ, because the cluster may
 * change before the activation.
 */
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
  /** Other configs that the same activation releases. They become current with this one, or are rolled back with it. */
  together: { kind: string; name: string; version: string }[];
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
  const versionOf = versionIn(input);
  const planned = plannedMoves(input, versionOf);
  const own = new Set([configKey(config.kind, config.name)]);
  const users = input.workloads.flatMap((workload): User[] => {
    const references = referencesTo(own, workload, versionOf);
    const serviceAccount = templateOf(workload).spec?.serviceAccountName || 'default';
    const mayUse = isMountable(input.mountable.get(serviceAccount), references, target.version.object);
    return references.length === 0 ? [] : [{ references, key: keyOf(workload), serviceAccount, mayUse }];
  });
  const lines = input.workloads.flatMap((workload) => {
    const key = keyOf(workload);
    if (!planned.moves.has(key)) return [];
    const line = plannedWorkload(input, planned, workload, versionOf);
    return { wave: planned.workloads.get(key)?.wave ?? 0, line };
  });
  const waves = [...new Set(lines.map(({ wave }) => wave))].sort((a, b) => a - b);
  const checked = checkVersion(input, planned, users);
  return {
    apiVersion: `${configRollouts.group}/${configRollouts.version}`,
    kind: 'ActivationPlan',
    metadata: { name: rollout.metadata.name ?? '', namespace: rollout.metadata.namespace ?? '' },
    config: { kind: config.kind, name: config.name },
    version: target.version.name,
    ...(current && { from: current.version.name }),
    activates: planned.activation !== undefined && checked.problems.length === 0,
    together: together(rollout, planned),
    waves: waves.map((wave) => ({
      wave,
      workloads: lines.filter((each) => each.wave === wave).map(({ line }) => line),
    })),
    pods: lines.reduce((sum, { line }) => sum + line.pods, 0),
    changes: changedKeys(current?.body, target.body),
    ...(current && { diff: versionDiff(config, sideOf(current), sideOf(target), false).object() }),
    problems: checked.problems,
    warnings: [
      ...checked.warnings,
      ...warnings(input, planned, users),
      ...(planned.moves.size === 0 && planned.pinned.length > 0
        ? ['All workloads of the config are pinned: the version is parked until one of them is unpinned']
        : []),
    ],
  };
}

function sideOf({ version, body }: PlanInput['target']) {
  return { version: version.name, body };
}

/** The other members of the activation. */
function together({ spec }: ConfigRollout, { activation }: PlannedMoves): ActivationPlan['together'] {
  const own = configKey(spec.config.kind, spec.config.name);
  return (activation?.members ?? [])
    .filter(({ config }) => config !== own)
    .map(({ config, target }) => ({ ...readConfigKey(config), version: target.name }));
}

function plannedWorkload(
  { rollout: { status } }: PlanInput,
  { activation, optOutWaits }: PlannedMoves,
  workload: PlannedObject,
  versionOf: VersionOf,
): PlannedWorkload {
  const { annotations: its = {} } = workload.metadata;
  // The controller assigns versions in this annotation when it reloads the pods of a workload.
  const how = annotations.versions in its ? 'reload' : 'recycle';
  const key = keyOf(workload);
  const { kind, name } = readWorkloadKey(key);
  const pods = podsOf(workload);
  const line = status?.workloads?.find((each) => each.kind === kind && each.name === name);
  const pinned = line?.state === 'Pinned';
  const configs = new Set(activation?.members.map(({ config }) => config));
  return {
    kind,
    name,
    how,
    pods,
    warnings: [
      ...(optOutWaits.get(key) ?? []).map(
        (obstacle) => `The workload has opted out and is updated until it can be set back: ${obstacle}`,
      ),
      ...workloadWarnings({
        workload,
        how,
        wantsReload: deliveryMode(its, templateOf(workload).metadata?.annotations ?? {}) === 'reload',
        references: referencesTo(configs, workload, versionOf),
        pods,
        pinned,
      }),
    ],
  };
}

/** The references of a workload to these configs or to versions of them. */
function referencesTo(
  configs: ReadonlySet<ConfigKey>,
  workload: PlannedObject,
  versionOf: VersionOf,
): Reference[] {
  return templateReferences(templateOf(workload)).filter(({ kind, name }) =>
    configs.has(configKey(kind, versionOf(kind, name) ?? name)),
  );
}

/** Checks the version as the controller does before the activation begins. */
function checkVersion(
  { rollout, target, current, live }: PlanInput,
  { activation, afterRollback, requested, workloads }: PlannedMoves,
  users: readonly User[],
): { problems: string[]; warnings: string[] } {
  const { kind, name } = rollout.spec.config;
  const passed = { problems: [], warnings: [] };
  if (activation === undefined) return passed;
  const isDecided = !afterRollback && isChecked(requested, target.version.object);
  const takers = users.flatMap((user) => {
    const state = workloads.get(user.key);
    return state !== undefined && takesVersion(state) ? [{ ...user, state }] : [];
  });
  // A reference that the ServiceAccount never allowed is not managed, and stays as it is written.
  const isManaged = ({ references }: WorkloadState) => references.has(configKey(kind, name));
  const refused = isDecided ? [] : takers.filter(({ mayUse, state }) => !mayUse && isManaged(state));
  if (refused.length > 0)
    return {
      ...passed,
      problems: refused.map(
        ({ key, serviceAccount }) =>
          versionNotMountable(
            target.version.name,
            readWorkloadKey(key),
            serviceAccount,
            configKey(kind, name),
          ).message,
      ),
    };
  const body = live.get(configKey(kind, name));
  const isLive = body !== undefined && body !== 'missing' && contentHash(body) === target.version.contentHash;
  if (isDecided && !isLive) return passed;
  const keys = isLive ? keysOf(body) : keysOfUnmodified(kind, target.body, target.version.contentHash);
  if (keys === undefined) return { ...passed, problems: [versionModified(target.version.name).message] };
  const taking = takers.map(({ key, references, state }) => ({
    ...{ workload: readWorkloadKey(key), references, hasPods: hasPods(state.observed) },
  }));
  const before = isDecided
    ? new Set<string>()
    : current && keysOfUnmodified(kind, current.body, current.version.contentHash);
  return judgeMissingKeys(target.version.name, missingByUser(taking, keys), before);
}

function warnings(input: PlanInput, planned: PlannedMoves, users: readonly User[]): string[] {
  const { rollout, target, hidden, live, others } = input;
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
    ...(planned.afterRollback
      ? [
          `Version ${target.version.name} is being rolled back: it is activated again when the rollback has ended`,
        ]
      : []),
    ...planned.waitsFor.map(
      (config) => `The activation waits until that of ${config} has ended, because both use a workload`,
    ),
    ...together(rollout, planned).map(
      ({ kind, name, version }) =>
        `Version ${version} of ${kind} ${name} is activated together with this one, because both use a workload: they become current or are rolled back together`,
    ),
    ...pauseWarnings(input, together(rollout, planned)),
    ...planned.pausedBy.map(
      (config) => `The activation waits until the rollout of ${config}, which is paused, is resumed`,
    ),
    ...[...planned.moves.values()].flatMap((move) => alsoAssigned(planned, move)),
    ...(planned.activation === undefined
      ? []
      : users
          .filter(({ key }) => !planned.moves.has(key))
          .map(
            (user) =>
              `${workloadText(user.key)} uses the config but is not updated: ${whyNot(user, planned)}`,
          )),
    ...hidden.map(hiddenText),
    ...rolloutsInGroup(rollout, others)
      .map(({ spec }) => spec)
      .filter(({ release, config }) => release === 'Auto' && !live.has(configKey(config.kind, config.name)))
      .map(
        ({ config: { kind, name } }) =>
          `You may not read ${kind}/${name}: whether it was edited is taken from its ConfigRollout`,
      ),
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
  const version = unmanagedVersionName(live);
  const side = { version, body: live };
  const users = workloads.filter((workload) =>
    templateReferences(templateOf(workload)).some((each) => each.kind === kind && each.name === name),
  );
  return {
    apiVersion: `${configRollouts.group}/${configRollouts.version}`,
    kind: 'ActivationPlan',
    metadata: { name: rolloutName(kind, name), namespace },
    config: { kind, name },
    version,
    from: version,
    activates: false,
    together: [],
    waves: [],
    pods: 0,
    changes: changedKeys(live, live),
    diff: versionDiff({ kind, name }, side, side, false).object(),
    problems: [],
    warnings: [
      `The config is not managed: its content is version ${version}, and the request changes nothing`,
      ...users.map((workload) => {
        const isOptedIn = hasOptedIn(workload, live, { kind, name });
        const text = workloadText(keyOf(workload));
        return isOptedIn
          ? `${text} has opted in and is not managed yet: the controller assigns version ${version} to it, which replaces its pods once, with or without this request`
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
  if (plural === 'configmaps' || plural === 'secrets')
    return `You may not list ${plural}: versions of ${plural === 'secrets' ? 'Secrets' : 'ConfigMaps'} are taken from their ConfigRollouts, and workloads with other versions are shown as pinned`;
  if (plural === 'serviceaccounts')
    return 'You may not list serviceaccounts: whether they allow versions of Secrets is not checked';
  return `You may not list ${plural}: the plan does not include them`;
}

function whyNot({ key, mayUse }: User, { pinned, moved }: PlannedMoves): string {
  if (pinned.includes(key)) return `it is pinned by annotation ${annotations.pin}`;
  if (moved.includes(key)) return 'it has the version already';
  return mayUse ? 'it has not opted in, or has opted out' : 'its ServiceAccount does not allow the version';
}

/** An activation ends what another client chose as a whole, so that other configs of the workload change, too. */
function alsoAssigned(
  { workloads, activation }: PlannedMoves,
  { workload, references }: { workload: WorkloadKey; references: ManagedReferences },
): string[] {
  const before = workloads.get(workload);
  if (before?.assignment !== 'pinned') return [];
  const members = new Set(activation?.members.map(({ config }) => config));
  return [...references].flatMap(([config, object]) =>
    members.has(config) || before.references.get(config) === object
      ? []
      : [
          `${workloadText(workload)} gets the current version of ${config}, too: another client chose an older one`,
        ],
  );
}

/** Without the versions, only the form of a name tells whether it may be a version of the config. */
function versionIn({ rollout, versions, target }: PlanInput): VersionOf {
  const { config } = rollout.spec;
  const known = new Map(versions.map((each) => [configKey(each.kind, each.object), each.config]));
  const isListed = versions.some(({ object }) => object === target.version.object);
  return (kind, object) => {
    const isLike = !isListed && kind === config.kind && mayBeVersionOf(config.name, object);
    return known.get(configKey(kind, object)) ?? (isLike ? config.name : undefined);
  };
}

/** Number of pods that the workload wants. */
export function podsOf({ kind, spec, status }: PlannedObject): number {
  return kind === 'DaemonSet' ? (status?.desiredNumberScheduled ?? 0) : (spec?.replicas ?? 1);
}

function keyOf({ kind, metadata }: PlannedObject): WorkloadKey {
  return workloadKey(kind, metadata.name ?? '');
}
