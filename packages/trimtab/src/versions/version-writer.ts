import type { KubeClient, WriteOptions } from '@trimtab/kube/client.ts';

/** Who writes version objects: the controller with its own credentials, or the gateway with those of a user. */
export interface VersionWriter {
  client: KubeClient;
  fieldManager: string;
  /**
   * Absent in the gateway on purpose: a client that disconnects must not interrupt a series of writes.
   */
  signal?: AbortSignal;
}

export function writing({ fieldManager, signal }: VersionWriter): WriteOptions {
  return { fieldManager, ...(signal !== undefined && { signal }) };
}
