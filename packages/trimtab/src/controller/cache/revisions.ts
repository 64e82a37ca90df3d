import type { KubeObject } from '@trimtab/kube/wire.ts';
import type { PodTemplate } from '../../api/pod-template.ts';
import { type ConfigKind, findReferences } from '../../core/references/references.ts';
import { distinct } from './pods.ts';

/** A ReplicaSet or ControllerRevision: an old or new template of a workload, which keeps its versions alive. */
export interface Revision {
  kind: 'ReplicaSet' | 'ControllerRevision';
  namespace: string;
  name: string;
  uid: string;
  /** The uid of the workload it belongs to; '' for a lone ReplicaSet. */
  ownerUid: string;
  deleting: boolean;
  references: { kind: ConfigKind; name: string }[];
  /** As `kubectl rollout history` numbers it; undefined before its controller has numbered it. */
  number: number | undefined;
}

interface RevisionObject extends KubeObject {
  /** ReplicaSet */
  spec?: { template?: PodTemplate };
  /** ControllerRevision: a patch of the workload that holds its whole template. */
  data?: { spec?: { template?: PodTemplate } };
  revision?: number;
}

export function revision(kind: Revision['kind']): (object: KubeObject) => Revision {
  return (object) => {
    const { metadata, spec, data, revision: number } = object as RevisionObject;
    const numbered = metadata.annotations?.['deployment.kubernetes.io/revision'];
    return {
      kind,
      namespace: metadata.namespace ?? '',
      name: metadata.name ?? '',
      uid: metadata.uid ?? '',
      ownerUid: metadata.ownerReferences?.find(({ controller }) => controller)?.uid ?? '',
      deleting: metadata.deletionTimestamp !== undefined,
      references: distinct(
        findReferences((kind === 'ReplicaSet' ? spec?.template : data?.spec?.template) ?? {}),
      ),
      number: kind === 'ControllerRevision' ? number : numbered === undefined ? undefined : Number(numbered),
    };
  };
}
