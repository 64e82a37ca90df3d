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
  /** Jobs, CronJobs and ReplicationControllers: they create pods from their own template, also when none exists now. */
  creators: readonly KubeObject[];
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
  /** Jobs that have not ended, CronJobs and ReplicationControllers whose template names the version. */
  creators: string[];
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

export type UsersOf = (version: Pick<VersionMetadata, 'kind' | 'object'>) => VersionUsers;

/** About 5 ms of CPU time. */
export const objectsPerStep = 500;

/**
 * Returns what uses each version. Every object is read once, whatever the number of versions. A namespace may have 15,000
 * objects, so the generator yields after each step: a caller that serves others lets them proceed there.
 */
export function* versionUserIndex(objects: UsingObjects): Generator<undefined, UsersOf> {
  const index = new VersionUserIndex(objects);
  const passes: [readonly KubeObject[], (object: KubeObject) => void][] = [
    [objects.workloads, (each) => index.addWorkload(each)],
    [objects.creators, (each) => index.addCreator(each)],
    [objects.revisions, (each) => index.addRevision(each)],
    [objects.pods, (each) => index.addPod(each)],
  ];
  let read = 0;
  for (const [list, add] of passes)
    for (const object of list) {
      add(object);
      read += 1;
      if (read % objectsPerStep === 0) yield;
    }
  return (version) => index.usersOf(version);
}

/** Returns what uses each version, in one step. */
export function versionUsers(objects: UsingObjects): UsersOf {
  const steps = versionUserIndex(objects);
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}

type ObjectName = { kind: ConfigKind; name: string };

class VersionUserIndex {
  readonly #users = new Map<string, VersionUsers>();
  readonly #reported: UsingObjects['reported'];
  readonly #moving: readonly ConfigRollout[];
  readonly #created: ReadonlySet<string>;

  constructor({ workloads, reported, rollouts }: UsingObjects) {
    this.#reported = reported;
    this.#moving = rollouts.filter(({ status }) => status?.target !== undefined);
    this.#created = revisionsOfStatefulSets(workloads);
  }

  usersOf({ kind, object }: Parameters<UsersOf>[0]): VersionUsers {
    return this.#users.get(keyOf({ kind, name: object })) ?? noUsers();
  }

  addWorkload(each: KubeObject): void {
    const name = typed(each);
    const pinned = assignedObjects(noted(each, annotations.pin));
    const used = new Set([...pinned, ...namedObjects(each)].map(keyOf));
    this.#note(used, ({ workloads }) => workloads.push(name));
    this.#note(new Set(pinned.map(keyOf)), (users) => users.pinned.push(name));
    const { kind = '', metadata } = each;
    if (!isWorkloadKind(kind)) return;
    const key = workloadKey(kind, metadata.name ?? '');
    const previous = rollbackTargets(key, noted(each, annotations.assignment), this.#moving).map(keyOf);
    this.#note(new Set(previous).difference(used), ({ returning }) => returning.push(name));
  }

  addCreator(each: KubeObject): void {
    if (isEndedJob(each)) return;
    this.#note(new Set(namedObjects(each).map(keyOf)), ({ creators }) => creators.push(typed(each)));
  }

  addRevision(each: KubeObject): void {
    const isLive =
      each.kind === 'ReplicaSet'
        ? wantsPods(each)
        : isForeign(each) || this.#created.has(each.metadata.name ?? '');
    const name = typed(each);
    this.#note(new Set(revisionReferences(each).map(keyOf)), ({ live, revisions }) => {
      if (isLive) live.push({ revision: name, owner: ownerOf(each) });
      else revisions.push(name);
    });
  }

  addPod(each: KubeObject): void {
    if (hasEnded(each)) return;
    const { name = '', uid = '' } = each.metadata;
    const used = new Set(
      [...assignedObjects(noted(each, annotations.pin)), ...namedObjects(each)].map(keyOf),
    );
    this.#note(used.union(this.#runs(uid)), ({ pods }) => pods.push(name));
  }

  /** A report names an object without its kind, so it counts for both kinds. */
  #runs(uid: string): Set<string> {
    const runs = this.#reported.get(uid)?.runs ?? [];
    return new Set(runs.flatMap(({ object: name }) => kinds.map((kind) => keyOf({ kind, name }))));
  }

  #note(keys: ReadonlySet<string>, add: (users: VersionUsers) => void): void {
    for (const key of keys) {
      const users = this.#users.get(key) ?? noUsers();
      this.#users.set(key, users);
      add(users);
    }
  }
}

const kinds: readonly ConfigKind[] = ['ConfigMap', 'Secret'];

function noUsers(): VersionUsers {
  return { pods: [], workloads: [], pinned: [], returning: [], creators: [], live: [], revisions: [] };
}

function keyOf({ kind, name }: ObjectName): string {
  return `${kind}/${name}`;
}

/** What an object names in its template, or is assigned. */
function namedObjects(object: KubeObject): ObjectName[] {
  return [...assignedObjects(noted(object, annotations.versions)), ...objectReferences(object)];
}

function noted({ metadata }: KubeObject, name: string): string | undefined {
  return metadata.annotations?.[name];
}

/** A Job that has ended creates no pods. */
function isEndedJob({ kind, status }: KubeObject & { status?: { conditions?: Condition[] } }): boolean {
  if (kind !== 'Job' || !Array.isArray(status?.conditions)) return false;
  return status.conditions.some(
    (each) => each.status === 'True' && /^(Complete|Failed)$/.test(each.type ?? ''),
  );
}

interface Condition {
  type?: string;
  status?: string;
}

/**
 * Only a Deployment has old revisions that stay scaled to 0. A ReplicaSet without an owner may be scaled up, and how
 * another controller, such as that of an Argo Rollout, scales its ReplicaSets is not known.
 */
function wantsPods(object: KubeObject & { spec?: Scale; status?: Scale }): boolean {
  const { spec, status } = object;
  const isOfDeployment = ownerOf(object)?.startsWith('deployment/') === true;
  return !isOfDeployment || (spec?.replicas ?? 1) > 0 || (status?.replicas ?? 0) > 0;
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
