import type { KubeObject } from '@trimtab/kube/wire.ts';
import type { PodTemplate } from '../../api/pod-template.ts';

/** Deployment, StatefulSet or DaemonSet as it is admitted. Objects keep fields we do not name. */
export interface WorkloadObject extends KubeObject {
  spec?: { template?: PodTemplate };
}

/** The parts of `AdmissionReview` (admission.k8s.io/v1) that we read. */
export interface AdmissionRequest<T extends KubeObject = WorkloadObject> {
  uid: string;
  kind: { kind: string };
  /** Empty while a name is still to be generated. */
  name?: string;
  namespace: string;
  operation: 'CREATE' | 'UPDATE';
  object: T;
  oldObject?: T | null;
  /** Who asks, as the API server knows them. */
  userInfo?: { username?: string };
  dryRun?: boolean;
}

export type PatchOperation =
  | { op: 'test' | 'add' | 'replace'; path: string; value: unknown }
  | { op: 'remove'; path: string; value?: never };

/** What is done to an object on its way in. */
export interface Mutation {
  patch: PatchOperation[];
  warnings: string[];
}

export const unchanged: Mutation = { patch: [], warnings: [] };

/** Undefined for what is no review of an object. */
export function readReview(text: string): AdmissionRequest | undefined {
  let review: unknown;
  try {
    review = JSON.parse(text);
  } catch {
    return undefined;
  }
  const request = (review as { request?: Partial<AdmissionRequest> } | null)?.request;
  const isWhole =
    typeof request?.uid === 'string' &&
    typeof request.namespace === 'string' &&
    typeof request.kind?.kind === 'string' &&
    typeof request.object?.metadata === 'object';
  return isWhole ? (request as AdmissionRequest) : undefined;
}

/** The answer is always yes: a webhook for convenience must not keep anybody from deploying. */
export function writeReview(uid: string, { patch, warnings }: Mutation): string {
  const encoded = Buffer.from(JSON.stringify(patch)).toString('base64');
  const response = {
    uid,
    allowed: true,
    ...(patch.length > 0 && { patchType: 'JSONPatch', patch: encoded }),
    ...(warnings.length > 0 && { warnings }),
  };
  return JSON.stringify({ apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response });
}
