import type { KubeObject } from '@trimtab/kube/wire.ts';
import type { ConfigRollout } from '../../api/config-rollout.ts';
import { annotations } from '../../api/names.ts';
import type { ReportedPod } from '../../api/reload-report.ts';
import { rollbackTargets } from '../activation/rollback-targets.ts';
import { objectReferences } from '../injection/pod-template-of.ts';
import { assignedObjects } from '../references/assigned-versions.ts';
import type { ConfigKind } from '../references/references.ts';
import { revisionReferences } from '../references/revision-references.ts';
import { isWorkloadKind, workloadKey } from '../workload/workload-key.ts';
import type { VersionMetadata } from './version-metadata.ts';

/** The objects of a namespace that can use a version. */
export interface UsingObjects {
  /** Deployments, StatefulSets and DaemonSets. */
  workloads: readonly KubeObject[];
  /** ReplicaSets and ControllerRevisions. */
  revisions: readonly KubeObject[];
  pods: readonly KubeObject[];
  /** What the agents of reloaded pods have reported, by the uid of the pod. */
  reported: ReadonlyMap<string, ReportedPod>;
  /** All ConfigRollouts of the namespace: any activation in progress may revert a workload. */
  rollouts: readonly ConfigRollout[];
}

/** The objects that use a version, by their names, such as `deployment/web`. Names of pods have no kind. */
export interface VersionUsers {
  /** Pods that have not ended. */
  pods: string[];
  /** Workloads whose template names the version, or that are assigned or pinned to it. */
  workloads: string[];
  /** Those of `workloads` that a user pinned to the version. */
  pinned: string[];
  /** Workloads that return to the version if an activation in progress fails. */
  returning: string[];
  /** Revisions that new pods can still come from. */
  live: LiveRevision[];
  /** Old ReplicaSets and ControllerRevisions, which only `kubectl rollout undo` uses: `replicaset/web-5d4f8c7b6`. */
  revisions: string[];
}

export interface LiveRevision {
  revision: string;
  /** The owner, which creates pods from the revision; undefined for a ReplicaSet of its own. */
  owner: string | undefined;
}

/** Returns what uses a version. */
export function versionUsers(
  { kind, object }: Pick<VersionMetadata, 'kind' | 'object'>,
  { workloads, revisions, pods, reported, rollouts }: UsingObjects,
): VersionUsers {
  const has = (references: readonly { kind: ConfigKind; name: string }[]) =>
    references.some((each) => each.kind === kind && each.name === object);
  const noted = ({ metadata }: KubeObject, name: string) => metadata.annotations?.[name];
  const isPinned = (each: KubeObject) => has(assignedObjects(noted(each, annotations.pin)));
  const uses = (each: KubeObject) =>
    isPinned(each) || has(assignedObjects(noted(each, annotations.versions))) || has(objectReferences(each));
  const mayReturn = (each: KubeObject) => {
    const { kind: its = '', metadata } = each;
    if (!isWorkloadKind(its)) return false;
    const key = workloadKey(its, metadata.name ?? '');
    return has(rollbackTargets(key, noted(each, annotations.assignment), rollouts));
  };
  const runs = ({ metadata }: KubeObject) =>
    reported.get(metadata.uid ?? '')?.runs.some((each) => each.object === object) ?? false;
  const kept = revisions.filter((each) => has(revisionReferences(each)));
  const created = revisionsOfStatefulSets(workloads);
  const isLive = (each: KubeObject) =>
    each.kind === 'ReplicaSet' ? wantsPods(each) : isForeign(each) || created.has(each.metadata.name ?? '');
  const using = workloads.filter(uses);
  return {
    pods: pods
      .filter((pod) => !hasEnded(pod) && (uses(pod) || runs(pod)))
      .map(({ metadata }) => metadata.name ?? ''),
    workloads: using.map(typed),
    pinned: using.filter(isPinned).map(typed),
    returning: workloads.filter((each) => !using.includes(each) && mayReturn(each)).map(typed),
    live: kept.filter(isLive).map((each) => ({ revision: typed(each), owner: ownerOf(each) })),
    revisions: kept.filter((each) => !isLive(each)).map(typed),
  };
}

/** A ReplicaSet without a Deployment is not an old revision, although it may be scaled to 0. */
function wantsPods(object: KubeObject & { spec?: Scale; status?: Scale }): boolean {
  const { spec, status } = object;
  return ownerOf(object) === undefined || (spec?.replicas ?? 1) > 0 || (status?.replicas ?? 0) > 0;
}

interface Scale {
  replicas?: number;
}

/** Which revisions another controller creates pods from is not known, so all of them count. */
function isForeign(object: KubeObject): boolean {
  return !/^(statefulset|daemonset)\//.test(ownerOf(object) ?? '');
}

/** The ControllerRevisions that a StatefulSet creates pods from: with a partition, also the one before its template. */
function revisionsOfStatefulSets(workloads: readonly KubeObject[]): Set<string> {
  return new Set(
    workloads.flatMap((each: KubeObject & { status?: Revisions }) => [
      each.status?.currentRevision ?? '',
      each.status?.updateRevision ?? '',
    ]),
  );
}

interface Revisions {
  currentRevision?: string;
  updateRevision?: string;
}

function hasEnded({ status }: KubeObject & { status?: { phase?: string } }): boolean {
  return status?.phase === 'Succeeded' || status?.phase === 'Failed';
}

function ownerOf({ metadata }: KubeObject): string | undefined {
  const owner = metadata.ownerReferences?.find(({ controller }) => controller);
  return owner && `${owner.kind.toLowerCase()}/${owner.name}`;
}

function typed({ kind = '', metadata }: KubeObject): string {
  return `${kind.toLowerCase()}/${metadata.name ?? ''}`;
}
