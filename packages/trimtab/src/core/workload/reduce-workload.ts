import type { KubeObject } from '@trimtab/kube/wire.ts';
import { annotations as names } from '../../api/names.ts';
import type { PodTemplate } from '../../api/pod-template.ts';
import { managedFieldsOf } from '../managed-fields/managed-fields.ts';
import { type ReferenceOwners, referenceOwners } from '../managed-fields/reference-owners.ts';
import { isVersionsApplied } from '../managed-fields/versions-field.ts';
import { assignedObjects } from '../references/assigned-versions.ts';
import { templateShape } from '../references/assignment.ts';
import { type ConfigKind, type Reference, templateReferences } from '../references/references.ts';
import type { ObservedWorkload, WorkloadKind } from './observed.ts';

/** A workload, reduced to the references of its pod template and the progress of its rollout. */
export interface Workload {
  kind: WorkloadKind;
  namespace: string;
  name: string;
  uid: string;
  resourceVersion: string;
  deleting: boolean;
  labels: Record<string, string>;
  annotations: Record<string, string>;
  /** Annotations of the pod template. */
  templateAnnotations: Record<string, string>;
  references: Reference[];
  /** Name of the ServiceAccount of its pods. */
  serviceAccount: string;
  /** Owners of the fields of references, by their pointers. */
  owners: ReadonlyMap<string, ReferenceOwners>;
  /** A server-side apply owns the annotation of the template that assigns versions. */
  isVersionsApplied: boolean;
  /** Version objects that the template need not name: those that Trimtab assigned for a reload, and pinned ones. */
  assigned: { kind: ConfigKind; name: string }[];
  /** Hash of the pod template without the names of the referenced configs. */
  shape: string;
  observed: ObservedWorkload;
}

interface WorkloadObject extends KubeObject {
  spec?: {
    replicas?: number;
    paused?: boolean;
    template?: PodTemplate;
    strategy?: { type?: string };
    updateStrategy?: { type?: string; rollingUpdate?: { partition?: number } };
  };
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
    numberReady?: number;
    numberAvailable?: number;
    conditions?: { type: string; status: string; reason?: string; message?: string }[];
  };
}

export function workload(kind: WorkloadKind): (object: KubeObject) => Workload {
  return (object) => {
    const { metadata, spec } = object as WorkloadObject;
    const template = spec?.template ?? {};
    const references = templateReferences(template);
    return {
      kind,
      namespace: metadata.namespace ?? '',
      name: metadata.name ?? '',
      uid: metadata.uid ?? '',
      resourceVersion: metadata.resourceVersion ?? '',
      deleting: metadata.deletionTimestamp !== undefined,
      labels: metadata.labels ?? {},
      annotations: withoutCopies(metadata.annotations),
      templateAnnotations: template.metadata?.annotations ?? {},
      references,
      serviceAccount: template.spec?.serviceAccountName || 'default',
      owners: referenceOwners(template, references, managedFieldsOf(object)),
      isVersionsApplied: isVersionsApplied(managedFieldsOf(object)),
      assigned: [names.versions, names.pin].flatMap((name) => assignedObjects(metadata.annotations?.[name])),
      shape: templateShape(template),
      observed: observe(kind, object as WorkloadObject),
    };
  };
}

function observe(kind: WorkloadKind, { metadata, spec, status }: WorkloadObject): ObservedWorkload {
  const common = {
    kind,
    generation: metadata.generation ?? 0,
    observedGeneration: status?.observedGeneration ?? 0,
    paused: spec?.paused === true,
    createFailure: condition(status, 'ReplicaFailure', 'True')?.message,
  };
  const desired = spec?.replicas ?? 1;
  switch (kind) {
    case 'Deployment':
      return {
        ...common,
        desired,
        replicas: status?.replicas ?? 0,
        updated: status?.updatedReplicas ?? 0,
        ready: status?.readyReplicas ?? 0,
        available: status?.availableReplicas ?? 0,
        strategy: spec?.strategy?.type === 'Recreate' ? 'Recreate' : 'RollingUpdate',
        partition: 0,
        rolledOut: condition(status, 'Progressing', 'True')?.reason === 'NewReplicaSetAvailable',
        stalled: condition(status, 'Progressing', 'False')?.reason === 'ProgressDeadlineExceeded',
      };
    case 'StatefulSet':
      return {
        ...common,
        desired,
        replicas: status?.replicas ?? 0,
        updated: status?.updatedReplicas ?? 0,
        ready: status?.readyReplicas ?? 0,
        available: status?.availableReplicas ?? 0,
        strategy: spec?.updateStrategy?.type === 'OnDelete' ? 'OnDelete' : 'RollingUpdate',
        partition: spec?.updateStrategy?.rollingUpdate?.partition ?? 0,
        rolledOut: status?.updateRevision !== undefined && status.currentRevision === status.updateRevision,
        stalled: false,
      };
    case 'DaemonSet': {
      const wanted = status?.desiredNumberScheduled ?? 0;
      const updated = status?.updatedNumberScheduled ?? 0;
      return {
        ...common,
        desired: wanted,
        replicas: status?.currentNumberScheduled ?? 0,
        updated,
        ready: status?.numberReady ?? 0,
        available: status?.numberAvailable ?? 0,
        strategy: spec?.updateStrategy?.type === 'OnDelete' ? 'OnDelete' : 'RollingUpdate',
        partition: 0,
        rolledOut: updated >= wanted,
        stalled: false,
      };
    }
  }
}

function condition(status: WorkloadObject['status'], type: string, value: string) {
  return status?.conditions?.find((each) => each.type === type && each.status === value);
}

/** The objects that a workload uses: those that its template references, those that it was assigned, and those that it is pinned to. */
export function usedObjects({
  references,
  assigned,
}: Pick<Workload, 'references' | 'assigned'>): { kind: ConfigKind; name: string }[] {
  return [...references, ...assigned];
}

const lastApplied = 'kubectl.kubernetes.io/last-applied-configuration';

/** Empties the annotation in which `kubectl apply` keeps a copy of the whole object. That it exists matters to patches. */
function withoutCopies(all: Record<string, string> = {}): Record<string, string> {
  return lastApplied in all ? { ...all, [lastApplied]: '' } : all;
}
