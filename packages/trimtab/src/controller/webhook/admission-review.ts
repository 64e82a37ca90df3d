import type { KubeObject } from '@trimtab/kube/wire.ts';
import type { PodTemplate } from '../../api/pod-template.ts';

/** Deployment, StatefulSet or DaemonSet of an admission request. Fields that are not declared here are preserved. */
export interface WorkloadObject extends KubeObject {
  spec?: { template?: PodTemplate };
}

/** The fields of `AdmissionReview` (admission.k8s.io/v1) that the webhook reads. */
export interface AdmissionRequest<T extends KubeObject = WorkloadObject> {
  uid: string;
  kind: { kind: string };
  /** Empty when the API server generates the name. */
  name?: string;
  namespace: string;
  operation: 'CREATE' | 'UPDATE';
  object: T;
  oldObject?: T | null;
  /** The user that the API server has authenticated. */
  userInfo?: { username?: string };
  dryRun?: boolean;
}

export type PatchOperation =
  | { op: 'test' | 'add' | 'replace'; path: string; value: unknown }
  | { op: 'remove'; path: string; value?: never };

/** Changes to the admitted object, and warnings for its author. */
export interface Mutation {
  patch: PatchOperation[];
  warnings: string[];
  /** Why the object is refused, for its author. */
  denied?: string;
}

export const unchanged: Mutation = { patch: [], warnings: [] };

/** Returns undefined when the text is not an AdmissionReview of an object. */
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

export function writeReview(uid: string, { patch, warnings, denied }: Mutation): string {
  const encoded = Buffer.from(JSON.stringify(patch)).toString('base64');
  const response = {
    uid,
    allowed: denied === undefined,
    ...(denied !== undefined && { status: { code: 403, reason: 'Forbidden', message: denied } }),
    ...(denied === undefined && patch.length > 0 && { patchType: 'JSONPatch', patch: encoded }),
    ...(warnings.length > 0 && { warnings }),
  };
  return JSON.stringify({ apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response });
}
