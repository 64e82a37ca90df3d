import type { KubeObject } from '@trimtab/kube/wire.ts';
import type { PodTemplate } from '../../api/pod-template.ts';
import { type ConfigKind, findReferences } from '../../core/references/references.ts';
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
  /** ReplicaSet */
  spec?: { template?: PodTemplate };
  /** ControllerRevision: a patch of the workload that contains the complete pod template. */
  data?: { spec?: { template?: PodTemplate } };
  revision?: number;
}

export function revision(kind: Revision['kind']): (object: KubeObject) => Revision {
  return (object) => {
    const { metadata, spec, data, revision: number } = object as RevisionObject;
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
      references: distinct(
        findReferences((kind === 'ReplicaSet' ? spec?.template : data?.spec?.template) ?? {}),
      ),
      number: kind === 'ControllerRevision' ? number : numbered === undefined ? undefined : Number(numbered),
    };
  };
}
