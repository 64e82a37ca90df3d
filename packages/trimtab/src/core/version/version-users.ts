import type { KubeObject } from '@trimtab/kube/wire.ts';
import { annotations } from '../../api/names.ts';
import type { PodTemplate } from '../../api/pod-template.ts';
import type { ReportedPod } from '../../api/reload-report.ts';
import { podTemplateOf } from '../injection/pod-template-of.ts';
import { findReferences } from '../references/references.ts';
import { assignedObjects } from '../reload/assigned-versions.ts';
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
}

/** The objects that use a version, by their names. */
export interface VersionUsers {
  /** Pods that have not ended. */
  pods: string[];
  /** What new pods with the version can come from, such as `deployment/web`. */
  workloads: string[];
  /** Old ReplicaSets and ControllerRevisions, which only `kubectl rollout undo` uses: `replicaset/web-5d4f8c7b6`. */
  revisions: string[];
}

/**
 * Returns what uses a version. `isMoving`: an activation of the config is in progress, so that a workload may be
 * reverted to the versions that it had before.
 */
export function versionUsers(
  { kind, object }: Pick<VersionMetadata, 'kind' | 'object'>,
  { workloads, revisions, pods, reported }: UsingObjects,
  isMoving: boolean,
): VersionUsers {
  const named = (each: KubeObject) =>
    referencesOf(each).some((reference) => reference.kind === kind && reference.name === object);
  // Object names of versions are unique, so a text search in the record is sufficient.
  const mayReturn = (each: KubeObject) =>
    isMoving && (each.metadata.annotations?.[annotations.assignment] ?? '').includes(JSON.stringify(object));
  const runs = ({ metadata }: KubeObject) =>
    reported.get(metadata.uid ?? '')?.runs.some((each) => each.object === object) ?? false;
  const kept = revisions.filter(named);
  const inUse = liveRevisions(workloads);
  const isLive = (each: KubeObject) =>
    each.kind === 'ReplicaSet' ? wantsPods(each) : inUse.has(each.metadata.name ?? '');
  return {
    pods: pods.filter((pod) => !hasEnded(pod) && (named(pod) || runs(pod))).map(nameOf),
    workloads: [
      ...workloads.filter((each) => named(each) || mayReturn(each)),
      ...kept.filter((each) => isLive(each)),
    ].map(typed),
    revisions: kept.filter((each) => !isLive(each)).map(typed),
  };
}

/** What the template of an object names, and what a workload is assigned or pinned to. */
function referencesOf(object: KubeObject & { data?: { spec?: { template?: PodTemplate } } }) {
  // A ControllerRevision has the pod template in its data.
  const template = object.data?.spec?.template ?? podTemplateOf(object) ?? {};
  const its = object.metadata.annotations ?? {};
  return [
    ...findReferences(template),
    ...assignedObjects(its[annotations.versions]),
    ...assignedObjects(its[annotations.pin]),
  ];
}

/** A ReplicaSet without a Deployment is not an old revision, although it may be scaled to 0. */
function wantsPods({ metadata, spec, status }: KubeObject & { spec?: Scale; status?: Scale }): boolean {
  const isOwned = metadata.ownerReferences?.some(({ controller }) => controller) ?? false;
  return !isOwned || (spec?.replicas ?? 1) > 0 || (status?.replicas ?? 0) > 0;
}

interface Scale {
  replicas?: number;
}

/** The ControllerRevisions that a StatefulSet creates pods from: with a partition, also the one before its template. */
function liveRevisions(workloads: readonly KubeObject[]): Set<string> {
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

function nameOf({ metadata }: KubeObject): string {
  return metadata.name ?? '';
}

function typed({ kind = '', metadata }: KubeObject): string {
  return `${kind.toLowerCase()}/${metadata.name ?? ''}`;
}
