import type { KubeClient, WriteOptions } from '@trimtab/kube/client.ts';

/**
 * Who writes version objects: the controller with its own credentials, or the gateway or the command line with those of
 * a user.
 */
export interface VersionWriter {
  client: KubeClient;
  fieldManager: string;
  /** Absent for a series of writes of the gateway: a client that disconnects must not interrupt them. */
  signal?: AbortSignal;
}

export function writing({ fieldManager, signal }: VersionWriter): WriteOptions {
  return { fieldManager, ...(signal !== undefined && { signal }) };
}
