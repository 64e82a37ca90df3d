import type { KubeObject } from '@trimtab/kube/wire.ts';
import type { ConfigRollout } from '../../../src/api/config-rollout.ts';
import { annotations, labels } from '../../../src/api/names.ts';
import type { PodTemplate } from '../../../src/api/pod-template.ts';
import { findReferences } from '../../../src/core/references/references.ts';
import { contentHash } from '../../../src/core/version/content-hash.ts';
import { rolloutName } from '../../../src/core/version/object-names.ts';
import type { Entry } from './timeline.ts';

export interface Config extends KubeObject {
  data?: Record<string, string>;
  binaryData?: Record<string, string>;
  type?: string;
}

/** A version, read from the metadata of its object. */
export interface Version {
  object: Config;
  /** For example `ConfigMap/foo-abc…`. */
  key: string;
  /** Name of the ConfigRollout. */
  rollout: string;
  name: string;
  sequence: string;
  state: string | undefined;
  hash: string;
}

export interface Workload extends KubeObject {
  spec: { replicas?: number; template: PodTemplate };
  status?: {
    observedGeneration?: number;
    replicas?: number;
    updatedReplicas?: number;
    readyReplicas?: number;
    availableReplicas?: number;
    currentRevision?: string;
    updateRevision?: string;
    desiredNumberScheduled?: number;
    currentNumberScheduled?: number;
    updatedNumberScheduled?: number;
    numberAvailable?: number;
  };
}

/** A user pinned the workload: it takes part in no activation. */
export function isPinned({ metadata }: Workload): boolean {
  return metadata.annotations?.[annotations.pin] !== undefined;
}

export interface Pod extends KubeObject {
  status?: {
    conditions?: { type: string; status: string }[];
    containerStatuses?: { restartCount: number; state: { waiting?: { reason: string } } }[];
  };
}

const workloadKinds = ['Deployment', 'StatefulSet', 'DaemonSet'];

export function isWorkload(kind: string): boolean {
  return workloadKinds.includes(kind);
}

/** The objects of a namespace at one moment of a timeline. */
export class World {
  readonly objects = new Map<string, KubeObject>();

  apply({ key, gone, object }: Entry): void {
    if (gone) this.objects.delete(key);
    else this.objects.set(key, object);
  }

  has(key: string): boolean {
    return this.objects.has(key);
  }

  versions(rollout?: string): Version[] {
    return [...this.objects].flatMap(([key, object]) => {
      const version = versionOf(key, object);
      return version !== undefined && (rollout === undefined || version.rollout === rollout) ? [version] : [];
    });
  }

  version(key: string): Version | undefined {
    const object = this.objects.get(key);
    return object && versionOf(key, object);
  }

  /** The content hash of the live config of a rollout; undefined when it does not exist. */
  liveHash({ spec }: ConfigRollout): string | undefined {
    const { kind, name } = spec.config;
    const live = this.objects.get(`${kind}/${name}`) as Config | undefined;
    return live && contentHash({ data: live.data, binaryData: live.binaryData, type: live.type });
  }

  rollouts(): ConfigRollout[] {
    return this.#ofKind<ConfigRollout>('ConfigRollout').map(([, rollout]) => rollout);
  }

  workloads(): [key: string, workload: Workload][] {
    return workloadKinds.flatMap((kind) => this.#ofKind<Workload>(kind));
  }

  /**
   * Returns the workloads that reference the original or a version of this rollout. One that opted out stays until it
   * references the original.
   */
  usersOf({ metadata, spec }: ConfigRollout): [key: string, workload: Workload, names: string][] {
    const original = `${spec.config.kind}/${spec.config.name}`;
    return this.workloads().flatMap(([key, workload]) => {
      const optsOut = workload.metadata.annotations?.[annotations.manage] === 'false';
      const names = referencesOf(workload).find(
        (each) => each === original || this.version(each)?.rollout === metadata.name,
      );
      if (names === undefined || (optsOut && names === original)) return [];
      return [[key, workload, names] as [string, Workload, string]];
    });
  }

  /** Returns the keys of all pods, workloads and revisions that reference this ConfigMap or Secret. */
  naming(key: string): string[] {
    return [...this.objects].flatMap(([user, object]) => (referencesOf(object).includes(key) ? [user] : []));
  }

  /** Finds the pods by the label that the builders set. */
  podsOf({ metadata }: Workload): Pod[] {
    return this.#ofKind<Pod>('Pod').flatMap(([, pod]) =>
      pod.metadata.labels?.['app'] === metadata.name ? [pod] : [],
    );
  }

  #ofKind<T extends KubeObject>(kind: string): [string, T][] {
    return [...this.objects].filter(([key]) => key.startsWith(`${kind}/`)) as [string, T][];
  }
}

export function versionOf(key: string, object: KubeObject): Version | undefined {
  const marks = object.metadata.annotations ?? {};
  if (object.metadata.labels?.[labels.versionOf] === undefined) return undefined;
  const kind = key.startsWith('Secret/') ? 'Secret' : 'ConfigMap';
  return {
    object,
    key,
    rollout: rolloutName(kind, marks[annotations.config] ?? ''),
    name: marks[annotations.version] ?? '',
    sequence: marks[annotations.sequence] ?? '',
    state: object.metadata.labels[labels.state],
    hash: marks[annotations.contentHash] ?? '',
  };
}

/** Computes the hash of the actual content. */
export function realHash({ object, key }: Version): string {
  const type = key.startsWith('Secret/')
    ? object.metadata.annotations?.[annotations.originalType]
    : undefined;
  return contentHash({ data: object.data, binaryData: object.binaryData, type });
}

/** Returns the references of a pod, a workload or a revision, for example `ConfigMap/foo`. */
export function referencesOf(object: KubeObject): string[] {
  const { spec, data } = object as KubeObject & {
    spec?: PodTemplate['spec'] & { template?: PodTemplate };
    data?: { spec?: { template?: PodTemplate } };
  };
  // A ControllerRevision has the pod template in its data; the data of a ConfigMap has no spec.
  const template = spec?.template ?? data?.spec?.template ?? (spec && { spec });
  if (typeof template !== 'object' || typeof template.spec !== 'object') return [];
  return [...new Set(findReferences(template).map(({ kind, name }) => `${kind}/${name}`))];
}

export function isReady({ metadata, status }: Pod): boolean {
  const ready = status?.conditions?.find(({ type }) => type === 'Ready');
  return metadata.deletionTimestamp === undefined && ready?.status === 'True';
}

/** Templates of random scenarios may name these configs, which cannot have versions. */
const unmanageable = ['ConfigMap/overrides', 'Secret/token'];

export function isManageable(reference: string): boolean {
  return !unmanageable.includes(reference);
}

export function wantsPods({ spec, status }: Workload): boolean {
  return (status?.desiredNumberScheduled ?? spec.replicas ?? 1) > 0;
}

/** Whether all pods match the pod template and are available. */
export function isRolledOut({ metadata, spec, status = {} }: Workload): boolean {
  // A DaemonSet has one pod per node and reports the counts in other fields.
  const wanted = status.desiredNumberScheduled ?? spec.replicas ?? 1;
  const there = status.currentNumberScheduled ?? status.replicas;
  const updated = status.updatedNumberScheduled ?? status.updatedReplicas;
  const available = status.numberAvailable ?? status.availableReplicas;
  return (
    status.observedGeneration === metadata.generation &&
    [there, updated, available].every((count = 0) => count === wanted) &&
    status.currentRevision === status.updateRevision
  );
}
