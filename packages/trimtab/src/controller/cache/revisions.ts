import type { KubeObject } from '@trimtab/kube/wire.ts';
import type { ConfigKind } from '../../core/references/references.ts';
import { revisionReferences } from '../../core/references/revision-references.ts';
import { distinct } from '../../core/workload/observe-pod.ts';

/** A ReplicaSet or ControllerRevision: one pod template of a workload, which keeps the referenced versions in use. */
export interface Revision {
  kind: 'ReplicaSet' | 'ControllerRevision';
  namespace: string;
  name: string;
  uid: string;
  /** Uid of the workload; '' for a ReplicaSet without owner. */
  ownerUid: string;
  /** Name of the workload; '' for a ReplicaSet without owner. */
  ownerName: string;
  deleting: boolean;
  references: { kind: ConfigKind; name: string }[];
  /** Revision number in `kubectl rollout history`; undefined before the workload controller has set it. */
  number: number | undefined;
}

interface RevisionObject extends KubeObject {
  revision?: number;
}

export function revision(kind: Revision['kind']): (object: KubeObject) => Revision {
  return (object) => {
    const { metadata, revision: number } = object as RevisionObject;
    const owner = metadata.ownerReferences?.find(({ controller }) => controller);
    const numbered = metadata.annotations?.['deployment.kubernetes.io/revision'];
    return {
      kind,
      namespace: metadata.namespace ?? '',
      name: metadata.name ?? '',
      uid: metadata.uid ?? '',
      ownerUid: owner?.uid ?? '',
      ownerName: owner?.name ?? '',
      deleting: metadata.deletionTimestamp !== undefined,
      references: distinct(revisionReferences({ ...object, kind })),
      number: kind === 'ControllerRevision' ? number : numbered === undefined ? undefined : Number(numbered),
    };
  };
}
