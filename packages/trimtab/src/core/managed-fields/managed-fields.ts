import type { KubeObject } from '@trimtab/kube/wire.ts';

/** An entry of `metadata.managedFields`: the fields that a manager wrote. */
export interface ManagedFields {
  manager?: string;
  operation?: string;
  apiVersion?: string;
  time?: string;
  subresource?: string;
  /** `f:NAME` for each field, nested. */
  fieldsV1?: Record<string, unknown>;
}

export function managedFieldsOf({ metadata }: KubeObject): readonly ManagedFields[] {
  return (metadata as { managedFields?: ManagedFields[] }).managedFields ?? [];
}

/** Entries of subresources hold other fields: that of a HorizontalPodAutoscaler is about `scale`, for example. */
export function ofMainResource(entries: readonly ManagedFields[] | undefined): readonly ManagedFields[] {
  return (entries ?? []).filter(({ subresource }) => !subresource);
}

/** Whether the entry holds what a client wrote other than by server-side apply. */
export function isUpdate({ operation, subresource }: ManagedFields): boolean {
  return operation === 'Update' && !subresource;
}
